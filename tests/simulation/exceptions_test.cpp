// SPDX-License-Identifier: Apache-2.0
/// An exception anywhere fails its step alone, and an actor that goes is
/// reported.
#include "tests/simulation/simulation.hpp"

#include <limits>

namespace actorpipe::test {
namespace {

class exceptions_test : public ::testing::TestWithParam<arrangement> {
protected:
  simulation_options simulation(std::uint64_t order_seed) const {
    auto result = simulation_of(source_, how_, order_seed);
    result.rule = std::make_shared<tripping_optimizer>(adam(), wire_);
    return result;
  }

  const arrangement& how_ = GetParam();
  std::shared_ptr<trip_wire> wire_ = std::make_shared<trip_wire>();
  std::shared_ptr<const model> source_ =
    build_model(tripping_model(how_.cells), pipeline_registry(wire_));
};

TEST_P(exceptions_test, after_one_at_any_place_training_goes_on) {
  const auto before = plain_values(source_, how_, 1);
  const auto after = plain_values(source_, how_, 3);
  std::int64_t place = 0;
  for (bool failed = true; failed;) {
    ++place;
    simulated_pipeline line(simulation(static_cast<std::uint64_t>(place)));
    train_steps(line, how_, 1);
    wire_->set(place);
    const auto outcome = line.train(data_of(1, how_.samples), request_of(1));
    ASSERT_TRUE(outcome) << "place " << place << " stalls";
    wire_->disarm();
    failed = !outcome->ok;
    if (!failed)
      break;
    EXPECT_EQ(outcome->failure.code, error_code::layer_failed);
    ASSERT_TRUE(same_values(*source_, line.values(), before)) << place;
    train_steps(line, how_, 2, 1);
    ASSERT_TRUE(same_values(*source_, line.values(), after)) << place;
  }
  // Each cell has a forward and a backward a micro-batch, and two parameters.
  EXPECT_GT(place, how_.cells * (2 * how_.micro_batches + 2));
}

TEST_P(exceptions_test, two_in_a_row_do_no_harm) {
  const auto after = plain_values(source_, how_, 2);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    simulated_pipeline line(simulation(seed));
    for (const std::int64_t place : {1, 3}) {
      wire_->set(place);
      const auto outcome = line.train(data_of(0, how_.samples), request_of(0));
      ASSERT_TRUE(outcome && !outcome->ok);
    }
    train_steps(line, how_, 2);
    ASSERT_TRUE(same_values(*source_, line.values(), after)) << seed;
  }
}

TEST_P(exceptions_test, one_in_an_evaluation_does_no_harm) {
  simulated_pipeline line(simulation(1));
  wire_->set(1);
  const auto outcome = line.evaluate(data_of(0, how_.samples));
  ASSERT_TRUE(outcome && !outcome->ok);
  train_steps(line, how_, 2);
  EXPECT_TRUE(
    same_values(*source_, line.values(), plain_values(source_, how_, 2)));
}

TEST_P(exceptions_test, an_actor_that_goes_is_reported) {
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    for (const auto* name : {"stage 0", "parameter 0"}) {
      simulated_pipeline line(simulation(seed));
      train_steps(line, how_, 1);
      line.end(name);
      const auto outcome = line.train(data_of(1, how_.samples), request_of(1));
      ASSERT_TRUE(outcome) << seed;
      EXPECT_EQ(outcome->failure.code, error_code::actor_lost);
      EXPECT_EQ(outcome->failure.text.find(name), 0U) << outcome->failure.text;
      const auto next = line.train(data_of(1, how_.samples), request_of(1));
      ASSERT_TRUE(next) << seed;
      EXPECT_EQ(next->failure.code, error_code::actor_lost);
    }
}

INSTANTIATE_TEST_SUITE_P(
  arrangements, exceptions_test,
  ::testing::Values(
    arrangement{1, 1, 2}, arrangement{1, 3, 3},
    arrangement{2, 3, 4, schedule_kind::fill_drain, recompute_mode::always},
    arrangement{3, 4, 7, schedule_kind::one_f_one_b, recompute_mode::always},
    arrangement{3, 3, 7, schedule_kind::fill_drain, recompute_mode::never},
    arrangement{4, 4, 6, schedule_kind::one_f_one_b}));

} // namespace
} // namespace actorpipe::test
