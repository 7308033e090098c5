// SPDX-License-Identifier: Apache-2.0
/// Tells devices apart that do not compute the same bits.
#pragma once

#include "compute/device/device.hpp"

#include <string>

namespace actorpipe {

/// SHA-256, in hexadecimal, of the bits that the operations of `where` give
/// for a fixed set of inputs: products of odd and of large shapes as layers use
/// them, activations, normalisation, attention, losses, sums, random numbers
/// and updates.
///
/// Two devices with one fingerprint very likely train to the same bits; with
/// different ones they do not: another processor's instruction set, another
/// version of a library, other kernels. It does not depend on the device's
/// number of threads. Takes some ten milliseconds of a core; throws what the
/// device throws, such as `out_of_memory`. Of a device that only counts bytes
/// it says nothing.
std::string numerics_fingerprint(device& where);

} // namespace actorpipe
