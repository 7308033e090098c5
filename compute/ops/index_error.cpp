// SPDX-License-Identifier: Apache-2.0
/// The text of the errors about tokens and targets.
#include "compute/ops/index_error.hpp"

#include <stdexcept>
#include <string>

namespace actorpipe {

void throw_bad_token(std::int64_t token, std::int64_t index,
                     std::int64_t sequence, std::int64_t rows) {
  throw std::out_of_range("token " + std::to_string(token) + " of sample "
                          + std::to_string(index / sequence) + " at position "
                          + std::to_string(index % sequence) + " is not in [0, "
                          + std::to_string(rows)
                          + "), the rows of the embedding table");
}

void throw_bad_target(std::int64_t target, std::int64_t row,
                      std::int64_t classes) {
  throw std::out_of_range("target " + std::to_string(target) + " of row "
                          + std::to_string(row) + " is not in [0, "
                          + std::to_string(classes) + "), the classes");
}

} // namespace actorpipe
