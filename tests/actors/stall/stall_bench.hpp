// SPDX-License-Identifier: Apache-2.0
/// A small plan, and stages that stand wherever a test puts them.
#pragma once

#include "actors/stall/stall_cause.hpp"
#include "partition/make_plan.hpp"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace actorpipe::test {

/// Three cells of two layers each, M = 4, 1F1B, nothing recomputed. Edges: 0
/// the inputs, 1 and 2 between the stages, 3 the targets.
inline plan stalled_plan() {
  plan_options options;
  options.layers = 6;
  options.cells = 3;
  options.balance = {2, 2, 2};
  options.boundaries.assign(7, {{"f32[1]", 4, true}});
  options.targets = {{"i32[1]", 4, false}};
  options.schedule = schedule_kind::one_f_one_b;
  options.recompute = recompute_mode::never;
  options.micro_batches = 4;
  return make_plan(options);
}

/// What stages say of themselves, written short.
class stall_bench {
public:
  static constexpr std::int64_t second_ns = 1'000'000'000;

  plan how = stalled_plan();
  stall_reading now{0, {}, {}, 1, {}};

  /// The stage runs or waits at `next`, an action of the plan's program.
  void put(std::uint32_t stage, standing::state state, const char* next,
           std::vector<missing> lacks = {}, std::int64_t for_s = 11) {
    standing x{stage, {1, 0, 5}, state, {}, 0, for_s * second_ns, {}};
    x.next = parse_action(next).value();
    x.lacks = std::move(lacks);
    const auto& steps = how.programs[stage];
    const auto at = std::ranges::find(steps, x.next);
    if (at == steps.end())
      throw std::invalid_argument(next);
    x.cursor = static_cast<std::uint32_t>(at - steps.begin());
    put(std::move(x));
  }

  void put_done(std::uint32_t stage) {
    const auto length = static_cast<std::uint32_t>(how.programs[stage].size());
    put({stage, {1, 0, 5}, standing::state::done, {}, length, second_ns, {}});
  }

  /// It knows of an earlier mini-batch only.
  void put_behind(std::uint32_t stage) {
    put({stage, {1, 0, 4}, standing::state::idle, {}, 0, 2 * second_ns, {}});
  }

  void put(standing x) {
    std::erase_if(now.stages,
                  [&](const standing& y) { return y.stage == x.stage; });
    now.stages.push_back(std::move(x));
  }

  static missing activation(std::uint32_t edge, std::uint32_t micro_batch) {
    return {missing::what::tensor, edge, false, micro_batch};
  }
  static missing gradient(std::uint32_t edge, std::uint32_t micro_batch) {
    return {missing::what::tensor, edge, true, micro_batch};
  }
  static missing credit_of(std::uint32_t edge, std::uint32_t micro_batch) {
    return {missing::what::credit, edge, false, micro_batch};
  }
  static missing weights_of(std::uint32_t cell) {
    return {missing::what::weights, cell, false, 0};
  }
};

} // namespace actorpipe::test
