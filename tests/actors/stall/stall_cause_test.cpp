// SPDX-License-Identifier: Apache-2.0
/// A fault planted at random in a random pipeline is the cause that is named.
#include "actors/stall/stall_cause.hpp"

#include "partition/make_plan.hpp"
#include "stalled_pipeline.hpp"
#include "tests/partition/random_programs.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>

namespace actorpipe::test {
namespace {

using fault = planted_fault::kind;
using cause = stall_cause::kind;

struct pipeline_case {
  plan how;
  std::vector<program> programs; ///< of the step at hand
};

// By a schedule: two tensors over some boundaries, not all with gradients.
plan scheduled_plan(std::mt19937& random) {
  const auto up_to = [&](std::uint32_t n) {
    return static_cast<std::uint32_t>(1 + random() % n);
  };
  plan_options options;
  options.cells = up_to(5);
  options.layers = options.cells;
  options.costs.assign(options.layers, 1);
  for (std::size_t i = 0; i <= options.layers; ++i) {
    options.boundaries.push_back({{"f32[1]", 4, true}});
    if (random() % 3 == 0)
      options.boundaries.back().push_back({"i32[1]", 4, random() % 2 == 0});
  }
  options.targets = {{"i32[1]", 4, false}};
  options.schedule = all_schedules[random() % all_schedules.size()];
  options.recompute =
    all_recompute_modes[random() % all_recompute_modes.size()];
  options.micro_batches = up_to(6);
  options.credits = up_to(3);
  try {
    return make_plan(options);
  } catch (const plan_error&) { // too few credits for the schedule
    return scheduled_plan(random);
  }
}

// A full step, an evaluation of any size, or a step with less to do.
pipeline_case scheduled_case(std::mt19937& random) {
  pipeline_case result{scheduled_plan(random), {}};
  const auto& how = result.how;
  schedule_options sizes{how.schedule, how.recompute,
                         static_cast<std::uint32_t>(1 + random() % 8),
                         how.device_of_cell, how.devices()};
  result.programs = how.programs;
  if (random() % 4 == 0)
    result.programs = make_evaluation_programs(sizes);
  else if (random() % 3 == 0 && sizes.micro_batches < how.micro_batches)
    result.programs = make_training_programs(sizes);
  return result;
}

// Any legal programs: several cells a device, halves of backwards.
pipeline_case random_case(std::mt19937& random) {
  const auto shape = testing::random_shape(random);
  pipeline_case result;
  result.how.device_of_cell = shape.device_of_cell;
  result.how.edges = shape.edges;
  result.how.micro_batches = shape.micro_batches;
  result.how.programs = testing::random_programs(shape, random);
  result.programs = result.how.programs;
  for (std::size_t i = 0; i <= shape.device_of_cell.size(); ++i)
    result.how.cut.push_back(i);
  return result;
}

::testing::AssertionResult is_named(const planted_fault& planted,
                                    const stalled_pipeline& line,
                                    const stall_cause& found) {
  const auto& lost = line.lost();
  const auto& lack = found.wait ? found.wait->lack : missing{};
  const auto answer = [](bool right, const char* what) {
    return right ? ::testing::AssertionSuccess()
                 : ::testing::AssertionFailure() << what;
  };
  switch (planted.what) {
  case fault::lost_tensor:
    return answer(
      lack == lost.lack && found.wait->from == lost.from
        && found.stage == lost.stage
        && found.what == (lost.from == edge::feed ? cause::feed : cause::lost),
      "lost tensor");
  case fault::lost_credit:
    // Of several under way it is not known which one was lost.
    if (lost.stage == edge::feed)
      return answer(found.what == cause::feed && lack.edge == lost.lack.edge,
                    "lost credit of the feed");
    return answer(
      found.what == cause::lost && found.stage == lost.stage
        && found.wait->from == lost.from && lack.kind == missing::what::credit
        && lack.edge == lost.lack.edge && lack.gradient == lost.lack.gradient,
      "lost credit");
  case fault::lost_weights:
    return answer(found.what == cause::lost && found.stage == planted.stage
                    && lack.kind == missing::what::weights,
                  "lost weights");
  case fault::never_begins:
    return answer(found.what == cause::not_started
                    && found.stage == planted.stage && !found.doing,
                  "never begins");
  default:
    const auto expected = planted.what == fault::hangs ? cause::computing
                        : planted.what == fault::fails ? cause::failed
                                                       : cause::silent;
    return answer(found.what == expected && found.stage == planted.stage
                    && found.doing == line.steps(planted.stage)[planted.count],
                  "hangs, fails or dies");
  }
}

class stall_cause_test : public ::testing::TestWithParam<fault> {
protected:
  // Plants the fault in many pipelines; counts those that it stalls.
  static int count_stalls(pipeline_case (*draw)(std::mt19937&)) {
    int result = 0;
    for (unsigned seed = 0; seed < 400; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      std::mt19937 random(seed);
      const auto x = draw(random);
      planted_fault planted{GetParam(), 0, 0};
      planted.stage = static_cast<std::uint32_t>(random() % x.how.devices());
      const auto length = x.programs[planted.stage].size();
      planted.count = random() % (length + 1);
      stalled_pipeline line(x.how, x.programs, planted, seed);
      line.run();
      if (line.is_done())
        continue;
      // One stage that has not begun is as idle as one without a request.
      if (planted.what == fault::never_begins && x.how.devices() == 1)
        continue;
      ++result;
      const auto reading = line.read();
      const wait_graph graph(x.how, reading.stages);
      const auto causes = find_causes(graph, reading, 1000);
      EXPECT_EQ(causes.size(), 1U);
      EXPECT_TRUE(is_named(planted, line, causes.front()))
        << to_grid_text(graph);
    }
    return result;
  }

  static std::string to_grid_text(const wait_graph& graph) {
    std::string result;
    for (const auto& x : graph.stages())
      result += to_string(graph.programs()[x.stage]) + " at "
              + std::to_string(x.cursor) + '\n';
    return result;
  }
};

TEST_P(stall_cause_test, is_the_planted_one_in_a_scheduled_pipeline) {
  EXPECT_GT(count_stalls(scheduled_case), 40);
}

TEST_P(stall_cause_test, is_the_planted_one_with_any_legal_programs) {
  EXPECT_GT(count_stalls(random_case), 40);
}

std::string name_of(const ::testing::TestParamInfo<fault>& x) {
  const std::array names{"lost_tensor", "lost_credit", "lost_weights", "hangs",
                         "fails",       "dies",        "never_begins"};
  return names.at(static_cast<std::size_t>(x.param));
}

INSTANTIATE_TEST_SUITE_P(faults, stall_cause_test,
                         ::testing::Values(fault::lost_tensor,
                                           fault::lost_credit,
                                           fault::lost_weights, fault::hangs,
                                           fault::fails, fault::dies,
                                           fault::never_begins),
                         name_of);

} // namespace
} // namespace actorpipe::test
