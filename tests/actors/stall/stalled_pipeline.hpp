// SPDX-License-Identifier: Apache-2.0
/// Stages that run their programs as bare bookkeeping, in a random order, with
/// one fault planted, until nothing goes on.
#pragma once

#include "actors/stall/stall_cause.hpp"
#include "partition/plan.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace actorpipe::test {

/// What goes wrong, and where.
struct planted_fault {
  enum class kind : std::uint8_t {
    lost_tensor, ///< the `count`-th that is sent
    lost_credit,
    lost_weights, ///< of `stage`
    hangs,        ///< `stage` in its action number `count`
    fails,
    dies,         ///< the same, and nothing is heard of it any more
    never_begins, ///< `stage`
  };
  kind what = kind::hangs;
  std::uint32_t stage = 0;
  std::size_t count = 0;
};

/// Knows nothing of the code that it tests but the plan: tensors, credits and
/// cursors by the rules of `execute`.
class stalled_pipeline {
public:
  stalled_pipeline(const plan& how, std::vector<program> programs,
                   planted_fault fault, std::uint64_t seed);

  /// Runs until nothing goes on.
  void run();

  bool is_done() const;

  /// What was lost, where something was: whose wait it is.
  const stage_wait& lost() const { return lost_; }
  const program& steps(std::uint32_t stage) const { return programs_[stage]; }

  /// A request is at hand; silence where it was planted.
  stall_reading read() const;

private:
  using lane = std::pair<std::uint32_t, bool>; ///< edge, gradient
  using key = std::tuple<std::uint32_t, bool, std::uint32_t>;

  struct message {
    bool is_credit = false;
    std::uint32_t edge = 0;
    bool gradient = false;
    std::uint32_t micro_batch = 0;
  };

  struct stage_state {
    std::size_t cursor = 0;
    bool has_begun = true;
    bool has_weights = true;
    bool is_computing = false;
    bool is_stuck = false;
  };

  // The lanes that an action takes from and writes to.
  std::vector<lane> takes(const action& x) const;
  std::vector<lane> writes(const action& x) const;
  std::vector<missing> lacks(std::uint32_t stage) const;
  bool can_go(std::uint32_t stage) const;
  void go(std::uint32_t stage);
  bool feed_one();
  void send(const message& x);
  void deliver(const message& x);
  std::uint32_t receiver(const message& x) const;

  const plan& how_;
  std::vector<program> programs_;
  planted_fault fault_;
  std::mt19937_64 random_;
  std::vector<stage_state> stages_;
  std::map<lane, std::uint32_t> credits_;
  std::set<key> arrived_;
  std::map<std::uint32_t, std::size_t> fed_; ///< per edge
  std::vector<message> under_way_;
  std::size_t tensors_sent_ = 0;
  std::size_t credits_sent_ = 0;
  stage_wait lost_;
};

} // namespace actorpipe::test
