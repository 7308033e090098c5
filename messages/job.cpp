// SPDX-License-Identifier: Apache-2.0
/// The hash of a job: over a text that no two different jobs share.
#include "messages/job.hpp"

#include "compute/io/sha256.hpp"

#include <bit>
#include <concepts>
#include <string_view>
#include <type_traits>

namespace actorpipe {

namespace {

/// Adds values to a sum, each as text that ends where the value ends: numbers
/// with a semicolon behind them, texts and lists with their length in front.
/// The structures are taken apart by name, so that a field that is added to one
/// of them and not here does not compile.
class field_sum {
public:
  std::string finish() { return sum_.finish(); }

  template <class... Ts>
  void add_all(const Ts&... xs) {
    (add(xs), ...);
  }

private:
  void add(std::integral auto x) { sum_.add(std::to_string(x) + ';'); }

  /// By its bits: equal numbers that are not the same bits do not compute the
  /// same bits either.
  void add(double x) { add(std::bit_cast<std::uint64_t>(x)); }

  template <class T>
  requires std::is_enum_v<T>
  void add(T x) { add(static_cast<std::underlying_type_t<T>>(x)); }

  void add(const std::string& x) {
    add(x.size());
    sum_.add(x);
  }

  template <class T>
  void add(const std::vector<T>& xs) {
    add(xs.size());
    for (const auto& x : xs)
      add(x);
  }

  void add(const action& x) {
    const auto& [cell, kind, micro_batch] = x;
    add_all(cell, kind, micro_batch);
  }

  void add(const edge& x) {
    const auto& [from, to, ordinal, is_target, needs_gradient, type, bytes,
                 credits] = x;
    add_all(from, to, ordinal, is_target, needs_gradient, type, bytes, credits);
  }

  void add(const plan& x) {
    const auto& [cut, device_of_cell, edges, schedule, recompute, micro_batches,
                 micro_batch_samples, programs] = x;
    add_all(cut, device_of_cell, edges, schedule, recompute, micro_batches,
            micro_batch_samples, programs);
  }

  void add(const optimizer_options& x) {
    const auto& [kind, momentum, nesterov, alpha, beta1, beta2, epsilon,
                 weight_decay] = x;
    add_all(kind, momentum, nesterov, alpha, beta1, beta2, epsilon,
            weight_decay);
  }

  sha256 sum_;
};

} // namespace

std::string hash(const job& x) {
  const auto& [run, seed, model, optimizer, how, threads_per_stage, replicates,
               faults] = x;
  field_sum sum;
  sum.add_all(seed, model, optimizer, how, threads_per_stage, replicates,
              faults);
  return sum.finish();
}

} // namespace actorpipe
