// SPDX-License-Identifier: Apache-2.0
/// A pipeline that is driven by messages, and what becomes of requests when it
/// ends.
#include "messages/type_ids.hpp"
#include "tests/support/line_options.hpp"

#include <caf/response_handle.hpp>
#include <caf/scoped_actor.hpp>

#include <gtest/gtest.h>

#include <future>
#include <thread>

namespace actorpipe::test {
namespace {

/// "gate": the identity, which says that it was entered and waits to be opened.
struct gate {
  std::promise<void> entered;
  std::promise<void> opened;
  std::shared_future<void> is_open = opened.get_future().share();
  std::atomic<bool> once = false;
};

class gate_layer final : public layer {
public:
  explicit gate_layer(std::shared_ptr<gate> x) : gate_(std::move(x)) {}

  std::vector<tensor_type>
  outputs(const std::vector<tensor_type>& inputs) const override {
    return inputs;
  }

  layer_outputs forward(layer_context&, const tensor_list& x,
                        const layer_weights&, saved_state&) const override {
    if (!gate_->once.exchange(true))
      gate_->entered.set_value();
    gate_->is_open.wait();
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
  std::shared_ptr<gate> gate_;
};

class pipeline_messages_test : public ::testing::Test {
protected:
  pipeline_messages_test() {
    auto registry = pipeline_registry();
    registry.add("gate", [this](const layer_spec&, const layer_registry&) {
      return std::make_unique<gate_layer>(gate_);
    });
    auto spec = tripping_model(2);
    spec.layers.insert(spec.layers.begin() + 3, {"gate", "", {}, {}});
    what_.source = build_model(spec, registry);
    what_.how = {2, 2, 4};
    what_.like = perceptron_batch(1);
    line_ = std::make_unique<pipeline>(system_, options_of(what_));
  }

  auto ask_to_train(std::int64_t step = 0) {
    return self_->request(line_->scheduler(), caf::infinite,
                          train_request{step, 0.1, 0},
                          local_batch{perceptron_batch(4)});
  }

  template <class Handle>
  static step_outcome outcome_of(Handle&& asked) {
    step_outcome result;
    std::forward<Handle>(asked).receive(
      [&](step_outcome& x) { result = std::move(x); },
      [&](const caf::error& why) { ADD_FAILURE() << to_string(why); });
    return result;
  }

  std::shared_ptr<gate> gate_ = std::make_shared<gate>();
  line_case what_;
  configured config_;
  caf::actor_system system_{config_};
  caf::scoped_actor self_{system_};
  std::unique_ptr<pipeline> line_;
};

TEST_F(pipeline_messages_test, a_request_is_answered_with_the_outcome) {
  gate_->opened.set_value();
  const auto outcome = outcome_of(ask_to_train());
  ASSERT_TRUE(outcome.ok);
  auto plain = plain_loop(what_);
  EXPECT_EQ(outcome.report.loss,
            plain.train(perceptron_batch(4), 0, {2, 0.1, 0}).loss);
  const auto evaluated = outcome_of(
    self_->request(line_->scheduler(), caf::infinite, evaluate_request{},
                   local_batch{perceptron_batch(3)}));
  EXPECT_TRUE(evaluated.ok);
}

TEST_F(pipeline_messages_test, a_second_request_is_busy_and_the_first_goes_on) {
  auto first = ask_to_train(0);
  gate_->entered.get_future().wait();
  EXPECT_EQ(outcome_of(ask_to_train(1)).failure.code, error_code::busy);
  EXPECT_THROW(line_->evaluate(perceptron_batch(1)), pipeline_error);
  EXPECT_THROW(line_->set_values(plain_loop(what_).values()), pipeline_error);
  gate_->opened.set_value();
  EXPECT_TRUE(outcome_of(first).ok);
  EXPECT_TRUE(outcome_of(ask_to_train(1)).ok);
}

TEST_F(pipeline_messages_test, stages_say_where_they_stand) {
  for (const auto& x : line_->standings())
    EXPECT_EQ(x.how, standing::state::idle);
  auto asked = ask_to_train();
  gate_->entered.get_future().wait();
  auto now = line_->standings();
  ASSERT_EQ(now.size(), 2U);
  EXPECT_EQ(now[1].stage, 1U);
  EXPECT_EQ(now[1].how, standing::state::computing) << "the gate";
  EXPECT_EQ(to_string(now[1].next), "1F0");
  gate_->opened.set_value();
  EXPECT_TRUE(outcome_of(asked).ok);
  now = line_->standings();
  EXPECT_EQ(now[0].how, standing::state::done);
  EXPECT_EQ(now[1].how, standing::state::done);
}

TEST_F(pipeline_messages_test, a_request_is_answered_when_the_pipeline_ends) {
  auto asked = ask_to_train();
  gate_->entered.get_future().wait();
  std::thread ending([this] { line_.reset(); });
  const auto outcome = outcome_of(asked);
  gate_->opened.set_value();
  ending.join();
  EXPECT_FALSE(outcome.ok);
  EXPECT_EQ(outcome.failure.code, error_code::actor_lost);
}

TEST_F(pipeline_messages_test, a_call_throws_when_the_pipeline_ends) {
  auto& line = *line_;
  auto call = std::async(std::launch::async, [&] {
    EXPECT_THROW(line.train(perceptron_batch(4), {}), pipeline_error);
  });
  gate_->entered.get_future().wait();
  std::thread ending([this] { line_.reset(); });
  call.wait();
  gate_->opened.set_value();
  ending.join();
}

TEST_F(pipeline_messages_test, nothing_is_left_of_a_step_that_was_cut_off) {
  auto options = options_of(what_);
  const std::weak_ptr<device> where = options.devices[0];
  line_ = std::make_unique<pipeline>(system_, std::move(options));
  auto asked = ask_to_train();
  gate_->entered.get_future().wait();
  gate_->opened.set_value();
  line_.reset();
  outcome_of(asked);
  EXPECT_TRUE(where.expired());
}

} // namespace
} // namespace actorpipe::test
