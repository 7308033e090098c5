// SPDX-License-Identifier: Apache-2.0
/// One sum over all parameters of a model: whether two are the same bits.
#pragma once

#include "compute/io/safetensors.hpp"

#include <string>
#include <vector>

namespace actorpipe {

/// SHA-256 over the parameters in the order of their names (compared as bytes),
/// each as:
///
///     u64              the bytes of the name
///     bytes            the name
///     u64              the rank
///     u64 per axis     the extents, outermost first
///     f32 per element  the values, row-major
///
/// with all numbers little-endian. It does not depend on the order given, on
/// how a model was cut, or on the file that holds it.
///
/// Throws `std::invalid_argument` for an element type other than f32 and for a
/// name that stands twice.
std::string parameters_sha256(const std::vector<named_tensor>& parameters);

} // namespace actorpipe
