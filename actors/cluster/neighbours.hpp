// SPDX-License-Identifier: Apache-2.0
/// Which processes of a run share tensors, and so have links.
#pragma once

#include "actors/cluster/post_office.hpp"
#include "messages/actor_types.hpp"

#include <cstdint>
#include <set>

namespace actorpipe {

/// The processes that `process` shares an edge, a tied parameter, a replica or
/// the feed with. The relation is symmetric.
std::set<std::uint32_t> neighbours(const plan& how,
                                   const parameter_layout& layout,
                                   const placement_map& where,
                                   std::uint32_t process);

/// The introduction for the actors of the process of `route`: its own by their
/// handles, the others by the actors of `office` that stand for their
/// processes.
introduction make_introduction(const mail_route& route, post_office& office,
                               const caf::strong_actor_ptr& scheduler);

} // namespace actorpipe
