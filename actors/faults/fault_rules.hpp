// SPDX-License-Identifier: Apache-2.0
/// Rules of faults on purpose: what shall go wrong, where and when.
///
///     seed = 7
///     [[fault]]
///     do = "kill"     # the process of a node, as SIGKILL would
///     node = 2
///     step = 5
///     after = "3F4"
///
/// Every kind and every key stands in docs/fault_injection.md.
#pragma once

#include "partition/plan.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace actorpipe {

enum class fault_kind : std::uint8_t {
  kill = 1,     ///< a node's process, or one actor in it
  drop_control, ///< messages between the trainer and the nodes get lost
  delay_link,   ///< frames between two processes come late
  cut_link,     ///< nothing passes between two processes, and nobody is told
  fail_layer,   ///< a layer throws
  flip_bit,     ///< one bit of a frame is another one
  stall,        ///< an action takes long
};

/// Its value of `do`, such as "drop_control"; "throw" for `fail_layer`.
std::string_view to_string(fault_kind kind) noexcept;

/// One `[[fault]]`. What a kind does not use has its default.
struct fault_rule {
  fault_kind what = fault_kind::kill;

  /// Of a kill exactly one of the three. `node` restricts `drop_control`.
  std::optional<std::uint32_t> node;
  std::optional<std::uint32_t> stage;     ///< of a stall too
  std::optional<std::uint32_t> parameter; ///< cell

  std::optional<std::int64_t> step; ///< as the layers know it, from 0
  /// A step begins again after a fault; the rule acts in `times` of its
  /// beginnings, from this one on, counted from 1.
  std::uint32_t first_try = 1;
  std::uint32_t times = 1;
  /// At most one; neither: before the first action of the step there. Of a
  /// `fail_layer`: before the first forward of the layer's cell.
  std::optional<action> before;
  std::optional<action> after;

  std::size_t layer = 0;
  double probability = 0;
  /// Indices of nodes or `trainer_process`. A `flip_bit` meets what the first
  /// sends to the second, all others both ways.
  std::array<std::uint32_t, 2> between{};
  std::uint64_t frame = 1; ///< counted from 1, per sending process and peer
  std::int64_t mean_ms = 0;
  std::int64_t jitter_ms = 0; ///< at most the mean
  std::int64_t for_ms = 0;

  friend bool operator==(const fault_rule&, const fault_rule&) = default;
};

/// For people, such as "kill node 2 at step 5 after 3F4".
std::string to_string(const fault_rule& x);

struct fault_rules {
  std::uint64_t seed = 1; ///< of everything that is drawn
  std::vector<fault_rule> all;

  friend bool operator==(const fault_rules&, const fault_rules&) = default;
};

/// Reads the text of a file of rules; empty text has none. `name` stands for
/// the file in messages. Throws `config_error` (actors/run/config.hpp) with all
/// problems, each with its line, the key, what was got and what is allowed.
fault_rules parse_faults(std::string_view text,
                         const std::string& name = "faults");

/// Checks that what the rules name is there: stages, cells and actions of the
/// plan, layers, and nodes 0 to `nodes` - 1. Throws `config_error`.
void check_faults(const fault_rules& rules, const plan& how,
                  std::uint32_t nodes);

} // namespace actorpipe
