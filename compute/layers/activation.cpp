// SPDX-License-Identifier: Apache-2.0
/// Activations as layers of their own; `linear` can also fuse them.
#include "compute/layers/builtin.hpp"
#include "compute/layers/checks.hpp"
#include "compute/layers/spec_reader.hpp"

#include <fmt/format.h>

namespace actorpipe {

namespace {

activation_kind kind_of(const layer_spec& spec) {
  if (spec.kind == "gelu")
    return activation_kind::gelu;
  if (spec.kind == "relu")
    return activation_kind::relu;
  if (spec.kind == "tanh")
    return activation_kind::tanh;
  throw model_error(
    fmt::format("an activation is gelu, relu or tanh, got {}", spec.kind));
}

class activation final : public layer {
public:
  explicit activation(const layer_spec& spec) : kind_(kind_of(spec)) {
    spec_reader(spec).finish();
  }

  std::vector<tensor_type>
  outputs(const std::vector<tensor_type>& inputs) const override {
    return {floating_input(inputs)};
  }

  layer_outputs forward(layer_context& ctx, const tensor_list& x,
                        const layer_weights&,
                        saved_state& saved) const override {
    auto y = ctx.ops.make(x.at(0).type());
    ctx.ops.activation_forward(kind_, y, x[0]);
    if (ctx.saving)
      saved.tensors = {x[0]};
    return {{y}, {}};
  }

  tensor_list backward_input(layer_context& ctx, const tensor_list& d_y,
                             const layer_weights&,
                             saved_state& saved) const override {
    const auto x = saved.tensors.at(0);
    saved = {};
    if (!ctx.needs_input_gradient)
      return {tensor()};
    auto d_x = ctx.ops.make(x.type());
    ctx.ops.activation_backward(kind_, d_x, d_y.at(0), x);
    return {d_x};
  }

  void backward_weight(layer_context&, tensor_list&,
                       saved_state&) const override {}

  layer_cost cost(const std::vector<tensor_type>& inputs) const override {
    const auto values = static_cast<double>(inputs.at(0).extents.elements());
    const auto flops = kind_ == activation_kind::relu ? 1.0 : 10.0;
    return {flops * values, flops * values, 2 * 4 * values};
  }

private:
  activation_kind kind_;
};

} // namespace

std::unique_ptr<layer> make_activation(const layer_spec& spec) {
  return std::make_unique<activation>(spec);
}

} // namespace actorpipe
