// SPDX-License-Identifier: Apache-2.0
/// Actions, and programs of actions.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace actorpipe {

/// What an action does with a cell and a micro-batch. The values are the
/// letters of the text form.
enum class action_kind : char {
  forward = 'F',
  recompute = 'R', ///< forward again, directly before the backward
  backward = 'B',  ///< input_gradient then weight_gradient
  input_gradient = 'I',
  weight_gradient = 'W',
  update = 'U', ///< of the cell; micro-batch 0
};

/// One unit of work. Its text form is `<cell><kind><micro-batch>`, as `2F0`.
struct action {
  std::uint32_t cell = 0;
  action_kind kind = action_kind::forward;
  std::uint32_t micro_batch = 0;

  friend auto operator<=>(const action&, const action&) = default;
};

std::string to_string(const action& x);

/// The inverse of `to_string`; empty for any other text.
std::optional<action> parse_action(std::string_view text);

/// The ordered actions of one device for one step.
using program = std::vector<action>;

/// Actions separated by blanks; parses back.
std::string to_string(const program& x);
std::optional<program> parse_program(std::string_view text);

} // namespace actorpipe
