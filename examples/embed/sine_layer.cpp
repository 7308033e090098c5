// SPDX-License-Identifier: Apache-2.0
/// The sine layer: forward, backward, and what it costs.
#include "sine_layer.hpp"

#include <cmath>
#include <memory>
#include <utility>
#include <variant>

namespace embed {

namespace {

using namespace actorpipe;

/// Calls `work(i)` for every element, one piece per sample.
template <class Work>
void for_each_element(operations& ops, const tensor& x, Work work) {
  const auto samples = x.extents()[0];
  const auto elements = samples == 0 ? 0 : x.elements() / samples;
  ops.enqueue(samples, [=](std::int64_t sample) mutable {
    for (auto i = sample * elements; i < (sample + 1) * elements; ++i)
      work(i);
  });
}

class sine final : public layer {
public:
  explicit sine(float frequency) : frequency_(frequency) {}

  std::vector<tensor_type>
  outputs(const std::vector<tensor_type>& inputs) const override {
    if (inputs.size() != 1 || inputs[0].type != dtype::f32)
      throw model_error("takes one f32 tensor, got " + to_string(inputs));
    return inputs;
  }

  layer_outputs forward(layer_context& ctx, const tensor_list& inputs,
                        const layer_weights&,
                        saved_state& saved) const override {
    const auto& x = inputs[0];
    auto y = ctx.ops.make(x.type());
    for_each_element(ctx.ops, x, [=, a = frequency_](std::int64_t i) mutable {
      y.data<float>()[i] = std::sin(a * x.data<float>()[i]);
    });
    if (ctx.saving)
      saved.tensors = {x};
    return {{y}, {}};
  }

  tensor_list backward_input(layer_context& ctx, const tensor_list& d_outputs,
                             const layer_weights&,
                             saved_state& saved) const override {
    const auto x = saved.tensors.at(0);
    saved = {};
    if (!ctx.needs_input_gradient)
      return {tensor()};
    const auto& d_y = d_outputs[0];
    auto d_x = ctx.ops.make(x.type());
    for_each_element(ctx.ops, x, [=, a = frequency_](std::int64_t i) mutable {
      d_x.data<float>()[i] =
        d_y.data<float>()[i] * a * std::cos(a * x.data<float>()[i]);
    });
    return {d_x};
  }

  /// It has no parameters.
  void backward_weight(layer_context&, tensor_list&,
                       saved_state&) const override {}

  layer_cost cost(const std::vector<tensor_type>& inputs) const override {
    const auto values = static_cast<double>(inputs[0].extents.elements());
    return {20 * values, 20 * values, 8 * values};
  }

private:
  float frequency_;
};

} // namespace

void register_sine(layer_registry& registry) {
  registry.add("sine", [](const layer_spec& spec, const layer_registry&) {
    const auto found = spec.values.find("frequency");
    if (found == spec.values.end()
        || !std::holds_alternative<double>(found->second))
      throw model_error("sine: 'frequency' must be a number");
    return std::make_unique<sine>(
      static_cast<float>(std::get<double>(found->second)));
  });
}

} // namespace embed
