// SPDX-License-Identifier: Apache-2.0
/// What the nodes of a run are told by its settings.
#pragma once

#include "actors/cluster/cluster_options.hpp"
#include "actors/run/config.hpp"

#include <string>

namespace actorpipe {

/// The options of a run on the nodes of the config, without faults on purpose
/// and without anybody who is told of events.
cluster_options cluster_options_of(const cluster_config& config);

/// What follows from the options, for a person: when a node counts as lost,
/// when a stall is reported, and so on.
std::string describe_cluster(const cluster_options& options);

} // namespace actorpipe
