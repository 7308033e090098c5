// SPDX-License-Identifier: Apache-2.0
/// Nodes that are killed: the run ends with the bits of one without faults.
#include "tests/faults/fault_bench.hpp"

#include <csignal>
#include <random>

namespace actorpipe::test {
namespace {

using kind = cluster_event::kind;

class kills_test : public fault_bench {
protected:
  /// How long a run takes that nothing befalls.
  double undisturbed_s(const workload& what) {
    using clock = std::chrono::steady_clock;
    const auto line = make_line(what, options());
    const auto begin = clock::now();
    finish(*line, what);
    return std::chrono::duration<double>(clock::now() - begin).count();
  }

  /// Kills one of the first `victims` nodes at a random moment of a run.
  void survive_a_kill(std::uint64_t seed, const workload& what,
                      std::size_t victims, double within_s, bool starts_again) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 draw(seed);
    const auto victim = draw() % victims;
    const std::chrono::duration<double> moment(
      within_s * std::uniform_real_distribution<double>(0, 1)(draw));
    const auto line = make_line(what, options());
    std::jthread striker([&] {
      pause(std::chrono::duration_cast<std::chrono::microseconds>(moment));
      nodes_[victim]->kill();
      if (starts_again)
        nodes_[victim]->start();
    });
    finish(*line, what);
    striker.join();
    mend_nodes();
  }
};

TEST_F(kills_test, random_ones_with_a_spare) {
  add_nodes(3);
  for (const auto* what : {&quick_work(2), &slow_work(2)}) {
    const auto within_s = undisturbed_s(*what);
    for (const auto seed : seeds(3))
      survive_a_kill(seed, *what, 3, within_s, false);
  }
}

TEST_F(kills_test, random_ones_that_are_started_again) {
  add_nodes(3);
  for (const auto* what : {&quick_work(3), &slow_work(3)}) {
    const auto within_s = undisturbed_s(*what);
    for (const auto seed : seeds(3))
      survive_a_kill(seed, *what, 3, within_s, true);
  }
}

// The trainer leaves while it finds out.
TEST_F(kills_test, random_ones_after_the_work_is_done) {
  add_nodes(3);
  const auto& what = quick_work(2);
  for (const auto seed : seeds(10)) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 draw(seed);
    auto line = make_line(what, options());
    finish(*line, what);
    nodes_[draw() % 3]->kill();
    pause(std::chrono::microseconds(draw() % 20'000));
    line.reset();
    mend_nodes();
  }
}

} // namespace
} // namespace actorpipe::test
