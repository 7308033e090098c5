// SPDX-License-Identifier: Apache-2.0
/// The checkpoints of a run that is under way: it writes them, and goes back to
/// them after a fault.
#pragma once

#include "actors/run/checkpoint.hpp"
#include "actors/run/config.hpp"
#include "compute/model/model.hpp"
#include "compute/optim/optimizer.hpp"
#include "compute/train/model_values.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace actorpipe {

class run_checkpoints {
public:
  /// What a run went on from.
  struct origin {
    std::string path;      ///< a run directory or checkpoint; empty: from none
    std::int64_t step = 0; ///< of the checkpoint that was taken there
  };

  /// `folder` is where the run saves. `config` must outlive this.
  run_checkpoints(std::filesystem::path folder, origin from,
                  const run_config& config, std::shared_ptr<const model> source,
                  std::shared_ptr<const optimizer> rule);

  /// Saves the values after `step` steps; `cursor` is the next mini-batch.
  /// Returns the path. Throws `io_error`, and `checkpoint_error` for a
  /// parameter that is not finite: an update may overshoot though all gradients
  /// were finite, and what it made must not take the place of the last good
  /// checkpoint.
  std::filesystem::path save(std::int64_t step, std::int64_t cursor,
                             const model_values& values);

  /// The newest values that can be read of a version above `after` and not
  /// above `up_to`. What cannot be read is passed over, and `complain` is told
  /// why.
  std::optional<model_values>
  newest(std::int64_t after, std::int64_t up_to,
         const std::function<void(const std::string&)>& complain) const;

private:
  void require_finite(std::int64_t step, const model_values& values) const;

  std::filesystem::path folder_;
  origin from_;
  const run_config& config_;
  std::shared_ptr<const model> source_;
  std::shared_ptr<const optimizer> rule_;
};

} // namespace actorpipe
