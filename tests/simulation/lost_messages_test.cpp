// SPDX-License-Identifier: Apache-2.0
/// Lost control messages change nothing. A lost tensor or credit makes a step
/// stall, and a new attempt goes on from there; none makes it end wrongly.
#include "messages/type_ids.hpp"
#include "tests/simulation/simulation.hpp"

#include <random>

namespace actorpipe::test {
namespace {

// What travels over links, which lose nothing or break.
bool is_on_links(const caf::message& what) {
  return what.match_elements<edge_data, payload>()
      || what.match_elements<credit>()
      || what.match_elements<weights, payload>()
      || what.match_elements<accumulated, payload>()
      || what.match_elements<shard, payload>();
}

class lost_messages_test : public ::testing::TestWithParam<arrangement> {
protected:
  const arrangement& how_ = GetParam();
  std::shared_ptr<const model> source_ = mixed();
};

/// Loses a share of all control messages, in percent.
class forgetful_network {
public:
  forgetful_network(std::uint64_t seed, std::uint64_t percent)
    : draw_(seed), percent_(percent) {}

  fate operator()(const std::string&, const caf::message& what) {
    if (what.match_elements<abandon>())
      ++abandons_;
    if (is_on_links(what) || draw_() % 100 >= percent_)
      return {{what}, {}};
    ++lost_;
    return {};
  }

  std::uint64_t lost() const { return lost_; }
  std::uint64_t abandons() const { return abandons_; }

private:
  std::mt19937_64 draw_;
  std::uint64_t percent_;
  std::uint64_t lost_ = 0;
  std::uint64_t abandons_ = 0;
};

TEST_P(lost_messages_test, lost_control_messages_change_nothing) {
  const auto expected = plain_values(source_, how_, 4);
  for (const std::uint64_t percent : {1, 10, 30}) {
    std::uint64_t lost = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const auto between = std::make_shared<forgetful_network>(seed, percent);
      auto options = simulation_of(source_, how_, seed);
      options.between = [between](const auto& to, const auto& what) {
        return (*between)(to, what);
      };
      options.keepers = static_cast<std::uint32_t>(seed % 3);
      options.haste = seed % 2 == 0 ? 0 : 10;
      options.most_waits = 1000;
      simulated_pipeline line(std::move(options));
      train_steps(line, how_, 2);
      const auto evaluated = line.evaluate(data_of(9, how_.samples));
      ASSERT_TRUE(evaluated && evaluated->ok) << seed;
      const auto set = line.set_values(line.values());
      ASSERT_TRUE(set && set->ok) << seed;
      train_steps(line, how_, 2, 2);
      ASSERT_TRUE(same_values(*source_, line.values(), expected)) << seed;
      EXPECT_EQ(between->abandons(), 0U) << "no new attempt";
      lost += between->lost();
    }
    EXPECT_GT(lost, percent);
  }
}

TEST_P(lost_messages_test, a_failed_step_ends_while_messages_get_lost) {
  const auto wire = std::make_shared<trip_wire>();
  const auto source =
    build_model(tripping_model(how_.cells), pipeline_registry(wire));
  const auto expected = plain_values(source, how_, 2);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    auto options = simulation_of(source, how_, seed);
    options.between = forgetful_network(seed, 30);
    options.rule = std::make_shared<tripping_optimizer>(adam(), wire);
    options.haste = 10;
    options.most_waits = 1000;
    simulated_pipeline line(std::move(options));
    train_steps(line, how_, 1);
    wire->set(1 + static_cast<std::int64_t>(seed));
    const auto outcome = line.train(data_of(1, how_.samples), request_of(1));
    ASSERT_TRUE(outcome) << seed;
    wire->disarm();
    if (!outcome->ok) {
      EXPECT_EQ(outcome->failure.code, error_code::layer_failed);
      train_steps(line, how_, 1, 1);
    }
    ASSERT_TRUE(same_values(*source, line.values(), expected)) << seed;
  }
}

/// Loses the n-th message over links, from when it is told to.
class losing_network {
public:
  void lose(std::int64_t n) { left_ = n; }
  bool has_lost() const { return left_ == 0; }

  fate operator()(const std::string&, const caf::message& what) {
    if (left_ > 0 && is_on_links(what) && --left_ == 0)
      return {};
    return {{what}, {}};
  }

private:
  std::int64_t left_ = -1;
};

// Or it did not matter, as that of the last credit.
TEST_P(lost_messages_test, a_lost_tensor_or_credit_is_a_stall) {
  const auto after = plain_values(source_, how_, 3);
  std::int64_t stalls = 0;
  for (std::int64_t n = 1;; ++n) {
    losing_network between;
    auto options = simulation_of(source_, how_, static_cast<std::uint64_t>(n));
    options.between = [&between](const auto& to, const auto& what) {
      return between(to, what);
    };
    simulated_pipeline line(std::move(options));
    train_steps(line, how_, 1);
    between.lose(n);
    const auto outcome =
      line.begin_training(data_of(1, how_.samples), request_of(1));
    line.await(outcome);
    if (!between.has_lost())
      break;
    if (*outcome) {
      ASSERT_TRUE((*outcome)->ok) << (*outcome)->failure.text;
      // What is lost may have been meant for the next step.
      const auto next = line.train(data_of(2, how_.samples), request_of(2));
      if (next) {
        ASSERT_TRUE(next->ok) << next->failure.text;
        ASSERT_TRUE(same_values(*source_, line.values(), after)) << n;
      }
      continue;
    }
    ++stalls;
    const auto halted = line.halt(1);
    ASSERT_TRUE(halted) << n;
    EXPECT_EQ(halted->version, 1);
    line.introduce(halted->attempt);
    ASSERT_TRUE(line.resume(halted->attempt, 1)) << n;
    ASSERT_TRUE(line.await(outcome)) << n;
    EXPECT_EQ((*outcome)->failure.code, error_code::rolled_back);
    EXPECT_EQ((*outcome)->failure.version, 1);
    train_steps(line, how_, 2, 1);
    ASSERT_TRUE(same_values(*source_, line.values(), after)) << n;
  }
  EXPECT_GT(stalls, 2 * how_.micro_batches);
}

INSTANTIATE_TEST_SUITE_P(
  arrangements, lost_messages_test,
  ::testing::Values(arrangement{1, 2, 4}, arrangement{2, 3, 7},
                    arrangement{3, 4, 7, schedule_kind::one_f_one_b,
                                recompute_mode::always}));

} // namespace
} // namespace actorpipe::test
