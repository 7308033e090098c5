// SPDX-License-Identifier: Apache-2.0
/// Names of schedules and recompute modes, and the choice of a schedule.
#include "partition/schedule.hpp"

#include "partition/recompute.hpp"
#include "partition/schedule_1f1b.hpp"
#include "partition/schedule_fill_drain.hpp"
#include "partition/schedule_fill_drain_reverse.hpp"

#include <array>
#include <stdexcept>
#include <string>
#include <utility>

namespace actorpipe {

namespace {

constexpr std::array<std::pair<schedule_kind, std::string_view>, 3> schedules{{
  {schedule_kind::fill_drain, "fill-drain"},
  {schedule_kind::fill_drain_reverse, "fill-drain-reverse"},
  {schedule_kind::one_f_one_b, "1f1b"},
}};

constexpr std::array<std::pair<recompute_mode, std::string_view>, 3> modes{{
  {recompute_mode::always, "always"},
  {recompute_mode::except_one, "except-one"},
  {recompute_mode::never, "never"},
}};

template <class Table, class Key>
std::string_view name_of(const Table& table, Key key) noexcept {
  for (const auto& [value, name] : table)
    if (value == key)
      return name;
  return "unknown";
}

template <class Key, std::size_t N>
std::optional<Key>
value_of(const std::array<std::pair<Key, std::string_view>, N>& table,
         std::string_view wanted) noexcept {
  for (const auto& [value, name] : table)
    if (name == wanted)
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
  return name_of(schedules, kind);
}

std::optional<schedule_kind> parse_schedule(std::string_view name) noexcept {
  return value_of(schedules, name);
}

std::string_view to_string(recompute_mode mode) noexcept {
  return name_of(modes, mode);
}

std::optional<recompute_mode> parse_recompute(std::string_view name) noexcept {
  return value_of(modes, name);
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
