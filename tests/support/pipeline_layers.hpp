// SPDX-License-Identifier: Apache-2.0
/// Layers for tests of pipelines: two tensors over one boundary, and a failure
/// at any call.
#pragma once

#include "compute/optim/optimizer.hpp"
#include "tests/support/test_layers.hpp"

#include <atomic>
#include <limits>
#include <memory>
#include <stdexcept>
#include <utility>

namespace actorpipe::test {

/// "split": x -> (x, tanh(x)). "join": (a, b) -> a + b.
class split final : public layer {
public:
  std::vector<tensor_type>
  outputs(const std::vector<tensor_type>& inputs) const override {
    return {floating_input(inputs), inputs.at(0)};
  }

  layer_outputs forward(layer_context& ctx, const tensor_list& x,
                        const layer_weights&,
                        saved_state& saved) const override {
    auto y = ctx.ops.make(x.at(0).type());
    ctx.ops.activation_forward(activation_kind::tanh, y, x[0]);
    if (ctx.saving)
      saved.tensors = {x[0]};
    return {{x[0], y}, {}};
  }

  tensor_list backward_input(layer_context& ctx, const tensor_list& d_y,
                             const layer_weights&,
                             saved_state& saved) const override {
    auto d_x = ctx.ops.make(d_y.at(0).type());
    ctx.ops.activation_backward(activation_kind::tanh, d_x, d_y.at(1),
                                saved.tensors.at(0));
    ctx.ops.add(d_x, d_x, d_y[0]);
    return {d_x};
  }

  void backward_weight(layer_context&, tensor_list&,
                       saved_state&) const override {}

  layer_cost cost(const std::vector<tensor_type>&) const override { return {}; }
};

class join final : public layer {
public:
  std::vector<tensor_type>
  outputs(const std::vector<tensor_type>& inputs) const override {
    if (inputs.size() != 2 || inputs[0] != inputs[1])
      throw model_error("join needs two inputs of one type");
    return {inputs[0]};
  }

  layer_outputs forward(layer_context& ctx, const tensor_list& x,
                        const layer_weights&, saved_state&) const override {
    auto y = ctx.ops.make(x.at(0).type());
    ctx.ops.add(y, x[0], x.at(1));
    return {{y}, {}};
  }

  tensor_list backward_input(layer_context&, const tensor_list& d_y,
                             const layer_weights&,
                             saved_state&) const override {
    return {d_y.at(0), d_y[0]};
  }

  void backward_weight(layer_context&, tensor_list&,
                       saved_state&) const override {}

  layer_cost cost(const std::vector<tensor_type>&) const override { return {}; }
};

/// Fails at the n-th use after `set(n)` alone. Safe to use from any thread.
class trip_wire {
public:
  void set(std::int64_t n) { left_ = n; }
  void disarm() { left_ = never; }

  void use() {
    if (--left_ == 0)
      throw std::runtime_error("tripped");
  }

private:
  static constexpr auto never = std::numeric_limits<std::int64_t>::max();
  std::atomic<std::int64_t> left_ = never;
};

/// "trip": the identity, which uses the wire in every forward and backward.
class trip final : public layer {
public:
  explicit trip(std::shared_ptr<trip_wire> wire) : wire_(std::move(wire)) {}

  std::vector<tensor_type>
  outputs(const std::vector<tensor_type>& inputs) const override {
    return inputs;
  }

  layer_outputs forward(layer_context&, const tensor_list& x,
                        const layer_weights&, saved_state&) const override {
    wire_->use();
    return {x, {}};
  }

  tensor_list backward_input(layer_context&, const tensor_list& d_y,
                             const layer_weights&,
                             saved_state&) const override {
    wire_->use();
    return d_y;
  }

  void backward_weight(layer_context&, tensor_list&,
                       saved_state&) const override {}

  layer_cost cost(const std::vector<tensor_type>&) const override { return {}; }

private:
  std::shared_ptr<trip_wire> wire_;
};

/// Another optimiser, which uses the wire in every update.
class tripping_optimizer final : public optimizer {
public:
  tripping_optimizer(const optimizer_options& options,
                     std::shared_ptr<trip_wire> wire)
    : inner_(make_optimizer(options)), wire_(std::move(wire)) {}

  std::vector<std::string> slots() const override { return inner_->slots(); }

  parameter_value update(operations& ops, const parameter_value& now,
                         const tensor& d_w,
                         const update_options& options) const override {
    wire_->use();
    return inner_->update(ops, now, d_w, options);
  }

private:
  std::unique_ptr<optimizer> inner_;
  std::shared_ptr<trip_wire> wire_;
};

/// The layers of `test_registry` and these.
inline layer_registry pipeline_registry(
  std::shared_ptr<trip_wire> wire = std::make_shared<trip_wire>()) {
  auto result = test_registry();
  result.add("split", [](const layer_spec&, const layer_registry&) {
    return std::make_unique<split>();
  });
  result.add("join", [](const layer_spec&, const layer_registry&) {
    return std::make_unique<join>();
  });
  result.add("trip", [wire](const layer_spec&, const layer_registry&) {
    return std::make_unique<trip>(wire);
  });
  return result;
}

} // namespace actorpipe::test
