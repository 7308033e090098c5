// SPDX-License-Identifier: Apache-2.0
/// exp, tanh and gelu without branches, for loops that the compiler turns into
/// vector code.
#pragma once

#include "compute/cpu/kernels/multiversion.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace actorpipe::kernels {

/// `x` kept between `least` < 0 and `most` > 0; a NaN becomes one of them.
/// Compared as integers, which order floats of one sign as the floats do:
/// compilers turn comparisons of floats into branches, and compute what lies
/// beyond them only to throw it away.
ACTORPIPE_INLINE float clamp(float x, float least, float most) {
  const auto below =
    std::min(std::bit_cast<std::int32_t>(x), std::bit_cast<std::int32_t>(most));
  return std::bit_cast<float>(std::min(static_cast<std::uint32_t>(below),
                                       std::bit_cast<std::uint32_t>(least)));
}

/// exp(x) = 2^exponent * (1 + mantissa_less_one).
struct exp_parts {
  std::int32_t exponent;
  float mantissa_less_one;
};

/// Requires |x| < 100.
ACTORPIPE_INLINE exp_parts split_exp(float x) {
  constexpr float log2_e = 1.44269504F;
  // ln 2 in two parts; products of the first with an exponent are exact.
  constexpr float ln2_high = 0.693359375F;
  constexpr float ln2_low = -2.12194440e-4F;
  // Adding it leaves the nearest integer in the lowest bits.
  constexpr float round_to_integer = 12582912.0F;
  const float shifted = x * log2_e + round_to_integer;
  const float n = shifted - round_to_integer;
  const float r = (x - n * ln2_high) - n * ln2_low;
  // (exp(r) - 1 - r) / r^2, interpolated at Chebyshev's nodes of
  // |r| < 0.3475; the error of exp is below 1e-8.
  float p = 1.39263761e-3F;
  p = p * r + 8.36333353e-3F;
  p = p * r + 4.16665524e-2F;
  p = p * r + 1.66665763e-1F;
  p = p * r + 0.5F;
  return {std::bit_cast<std::int32_t>(shifted)
            - std::bit_cast<std::int32_t>(round_to_integer),
          p * (r * r) + r};
}

/// 2^exponent for -127 < exponent <= 127; zero for -127.
ACTORPIPE_INLINE float power_of_two(std::int32_t exponent) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(exponent + 127) << 23);
}

/// exp(x) of a number: within 2 ulp, infinite from 88.73 on, zero below -86.99
/// (subnormal results would be slow). Finite or infinite for a NaN.
ACTORPIPE_INLINE float exp_of_number(float x) {
  const auto [exponent, less_one] = split_exp(clamp(x, -87.2F, 88.9F));
  return (2.0F + 2.0F * less_one) * power_of_two(exponent - 1);
}

/// The same, and a NaN for a NaN.
ACTORPIPE_INLINE float exp(float x) {
  const float y = exp_of_number(x);
  return x != x ? x : y;
}

/// Within 4 ulp of tanh(x).
ACTORPIPE_INLINE float tanh(float x) {
  const auto [exponent, less_one] = split_exp(clamp(x + x, -20.0F, 20.0F));
  const float scale = power_of_two(exponent);
  const float exp_less_one = less_one * scale + (scale - 1.0F);
  const float y = exp_less_one / (exp_less_one + 2.0F);
  return x != x ? x : y;
}

inline constexpr float gelu_slope = 0.797884561F;
inline constexpr float gelu_cubic = 0.044715F;

/// x (1 + tanh(u)) / 2 = x / (1 + exp(-2u)) with u = slope (x + cubic x^3).
ACTORPIPE_INLINE float gelu(float x) {
  constexpr float linear = -2.0F * gelu_slope;
  constexpr float cubic = -2.0F * gelu_slope * gelu_cubic;
  return x / (1.0F + exp_of_number(x * (linear + cubic * (x * x))));
}

/// With e = exp(-2u) and s = 1 / (1 + e): s + x s (1 - s) 2u', where 1 - s is
/// e s, which keeps its digits.
ACTORPIPE_INLINE float gelu_derivative(float x) {
  constexpr float linear = 2.0F * gelu_slope;
  constexpr float cubic = 2.0F * gelu_slope * gelu_cubic;
  // Beyond 10 the derivative is 0 or 1; up to there e and s are normal
  // numbers.
  const float c = clamp(x, -10.0F, 10.0F);
  const float square = c * c;
  const float e = exp_of_number(-c * (linear + cubic * square));
  const float s = 1.0F / (1.0F + e);
  return s + s * (e * s) * (x * (linear + 3.0F * cubic * square));
}

} // namespace actorpipe::kernels
