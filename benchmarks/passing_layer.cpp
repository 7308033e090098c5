// SPDX-License-Identifier: Apache-2.0
/// A layer that passes its input on, and lets a benchmark watch it do so.
#include "benchmarks/passing_layer.hpp"

#include "actors/run/run_plan.hpp"
#include "benchmarks/gpt.hpp"
#include "compute/layers/spec_reader.hpp"

#include <utility>
#include <vector>

namespace actorpipe::benchmarks {

namespace {

constexpr std::int64_t columns = 2;

class passing final : public layer {
public:
  passing(const layer_spec& spec, layer_hooks hooks)
    : hooks_(std::move(hooks)) {
    spec_reader read(spec);
    index_ = static_cast<std::size_t>(read.integer("index", 0));
    read.finish();
  }

  std::vector<tensor_type>
  outputs(const std::vector<tensor_type>& inputs) const override {
    return inputs;
  }

  layer_outputs forward(layer_context& ctx, const tensor_list& x,
                        const layer_weights&, saved_state&) const override {
    ctx.ops.enqueue(1, [this](std::int64_t) { hooks_.forward(index_); });
    return {x, {}};
  }

  tensor_list backward_input(layer_context& ctx, const tensor_list& d_y,
                             const layer_weights&,
                             saved_state&) const override {
    ctx.ops.enqueue(1, [this](std::int64_t) { hooks_.backward(index_); });
    return d_y;
  }

  void backward_weight(layer_context&, tensor_list&,
                       saved_state&) const override {}

  layer_cost cost(const std::vector<tensor_type>&) const override {
    return {1, 1, 1};
  }

private:
  layer_hooks hooks_;
  std::size_t index_ = 0;
};

} // namespace

std::shared_ptr<const model> make_passing_model(std::size_t layers,
                                                const layer_hooks& hooks) {
  auto registry = layer_registry::with_builtin();
  registry.add("passing",
               [hooks](const layer_spec& spec, const layer_registry&) {
                 return std::make_unique<passing>(spec, hooks);
               });
  model_spec spec;
  for (std::size_t i = 0; i < layers; ++i)
    spec.layers.push_back(
      {"passing", "", {{"index", static_cast<std::int64_t>(i)}}, {}});
  spec.loss = {"softmax_cross_entropy", "loss", {}, {}};
  return build_model(spec, registry);
}

batch make_passing_batch(std::int64_t samples) {
  const auto count = static_cast<std::size_t>(samples);
  return {{tensor::from({samples, columns},
                        std::vector<float>(count * columns, 1.0F))},
          tensor::from({samples}, std::vector<std::int32_t>(count, 1))};
}

pipeline_options make_passing_line(std::uint32_t stages,
                                   std::uint32_t micro_batches,
                                   const layer_hooks& hooks) {
  pipeline_options result;
  result.source = make_passing_model(stages, hooks);
  result.optimizer = plain_sgd();
  const auto data = make_passing_batch(micro_batches);
  pipeline_config settings;
  settings.stages = stages;
  settings.micro_batches = micro_batches;
  settings.recompute = recompute_mode::never;
  result.how = make_run_plan(result.source,
                             {settings, result.optimizer, types_of(data.inputs),
                              data.targets.type(), false})
                 .how;
  return result;
}

} // namespace actorpipe::benchmarks
