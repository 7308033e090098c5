// SPDX-License-Identifier: Apache-2.0
/// Programs drawn as text, one row a device.
#include "partition/grid.hpp"

#include <algorithm>
#include <cstddef>

namespace actorpipe {

namespace {

constexpr std::size_t most_columns = 16; // of a grid with faults
constexpr std::size_t most_rows = 16;    // of devices without a fault

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

class grid {
public:
  explicit grid(std::span<const program> programs) : programs_(programs) {
    for (const auto& steps : programs) {
      end_ = std::max(end_, steps.size());
      for (const auto& x : steps)
        width_ = std::max(width_, to_string(x).size());
    }
    label_ = name(programs.empty() ? 0 : programs.size() - 1).size();
  }

  // Shows `most_columns` columns around this one.
  void focus(std::size_t column) {
    begin_ = column > most_columns / 2 ? column - most_columns / 2 : 0;
    end_ = std::min(end_, begin_ + most_columns);
  }

  bool shows(std::size_t column) const {
    return begin_ <= column && column <= end_;
  }

  std::string row(std::size_t device) const {
    const auto& steps = programs_[device];
    auto result = padded(name(device), label_) + " |";
    if (begin_ > 0)
      result += " ...";
    for (auto i = begin_; i < std::min(end_, steps.size()); ++i)
      result += ' ' + padded(to_string(steps[i]), width_);
    if (end_ < steps.size())
      result += " ...";
    while (result.back() == ' ')
      result.pop_back();
    return result + '\n';
  }

  std::string mark(const program_fault& fault) const {
    auto column = label_ + 2 + (begin_ > 0 ? 4 : 0);
    column += (fault.position - begin_) * (width_ + 1) + 1;
    const auto& steps = programs_[fault.device];
    const auto length = fault.position < steps.size()
                        ? to_string(steps[fault.position]).size()
                        : std::size_t{1};
    return std::string(column, ' ') + std::string(length, '^') + ' '
         + fault.sentence + '\n';
  }

private:
  static std::string name(std::size_t device) {
    return "device " + std::to_string(device);
  }

  std::span<const program> programs_;
  std::size_t begin_ = 0; // columns shown
  std::size_t end_ = 0;
  std::size_t width_ = 0;
  std::size_t label_ = 0;
};

} // namespace

std::string to_grid(std::span<const program> programs) {
  const grid drawing(programs);
  std::string result;
  for (std::size_t device = 0; device < programs.size(); ++device)
    result += drawing.row(device);
  return result;
}

std::string to_grid(std::span<const program> programs,
                    std::span<const program_fault> faults) {
  if (faults.empty())
    return to_grid(programs);
  grid drawing(programs);
  drawing.focus(faults.front().position);
  std::string result;
  for (std::size_t device = 0; device < programs.size(); ++device) {
    std::string marks;
    for (const auto& fault : faults)
      if (fault.device == device && drawing.shows(fault.position))
        marks += drawing.mark(fault);
    if (!marks.empty() || device < most_rows)
      result += drawing.row(device) + marks;
  }
  return result;
}

} // namespace actorpipe
