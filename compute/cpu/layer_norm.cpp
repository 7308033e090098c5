// SPDX-License-Identifier: Apache-2.0
/// Layer normalisation, in pieces of rows; its weights' gradients in pieces of
/// columns.
#include "compute/cpu/kernels/layer_norm.hpp"

#include "compute/cpu/cpu_operations.hpp"
#include "compute/cpu/kernels/reductions.hpp"
#include "compute/cpu/pieces.hpp"
#include "compute/ops/preconditions.hpp"

namespace actorpipe {

void cpu_operations::layer_norm_forward(tensor y, tensor mean, tensor rstd,
                                        const tensor& x, const tensor& gamma,
                                        const tensor& beta, double epsilon) {
  require_layer_norm(y, mean, rstd, x, gamma);
  require_alike(gamma, beta);
  const auto columns = x.extents().back();
  auto* to = writable_floats(y);
  auto* means = writable_floats(mean);
  auto* rstds = writable_floats(rstd);
  const auto* from = floats(x);
  const auto* slope = floats(gamma);
  const auto* shift = floats(beta);
  for_parts(x.extents().rows(), piece_rows(columns),
            [=](std::int64_t begin, std::int64_t end) {
              kernels::layer_norm_forward(
                to + begin * columns, means + begin, rstds + begin,
                from + begin * columns, slope, shift,
                static_cast<float>(epsilon), end - begin, columns);
            });
}

void cpu_operations::layer_norm_backward_input(tensor d_x, const tensor& d_y,
                                               const tensor& x,
                                               const tensor& mean,
                                               const tensor& rstd,
                                               const tensor& gamma) {
  require_alike(d_x, d_y);
  require_layer_norm(d_y, mean, rstd, x, gamma);
  const auto columns = x.extents().back();
  auto* to = writable_floats(d_x);
  const auto* gradient = floats(d_y);
  const auto* from = floats(x);
  const auto* means = floats(mean);
  const auto* rstds = floats(rstd);
  const auto* slope = floats(gamma);
  for_parts(x.extents().rows(), piece_rows(columns),
            [=](std::int64_t begin, std::int64_t end) {
              kernels::layer_norm_backward_input(
                to + begin * columns, gradient + begin * columns,
                from + begin * columns, means + begin, rstds + begin, slope,
                end - begin, columns);
            });
}

void cpu_operations::layer_norm_backward_weight(tensor d_gamma, tensor d_beta,
                                                const tensor& d_y,
                                                const tensor& x,
                                                const tensor& mean,
                                                const tensor& rstd) {
  require_layer_norm(d_y, mean, rstd, x, d_gamma);
  require_alike(d_gamma, d_beta);
  const auto rows = x.extents().rows();
  const auto columns = x.extents().back();
  auto* gamma_sums = writable_floats(d_gamma);
  auto* beta_sums = writable_floats(d_beta);
  const auto* gradient = floats(d_y);
  const auto* from = floats(x);
  const auto* means = floats(mean);
  const auto* rstds = floats(rstd);
  for_parts(
    columns, kernels::strip_columns, [=](std::int64_t begin, std::int64_t end) {
      kernels::layer_norm_weight_sum(gamma_sums + begin, beta_sums + begin,
                                     gradient + begin, from + begin, means,
                                     rstds, rows, end - begin, columns);
    });
}

} // namespace actorpipe
