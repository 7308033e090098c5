// SPDX-License-Identifier: Apache-2.0
/// exp, tanh and gelu without branches, for loops that the compiler turns into
/// vector code.
#pragma once

#include "compute/cpu/kernels/multiversion.hpp"

#include <bit>
#include <cstdint>

namespace actorpipe::kernels {

/// exp(x) = 2^exponent * (1 + mantissa_less_one).
struct exp_parts {
  std::int32_t exponent;
  float mantissa_less_one;
};

/// Requires |x| < 100, or a NaN, which arrives in the mantissa.
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

/// 2^exponent for -127 <= exponent <= 127; zero for -127.
ACTORPIPE_INLINE float power_of_two(std::int32_t exponent) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(exponent + 127) << 23);
}

/// Within 2 ulp of exp(x); infinite from 88.73 on, zero below -86.99.
ACTORPIPE_INLINE float exp(float x) {
  x = x > 88.9F ? 88.9F : x;
  x = x < -87.2F ? -87.2F : x;
  const auto [exponent, less_one] = split_exp(x);
  return (1.0F + less_one) * power_of_two(exponent - 1) * 2.0F;
}

/// Within 4 ulp of tanh(x).
ACTORPIPE_INLINE float tanh(float x) {
  float twice = x + x;
  twice = twice > 20.0F ? 20.0F : twice;
  twice = twice < -20.0F ? -20.0F : twice;
  const auto [exponent, less_one] = split_exp(twice);
  const float scale = power_of_two(exponent);
  const float exp_less_one = less_one * scale + (scale - 1.0F);
  return exp_less_one / (exp_less_one + 2.0F);
}

inline constexpr float gelu_slope = 0.797884561F;
inline constexpr float gelu_cubic = 0.044715F;

/// x (1 + tanh(u)) / 2 = x / (1 + exp(-2u)) with u = slope (x + cubic x^3).
ACTORPIPE_INLINE float gelu(float x) {
  const float u = gelu_slope * x * (1.0F + gelu_cubic * (x * x));
  return x / (1.0F + exp(-2.0F * u));
}

ACTORPIPE_INLINE float gelu_derivative(float x) {
  // Beyond 12 the derivative is 0 or 1, and squares could overflow.
  float c = x > 12.0F ? 12.0F : x;
  c = c < -12.0F ? -12.0F : c;
  const float square = c * c;
  const float u = gelu_slope * c * (1.0F + gelu_cubic * square);
  const float sigmoid = 1.0F / (1.0F + exp(-2.0F * u));
  const float twice_du =
    2.0F * gelu_slope * (1.0F + 3.0F * gelu_cubic * square);
  return sigmoid + c * sigmoid * (1.0F - sigmoid) * twice_du;
}

} // namespace actorpipe::kernels
