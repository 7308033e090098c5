// SPDX-License-Identifier: Apache-2.0
/// The layer norm over the innermost extent.
#include "compute/layers/builtin.hpp"
#include "compute/layers/checks.hpp"
#include "compute/layers/spec_reader.hpp"

namespace actorpipe {

namespace {

class layer_norm final : public layer {
public:
  explicit layer_norm(const layer_spec& spec) : name_(spec.name) {
    spec_reader read(spec);
    width_ = read.integer("width", 1);
    epsilon_ = read.number_or("epsilon", 1e-5, 1e-12, 1);
    read.finish();
  }

  std::vector<tensor_type>
  outputs(const std::vector<tensor_type>& inputs) const override {
    return {floating_input(inputs, width_)};
  }

  std::vector<parameter_use> parameters() const override {
    const auto constant = initializer::kind::constant;
    return {{name_ + ".weight", {width_}, {constant, 1}, false},
            {name_ + ".bias", {width_}, {constant, 0}, false}};
  }

  layer_outputs forward(layer_context& ctx, const tensor_list& x,
                        const layer_weights& w,
                        saved_state& saved) const override {
    const auto type = x.at(0).element();
    const shape N{x[0].extents().rows()};
    auto y = ctx.ops.make(x[0].type()); // [B, .., C]
    auto mean = ctx.ops.make({type, N});
    auto rstd = ctx.ops.make({type, N});
    ctx.ops.layer_norm_forward(as_rows(y), mean, rstd, as_rows(x[0]),
                               w.parameters.at(0), w.parameters.at(1),
                               epsilon_);
    if (ctx.saving)
      saved.tensors = {x[0], mean, rstd};
    return {{y}, {}};
  }

  tensor_list backward_input(layer_context& ctx, const tensor_list& d_y,
                             const layer_weights& w,
                             saved_state& saved) const override {
    saved.tensors.push_back(d_y.at(0));
    if (!ctx.needs_input_gradient)
      return {tensor()};
    const auto& x = saved.tensors.at(0);
    auto d_x = ctx.ops.make(x.type());
    ctx.ops.layer_norm_backward_input(as_rows(d_x), as_rows(d_y[0]), as_rows(x),
                                      saved.tensors.at(1), saved.tensors.at(2),
                                      w.parameters.at(0));
    return {d_x};
  }

  void backward_weight(layer_context& ctx, tensor_list& d_w,
                       saved_state& saved) const override {
    const auto& kept = saved.tensors; // x, mean, rstd, d_y
    ctx.ops.layer_norm_backward_weight(d_w.at(0), d_w.at(1),
                                       as_rows(kept.at(3)), as_rows(kept.at(0)),
                                       kept.at(1), kept.at(2));
  }

  layer_cost cost(const std::vector<tensor_type>& inputs) const override {
    const auto values = static_cast<double>(inputs.at(0).extents.elements());
    return {8 * values, 14 * values, 2 * 4 * values};
  }

private:
  std::string name_;
  std::int64_t width_;
  double epsilon_;
};

} // namespace

std::unique_ptr<layer> make_layer_norm(const layer_spec& spec) {
  return std::make_unique<layer_norm>(spec);
}

} // namespace actorpipe
