// SPDX-License-Identifier: Apache-2.0
/// A parameter actor's versions: made once, beside the one before.
#include "actors/parameter_core.hpp"
#include "tests/support/pipeline_models.hpp"
#include "tests/support/text.hpp"

#include <gtest/gtest.h>

namespace actorpipe::test {
namespace {

/// Writes down each message as a word, such as "v3>2" for weights of version 3
/// to the user 2.
class recorder final : public parameter_core::outbox {
public:
  void send(const weights& header, payload data) override {
    words_.note("v", header.version, ">", header.user);
    last_weights = header;
    sent[header.user] = std::move(data.tensors);
  }
  void send(prepared message) override {
    words_.note("prepared");
    last = std::move(message);
  }
  void send(const applied&) override { words_.note("applied"); }
  void send(abandoned message) override {
    words_.note("abandoned", message.attempt);
    EXPECT_EQ(message.who.rfind("parameter ", 0), 0U);
  }
  void send(failed message) override {
    words_.note("failed");
    failure = std::move(message);
  }

  std::string take() { return words_.take(); }

  weights last_weights;
  std::map<std::uint32_t, tensor_list> sent; ///< by user
  prepared last;
  failed failure;

private:
  word_list words_;
};

// Three cells; cell 0 owns "shared.weight", which cell 2 uses twice. Cell 1
// owns the running mean.
class parameter_core_test : public ::testing::Test {
protected:
  static constexpr std::uint64_t run = 7;

  std::unique_ptr<parameter_core> make(std::uint32_t cell) {
    auto result = std::make_unique<parameter_core>(
      parameter_options{cell, plan_.cut[cell], plan_.cut[cell + 1], run, 1,
                        source_, rule_, layout_,
                        make_reference_device("device"), holder_},
      sent_);
    result->publish();
    sent_.take();
    return result;
  }

  static work_id id(std::uint64_t batch, std::uint64_t attempt = 0) {
    return {run, attempt, batch};
  }

  // Gradients of every use of cell 0's parameters by `user`, all `value`.
  payload gradients(std::uint32_t user, float value) const {
    payload result;
    for (const auto& use : layout_->uses(0, user)) {
      const auto i = layout_->owned_by(0)[use.ordinal];
      auto d_w = tensor::zeros(
        {dtype::f32, source_->parameters()[i].declaration.extents});
      std::fill_n(d_w.data<float>(), d_w.elements(), value);
      result.tensors.push_back(d_w);
    }
    return result;
  }

  void all_accumulated(const work_id& what, float value = 1) {
    core_->accept(accumulated{what, 0, 4}, gradients(0, value));
    core_->accept(accumulated{what, 2, 4}, gradients(2, value));
  }

  void apply(const work_id& what, std::int64_t version) {
    core_->accept(apply_update{what, version, 0.1, 1});
  }

  std::vector<parameter_value> now() const {
    return core_->values().parameters;
  }

  static bool same(const std::vector<parameter_value>& a,
                   const std::vector<parameter_value>& b) {
    for (std::size_t i = 0; i < a.size(); ++i)
      if (!same_bits(a[i].weight, b[i].weight)
          || !same_bits(a[i].slots.at(0), b[i].slots.at(0)))
        return false;
    return a.size() == b.size();
  }

