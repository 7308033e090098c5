// SPDX-License-Identifier: Apache-2.0
/// A layer that returns other tensors than it declares is named at once.
#include "compute/layers/layer_results.hpp"

#include "compute/device/device.hpp"
#include "compute/model/cell.hpp"
#include "compute/train/sequential.hpp"
#include "tests/support/test_models.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace actorpipe::test {

namespace {

/// What the layer "faulty" returns in place of its input and its gradient.
struct results {
  std::function<layer_outputs(const tensor_list&)> forward =
    [](const tensor_list& x) {
      return layer_outputs{x, {}};
    };
  std::function<tensor_list(const tensor_list&)> backward =
    [](const tensor_list& d_y) { return d_y; };
};

class faulty final : public layer {
public:
  explicit faulty(const results& what) : what_(what) {}

  std::vector<tensor_type>
  outputs(const std::vector<tensor_type>& inputs) const override {
    return inputs;
  }

  layer_outputs forward(layer_context&, const tensor_list& x,
                        const layer_weights&, saved_state&) const override {
    return what_.forward(x);
  }

  tensor_list backward_input(layer_context&, const tensor_list& d_y,
                             const layer_weights&,
                             saved_state&) const override {
    return what_.backward(d_y);
  }

  void backward_weight(layer_context&, tensor_list&,
                       saved_state&) const override {}

  layer_cost cost(const std::vector<tensor_type>&) const override { return {}; }

private:
  const results& what_;
};

/// A linear layer, the faulty one and a linear layer, [B, 3] -> logits [B, 4].
class layer_results : public testing::Test {
protected:
  layer_results() { use({"faulty", "mine", {}, {}}); }

  /// Puts `second` between the linear layers.
  void use(layer_spec second) {
    auto registry = test_registry();
    registry.add("faulty", [this](const layer_spec&, const layer_registry&) {
      return std::make_unique<faulty>(what);
    });
    auto spec = perceptron_with_state();
    spec.layers[1] = std::move(second);
    source = build_model(spec, registry);
  }

  /// What a step of the plain loop says.
  std::string by_loop() {
    sequential_trainer trainer(source, make_optimizer({}),
                               make_reference_device("host"), 1);
    return message_of([&] { trainer.train(perceptron_batch(2), 0, {}); });
  }

  /// What a forward and a backward of one cell with all layers say.
  std::string by_cell() {
    const auto on = make_reference_device("host")->make_stream(
      std::make_shared<memory_account>("test"));
    const auto data = perceptron_batch(2);
    const cell all(source, 0, source->size());
    cell_weights w(source->size());
    std::vector<tensor_list> d_w(source->size());
    for (std::size_t i = 0; i < source->size(); ++i)
      for (const auto& use : source->at(i).parameters()) {
        w[i].parameters.push_back(tensor::zeros({dtype::f32, use.extents}));
        d_w[i].push_back(tensor::zeros({dtype::f32, use.extents}));
      }
    return message_of([&] {
      auto out = all.forward(on->ops(), {}, data.inputs, data.targets, 0, w,
                             cell::keep::everything);
      all.backward(on->ops(), {}, {}, 0, w, out.stash, d_w, false);
    });
  }

  template <class Call>
  static std::string message_of(Call&& call) {
    try {
      call();
    } catch (const layer_error& error) {
      return error.what();
    }
    return "no error";
  }

  void expect(const std::string& message) {
    EXPECT_EQ(by_cell(), message);
    EXPECT_EQ(by_loop(), message);
  }

  results what;
  std::shared_ptr<const model> source;
};

} // namespace

TEST_F(layer_results, as_declared_are_taken) {
  expect("no error");
}

TEST_F(layer_results, of_another_number_are_refused) {
  what.forward = [](const tensor_list&) { return layer_outputs{}; };
  expect("layer 1 (mine): returned () from its forward, but declares "
         "(f32[2, 5]) for (f32[2, 5])");
}

TEST_F(layer_results, that_are_undefined_are_refused) {
  what.forward = [](const tensor_list&) {
    return layer_outputs{{tensor()}, {}};
  };
  expect("layer 1 (mine): returned (undefined) from its forward, but declares "
         "(f32[2, 5]) for (f32[2, 5])");
}

TEST_F(layer_results, of_another_shape_are_refused) {
  what.forward = [](const tensor_list& x) {
    return layer_outputs{{x[0].rows(0, 1)}, {}};
  };
  expect("layer 1 (mine): returned (f32[1, 5]) from its forward, but declares "
         "(f32[2, 5]) for (f32[2, 5])");
}

TEST_F(layer_results, contributions_without_a_state_are_refused) {
  what.forward = [](const tensor_list& x) { return layer_outputs{x, x}; };
  expect(
    "layer 1 (mine): contributed (f32[2, 5]) to its states, which take ()");
}

TEST_F(layer_results, missing_gradients_are_refused) {
  what.backward = [](const tensor_list&) { return tensor_list{}; };
  expect("layer 1 (mine): returned the gradients () for "
         "(f32[2, 5])");
  what.backward = [](const tensor_list&) { return tensor_list(1); };
  expect("layer 1 (mine): returned the gradients (undefined) for "
         "(f32[2, 5])");
}

TEST_F(layer_results, gradients_of_another_shape_are_refused) {
  what.backward = [](const tensor_list& d_y) {
    return tensor_list{d_y[0].rows(0, 1)};
  };
  expect("layer 1 (mine): returned the gradients (f32[1, 5]) for "
         "(f32[2, 5])");
}

TEST_F(layer_results, of_a_layer_inside_a_residual_name_that_layer) {
  use({"residual", "block", {}, {{"faulty", "mine", {}, {}}}});
  expect("no error");
  what.forward = [](const tensor_list& x) { return layer_outputs{x, x}; };
  expect("layer 1 (block): block.mine contributed (f32[2, 5]) to its states, "
         "which take ()");
  what = {};
  what.backward = [](const tensor_list&) { return tensor_list{}; };
  expect("layer 1 (block): block.mine returned the gradients () "
         "for (f32[2, 5])");
}

TEST(gradients, may_be_undefined_where_nobody_needs_them_or_there_are_none) {
  const std::vector<tensor_type> of{{dtype::f32, {2}}, {dtype::i32, {2}}};
  const auto d = tensor::zeros({dtype::f32, {2}});
  EXPECT_NO_THROW(require_gradients(of, {d, {}}, true));
  EXPECT_NO_THROW(require_gradients(of, {{}, {}}, false));
  EXPECT_THROW(require_gradients(of, {{}, {}}, true), model_error);
  EXPECT_THROW(require_gradients(of, {d, d}, false), model_error);
}

TEST(loss_sum, is_one_double) {
  EXPECT_NO_THROW(require_loss_sum(tensor::zeros({dtype::f64, {1}})));
  EXPECT_THROW(require_loss_sum(tensor::zeros({dtype::f32, {1}})), model_error);
  EXPECT_THROW(require_loss_sum({}), model_error);
}

} // namespace actorpipe::test
