// SPDX-License-Identifier: Apache-2.0
/// A cell gives the same bits as its layers one by one, whatever it keeps.
#include "compute/device/device.hpp"
#include "compute/model/cell.hpp"
#include "compute/train/model_values.hpp"
#include "tests/support/layer_run.hpp"
#include "tests/support/test_models.hpp"

#include <gtest/gtest.h>

namespace actorpipe::test {

namespace {

using keep = cell::keep;

/// A model with random weights, cut into cells, on the reference device.
class cells : public testing::Test {
protected:
  void use(const model_spec& spec) {
    source = build_model(spec, test_registry(failing));
    weights = {};
    for (std::size_t i = 0; i < source->size(); ++i)
      weights.push_back(random_weights(source->at(i), dtype::f32, 0.3));
  }

  cell_weights weights_of(const cell& x) const {
    return {weights.begin() + static_cast<std::ptrdiff_t>(x.first()),
            weights.begin() + static_cast<std::ptrdiff_t>(x.last())};
  }

  struct outcome {
    tensor loss_sum;
    std::vector<tensor_list> d_w; ///< per layer
    tensor_list d_x;
    std::vector<tensor_list> contributions;
  };

  /// Layer by layer, without cells.
  outcome by_layer(const batch& data) {
    outcome result;
    layer_context ctx{ops()};
    ctx.seed = step.seed;
    ctx.step = step.step;
    ctx.first_sample = first_sample;
    auto x = data.inputs;
    std::vector<saved_state> saved(source->size());
    for (std::size_t i = 0; i < source->size(); ++i) {
      ctx.layer = i;
      auto out = source->at(i).forward(ctx, x, weights[i], saved[i]);
      x = out.outputs;
      result.contributions.push_back(out.contributions);
      result.d_w.push_back(zeros_like(weights[i].parameters));
    }
    saved_state loss;
    result.loss_sum = source->loss().forward(ctx, x, data.targets, loss);
    auto d = source->loss().backward(ctx, step.normalizer, loss);
    for (auto i = source->size(); i-- > 0;) {
      ctx.layer = i;
      ctx.needs_input_gradient = i > 0;
      d = source->at(i).backward_input(ctx, d, weights[i], saved[i]);
      source->at(i).backward_weight(ctx, result.d_w[i], saved[i]);
    }
    result.d_x = d;
    return result;
  }

  /// Through cells that begin at the given layers.
  outcome by_cells(const batch& data, std::vector<std::size_t> cut, keep what) {
    cut.push_back(source->size());
    outcome result;
    auto x = data.inputs;
    std::vector<cell> work;
    std::vector<cell_stash> stashes;
    for (std::size_t k = 0; k + 1 < cut.size(); ++k) {
      work.emplace_back(source, cut[k], cut[k + 1]);
      auto out =
        work[k].forward(ops(), step, std::move(x), targets(work[k], data),
                        first_sample, weights_of(work[k]), what);
      x = std::move(out.outputs);
      for (auto& part : out.contributions)
        result.contributions.push_back(part);
      result.loss_sum = out.loss_sum;
      stashes.push_back(std::move(out.stash));
    }
    result.d_w.resize(source->size());
    tensor_list d;
    for (auto k = work.size(); k-- > 0;) {
      const auto w = weights_of(work[k]);
      if (what == keep::inputs)
        work[k].recompute(ops(), step, targets(work[k], data), first_sample, w,
                          stashes[k]);
      std::vector<tensor_list> d_w;
      for (const auto& layer : w)
        d_w.push_back(zeros_like(layer.parameters));
      d = work[k].backward(ops(), step, std::move(d), first_sample, w,
                           stashes[k], d_w, k > 0);
      for (std::size_t i = 0; i < d_w.size(); ++i)
        result.d_w[cut[k] + i] = d_w[i];
    }
    result.d_x = d;
    return result;
  }

  static tensor targets(const cell& x, const batch& data) {
    return x.has_loss() ? data.targets : tensor();
  }

  void expect_same(const outcome& a, const outcome& b) const {
    EXPECT_TRUE(same_bits(a.loss_sum, b.loss_sum));
    expect_same_bits(a.d_x, b.d_x, "d_x");
    for (std::size_t i = 0; i < source->size(); ++i) {
      expect_same_bits(a.d_w[i], b.d_w[i], source->name(i));
      expect_same_bits(a.contributions[i], b.contributions[i], source->name(i));
    }
  }

  operations& ops() { return on->ops(); }

