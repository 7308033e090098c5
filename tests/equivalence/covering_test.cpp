// SPDX-License-Identifier: Apache-2.0
/// Everything that must not change a bit, in cases in which any two choices
/// meet.
#include "tests/equivalence/equivalence.hpp"
#include "tests/support/covering_design.hpp"

#include <set>

namespace actorpipe::test {
namespace {

enum class subject : std::uint8_t { mixed, gpt, tied_gpt };

struct choice {
  subject what;
  std::uint32_t cells;
  std::uint32_t micro_batches;
  std::int64_t samples;
  std::size_t threads; ///< of each stage's CPU; 0: the reference device
  schedule_kind schedule;
  recompute_mode recompute;
  optimizer_options rule;
  double max_norm;
  std::uint32_t credits;
  bool detached;
};

std::vector<optimizer_options> rules() {
  std::vector<optimizer_options> result(6);
  result[1].momentum = 0.9;
  result[1].nesterov = true;
  result[2].momentum = 0.9;
  result[2].weight_decay = 0.01;
  result[3].kind = optimizer_kind::rmsprop;
  result[4].kind = optimizer_kind::adam;
  result[5].kind = optimizer_kind::adamw;
  result[5].weight_decay = 0.1;
  return result;
}

std::vector<choice> choices(std::uint64_t seed) {
  std::vector<choice> result;
  for (const auto& x :
       covering_design({3, 8, 8, 4, 4, 2, 3, rules().size(), 3, 3, 2}, seed))
    result.push_back(
      {static_cast<subject>(x[0]), static_cast<std::uint32_t>(x[1] + 1),
       static_cast<std::uint32_t>(x[2] + 1),
       std::vector<std::int64_t>{1, 7, 8, 13}[x[3]], x[4],
       x[5] == 0 ? schedule_kind::fill_drain : schedule_kind::one_f_one_b,
       static_cast<recompute_mode>(x[6]), rules()[x[7]],
       std::vector<double>{0, 0.05, 100}[x[8]],
       static_cast<std::uint32_t>(x[9] + 1), x[10] == 1});
  return result;
}

class covering_test : public equivalence,
                      public ::testing::WithParamInterface<std::uint64_t> {
protected:
  static line_case case_of(const choice& x) {
    line_case result;
    auto spec = mixed_model();
    result.like = perceptron_batch(1);
    if (x.what != subject::mixed) {
      auto preset = small_gpt(0.2, x.what == subject::tied_gpt);
      preset.depth = 3;
      spec = make_gpt(preset);
      result.like = small_batch(1);
    }
    result.source = build_model(spec, pipeline_registry());
    result.rule = x.rule;
    result.how = {x.cells,    x.micro_batches, x.samples,
                  x.schedule, x.recompute,     x.credits};
    return result;
  }
};

TEST(covering_design_test, any_two_values_of_two_factors_meet) {
  const std::vector<std::size_t> levels{2, 3, 4, 5};
  std::set<std::vector<std::size_t>> met;
  const auto cases = covering_design(levels);
  for (const auto& x : cases)
    for (std::size_t i = 0; i < levels.size(); ++i)
      for (std::size_t j = i + 1; j < levels.size(); ++j)
        met.insert({i, j, x[i], x[j]});
  EXPECT_EQ(met.size(), 6U + 8 + 10 + 12 + 15 + 20);
  EXPECT_LT(cases.size(), 40U);
}

TEST_P(covering_test, nothing_changes_a_bit) {
  for (const auto& x : choices(GetParam())) {
    const auto what = case_of(x);
    auto options = options_of(what);
    options.detached = x.detached;
    if (x.threads > 0) {
      options.devices.clear();
      options.threads_per_stage = x.threads;
    }
    pipeline line(system_, std::move(options));
    sequential_trainer plain(what.source, make_optimizer(what.rule),
                             x.threads > 0 ? make_cpu_device("plain", 1)
                                           : make_reference_device("plain"),
                             what.seed);
    expect_same_steps(line, plain, what,
                      x.what == subject::mixed ? perceptron_batches
                                               : token_batches,
                      0, is_instrumented ? 2 : 20, x.max_norm);
    if (HasFailure())
      FAIL() << "subject " << static_cast<int>(x.what) << ", " << what.how
             << ", " << x.threads << " threads, optimiser "
             << static_cast<int>(x.rule.kind) << ", norm " << x.max_norm;
  }
}

INSTANTIATE_TEST_SUITE_P(designs, covering_test,
                         ::testing::Range<std::uint64_t>(1, is_instrumented
                                                              ? 2
                                                              : 4));

// Tensors of several pieces, so that there is something to share.
TEST_F(equivalence, threads_change_no_bit_of_larger_tensors) {
  auto preset = small_gpt(0.1);
  preset.vocabulary = 300;
  preset.sequence = 64;
  preset.width = 192;
  line_case what;
  what.source = build_model(make_gpt(preset), pipeline_registry());
  what.rule.kind = optimizer_kind::adam;
  const auto data = [](std::int64_t step, std::int64_t samples) -> batch {
    const auto seed = static_cast<std::uint64_t>(step) + 1;
    return {{random_tokens({samples, 64}, 300, seed)},
            random_tokens({samples, 64}, 300, seed + 100)};
  };
  what.like = data(0, 1);
  for (const std::uint32_t cells : {1, 3})
    for (const std::size_t threads : {2, 3}) {
      what.how = {cells, 2, 9};
      auto options = options_of(what);
      options.devices.clear();
      options.threads_per_stage = threads;
      pipeline line(system_, std::move(options));
      sequential_trainer plain(what.source, make_optimizer(what.rule),
                               make_cpu_device("plain", 1), what.seed);
      expect_same_steps(line, plain, what, data, 0, 2);
    }
}

} // namespace
} // namespace actorpipe::test
