// SPDX-License-Identifier: Apache-2.0
/// The comparison of operations, and made-up inputs.
#include "op_check.hpp"

#include "compute/device/device.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <latch>

namespace actorpipe::test {
namespace {

tensor_list run_on(const std::shared_ptr<device>& where,
                   const tensor_list& inputs, const op_call& call) {
  auto work = where->make_stream(nullptr);
  auto outputs = call(work->ops(), inputs);
  work->record().wait();
  return outputs;
}

/// Returns when all threads of the device are awake, so that they take part in
/// what comes next: each waits in a piece for the others.
void gather(operations& ops, std::size_t threads) {
  std::latch all(static_cast<std::ptrdiff_t>(threads));
  ops.enqueue(static_cast<std::int64_t>(threads),
              [&](std::int64_t) { all.arrive_and_wait(); });
}

/// A copy that starts one element behind an aligned address.
tensor shifted(const tensor& x) {
  if (!x.defined())
    return x;
  auto whole = tensor::zeros({x.element(), shape{x.elements() + 1}});
  auto result = whole.rows(1, x.elements() + 1).reshaped(x.extents());
  std::memcpy(result.bytes(), x.bytes(),
              static_cast<std::size_t>(x.size_bytes()));
  return result;
}

void expect_close(const tensor& expected, const tensor& actual,
                  const tolerance& allowed) {
  ASSERT_EQ(to_string(expected.type()), to_string(actual.type()));
  const auto want = values_of(expected);
  const auto got = values_of(actual);
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (std::isnan(want[i]) || std::isinf(want[i])) {
      ASSERT_EQ(std::isnan(want[i]), std::isnan(got[i])) << "at " << i;
      ASSERT_EQ(std::isinf(want[i]), std::isinf(got[i])) << "at " << i;
    } else {
      ASSERT_NEAR(want[i], got[i],
                  allowed.absolute + allowed.relative * std::abs(want[i]))
        << "at " << i << " of " << to_string(expected.type());
    }
  }
}

} // namespace

void check_op(const tensor_list& inputs, const op_call& call,
              const tolerance& allowed) {
  const auto expected = on_reference(inputs, call);
  const auto actual = on_cpu(1, inputs, call);
  ASSERT_EQ(expected.size(), actual.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    expect_close(expected[i], actual[i], allowed);

  tensor_list elsewhere;
  for (const auto& x : inputs)
    elsewhere.push_back(shifted(x));
  for (const auto& again : {on_cpu(2, inputs, call), on_cpu(3, inputs, call),
                            on_cpu(1, elsewhere, call)})
    for (std::size_t i = 0; i < actual.size(); ++i)
      expect_same_bits(actual[i], again[i]);
}

tensor_list on_reference(const tensor_list& inputs, const op_call& call) {
  return run_on(make_reference_device("reference"), inputs, call);
}

tensor_list on_cpu(std::size_t threads, const tensor_list& inputs,
                   const op_call& call) {
  const auto awake = [=](operations& ops, const tensor_list& x) {
    gather(ops, threads);
    return call(ops, x);
  };
  return run_on(make_cpu_device("cpu", threads), inputs, awake);
}

void expect_same_bits(const tensor& expected, const tensor& actual) {
  ASSERT_EQ(to_string(expected.type()), to_string(actual.type()));
  EXPECT_EQ(0, std::memcmp(expected.bytes(), actual.bytes(),
                           static_cast<std::size_t>(expected.size_bytes())))
    << to_string(expected.type());
}

tensor random_values(const shape& extents, std::uint64_t seed, double scale) {
  std::vector<float> values(static_cast<std::size_t>(extents.elements()));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(
      (draw({seed}, i, 0).values[0] / 2147483648.0 - 1) * scale);
  return tensor::from(extents, values);
}

tensor random_integers(const shape& extents, std::uint64_t seed,
                       std::int32_t limit) {
  std::vector<std::int32_t> values(
    static_cast<std::size_t>(extents.elements()));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<std::int32_t>(draw({seed}, i, 1).values[0]
                                          % static_cast<std::uint32_t>(limit));
  return tensor::from(extents, values);
}

tensor as_f64(const tensor& x) {
  return tensor::from(x.extents(), values_of(x));
}

std::vector<double> values_of(const tensor& x) {
  const auto count = static_cast<std::size_t>(x.elements());
  if (x.element() == dtype::f64)
    return {x.data<double>(), x.data<double>() + count};
  return {x.data<float>(), x.data<float>() + count};
}

} // namespace actorpipe::test
