// SPDX-License-Identifier: Apache-2.0
/// Cross entropy, in pieces of rows whose losses are added in double.
#include "compute/cpu/cpu_operations.hpp"
#include "compute/cpu/kernels/softmax.hpp"
#include "compute/cpu/pieces.hpp"
#include "compute/cpu/scratch.hpp"
#include "compute/ops/index_error.hpp"
#include "compute/ops/preconditions.hpp"

#include <algorithm>
#include <numeric>

namespace actorpipe {

void cpu_operations::cross_entropy_forward(tensor loss_sum, tensor log_sum_exp,
                                           const tensor& logits,
                                           const tensor& targets,
                                           std::int32_t ignored) {
  require_scalar_f64(loss_sum);
  require_cross_entropy(logits, log_sum_exp, targets);
  const auto rows = logits.extents().rows();
  const auto classes = logits.extents().back();
  const auto part = piece_rows(classes);
  const auto* values = floats(logits);
  const auto* wanted = targets.data<std::int32_t>();
  auto* log_sums = writable_floats(log_sum_exp);
  std::vector<double> sums(static_cast<std::size_t>((rows + part - 1) / part));
  for_parts(rows, part, [&](std::int64_t begin, std::int64_t end) {
    scratch exponentials(*memory_, classes);
    double sum = 0;
    for (auto n = begin; n < end; ++n) {
      const auto* row = values + n * classes;
      log_sums[n] = kernels::log_sum_exp(row, exponentials.data(), classes);
      if (wanted[n] == ignored)
        continue;
      if (wanted[n] < 0 || wanted[n] >= classes)
        throw_bad_target(wanted[n], n, classes);
      sum += static_cast<double>(log_sums[n]) - row[wanted[n]];
    }
    sums[begin / part] = sum;
  });
  *loss_sum.data<double>() = std::accumulate(sums.begin(), sums.end(), 0.0);
}

void cpu_operations::cross_entropy_backward(
  tensor d_logits, const tensor& logits, const tensor& log_sum_exp,
  const tensor& targets, std::int32_t ignored, double scale) {
  require_alike(d_logits, logits);
  require_cross_entropy(logits, log_sum_exp, targets);
  const auto classes = logits.extents().back();
  const auto* values = floats(logits);
  const auto* log_sums = floats(log_sum_exp);
  const auto* wanted = targets.data<std::int32_t>();
  auto* gradients = writable_floats(d_logits);
  const auto factor = static_cast<float>(scale);
  for_parts(logits.extents().rows(), piece_rows(classes),
            [&](std::int64_t begin, std::int64_t end) {
              for (auto n = begin; n < end; ++n) {
                auto* row = gradients + n * classes;
                if (wanted[n] == ignored) {
                  std::fill_n(row, classes, 0.0F);
                  continue;
                }
                kernels::scaled_exp(row, values + n * classes, log_sums[n],
                                    factor, classes);
                row[wanted[n]] -= factor;
              }
            });
}

} // namespace actorpipe
