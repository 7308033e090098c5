// SPDX-License-Identifier: Apache-2.0
/// The dry run of a cell on a device that only counts.
#include "compute/model/memory_profile.hpp"

#include "compute/device/device.hpp"
#include "compute/model/total_bytes.hpp"
#include "compute/model/undefined_weights.hpp"

#include <memory>
#include <string>

namespace actorpipe {

namespace {

/// A stream that only counts, and whom it charges.
struct counted_stream {
  counted_stream(device& where, std::string name)
    : holder(std::make_shared<memory_account>(std::move(name))),
      it(where.make_stream(holder)) {}

  operations& ops() { return it->ops(); }
  tensor_list make(const std::vector<tensor_type>& types) {
    tensor_list result;
    for (const auto& type : types)
      result.push_back(ops().make(type));
    return result;
  }

  std::shared_ptr<memory_account> holder;
  std::unique_ptr<stream> it;
};

/// A cell with its weights, of which every pass makes fresh micro-batches.
class dry_run {
public:
  dry_run(const cell& work, const std::vector<tensor_type>& inputs,
          const std::optional<tensor_type>& targets)
    : work_(work), inputs_(inputs), where_(make_counting_device("dry run")),
      weights_at_(*where_, "weights"), gradients_at_(*where_, "gradients"),
      data_at_(*where_, "micro-batch"), targets_at_(*where_, "targets") {
    for (auto i = work.first(); i < work.last(); ++i) {
      weights_.push_back(
        make_undefined_weights(work.source().at(i), weights_at_.ops()));
      gradients_.push_back(
        gradients_at_.make(types_of(weights_.back().parameters)));
    }
    if (targets)
      targets_ = targets_at_.ops().make(*targets);
  }

  cell::forward_result forward(cell::keep what) {
    data_at_.holder->reset_peak();
    return work_.forward(data_at_.ops(), step_, data_at_.make(inputs_),
                         targets_, 0, weights_, what);
  }

  void recompute(cell_stash& stash) {
    data_at_.holder->reset_peak();
    work_.recompute(data_at_.ops(), step_, targets_, 0, weights_, stash);
  }

  void backward(cell_stash& stash, const std::vector<tensor_type>& outputs,
                bool needs_input_gradient) {
    data_at_.holder->reset_peak();
    tensor_list d_y;
    if (!targets_.defined())
      for (const auto& y : outputs)
        d_y.push_back(is_differentiable(y.type) ? data_at_.ops().make(y)
                                                : tensor());
    work_.backward(data_at_.ops(), step_, std::move(d_y), 0, weights_, stash,
                   gradients_, needs_input_gradient);
  }

  std::int64_t now_bytes() const { return data_at_.holder->now_bytes(); }
  std::int64_t peak_bytes() const { return data_at_.holder->peak_bytes(); }
  std::int64_t weights_bytes() const { return weights_at_.holder->now_bytes(); }
  std::int64_t gradients_bytes() const {
    return gradients_at_.holder->now_bytes();
  }

private:
  const cell& work_;
  const std::vector<tensor_type>& inputs_;
  std::shared_ptr<device> where_;
  counted_stream weights_at_;
  counted_stream gradients_at_;
  counted_stream data_at_;
  counted_stream targets_at_;
  cell_weights weights_;
  std::vector<tensor_list> gradients_;
  tensor targets_;
  cell_step step_;
};

} // namespace

cell_footprint profile_memory(const cell& work,
                              const std::vector<tensor_type>& inputs,
                              const std::optional<tensor_type>& targets,
                              bool needs_input_gradient) {
  cell_footprint result;
  auto outputs = inputs;
  for (auto i = work.first(); i < work.last(); ++i)
    outputs = work.source().at(i).outputs(outputs);
  result.input_bytes = total_bytes(inputs);
  result.output_bytes = total_bytes(outputs);
  result.target_bytes = targets ? targets->size_bytes() : 0;

  dry_run run(work, inputs, targets);
  result.parameter_bytes = run.weights_bytes();
  result.gradient_bytes = run.gradients_bytes();
  run.forward(cell::keep::nothing);
  result.forward_nothing_peak_bytes = run.peak_bytes();
  {
    auto stash = run.forward(cell::keep::inputs).stash;
    result.forward_inputs_peak_bytes = run.peak_bytes();
    result.stash_inputs_bytes = run.now_bytes();
    run.recompute(stash);
    result.recompute_peak_bytes = run.peak_bytes();
  }
  auto stash = run.forward(cell::keep::everything).stash;
  result.forward_everything_peak_bytes = run.peak_bytes();
  result.stash_everything_bytes = run.now_bytes();
  run.backward(stash, outputs, needs_input_gradient);
  result.backward_peak_bytes = run.peak_bytes();
  return result;
}

} // namespace actorpipe
