// SPDX-License-Identifier: Apache-2.0
/// The cross entropy of a softmax over classes, with a target that is ignored.
#include "compute/layers/builtin.hpp"
#include "compute/layers/checks.hpp"
#include "compute/layers/ignored_target.hpp"
#include "compute/layers/spec_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace actorpipe {

namespace {

class softmax_cross_entropy final : public loss_function {
public:
  explicit softmax_cross_entropy(const layer_spec& spec) {
    spec_reader read(spec);
    ignored_ = static_cast<std::int32_t>(read.integer_or(
      "ignored", ignored_target, std::numeric_limits<std::int32_t>::min(),
      std::numeric_limits<std::int32_t>::max()));
    read.finish();
  }

  void check(const std::vector<tensor_type>& outputs,
             const tensor_type& targets) const override {
    const auto& logits = floating_input(outputs);
    const auto classes = logits.extents.extents();
    if (classes.size() < 2)
      throw model_error(fmt::format(
        "takes logits f32 or f64 [B, .., V], got {}", to_string(logits)));
    const tensor_type fitting{dtype::i32,
                              shape(classes.first(classes.size() - 1))};
    if (targets != fitting)
      throw model_error(fmt::format("takes targets {} for logits {}, got {}",
                                    to_string(fitting), to_string(logits),
                                    to_string(targets)));
  }

  std::int64_t count(const tensor& targets) const override {
    const auto* begin = targets.data<std::int32_t>();
    const auto* end = begin + targets.elements();
    return (end - begin) - std::count(begin, end, ignored_);
  }

  tensor forward(layer_context& ctx, const tensor_list& outputs,
                 const tensor& targets, saved_state& saved) const override {
    const auto logits = as_rows(outputs.at(0)); // [N, V]
    const shape N{logits.extents()[0]};
    const auto flat_targets = targets.reshaped(N);
    auto loss_sum = ctx.ops.make({dtype::f64, {1}});
    auto log_sum_exp = ctx.ops.make({logits.element(), N});
    ctx.ops.cross_entropy_forward(loss_sum, log_sum_exp, logits, flat_targets,
                                  ignored_);
    if (ctx.saving)
      saved.tensors = {outputs[0], log_sum_exp, flat_targets};
    return loss_sum;
  }

  tensor_list backward(layer_context& ctx, double normalizer,
                       saved_state& saved) const override {
    const auto kept = std::move(saved.tensors); // logits, log_sum_exp, targets
    saved = {};
    auto d_logits = ctx.ops.make(kept.at(0).type()); // [B, .., V]
    ctx.ops.cross_entropy_backward(as_rows(d_logits), as_rows(kept[0]),
                                   kept.at(1), kept.at(2), ignored_,
                                   1 / normalizer);
    return {d_logits};
  }

private:
  std::int32_t ignored_;
};

} // namespace

std::unique_ptr<loss_function>
make_softmax_cross_entropy(const layer_spec& spec) {
  return std::make_unique<softmax_cross_entropy>(spec);
}

} // namespace actorpipe
