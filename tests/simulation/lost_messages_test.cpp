// SPDX-License-Identifier: Apache-2.0
/// A lost message can make a step stall; it never makes it end wrongly.
#include "messages/type_ids.hpp"
#include "tests/simulation/simulation.hpp"

namespace actorpipe::test {
namespace {

bool is_tensor(const caf::message& what) {
  return what.match_elements<edge_data, payload>();
}

/// Loses the n-th message that `is_meant` chooses, from when it is told to.
class losing_network {
public:
  explicit losing_network(std::function<bool(const caf::message&)> is_meant)
    : is_meant_(std::move(is_meant)) {}

  void lose(std::int64_t n) { left_ = n; }
  bool has_lost() const { return left_ == 0; }

  fate operator()(const std::string&, const caf::message& what) {
    if (left_ > 0 && is_meant_(what) && --left_ == 0)
      return {};
    return {{what}, {}};
  }

private:
  std::function<bool(const caf::message&)> is_meant_;
  std::int64_t left_ = -1;
};

class lost_messages_test : public ::testing::TestWithParam<arrangement> {
protected:
  simulated_pipeline make(std::uint64_t seed) {
    auto options = simulation_of(source_, how_, seed);
    options.between = [this](const std::string& to, const caf::message& what) {
      return (*between_)(to, what);
    };
    return simulated_pipeline(std::move(options));
  }

  // Step 1, with its n-th such message lost.
  std::optional<step_outcome> train_losing(simulated_pipeline& line,
                                           std::int64_t n) {
    between_->lose(n);
    return line.train(data_of(1, how_.samples), request_of(1));
  }

  const arrangement& how_ = GetParam();
  std::shared_ptr<const model> source_ = mixed();
  std::unique_ptr<losing_network> between_;
};

TEST_P(lost_messages_test, a_lost_tensor_stalls_the_step_and_changes_nothing) {
  between_ = std::make_unique<losing_network>(is_tensor);
  const auto before = plain_values(source_, how_, 1);
  std::int64_t n = 1;
  for (;; ++n) {
    auto line = make(static_cast<std::uint64_t>(n));
    train_steps(line, how_, 1);
    const auto outcome = train_losing(line, n);
    if (!between_->has_lost())
      break;
    ASSERT_FALSE(outcome) << n;
    ASSERT_TRUE(same_values(*source_, line.values(), before)) << n;
  }
  EXPECT_GT(n, 2 * how_.micro_batches);
}

TEST_P(lost_messages_test, a_lost_message_is_a_stall_or_does_not_matter) {
  between_ = std::make_unique<losing_network>(
    [](const caf::message& what) { return !is_tensor(what); });
  const auto after = plain_values(source_, how_, 2);
  for (std::int64_t n = 1;; ++n) {
    auto line = make(static_cast<std::uint64_t>(n));
    train_steps(line, how_, 1);
    const auto outcome = train_losing(line, n);
    if (!between_->has_lost())
      break;
    if (!outcome)
      continue;
    ASSERT_TRUE(outcome->ok) << outcome->failure.text;
    ASSERT_TRUE(same_values(*source_, line.values(), after)) << n;
  }
}

INSTANTIATE_TEST_SUITE_P(
  arrangements, lost_messages_test,
  ::testing::Values(arrangement{1, 2, 4}, arrangement{2, 3, 7},
                    arrangement{3, 4, 7, schedule_kind::one_f_one_b,
                                recompute_mode::always}));

} // namespace
} // namespace actorpipe::test
