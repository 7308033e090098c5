// SPDX-License-Identifier: Apache-2.0
/// The rules by which devices run programs, without any device.
#include "partition/execution.hpp"

#include <algorithm>
#include <deque>
#include <optional>

namespace actorpipe {

namespace {

// The tensors that cross one edge in one direction.
struct lane {
  std::vector<double> arrival_s; // by micro-batch; negative before it is sent
  std::vector<double> taken_s;   // in the order of taking
  std::uint32_t sent = 0;
};

class executor {
public:
  executor(std::span<const program> programs, const pipeline_shape& shape,
           std::span<const cell_durations> durations,
           std::span<const double> latency_s)
    : programs_(programs), shape_(shape), durations_(durations),
      latency_s_(latency_s), edges_(edges_of_cells(shape)),
      activations_(shape.edges.size()), gradients_(shape.edges.size()),
      queued_(programs.size(), true) {
    result_.times.resize(programs.size());
    for (auto* lanes : {&activations_, &gradients_})
      for (auto& x : *lanes)
        x.arrival_s.assign(shape.micro_batches, -1);
    for (std::uint32_t d = 0; d < programs.size(); ++d)
      queue_.push_back(d);
  }

  execution run() {
    while (!queue_.empty()) {
      const auto device = queue_.front();
      queue_.pop_front();
      queued_[device] = false;
      while (advance(device)) {
        // Until the program ends or is blocked.
      }
    }
    for (std::uint32_t d = 0; d < programs_.size(); ++d)
      if (position(d) < programs_[d].size())
        result_.blocked.push_back(*blocker(d));
    return std::move(result_);
  }

private:
  using edge_ids = std::vector<std::uint32_t>;

  // What an action takes and writes.
  struct traffic {
    const edge_ids* takes = nullptr;
    const edge_ids* writes = nullptr;
    bool gradient = false;
  };

  traffic traffic_of(const action& x) const {
    const auto& around = edges_[x.cell];
    switch (x.kind) {
    case action_kind::forward:
      return {&around.in, &around.out, false};
    case action_kind::backward:
    case action_kind::input_gradient:
      return {&around.out, &around.in, true};
    default:
      return {};
    }
  }

  std::size_t position(std::uint32_t device) const {
    return result_.times[device].size();
  }

  std::vector<lane>& lanes(bool gradient) {
    return gradient ? gradients_ : activations_;
  }

  bool carries(std::uint32_t id, bool gradient) const {
    return !gradient || shape_.edges[id].needs_gradient;
  }

  double latency(std::uint32_t id) const {
    return latency_s_.empty() ? 0 : latency_s_[id];
  }

  // When the next tensor of a lane may be sent; empty if nobody can tell yet.
  std::optional<double> credit_s(const lane& x, std::uint32_t credits,
                                 std::size_t sent) const {
    if (sent < credits)
      return 0;
    if (credits == 0 || sent - credits >= x.taken_s.size())
      return std::nullopt;
    return x.taken_s[sent - credits];
  }

  std::optional<double> arrival_s(std::uint32_t id, bool gradient,
                                  std::uint32_t micro_batch) {
    const auto& x = lanes(gradient)[id];
    if (shape_.edges[id].from == edge::feed) {
      auto fed = credit_s(x, shape_.edges[id].credits, x.taken_s.size());
      if (fed)
        *fed += latency(id);
      return fed;
    }
    const auto at = x.arrival_s[micro_batch];
    return at < 0 ? std::nullopt : std::optional(at);
  }

  // When the next action of a device can start, or why it cannot.
  struct readiness {
    double start_s = 0;
    std::optional<blocked_action> blocked;
  };

  readiness next_start(std::uint32_t device) {
    const auto at = position(device);
    const auto& step = programs_[device][at];
    const auto moves = traffic_of(step);
    readiness result;
    if (at > 0)
      result.start_s = result_.times[device].back().end_s;
    if (!moves.takes)
      return result;
    const auto await = [&](std::optional<double> when, std::uint32_t id,
                           bool credit) {
      if (when)
        result.start_s = std::max(result.start_s, *when);
      else if (!result.blocked)
        result.blocked = {device, at, id, moves.gradient, credit};
    };
    for (const auto id : *moves.takes)
      if (carries(id, moves.gradient))
        await(arrival_s(id, moves.gradient, step.micro_batch), id, false);
    for (const auto id : *moves.writes)
      if (carries(id, moves.gradient)) {
        const auto& x = lanes(moves.gradient)[id];
        await(credit_s(x, shape_.edges[id].credits, x.sent), id, true);
      }
    return result;
  }

  std::optional<blocked_action> blocker(std::uint32_t device) {
    return next_start(device).blocked;
  }

  // Runs the next action of a device, if it can start.
  bool advance(std::uint32_t device) {
    if (position(device) == programs_[device].size())
      return false;
    const auto ready = next_start(device);
    if (ready.blocked)
      return false;
    const auto& step = programs_[device][position(device)];
    const auto length =
      durations_.empty() ? 0 : duration_s(durations_[step.cell], step.kind);
    const action_time time{ready.start_s, ready.start_s + length};
    result_.times[device].push_back(time);
    const auto moves = traffic_of(step);
    if (!moves.takes)
      return true;
    for (const auto id : *moves.takes)
      if (carries(id, moves.gradient)) {
        lanes(moves.gradient)[id].taken_s.push_back(time.start_s);
        wake_ends(id);
      }
    for (const auto id : *moves.writes)
      if (carries(id, moves.gradient)) {
        auto& x = lanes(moves.gradient)[id];
        x.arrival_s[step.micro_batch] = time.end_s + latency(id);
        ++x.sent;
        wake_ends(id);
      }
    return true;
  }

  void wake_ends(std::uint32_t id) {
    const auto& x = shape_.edges[id];
    if (x.from != edge::feed)
      wake(shape_.device_of_cell[x.from]);
    wake(shape_.device_of_cell[x.to]);
  }

  void wake(std::uint32_t device) {
    if (queued_[device])
      return;
    queued_[device] = true;
    queue_.push_back(device);
  }

  std::span<const program> programs_;
  const pipeline_shape& shape_;
  std::span<const cell_durations> durations_;
  std::span<const double> latency_s_;
  std::vector<cell_edges> edges_;
  std::vector<lane> activations_; // by edge id
  std::vector<lane> gradients_;   // by edge id
  std::vector<bool> queued_;      // by device
  std::deque<std::uint32_t> queue_;
  execution result_;
};

} // namespace

double duration_s(const cell_durations& cell, action_kind kind) noexcept {
  switch (kind) {
  case action_kind::forward:
    return cell.forward_s;
  case action_kind::recompute:
    return cell.recompute_s;
  case action_kind::backward:
    return cell.backward_s;
  case action_kind::input_gradient:
    return cell.input_gradient_s;
  case action_kind::weight_gradient:
    return cell.weight_gradient_s;
  case action_kind::update:
    return cell.update_s;
  }
  return 0;
}

execution execute(std::span<const program> programs,
                  const pipeline_shape& shape,
                  std::span<const cell_durations> durations,
                  std::span<const double> latency_s) {
  return executor(programs, shape, durations, latency_s).run();
}

} // namespace actorpipe
