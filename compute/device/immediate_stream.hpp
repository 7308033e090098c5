// SPDX-License-Identifier: Apache-2.0
/// The stream of a device whose operations are done when their call returns.
#pragma once

#include "compute/device/device.hpp"

#include <utility>

namespace actorpipe {

class immediate_stream final : public stream {
public:
  immediate_stream(std::shared_ptr<device> owner,
                   std::unique_ptr<operations> ops)
    : owner_(std::move(owner)), ops_(std::move(ops)) {}

  operations& ops() noexcept override { return *ops_; }

  /// Done already.
  event record() override { return {}; }

  /// Blocks: what comes next runs in the calling thread.
  void wait(const event& point) override { point.wait(); }

private:
  std::shared_ptr<device> owner_; ///< outlives the operations
  std::unique_ptr<operations> ops_;
};

} // namespace actorpipe
