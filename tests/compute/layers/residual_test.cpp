// SPDX-License-Identifier: Apache-2.0
/// What a residual connection holds on to, and the states inside it.
#include "compute/device/device.hpp"
#include "compute/layers/layer_registry.hpp"
#include "tests/support/layer_cases.hpp"
#include "tests/support/layer_run.hpp"
#include "tests/support/test_layers.hpp"

#include <gtest/gtest.h>

namespace actorpipe::test {

namespace {

/// A feed-forward part on a device that counts bytes.
class residual_memory : public testing::Test {
protected:
  /// Peak of a backward, in one call or in two, beside weights and input.
  std::int64_t backward_peak(bool split) {
    const auto x = random_tensor({dtype::f32, {4, 8, 16}}, 1);
    const auto w = random_weights(*what, dtype::f32);
    auto d_w = zeros_like(w.parameters);
    layer_context ctx{on->ops()};
    saved_state saved;
    what->forward(ctx, {x}, w, saved);
    holder->reset_peak();
    if (split) {
      what->backward_input(ctx, {x}, w, saved);
      what->backward_weight(ctx, d_w, saved);
    } else {
      what->backward(ctx, {x}, w, d_w, saved);
      EXPECT_EQ(holder->now_bytes(), 0);
    }
    return holder->peak_bytes();
  }

  std::unique_ptr<layer> what = make_layer(residual_spec(
    {linear_spec(16, 64, {{"activation", std::string("gelu")}}),
     {"linear",
      "down",
      {{"inputs", std::int64_t{64}}, {"outputs", std::int64_t{16}}},
      {}}}));
  std::shared_ptr<memory_account> holder =
    std::make_shared<memory_account>("test");
  std::unique_ptr<stream> on =
    make_counting_device("counting")->make_stream(holder);
};

} // namespace

TEST_F(residual_memory, releases_layer_by_layer_in_one_call) {
  EXPECT_LT(backward_peak(false), backward_peak(true));
}

TEST_F(residual_memory, saves_no_tensor_of_its_own) {
  layer_context ctx{on->ops()};
  saved_state saved;
  what->forward(ctx, {random_tensor({dtype::f32, {4, 8, 16}}, 1)},
                random_weights(*what, dtype::f32), saved);
  EXPECT_TRUE(saved.tensors.empty());
}

TEST(residual, hands_each_layer_inside_its_own_state) {
  const layer_spec mean{"running_mean", "", {{"width", std::int64_t{2}}}, {}};
  const auto what = test_registry().make(residual_spec({mean, mean}));
  ASSERT_EQ(what->states().size(), 2U);
  EXPECT_EQ(what->states()[1].name, "residual.running_mean1.mean");
  layer_bench bench(make_reference_device("reference"));
  const layer_weights w{{},
                        {tensor::from({2}, std::vector<float>{1, 2}),
                         tensor::from({2}, std::vector<float>{10, 20})}};
  const tensor_list x{tensor::from({1, 2}, std::vector<float>{5, 7})};
  const auto got = bench.run(*what, x, w, x);
  // 5 + (5 - 1 - 10), 7 + (7 - 2 - 20); contributions 5, 7 and 4, 5.
  EXPECT_EQ(at(got.y[0], 0), -1);
  EXPECT_EQ(at(got.y[0], 1), -8);
  const auto next =
    what->commit_state(bench.ctx.ops, w.states, got.contributions, 1);
  ASSERT_EQ(next.size(), 2U);
  EXPECT_EQ(at(next[0], 0), 3);
  EXPECT_EQ(at(next[1], 1), 12.5);
}

} // namespace actorpipe::test
