// SPDX-License-Identifier: Apache-2.0
/// Links between the processes of a simulation: post offices whose frames are
/// messages of the simulated network.
#pragma once

#include "actors/cluster/post_office.hpp"
#include "tests/support/simulated_link.hpp"
#include "tests/support/simulated_world.hpp"

#include <memory>

namespace actorpipe::test {

/// A link ends when one of its processes does, when either side closes it, and
/// when a frame is not what it was.
class simulated_links {
public:
  explicit simulated_links(simulated_world& world);
  ~simulated_links();
  simulated_links(const simulated_links&) = delete;
  simulated_links& operator=(const simulated_links&) = delete;

  /// The office of a process that runs at `where`. Does not outlive this.
  std::unique_ptr<post_office> make_office(place where);

  /// The process at that place has been killed.
  void note_killed(place where);

  /// The two places have been cut from each other. If that lasts, the links
  /// between them break.
  void note_cut(place a, place b);

  /// They reach each other again; frames were lost or not.
  void note_healed(place a, place b, bool is_whole);

  /// The actors of the process at `where` that are on its route; empty when it
  /// has none.
  local_actors actors_at(place where) const;

private:
  class office;
  class implementation;
  std::shared_ptr<implementation> impl_;
};

} // namespace actorpipe::test
