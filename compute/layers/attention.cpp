// SPDX-License-Identifier: Apache-2.0
/// Causal multi-head self-attention: projections and attention in one layer,
/// so that queries, keys and values stay packed.
#include "compute/layers/affine.hpp"
#include "compute/layers/builtin.hpp"
#include "compute/layers/checks.hpp"
#include "compute/layers/spec_reader.hpp"

#include <fmt/format.h>

namespace actorpipe {

namespace {

class attention final : public layer {
public:
  explicit attention(const layer_spec& spec) : name_(spec.name) {
    spec_reader read(spec);
    width_ = read.integer("width", 1);
    heads_ = read.integer("heads", 1);
    if (width_ % heads_ != 0)
      read.fail(fmt::format("'width' must be divisible by 'heads', got {} and "
                            "{}",
                            width_, heads_));
    has_bias_ = read.flag_or("bias", true);
    deviation_ = read.number_or("deviation", 0.02, 0, spec_reader::unbounded);
    output_deviation_ =
      read.number_or("output_deviation", deviation_, 0, spec_reader::unbounded);
    read.finish();
  }

  std::vector<tensor_type>
  outputs(const std::vector<tensor_type>& inputs) const override {
    const auto& x = floating_input(inputs, width_);
    if (x.extents.rank() != 3)
      throw model_error(fmt::format("takes f32 or f64 [B, T, {}], got {}",
                                    width_, to_string(x)));
    return {x};
  }

  std::vector<parameter_use> parameters() const override {
    const auto normal = initializer::kind::normal;
    const auto C = width_;
    std::vector<parameter_use> result{
      {name_ + ".qkv.weight", {3 * C, C}, {normal, deviation_}},
      {name_ + ".output.weight", {C, C}, {normal, output_deviation_}}};
    if (has_bias_) {
      result.push_back({name_ + ".qkv.bias", {3 * C}, {}, false});
      result.push_back({name_ + ".output.bias", {C}, {}, false});
    }
    return result;
  }

  layer_outputs forward(layer_context& ctx, const tensor_list& x,
                        const layer_weights& w,
                        saved_state& saved) const override {
    const auto& extents = x.at(0).extents();
    const auto B = extents[0];
    const auto T = extents[1];
    const auto type = x[0].element();
    auto qkv = affine_forward(ctx.ops, x[0], w.parameters.at(qkv_weight),
                              bias(w.parameters, qkv_bias)); // [B, T, 3C]
    auto mixed = ctx.ops.make(x[0].type());                  // [B, T, C]
    auto probabilities = ctx.ops.make({type, {B, heads_, T, T}});
    ctx.ops.attention_forward({qkv, mixed, probabilities, heads_});
    if (ctx.saving)
      saved.tensors = {x[0], qkv, probabilities, mixed};
    qkv = {};
    probabilities = {};
    return {{affine_forward(ctx.ops, mixed, w.parameters.at(output_weight),
                            bias(w.parameters, output_bias))},
            {}};
  }

  tensor_list backward_input(layer_context& ctx, const tensor_list& d_y,
                             const layer_weights& w,
                             saved_state& saved) const override {
    const auto x = saved.tensors.at(0);
    const auto mixed = saved.tensors.at(3);
    auto d_qkv = ctx.ops.make(saved.tensors.at(1).type());
    ctx.ops.attention_backward(
      {affine_backward_input(ctx.ops, d_y.at(0),
                             w.parameters.at(output_weight)),
       saved.tensors.at(1), saved.tensors.at(2), d_qkv, heads_});
    saved.tensors = {x, d_qkv, mixed, d_y[0]};
    if (!ctx.needs_input_gradient)
      return {tensor()};
    return {affine_backward_input(ctx.ops, d_qkv, w.parameters.at(qkv_weight))};
  }

  void backward_weight(layer_context& ctx, tensor_list& d_w,
                       saved_state& saved) const override {
    const auto& kept = saved.tensors; // x, d_qkv, mixed, d_y
    affine_backward_weight(ctx.ops, kept.at(3), kept.at(2),
                           d_w.at(output_weight), bias(d_w, output_bias));
    affine_backward_weight(ctx.ops, kept.at(1), kept.at(0), d_w.at(qkv_weight),
                           bias(d_w, qkv_bias));
  }

  layer_cost cost(const std::vector<tensor_type>& inputs) const override {
    const auto& extents = inputs.at(0).extents;
    const auto N = extents.rows();
    const auto T = extents[1];
    // Scores and their use on the values, half of each by causality.
    const auto mixing = affine_flops(N, T, width_);
    const auto flops = affine_flops(N, width_, 4 * width_) + mixing;
    const auto C = static_cast<double>(width_);
    const auto scores =
      static_cast<double>(heads_) * static_cast<double>(T); // of one row
    const auto moved =
      static_cast<double>(N) * (6 * C + 2 * scores) + 4 * C * C;
    return {flops, 2 * flops, 4 * moved};
  }

private:
  enum : std::size_t { qkv_weight, output_weight, qkv_bias, output_bias };

  tensor bias(const tensor_list& all, std::size_t index) const {
    return has_bias_ ? all.at(index) : tensor();
  }

  std::string name_;
  std::int64_t width_;
  std::int64_t heads_;
  bool has_bias_;
  double deviation_;
  double output_deviation_;
};

} // namespace

std::unique_ptr<layer> make_attention(const layer_spec& spec) {
  return std::make_unique<attention>(spec);
}

} // namespace actorpipe
