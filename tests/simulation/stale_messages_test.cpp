// SPDX-License-Identifier: Apache-2.0
/// Messages that come twice, late, in another order, or from an attempt that
/// was abandoned change nothing.
#include "tests/simulation/simulation.hpp"

#include <map>
#include <random>

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

/// Delivers everything, and once told to, again what it had seen until then.
class replaying_network {
public:
  void replay() { replaying_ = true; }

  fate operator()(const std::string& to, const caf::message& what) {
    if (!replaying_) {
      seen_[to].push_back(what);
      return {{what}, {}};
    }
    return {{what}, std::exchange(seen_[to], {})};
  }

private:
  bool replaying_ = false;
  std::map<std::string, std::vector<caf::message>> seen_;
};

class stale_messages_test : public ::testing::TestWithParam<arrangement> {
protected:
  const arrangement& how_ = GetParam();
  std::shared_ptr<const model> source_ = mixed();
};

TEST_P(stale_messages_test, late_and_repeated_ones_change_nothing) {
  const auto expected = plain_values(source_, how_, 4);
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    auto options = simulation_of(source_, how_, seed);
    options.between = unreliable(seed);
    simulated_pipeline line(std::move(options));
    train_steps(line, how_, 2);
    const auto evaluated = line.evaluate(data_of(9, how_.samples));
    ASSERT_TRUE(evaluated && evaluated->ok) << seed;
    train_steps(line, how_, 2, 2);
    ASSERT_TRUE(same_values(*source_, line.values(), expected)) << seed;
  }
}

TEST_P(stale_messages_test, an_unreliable_network_has_one_trace_a_seed) {
  const auto trace_of = [&](std::uint64_t seed) {
    auto options = simulation_of(source_, how_, seed);
    options.between = unreliable(seed);
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
    auto options = simulation_of(source, how_, seed);
    options.between = unreliable(seed);
    options.rule = std::make_shared<tripping_optimizer>(adam(), wire);
    simulated_pipeline line(std::move(options));
    train_steps(line, how_, 1);
    wire->set(1 + static_cast<std::int64_t>(seed));
    const auto outcome = line.train(data_of(1, how_.samples), request_of(1));
    ASSERT_TRUE(outcome) << seed;
    wire->disarm();
    train_steps(line, how_, outcome->ok ? 1 : 2, outcome->ok ? 2 : 1);
    ASSERT_TRUE(same_values(*source, line.values(), expected)) << seed;
  }
}

// An attempt fails at any place; while the next runs, everything that was said
// in the first is said again.
TEST_P(stale_messages_test, an_abandoned_attempt_is_not_listened_to) {
  const auto wire = std::make_shared<trip_wire>();
  const auto source =
    build_model(tripping_model(how_.cells), pipeline_registry(wire));
  const auto expected = plain_values(source, how_, 3);
  for (std::int64_t place = 1;; ++place) {
    auto options =
      simulation_of(source, how_, static_cast<std::uint64_t>(place));
    options.rule = std::make_shared<tripping_optimizer>(adam(), wire);
    const auto between = std::make_shared<replaying_network>();
    options.between = [between](const std::string& to,
                                const caf::message& what) {
      return (*between)(to, what);
    };
    simulated_pipeline line(std::move(options));
    train_steps(line, how_, 1);
    wire->set(place);
    const auto outcome = line.train(data_of(7, how_.samples), request_of(7));
    ASSERT_TRUE(outcome) << place;
    wire->disarm();
    if (outcome->ok)
      break;
    between->replay();
    train_steps(line, how_, 2, 1);
    ASSERT_TRUE(same_values(*source, line.values(), expected)) << place;
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
