// SPDX-License-Identifier: Apache-2.0
/// trace.json: when each stage ran which action, as Chrome trace events, which
/// Perfetto and chrome://tracing open.
#pragma once

#include "messages/messages.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <string>
#include <vector>

namespace actorpipe {

/// One training step of all stages.
struct trace_step {
  std::int64_t step = 0;
  /// Per stage, what ran when, in order, on one clock.
  std::vector<std::vector<action_record>> timeline;
};

/// Keeps the last steps of a run.
class trace_recorder {
public:
  /// Keeps nothing when `steps` is 0.
  explicit trace_recorder(std::size_t steps) : limit_(steps) {}

  void add(trace_step step);

  const std::deque<trace_step>& steps() const noexcept { return steps_; }

private:
  std::size_t limit_;
  std::deque<trace_step> steps_;
};

/// The events as JSON. A stage is a thread; an action is a slice named by its
/// text form, and so is the wait before it; arrows lead from a forward to the
/// forward that its activations go to, and from a backward to the backward that
/// its gradient goes to.
std::string trace_json(const std::deque<trace_step>& steps);

/// Writes them as a file that is there whole or not at all. Throws `io_error`.
void write_trace(const std::filesystem::path& path,
                 const trace_recorder& recorder);

} // namespace actorpipe
