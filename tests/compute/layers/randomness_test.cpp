// SPDX-License-Identifier: Apache-2.0
/// What layers draw depends on (seed, step, sample, layer) and nothing else.
#include "tests/support/layer_cases.hpp"
#include "tests/support/layer_run.hpp"

#include <gtest/gtest.h>

#include <set>

namespace actorpipe::test {

namespace {

class dropout : public testing::Test {
protected:
  tensor apply(const tensor& to) {
    return bench.forward(*half, {to}, {}).at(0);
  }

  std::unique_ptr<layer> half = make_layer(dropout_spec(0.5));
  layer_bench bench{make_reference_device("reference")};
  tensor x = random_tensor({dtype::f32, {4, 50}}, 1);
};

} // namespace

TEST_F(dropout, keeps_scaled_or_drops) {
  const auto y = apply(x);
  std::int64_t dropped = 0;
  for (std::int64_t i = 0; i < x.elements(); ++i) {
    dropped += at(y, i) == 0;
    EXPECT_TRUE(at(y, i) == 0 || at(y, i) == 2 * at(x, i));
  }
  EXPECT_GT(dropped, 60);
  EXPECT_LT(dropped, 140);
}

TEST_F(dropout, of_a_sample_does_not_depend_on_the_micro_batch) {
  const auto whole = apply(x);
  bench.ctx.first_sample = 3;
  EXPECT_TRUE(same_bits(apply(x.rows(3, 4)), whole.rows(3, 4)));
  bench.ctx.first_sample = 2;
  EXPECT_FALSE(same_bits(apply(x.rows(3, 4)), whole.rows(3, 4)));
}

TEST_F(dropout, is_the_same_when_recomputing) {
  const auto first = apply(x);
  bench.ctx.recomputing = true;
  EXPECT_TRUE(same_bits(apply(x), first));
}

TEST_F(dropout, differs_by_seed_step_and_layer) {
  const auto first = apply(x);
  ++bench.ctx.seed;
  EXPECT_FALSE(same_bits(apply(x), first));
  --bench.ctx.seed;
  ++bench.ctx.step;
  EXPECT_FALSE(same_bits(apply(x), first));
  --bench.ctx.step;
  ++bench.ctx.layer;
  EXPECT_FALSE(same_bits(apply(x), first));
}

TEST_F(dropout, saves_nothing) {
  saved_state saved;
  half->forward(bench.ctx, {x}, {}, saved);
  EXPECT_TRUE(saved.tensors.empty());
}

TEST_F(dropout, is_the_identity_in_evaluation) {
  bench.ctx.mode = run_mode::evaluate;
  EXPECT_TRUE(same_bits(apply(x), x));
}

TEST_F(dropout, of_two_layers_inside_one_differs) {
  const auto both =
    make_layer(residual_spec({dropout_spec(0.5), dropout_spec(0.5)}));
  const auto ones = tensor::from({1, 64}, std::vector<float>(64, 1));
  const auto y = bench.forward(*both, {ones}, {}).at(0);
  std::set<double> values;
  for (std::int64_t i = 0; i < y.elements(); ++i)
    values.insert(at(y, i));
  // Dropped by one of the two as often as kept: about a quarter is kept.
  std::int64_t kept = 0;
  for (std::int64_t i = 0; i < y.elements(); ++i)
    kept += at(y, i) == 5;
  EXPECT_EQ(values, (std::set<double>{1, 5}));
  EXPECT_LT(kept, 28);
}

TEST(inner_layer_id, is_unique_across_depths) {
  std::set<std::uint64_t> ids;
  std::size_t made = 0;
  for (std::uint64_t i = 0; i < 50; ++i) {
    ids.insert(i);
    ++made;
    for (std::size_t j = 0; j < 20; ++j) {
      const auto inner = inner_layer_id(i, j);
      ids.insert(inner);
      ids.insert(inner_layer_id(inner, j));
      made += 2;
    }
  }
  EXPECT_EQ(ids.size(), made);
}

} // namespace actorpipe::test
