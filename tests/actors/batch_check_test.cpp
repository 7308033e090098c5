// SPDX-License-Identifier: Apache-2.0
/// Mini-batches that do not fit a model or a plan.
#include "actors/batch_check.hpp"

#include "tests/support/line_options.hpp"

#include <gtest/gtest.h>

namespace actorpipe::test {
namespace {

class batch_check_test : public testing::Test {
protected:
  static batch tokens(std::int64_t samples, std::int64_t sequence) {
    const auto count = static_cast<std::size_t>(samples * sequence);
    return {
      {tensor::from({samples, sequence}, std::vector<std::uint8_t>(count, 1))},
      tensor::from({samples, sequence}, std::vector<std::int32_t>(count, 2))};
  }

  std::string fault(const batch& data) const {
    return find_batch_fault(*source_, plan_, data, 2).value_or("");
  }

  std::shared_ptr<const model> source_ = build_model(
    make_gpt(
      {.vocabulary = 8, .sequence = 6, .width = 4, .depth = 1, .heads = 1}),
    layer_registry::with_builtin());
  plan plan_ = plan_for(*source_, tokens(4, 4),
                        {.cells = 2, .micro_batches = 2, .samples = 4});
};

TEST_F(batch_check_test, accepts_what_was_planned_and_less) {
  EXPECT_EQ(fault(tokens(4, 4)), "");
  EXPECT_EQ(fault(tokens(3, 2)), "");
}

TEST_F(batch_check_test, refuses_no_sample_and_too_many) {
  EXPECT_EQ(fault(tokens(0, 4)), "a batch has at least one sample");
  EXPECT_NE(fault(tokens(7, 4)).find("the plan allows 2"), std::string::npos);
}

TEST_F(batch_check_test, refuses_longer_sequences_than_planned) {
  EXPECT_NE(fault(tokens(4, 6)).find("is larger than planned"),
            std::string::npos);
}

TEST_F(batch_check_test, refuses_inputs_and_targets_of_other_numbers) {
  auto data = tokens(4, 4);
  data.targets = data.targets.rows(0, 3);
  EXPECT_NE(fault(data).find("same number of samples"), std::string::npos);
}

TEST_F(batch_check_test, refuses_what_the_model_does_not_take) {
  auto data = tokens(4, 4);
  data.inputs.push_back(data.inputs[0]);
  EXPECT_NE(fault(data), "");
}

TEST_F(batch_check_test, refuses_a_plan_without_an_edge_for_a_tensor) {
  plan_.edges.erase(plan_.edges.begin() + 1);
  EXPECT_NE(fault(tokens(4, 4)).find("the plan has 0 edges for them"),
            std::string::npos);
}

} // namespace
} // namespace actorpipe::test
