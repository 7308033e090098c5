// SPDX-License-Identifier: Apache-2.0
/// A model as data: what a run file writes and what is sent to a process.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace actorpipe {

/// A model that cannot be built or run as described. The message says which
/// layer, what was got, and what is allowed.
class model_error : public std::invalid_argument {
public:
  using std::invalid_argument::invalid_argument;
};

using spec_value = std::variant<bool, std::int64_t, double, std::string>;

/// One layer: its kind, a name, its numbers, and the layers inside it.
struct layer_spec {
  std::string kind;
  std::string name; ///< empty: made from the position
  std::map<std::string, spec_value> values;
  std::vector<layer_spec> layers;

  friend bool operator==(const layer_spec&, const layer_spec&) = default;
};

struct model_spec {
  std::vector<layer_spec> layers;
  layer_spec loss;

  friend bool operator==(const model_spec&, const model_spec&) = default;
};

} // namespace actorpipe
