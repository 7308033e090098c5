// SPDX-License-Identifier: Apache-2.0
/// The check that a list has as many entries as whoever reads it needs.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace actorpipe {

/// Throws `std::invalid_argument` unless `is == wanted`: `who`, such as "a
/// plan", needs that many of `what`, such as "costs of layers".
inline void require_count(const char* who, const char* what, std::size_t is,
                          std::size_t wanted) {
  if (is != wanted)
    throw std::invalid_argument(std::string(who) + " needs "
                                + std::to_string(wanted) + ' ' + what
                                + ", but there are " + std::to_string(is));
}

} // namespace actorpipe
