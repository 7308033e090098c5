// SPDX-License-Identifier: Apache-2.0
/// Nodes come, are silent, and go.
#include "actors/cluster/membership.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace actorpipe {

namespace {

// A silent node is noticed within three heartbeats though it is looked at four
// times in one only.
std::int64_t patience(std::int64_t heartbeat_ns) {
  return heartbeat_ns * 11 / 4;
}

} // namespace

membership::membership(membership_options options, surroundings& around)
  : options_(std::move(options)), around_(around),
    all_(options_.addresses.size()) {
  for (std::size_t i = 0; i < all_.size(); ++i)
    all_[i].address = options_.addresses[i];
}

void membership::look_around(std::int64_t now_ns) {
  const auto beat = options_.heartbeat_ns;
  for (std::uint32_t i = 0; i < size(); ++i) {
    auto& x = all_[i];
    switch (x.how) {
    case member::state::absent:
      if (now_ns >= x.retry_ns) {
        x.how = member::state::connecting;
        around_.connect(i, x.address);
      }
      break;
    case member::state::joining:
    case member::state::present:
      if (now_ns - x.heard_ns >= patience(beat)) {
        lose(i,
             fmt::format("node {} is silent for {:.2f} s", x.address,
                         1e-9 * static_cast<double>(now_ns - x.heard_ns)),
             now_ns);
      } else if (now_ns - x.asked_ns >= beat) {
        x.asked_ns = now_ns;
        if (x.how == member::state::present)
          around_.send(i, ping{options_.run, x.session, ++x.pings, {}});
        else
          around_.send(
            i, join{options_.run, x.session, i, options_.trainer, 3 * beat});
      }
      break;
    case member::state::connecting:
    case member::state::refused:
      break;
    }
  }
}

void membership::accept(const connected& message, std::int64_t now_ns) {
  auto& x = all_[message.index];
  if (x.how != member::state::connecting)
    return;
  if (!message.failure.empty()) {
    x.how = member::state::absent;
    x.why = message.failure;
    x.retry_ns = now_ns + options_.heartbeat_ns;
    return;
  }
  x.how = member::state::joining;
  ++x.session;
  x.heard_ns = x.asked_ns = now_ns;
  around_.send(message.index,
               join{options_.run, x.session, message.index, options_.trainer,
                    3 * options_.heartbeat_ns});
}

void membership::accept(const joined& message, std::int64_t now_ns) {
  if (message.run != options_.run || message.index >= size())
    return;
  auto& x = all_[message.index];
  if (x.how != member::state::joining || message.session != x.session)
    return;
  if (!message.refusal.empty())
    return lose(message.index,
                "node " + x.address + " refuses: " + message.refusal, now_ns);
  if (auto mismatch = find_mismatch(message.facts, x.address);
      !mismatch.empty()) {
    around_.send(message.index, leave{options_.run, x.session});
    around_.disconnect(message.index);
    x.how = member::state::refused;
    x.why = std::move(mismatch);
    return around_.on_refused(message.index);
  }
  if (!first_)
    first_.emplace(x.address, message.facts.fingerprint);
  x.how = member::state::present;
  x.why.clear();
  x.facts = message.facts;
  x.heard_ns = now_ns;
  x.asked_ns = 0;
  around_.on_present(message.index);
}

std::string membership::find_mismatch(const node_facts& facts,
                                      const std::string& address) const {
  const auto differs = [&](const std::string& what, const std::string& got,
                           const std::string& who, const std::string& wanted) {
    return "node " + address + " has the " + what + " " + got + ", and " + who
         + " has " + wanted;
  };
  if (facts.protocol != protocol_version)
    return differs("protocol", std::to_string(facts.protocol), "the trainer",
                   std::to_string(protocol_version))
         + " (it is " + facts.software + ")";
  if (facts.registry_hash != options_.registry_hash)
    return differs("layer registry", facts.registry_hash, "the trainer",
                   options_.registry_hash)
         + "; give both the same plugins";
  if (first_ && facts.fingerprint != first_->second
      && !options_.allows_different_bits)
    return differs("numerics fingerprint", facts.fingerprint,
                   "node " + first_->first, first_->second)
         + "; results would differ in their bits, which "
           "--allow-different-bits accepts";
  for (const auto& x : all_)
    if (x.how == member::state::present && facts.incarnation != 0
        && x.facts.incarnation == facts.incarnation)
      return "node " + address + " is the same process as node " + x.address
           + "; give each node once";
  return {};
}

void membership::accept(const pong& message, std::int64_t now_ns) {
  if (message.run != options_.run || message.index >= size())
    return;
  auto& x = all_[message.index];
  if (x.how != member::state::present || message.session != x.session)
    return;
  x.heard_ns = now_ns;
  x.stages = message.stages;
}

void membership::lose(std::uint32_t node, const std::string& why,
                      std::int64_t now_ns) {
  auto& x = all_[node];
  if (x.how != member::state::joining && x.how != member::state::present)
    return;
  const bool was_present = x.how == member::state::present;
  x.how = member::state::absent;
  x.why = why;
  x.retry_ns = now_ns + options_.heartbeat_ns;
  x.stages.clear();
  around_.disconnect(node);
  if (was_present)
    around_.on_lost(node, why);
}

void membership::leave_all() {
  for (const auto i : present())
    around_.send(i, leave{options_.run, all_[i].session});
}

std::vector<std::uint32_t> membership::present() const {
  std::vector<std::uint32_t> result;
  for (std::uint32_t i = 0; i < size(); ++i)
    if (is_present(i))
      result.push_back(i);
  return result;
}

std::vector<std::uint32_t> membership::devices() const {
  std::vector<std::uint32_t> result;
  for (const auto& x : all_)
    result.push_back(x.how == member::state::present
                       ? static_cast<std::uint32_t>(x.facts.devices.size())
                       : 0);
  return result;
}

bool membership::all_were_tried() const {
  return std::ranges::all_of(all_, [](const member& x) {
    return x.how == member::state::present || !x.why.empty();
  });
}

} // namespace actorpipe