  std::shared_ptr<trip_wire> wire_ = std::make_shared<trip_wire>();
  std::shared_ptr<const model> source_ =
    build_model(mixed_model(), pipeline_registry());
  plan plan_ = plan_for(*source_, perceptron_batch(4),
                        {3,
                         2,
                         4,
                         schedule_kind::fill_drain,
                         recompute_mode::except_one,
                         2,
                         {3, 3, 4}});
  std::shared_ptr<parameter_layout> layout_ =
    std::make_shared<parameter_layout>(*source_, plan_.cut);
  std::shared_ptr<memory_account> holder_ =
    std::make_shared<memory_account>("parameters");
  std::shared_ptr<const optimizer> rule_ = [this] {
    optimizer_options how;
    how.momentum = 0.9;
    return std::make_shared<tripping_optimizer>(how, wire_);
  }();
  recorder sent_;
  std::unique_ptr<parameter_core> core_ = make(0);
};

TEST_F(parameter_core_test, every_user_gets_what_it_reads) {
  core_->publish();
  EXPECT_EQ(sent_.take(), "v0>0 v0>2");
  EXPECT_EQ(sent_.last_weights.edition, 2U);
  ASSERT_EQ(sent_.sent[0].size(), 4U);
  ASSERT_EQ(sent_.sent[2].size(), 2U);
  EXPECT_TRUE(same_bits(sent_.sent[0][2], sent_.sent[2][0]));
  EXPECT_TRUE(same_bits(sent_.sent[2][0], sent_.sent[2][1]));
}

TEST_F(parameter_core_test, is_prepared_when_all_uses_are_there) {
  core_->accept(accumulated{id(1), 2, 4}, gradients(2, 1));
  EXPECT_EQ(sent_.take(), "");
  core_->accept(accumulated{id(1), 0, 4}, gradients(0, 1));
  EXPECT_EQ(sent_.take(), "prepared");
  // first.weight [5, 3], first.bias [5], shared.weight [5, 5] three times,
  // shared.bias [5].
  EXPECT_EQ(sent_.last.sums_of_squares,
            (std::vector<double>{15, 5, 25 * 9, 5}));
}

TEST_F(parameter_core_test, repeated_gradients_are_added_once) {
  core_->accept(accumulated{id(1), 0, 4}, gradients(0, 1));
  core_->accept(accumulated{id(1), 0, 4}, gradients(0, 5));
  core_->accept(accumulated{id(1), 2, 4}, gradients(2, 1));
  core_->accept(accumulated{id(1), 2, 4}, gradients(2, 5));
  EXPECT_EQ(sent_.take(), "prepared");
  EXPECT_EQ(sent_.last.sums_of_squares[2], 25 * 9);
}

TEST_F(parameter_core_test, older_gradients_are_dropped) {
  core_->accept(accumulated{id(2), 0, 4}, gradients(0, 1));
  core_->accept(accumulated{id(1), 2, 4}, gradients(2, 1));
  core_->accept(accumulated{{run + 1, 0, 3}, 2, 4}, gradients(2, 1));
  EXPECT_EQ(sent_.take(), "");
  core_->accept(accumulated{id(2), 2, 4}, gradients(2, 1));
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
  EXPECT_EQ(sent_.take(), "");
  EXPECT_TRUE(same(now(), after));
}

TEST_F(parameter_core_test, an_update_needs_gradients_of_its_step) {
  apply(id(1), 1);
  core_->accept(accumulated{id(1), 0, 4}, gradients(0, 1));
  apply(id(1), 1);
  EXPECT_EQ(sent_.take(), "");
  core_->accept(accumulated{id(1), 2, 4}, gradients(2, 1));
  apply(id(2), 1);
  apply(id(0), 1);
  EXPECT_EQ(sent_.take(), "prepared");
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
  core_->accept(accumulated{id(1), 0, 4}, gradients(0, 1));
  core_->accept(abandon{run, 1, 0});
  sent_.take();
  core_->accept(accumulated{id(1), 2, 4}, gradients(2, 1));
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
  core_->accept(accumulated{id(2), 0, 4}, {});
  EXPECT_EQ(holder_->now_bytes(), one);
  core_->accept(committed{id(1)});
  core_->accept(abandon{run, 1, 1});
  EXPECT_EQ(core_->values().updates, 1);
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
  EXPECT_EQ(sent_.take(), "");
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
  core_->accept(accumulated{id(1), 1, 4}, {{sum}, {}});
  EXPECT_EQ(sent_.take(), "prepared");
  apply(id(1), 1);
  EXPECT_EQ(sent_.take(), "v1>1 applied");
  EXPECT_EQ(*sent_.sent[1].at(0).data<float>(), (0.25F + 8.0F / 4) / 2);
  EXPECT_EQ(*core_->values().states.at(2).at(0).data<float>(), 1.125F);
  core_->accept(abandon{run, 1, 0});
  EXPECT_EQ(*core_->values().states.at(2).at(0).data<float>(), 0.25F);
}

TEST_F(parameter_core_test, values_can_be_taken_and_set) {
  all_accumulated(id(1));
  apply(id(1), 1);
  const auto saved = core_->values();
  EXPECT_EQ(saved.updates, 1);
  core_ = make(0);
  EXPECT_TRUE(core_->set_values(saved));
  EXPECT_EQ(sent_.take(), "v1>0 v1>2");
  EXPECT_TRUE(same(now(), saved.parameters));
  EXPECT_EQ(core_->values().updates, 1);
}

TEST_F(parameter_core_test, values_of_another_model_are_refused) {
  auto other = core_->values();
  other.parameters[0].weight = tensor::zeros({dtype::f32, {3, 5}});
  EXPECT_FALSE(core_->set_values(other));
  other = core_->values();
  other.parameters.pop_back();
  EXPECT_FALSE(core_->set_values(other));
  other = core_->values();
  other.parameters[0].slots.clear();
  EXPECT_FALSE(core_->set_values(other));
  other = core_->values();
  other.states[0].push_back(tensor::zeros({}));
  EXPECT_FALSE(core_->set_values(other));
  EXPECT_EQ(sent_.take(), "");
}

TEST_F(parameter_core_test, a_late_update_does_not_touch_values_that_were_set) {
  const auto saved = core_->values();
  all_accumulated(id(1));
  apply(id(1), 1);
  ASSERT_TRUE(core_->set_values(saved));
  sent_.take();
  all_accumulated(id(1));
  apply(id(1), 1);
  EXPECT_EQ(sent_.take(), "");
  EXPECT_TRUE(same(now(), saved.parameters));
  all_accumulated(id(2));
  apply(id(2), 1);
  EXPECT_EQ(sent_.take(), "prepared v1>0 v1>2 applied");
}

} // namespace
} // namespace actorpipe::test
