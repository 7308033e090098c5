// SPDX-License-Identifier: Apache-2.0
/// Training goes on elsewhere as if it had not been interrupted.
#include "tests/equivalence/equivalence.hpp"

namespace actorpipe::test {
namespace {

using resume_test = equivalence;

TEST_F(resume_test, values_of_any_K_go_on_in_any_other) {
  constexpr std::uint32_t step = is_instrumented ? 3 : 1;
  for (std::uint32_t before = 1; before <= 6; before += step)
    for (std::uint32_t after = 1; after <= 6; after += step) {
      const auto what = mixed_case({before, 3, 7});
      auto plain = plain_loop(what);
      model_values saved;
      {
        pipeline line(system_, options_of(what));
        expect_same_steps(line, plain, what, perceptron_batches, 0, 3);
        saved = line.values();
      }
      const auto other = mixed_case(
        {after, 3, 7, schedule_kind::one_f_one_b, recompute_mode::always});
      pipeline line(system_, options_of(other));
      line.set_values(saved);
      expect_same_steps(line, plain, other, perceptron_batches, 3, 3);
    }
}

TEST_F(resume_test, the_plain_loop_and_a_pipeline_take_over_from_each_other) {
  const auto what = mixed_case({4, 3, 7});
  auto uninterrupted = plain_loop(what);
  auto plain = plain_loop(what);
  pipeline line(system_, options_of(what));
  expect_same_steps(line, uninterrupted, what, perceptron_batches, 0, 2);
  plain.set_values(line.values());
  plain.train(perceptron_batches(2, 7), 2, {3, 0.1, 1});
  uninterrupted.train(perceptron_batches(2, 7), 2, {3, 0.1, 1});
  line.set_values(plain.values());
  expect_same_steps(line, uninterrupted, what, perceptron_batches, 3, 2);
}

TEST_F(resume_test, a_step_can_be_repeated) {
  const auto what = mixed_case({3, 3, 7});
  pipeline line(system_, options_of(what));
  auto plain = plain_loop(what);
  expect_same_steps(line, plain, what, perceptron_batches, 0, 2);
  const auto saved = line.values();
  const auto some = perceptron_batches(2, 7);
  const auto first = line.train(some, {2, 0.1, 1});
  line.set_values(saved);
  EXPECT_EQ(line.train(some, {2, 0.1, 1}).loss, first.loss);
}

} // namespace
} // namespace actorpipe::test
