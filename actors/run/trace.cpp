// SPDX-License-Identifier: Apache-2.0
/// trace.json: when each stage ran which action.
#include "actors/run/trace.hpp"

#include "compute/io/atomic_file.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

namespace actorpipe {

namespace {

using json = nlohmann::ordered_json;

std::string kind_name(action_kind kind) {
  switch (kind) {
  case action_kind::forward:
    return "forward";
  case action_kind::recompute:
    return "recompute";
  case action_kind::backward:
    return "backward";
  case action_kind::input_gradient:
    return "input gradient";
  case action_kind::weight_gradient:
    return "weight gradient";
  case action_kind::update:
    return "update";
  }
  return "other";
}

struct placed_action {
  std::size_t stage;
  action_record record;
};

using actions_by_name = std::map<action, placed_action>;

// The actions that may take what `from` sends, whichever kind it is.
std::vector<action> receivers(const action& from) {
  switch (from.kind) {
  case action_kind::forward:
    return {{from.cell + 1, action_kind::forward, from.micro_batch}};
  case action_kind::backward:
  case action_kind::input_gradient:
    if (from.cell == 0)
      return {};
    return {{from.cell - 1, action_kind::backward, from.micro_batch},
            {from.cell - 1, action_kind::input_gradient, from.micro_batch}};
  default:
    return {};
  }
}

class event_writer {
public:
  explicit event_writer(std::int64_t zero_ns) : zero_ns_(zero_ns) {}

  void name_threads(std::size_t stages);
  void add(const trace_step& step);

  json take() { return std::move(events_); }

private:
  // Trace events count in microseconds.
  double us(std::int64_t ns) const {
    return static_cast<double>(ns - zero_ns_) / 1000;
  }

  json event(const char* phase, const std::string& name,
             const std::string& category, std::size_t stage,
             std::int64_t at_ns) const {
    return {{"ph", phase}, {"name", name}, {"cat", category},
            {"pid", 1},    {"tid", stage}, {"ts", us(at_ns)}};
  }

  void add_slice(const std::string& name, const std::string& category,
                 std::size_t stage, std::int64_t start_ns, std::int64_t end_ns,
                 json args);
  void add_arrow(const placed_action& from, const placed_action& to);

  std::int64_t zero_ns_;
  std::int64_t arrows_ = 0;
  json events_ = json::array();
};

void event_writer::name_threads(std::size_t stages) {
  events_.push_back({{"ph", "M"},
                     {"name", "process_name"},
                     {"pid", 1},
                     {"args", {{"name", "actorpipe"}}}});
  for (std::size_t stage = 0; stage < stages; ++stage) {
    events_.push_back({{"ph", "M"},
                       {"name", "thread_name"},
                       {"pid", 1},
                       {"tid", stage},
                       {"args", {{"name", "stage " + std::to_string(stage)}}}});
    events_.push_back({{"ph", "M"},
                       {"name", "thread_sort_index"},
                       {"pid", 1},
                       {"tid", stage},
                       {"args", {{"sort_index", stage}}}});
  }
}

void event_writer::add_slice(const std::string& name,
                             const std::string& category, std::size_t stage,
                             std::int64_t start_ns, std::int64_t end_ns,
                             json args) {
  auto slice = event("X", name, category, stage, start_ns);
  slice["dur"] = us(end_ns) - us(start_ns);
  slice["args"] = std::move(args);
  events_.push_back(std::move(slice));
}

void event_writer::add_arrow(const placed_action& from,
                             const placed_action& to) {
  const auto name =
    from.record.what.kind == action_kind::forward ? "activation" : "gradient";
  // An arrow is tied to the slices that its two times lie in, and leads
  // forward, though a receiver may start before its sender is done.
  const auto sent_ns = std::max(
    from.record.start_ns, std::min(from.record.end_ns - 1, to.record.start_ns));
  auto start = event("s", name, "edge", from.stage, sent_ns);
  auto end = event("f", name, "edge", to.stage, to.record.start_ns);
  end["bp"] = "e";
  start["id"] = end["id"] = ++arrows_;
  events_.push_back(std::move(start));
  events_.push_back(std::move(end));
}

void event_writer::add(const trace_step& step) {
  actions_by_name known;
  for (std::size_t stage = 0; stage < step.timeline.size(); ++stage)
    for (const auto& record : step.timeline[stage]) {
      const auto& what = record.what;
      const json args{{"step", step.step},
                      {"cell", what.cell},
                      {"micro_batch", what.micro_batch}};
      if (record.ready_ns < record.start_ns)
        add_slice("wait for " + to_string(what), "wait", stage, record.ready_ns,
                  record.start_ns, args);
      add_slice(to_string(what), kind_name(what.kind), stage, record.start_ns,
                record.end_ns, args);
      known.emplace(what, placed_action{stage, record});
    }
  for (const auto& [what, from] : known)
    for (const auto& receiver : receivers(what))
      if (const auto to = known.find(receiver);
          to != known.end() && to->second.stage != from.stage)
        add_arrow(from, to->second);
}

} // namespace

void trace_recorder::add(trace_step step) {
  if (limit_ == 0)
    return;
  if (steps_.size() == limit_)
    steps_.pop_front();
  steps_.push_back(std::move(step));
}

std::string trace_json(const std::deque<trace_step>& steps) {
  auto zero_ns = std::numeric_limits<std::int64_t>::max();
  std::size_t stages = 0;
  for (const auto& step : steps) {
    stages = std::max(stages, step.timeline.size());
    for (const auto& stage : step.timeline)
      for (const auto& record : stage)
        zero_ns = std::min({zero_ns, record.ready_ns, record.start_ns});
  }
  event_writer events(zero_ns);
  events.name_threads(stages);
  for (const auto& step : steps)
    events.add(step);
  const json root{{"displayTimeUnit", "ms"}, {"traceEvents", events.take()}};
  return root.dump() + '\n';
}

void write_trace(const std::filesystem::path& path,
                 const trace_recorder& recorder) {
  write_file_atomically(path, trace_json(recorder.steps()));
}

} // namespace actorpipe
