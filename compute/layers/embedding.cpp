// SPDX-License-Identifier: Apache-2.0
/// The embedding layer: rows of a token table, and of a table of positions.
#include "compute/layers/builtin.hpp"
#include "compute/layers/checks.hpp"
#include "compute/layers/spec_reader.hpp"

#include <fmt/format.h>

namespace actorpipe {

namespace {

class embedding final : public layer {
public:
  explicit embedding(const layer_spec& spec) : name_(spec.name) {
    spec_reader read(spec);
    vocabulary_ = read.integer("vocabulary", 1);
    width_ = read.integer("width", 1);
    positions_ = read.integer_or("positions", 0, 0);
    deviation_ = read.number_or("deviation", 0.02, 0, spec_reader::unbounded);
    dropout_ = read.number_or("dropout", 0, 0, 1);
    read.finish();
  }

  std::vector<tensor_type>
  outputs(const std::vector<tensor_type>& inputs) const override {
    const auto& tokens = single_input(inputs);
    if (is_differentiable(tokens.type) || tokens.extents.rank() != 2)
      throw model_error(fmt::format("takes tokens u8 or i32 [B, T], got {}",
                                    to_string(tokens)));
    const auto B = tokens.extents[0];
    const auto T = tokens.extents[1];
    if (positions_ > 0 && T > positions_)
      throw model_error(
        fmt::format("takes sequences of at most {} tokens (positions), got {}",
                    positions_, to_string(tokens)));
    return {{dtype::f32, {B, T, width_}}};
  }

  std::vector<parameter_use> parameters() const override {
    const initializer normal{initializer::kind::normal, deviation_};
    std::vector<parameter_use> result{
      {name_ + ".tokens.weight", {vocabulary_, width_}, normal}};
    if (positions_ > 0)
      result.push_back(
        {name_ + ".positions.weight", {positions_, width_}, normal});
    return result;
  }

  layer_outputs forward(layer_context& ctx, const tensor_list& x,
                        const layer_weights& w,
                        saved_state& saved) const override {
    const auto& tokens = x.at(0); // [B, T]
    const auto& table = w.parameters.at(0);
    auto y = ctx.ops.make(
      {table.element(), {tokens.extents()[0], tokens.extents()[1], width_}});
    ctx.ops.embedding_forward(y, tokens, table,
                              positions_ > 0 ? w.parameters.at(1) : tensor());
    if (drops(ctx))
      ctx.ops.dropout(y, y, dropout_, ctx.key(), ctx.first_sample);
    if (ctx.saving)
      saved.tensors = {tokens};
    return {{y}, {}};
  }

  tensor_list backward_input(layer_context& ctx, const tensor_list& d_y,
                             const layer_weights&,
                             saved_state& saved) const override {
    auto d_sum = d_y.at(0); // [B, T, C]
    if (drops(ctx)) {
      d_sum = ctx.ops.make(d_y[0].type());
      ctx.ops.dropout(d_sum, d_y[0], dropout_, ctx.key(), ctx.first_sample);
    }
    saved.tensors.push_back(d_sum);
    return {tensor()};
  }

  void backward_weight(layer_context& ctx, tensor_list& d_w,
                       saved_state& saved) const override {
    ctx.ops.embedding_backward(d_w.at(0), positions_ > 0 ? d_w.at(1) : tensor(),
                               saved.tensors.at(1), saved.tensors.at(0));
  }

  layer_cost cost(const std::vector<tensor_type>& inputs) const override {
    const auto values =
      static_cast<double>(inputs.at(0).extents.elements() * width_);
    return {values, values, 3 * 4 * values};
  }

private:
  bool drops(const layer_context& ctx) const {
    return dropout_ > 0 && ctx.mode == run_mode::train;
  }

  std::string name_;
  std::int64_t vocabulary_;
  std::int64_t width_;
  std::int64_t positions_;
  double deviation_;
  double dropout_;
};

} // namespace

std::unique_ptr<layer> make_embedding(const layer_spec& spec) {
  return std::make_unique<embedding>(spec);
}

} // namespace actorpipe
