// SPDX-License-Identifier: Apache-2.0
/// The names of the optimisers.
#include "compute/optim/optimizer.hpp"

namespace actorpipe {

std::string_view to_string(optimizer_kind kind) noexcept {
  switch (kind) {
  case optimizer_kind::sgd:
    return "sgd";
  case optimizer_kind::rmsprop:
    return "rmsprop";
  case optimizer_kind::adam:
    return "adam";
  case optimizer_kind::adamw:
    return "adamw";
  }
  return "unknown";
}

} // namespace actorpipe
