// SPDX-License-Identifier: Apache-2.0
/// Names of schedules and recompute modes, and the choice of a schedule.
#include "partition/schedule.hpp"

#include "partition/recompute.hpp"
#include "partition/schedule_1f1b.hpp"
#include "partition/schedule_fill_drain.hpp"
#include "partition/schedule_fill_drain_reverse.hpp"

#include <stdexcept>
#include <string>

namespace actorpipe {

namespace {

template <class Values>
auto value_of(const Values& values, std::string_view wanted) noexcept
  -> std::optional<typename Values::value_type> {
  for (const auto value : values)
    if (to_string(value) == wanted)
      return value;
  return std::nullopt;
}

// Throws unless every device runs exactly one cell.
void require_one_cell_a_device(const schedule_options& options) {
  const auto cells = options.device_of_cell.size();
  if (cells == 0)
    throw std::invalid_argument("a schedule needs at least one cell");
  if (options.micro_batches == 0)
    throw std::invalid_argument("a schedule needs at least one micro-batch");
  if (options.devices != cells)
    throw std::invalid_argument(
      std::to_string(cells) + " cells on " + std::to_string(options.devices)
      + " devices: this schedule runs one cell on each device");
  std::vector<bool> used(options.devices, false);
  for (std::size_t cell = 0; cell < cells; ++cell) {
    const auto device = options.device_of_cell[cell];
    if (device >= options.devices)
      throw std::invalid_argument(
        "cell " + std::to_string(cell) + " is on device "
        + std::to_string(device) + ", but there are "
        + std::to_string(options.devices) + " devices");
    if (used[device])
      throw std::invalid_argument(
        "device " + std::to_string(device)
        + " has several cells: this schedule runs one cell on each device");
    used[device] = true;
  }
}

program training_program(const schedule_options& options, std::uint32_t cell) {
  const auto cells = static_cast<std::uint32_t>(options.device_of_cell.size());
  switch (options.kind) {
  case schedule_kind::fill_drain:
    return fill_drain_program(cell, options.micro_batches);
  case schedule_kind::fill_drain_reverse:
    return fill_drain_reverse_program(cell, options.micro_batches);
  case schedule_kind::one_f_one_b:
    return one_f_one_b_program(cell, cells, options.micro_batches);
  }
  throw std::invalid_argument("unknown schedule");
}

} // namespace

std::string_view to_string(schedule_kind kind) noexcept {
  switch (kind) {
  case schedule_kind::fill_drain:
    return "fill-drain";
  case schedule_kind::fill_drain_reverse:
    return "fill-drain-reverse";
  case schedule_kind::one_f_one_b:
    return "1f1b";
  }
  return "unknown";
}

std::optional<schedule_kind> parse_schedule(std::string_view name) noexcept {
  return value_of(all_schedules, name);
}

std::string_view to_string(recompute_mode mode) noexcept {
  switch (mode) {
  case recompute_mode::always:
    return "always";
  case recompute_mode::except_one:
    return "except-one";
  case recompute_mode::never:
    return "never";
  }
  return "unknown";
}

std::optional<recompute_mode> parse_recompute(std::string_view name) noexcept {
  return value_of(all_recompute_modes, name);
}

std::vector<program> make_training_programs(const schedule_options& options) {
  require_one_cell_a_device(options);
  std::vector<program> result(options.devices);
  for (std::uint32_t cell = 0; cell < options.device_of_cell.size(); ++cell) {
    auto& steps = result[options.device_of_cell[cell]];
    steps = with_recompute(training_program(options, cell), options.recompute);
    steps.push_back({cell, action_kind::update, 0});
  }
  return result;
}

std::vector<program> make_evaluation_programs(const schedule_options& options) {
  require_one_cell_a_device(options);
  std::vector<program> result(options.devices);
  for (std::uint32_t cell = 0; cell < options.device_of_cell.size(); ++cell)
    for (std::uint32_t i = 0; i < options.micro_batches; ++i)
      result[options.device_of_cell[cell]].push_back(
        {cell, action_kind::forward, i});
  return result;
}

} // namespace actorpipe
