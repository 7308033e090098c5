// SPDX-License-Identifier: Apache-2.0
/// Whether programs are complete, ordered and free of deadlock.
#include "partition/check.hpp"

#include "partition/execution.hpp"
#include "partition/placement.hpp"
#include "partition/stash.hpp"

#include <algorithm>
#include <string>
#include <tuple>

namespace actorpipe {

namespace {

using enum action_kind;

// The rules about the actions of one cell.
class cell_checker {
public:
  cell_checker(std::span<const program> programs, const pipeline_shape& shape,
               const placement& places, std::vector<program_fault>& faults)
    : programs_(programs), shape_(shape), places_(places), faults_(faults) {}

  void check(std::uint32_t cell) {
    cell_ = cell;
    device_ = shape_.device_of_cell[cell];
    last_gradient_ = 0;
    for (std::uint32_t i = 0; i < shape_.micro_batches; ++i) {
      micro_batch_ = i;
      if (shape_.training)
        check_training();
      else if (!has(forward))
        missing(forward, placement::absent, "");
    }
    if (shape_.training)
      check_update();
  }

private:
  action make(action_kind kind) const {
    return {cell_, kind, kind == update ? 0 : micro_batch_};
  }

  std::uint32_t at(action_kind kind) const {
    return places_.position(make(kind));
  }

  bool has(action_kind kind) const { return at(kind) != placement::absent; }

  std::string text(action_kind kind) const { return to_string(make(kind)); }

  void fault(action_kind kind, const std::string& why) {
    faults_.push_back({device_, at(kind), make(kind), text(kind) + " " + why});
  }

  // An action that should stand before position `limit`, or before the update
  // or the end of the program.
  void missing(action_kind kind, std::uint32_t limit, const std::string& why) {
    auto where = static_cast<std::size_t>(limit);
    if (limit == placement::absent)
      where = std::min<std::size_t>(places_.position({cell_, update, 0}),
                                    programs_[device_].size());
    faults_.push_back(
      {device_, where, make(kind), text(kind) + " is missing" + why});
  }

  // `second` is there; `first` has to be there before it.
  void require_before(action_kind first, action_kind second) {
    if (!has(first))
      missing(first, at(second), ": " + text(second) + " needs it");
    else if (at(second) < at(first))
      fault(second, "comes before " + text(first) + ", which it needs");
  }

  void check_training() {
    const bool whole = has(backward);
    const bool split = has(input_gradient) || has(weight_gradient);
    const auto turn = whole ? backward : input_gradient;
    if (has(turn))
      require_before(forward, turn);
    else if (!has(forward))
      missing(forward, placement::absent, "");
    if (!whole && !split)
      missing(backward, placement::absent, "");
    if (whole && split)
      fault(has(input_gradient) ? input_gradient : weight_gradient,
            "computes again what " + text(backward) + " does");
    if (split && !whole) {
      if (!has(weight_gradient))
        missing(weight_gradient, placement::absent,
                ": " + text(input_gradient) + " leaves it to do");
      else
        require_before(input_gradient, weight_gradient);
    }
    if (has(recompute))
      check_recompute(turn);
    for (const auto kind : {backward, weight_gradient})
      if (has(kind))
        last_gradient_ = std::max(last_gradient_, at(kind));
  }

  void check_recompute(action_kind turn) {
    if (!has(turn) || at(turn) != at(recompute) + 1)
      fault(recompute, "does not stand directly before " + text(turn));
  }

  void check_update() {
    if (!has(update))
      missing(update, placement::absent, "");
    else if (at(update) < last_gradient_)
      fault(update, "comes before "
                      + to_string(programs_[device_][last_gradient_])
                      + ", a weight gradient of its cell");
  }

  std::span<const program> programs_;
  const pipeline_shape& shape_;
  const placement& places_;
  std::vector<program_fault>& faults_;
  std::uint32_t cell_ = 0;
  std::uint32_t device_ = 0;
  std::uint32_t micro_batch_ = 0;
  std::uint32_t last_gradient_ = 0; // the greatest position
};

std::string cell_and_device(std::uint32_t cell, const pipeline_shape& shape) {
  return "cell " + std::to_string(cell) + " on device "
       + std::to_string(shape.device_of_cell[cell]);
}

program_fault describe(const blocked_action& x, const action& what,
                       const pipeline_shape& shape) {
  const auto& line = shape.edges[x.edge];
  const auto tensor =
    x.gradient ? std::string("gradient") : std::string("activation");
  auto why = to_string(what) + " waits for ever for ";
  if (x.credit) {
    const auto reader = x.gradient ? line.from : line.to;
    why += "a credit for its " + tensor + " on edge " + std::to_string(x.edge)
         + ": " + cell_and_device(reader, shape)
         + " has not started on one of the " + std::to_string(line.credits)
         + " before it";
  } else {
    const auto writer = x.gradient ? line.to : line.from;
    why += "the " + tensor + " of micro-batch "
         + std::to_string(what.micro_batch) + " on edge "
         + std::to_string(x.edge) + " from "
         + (writer == edge::feed ? "the feed" : cell_and_device(writer, shape));
  }
  return {x.device, x.position, what, std::move(why)};
}

bool in_order(std::span<const program> programs, std::size_t cells) {
  std::vector<std::int64_t> last(cells, -1);
  for (const auto& steps : programs)
    for (const auto& x : steps)
      if (x.kind == backward || x.kind == weight_gradient) {
        if (x.micro_batch < last[x.cell])
          return false;
        last[x.cell] = x.micro_batch;
      }
  return true;
}

bool ends_with_updates(const program& steps) {
  const auto is_update = [](const action& x) { return x.kind == update; };
  const auto first = std::find_if(steps.begin(), steps.end(), is_update);
  return std::all_of(first, steps.end(), is_update);
}

} // namespace

check_report check(std::span<const program> programs,
                   const pipeline_shape& shape) {
  check_report report;
  const placement places(programs, shape, report.faults);
  cell_checker checker(programs, shape, places, report.faults);
  for (std::uint32_t cell = 0; cell < shape.device_of_cell.size(); ++cell)
    checker.check(cell);
  std::stable_sort(report.faults.begin(), report.faults.end(),
                   [](const program_fault& a, const program_fault& b) {
                     return std::tie(a.device, a.position)
                          < std::tie(b.device, b.position);
                   });
  if (!report.ok())
    return report;
  for (const auto& x : execute(programs, shape).blocked)
    report.faults.push_back(describe(x, programs[x.device][x.position], shape));
  if (!report.ok())
    return report;
  for (const auto& steps : programs)
    report.stash.push_back(peak_stash(steps));
  report.weight_gradients_in_order =
    in_order(programs, shape.device_of_cell.size());
  report.updates_last =
    std::all_of(programs.begin(), programs.end(), ends_with_updates);
  return report;
}

std::string to_string(std::span<const program_fault> faults) {
  std::string result;
  for (const auto& x : faults) {
    if (!result.empty())
      result += '\n';
    result += "device " + std::to_string(x.device) + ", position "
            + std::to_string(x.position) + ": " + x.sentence;
  }
  return result;
}

} // namespace actorpipe
