// SPDX-License-Identifier: Apache-2.0
/// Makes the faults of one process happen.
#include "actors/faults/fault_injector.hpp"

#include "actors/process_facts.hpp"

#include "compute/ops/random_key.hpp"
#include "messages/cluster_messages.hpp"

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <stdexcept>
#include <string_view>
#include <thread>

namespace actorpipe {

namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

// A number of [0, 1) from 32 of the bits.
double unit(std::uint64_t bits) {
  return static_cast<double>(bits >> 32) / 4294967296.0;
}

} // namespace

class fault_injector::link_faults final : public link_disturbance {
public:
  link_faults(fault_injector& all, std::uint32_t peer)
    : all_(all), peer_(peer) {}

  frame_fault before(const frame_header&) override {
    return all_.of_frame(peer_);
  }

private:
  fault_injector& all_;
  std::uint32_t peer_;
};

fault_injector::fault_injector(fault_rules rules, const plan& how,
                               std::uint32_t process, fault_means means)
  : rules_(std::move(rules)), how_(how), process_(process),
    means_(std::move(means)), accounts_(rules_.all.size()) {
  if (!means_.kill_process)
    means_.kill_process = [] { std::raise(SIGKILL); };
  if (!means_.wait)
    means_.wait = [](nanoseconds x) { std::this_thread::sleep_for(x); };
  if (!means_.now_ns)
    means_.now_ns = steady_now_ns;
}

// -- actions ------------------------------------------------------------------

void fault_injector::before_action(std::uint32_t stage, std::int64_t step,
                                   std::uint32_t tries, const action& next) {
  begin(step, tries);
  act(side::before, stage, step, tries, next);
}

void fault_injector::after_action(std::uint32_t stage, std::int64_t step,
                                  std::uint32_t tries, const action& done) {
  act(side::after, stage, step, tries, done);
}

void fault_injector::act(side when, std::uint32_t stage, std::int64_t step,
                         std::uint32_t tries, const action& what) {
  // Without the lock: a fault may take long, or not return.
  std::vector<const fault_rule*> due;
  {
    const std::lock_guard guard(mutex_);
    for (std::size_t i = 0; i < rules_.all.size(); ++i)
      if (const auto& x = rules_.all[i];
          applies(x, when, stage, what) && is_due(x, accounts_[i], step, tries))
        due.push_back(&x);
  }
  for (const auto* x : due)
    make(*x);
}

bool fault_injector::applies(const fault_rule& x, side when,
                             std::uint32_t stage, const action& what) const {
  switch (x.what) {
  case fault_kind::kill:
    if (x.node && *x.node != process_)
      return false;
    if (x.stage && *x.stage != stage)
      return false;
    if (x.parameter && how_.device_of_cell[*x.parameter] != stage)
      return false;
    break;
  case fault_kind::stall:
    if (*x.stage != stage)
      return false;
    break;
  case fault_kind::fail_layer:
    if (x.layer < how_.cut[what.cell] || x.layer >= how_.cut[what.cell + 1])
      return false;
    if (!x.before && !x.after && what.kind != action_kind::forward)
      return false;
    break;
  default:
    return false;
  }
  if (x.before)
    return when == side::before && *x.before == what;
  if (x.after)
    return when == side::after && *x.after == what;
  return when == side::before;
}

bool fault_injector::is_due(const fault_rule& x, account& so_far,
                            std::int64_t step, std::uint32_t tries) {
  if (x.step != step || tries < x.first_try || tries - x.first_try >= x.times
      || (so_far.step == step && so_far.tries == tries))
    return false;
  so_far.step = step;
  so_far.tries = tries;
  return true;
}

void fault_injector::make(const fault_rule& x) {
  announce(x);
  switch (x.what) {
  case fault_kind::kill:
    if (x.node)
      means_.kill_process();
    else if (means_.kill_actor)
      means_.kill_actor(
        {x.parameter.has_value(), x.parameter ? *x.parameter : *x.stage});
    break;
  case fault_kind::stall:
    means_.wait(milliseconds(x.for_ms));
    break;
  case fault_kind::fail_layer:
    throw std::runtime_error("fault on purpose: " + to_string(x));
  default:
    break;
  }
}

