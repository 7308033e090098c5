// SPDX-License-Identifier: Apache-2.0
/// The plain loop: the same training without actors, cells or a schedule. It
/// is the oracle that the pipeline is compared with, bit for bit.
#pragma once

#include "compute/data/batch.hpp"
#include "compute/device/device.hpp"
#include "compute/model/layer_error.hpp"
#include "compute/model/model.hpp"
#include "compute/optim/optimizer.hpp"
#include "compute/train/model_values.hpp"

#include <cstdint>
#include <memory>
#include <stdexcept>

namespace actorpipe {

/// What one training step gives.
struct step_result {
  double loss = 0;          ///< mean over counted targets
  std::int64_t targets = 0; ///< counted
  double gradient_norm = 0; ///< global, before clipping
  double clip_factor = 1;
};

/// What one training step is told.
struct train_options {
  std::int64_t micro_batches = 1;
  double learning_rate = 0;
  double max_norm = 0; ///< 0: no clipping
};

/// A loss or gradient that is not finite; nothing was applied.
class not_finite_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

class sequential_trainer {
public:
  sequential_trainer(std::shared_ptr<const model> source,
                     std::shared_ptr<const optimizer> how,
                     std::shared_ptr<device> where, std::uint64_t seed);

  /// One mini-batch; `step` names it for what layers draw. When it throws
  /// (`model_error` for a batch that does not fit, `layer_error`,
  /// `not_finite_error`), nothing has changed.
  step_result train(const batch& data, std::int64_t step,
                    const train_options& options);

  /// Mean loss over counted targets; forward only. Throws as `train` does.
  step_result evaluate(const batch& data, std::int64_t micro_batches);

  /// The last layer's outputs for the inputs; forward only.
  tensor_list infer(const tensor_list& inputs);

  const model_values& values() const noexcept { return values_; }
  void set_values(model_values values) { values_ = std::move(values); }

private:
  std::shared_ptr<const model> source_;
  std::shared_ptr<const optimizer> optimizer_;
  std::shared_ptr<device> device_;
  std::shared_ptr<memory_account> holder_;
  std::unique_ptr<stream> stream_;
  std::uint64_t seed_;
  model_values values_;
};

} // namespace actorpipe