  std::shared_ptr<std::atomic<failure>> failing =
    std::make_shared<std::atomic<failure>>(failure::none);
  std::shared_ptr<memory_account> holder =
    std::make_shared<memory_account>("cells");
  std::unique_ptr<stream> on =
    make_reference_device("reference")->make_stream(holder);
  std::shared_ptr<const model> source;
  cell_weights weights;
  cell_step step{run_mode::train, 5, 9, 12};
  std::int64_t first_sample = 4;
};

} // namespace

TEST_F(cells, equal_their_layers_for_every_cut_and_keep) {
  use(make_gpt(small_gpt(0.2)));
  const auto data = small_batch(2);
  const auto expected = by_layer(data);
  for (const auto what : {keep::everything, keep::inputs}) {
    expect_same(by_cells(data, {0}, what), expected);
    expect_same(by_cells(data, {0, 3}, what), expected);
    expect_same(by_cells(data, {0, 1, 2, 3, 4, 5, 6}, what), expected);
    expect_same(by_cells(data, {0, 0, 5}, what), expected);
  }
}

TEST_F(cells, equal_their_layers_with_state) {
  use(perceptron_with_state());
  const auto data = perceptron_batch(3);
  const auto expected = by_layer(data);
  ASSERT_EQ(expected.contributions[1].size(), 1U);
  for (const auto what : {keep::everything, keep::inputs})
    expect_same(by_cells(data, {0, 1, 2}, what), expected);
}

TEST_F(cells, pass_several_tensors_and_those_without_gradient) {
  use({{{"carry_tokens", "", {}, {}},
        {"embed_carried", "", {}, {}},
        {"drop_carried", "", {}, {}},
        {"linear",
         "",
         {{"inputs", std::int64_t{1}}, {"outputs", std::int64_t{11}}},
         {}}},
       {"softmax_cross_entropy", "", {}, {}}});
  const batch data{{random_tokens({3}, 11, 1)}, random_tokens({3}, 11, 2)};
  const auto expected = by_layer(data);
  expect_same(by_cells(data, {0, 1, 2, 3}, keep::everything), expected);
  expect_same(by_cells(data, {0, 1, 2, 3}, keep::inputs), expected);
}

TEST_F(cells, keep_nothing_of_what_they_compute) {
  use(make_gpt(small_gpt()));
  const cell all(source, 0, source->size());
  const auto data = small_batch(2);
  const auto before = holder->now_bytes();
  auto out = all.forward(ops(), step, data.inputs, data.targets, 0,
                         weights_of(all), keep::nothing);
  EXPECT_TRUE(out.stash.inputs.empty());
  EXPECT_TRUE(out.stash.layers.empty());
  EXPECT_EQ(holder->now_bytes() - before, out.loss_sum.size_bytes());
}

TEST_F(cells, keeping_inputs_keep_nothing_else) {
  use(make_gpt(small_gpt()));
  const cell middle(source, 1, 4);
  auto x = ops().make({dtype::f32, {2, 6, 8}});
  ops().fill(x, 0.5);
  const auto before = holder->now_bytes();
  auto out =
    middle.forward(ops(), step, {x}, {}, 0, weights_of(middle), keep::inputs);
  EXPECT_TRUE(same_bits(out.stash.inputs.at(0), x));
  EXPECT_EQ(holder->now_bytes() - before, out.outputs.at(0).size_bytes());
}

TEST_F(cells, release_their_stash_in_the_backward) {
  use(make_gpt(small_gpt()));
  const auto data = small_batch(2);
  by_cells(data, {0, 4}, keep::everything);
  EXPECT_EQ(holder->now_bytes(), 0);
}

TEST_F(cells, without_targets_give_the_outputs) {
  use(make_gpt(small_gpt()));
  const cell all(source, 0, source->size());
  step.mode = run_mode::evaluate;
  const auto out = all.forward(ops(), step, small_batch(2).inputs, {}, 0,
                               weights_of(all), keep::nothing);
  EXPECT_FALSE(out.loss_sum.defined());
  EXPECT_EQ(to_string(types_of(out.outputs)), "(f32[2, 6, 11])");
}

TEST_F(cells, drop_nothing_in_evaluation) {
  use(make_gpt(small_gpt(0.5)));
  const cell all(source, 0, source->size());
  step.mode = run_mode::evaluate;
  const auto data = small_batch(2);
  const auto loss = [&](std::uint64_t seed) {
    step.seed = seed;
    return all
      .forward(ops(), step, data.inputs, data.targets, 0, weights_of(all),
               keep::nothing)
      .loss_sum;
  };
  EXPECT_TRUE(same_bits(loss(1), loss(2)));
  step.mode = run_mode::train;
  EXPECT_FALSE(same_bits(loss(1), loss(2)));
}

TEST_F(cells, name_the_layer_that_throws) {
  auto spec = perceptron_with_state();
  spec.layers.insert(spec.layers.begin() + 1, {"fail", "planted", {}, {}});
  use(spec);
  const cell tail(source, 1, source->size());
  const auto data = perceptron_batch(2);
  const tensor_list x{random_tensor({dtype::f32, {2, 5}}, 1)};
  *failing = failure::forward;
  try {
    tail.forward(ops(), step, x, data.targets, 0, weights_of(tail),
                 keep::everything);
    FAIL() << "accepted";
  } catch (const layer_error& error) {
    EXPECT_EQ(error.layer(), 1U);
    EXPECT_EQ(error.name(), "planted");
    EXPECT_STREQ(error.what(), "layer 1 (planted): planted in the forward");
  }
}

TEST_F(cells, name_the_loss_by_the_number_of_layers) {
  use(perceptron_with_state());
  const cell all(source, 0, source->size());
  const auto bad = tensor::from({2}, std::vector<std::int32_t>{0, 9});
  try {
    all.forward(ops(), step, perceptron_batch(2).inputs, bad, 0,
                weights_of(all), keep::everything);
    FAIL() << "accepted";
  } catch (const layer_error& error) {
    EXPECT_EQ(error.layer(), source->size());
    EXPECT_EQ(error.name(), "loss");
  }
}

} // namespace actorpipe::test
