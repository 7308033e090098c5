// SPDX-License-Identifier: Apache-2.0
/// The linear layer with a fused activation; its weight may be tied.
#include "compute/layers/affine.hpp"
#include "compute/layers/builtin.hpp"
#include "compute/layers/checks.hpp"
#include "compute/layers/spec_reader.hpp"

#include <cmath>

namespace actorpipe {

namespace {

class linear final : public layer {
public:
  explicit linear(const layer_spec& spec) {
    spec_reader read(spec);
    inputs_ = read.integer("inputs", 1);
    outputs_ = read.integer("outputs", 1);
    activation_ =
      read.choice_or<activation_kind>("activation", activation_kind::none,
                                      {{"none", activation_kind::none},
                                       {"gelu", activation_kind::gelu},
                                       {"relu", activation_kind::relu},
                                       {"tanh", activation_kind::tanh}});
    tied_ = read.has("tie");
    weight_name_ = tied_ ? read.text("tie") : spec.name + ".weight";
    has_bias_ = read.flag_or("bias", !tied_);
    bias_name_ = spec.name + ".bias";
    if (read.has("deviation")) {
      weight_initial_ = {initializer::kind::normal,
                         read.number("deviation", 0, spec_reader::unbounded)};
    } else {
      weight_initial_ = {initializer::kind::uniform,
                         1 / std::sqrt(static_cast<double>(inputs_))};
      bias_initial_ = weight_initial_;
    }
    read.finish();
  }

  std::vector<tensor_type>
  outputs(const std::vector<tensor_type>& inputs) const override {
    const auto& x = floating_input(inputs, inputs_);
    return {{x.type, x.extents.with_back(outputs_)}};
  }

  std::vector<parameter_use> parameters() const override {
    std::vector<parameter_use> result{
      {weight_name_, {outputs_, inputs_}, weight_initial_, true, tied_}};
    if (has_bias_)
      result.push_back({bias_name_, {outputs_}, bias_initial_, false, false});
    return result;
  }

  layer_outputs forward(layer_context& ctx, const tensor_list& x,
                        const layer_weights& w,
                        saved_state& saved) const override {
    tensor pre_activation; // [B, .., O]
    if (ctx.saving && activates())
      pre_activation =
        ctx.ops.make({x.at(0).element(), x[0].extents().with_back(outputs_)});
    auto y = affine_forward(ctx.ops, x.at(0), w.parameters.at(0),
                            has_bias_ ? w.parameters.at(1) : tensor(),
                            activation_, pre_activation);
    if (ctx.saving)
      saved.tensors = {x[0], pre_activation};
    return {{y}, {}};
  }

  tensor_list backward_input(layer_context& ctx, const tensor_list& d_y,
                             const layer_weights& w,
                             saved_state& saved) const override {
    auto d_affine = d_y.at(0); // [B, .., O]
    if (activates()) {
      // Written over the saved pre-activation, which nobody else holds.
      const auto pre_activation = saved.tensors.at(1);
      d_affine = pre_activation;
      ctx.ops.activation_backward(activation_, d_affine, d_y[0],
                                  pre_activation);
    }
    saved.tensors.at(1) = d_affine;
    if (!ctx.needs_input_gradient)
      return {tensor()};
    return {affine_backward_input(ctx.ops, d_affine, w.parameters.at(0))};
  }

  void backward_weight(layer_context& ctx, tensor_list& d_w,
                       saved_state& saved) const override {
    affine_backward_weight(ctx.ops, saved.tensors.at(1), saved.tensors.at(0),
                           d_w.at(0), has_bias_ ? d_w.at(1) : tensor());
  }

  layer_cost cost(const std::vector<tensor_type>& inputs) const override {
    const auto N = inputs.at(0).extents.rows();
    const auto flops = affine_flops(N, inputs_, outputs_);
    return {
      flops, 2 * flops,
      4.0 * static_cast<double>(N * (inputs_ + outputs_) + inputs_ * outputs_)};
  }

private:
  bool activates() const { return activation_ != activation_kind::none; }

  std::int64_t inputs_;
  std::int64_t outputs_;
  activation_kind activation_;
  bool tied_;
  bool has_bias_;
  std::string weight_name_;
  std::string bias_name_;
  initializer weight_initial_;
  initializer bias_initial_;
};

} // namespace

std::unique_ptr<layer> make_linear(const layer_spec& spec) {
  return std::make_unique<linear>(spec);
}

} // namespace actorpipe
