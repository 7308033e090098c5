// SPDX-License-Identifier: Apache-2.0
/// A parameter actor returns to a version that it has, had, can make anew or is
/// sent; what does not fit it is refused.
#include "tests/actors/parameter_bench.hpp"

namespace actorpipe::test {
namespace {

class parameter_recovery_test : public parameter_bench {
protected:
  // Trains the cell up to `version`, one mini-batch each.
  void train_to(std::int64_t version, std::uint64_t attempt = 0) {
    for (std::int64_t v = 1; v <= version; ++v) {
      const auto what = id(static_cast<std::uint64_t>(v), attempt);
      all_accumulated(what, static_cast<float>(v));
      apply(what, v);
      core_->accept(committed{what});
    }
    sent_.take();
  }

  void restore(std::uint64_t attempt, std::int64_t version,
               const tensor_list& values, std::uint64_t made_by = 1) {
    core_->accept(
      shard{id(made_by, attempt), shard_purpose::restore, 0, version},
      {values, {}});
  }

  std::vector<std::int64_t> versions(std::uint64_t attempt = 0) {
    std::vector<std::int64_t> result;
    for (const auto& x : core_->versions({run, 0, attempt}).shards) {
      EXPECT_EQ(x.cell, 0U);
      EXPECT_FALSE(x.is_replica);
      result.push_back(x.version);
    }
    return result;
  }

