// SPDX-License-Identifier: Apache-2.0
/// The bytes that may be on the edges of a device, action by action.
#include "partition/in_flight.hpp"

#include <algorithm>

namespace actorpipe {

namespace {

bool is_forward(const action& x) {
  return x.kind == action_kind::forward;
}

bool is_turn(const action& x) {
  return x.kind == action_kind::backward
      || x.kind == action_kind::input_gradient;
}

// One edge in one direction, as its writer sees it.
struct lane {
  std::uint32_t written = 0;
  std::uint32_t taken = 0; // for certain
};

class counter {
public:
  counter(std::span<const program> programs, const pipeline_shape& shape)
    : programs_(programs), shape_(shape), edges_(edges_of_cells(shape)),
      activations_(shape.edges.size()), gradients_(shape.edges.size()) {
    const auto pairs = shape.device_of_cell.size() * shape.micro_batches;
    forwards_before_.resize(pairs);
    turns_before_.resize(pairs);
    for (const auto& steps : programs)
      count(steps);
  }

  std::vector<double> bytes(std::uint32_t device) {
    double now = 0;
    for (std::uint32_t id = 0; id < shape_.edges.size(); ++id)
      if (shape_.edges[id].from == edge::feed
          && on(shape_.edges[id].to, device)) {
        activations_[id].written = shape_.micro_batches;
        now += held(activations_[id], id);
      }
    std::vector<double> result;
    for (const auto& x : programs_[device]) {
      if (is_forward(x))
        now += run_forward(x, device);
      else if (is_turn(x))
        now += run_turn(x, device);
      result.push_back(now);
    }
    return result;
  }

private:
  void count(const program& steps) {
    std::vector<std::uint32_t> forwards(shape_.device_of_cell.size());
    std::vector<std::uint32_t> turns(shape_.device_of_cell.size());
    for (const auto& x : steps)
      if (is_forward(x)) {
        turns_before_[pair(x.cell, x.micro_batch)] = turns[x.cell];
        ++forwards[x.cell];
      } else if (is_turn(x)) {
        forwards_before_[pair(x.cell, x.micro_batch)] = forwards[x.cell];
        ++turns[x.cell];
      }
  }

  std::size_t pair(std::uint32_t cell, std::uint32_t micro_batch) const {
    return std::size_t{cell} * shape_.micro_batches + micro_batch;
  }

  bool on(std::uint32_t cell, std::uint32_t device) const {
    return shape_.device_of_cell[cell] == device;
  }

  double held(const lane& x, std::uint32_t id) const {
    const auto& line = shape_.edges[id];
    return static_cast<double>(line.bytes)
         * std::min(line.credits, x.written - x.taken);
  }

  // Changes a lane and returns by how many bytes.
  template <class Change>
  double apply(lane& x, std::uint32_t id, Change change) const {
    const auto before = held(x, id);
    change(x);
    return held(x, id) - before;
  }

  double know_taken(lane& x, std::uint32_t id, std::uint32_t taken) const {
    return apply(x, id, [&](lane& y) {
      y.taken = std::max(y.taken, std::min(taken, y.written));
    });
  }

  double run_forward(const action& x, std::uint32_t device) {
    double change = 0;
    for (const auto id : edges_[x.cell].in) {
      const auto& line = shape_.edges[id];
      if (line.from == edge::feed || on(line.from, device))
        change += apply(activations_[id], id, [](lane& y) { ++y.taken; });
      else if (line.needs_gradient)
        change += know_taken(gradients_[id], id,
                             turns_before_[pair(line.from, x.micro_batch)]);
    }
    for (const auto id : edges_[x.cell].out)
      change += apply(activations_[id], id, [](lane& y) { ++y.written; });
    return change;
  }

  double run_turn(const action& x, std::uint32_t device) {
    double change = 0;
    const auto& out = edges_[x.cell].out;
    for (const auto id : out) {
      const auto& line = shape_.edges[id];
      if (!line.needs_gradient)
        continue;
      if (on(line.to, device))
        change += apply(gradients_[id], id, [](lane& y) { ++y.taken; });
      else
        for (const auto beside : out)
          if (shape_.edges[beside].to == line.to)
            change +=
              know_taken(activations_[beside], beside,
                         forwards_before_[pair(line.to, x.micro_batch)]);
    }
    for (const auto id : edges_[x.cell].in)
      if (shape_.edges[id].needs_gradient)
        change += apply(gradients_[id], id, [](lane& y) { ++y.written; });
    return change;
  }

  std::span<const program> programs_;
  const pipeline_shape& shape_;
  std::vector<cell_edges> edges_;
  std::vector<lane> activations_; // by edge id
  std::vector<lane> gradients_;   // by edge id
  // By cell and micro-batch: forwards of the cell before that backward, and
  // backwards before that forward.
  std::vector<std::uint32_t> forwards_before_;
  std::vector<std::uint32_t> turns_before_;
};

} // namespace

std::vector<std::vector<double>>
in_flight_bytes(std::span<const program> programs,
                const pipeline_shape& shape) {
  counter lanes(programs, shape);
  std::vector<std::vector<double>> result;
  for (std::uint32_t device = 0; device < programs.size(); ++device)
    result.push_back(lanes.bytes(device));
  return result;
}

} // namespace actorpipe
