// SPDX-License-Identifier: Apache-2.0
/// Every layer on the fast CPU operations against the reference operations.
#include "compute/device/device.hpp"
#include "tests/support/layer_cases.hpp"
#include "tests/support/layer_run.hpp"

#include <gtest/gtest.h>

namespace actorpipe::test {

namespace {

/// The small cases, and some that are cut into more than one piece.
std::vector<layer_case> cases() {
  auto result = layer_cases();
  const auto gelu = std::string("gelu");
  result.push_back({"large_linear_gelu",
                    linear_spec(70, 530, {{"activation", gelu}}),
                    {3, 101, 70}});
  result.push_back({"large_attention", attention_spec(96, 6), {3, 70, 96}});
  result.push_back({"large_norm", norm_spec(300), {5, 70, 300}});
  result.push_back(
    {"large_embedding", embedding_spec(50, 130, 70), {5, 70}, 50});
  return result;
}

class devices : public testing::TestWithParam<layer_case> {
protected:
  void SetUp() override {
    for (const auto& y : reference.forward(*what, x, w))
      d_y.push_back(random_tensor(y.type(), 5));
  }

  std::unique_ptr<layer> what = make_layer(GetParam().spec);
  tensor_list x = GetParam().inputs(dtype::f32);
  // Small enough that sums of many terms keep to the tolerance.
  layer_weights w = random_weights(*what, dtype::f32, 0.2);
  tensor_list d_y;
  layer_bench reference{make_reference_device("reference")};
  layer_bench one_thread{make_cpu_device("one", 1)};
  layer_bench three_threads{make_cpu_device("three", 3)};
};

} // namespace

TEST_P(devices, agree_within_rounding) {
  const auto expected = reference.run(*what, x, w, d_y);
  const auto got = one_thread.run(*what, x, w, d_y);
  expect_near(got.y, expected.y, 1e-5, "y");
  expect_near(got.d_x, expected.d_x, 1e-5, "d_x");
  expect_near(got.d_w, expected.d_w, 1e-5, "d_w");
}

TEST_P(devices, give_the_same_bits_for_any_number_of_threads) {
  const auto expected = one_thread.run(*what, x, w, d_y);
  const auto got = three_threads.run(*what, x, w, d_y, false);
  expect_same_bits(got.y, expected.y, "y");
  expect_same_bits(got.d_x, expected.d_x, "d_x");
  expect_same_bits(got.d_w, expected.d_w, "d_w");
}

TEST_P(devices, give_the_same_bits_when_nothing_is_saved) {
  const auto saving = one_thread.forward(*what, x, w);
  one_thread.ctx.saving = false;
  expect_same_bits(one_thread.forward(*what, x, w), saving, "y");
}

INSTANTIATE_TEST_SUITE_P(every_layer, devices, testing::ValuesIn(cases()),
                         testing::PrintToStringParamName());

} // namespace actorpipe::test
