// SPDX-License-Identifier: Apache-2.0
/// A model's spec as JSON: what is sent to another process.
#pragma once

#include "compute/layers/model_spec.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace actorpipe {

/// A layer of a spec as JSON stands in at most so many others, itself counted.
inline constexpr std::size_t deepest_layers = 64;

/// The spec on one line. Equal specs give equal texts; whole numbers stay
/// whole, and doubles keep every bit. Throws `model_error`, naming the place,
/// for what JSON cannot hold: a number that is not finite, a text that is not
/// UTF-8, and layers nested deeper than `deepest_layers`.
std::string to_json(const model_spec& x);

/// The inverse of `to_json`, for any bytes. Throws `model_error` with the
/// place, such as "layers[2].values.width", what was got and what is allowed.
model_spec model_spec_from_json(std::string_view text);

} // namespace actorpipe
