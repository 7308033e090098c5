// SPDX-License-Identifier: Apache-2.0
/// Layers that only tests need: with state, with several tensors, that fail.
#pragma once

#include "compute/layers/checks.hpp"
#include "compute/layers/layer_registry.hpp"
#include "compute/layers/spec_reader.hpp"

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace actorpipe::test {

/// "running_mean": y[B, C] = x - mean, where mean[C] is not trained: it moves
/// half the way to the mini-batch's mean at every commit. Values: width (C).
class running_mean final : public layer {
public:
  explicit running_mean(const layer_spec& spec) : name_(spec.name) {
    spec_reader read(spec);
    width_ = read.integer("width", 1);
    read.finish();
  }

  std::vector<tensor_type>
  outputs(const std::vector<tensor_type>& inputs) const override {
    return {floating_input(inputs, width_)};
  }

  std::vector<state_use> states() const override {
    return {{name_ + ".mean", {width_}, {width_}, 0.25}};
  }

  layer_outputs forward(layer_context& ctx, const tensor_list& x,
                        const layer_weights& w, saved_state&) const override {
    auto y = ctx.ops.make(x.at(0).type());
    ctx.ops.enqueue(1, [C = width_, y, x = x[0],
                        mean = w.states.at(0)](std::int64_t) mutable {
      for (std::int64_t i = 0; i < x.elements(); ++i)
        y.data<float>()[i] = x.data<float>()[i] - mean.data<float>()[i % C];
    });
    if (ctx.mode == run_mode::evaluate)
      return {{y}, {}};
    auto sum = ctx.ops.make_zeros(w.states[0].type());
    ctx.ops.column_sum(sum, x[0]);
    return {{y}, {sum}};
  }

  tensor_list backward_input(layer_context&, const tensor_list& d_y,
                             const layer_weights&,
                             saved_state&) const override {
    return d_y;
  }

  void backward_weight(layer_context&, tensor_list&,
                       saved_state&) const override {}

  tensor_list commit_state(operations& ops, const tensor_list& states,
                           const tensor_list& sums,
                           std::int64_t samples) const override {
    auto next = ops.make(states.at(0).type());
    ops.enqueue(1, [next, mean = states[0], sum = sums.at(0),
                    samples](std::int64_t) mutable {
      for (std::int64_t i = 0; i < next.elements(); ++i)
        next.data<float>()[i] =
          (mean.data<float>()[i]
           + sum.data<float>()[i] / static_cast<float>(samples))
          / 2;
    });
    return {next};
  }

  layer_cost cost(const std::vector<tensor_type>&) const override { return {}; }

private:
  std::string name_;
  std::int64_t width_;
};

/// "carry_tokens": tokens -> (tokens, tokens): two tensors cross a boundary.
/// "embed_carried": (tokens, tokens) -> (embedded, tokens).
/// "drop_carried": (x, tokens) -> x.
class carry final : public layer {
public:
  explicit carry(const layer_spec& spec) : kind_(spec.kind) {}

  std::vector<tensor_type>
  outputs(const std::vector<tensor_type>& inputs) const override {
    if (kind_ == "drop_carried")
      return {inputs.at(0)};
    if (kind_ == "carry_tokens")
      return {inputs.at(0), inputs.at(0)};
    return {{dtype::f32, {inputs.at(0).extents[0], 1}}, inputs.at(1)};
  }

  layer_outputs forward(layer_context& ctx, const tensor_list& x,
                        const layer_weights&, saved_state&) const override {
    if (kind_ == "drop_carried")
      return {{x.at(0)}, {}};
    if (kind_ == "carry_tokens")
      return {{x.at(0), x[0]}, {}};
    auto y = ctx.ops.make(outputs(types_of(x))[0]);
    ctx.ops.fill(y, 1);
    return {{y, x.at(1)}, {}};
  }

  tensor_list backward_input(layer_context&, const tensor_list& d_y,
                             const layer_weights&,
                             saved_state&) const override {
    if (kind_ == "drop_carried")
      return {d_y.at(0), tensor()};
    return tensor_list(kind_ == "carry_tokens" ? 1 : 2);
  }

  void backward_weight(layer_context&, tensor_list&,
                       saved_state&) const override {}

  layer_cost cost(const std::vector<tensor_type>&) const override { return {}; }

private:
  std::string kind_;
};

/// "fail": the identity, until what it shares with the test says otherwise.
enum class failure : std::uint8_t { none, forward, backward, not_finite };

class failing final : public layer {
public:
  explicit failing(std::shared_ptr<std::atomic<failure>> when)
    : when_(std::move(when)) {}

  std::vector<tensor_type>
  outputs(const std::vector<tensor_type>& inputs) const override {
    return inputs;
  }

  layer_outputs forward(layer_context& ctx, const tensor_list& x,
                        const layer_weights&, saved_state&) const override {
    if (*when_ == failure::forward)
      throw std::runtime_error("planted in the forward");
    if (*when_ != failure::not_finite)
      return {x, {}};
    auto y = ctx.ops.make(x.at(0).type());
    ctx.ops.fill(y, std::numeric_limits<double>::quiet_NaN());
    return {{y}, {}};
  }

  tensor_list backward_input(layer_context&, const tensor_list& d_y,
                             const layer_weights&,
                             saved_state&) const override {
    if (*when_ == failure::backward)
      throw std::runtime_error("planted in the backward");
    return d_y;
  }

  void backward_weight(layer_context&, tensor_list&,
                       saved_state&) const override {}

  layer_cost cost(const std::vector<tensor_type>&) const override { return {}; }

private:
  std::shared_ptr<std::atomic<failure>> when_;
};

/// The layers of the project and these.
inline layer_registry
test_registry(std::shared_ptr<std::atomic<failure>> when =
                std::make_shared<std::atomic<failure>>(failure::none)) {
  auto result = layer_registry::with_builtin();
  result.add("running_mean", [](const layer_spec& spec, const layer_registry&) {
    return std::make_unique<running_mean>(spec);
  });
  for (const auto* kind : {"carry_tokens", "embed_carried", "drop_carried"})
    result.add(kind, [](const layer_spec& spec, const layer_registry&) {
      return std::make_unique<carry>(spec);
    });
  result.add("fail", [when](const layer_spec&, const layer_registry&) {
    return std::make_unique<failing>(when);
  });
  return result;
}

} // namespace actorpipe::test
