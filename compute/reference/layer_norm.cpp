// SPDX-License-Identifier: Apache-2.0
/// Layer normalisation row by row (Ba et al. 2016, arXiv 1607.06450).
#include "compute/ops/preconditions.hpp"
#include "compute/reference/by_type.hpp"
#include "compute/reference/reference_operations.hpp"

#include <cmath>

namespace actorpipe {

void reference_operations::layer_norm_forward(tensor y, tensor mean,
                                              tensor rstd, const tensor& x,
                                              const tensor& gamma,
                                              const tensor& beta,
                                              double epsilon) {
  require_layer_norm(y, mean, rstd, x, gamma);
  require_alike(gamma, beta);
  const auto columns = x.extents().back();
  by_float_type(x.element(), [&]<class T>(T) {
    for (std::int64_t n = 0; n < x.extents().rows(); ++n) {
      const auto* x_row = x.data<T>() + n * columns;
      double sum = 0;
      for (std::int64_t c = 0; c < columns; ++c)
        sum += x_row[c];
      const double mu = sum / static_cast<double>(columns);
      double squares = 0;
      for (std::int64_t c = 0; c < columns; ++c)
        squares += (x_row[c] - mu) * (x_row[c] - mu);
      const double r =
        1 / std::sqrt(squares / static_cast<double>(columns) + epsilon);
      mean.data<T>()[n] = static_cast<T>(mu);
      rstd.data<T>()[n] = static_cast<T>(r);
      for (std::int64_t c = 0; c < columns; ++c)
        y.data<T>()[n * columns + c] = static_cast<T>(
          (x_row[c] - mu) * r * gamma.data<T>()[c] + beta.data<T>()[c]);
    }
  });
}

void reference_operations::layer_norm_backward_input(
  tensor d_x, const tensor& d_y, const tensor& x, const tensor& mean,
  const tensor& rstd, const tensor& gamma) {
  require_alike(d_x, d_y);
  require_layer_norm(d_y, mean, rstd, x, gamma);
  const auto columns = x.extents().back();
  by_float_type(x.element(), [&]<class T>(T) {
    for (std::int64_t n = 0; n < x.extents().rows(); ++n) {
      const double mu = mean.data<T>()[n];
      const double r = rstd.data<T>()[n];
      const auto normalized = [&](std::int64_t c) {
        return (x.data<T>()[n * columns + c] - mu) * r;
      };
      const auto d_normalized = [&](std::int64_t c) {
        return static_cast<double>(d_y.data<T>()[n * columns + c])
             * gamma.data<T>()[c];
      };
      double sum = 0;
      double product = 0;
      for (std::int64_t c = 0; c < columns; ++c) {
        sum += d_normalized(c);
        product += d_normalized(c) * normalized(c);
      }
      sum /= static_cast<double>(columns);
      product /= static_cast<double>(columns);
      for (std::int64_t c = 0; c < columns; ++c)
        d_x.data<T>()[n * columns + c] =
          static_cast<T>((d_normalized(c) - sum - normalized(c) * product) * r);
    }
  });
}

void reference_operations::layer_norm_backward_weight(
  tensor d_gamma, tensor d_beta, const tensor& d_y, const tensor& x,
  const tensor& mean, const tensor& rstd) {
  require_layer_norm(d_y, mean, rstd, x, d_gamma);
  require_alike(d_gamma, d_beta);
  const auto columns = x.extents().back();
  by_float_type(x.element(), [&]<class T>(T) {
    for (std::int64_t c = 0; c < columns; ++c) {
      double gamma_sum = d_gamma.data<T>()[c];
      double beta_sum = d_beta.data<T>()[c];
      for (std::int64_t n = 0; n < x.extents().rows(); ++n) {
        const double dy = d_y.data<T>()[n * columns + c];
        const double mu = mean.data<T>()[n];
        const double r = rstd.data<T>()[n];
        gamma_sum += dy * (x.data<T>()[n * columns + c] - mu) * r;
        beta_sum += dy;
      }
      d_gamma.data<T>()[c] = static_cast<T>(gamma_sum);
      d_beta.data<T>()[c] = static_cast<T>(beta_sum);
    }
  });
}

} // namespace actorpipe
