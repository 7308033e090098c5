// SPDX-License-Identifier: Apache-2.0
/// An engine whose stalls are told while its caller waits.
#pragma once

#include "actors/run/training_engine.hpp"
#include "partition/plan.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace actorpipe {

struct stall_watch_options {
  plan how;
  std::int64_t after_ns = 10'000'000'000; ///< as in `stall_options`
  /// Told of each stall and of its end, from a thread of the engine's own. Must
  /// not throw.
  std::function<void(const std::string&)> on_stall;
  /// A monotonic clock in nanoseconds; left empty: the system's.
  std::function<std::int64_t()> now_ns;
  /// How often the stages are looked at.
  std::chrono::nanoseconds interval = std::chrono::seconds(1);
};

/// Behaves as `inner` does. Between calls its thread is asleep.
class watched_engine final : public training_engine {
public:
  watched_engine(std::unique_ptr<training_engine> inner,
                 stall_watch_options how);

  step_report train(const batch& data, const train_request& how) override;
  step_report evaluate(const batch& data) override;
  model_values values() override;
  void set_values(const model_values& next) override;
  std::vector<stage_memory> peak_memory() const override;
  std::vector<standing> standings() const override;

private:
  class request;

  void watch(const std::stop_token& stop);

  std::unique_ptr<training_engine> inner_;
  stall_watch_options how_;

  std::mutex mutex_; ///< for what follows
  std::condition_variable_any wake_;
  std::uint64_t request_ = 0; ///< at hand; 0: none
  std::uint64_t requests_ = 0;
  bool is_asleep_ = false;
  bool is_stalled_ = false;

  std::jthread thread_; ///< ends before the rest
};

} // namespace actorpipe
