// SPDX-License-Identifier: Apache-2.0
/// Several processes in one thread: their actors on CAF's testing scheduler, a
/// network between them, a fake clock, and a seed that decides what is next.
#pragma once

#include <caf/actor_control_block.hpp>
#include <caf/actor_system.hpp>
#include <caf/type_erased_tuple.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace actorpipe::test {

/// One process, once: a process that is started anew is another place.
using place = std::uint32_t;

/// The place of what belongs to no process, and is reached in every state of
/// the network: whoever tests.
inline constexpr place nowhere = 0;

struct world_options {
  std::uint64_t seed = 1;
  /// One choice in so many lets time pass though there are messages; 0: none.
  std::uint64_t haste = 0;
  bool traced = false;
};

/// An actor belongs to the place whose actor spawned it. Messages between
/// actors of one place always arrive; those between two places pass a network
/// that keeps their order, may be cut, and loses what it is told to.
class simulated_world {
public:
  explicit simulated_world(world_options options);
  ~simulated_world();
  simulated_world(const simulated_world&) = delete;
  simulated_world& operator=(const simulated_world&) = delete;

  caf::actor_system& system();
  std::int64_t now_ns() const;

  place new_place();

  /// What `f` spawns belongs to `where`.
  template <class F>
  auto in(place where, F f) {
    begin_in();
    auto result = f();
    end_in(where);
    return result;
  }

  /// Handles one message, chosen by the seed; lets time pass to the next timer
  /// when there is none. False when nothing can happen any more.
  bool run_one();

  /// Messages handled so far.
  std::uint64_t handled() const;

  /// Calls `what` before the n-th message from now on is handled, from 1.
  void at(std::uint64_t n, std::function<void()> what);

  /// Calls `what` after that time, between two messages.
  void later(std::chrono::nanoseconds after, std::function<void()> what);

  /// Ends all actors of a place at once, in the middle of everything. What it
  /// has sent and nobody has handled yet arrives or is lost, as the seed says.
  void kill(place which);
  bool is_alive(place which) const;

  /// Nothing passes between the two; nobody is told.
  void cut(place a, place b);
  /// What was sent meanwhile arrives late or never, as the seed says. False if
  /// something was lost.
  bool heal(place a, place b);
  bool is_cut(place a, place b) const;

  /// Asked for each message between two places; true: it is lost.
  using loss = std::function<bool(place from, place to,
                                  const caf::type_erased_tuple& what)>;
  void lose_if(loss asked);

  /// For a handler that takes long: the others go on until that time has
  /// passed.
  void wait(std::chrono::nanoseconds time);

  /// Where a message without a sender comes from, if that is another place than
  /// the receiver's.
  using sender_guess =
    std::function<std::optional<place>(const caf::type_erased_tuple& what)>;
  void guess_senders(sender_guess guess);

  /// A number below `count`.
  std::uint64_t draw(std::uint64_t count);

  /// Who handled what, in order, and what else happened.
  void note(std::string what);
  const std::vector<std::string>& trace() const;

private:
  void begin_in();
  void end_in(place where);

  struct implementation;
  std::unique_ptr<implementation> impl_;
};

} // namespace actorpipe::test
