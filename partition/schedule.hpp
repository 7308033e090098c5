// SPDX-License-Identifier: Apache-2.0
/// Schedules: pure functions from sizes to the programs of all devices.
#pragma once

#include "partition/action.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace actorpipe {

enum class schedule_kind : std::uint8_t {
  fill_drain,
  fill_drain_reverse,
  one_f_one_b,
};

inline constexpr std::array all_schedules{schedule_kind::fill_drain,
                                          schedule_kind::fill_drain_reverse,
                                          schedule_kind::one_f_one_b};

/// "fill-drain", "fill-drain-reverse", "1f1b"; parses back.
std::string_view to_string(schedule_kind kind) noexcept;
std::optional<schedule_kind> parse_schedule(std::string_view name) noexcept;

/// Which micro-batches are computed again in the backward pass.
enum class recompute_mode : std::uint8_t { always, except_one, never };

inline constexpr std::array all_recompute_modes{
  recompute_mode::always, recompute_mode::except_one, recompute_mode::never};

/// "always", "except-one", "never"; parses back.
std::string_view to_string(recompute_mode mode) noexcept;
std::optional<recompute_mode> parse_recompute(std::string_view name) noexcept;

struct schedule_options {
  schedule_kind kind = schedule_kind::fill_drain;
  recompute_mode recompute = recompute_mode::except_one;
  std::uint32_t micro_batches = 1; ///< M, at least 1
  /// Which device runs each cell; K entries. Cell k feeds cell k + 1.
  std::vector<std::uint32_t> device_of_cell;
  std::uint32_t devices = 1;
};

/// The program of every device for one training step. Throws
/// `std::invalid_argument` for sizes that the schedule does not allow.
std::vector<program> make_training_programs(const schedule_options& options);

/// Forward only, micro-batches in order.
std::vector<program> make_evaluation_programs(const schedule_options& options);

} // namespace actorpipe
