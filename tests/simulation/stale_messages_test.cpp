// SPDX-License-Identifier: Apache-2.0
/// Messages that come twice, late, in another order, or from an attempt that
/// was abandoned change nothing.
#include "messages/type_ids.hpp"
#include "tests/simulation/simulation.hpp"

#include <limits>
#include <random>
#include <utility>
#include <vector>

namespace actorpipe::test {
namespace {

/// Delivers some messages late and some twice, the second time late.
network unreliable(std::uint64_t seed) {
  auto draw = std::make_shared<std::mt19937_64>(seed);
  return [draw](const std::string&, const caf::message& what) -> fate {
    switch ((*draw)() % 4) {
    case 0:
      return {{}, {what}};
    case 1:
      return {{what}, {what}};
    case 2:
      return {{}, {what, what}};
    default:
      return {{what}, {}};
    }
  };
}

class stale_messages_test : public ::testing::TestWithParam<arrangement> {
protected:
  // Late messages are later the greater the rest of the seed by 8 is.
  simulation_options unreliable_simulation(std::shared_ptr<const model> source,
                                           std::uint64_t seed) const {
    auto result = simulation_of(std::move(source), how_, seed);
    result.between = unreliable(seed);
    result.patience = 1ULL << (seed % 8);
    return result;
  }

  const arrangement& how_ = GetParam();
  std::shared_ptr<const model> source_ = mixed();
};

TEST_P(stale_messages_test, late_and_repeated_ones_change_nothing) {
  const auto expected = plain_values(source_, how_, 4);
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    simulated_pipeline line(unreliable_simulation(source_, seed));
    train_steps(line, how_, 2);
    const auto evaluated = line.evaluate(data_of(9, how_.samples));
    ASSERT_TRUE(evaluated && evaluated->ok) << seed;
    train_steps(line, how_, 2, 2);
    ASSERT_TRUE(same_values(*source_, line.values(), expected)) << seed;
  }
}

TEST_P(stale_messages_test, an_unreliable_network_has_one_trace_a_seed) {
  const auto trace_of = [&](std::uint64_t seed) {
    auto options = unreliable_simulation(source_, seed);
    options.traced = true;
    simulated_pipeline line(std::move(options));
    train_steps(line, how_, 2);
    return line.trace();
  };
  EXPECT_EQ(trace_of(3), trace_of(3));
}

TEST_P(stale_messages_test, exceptions_meet_an_unreliable_network) {
  const auto wire = std::make_shared<trip_wire>();
  const auto source =
    build_model(tripping_model(how_.cells), pipeline_registry(wire));
  const auto expected = plain_values(source, how_, 3);
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    auto options = unreliable_simulation(source, seed);
    options.rule = std::make_shared<tripping_optimizer>(adam(), wire);
    simulated_pipeline line(std::move(options));
    for (std::int64_t step = 0; step < 3; ++step)
      for (auto place = static_cast<std::int64_t>(seed);;
           place = place * 2 / 3) {
        wire->set(place);
        const auto outcome =
          line.train(data_of(step, how_.samples), request_of(step));
        ASSERT_TRUE(outcome) << seed;
        wire->disarm();
        if (outcome->ok)
          break;
      }
    ASSERT_TRUE(same_values(*source, line.values(), expected)) << seed;
  }
}

// An attempt fails at any place; while the next runs, everything that was said
// until then is said again.
TEST_P(stale_messages_test, an_abandoned_attempt_is_not_listened_to) {
  const auto wire = std::make_shared<trip_wire>();
  const auto source =
    build_model(tripping_model(how_.cells), pipeline_registry(wire));
  const auto expected = plain_values(source, how_, 3);
  for (std::uint64_t place = 1;; ++place) {
    std::vector<std::pair<std::string, caf::message>> said;
    auto options = simulation_of(source, how_, place);
    options.patience = 1ULL << (place % 4);
    options.rule = std::make_shared<tripping_optimizer>(adam(), wire);
    options.between = [&](const std::string& to, const caf::message& what) {
      said.emplace_back(to, what);
      return fate{{what}, {}};
    };
    simulated_pipeline line(std::move(options));
    train_steps(line, how_, 1);
    wire->set(static_cast<std::int64_t>(place));
    const auto outcome = line.train(data_of(7, how_.samples), request_of(7));
    ASSERT_TRUE(outcome) << place;
    wire->disarm();
    if (outcome->ok)
      break;
    for (const auto& [to, what] : std::exchange(said, {}))
      line.inject_late(to, what);
    train_steps(line, how_, 2, 1);
    ASSERT_TRUE(same_values(*source, line.values(), expected)) << place;
  }
}

// A stage runs on with the weights it has while those of an abandoned attempt
// and all later ones are under way, and then gets them in any order.
TEST_P(stale_messages_test, weights_of_an_abandoned_attempt_may_come_last) {
  const auto wire = std::make_shared<trip_wire>();
  const auto source =
    build_model(tripping_model(how_.cells), pipeline_registry(wire));
  const auto expected = plain_values(source, how_, 3);
  bool failed = true;
  for (std::uint64_t place = 1; failed; ++place)
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      auto options = simulation_of(source, how_, seed);
      options.patience = std::numeric_limits<std::uint64_t>::max();
      options.rule = std::make_shared<tripping_optimizer>(adam(), wire);
      options.between = [](const std::string&, const caf::message& what) {
        return what.match_elements<weights, payload>() ? fate{{}, {what}}
                                                       : fate{{what}, {}};
      };
      simulated_pipeline line(std::move(options));
      train_steps(line, how_, 1);
      wire->set(static_cast<std::int64_t>(place));
      const auto outcome = line.train(data_of(7, how_.samples), request_of(7));
      ASSERT_TRUE(outcome) << place;
      wire->disarm();
      failed = !outcome->ok;
      if (!failed)
        break;
      train_steps(line, how_, 2, 1);
      ASSERT_TRUE(same_values(*source, line.values(), expected))
        << place << ", order " << seed;
    }
}

INSTANTIATE_TEST_SUITE_P(
  arrangements, stale_messages_test,
  ::testing::Values(
    arrangement{1, 1, 2}, arrangement{1, 4, 7},
    arrangement{2, 3, 7, schedule_kind::fill_drain, recompute_mode::always},
    arrangement{3, 4, 7, schedule_kind::one_f_one_b, recompute_mode::never},
    arrangement{3, 5, 9, schedule_kind::fill_drain, recompute_mode::except_one,
                1},
    arrangement{4, 4, 6, schedule_kind::one_f_one_b, recompute_mode::always},
    arrangement{5, 2, 7}));

} // namespace
} // namespace actorpipe::test
