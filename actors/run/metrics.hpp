// SPDX-License-Identifier: Apache-2.0
/// metrics.jsonl: what every step of a run gave, one JSON object a line.
///
///     {"step":1,"loss":5.6,"learning_rate":0.0001,"gradient_norm":3.1, ...}
///     {"step":20,"held_out_loss":2.9}
///     {"step":20,"event":"fault","text":"..."}
#pragma once

#include "compute/io/file_descriptor.hpp"

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace actorpipe {

struct step_metrics {
  std::int64_t step = 0; ///< the first of a run is 1
  double loss = 0;       ///< mean over counted targets, nats
  double learning_rate = 0;
  double gradient_norm = 0; ///< global, before clipping
  double clip_factor = 1;
  double tokens_per_s = 0;
  double bubble = 0; ///< measured: idle share of stages x makespan
  double step_seconds = 0;
};

/// Appends to the file; a line is written in one piece when its step is done.
/// A number that is not finite is written as null. All functions throw
/// `io_error`.
class metrics_writer {
public:
  /// Goes on after `steps_done` steps: lines of later steps, and a last line
  /// that a killed run left unfinished, are removed from the file (atomically).
  metrics_writer(const std::filesystem::path& path, std::int64_t steps_done);

  void write(const step_metrics& step);

  /// The loss on the held-out part after `step` steps.
  void write_evaluation(std::int64_t step, double held_out_loss);

  /// Something that happened after `step` steps: a fault, a recovery, a stall.
  void write_event(std::int64_t step, std::string_view event,
                   std::string_view text);

private:
  file_descriptor file_;
};

} // namespace actorpipe
