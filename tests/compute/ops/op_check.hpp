// SPDX-License-Identifier: Apache-2.0
/// Compares an operation of the cpu with the reference.
#pragma once

#include "compute/ops/operations.hpp"

#include <cstdint>
#include <functional>

namespace actorpipe::test {

/// Calls operations on the inputs and returns what they wrote.
using op_call =
  std::function<tensor_list(operations& ops, const tensor_list& x)>;

/// How far a value may be from the reference's `r`: absolute + relative * |r|.
struct tolerance {
  double absolute = 0;
  double relative = 0;
};

/// Expects that the cpu's outputs are within the tolerance of the reference's,
/// and that they are the same bits for 1, 2 and 3 threads and for inputs that
/// start anywhere in memory.
void check_op(const tensor_list& inputs, const op_call& call,
              const tolerance& allowed);

/// What the reference writes.
tensor_list on_reference(const tensor_list& inputs, const op_call& call);

/// What the cpu writes with so many threads.
tensor_list on_cpu(std::size_t threads, const tensor_list& inputs,
                   const op_call& call);

/// Expects the same types and bits.
void expect_same_bits(const tensor& expected, const tensor& actual);

/// Values between -scale and scale that depend on the seed alone.
tensor random_values(const shape& extents, std::uint64_t seed,
                     double scale = 1);

/// Integers in [0, limit).
tensor random_integers(const shape& extents, std::uint64_t seed,
                       std::int32_t limit);

/// A copy of another float type.
tensor as_f64(const tensor& x);

/// The values as doubles, in order.
std::vector<double> values_of(const tensor& x);

} // namespace actorpipe::test
