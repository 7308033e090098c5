// SPDX-License-Identifier: Apache-2.0
/// One link between two processes of a simulation.
#pragma once

#include "actors/link/disturbance.hpp"
#include "actors/link/frame_queue.hpp"
#include "actors/link/message_assembly.hpp"
#include "tests/support/simulated_world.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace actorpipe::test {

/// Whether a message of the simulated network is a frame of a link: links lose
/// none.
bool is_frame(const caf::type_erased_tuple& what);

struct link_end {
  place where = nowhere;
  std::uint32_t process = 0;
  std::uint64_t session = 0;
};

/// Every tensor is cut into frames, written, read and put together again by the
/// code of real links. Each frame is a message of the network.
class simulated_link : public std::enable_shared_from_this<simulated_link> {
public:
  struct options {
    std::array<link_end, 2> ends;
    std::shared_ptr<const link_contract> agreed;
    /// Of the frames from that end; may be null.
    std::array<std::unique_ptr<link_disturbance>, 2> faults;
    /// A message has come to that place.
    std::function<void(place to, link_message what)> on_message;
    /// A frame was not what it should be.
    std::function<void(simulated_link& self, const std::string& why)> on_broken;
  };

  static std::shared_ptr<simulated_link> make(simulated_world& world,
                                              options how);

  /// The far end as seen from `where`; null if the link is not of that place.
  const link_end* other(place where) const;
  const std::array<link_end, 2>& ends() const { return how_.ends; }

  /// The actor that takes messages at `where` for the other end.
  caf::strong_actor_ptr carrier_at(place where) const;

  /// Nothing passes any more; what is under way is lost.
  void end();

private:
  // One way.
  struct direction {
    frame_queue queue;
    std::optional<outgoing_frame> held; ///< a fault keeps it for a time
    std::optional<std::uint64_t> flipped_bit;
    std::unique_ptr<message_assembly> assembly;
    caf::strong_actor_ptr carrier;  ///< where it begins
    caf::strong_actor_ptr receiver; ///< where it ends
  };

  struct actors;

  simulated_link(simulated_world& world, options how);
  void spawn(std::size_t from);
  void post(std::size_t from, link_message what);
  void pump(std::size_t from);
  void carry(std::size_t from, const outgoing_frame& what);
  void receive(std::size_t from, const void* bytes);
  void break_off(const std::string& why);

  simulated_world& world_;
  options how_;
  std::array<direction, 2> ways_;
  bool is_open_ = true;
};

} // namespace actorpipe::test
