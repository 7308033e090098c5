// SPDX-License-Identifier: Apache-2.0
/// The residual connection around layers that run one after another.
#include "compute/layers/builtin.hpp"
#include "compute/layers/checks.hpp"
#include "compute/layers/layer_registry.hpp"
#include "compute/layers/layer_results.hpp"
#include "compute/layers/spec_reader.hpp"

#include <fmt/format.h>

#include <functional>
#include <stdexcept>

namespace actorpipe {

namespace {

/// A layer inside, and which of the holder's parameters and states are its.
struct inner_layer {
  std::string name;
  std::unique_ptr<layer> it;
  std::size_t first_parameter;
  std::size_t parameters;
  std::size_t first_state;
  std::size_t states;
};

tensor_list part(const tensor_list& all, std::size_t first, std::size_t count) {
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

/// Makes `call`, whose errors do not name the layer inside.
template <class Call>
auto naming(const inner_layer& inner, Call&& call) {
  try {
    return call();
  } catch (const std::invalid_argument& error) {
    throw model_error(fmt::format("{} {}", inner.name, error.what()));
  }
}

class residual final : public layer {
public:
  residual(const layer_spec& spec, const layer_registry& registry) {
    spec_reader read(spec);
    const auto scope = read.has("scope") ? read.text("scope") : spec.name;
    for (auto inner : read.inner_layers()) {
      inner.name = qualified_name(scope, inner, inner_.size());
      add(inner.name, registry.make(inner));
    }
    read.finish();
  }

  std::vector<tensor_type>
  outputs(const std::vector<tensor_type>& inputs) const override {
    const auto& x = floating_input(inputs);
    const auto types = boundaries(inputs).back();
    if (types != inputs)
      throw model_error(fmt::format(
        "adds its input to what is inside, so both must be {}, got {}",
        to_string(x), to_string(types)));
    return types;
  }

  std::vector<parameter_use> parameters() const override {
    std::vector<parameter_use> result;
    for (const auto& inner : inner_)
      for (auto& use : inner.it->parameters())
        result.push_back(std::move(use));
    return result;
  }

  std::vector<state_use> states() const override {
    std::vector<state_use> result;
    for (const auto& inner : inner_)
      for (auto& use : inner.it->states())
        result.push_back(std::move(use));
    return result;
  }

  layer_outputs forward(layer_context& ctx, const tensor_list& x,
                        const layer_weights& w,
                        saved_state& saved) const override {
    layer_outputs result;
    auto current = x;
    for (std::size_t i = 0; i < inner_.size(); ++i) {
      auto inside = context_of(i, ctx);
      saved_state left;
      auto out = inner_[i].it->forward(inside, current, weights_of(i, w), left);
      naming(inner_[i], [&] {
        require_results(*inner_[i].it, inside, types_of(current), out);
      });
      if (ctx.saving)
        saved.inner.push_back(std::move(left));
      current = std::move(out.outputs);
      for (auto& contribution : out.contributions)
        result.contributions.push_back(std::move(contribution));
    }
    result.outputs = {sum(ctx.ops, current.at(0), x.at(0))};
    return result;
  }

  tensor_list backward_input(layer_context& ctx, const tensor_list& d_y,
                             const layer_weights& w,
                             saved_state& saved) const override {
    return through(
      ctx, d_y,
      [&](std::size_t i, layer_context& inside, const tensor_list& d) {
        return inner_[i].it->backward_input(inside, d, weights_of(i, w),
                                            saved.inner.at(i));
      });
  }

  void backward_weight(layer_context& ctx, tensor_list& d_w,
                       saved_state& saved) const override {
    for (std::size_t i = inner_.size(); i-- > 0;) {
      auto inside = context_of(i, ctx);
      auto d_inner = part(d_w, inner_[i].first_parameter, inner_[i].parameters);
      inner_[i].it->backward_weight(inside, d_inner, saved.inner.at(i));
      saved.inner[i] = {};
    }
  }

  tensor_list backward(layer_context& ctx, const tensor_list& d_y,
                       const layer_weights& w, tensor_list& d_w,
                       saved_state& saved) const override {
    auto d_x =
      through(ctx, d_y,
              [&](std::size_t i, layer_context& inside, const tensor_list& d) {
                auto d_inner =
                  part(d_w, inner_[i].first_parameter, inner_[i].parameters);
                return inner_[i].it->backward(inside, d, weights_of(i, w),
                                              d_inner, saved.inner.at(i));
              });
    saved = {};
    return d_x;
  }

  tensor_list commit_state(operations& ops, const tensor_list& states,
                           const tensor_list& sums,
                           std::int64_t samples) const override {
    tensor_list result;
    for (const auto& inner : inner_)
      for (auto& state : inner.it->commit_state(
             ops, part(states, inner.first_state, inner.states),
             part(sums, inner.first_state, inner.states), samples))
        result.push_back(std::move(state));
    return result;
  }

  layer_cost cost(const std::vector<tensor_type>& inputs) const override {
    const auto values = static_cast<double>(inputs.at(0).extents.elements());
    layer_cost result{values, values, 3 * 4 * values};
    auto types = inputs;
    for (const auto& inner : inner_) {
      const auto inside = inner.it->cost(types);
      result.forward_flops += inside.forward_flops;
      result.backward_flops += inside.backward_flops;
      result.moved_bytes += inside.moved_bytes;
      types = inner.it->outputs(types);
    }
    return result;
  }

private:
  using inner_backward =
    std::function<tensor_list(std::size_t, layer_context&, const tensor_list&)>;

  void add(std::string name, std::unique_ptr<layer> it) {
    const auto parameters = it->parameters().size();
    const auto states = it->states().size();
    inner_.push_back({std::move(name), std::move(it), parameters_, parameters,
                      states_, states});
    parameters_ += parameters;
    states_ += states;
  }

  /// The types between the layers inside, from the inputs to the outputs.
  std::vector<std::vector<tensor_type>>
  boundaries(const std::vector<tensor_type>& inputs) const {
    std::vector<std::vector<tensor_type>> result{inputs};
    for (const auto& inner : inner_)
      result.push_back(
        naming(inner, [&] { return inner.it->outputs(result.back()); }));
    return result;
  }

  static layer_context context_of(std::size_t index, const layer_context& ctx) {
    auto inside = ctx;
    inside.layer = inner_layer_id(ctx.layer, index);
    return inside;
  }

  layer_weights weights_of(std::size_t index, const layer_weights& w) const {
    const auto& inner = inner_[index];
    return {part(w.parameters, inner.first_parameter, inner.parameters),
            part(w.states, inner.first_state, inner.states)};
  }

  /// d_x = d_y + d_y through the layers inside, from the last to the first.
  tensor_list through(const layer_context& ctx, const tensor_list& d_y,
                      const inner_backward& backward_of) const {
    const auto types = boundaries(types_of(d_y));
    auto d = d_y;
    for (std::size_t i = inner_.size(); i-- > 0;) {
      auto inside = context_of(i, ctx);
      inside.needs_input_gradient = i > 0 || ctx.needs_input_gradient;
      d = backward_of(i, inside, d);
      naming(inner_[i], [&] {
        require_gradients(types[i], d, inside.needs_input_gradient);
      });
    }
    if (!ctx.needs_input_gradient)
      return {tensor()};
    return {sum(ctx.ops, d.at(0), d_y.at(0))};
  }

  static tensor sum(operations& ops, const tensor& a, const tensor& b) {
    auto y = ops.make(a.type());
    ops.add(y, a, b);
    return y;
  }

  std::vector<inner_layer> inner_;
  std::size_t parameters_ = 0;
  std::size_t states_ = 0;
};

} // namespace

std::unique_ptr<layer> make_residual(const layer_spec& spec,
                                     const layer_registry& registry) {
  return std::make_unique<residual>(spec, registry);
}

} // namespace actorpipe
