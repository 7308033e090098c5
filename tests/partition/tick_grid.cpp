// SPDX-License-Identifier: Apache-2.0
/// A simulated timeline drawn as text, one row a device, one column a tick.
#include "tick_grid.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iomanip>
#include <sstream>
#include <utility>

namespace actorpipe::testing {

namespace {

std::size_t tick(double time_s, double tick_s) {
  return static_cast<std::size_t>(std::lround(time_s / tick_s));
}

std::string padded(const std::string& text, std::size_t width) {
  std::ostringstream out;
  out << std::left << std::setw(static_cast<int>(width)) << text;
  return std::move(out).str();
}

} // namespace

std::string to_tick_grid(const simulation& x, double tick_s) {
  std::size_t width = 1;
  for (const auto& row : x.timeline)
    for (const auto& step : row)
      width = std::max(width, to_string(step.what).size());
  const auto idle = padded(std::string((width - 1) / 2, ' ') + '.', width);
  const auto last = std::to_string(x.timeline.size() - 1).size();
  std::string result;
  for (std::size_t device = 0; device < x.timeline.size(); ++device) {
    std::vector<std::string> columns(tick(x.makespan_s, tick_s), idle);
    for (const auto& step : x.timeline[device]) {
      const auto begin = tick(step.start_s, tick_s);
      const auto end = tick(step.end_s, tick_s);
      for (auto i = begin; i < end; ++i)
        columns[i] = i == begin ? padded(to_string(step.what), width)
                                : std::string(width, '-');
    }
    auto row = "device " + padded(std::to_string(device), last) + " |";
    for (const auto& column : columns)
      row += ' ' + column;
    row.erase(row.find_last_not_of(' ') + 1);
    result += row + '\n';
  }
  return result;
}

} // namespace actorpipe::testing
