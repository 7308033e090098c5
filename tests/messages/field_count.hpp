// SPDX-License-Identifier: Apache-2.0
/// Counts the fields of a message, and those that `inspect` goes through.
#pragma once

#include "messages/real_bits.hpp"

#include <caf/meta/annotation.hpp>

#include <cstddef>
#include <set>
#include <type_traits>
#include <utility>

namespace actorpipe::test {

/// Stands for a field of any type.
struct any_field {
  template <class T>
  operator T() const; // NOLINT: implicit on purpose; never defined
};

template <class T, std::size_t... Is>
constexpr bool takes(std::index_sequence<Is...>) {
  return requires {
    T{(static_cast<void>(Is), any_field{})...};
  };
}

/// How many fields the aggregate `T` has: the most initializers that it takes.
template <class T, std::size_t N = 0>
constexpr std::size_t field_count() {
  if constexpr (takes<T>(std::make_index_sequence<N + 1>{}))
    return field_count<T, N + 1>();
  else
    return N;
}

/// An inspector that notes where each field lies that it is given.
struct field_addresses {
  using result_type = void;
  static constexpr bool reads_state = true;
  static constexpr bool writes_state = false;

  template <class... Ts>
  void operator()(const Ts&... xs) {
    (note(xs), ...);
  }

  std::set<const void*> noted;

private:
  template <class T>
  void note(const T& x) {
    if constexpr (!caf::meta::is_annotation<T>::value)
      noted.insert(&x);
  }
  template <class Field>
  void note(const real_bits<Field>& x) {
    noted.insert(&x.field);
  }
};

/// How many different fields `inspect` gives to an inspector.
template <class T>
std::size_t inspected_fields() {
  T x;
  field_addresses f;
  inspect(f, x);
  return f.noted.size();
}

} // namespace actorpipe::test
