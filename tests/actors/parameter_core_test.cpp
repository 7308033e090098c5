// SPDX-License-Identifier: Apache-2.0
/// A parameter actor's versions: made once, beside the one before.
#include "tests/actors/parameter_bench.hpp"

#include <cmath>
#include <limits>

namespace actorpipe::test {
namespace {

using parameter_core_test = parameter_bench;

TEST_F(parameter_core_test, every_user_gets_what_it_reads) {
  make_new({});
  EXPECT_EQ(sent_.take(), "v0>0 v0>2");
  EXPECT_EQ(sent_.last_weights.edition, 1U);
  core_->meet({});
  EXPECT_EQ(sent_.take(), "") << "once is enough";
  ASSERT_EQ(sent_.sent[0].size(), 4U);
  ASSERT_EQ(sent_.sent[2].size(), 2U);
  EXPECT_TRUE(same_bits(sent_.sent[0][2], sent_.sent[2][0]));
  EXPECT_TRUE(same_bits(sent_.sent[2][0], sent_.sent[2][1]));
}

TEST_F(parameter_core_test, is_prepared_when_all_uses_are_there) {
  core_->accept(accumulated{id(1), 2, 0, 4}, gradients(2, 1));
  EXPECT_EQ(sent_.take(), "");
  core_->accept(accumulated{id(1), 0, 0, 4}, gradients(0, 1));
  EXPECT_EQ(sent_.take(), "prepared");
  // first.weight [5, 3], first.bias [5], shared.weight [5, 5] three times,
  // shared.bias [5].
  EXPECT_EQ(sent_.last.sums_of_squares,
            (std::vector<double>{15, 5, 25 * 9, 5}));
}

TEST_F(parameter_core_test, repeated_gradients_are_added_once) {
  core_->accept(accumulated{id(1), 0, 0, 4}, gradients(0, 1));
  core_->accept(accumulated{id(1), 0, 0, 4}, gradients(0, 5));
  core_->accept(accumulated{id(1), 2, 0, 4}, gradients(2, 1));
  core_->accept(accumulated{id(1), 2, 0, 4}, gradients(2, 5));
  EXPECT_EQ(sent_.take(), "prepared");
  EXPECT_EQ(sent_.last.sums_of_squares[2], 25 * 9);
}

TEST_F(parameter_core_test, older_gradients_are_dropped) {
  core_->accept(accumulated{id(2), 0, 0, 4}, gradients(0, 1));
  core_->accept(accumulated{id(1), 2, 0, 4}, gradients(2, 1));
  core_->accept(accumulated{{run + 1, 0, 3}, 2, 0, 4}, gradients(2, 1));
  EXPECT_EQ(sent_.take(), "");
  core_->accept(accumulated{id(2), 2, 0, 4}, gradients(2, 1));
  EXPECT_EQ(sent_.take(), "prepared");
}

TEST_F(parameter_core_test, a_value_that_is_not_finite_shows) {
  all_accumulated(id(1), std::numeric_limits<float>::infinity());
  EXPECT_FALSE(std::isfinite(sent_.last.sums_of_squares[0]));
}

TEST_F(parameter_core_test, an_update_is_applied_once) {
  const auto before = now();
  all_accumulated(id(1));
  sent_.take();
  apply(id(1), 1);
  EXPECT_EQ(sent_.take(), "v1>0 v1>2 applied");
  const auto after = now();
  EXPECT_FALSE(same(before, after));
  apply(id(1), 1);
  EXPECT_EQ(sent_.take(), "applied");
  apply(id(1), 2);
  EXPECT_EQ(sent_.take(), "applied");
  EXPECT_TRUE(same(now(), after));
}

TEST_F(parameter_core_test, an_update_needs_gradients_of_its_step) {
  apply(id(1), 1);
  core_->accept(accumulated{id(1), 0, 0, 4}, gradients(0, 1));
  apply(id(1), 1);
  EXPECT_EQ(sent_.take(), "");
  core_->accept(accumulated{id(1), 2, 0, 4}, gradients(2, 1));
  apply(id(2), 1);
  apply(id(0), 1);
  EXPECT_EQ(sent_.take(), "prepared");
  apply(id(1), 2);
  EXPECT_EQ(sent_.take(), "failed") << "a version is left out";
}

TEST_F(parameter_core_test, says_again_what_it_has_said) {
  const inquire again{id(1)};
  core_->accept(again);
  core_->accept(accumulated{id(1), 0, 0, 4}, gradients(0, 1));
  core_->accept(again);
  EXPECT_EQ(sent_.take(), "");
  core_->accept(accumulated{id(1), 2, 0, 4}, gradients(2, 1));
  sent_.last = {};
  core_->accept(again);
  EXPECT_EQ(sent_.take(), "prepared prepared");
  EXPECT_EQ(sent_.last.sums_of_squares.size(), 4U);
  apply(id(1), 1);
  sent_.take();
  core_->accept(again);
  EXPECT_EQ(sent_.take(), "applied");
  core_->accept(inquire{id(2)});
  core_->accept(accumulated{id(2), 0, 0, 4}, gradients(0, 1));
  core_->accept(again);
  core_->accept(inquire{id(2)});
  EXPECT_EQ(sent_.take(), "");
}

TEST_F(parameter_core_test, an_abandoned_update_is_undone) {
  const auto before = now();
  all_accumulated(id(1));
  apply(id(1), 1);
  sent_.take();
  core_->accept(abandon{run, 1, 0});
  EXPECT_EQ(sent_.take(), "v0>0 v0>2 abandoned1");
  EXPECT_EQ(sent_.last_weights.attempt, 1U);
  EXPECT_TRUE(same(now(), before));
}

TEST_F(parameter_core_test, a_version_is_the_same_after_an_abandoned_one) {
  all_accumulated(id(1), 5);
  apply(id(1), 1);
  core_->accept(abandon{run, 1, 0});
  all_accumulated(id(2, 1), 1);
  apply(id(2, 1), 1);
  const auto second = now();
  core_ = make(0);
  all_accumulated(id(1), 1);
  apply(id(1), 1);
  EXPECT_TRUE(same(now(), second));
}

TEST_F(parameter_core_test, a_repeated_abandon_is_only_answered) {
  core_->accept(abandon{run, 1, 0});
  all_accumulated(id(2, 1));
  sent_.take();
  core_->accept(abandon{run, 1, 0});
  EXPECT_EQ(sent_.take(), "abandoned1");
  core_->accept(abandon{run, 0, 0});
  apply(id(2, 1), 1);
  EXPECT_EQ(sent_.take(), "v1>0 v1>2 applied");
}

TEST_F(parameter_core_test, what_an_abandoned_attempt_sent_is_dropped) {
  core_->accept(accumulated{id(1), 0, 0, 4}, gradients(0, 1));
  core_->accept(abandon{run, 1, 0});
  sent_.take();
  core_->accept(accumulated{id(1), 2, 0, 4}, gradients(2, 1));
  apply(id(1), 1);
  EXPECT_EQ(sent_.take(), "");
}

TEST_F(parameter_core_test, the_version_before_is_released_by_the_commit) {
  const auto one = holder_->now_bytes();
  all_accumulated(id(1));
  apply(id(1), 1);
  sent_.sent.clear();
  EXPECT_EQ(holder_->now_bytes(), 2 * one);
  core_->accept(committed{id(1)});
  EXPECT_EQ(holder_->now_bytes(), one);
}

TEST_F(parameter_core_test, the_next_step_stands_for_a_late_commit) {
  const auto one = holder_->now_bytes();
  all_accumulated(id(1));
  apply(id(1), 1);
  sent_.sent.clear();
  core_->accept(accumulated{id(2), 0, 0, 4}, gradients(0, 1));
  EXPECT_EQ(holder_->now_bytes(), one);
  core_->accept(committed{id(1)});
  core_->accept(abandon{run, 1, 1, 1});
  now();
  EXPECT_EQ(sent_.last_shard.version, 1);
}

TEST_F(parameter_core_test, a_failed_update_changes_nothing) {
  const auto before = now();
  all_accumulated(id(1));
  wire_->set(3);
  sent_.take();
  apply(id(1), 1);
  EXPECT_EQ(sent_.take(), "failed");
  EXPECT_EQ(sent_.failure.text, "parameters of cell 0: tripped");
  EXPECT_TRUE(same(now(), before));
  apply(id(1), 1);
  all_accumulated(id(1));
  core_->accept(inquire{id(1)});
  EXPECT_EQ(sent_.take(), "failed failed");
  core_->accept(abandon{run, 1, 0});
  all_accumulated(id(2, 1));
  sent_.take();
  apply(id(2, 1), 1);
  EXPECT_EQ(sent_.take(), "v1>0 v1>2 applied");
}

TEST_F(parameter_core_test, states_move_with_the_version) {
  core_ = make(1);
  auto sum = tensor::zeros({dtype::f32, {5}});
  std::fill_n(sum.data<float>(), 5, 8.0F);
  core_->accept(accumulated{id(1), 1, 1, 4}, {{sum}, {}});
  EXPECT_EQ(sent_.take(), "prepared");
  apply(id(1), 1);
  EXPECT_EQ(sent_.take(), "v1>1 applied");
  EXPECT_EQ(*sent_.sent[1].at(0).data<float>(), (0.25F + 8.0F / 4) / 2);
  EXPECT_EQ(*now().back().data<float>(), 1.125F);
  core_->accept(abandon{run, 1, 0});
  EXPECT_EQ(*now().back().data<float>(), 0.25F);
}

TEST_F(parameter_core_test, values_can_be_taken_and_set) {
  all_accumulated(id(1));
  apply(id(1), 1);
  const auto saved = now();
  EXPECT_EQ(sent_.last_shard.version, 1);
  EXPECT_EQ(sent_.last_shard.purpose, shard_purpose::collect);
  core_ = make(0);
  install(id(1), 7, saved);
  EXPECT_EQ(sent_.take(), "v7>0 v7>2 installed");
  EXPECT_TRUE(same(now(), saved));
  EXPECT_EQ(sent_.last_shard.version, 7);
  install(id(1), 7, saved);
  core_->accept(inquire{id(1)});
  EXPECT_EQ(sent_.take(), "installed installed");
  all_accumulated(id(2));
  apply(id(2), 8);
  EXPECT_EQ(sent_.take(), "prepared v8>0 v8>2 applied");
}

TEST_F(parameter_core_test, values_are_sent_once_for_a_request) {
  core_->accept(get_shard{id(1)});
  core_->accept(get_shard{id(1)});
  EXPECT_EQ(sent_.collected, 1);
  EXPECT_EQ(sent_.last_shard.id, id(1));
  core_->accept(get_shard{id(2)});
  core_->accept(get_shard{{run + 1, 0, 3}});
  EXPECT_EQ(sent_.collected, 2);
}

TEST_F(parameter_core_test, values_that_were_set_are_charged_and_copied) {
  const auto one = holder_->now_bytes();
  auto values = now();
  install(id(1), 0, values);
  sent_.sent.clear();
  EXPECT_EQ(holder_->now_bytes(), 2 * one);
  values[0].data<float>()[0] = 99;
  EXPECT_NE(now()[0].data<float>()[0], 99);
  core_->accept(committed{id(1)});
  EXPECT_EQ(holder_->now_bytes(), one);
}

// A return may be chosen by what was listed.
TEST_F(parameter_core_test, late_messages_do_not_change_what_was_listed) {
  all_accumulated(id(1));
  sent_.take();
  const auto listed = core_->versions({run, 0, 1});
  ASSERT_EQ(listed.shards, (std::vector<held_shard>{{0, 0, false}}));
  apply(id(1), 1);
  all_accumulated(id(2));
  install(id(3), 5, now());
  EXPECT_EQ(sent_.take(), "");
  EXPECT_EQ(core_->versions({run, 0, 1}).shards, listed.shards);
  core_->accept(abandon{run, 1, 0, 0});
  EXPECT_EQ(sent_.take(), "v0>0 v0>2 abandoned1");
}

TEST_F(parameter_core_test, an_install_that_is_abandoned_is_undone) {
  const auto before = now();
  auto other = before;
  other[0] = tensor::zeros(other[0].type());
  // The same version: who made it decides.
  install(id(1), 0, other);
  core_->accept(abandon{run, 1, 0, 0});
  EXPECT_TRUE(same(now(), before));
  install(id(2, 1), 0, other);
  core_->accept(abandon{run, 2, 0, 2});
  EXPECT_TRUE(same(now(), other));
}

TEST_F(parameter_core_test, a_late_update_does_not_touch_values_that_were_set) {
  const auto saved = now();
  all_accumulated(id(1));
  apply(id(1), 1);
  install(id(2), 0, saved);
  sent_.take();
  all_accumulated(id(1));
  apply(id(1), 1);
  all_accumulated(id(2));
  EXPECT_EQ(sent_.take(), "");
  EXPECT_TRUE(same(now(), saved));
  all_accumulated(id(3));
  apply(id(3), 1);
  EXPECT_EQ(sent_.take(), "prepared v1>0 v1>2 applied");
}

} // namespace
} // namespace actorpipe::test
