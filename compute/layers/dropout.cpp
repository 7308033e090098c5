// SPDX-License-Identifier: Apache-2.0
/// Dropout: the mask is computed again in the backward, so nothing is saved.
#include "compute/layers/builtin.hpp"
#include "compute/layers/checks.hpp"
#include "compute/layers/spec_reader.hpp"

namespace actorpipe {

namespace {

class dropout final : public layer {
public:
  explicit dropout(const layer_spec& spec) {
    spec_reader read(spec);
    p_ = read.number("p", 0, 1);
    read.finish();
  }

  std::vector<tensor_type>
  outputs(const std::vector<tensor_type>& inputs) const override {
    return {floating_input(inputs)};
  }

  layer_outputs forward(layer_context& ctx, const tensor_list& x,
                        const layer_weights&, saved_state&) const override {
    return {{masked(ctx, x.at(0))}, {}};
  }

  tensor_list backward_input(layer_context& ctx, const tensor_list& d_y,
                             const layer_weights&,
                             saved_state&) const override {
    if (!ctx.needs_input_gradient)
      return {tensor()};
    return {masked(ctx, d_y.at(0))};
  }

  void backward_weight(layer_context&, tensor_list&,
                       saved_state&) const override {}

  layer_cost cost(const std::vector<tensor_type>& inputs) const override {
    const auto values = static_cast<double>(inputs.at(0).extents.elements());
    return {10 * values, 10 * values, 2 * 4 * values};
  }

private:
  /// The layer is linear, so one function is both directions. [B, ..]
  tensor masked(const layer_context& ctx, const tensor& x) const {
    if (p_ == 0 || ctx.mode == run_mode::evaluate)
      return x;
    auto y = ctx.ops.make(x.type());
    ctx.ops.dropout(y, x, p_, ctx.key(), ctx.first_sample);
    return y;
  }

  double p_;
};

} // namespace

std::unique_ptr<layer> make_dropout(const layer_spec& spec) {
  return std::make_unique<dropout>(spec);
}

} // namespace actorpipe
