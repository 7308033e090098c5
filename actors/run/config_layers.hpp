// SPDX-License-Identifier: Apache-2.0
/// Layers that a run file spells out, from TOML and back.
#pragma once

#include "actors/run/config_schema.hpp"
#include "compute/layers/model_spec.hpp"

#include <string>
#include <vector>

namespace actorpipe {

/// Reads a list of tables, each with a `kind`, perhaps a `name`, perhaps
/// `layers` inside, and the layer's own values. Whether the kind is known is
/// found out when the model is built.
std::vector<layer_spec> layers_from_toml(const toml::node& value,
                                         const complaint_sink& complain);

/// One such table.
layer_spec layer_from_toml(const toml::node& value,
                           const complaint_sink& complain);

std::string layers_to_toml(const std::vector<layer_spec>& layers);
std::string layer_to_toml(const layer_spec& layer);

} // namespace actorpipe
