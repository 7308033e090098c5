// SPDX-License-Identifier: Apache-2.0
/// Profiles of memory and time.
#include "compute/device/device.hpp"
#include "compute/model/memory_profile.hpp"
#include "compute/model/profile.hpp"
#include "tests/support/test_models.hpp"

#include <gtest/gtest.h>

namespace actorpipe::test {

namespace {

/// One linear layer 3 -> 4 with tanh and the loss.
std::shared_ptr<const model> one_layer() {
  return build_model({{{"linear",
                        "only",
                        {{"inputs", std::int64_t{3}},
                         {"outputs", std::int64_t{4}},
                         {"activation", std::string("tanh")}},
                        {}}},
                      {"softmax_cross_entropy", "", {}, {}}},
                     layer_registry::with_builtin());
}

const tensor_type x{dtype::f32, {5, 3}};      // 60 bytes
const tensor_type logits{dtype::f32, {5, 4}}; // 80 bytes
const tensor_type targets{dtype::i32, {5}};   // 20 bytes

} // namespace

TEST(memory_profile, of_one_layer_can_be_counted_by_hand) {
  const auto source = one_layer();
  const auto got = profile_memory(cell(source, 0, 1), {x}, targets, false);
  EXPECT_EQ(got.input_bytes, 60);
  EXPECT_EQ(got.output_bytes, 80);
  EXPECT_EQ(got.target_bytes, 20);
  EXPECT_EQ(got.parameter_bytes, (12 + 4) * 4);
  EXPECT_EQ(got.gradient_bytes, (12 + 4) * 4);
  // The inputs are gone before the loss allocates.
  EXPECT_EQ(got.forward_nothing_peak_bytes, 60 + 80);
  // Inputs, outputs, log-sum-exp [5] and the sum of losses (8 bytes).
  EXPECT_EQ(got.forward_inputs_peak_bytes, 60 + 80 + 20 + 8);
  EXPECT_EQ(got.stash_inputs_bytes, 60);
  // Also what tanh was applied to; the sum of losses is not stashed.
  EXPECT_EQ(got.forward_everything_peak_bytes, 60 + 2 * 80 + 20 + 8);
  EXPECT_EQ(got.stash_everything_bytes, 60 + 2 * 80 + 20);
  EXPECT_EQ(got.recompute_peak_bytes, got.forward_everything_peak_bytes);
  // Also the gradient of the logits.
  EXPECT_EQ(got.backward_peak_bytes, 60 + 3 * 80 + 20);
}

TEST(memory_profile, keeping_inputs_stashes_boundary_tensors_alone) {
  const auto source = build_model(make_gpt(small_gpt()), test_registry());
  const tensor_type entering{dtype::f32, {2, 6, 8}};
  const auto got = profile_memory(cell(source, 1, 5), {entering}, {}, true);
  EXPECT_EQ(got.stash_inputs_bytes, entering.size_bytes());
  EXPECT_GT(got.stash_everything_bytes, 10 * got.stash_inputs_bytes);
  EXPECT_LT(got.forward_nothing_peak_bytes, got.forward_everything_peak_bytes);
  EXPECT_GE(got.backward_peak_bytes,
            got.stash_everything_bytes + entering.size_bytes());
}

TEST(memory_profile, is_what_a_real_device_counts) {
  const auto source = build_model(make_gpt(small_gpt(0.1)), test_registry());
  const cell work(source, 0, source->size());
  const auto data = small_batch(2);
  const auto expected =
    profile_memory(work, types_of(data.inputs), data.targets.type(), false);

  const auto holder = std::make_shared<memory_account>("real");
  const auto on = make_reference_device("reference")->make_stream(holder);
  cell_weights w;
  std::vector<tensor_list> d_w;
  for (std::size_t i = 0; i < source->size(); ++i) {
    layer_weights of_layer;
    d_w.emplace_back();
    for (const auto& use : source->at(i).parameters()) {
      of_layer.parameters.push_back(
        random_tensor({dtype::f32, use.extents}, 1));
      d_w.back().push_back(tensor::zeros({dtype::f32, use.extents}));
    }
    w.push_back(std::move(of_layer));
  }
  const cell_step step;
  auto stash = work
                 .forward(on->ops(), step, data.inputs, data.targets, 0, w,
                          cell::keep::everything)
                 .stash;
  // Inputs and targets are not the stream's.
  EXPECT_EQ(holder->now_bytes(),
            expected.stash_everything_bytes - expected.input_bytes);
  holder->reset_peak();
  work.backward(on->ops(), step, {}, 0, w, stash, d_w, false);
  EXPECT_EQ(holder->peak_bytes(),
            expected.backward_peak_bytes - expected.input_bytes);
}

TEST(profile, has_every_layer_and_the_loss) {
  const auto source = build_model(make_gpt(small_gpt()), test_registry());
  const auto data = small_batch(2);
  const auto got = measure(*source, *make_reference_device("reference"),
                           types_of(data.inputs), data.targets.type(), 3);
  ASSERT_EQ(got.layers.size(), source->size());
  for (std::size_t i = 0; i < source->size(); ++i) {
    EXPECT_EQ(got.layers[i].name, source->name(i));
    EXPECT_GT(got.layers[i].forward_seconds, 0);
    EXPECT_GT(got.layers[i].backward_seconds, 0);
  }
  EXPECT_GT(got.loss.forward_seconds, 0);
  EXPECT_EQ(got.layers[1].output_bytes, 2 * 6 * 8 * 4);
  EXPECT_EQ(got.layers.back().parameter_bytes, 11 * 8 * 4);
}

TEST(profile, estimates_are_arithmetic_or_bytes_over_speed) {
  const auto source = one_layer();
  const auto slow_arithmetic = estimate(*source, {1, 1e9}, {x}, targets);
  EXPECT_DOUBLE_EQ(slow_arithmetic.layers[0].forward_seconds, 2 * 5 * 3 * 4);
  EXPECT_DOUBLE_EQ(slow_arithmetic.layers[0].backward_seconds, 4 * 5 * 3 * 4);
  const auto slow_memory = estimate(*source, {1e12, 1}, {x}, targets);
  EXPECT_DOUBLE_EQ(slow_memory.layers[0].forward_seconds, 60 + 80 + 48);
}

TEST(profile, of_targets_that_do_not_fit_is_refused) {
  const auto source = one_layer();
  EXPECT_THROW(estimate(*source, {}, {x}, {dtype::i32, {6}}), model_error);
}

} // namespace actorpipe::test
