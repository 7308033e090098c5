// SPDX-License-Identifier: Apache-2.0
/// The checker of programs: what it refuses, and what it reports.
#include "partition/check.hpp"

#include "pipelines.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace actorpipe {
namespace {

using testing::chain;
using testing::chain_of;
using testing::programs;
using testing::trained;

// The faults of programs for a chain, each as "device:position action".
std::string faults(std::initializer_list<const char*> texts,
                   const pipeline_shape& shape) {
  std::string result;
  for (const auto& x : check(programs(texts), shape).faults)
    result += (result.empty() ? "" : ", ") + std::to_string(x.device) + ':'
            + std::to_string(x.position) + ' ' + to_string(x.what);
  return result;
}

// The sentence of the only fault.
std::string sentence(std::initializer_list<const char*> texts,
                     const pipeline_shape& shape) {
  const auto report = check(programs(texts), shape);
  return report.faults.size() == 1 ? report.faults[0].sentence
                                   : to_string(report.faults);
}

const auto one = chain_of(1, 2);
const auto two = chain_of(2, 2);

pipeline_shape evaluation() {
  auto result = chain_of(1, 2);
  result.training = false;
  return result;
}

TEST(check, a_complete_program_has_no_fault) {
  EXPECT_EQ(faults({"0F0 0F1 0R0 0B0 0B1 0U0"}, one), "");
  EXPECT_EQ(faults({"0F1 0F0 0I0 0I1 0W1 0W0 0U0"}, one), "");
  EXPECT_EQ(faults({"0F0 0B0 0F1 0R1 0I1 0W1 0U0"}, one), "");
}

TEST(check, what_is_missing_is_named_where_it_should_stand) {
  EXPECT_EQ(faults({"0F0 0B0 0B1 0U0"}, one), "0:2 0F1");
  EXPECT_EQ(faults({"0F0 0F1 0B0 0U0"}, one), "0:3 0B1");
  EXPECT_EQ(faults({"0F0 0F1 0B0 0B1"}, one), "0:4 0U0");
  EXPECT_EQ(faults({"0F0 0F1 0B0 0I1 0U0"}, one), "0:4 0W1");
  EXPECT_EQ(faults({"0F0 0F1 0B0 0W1 0U0"}, one), "0:3 0I1");
  EXPECT_EQ(faults({"0F0 0B0 0U0"}, one), "0:2 0F1, 0:2 0B1");
}

TEST(check, a_second_time_is_refused) {
  EXPECT_EQ(faults({"0F0 0F1 0F0 0B0 0B1 0U0"}, one), "0:2 0F0");
  EXPECT_EQ(faults({"0F0 0F1 0B0 0B1 0U0 0U0"}, one), "0:5 0U0");
  EXPECT_EQ(sentence({"0F0 0F1 0B0 0B1 0B0 0U0"}, one),
            "0B0 runs a second time, first at position 2");
}

TEST(check, a_backward_comes_after_its_forward) {
  EXPECT_EQ(faults({"0B0 0F0 0F1 0B1 0U0"}, one), "0:0 0B0");
  EXPECT_EQ(faults({"0F0 0F1 0W0 0I0 0B1 0U0"}, one), "0:2 0W0");
}

TEST(check, a_backward_is_whole_or_split) {
  EXPECT_EQ(faults({"0F0 0F1 0B0 0I0 0W0 0B1 0U0"}, one), "0:3 0I0");
}

TEST(check, a_recompute_stands_directly_before_its_backward) {
  EXPECT_EQ(faults({"0F0 0F1 0R1 0B0 0B1 0U0"}, one), "0:2 0R1");
  EXPECT_EQ(faults({"0F0 0F1 0B0 0R0 0B1 0U0"}, one), "0:3 0R0");
  EXPECT_EQ(faults({"0F0 0F1 0R0 0R0 0B0 0B1 0U0"}, one), "0:2 0R0, 0:3 0R0");
  EXPECT_EQ(faults({"0F0 0F1 0I0 0R0 0W0 0B1 0U0"}, one), "0:3 0R0");
}

TEST(check, an_update_follows_the_weight_gradients_of_its_cell) {
  EXPECT_EQ(faults({"0F0 0F1 0B0 0U0 0B1"}, one), "0:3 0U0");
  EXPECT_EQ(faults({"0F0 0F1 0B0 0I1 0U0 0W1"}, one), "0:4 0U0");
  EXPECT_EQ(faults({"0F0 0F1 0B0 0B1 0U1"}, one), "0:4 0U1, 0:5 0U0");
}

TEST(check, an_update_may_come_before_the_work_of_another_cell) {
  const auto shape = chain({0, 0}, 1);
  EXPECT_EQ(faults({"0F0 1F0 1I0 1W0 1U0 0B0 0U0"}, shape), "");
  EXPECT_FALSE(
    check(programs({"0F0 1F0 1B0 1U0 0B0 0U0"}), shape).updates_last);
  EXPECT_TRUE(check(programs({"0F0 1F0 1B0 0B0 1U0 0U0"}), shape).updates_last);
}

TEST(check, actions_without_a_place_are_refused) {
  EXPECT_EQ(faults({"0F0 0F1 0B0 0B1 0U0 1F0"}, one), "0:5 1F0");
  EXPECT_EQ(faults({"0F0 0F1 0F2 0B0 0B1 0U0"}, one), "0:2 0F2");
  EXPECT_EQ(sentence({"0F0 0F1 0B0 0B1 0U0 1F0", "1F0 1F1 1B0 1B1 1U0"}, two),
            "1F0 belongs on device 1");
}

TEST(check, evaluation_runs_forwards_alone) {
  EXPECT_EQ(faults({"0F0 0F1"}, evaluation()), "");
  EXPECT_EQ(faults({"0F1 0F0"}, evaluation()), "");
  EXPECT_EQ(faults({"0F0"}, evaluation()), "0:1 0F1");
  EXPECT_EQ(faults({"0F0 0F1 0B0 0U0"}, evaluation()), "0:2 0B0, 0:3 0U0");
}

TEST(check, a_cycle_of_two_devices_is_a_deadlock) {
  EXPECT_EQ(faults({"0F0 0B0 0F1 0B1 0U0", "1F0 1F1 1B0 1B1 1U0"}, two),
            "0:1 0B0, 1:1 1F1");
}

TEST(check, a_deadlock_says_who_waits_for_which_tensor_of_whom) {
  const auto what = to_string(
    check(programs({"0F0 0B0 0F1 0B1 0U0", "1F0 1F1 1B0 1B1 1U0"}), two)
      .faults);
  EXPECT_EQ(what,
            "device 0, position 1: 0B0 waits for ever for the gradient of "
            "micro-batch 0 on edge 1 from cell 1 on device 1\n"
            "device 1, position 1: 1F1 waits for ever for the activation of "
            "micro-batch 1 on edge 1 from cell 0 on device 0");
}

TEST(check, a_deadlock_says_who_waits_for_which_credit_of_whom) {
  const auto report = check(
    programs({"0F0 0F1 0F2 0B0 0B1 0B2 0U0", "1F2 1F1 1F0 1B0 1B1 1B2 1U0"}),
    chain_of(2, 3, 2));
  ASSERT_EQ(report.faults.size(), 2U);
  EXPECT_EQ(report.faults[0].sentence,
            "0F2 waits for ever for a credit for its activation on edge 1: "
            "cell 1 on device 1 has not started on one of the 2 before it");
  EXPECT_TRUE(check(programs({"0F0 0F1 0F2 0B0 0B1 0B2 0U0",
                              "1F2 1F1 1F0 1B0 1B1 1B2 1U0"}),
                    chain_of(2, 3, 3))
                .ok());
}

TEST(check, gradients_have_credits_of_their_own) {
  const std::initializer_list<const char*> texts{"0F0 0F1 0B0 0B1 0U0",
                                                 "1F0 1F1 1B1 1B0 1U0"};
  EXPECT_EQ(faults(texts, chain_of(2, 2, 2)), "");
  EXPECT_EQ(faults(texts, chain_of(2, 2, 1)), "0:2 0B0, 1:3 1B0");
}

TEST(check, a_backward_waits_only_for_gradients_that_are_needed) {
  auto shape = two;
  shape.edges[1].needs_gradient = false;
  EXPECT_EQ(faults({"0F0 0B0 0F1 0B1 0U0", "1F0 1F1 1B0 1B1 1U0"}, shape), "");
}

TEST(check, an_edge_past_a_cell_holds_back_its_writer) {
  const std::initializer_list<const char*> texts{
    "0F0 0F1 0B0 0B1 0U0", "1F0 1F1 1B0 1B1 1U0", "2F1 2F0 2B0 2B1 2U0"};
  auto shape = chain_of(3, 2);
  shape.edges.push_back({0, 2, 0, false, true, "f32[1]", 4, 2});
  EXPECT_EQ(faults(texts, shape), "");
  shape.edges.back().credits = 1;
  EXPECT_EQ(faults(texts, shape), "0:1 0F1, 1:1 1F1, 2:0 2F1");
}

TEST(check, edges_and_devices_that_are_not_there_are_refused) {
  const auto steps = trained(2, 2, schedule_kind::fill_drain);
  auto backwards = two;
  backwards.edges[1] = {1, 0, 0, false, true, "f32[1]", 4, 2};
  auto beyond = two;
  beyond.edges[1].to = 2;
  auto fed = two;
  fed.edges[0].needs_gradient = true;
  auto nowhere = two;
  nowhere.device_of_cell[1] = 2;
  for (const auto& shape : {backwards, beyond, fed, nowhere})
    EXPECT_THROW(check(steps, shape), std::invalid_argument);
}

// M for fill-drain, min(M, K - k) for 1F1B.
TEST(check, peak_stash_of_the_schedules) {
  for (std::uint32_t cells = 1; cells <= 8; ++cells)
    for (std::uint32_t m = 1; m <= 16; ++m)
      for (const auto kind : all_schedules) {
        const auto stash =
          check(trained(cells, m, kind), chain_of(cells, m)).stash;
        for (std::uint32_t k = 0; k < cells; ++k)
          EXPECT_EQ(stash[k].micro_batches, kind == schedule_kind::one_f_one_b
                                              ? std::min(m, cells - k)
                                              : m);
      }
}

TEST(check, recompute_keeps_boundaries_alone) {
  const auto stash = [](recompute_mode mode) {
    return check(trained(2, 6, schedule_kind::fill_drain, mode), chain_of(2, 6))
      .stash[0];
  };
  EXPECT_EQ(stash(recompute_mode::always).in_full, 1U);
  EXPECT_EQ(stash(recompute_mode::always).boundary, 6U);
  EXPECT_EQ(stash(recompute_mode::except_one).in_full, 1U);
  EXPECT_EQ(stash(recompute_mode::except_one).boundary, 5U);
  EXPECT_EQ(stash(recompute_mode::never).in_full, 6U);
  EXPECT_EQ(stash(recompute_mode::never).boundary, 0U);
  for (const auto mode : all_recompute_modes)
    EXPECT_EQ(stash(mode).micro_batches, 6U);
}

TEST(check, evaluation_stashes_nothing) {
  const auto steps = programs({"0F0 0F1"});
  EXPECT_EQ(check(steps, evaluation()).stash[0].micro_batches, 0U);
}

TEST(check, a_split_backward_is_stashed_until_its_weight_gradient) {
  const auto report = check(programs({"0F0 0I0 0F1 0I1 0W0 0W1 0U0"}), one);
  EXPECT_EQ(report.stash[0].micro_batches, 2U);
}

TEST(check, order_of_weight_gradients_is_reported) {
  const auto ordered = [](schedule_kind kind) {
    return check(trained(3, 4, kind), chain_of(3, 4)).weight_gradients_in_order;
  };
  EXPECT_TRUE(ordered(schedule_kind::fill_drain));
  EXPECT_TRUE(ordered(schedule_kind::one_f_one_b));
  EXPECT_FALSE(ordered(schedule_kind::fill_drain_reverse));
  EXPECT_FALSE(check(programs({"0F0 0F1 0I0 0I1 0W1 0W0 0U0"}), one)
                 .weight_gradients_in_order);
  EXPECT_TRUE(check(programs({"0F0 0F1 0I1 0I0 0W0 0W1 0U0"}), one)
                .weight_gradients_in_order);
}

TEST(check, chunks_and_split_backwards_are_understood) {
  const auto steps = testing::interleaved(2, 2, 4);
  EXPECT_TRUE(check(steps.programs, chain(steps.device_of_cell, 4)).ok());
  EXPECT_TRUE(check(testing::zero_bubble_h1(4, 8), chain_of(4, 8)).ok());
}

// The last device runs ahead of the first, which turns to its second chunk
// only after all micro-batches.
TEST(check, a_looped_schedule_needs_a_credit_for_each_micro_batch) {
  const auto steps = testing::looped(2, 2, 8);
  EXPECT_FALSE(check(steps.programs, chain(steps.device_of_cell, 8, 2)).ok());
  EXPECT_TRUE(check(steps.programs, chain(steps.device_of_cell, 8, 8)).ok());
}

} // namespace
} // namespace actorpipe
