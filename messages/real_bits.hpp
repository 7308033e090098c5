// SPDX-License-Identifier: Apache-2.0
/// Real numbers of a message as their bits on the wire.
#pragma once

#include <caf/error.hpp>
#include <caf/meta/load_callback.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace actorpipe {

/// What `as_bits` makes of a field.
template <class Field>
struct real_bits {
  Field& field;
};

/// Stands around each `double`, and each list of them, in an `inspect`, so that
/// every number arrives with its bits. CAF's own form of a `double` never ends
/// with an infinity, makes -1 of what is not a number, and loses the subnormal
/// numbers and the sign of zero.
template <class Field>
real_bits<Field> as_bits(Field& field) {
  return {field};
}

namespace detail {

inline std::uint64_t to_bits(double x) {
  return std::bit_cast<std::uint64_t>(x);
}
inline void from_bits(std::uint64_t bits, double& x) {
  x = std::bit_cast<double>(bits);
}

inline std::vector<std::uint64_t> to_bits(const std::vector<double>& xs) {
  std::vector<std::uint64_t> result(xs.size());
  std::ranges::transform(xs, result.begin(),
                         [](double x) { return to_bits(x); });
  return result;
}
inline void from_bits(const std::vector<std::uint64_t>& bits,
                      std::vector<double>& xs) {
  xs.resize(bits.size());
  std::ranges::transform(bits, xs.begin(),
                         std::bit_cast<double, std::uint64_t>);
}

} // namespace detail

template <class Inspector, class Field>
typename Inspector::result_type inspect(Inspector& f, real_bits<Field>& x) {
  if constexpr (std::is_void_v<typename Inspector::result_type>) {
    f(x.field); // prints
  } else {
    auto bits = detail::to_bits(x.field);
    return f(bits, caf::meta::load_callback([&] {
               detail::from_bits(bits, x.field);
               return caf::error();
             }));
  }
}

} // namespace actorpipe
