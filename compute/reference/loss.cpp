// SPDX-License-Identifier: Apache-2.0
/// Cross entropy, row by row.
#include "compute/ops/index_error.hpp"
#include "compute/ops/preconditions.hpp"
#include "compute/reference/by_type.hpp"
#include "compute/reference/reference_operations.hpp"

#include <algorithm>
#include <cmath>

namespace actorpipe {

void reference_operations::cross_entropy_forward(tensor loss_sum,
                                                 tensor log_sum_exp,
                                                 const tensor& logits,
                                                 const tensor& targets,
                                                 std::int32_t ignored) {
  require_scalar_f64(loss_sum);
  require_cross_entropy(logits, log_sum_exp, targets);
  const auto classes = logits.extents().back();
  by_float_type(logits.element(), [&]<class T>(T) {
    double total = 0;
    for (std::int64_t n = 0; n < targets.elements(); ++n) {
      const auto* row = logits.data<T>() + n * classes;
      const double greatest = *std::max_element(row, row + classes);
      double sum = 0;
      for (std::int64_t v = 0; v < classes; ++v)
        sum += std::exp(row[v] - greatest);
      const double log_sum = greatest + std::log(sum);
      log_sum_exp.data<T>()[n] = static_cast<T>(log_sum);
      const auto target = targets.data<std::int32_t>()[n];
      if (target == ignored)
        continue;
      if (target < 0 || target >= classes)
        throw_bad_target(target, n, classes);
      total += log_sum - row[target];
    }
    *loss_sum.data<double>() = total;
  });
}

void reference_operations::cross_entropy_backward(
  tensor d_logits, const tensor& logits, const tensor& log_sum_exp,
  const tensor& targets, std::int32_t ignored, double scale) {
  require_alike(d_logits, logits);
  require_cross_entropy(logits, log_sum_exp, targets);
  const auto classes = logits.extents().back();
  by_float_type(logits.element(), [&]<class T>(T) {
    for (std::int64_t n = 0; n < targets.elements(); ++n) {
      const auto target = targets.data<std::int32_t>()[n];
      const double log_sum = log_sum_exp.data<T>()[n];
      for (std::int64_t v = 0; v < classes; ++v) {
        const auto at = n * classes + v;
        const double hot = v == target ? 1 : 0;
        d_logits.data<T>()[at] =
          target == ignored
            ? T{0}
            : static_cast<T>(
              scale * (std::exp(logits.data<T>()[at] - log_sum) - hot));
      }
    }
  });
}

} // namespace actorpipe
