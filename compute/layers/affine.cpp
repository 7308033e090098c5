// SPDX-License-Identifier: Apache-2.0
/// The three matrix products of an affine map.
#include "compute/layers/affine.hpp"

#include "compute/layers/checks.hpp"

namespace actorpipe {

tensor affine_forward(operations& ops, const tensor& x, const tensor& weight,
                      const tensor& bias, activation_kind activation,
                      const tensor& pre_activation) {
  const auto O = weight.extents()[0];
  auto y = ops.make({x.element(), x.extents().with_back(O)});
  matmul_args args;
  args.a = as_rows(x); // [N, I]
  args.b = weight;     // [O, I]
  args.transpose_b = true;
  args.y = as_rows(y); // [N, O]
  args.bias = bias;
  args.activation = activation;
  if (pre_activation.defined())
    args.pre_activation = as_rows(pre_activation);
  ops.matmul(args);
  return y;
}

tensor affine_backward_input(operations& ops, const tensor& d_y,
                             const tensor& weight) {
  const auto I = weight.extents()[1];
  auto d_x = ops.make({d_y.element(), d_y.extents().with_back(I)});
  matmul_args args;
  args.a = as_rows(d_y); // [N, O]
  args.b = weight;       // [O, I]
  args.y = as_rows(d_x); // [N, I]
  ops.matmul(args);
  return d_x;
}

void affine_backward_weight(operations& ops, const tensor& d_y, const tensor& x,
                            const tensor& d_weight, const tensor& d_bias) {
  matmul_args args;
  args.a = as_rows(d_y); // [N, O]
  args.transpose_a = true;
  args.b = as_rows(x); // [N, I]
  args.y = d_weight;   // [O, I]
  args.accumulate = true;
  ops.matmul(args);
  if (d_bias.defined())
    ops.column_sum(d_bias, as_rows(d_y));
}

double affine_flops(std::int64_t rows, std::int64_t inputs,
                    std::int64_t outputs) {
  return 2.0 * static_cast<double>(rows) * static_cast<double>(inputs)
       * static_cast<double>(outputs);
}

} // namespace actorpipe
