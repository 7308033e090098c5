// SPDX-License-Identifier: Apache-2.0
/// One check for every layer: its gradients against central differences of its
/// forward, in double on the reference operations.
#pragma once

#include "tests/support/layer_run.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace actorpipe::test {

/// d_x[i] = (f(x + e) - f(x - e)) / 2e for each element of `x`, a f64 tensor
/// that `f` reads.
inline tensor central_differences(tensor x, const std::function<double()>& f,
                                  double epsilon = 1e-5) {
  auto result = tensor::zeros(x.type());
  for (std::int64_t i = 0; i < x.elements(); ++i) {
    auto& element = x.data<double>()[i];
    const auto before = element;
    element = before + epsilon;
    const auto above = f();
    element = before - epsilon;
    const auto below = f();
    element = before;
    result.data<double>()[i] = (above - below) / (2 * epsilon);
  }
  return result;
}

inline double dot(const tensor_list& a, const tensor_list& b) {
  double sum = 0;
  for (std::size_t t = 0; t < a.size(); ++t)
    for (std::int64_t i = 0; i < a[t].elements(); ++i)
      sum += at(a[t], i) * at(b[t], i);
  return sum;
}

/// Compares both backwards of `what` with differences of sum(y * d_y), for a
/// fixed d_y, with respect to every floating-point input and every parameter.
inline void check_gradients(const layer& what, const tensor_list& x,
                            double tolerance = 1e-8) {
  layer_bench bench(make_reference_device("reference"));
  const auto w = random_weights(what, dtype::f64);
  tensor_list d_y;
  for (const auto& y : bench.forward(what, x, w))
    d_y.push_back(random_tensor(y.type(), 300 + d_y.size()));
  const auto value = [&] { return dot(bench.forward(what, x, w), d_y); };
  const auto got = bench.run(what, x, w, d_y);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (is_differentiable(x[i].element()))
      expect_near(got.d_x.at(i), central_differences(x[i], value), tolerance,
                  "input " + std::to_string(i));
    else
      EXPECT_FALSE(got.d_x.at(i).defined());
  }
  const auto uses = what.parameters();
  for (std::size_t i = 0; i < uses.size(); ++i)
    expect_near(got.d_w[i], central_differences(w.parameters[i], value),
                tolerance, uses[i].name);
  const auto whole = bench.run(what, x, w, d_y, false);
  expect_same_bits(whole.d_x, got.d_x, "d_x of the backward in one call");
  expect_same_bits(whole.d_w, got.d_w, "d_w of the backward in one call");
}

} // namespace actorpipe::test