  const parameter_neighbours with_keeper_{0, true, false, true};
  using list = std::vector<std::int64_t>;
};

TEST_F(parameter_recovery_test, every_version_has_a_replica) {
  make_new(with_keeper_);
  EXPECT_EQ(sent_.take(), "v0>0 v0>2 replica0");
  all_accumulated(id(1));
  apply(id(1), 1);
  EXPECT_EQ(sent_.take(), "prepared v1>0 v1>2 replica1 applied");
  EXPECT_EQ(sent_.last_shard.id, id(1));
  const auto sent = sent_.values;
  EXPECT_TRUE(same(now(), sent));
  core_->accept(abandon{run, 1, 1, 1});
  EXPECT_EQ(sent_.take(), "v1>0 v1>2 replica1 abandoned1");
  EXPECT_EQ(sent_.last_shard.id, id(1, 1)) << "made by the same";
  install(id(3, 1), 9, now());
  EXPECT_EQ(sent_.take(), "v9>0 v9>2 replica9 installed");
}

TEST_F(parameter_recovery_test,
       the_version_before_stays_where_there_are_keepers) {
  make_new(with_keeper_);
  train_to(3);
  EXPECT_EQ(versions(), (list{3, 2}));
  core_ = make(0);
  train_to(3);
  EXPECT_EQ(versions(), list{3});
  make_new({0, false, false, true});
  EXPECT_EQ(sent_.take(), "v0>0 v0>2");
  train_to(2);
  EXPECT_EQ(versions(), (list{2, 1}));
}

TEST_F(parameter_recovery_test, never_holds_more_than_two_versions) {
  const auto one = holder_->now_bytes();
  core_.reset();
  make_new(with_keeper_);
  train_to(3);
  sent_.sent.clear();
  sent_.values.clear();
  EXPECT_EQ(holder_->now_bytes(), 2 * one);
}

TEST_F(parameter_recovery_test, returns_to_the_version_before) {
  make_new(with_keeper_);
  train_to(1);
  const auto first = now();
  all_accumulated(id(2));
  apply(id(2), 2);
  core_->accept(committed{id(2)});
  sent_.take();
  core_->accept(abandon{run, 1, 1, 2});
  EXPECT_EQ(sent_.take(), "v1>0 v1>2 replica1 abandoned1");
  EXPECT_TRUE(same(now(), first));
  EXPECT_EQ(versions(), list{1});
}

TEST_F(parameter_recovery_test, makes_version_0_anew) {
  const auto first = now();
  train_to(3);
  core_->accept(abandon{run, 1, 0, 3});
  EXPECT_EQ(sent_.take(), "v0>0 v0>2 abandoned1");
  EXPECT_TRUE(same(now(), first));
}

TEST_F(parameter_recovery_test, fetches_what_it_lacks) {
  train_to(2);
  const auto second = now();
  make_new({3, true, true, true});
  EXPECT_EQ(sent_.take(), "") << "what it publishes stands in `abandon`";
  EXPECT_EQ(versions(), list{});
  const abandon back{run, 3, 2, 5};
  core_->accept(back);
  EXPECT_EQ(sent_.take(), "fetch2");
  EXPECT_EQ(sent_.last_fetch.id, id(5, 3));
  core_->accept(back);
  EXPECT_EQ(sent_.take(), "fetch2") << "the first may be lost";
  restore(3, 2, second, 4);
  EXPECT_EQ(sent_.take(), "v2>0 v2>2 replica2 abandoned3");
  EXPECT_EQ(sent_.last_shard.id, id(4, 3));
  EXPECT_EQ(sent_.last_weights.attempt, 3U);
  EXPECT_TRUE(same(now(), second));
  restore(3, 2, second, 4);
  EXPECT_EQ(sent_.take(), "");
  core_->accept(back);
  EXPECT_EQ(sent_.take(), "abandoned3");
  EXPECT_EQ(versions(), list{2});
}

TEST_F(parameter_recovery_test, what_it_has_said_it_has_stays) {
  make_new(with_keeper_);
  train_to(2);
  all_accumulated(id(3));
  const auto values = now();
  EXPECT_EQ(versions(2), (list{2, 1}));
  sent_.take();
  apply(id(3), 3);
  all_accumulated(id(4));
  core_->accept(committed{id(3)});
  install(id(5), 9, values);
  core_->accept(abandon{run, 1, 1, 2});
  EXPECT_EQ(sent_.take(), "");
  EXPECT_EQ(versions(2), (list{2, 1}));
  EXPECT_TRUE(core_->versions({run + 1, 0, 9}).shards.empty());
  core_->accept(abandon{run, 2, 1, 2});
  EXPECT_EQ(sent_.take(), "v1>0 v1>2 replica1 abandoned2");
}

TEST_F(parameter_recovery_test, version_0_may_have_been_installed) {
  make_new({1, false, true, true});
  core_->accept(abandon{run, 1, 0, 3});
  EXPECT_EQ(sent_.take(), "fetch0");
  make_new({1, false, false, true});
  core_->accept(abandon{run, 1, 0, 3});
  EXPECT_EQ(sent_.take(), "v0>0 v0>2 abandoned1");
}

TEST_F(parameter_recovery_test, what_is_restored_late_is_dropped) {
  const auto values = now();
  make_new({1, true, true, true});
  core_->accept(abandon{run, 1, 2, 5});
  restore(0, 2, values);
  restore(1, 1, values);
  core_->accept(shard{id(1, 1), shard_purpose::collect, 0, 2}, {values, {}});
  EXPECT_EQ(sent_.take(), "fetch2");
  core_->meet({2, true, false, true});
  core_->accept(abandon{run, 2, 0, 5});
  restore(1, 2, values);
  EXPECT_EQ(sent_.take(), "v0>0 v0>2 replica0 abandoned2");
}

TEST_F(parameter_recovery_test, a_version_that_nobody_has_is_refused) {
  core_->accept(abandon{run, 1, 4, 9});
  EXPECT_EQ(sent_.take(), "failed");
  EXPECT_EQ(sent_.failure.code, error_code::protocol_violated);
  EXPECT_EQ(sent_.failure.id, id(0, 1));
  core_->accept(abandon{run, 1, 4, 9});
  EXPECT_EQ(sent_.take(), "failed");
}

TEST_F(parameter_recovery_test, values_of_another_model_are_refused) {
  const auto good = now();
  std::uint64_t batch = 0;
  const auto outcome_of = [&](const tensor_list& values) {
    install(id(++batch), 1, values);
    return sent_.take();
  };
  auto bad = good;
  bad[0] = tensor::zeros({dtype::f32, {3, 5}});
  EXPECT_EQ(outcome_of(bad), "failed");
  EXPECT_EQ(sent_.failure.code, error_code::protocol_violated);
  bad = good;
  bad.pop_back();
  EXPECT_EQ(outcome_of(bad), "failed");
  bad = good;
  bad.push_back(good[0]);
  EXPECT_EQ(outcome_of(bad), "failed");
  bad = good;
  bad[1] = {};
  EXPECT_EQ(outcome_of(bad), "failed");
  EXPECT_EQ(outcome_of({}), "failed");
  core_->accept(shard{id(++batch), shard_purpose::install, 1, 0}, {good, {}});
  EXPECT_EQ(sent_.take(), "failed") << "of another cell";
  EXPECT_TRUE(same(now(), good));
  make_new({1, true, true, true});
  core_->accept(abandon{run, 1, 2, 5});
  restore(1, 2, bad);
  EXPECT_EQ(sent_.take(), "fetch2 failed");
}

TEST_F(parameter_recovery_test, gradients_that_do_not_fit_are_refused) {
  std::uint64_t batch = 0;
  const auto outcome_of = [&](const accumulated& header, const payload& data) {
    auto numbered = header;
    numbered.id = id(++batch);
    core_->accept(numbered, data);
    return sent_.take();
  };
  const auto good = gradients(2, 1);
  EXPECT_EQ(outcome_of({{}, 2, 0, 4}, good), "");
  EXPECT_EQ(outcome_of({{}, 2, 0, 0}, good), "failed");
  EXPECT_EQ(sent_.failure.code, error_code::protocol_violated);
  EXPECT_EQ(outcome_of({{}, 2, 1, 4}, good), "failed");
  EXPECT_EQ(outcome_of({{}, 1, 0, 4}, {}), "failed");
  EXPECT_EQ(outcome_of({{}, 9, 0, 4}, {}), "failed");
  EXPECT_EQ(outcome_of({{}, 0, 0, 4}, good), "failed");
  EXPECT_EQ(outcome_of({{}, 2, 0, 4}, {}), "failed");
  auto bad = good;
  bad.tensors[1] = tensor::zeros({dtype::f32, {25}});
  EXPECT_EQ(outcome_of({{}, 2, 0, 4}, bad), "failed");
  bad.tensors[1] = {};
  EXPECT_EQ(outcome_of({{}, 2, 0, 4}, bad), "failed");
}

} // namespace
} // namespace actorpipe::test
