// SPDX-License-Identifier: Apache-2.0
/// One link between two processes of a simulation.
#include "tests/support/simulated_link.hpp"

#include "actors/link/data_sum.hpp"
#include "actors/link/link_error.hpp"
#include "messages/type_ids.hpp"

#include <caf/actor_cast.hpp>
#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

namespace actorpipe::test {

namespace {

// The bytes of a frame on their way.
struct frame_bytes_in_flight {
  frame_header_block header;
  std::vector<std::byte> data;
  std::uint64_t sum = 0;

  void flip(std::uint64_t bit) {
    bit %= 8 * (header.size() + data.size() + sizeof sum);
    const auto at = bit / 8;
    const auto mask = static_cast<std::byte>(1U << bit % 8);
    if (at < header.size())
      header[at] ^= mask;
    else if (at - header.size() < data.size())
      data[at - header.size()] ^= mask;
    else
      sum ^= 1;
  }
};

} // namespace

// A message of the simulated network.
struct simulated_frame {
  std::shared_ptr<frame_bytes_in_flight> bytes;
};

} // namespace actorpipe::test

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(actorpipe::test::simulated_frame)

namespace actorpipe::test {

bool is_frame(const caf::type_erased_tuple& what) {
  return what.match_elements<simulated_frame>();
}

// The two actors of each way.
struct simulated_link::actors {
  static caf::behavior carrier(caf::event_based_actor*,
                               const std::weak_ptr<simulated_link>& of,
                               std::size_t from) {
    const auto post = [of, from](link_message x) {
      if (const auto link = of.lock())
        link->post(from, std::move(x));
    };
    return {
      [post](const edge_data& x, payload& data) {
        post({x, std::move(data)});
      },
      [post](const accumulated& x, payload& data) {
        post({x, std::move(data)});
      },
      [post](const weights& x, payload& data) {
        post({x, std::move(data)});
      },
      [post](const shard& x, payload& data) {
        post({x, std::move(data)});
      },
      [post](const credit& x) {
        post({x, {}});
      },
      [post](const fetch& x) {
        post({x, {}});
      },
      [of, from](const run_next&) {
        if (const auto link = of.lock())
          link->pump(from);
      },
    };
  }

  static caf::behavior receiver(caf::event_based_actor*,
                                const std::weak_ptr<simulated_link>& of,
                                std::size_t from) {
    return {[of, from](const simulated_frame& x) {
      if (const auto link = of.lock())
        link->receive(from, x.bytes.get());
    }};
  }
};

simulated_link::simulated_link(simulated_world& world, options how)
  : world_(world), how_(std::move(how)) {}

std::shared_ptr<simulated_link> simulated_link::make(simulated_world& world,
                                                     options how) {
  std::shared_ptr<simulated_link> result(
    new simulated_link(world, std::move(how)));
  result->spawn(0);
  result->spawn(1);
  return result;
}

void simulated_link::spawn(std::size_t from) {
  auto& way = ways_[from];
  way.assembly = std::make_unique<message_assembly>(
    how_.agreed, [](const tensor_type& x) { return tensor::zeros(x); });
  const auto at = [&](std::size_t end, auto behavior) {
    return world_.in(how_.ends[end].where, [&] {
      return caf::actor_cast<caf::strong_actor_ptr>(
        world_.system().spawn(behavior, weak_from_this(), from));
    });
  };
  way.receiver = at(1 - from, actors::receiver);
  way.carrier = at(from, actors::carrier);
}

const link_end* simulated_link::other(place where) const {
  return how_.ends[0].where == where ? &how_.ends[1]
       : how_.ends[1].where == where ? &how_.ends[0]
                                     : nullptr;
}

caf::strong_actor_ptr simulated_link::carrier_at(place where) const {
  return ways_[how_.ends[0].where == where ? 0 : 1].carrier;
}

void simulated_link::end() {
  is_open_ = false;
  for (auto& way : ways_) {
    way.queue.clear();
    way.held.reset();
    for (const auto& x : {way.carrier, way.receiver})
      caf::anon_send_exit(x, caf::exit_reason::user_shutdown);
  }
}

void simulated_link::post(std::size_t from, link_message what) {
  if (!is_open_)
    return;
  auto& way = ways_[from];
  const bool was_idle = way.queue.empty() && !way.held;
  way.queue.push(std::move(what));
  if (was_idle)
    caf::anon_send(caf::actor_cast<caf::actor>(way.carrier), run_next{});
}

// Sends a frame, and itself the word to send the next one.
void simulated_link::pump(std::size_t from) {
  auto& way = ways_[from];
  const auto again = caf::actor_cast<caf::actor>(way.carrier);
  if (!is_open_)
    return;
  if (way.held) {
    carry(from, *std::exchange(way.held, std::nullopt));
  } else if (!way.queue.empty()) {
    auto next = way.queue.pop();
    const auto fault = how_.faults[from]
                       ? how_.faults[from]->before(next.header)
                       : frame_fault{};
    if (fault.breaks)
      return break_off("on purpose");
    way.flipped_bit = fault.flipped_bit;
    if (fault.hold.count() > 0) {
      way.held = std::move(next);
      return caf::delayed_anon_send(again, fault.hold, run_next{});
    }
    carry(from, next);
  }
  if (is_open_ && !way.queue.empty())
    caf::anon_send(again, run_next{});
}

void simulated_link::carry(std::size_t from, const outgoing_frame& what) {
  auto& way = ways_[from];
  what.ready.wait();
  const auto data = what.data();
  auto bytes = std::make_shared<frame_bytes_in_flight>();
  bytes->header = encode(what.header);
  bytes->data.assign(data.begin(), data.end());
  bytes->sum = sum_of(data);
  if (const auto bit = std::exchange(way.flipped_bit, std::nullopt))
    bytes->flip(*bit);
  caf::send_as(caf::actor_cast<caf::actor>(way.carrier),
               caf::actor_cast<caf::actor>(way.receiver),
               simulated_frame{std::move(bytes)});
}

void simulated_link::receive(std::size_t from, const void* frame) {
  if (!is_open_)
    return;
  const auto& bytes = *static_cast<const frame_bytes_in_flight*>(frame);
  auto& assembly = *ways_[from].assembly;
  try {
    frame_header read;
    if (const auto wrong = decode(bytes.header, read))
      throw link_error(*wrong);
    const auto into = assembly.begin(read);
    if (into.size() != bytes.data.size())
      throw link_error("a frame has another length than it says");
    std::ranges::copy(bytes.data, into.begin());
    if (!into.empty() && sum_of(into) != bytes.sum)
      throw link_error("data does not have the sum that came with it");
    if (auto whole = assembly.end())
      how_.on_message(how_.ends[1 - from].where, std::move(*whole));
  } catch (const link_error& error) {
    break_off(error.what());
  }
}

void simulated_link::break_off(const std::string& why) {
  if (is_open_)
    how_.on_broken(*this, why);
}

} // namespace actorpipe::test
