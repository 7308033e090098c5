// SPDX-License-Identifier: Apache-2.0
/// Finds the programs that the stages' cursors fit.
#include "actors/stall/programs_at_hand.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace actorpipe {

namespace {

// Bounds the search among shorter steps: some hundredths of a second.
constexpr std::size_t most_actions_tried = std::size_t{1} << 21;

bool has_cursor(const standing& x) {
  return x.how != standing::state::idle;
}

// A mini-batch may fail behind the last action.
bool fits(const program& steps, const standing& x) {
  const auto may_be_at_end =
    x.how == standing::state::done
    || (x.how == standing::state::failed && x.next == action{});
  if (may_be_at_end && x.cursor == steps.size())
    return true;
  return x.how != standing::state::done && x.cursor < steps.size()
      && steps[x.cursor] == x.next;
}

bool fit(const std::vector<program>& programs,
         std::span<const standing> stages) {
  work_id newest;
  for (const auto& x : stages)
    newest = std::max(newest, x.id);
  for (std::size_t s = 0; s < stages.size(); ++s)
    if (stages[s].id == newest && has_cursor(stages[s])
        && !fits(programs[s], stages[s]))
      return false;
  return true;
}

// An evaluation has any number of micro-batches: more than the plan where the
// batch is larger.
std::uint32_t evaluated(const plan& how, std::span<const standing> stages) {
  auto result = how.micro_batches;
  std::vector<std::uint32_t> cells(how.devices());
  for (const auto device : how.device_of_cell)
    ++cells[device];
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const auto& x = stages[s];
    if (x.how == standing::state::done && cells[s] > 0)
      return x.cursor / cells[s];
    if (has_cursor(x))
      result = std::max(result, x.next.micro_batch + 1);
  }
  return result;
}

} // namespace

std::vector<program> programs_at_hand(const plan& how,
                                      std::span<const standing> stages) {
  if (fit(how.programs, stages))
    return how.programs;
  schedule_options sizes{how.schedule, how.recompute, evaluated(how, stages),
                         how.device_of_cell, how.devices()};
  const auto actions = std::size_t{sizes.micro_batches} * how.cells();
  if (actions > 0 && actions <= most_actions_tried) {
    auto result = make_evaluation_programs(sizes);
    if (fit(result, stages))
      return result;
  }
  std::size_t tried = 0;
  for (auto m = how.micro_batches; m > 1 && tried < most_actions_tried; --m) {
    sizes.micro_batches = m - 1;
    auto result = make_training_programs(sizes);
    if (fit(result, stages))
      return result;
    for (const auto& x : result)
      tried += x.size();
  }
  return how.programs;
}

} // namespace actorpipe
