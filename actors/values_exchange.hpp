// SPDX-License-Identifier: Apache-2.0
/// All values of a model on their way from or to the parameter actors.
#pragma once

#include "actors/scheduler_options.hpp"
#include "compute/train/model_values.hpp"
#include "messages/messages.hpp"
#include "messages/payload.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>

namespace actorpipe {

/// Used by the scheduler alone.
class values_exchange {
public:
  /// Collects them from every cell. `options` outlives this.
  explicit values_exchange(const scheduler_options& options);

  /// Installs `next` in every cell. Requires that `are_of` (shard_values.hpp)
  /// the model and the optimiser.
  values_exchange(const scheduler_options& options, model_values next);

  bool installs() const noexcept { return installs_; }
  bool lacks(std::uint32_t cell) const { return !done_.contains(cell); }
  bool is_complete() const;

  /// What is installed in `cell`.
  payload part(std::uint32_t cell) const;

  /// The fault: it does not fit. What is repeated changes nothing.
  std::optional<std::string> accept(const shard& header, const payload& data);
  void note(const installed& message);

  /// Collected, or installed.
  model_values& values() noexcept { return values_; }

private:
  const scheduler_options& options_;
  bool installs_;
  model_values values_;
  std::set<std::uint32_t> done_; ///< cells
};

} // namespace actorpipe
