// SPDX-License-Identifier: Apache-2.0
/// The node actor: lends the devices of its process to one run at a time.
#pragma once

#include "actors/cluster/hosted_run.hpp"
#include "actors/cluster/post_office.hpp"
#include "messages/actor_types.hpp"

#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace actorpipe {

/// What a node is made from, and how it reaches its surroundings.
struct node_environment {
  node_facts facts;
  hosting how; ///< how it spawns what it is told to
  std::unique_ptr<post_office> office;
  /// Ends this process, to be started anew on the same address.
  std::function<void()> replace;
  /// Told of what happens, for people.
  std::function<void(const std::string&)> log;
  std::function<std::int64_t()> now_ns; ///< monotonic
};

struct node_state {
  std::shared_ptr<node_environment> around;
  std::optional<join> member_of; ///< the run that it works for
  caf::strong_actor_ptr supervisor;
  std::int64_t heard_ns = 0; ///< the supervisor's last word
  bool is_looking = false;   ///< a `look_around` is under way
  cluster_view view;         ///< as it last told
  std::unique_ptr<hosted_run> run;
  std::optional<host> placed;  ///< what `run` was last arranged for
  bool is_linked = false;      ///< for that attempt
  std::uint64_t attempt = 0;   ///< the latest that the supervisor spoke of
  std::optional<trouble> told; ///< in that attempt
  std::vector<caf::typed_response_promise<linked>> linking;
  std::map<caf::actor_addr, std::string> names; ///< of the run's actors
  static inline const char* name = "actorpipe.node";
};

/// Answers at once, whatever its stages do: they have threads of their own, and
/// links are opened in another.
node_actor::behavior_type
make_node(node_actor::stateful_pointer<node_state> self,
          std::shared_ptr<node_environment> around);

} // namespace actorpipe
