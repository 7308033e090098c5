// SPDX-License-Identifier: Apache-2.0
/// The preconditions of the operations, as assertions.
#include "compute/ops/preconditions.hpp"

#include <cassert>

namespace actorpipe {
namespace {

/// Asserts in a build that has assertions; reads its argument in all.
void require([[maybe_unused]] bool holds) {
  assert(holds);
}

} // namespace

void require_alike(const tensor& a, const tensor& b) {
  require(a.defined() && b.defined());
  require(a.type() == b.type());
}

void require_alike(const tensor& a, const tensor& b, const tensor& c) {
  require_alike(a, b);
  require_alike(a, c);
}

void require_matmul(const matmul_args& args) {
  const auto& [a, b, y, transpose_a, transpose_b, accumulate, bias, activation,
               pre_activation] = args;
  const auto rows = transpose_a ? a.extents().back() : a.extents().rows();
  const auto inner = transpose_a ? a.extents().rows() : a.extents().back();
  const auto columns = transpose_b ? b.extents().rows() : b.extents().back();
  require(a.element() == y.element() && b.element() == y.element());
  require(inner == (transpose_b ? b.extents().back() : b.extents().rows()));
  require(rows == y.extents().rows() && columns == y.extents().back());
  require(!bias.defined()
          || (bias.elements() == columns && bias.element() == y.element()));
  require(!pre_activation.defined()
          || (pre_activation.elements() == y.elements()
              && pre_activation.element() == y.element()));
  require(!accumulate
          || (!bias.defined() && activation == activation_kind::none
              && !pre_activation.defined()));
}

void require_column_sum(const tensor& d_b, const tensor& d_y) {
  require(d_b.elements() == d_y.extents().back());
  require(d_b.element() == d_y.element());
}

void require_scalar_f64(const tensor& y) {
  require(y.element() == dtype::f64 && y.elements() == 1);
}

void require_layer_norm(const tensor& y, const tensor& mean, const tensor& rstd,
                        const tensor& x, const tensor& per_column) {
  require_alike(x, y);
  require(mean.elements() == x.extents().rows());
  require(rstd.elements() == x.extents().rows());
  require(per_column.elements() == x.extents().back());
  require(mean.element() == x.element() && rstd.element() == x.element());
  require(per_column.element() == x.element());
}

void require_attention(const tensor& qkv, const tensor& y,
                       const tensor& probabilities, std::int64_t heads) {
  require(y.extents().rank() == 3 && qkv.extents().rank() == 3);
  const auto samples = y.extents()[0];
  const auto steps = y.extents()[1];
  const auto width = y.extents()[2];
  require(heads > 0 && width % heads == 0);
  require(qkv.extents() == shape{samples, steps, 3 * width});
  require(probabilities.extents() == shape{samples, heads, steps, steps});
  require(qkv.element() == y.element());
  require(probabilities.element() == y.element());
}

void require_embedding(const tensor& y, const tensor& tokens,
                       const tensor& table, const tensor& positions) {
  require(tokens.element() == dtype::u8 || tokens.element() == dtype::i32);
  require(tokens.extents().rank() == 2);
  require(y.extents().rows() == tokens.elements());
  require(y.extents().back() == table.extents().back());
  require(y.element() == table.element());
  require(!positions.defined()
          || (positions.extents().back() == y.extents().back()
              && positions.extents().rows() >= tokens.extents()[1]
              && positions.element() == y.element()));
}

void require_cross_entropy(const tensor& logits, const tensor& log_sum_exp,
                           const tensor& targets) {
  require(targets.element() == dtype::i32);
  require(targets.elements() == logits.extents().rows());
  require(log_sum_exp.elements() == logits.extents().rows());
  require(log_sum_exp.element() == logits.element());
}

void require_optimizer(const optimizer_args& args, std::size_t slots) {
  require_alike(args.w, args.d_w, args.w_next);
  require(args.slots.size() == slots && args.slots_next.size() == slots);
  for (std::size_t i = 0; i < slots; ++i)
    require_alike(args.w, args.slots[i], args.slots_next[i]);
}

} // namespace actorpipe
