// SPDX-License-Identifier: Apache-2.0
/// A layer of one's own, registered by name.
///
/// "swish": y[N, C] = x * sigmoid(beta * x) with one trained beta[C] per column
/// (Ramachandran et al. 2017, arXiv 1710.05941). Inputs [B, .., C] are taken as
/// N rows.
#include "swish.hpp"

#include "compute/layers/spec_reader.hpp"

#include <cmath>
#include <memory>

using namespace actorpipe;

namespace {

float sigmoid(float x) {
  return 1 / (1 + std::exp(-x));
}

class swish final : public layer {
public:
  explicit swish(const layer_spec& spec) : name_(spec.name) {
    spec_reader read(spec);
    width_ = read.integer("width", 1);
    read.finish();
  }

  std::vector<tensor_type>
  outputs(const std::vector<tensor_type>& inputs) const override {
    if (inputs.size() != 1 || inputs[0].type != dtype::f32
        || inputs[0].extents.rank() < 2 || inputs[0].extents.back() != width_)
      throw model_error("takes f32 [B, .., " + std::to_string(width_)
                        + "], got " + to_string(inputs));
    return inputs;
  }

  std::vector<parameter_use> parameters() const override {
    parameter_use beta{name_ + ".beta", {width_}, {}};
    beta.initial = {initializer::kind::constant, 1};
    beta.decays = false;
    return {beta};
  }

  layer_outputs forward(layer_context& ctx, const tensor_list& x,
                        const layer_weights& w,
                        saved_state& saved) const override {
    auto y = ctx.ops.make(x[0].type()); // [B, .., C]
    // One piece per row: what is written is disjoint, and the number of pieces
    // depends on shapes alone.
    ctx.ops.enqueue(rows(x[0]),
                    [C = width_, y, x = x[0],
                     beta = w.parameters[0]](std::int64_t n) mutable {
                      const auto* in = x.data<float>() + n * C;
                      auto* out = y.data<float>() + n * C;
                      for (std::int64_t c = 0; c < C; ++c)
                        out[c] = in[c] * sigmoid(beta.data<float>()[c] * in[c]);
                    });
    if (ctx.saving)
      saved.tensors = {x[0], w.parameters[0]};
    return {{y}, {}};
  }

  tensor_list backward_input(layer_context& ctx, const tensor_list& d_y,
                             const layer_weights&,
                             saved_state& saved) const override {
    saved.tensors.push_back(d_y[0]);
    if (!ctx.needs_input_gradient)
      return {tensor()};
    const auto x = saved.tensors[0];
    auto d_x = ctx.ops.make(x.type()); // [B, .., C]
    ctx.ops.enqueue(rows(x), [C = width_, d_x, x, beta = saved.tensors[1],
                              d_y = d_y[0]](std::int64_t n) mutable {
      for (std::int64_t c = 0; c < C; ++c) {
        const auto i = n * C + c;
        const auto bx = beta.data<float>()[c] * x.data<float>()[i];
        const auto s = sigmoid(bx);
        d_x.data<float>()[i] = d_y.data<float>()[i] * (s + bx * s * (1 - s));
      }
    });
    return {d_x};
  }

  void backward_weight(layer_context& ctx, tensor_list& d_w,
                       saved_state& saved) const override {
    // One piece per column, so that each sum has one writer and one order.
    ctx.ops.enqueue(width_,
                    [C = width_, N = rows(saved.tensors[0]), d_beta = d_w[0],
                     x = saved.tensors[0], beta = saved.tensors[1],
                     d_y = saved.tensors[2]](std::int64_t c) mutable {
                      for (std::int64_t n = 0; n < N; ++n) {
                        const auto in = x.data<float>()[n * C + c];
                        const auto s = sigmoid(beta.data<float>()[c] * in);
                        d_beta.data<float>()[c] +=
                          d_y.data<float>()[n * C + c] * in * in * s * (1 - s);
                      }
                    });
  }

  layer_cost cost(const std::vector<tensor_type>& inputs) const override {
    const auto values = static_cast<double>(inputs[0].extents.elements());
    return {10 * values, 20 * values, 8 * values};
  }

private:
  static std::int64_t rows(const tensor& x) { return x.extents().rows(); }

  std::string name_;
  std::int64_t width_ = 0;
};

} // namespace

void register_swish(layer_registry& into) {
  into.add("swish", [](const layer_spec& spec, const layer_registry&) {
    return std::make_unique<swish>(spec);
  });
}
