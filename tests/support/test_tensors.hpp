// SPDX-License-Identifier: Apache-2.0
/// Tensors for tests: repeatable values, and comparison by bits or tolerance.
#pragma once

#include "compute/ops/operations.hpp"
#include "compute/tensor/tensor.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace actorpipe::test {

/// A number in [-1, 1) that depends on (seed, index) alone.
inline double pseudo_random(std::uint64_t seed, std::uint64_t index) {
  const auto block = draw(random_key{seed}, index, 0);
  return static_cast<double>(block.values[0]) / 2147483648.0 - 1;
}

/// f32 or f64 values in [-scale, scale).
inline tensor random_tensor(const tensor_type& type, std::uint64_t seed,
                            double scale = 1) {
  auto result = tensor::zeros(type);
  for (std::int64_t i = 0; i < result.elements(); ++i) {
    const auto x = scale * pseudo_random(seed, static_cast<std::uint64_t>(i));
    if (type.type == dtype::f64)
      result.data<double>()[i] = x;
    else
      result.data<float>()[i] = static_cast<float>(x);
  }
  return result;
}

/// i32 values in [0, below).
inline tensor random_tokens(const shape& extents, std::int32_t below,
                            std::uint64_t seed) {
  auto result = tensor::zeros({dtype::i32, extents});
  for (std::int64_t i = 0; i < result.elements(); ++i)
    result.data<std::int32_t>()[i] =
      static_cast<std::int32_t>(
        draw(random_key{seed}, static_cast<std::uint64_t>(i), 1).values[0] >> 1)
      % below;
  return result;
}

/// An element of any floating-point tensor.
inline double at(const tensor& x, std::int64_t i) {
  return x.element() == dtype::f64 ? x.data<double>()[i]
                                   : static_cast<double>(x.data<float>()[i]);
}

inline bool same_bits(const tensor& a, const tensor& b) {
  return a.defined() == b.defined()
      && (!a.defined()
          || (a.type() == b.type()
              && std::memcmp(a.bytes(), b.bytes(),
                             static_cast<std::size_t>(a.size_bytes()))
                   == 0));
}

inline void expect_same_bits(const tensor_list& a, const tensor_list& b,
                             const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_TRUE(same_bits(a[i], b[i])) << what << ", tensor " << i;
}

/// |a - b| <= tolerance * (1 + |b|), element by element; names the worst.
inline void expect_near(const tensor& a, const tensor& b, double tolerance,
                        const std::string& what) {
  ASSERT_EQ(a.defined(), b.defined()) << what;
  if (!a.defined())
    return;
  ASSERT_EQ(a.extents(), b.extents()) << what;
  std::int64_t worst = -1;
  double excess = tolerance;
  for (std::int64_t i = 0; i < a.elements(); ++i) {
    const auto error = std::abs(at(a, i) - at(b, i)) / (1 + std::abs(at(b, i)));
    if (!(error <= excess)) {
      worst = i;
      excess = error;
    }
  }
  EXPECT_EQ(worst, -1) << what << ": element " << worst << " is "
                       << at(a, worst) << ", expected " << at(b, worst);
}

inline void expect_near(const tensor_list& a, const tensor_list& b,
                        double tolerance, const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  for (std::size_t i = 0; i < a.size(); ++i)
    expect_near(a[i], b[i], tolerance, what + ", tensor " + std::to_string(i));
}

} // namespace actorpipe::test
