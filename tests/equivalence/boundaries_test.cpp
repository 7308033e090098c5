// SPDX-License-Identifier: Apache-2.0
/// Whatever a cut separates: tied weights, untrained states, several tensors,
/// integers, tensors without a gradient.
#include "tests/equivalence/equivalence.hpp"

namespace actorpipe::test {
namespace {

using boundaries_test = equivalence;

TEST_F(boundaries_test, any_single_cut_gives_the_same_bits) {
  for (std::size_t cut = 1; cut < 10; ++cut)
    expect_same(mixed_case({2,
                            3,
                            7,
                            schedule_kind::one_f_one_b,
                            recompute_mode::always,
                            2,
                            {cut, 10 - cut}}),
                perceptron_batches, 3);
}

TEST_F(boundaries_test, any_two_cuts_give_the_same_bits) {
  for (std::size_t a = 1; a < 9; ++a)
    for (std::size_t b = a + 1; b < 10; b += is_instrumented ? 3 : 1)
      expect_same(mixed_case({3,
                              4,
                              7,
                              schedule_kind::fill_drain,
                              recompute_mode::except_one,
                              2,
                              {a, b - a, 10 - b}}),
                  perceptron_batches, 2);
}

TEST_F(boundaries_test, integers_and_tensors_without_gradients_cross) {
  const auto tokens = [](std::int64_t step, std::int64_t samples) {
    return carrying_batch(samples, static_cast<std::uint64_t>(step) + 1);
  };
  for (const auto schedule :
       {schedule_kind::fill_drain, schedule_kind::one_f_one_b})
    for (const auto& balance :
         std::vector<std::vector<std::size_t>>{{4},
                                               {1, 3},
                                               {2, 2},
                                               {3, 1},
                                               {1, 1, 2},
                                               {1, 2, 1},
                                               {2, 1, 1},
                                               {1, 1, 1, 1}}) {
      line_case what;
      what.source = build_model(carrying_model(), pipeline_registry());
      what.how = {static_cast<std::uint32_t>(balance.size()),
                  4,
                  7,
                  schedule,
                  recompute_mode::always,
                  1,
                  balance};
      what.like = carrying_batch(1);
      expect_same(what, tokens, 3);
    }
}

TEST_F(boundaries_test, a_tied_head_gives_the_same_bits) {
  for (const std::uint32_t cells : {1, 2, 4, 7}) {
    line_case what;
    what.source =
      build_model(make_gpt(small_gpt(0.1, true)), pipeline_registry());
    what.how = {cells, 3, 7};
    what.like = small_batch(1);
    expect_same(what, token_batches, 4);
  }
}

TEST_F(boundaries_test, targets_that_do_not_count_change_the_normaliser) {
  const auto masked = [](std::int64_t step, std::int64_t samples) {
    auto result = perceptron_batches(step, samples);
    for (std::int64_t i = 0; i < samples; ++i)
      if (i % 4 < 2)
        result.targets.data<std::int32_t>()[i] = -1;
    return result;
  };
  for (const std::uint32_t cells : {1, 3})
    for (const std::uint32_t micro_batches : {1, 4, 7})
      expect_same(mixed_case({cells, micro_batches, 7}), masked, 3);
}

TEST_F(boundaries_test, mini_batches_may_differ_in_size) {
  const auto shrinking = [](std::int64_t step, std::int64_t) {
    return perceptron_batches(step, 8 - step);
  };
  expect_same(mixed_case({3, 4, 8, schedule_kind::one_f_one_b}), shrinking, 8);
}

} // namespace
} // namespace actorpipe::test
