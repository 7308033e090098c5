// SPDX-License-Identifier: Apache-2.0
/// Every layer's gradients are the derivatives of its forward.
#include "tests/support/gradient_check.hpp"
#include "tests/support/layer_cases.hpp"

#include <gtest/gtest.h>

namespace actorpipe::test {

class gradients : public testing::TestWithParam<layer_case> {};

TEST_P(gradients, equal_central_differences) {
  const auto& one = GetParam();
  check_gradients(*make_layer(one.spec), one.inputs(dtype::f64));
}

TEST_P(gradients, of_weights_do_not_need_the_input_gradient) {
  const auto& one = GetParam();
  const auto what = make_layer(one.spec);
  layer_bench bench(make_reference_device("reference"));
  const auto x = one.inputs(dtype::f32);
  const auto w = random_weights(*what, dtype::f32);
  tensor_list d_y;
  for (const auto& y : bench.forward(*what, x, w))
    d_y.push_back(random_tensor(y.type(), 5));
  const auto with = bench.run(*what, x, w, d_y);
  bench.ctx.needs_input_gradient = false;
  for (const bool split : {true, false}) {
    const auto without = bench.run(*what, x, w, d_y, split);
    expect_same_bits(without.d_w, with.d_w, "d_w");
    EXPECT_FALSE(without.d_x.at(0).defined());
  }
}

TEST_P(gradients, are_added_to_what_is_there) {
  const auto& one = GetParam();
  const auto what = make_layer(one.spec);
  layer_bench bench(make_reference_device("reference"));
  const auto x = one.inputs(dtype::f64);
  const auto w = random_weights(*what, dtype::f64);
  tensor_list d_y;
  for (const auto& y : bench.forward(*what, x, w))
    d_y.push_back(random_tensor(y.type(), 5));
  const auto once = bench.run(*what, x, w, d_y).d_w;
  tensor_list twice = zeros_like(once);
  for (int i = 0; i < 2; ++i) {
    saved_state saved;
    what->forward(bench.ctx, x, w, saved);
    what->backward(bench.ctx, d_y, w, twice, saved);
  }
  for (std::size_t i = 0; i < once.size(); ++i)
    for (std::int64_t j = 0; j < once[i].elements(); ++j)
      EXPECT_NEAR(at(twice[i], j), 2 * at(once[i], j), 1e-12);
}

TEST_P(gradients, outputs_have_the_announced_types) {
  const auto& one = GetParam();
  const auto what = make_layer(one.spec);
  layer_bench bench(make_reference_device("reference"));
  const auto x = one.inputs(dtype::f32);
  EXPECT_EQ(
    types_of(bench.forward(*what, x, random_weights(*what, dtype::f32))),
    what->outputs(types_of(x)));
}

TEST_P(gradients, nothing_saved_gives_the_same_outputs) {
  const auto& one = GetParam();
  const auto what = make_layer(one.spec);
  layer_bench bench(make_reference_device("reference"));
  const auto x = one.inputs(dtype::f32);
  const auto w = random_weights(*what, dtype::f32);
  const auto saving = bench.forward(*what, x, w);
  bench.ctx.saving = false;
  saved_state saved;
  expect_same_bits(what->forward(bench.ctx, x, w, saved).outputs, saving, "y");
  EXPECT_TRUE(saved.tensors.empty());
  EXPECT_TRUE(saved.inner.empty());
}

INSTANTIATE_TEST_SUITE_P(every_layer, gradients,
                         testing::ValuesIn(layer_cases()),
                         testing::PrintToStringParamName());

} // namespace actorpipe::test