void fault_injector::announce(const fault_rule& x) const {
  if (means_.log)
    means_.log("fault on purpose: " + to_string(x));
}

// -- messages and frames ------------------------------------------------------

void fault_injector::begin(std::int64_t step, std::uint32_t tries) {
  std::vector<const fault_rule*> cuts;
  {
    const std::lock_guard guard(mutex_);
    if (step_ == step && tries_ == tries)
      return;
    step_ = step;
    tries_ = tries;
    for (std::size_t i = 0; i < rules_.all.size(); ++i)
      if (const auto& x = rules_.all[i];
          x.what == fault_kind::cut_link
          && std::ranges::find(x.between, process_) != x.between.end()
          && is_due(x, accounts_[i], step, tries)) {
        accounts_[i].cut_until_ns =
          means_.now_ns() + nanoseconds(milliseconds(x.for_ms)).count();
        cuts.push_back(&x);
      }
  }
  for (const auto* x : cuts)
    announce(*x);
}

bool fault_injector::is_between(const fault_rule& x, std::uint32_t peer) const {
  return (x.between[0] == process_ && x.between[1] == peer)
      || (x.between[0] == peer && x.between[1] == process_);
}

std::uint64_t fault_injector::drawn(std::size_t rule, std::uint32_t peer,
                                    std::uint64_t count) const {
  const auto key = make_random_key(
    rules_.seed, std::to_string(process_) + " to " + std::to_string(peer));
  const auto bits = draw(key, count, rule);
  return std::uint64_t{bits.values[0]} << 32 | bits.values[1];
}

bool fault_injector::loses_control(std::uint32_t peer) {
  const std::lock_guard guard(mutex_);
  const auto count = messages_[peer]++;
  for (std::size_t i = 0; i < rules_.all.size(); ++i) {
    const auto& x = rules_.all[i];
    if (x.what == fault_kind::drop_control
        && (!x.node || *x.node == process_ || *x.node == peer)
        && unit(drawn(i, peer, count)) < x.probability)
      return true;
    if (x.what == fault_kind::cut_link && is_between(x, peer)
        && means_.now_ns() < accounts_[i].cut_until_ns)
      return true;
  }
  return false;
}

frame_fault fault_injector::of_frame(std::uint32_t peer) {
  frame_fault result;
  const fault_rule* announced = nullptr;
  {
    const std::lock_guard guard(mutex_);
    const auto count = ++frames_[peer];
    for (std::size_t i = 0; i < rules_.all.size(); ++i) {
      const auto& x = rules_.all[i];
      if (!is_between(x, peer))
        continue;
      if (x.what == fault_kind::delay_link) {
        const auto ms = static_cast<double>(x.mean_ms)
                      + static_cast<double>(x.jitter_ms)
                          * (2 * unit(drawn(i, peer, count)) - 1);
        result.hold += nanoseconds(static_cast<std::int64_t>(ms * 1e6));
      } else if (x.what == fault_kind::cut_link) {
        result.hold += nanoseconds(std::max<std::int64_t>(
          0, accounts_[i].cut_until_ns - means_.now_ns()));
      } else if (x.what == fault_kind::flip_bit && x.between[0] == process_
                 && x.frame == count) {
        result.flipped_bit = drawn(i, peer, count);
        announced = &x;
      }
    }
  }
  if (announced != nullptr)
    announce(*announced);
  return result;
}

std::unique_ptr<link_disturbance>
fault_injector::disturbance(std::uint32_t peer) {
  const auto disturbs = [&](const fault_rule& x) {
    const auto what = x.what;
    return (what == fault_kind::delay_link || what == fault_kind::cut_link
            || what == fault_kind::flip_bit)
        && is_between(x, peer);
  };
  if (std::ranges::none_of(rules_.all, disturbs))
    return nullptr;
  return std::make_unique<link_faults>(*this, peer);
}

} // namespace actorpipe
