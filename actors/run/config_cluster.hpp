// SPDX-License-Identifier: Apache-2.0
/// The settings of `[cluster]`.
#pragma once

#include "actors/run/config_schema.hpp"

#include <vector>

namespace actorpipe {

/// The part of the table of all settings.
std::vector<setting> cluster_settings();

} // namespace actorpipe
