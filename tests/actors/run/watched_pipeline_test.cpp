// SPDX-License-Identifier: Apache-2.0
/// A layer that does not return is named while a pipeline of actors runs it.
#include "actors/run/watched_engine.hpp"

#include "tests/support/pipeline_models.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <string>

namespace actorpipe::test {
namespace {

struct gate {
  std::promise<void> open;
  std::shared_future<void> is_open = open.get_future().share();
  std::atomic<bool> is_reached = false;
};

// The identity, once the gate is open.
class gated final : public layer {
public:
  explicit gated(std::shared_ptr<gate> where) : where_(std::move(where)) {}

  std::vector<tensor_type>
  outputs(const std::vector<tensor_type>& inputs) const override {
    return inputs;
  }

  layer_outputs forward(layer_context&, const tensor_list& x,
                        const layer_weights&, saved_state&) const override {
    where_->is_reached = true;
    where_->is_open.wait();
    return {x, {}};
  }

  tensor_list backward_input(layer_context&, const tensor_list& d_y,
                             const layer_weights&,
                             saved_state&) const override {
    return d_y;
  }

  void backward_weight(layer_context&, tensor_list&,
                       saved_state&) const override {}

  layer_cost cost(const std::vector<tensor_type>&) const override { return {}; }

private:
  std::shared_ptr<gate> where_;
};

TEST(watched_pipeline_test, names_the_stage_whose_layer_does_not_return) {
  const auto way = std::make_shared<gate>();
  auto registry = test_registry();
  registry.add("gated", [way](const layer_spec&, const layer_registry&) {
    return std::make_unique<gated>(way);
  });
  pipeline_options options;
  options.source = build_model({{linear_of("first", 3, 5),
                                 {"gated", "gated", {}, {}},
                                 linear_of("last", 5, 4)},
                                {"softmax_cross_entropy", "", {}, {}}},
                               registry);
  const auto data = perceptron_batch(4);
  options.how =
    plan_for(*options.source, data,
             {.cells = 2, .micro_batches = 2, .samples = 4, .balance = {2, 1}});

  std::promise<std::string> said;
  std::atomic<int> count = 0;
  std::int64_t seconds = 0;
  stall_watch_options watching;
  watching.how = options.how;
  watching.on_stall = [&](const std::string& text) {
    if (count++ == 0)
      said.set_value(text);
  };
  // Time goes by once the layer is there.
  watching.now_ns = [&] {
    return (way->is_reached ? ++seconds : 0) * 1'000'000'000;
  };
  watching.interval = std::chrono::nanoseconds(1);
  watched_engine engine(make_pipeline_engine(options, nullptr), watching);

  auto step = std::async(std::launch::async, [&] {
    return engine.train(data, {1, 0.1, 0});
  });
  const auto text = said.get_future().get();
  way->open.set_value();
  EXPECT_NE(text.find("\ncause: stage 0 has been computing 0F0 (layers 0 to 1) "
                      "for "),
            text.npos)
    << text;
  EXPECT_GT(step.get().loss, 0);
}

} // namespace
} // namespace actorpipe::test
