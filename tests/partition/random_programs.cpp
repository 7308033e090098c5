// SPDX-License-Identifier: Apache-2.0
/// Programs drawn at random from all that are legal.
#include "random_programs.hpp"

#include "pipelines.hpp"

#include <algorithm>
#include <set>

namespace actorpipe::testing {

namespace {

using enum action_kind;

class recorder {
public:
  recorder(const pipeline_shape& shape, std::mt19937& random)
    : shape_(shape), random_(random),
      programs_(1
                + *std::max_element(shape.device_of_cell.begin(),
                                    shape.device_of_cell.end())) {
    // Half of the micro-batches of a cell split their backward, and half are
    // recomputed.
    for (std::uint32_t k = 0; k < cells(); ++k)
      for (std::uint32_t i = 0; i < shape.micro_batches; ++i) {
        if (random() % 2 != 0)
          split_.insert({k, forward, i});
        if (random() % 2 != 0)
          recomputed_.insert({k, forward, i});
      }
  }

  std::vector<program> run() {
    for (;;) {
      const auto next = candidates();
      if (next.empty())
        return programs_;
      go(next[random_() % next.size()]);
    }
  }

private:
  std::uint32_t cells() const {
    return static_cast<std::uint32_t>(shape_.device_of_cell.size());
  }

  bool done(std::uint32_t k, action_kind kind, std::uint32_t i) const {
    return done_.contains({k, kind, i});
  }

  bool turned(std::uint32_t k, std::uint32_t i) const {
    return done(k, backward, i) || done(k, input_gradient, i);
  }

  std::uint32_t count(std::uint32_t k, bool forwards) const {
    std::uint32_t result = 0;
    for (std::uint32_t i = 0; i < shape_.micro_batches; ++i)
      result += forwards ? done(k, forward, i) : turned(k, i);
    return result;
  }

  // Whether cell k may write to cell `to`: it is at most so many ahead.
  bool credit(std::uint32_t k, std::uint32_t to, bool forwards) const {
    return count(k, forwards) - count(to, forwards) < shape_.edges[0].credits;
  }

  bool can_forward(std::uint32_t k, std::uint32_t i) const {
    return !done(k, forward, i) && (k == 0 || done(k - 1, forward, i))
        && (k + 1 == cells() || credit(k, k + 1, true));
  }

  bool can_turn(std::uint32_t k, std::uint32_t i) const {
    return done(k, forward, i) && !turned(k, i)
        && (k + 1 == cells() || turned(k + 1, i))
        && (k == 0 || credit(k, k - 1, false));
  }

  bool can_update(std::uint32_t k) const {
    for (std::uint32_t i = 0; i < shape_.micro_batches; ++i)
      if (!done(k, backward, i) && !done(k, weight_gradient, i))
        return false;
    return !done(k, update, 0);
  }

  program candidates() const {
    program result;
    for (std::uint32_t k = 0; k < cells(); ++k) {
      for (std::uint32_t i = 0; i < shape_.micro_batches; ++i) {
        const auto kind =
          split_.contains({k, forward, i}) ? input_gradient : backward;
        if (can_forward(k, i))
          result.push_back({k, forward, i});
        if (can_turn(k, i))
          result.push_back({k, kind, i});
        if (done(k, input_gradient, i) && !done(k, weight_gradient, i))
          result.push_back({k, weight_gradient, i});
      }
      if (can_update(k))
        result.push_back({k, update, 0});
    }
    return result;
  }

  void go(const action& x) {
    auto& steps = programs_[shape_.device_of_cell[x.cell]];
    const bool turns = x.kind == backward || x.kind == input_gradient;
    if (turns && recomputed_.contains({x.cell, forward, x.micro_batch}))
      steps.push_back({x.cell, recompute, x.micro_batch});
    steps.push_back(x);
    done_.insert(x);
  }

  const pipeline_shape& shape_;
  std::mt19937& random_;
  std::vector<program> programs_;
  std::set<action> done_;
  std::set<action> split_;      // as forwards
  std::set<action> recomputed_; // as forwards
};

} // namespace

std::vector<program> random_programs(const pipeline_shape& shape,
                                     std::mt19937& random) {
  return recorder(shape, random).run();
}

pipeline_shape random_shape(std::mt19937& random) {
  const auto up_to = [&](std::uint32_t most) {
    return static_cast<std::uint32_t>(1 + random() % most);
  };
  const auto devices = up_to(3);
  std::vector<std::uint32_t> device_of_cell;
  for (auto cells = up_to(5); cells > 0; --cells)
    device_of_cell.push_back(up_to(devices) - 1);
  const auto micro_batches = up_to(5);
  return chain(std::move(device_of_cell), micro_batches, up_to(3));
}

} // namespace actorpipe::testing
