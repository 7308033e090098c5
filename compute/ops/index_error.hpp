// SPDX-License-Identifier: Apache-2.0
/// The errors of tokens and targets that no table has a row for.
#pragma once

#include <cstdint>

namespace actorpipe {

/// Throws `std::out_of_range` naming the token, its place in tokens[B, T] and
/// the rows that there are.
[[noreturn]] void throw_bad_token(std::int64_t token, std::int64_t index,
                                  std::int64_t sequence, std::int64_t rows);

/// Throws `std::out_of_range` naming the target, its row and the classes that
/// there are.
[[noreturn]] void throw_bad_target(std::int64_t target, std::int64_t row,
                                   std::int64_t classes);

} // namespace actorpipe
