// SPDX-License-Identifier: Apache-2.0
/// The vocabulary of equivalence: a pipeline and the plain loop, step by step,
/// bit for bit.
#pragma once

#include "tests/support/line_options.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace actorpipe::test {

/// Instrumented code is slow: fewer steps and smaller grids find what it looks
/// for.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool is_instrumented = true;
#else
inline constexpr bool is_instrumented = false;
#endif

/// Mini-batches of `like`'s kind.
using batches = std::function<batch(std::int64_t step, std::int64_t samples)>;

inline batch perceptron_batches(std::int64_t step, std::int64_t samples) {
  return perceptron_batch(samples, static_cast<std::uint64_t>(step) + 1);
}

inline batch token_batches(std::int64_t step, std::int64_t samples) {
  return small_batch(samples, static_cast<std::uint64_t>(step) + 1);
}

class equivalence : public ::testing::Test {
protected:
  /// Trains `line` and `plain` on steps [first, first + steps) and compares
  /// losses and norms after each, and all values at the end.
  void expect_same_steps(pipeline& line, sequential_trainer& plain,
                         const line_case& what, const batches& data,
                         std::int64_t first, std::int64_t steps,
                         double max_norm = 0.5) {
    for (auto step = first; step < first + steps; ++step) {
      const auto some = data(step, what.how.samples);
      const train_request request{step, 0.02 / static_cast<double>(step + 1),
                                  max_norm};
      const auto a = line.train(some, request);
      const auto b = plain.train(some, step, as_options(request, what));
      ASSERT_EQ(a.loss, b.loss) << what.how << ", step " << step;
      ASSERT_EQ(a.gradient_norm, b.gradient_norm)
        << what.how << ", step " << step;
      ASSERT_EQ(a.clip_factor, b.clip_factor) << what.how;
      ASSERT_EQ(a.targets, b.targets) << what.how;
    }
    EXPECT_TRUE(same_values(*what.source, line.values(), plain.values()))
      << what.how;
  }

  void expect_same(const line_case& what, const batches& data,
                   std::int64_t steps) {
    auto options = options_of(what);
    options.detached = false;
    pipeline line(system_, std::move(options));
    auto plain = plain_loop(what);
    expect_same_steps(line, plain, what, data, 0, steps);
  }

  static line_case mixed_case(const arrangement& how) {
    line_case result;
    result.source = build_model(mixed_model(), pipeline_registry());
    result.rule.kind = optimizer_kind::adamw;
    result.rule.weight_decay = 0.1;
    result.how = how;
    result.like = perceptron_batch(1);
    return result;
  }

  configured config_;
  caf::actor_system system_{config_};
};

} // namespace actorpipe::test
