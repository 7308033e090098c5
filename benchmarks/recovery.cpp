// SPDX-License-Identifier: Apache-2.0
/// From the end of a node to the next committed step, and how soon a host that
/// is cut off is noticed.
#include "actors/cluster/cluster.hpp"
#include "benchmarks/gpt.hpp"
#include "benchmarks/measure.hpp"
#include "benchmarks/node_processes.hpp"
#include "benchmarks/row.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <memory>
#include <random>
#include <thread>
#include <vector>

using namespace actorpipe;
using namespace actorpipe::benchmarks;

namespace {

constexpr std::uint32_t stages = 4;
constexpr std::uint32_t micro_batches = 8;
constexpr double allowed_s = 5;
constexpr double allowed_heartbeats = 3;

using steady = std::chrono::steady_clock;

double seconds_since(steady::time_point then) {
  return std::chrono::duration<double>(steady::now() - then).count();
}

// A run on two nodes of two devices each, with a third to spare.
class run_with_a_spare {
public:
  explicit run_with_a_spare(int signal_number) : signal_(signal_number) {
    auto options = nodes_.options();
    options.on_event = [this](const cluster_event& event) {
      remark(event.text);
      if (event.what == cluster_event::kind::fault && !noticed_.exchange(true))
        noticed_at_ = steady::now();
    };
    line_ =
      std::make_unique<cluster>(options, make_gpt_line(stages, micro_batches),
                                layer_registry::with_builtin());
    for (int i = 0; i < 3; ++i)
      step_s_ = seconds_of([&] { step(); });
  }

  // Strikes a node at a moment within a step; returns once a step later than
  // the one at hand is committed.
  void strike(std::mt19937_64& draw) {
    const auto wait = std::chrono::duration<double>(
      step_s_ * std::uniform_real_distribution<double>(0, 1)(draw));
    const auto node = draw() % 2;
    const auto goal = done_ + 1;
    steady::time_point struck;
    std::jthread striker([&] {
      std::this_thread::sleep_for(wait);
      struck = steady::now();
      nodes_.signal(node, signal_);
    });
    step();
    striker.join();
    int trained = 0;
    while (done_ <= goal || !noticed_) {
      step();
      ++trained;
    }
    total_s = seconds_since(struck);
    replayed_s = step_s_ * trained;
    noticed_s =
      std::chrono::duration<double>(noticed_at_.load() - struck).count();
  }

  double total_s = 0;
  double replayed_s = 0; ///< the steps' own time since then
  double noticed_s = 0;

private:
  void step() {
    try {
      line_->train(data_, gpt_request);
      ++done_;
    } catch (const pipeline_error& error) {
      if (error.code() != error_code::rolled_back)
        throw;
      done_ = error.version();
    }
  }

  int signal_;
  node_processes nodes_{3, 2};
  std::unique_ptr<cluster> line_;
  batch data_ = make_gpt_batch();
  std::int64_t done_ = 0;
  double step_s_ = 0;
  std::atomic<bool> noticed_ = false;
  std::atomic<steady::time_point> noticed_at_{};
};

} // namespace

int main(int argc, char** argv) {
  run_if_node(argc, argv);
  const auto rounds = rounds_of(argc, argv, 5);
  std::mt19937_64 draw(1);
  double worst_s = 0;
  double worst_heartbeats = 0;
  for (std::size_t i = 0; i < rounds; ++i) {
    run_with_a_spare killed(SIGKILL);
    killed.strike(draw);
    remark(fmt::format("killed: noticed after {:.3f} s, the next step after "
                       "{:.2f} s, of which {:.2f} s are steps",
                       killed.noticed_s, killed.total_s, killed.replayed_s));
    worst_s = std::max(worst_s, killed.total_s - killed.replayed_s);
    run_with_a_spare stopped(SIGSTOP);
    stopped.strike(draw);
    remark(fmt::format("stopped: noticed after {:.3f} s, the next step after "
                       "{:.2f} s, of which {:.2f} s are steps",
                       stopped.noticed_s, stopped.total_s, stopped.replayed_s));
    worst_heartbeats = std::max(worst_heartbeats, stopped.noticed_s);
  }
  bool passed =
    print_row("node killed: to the next step, without the steps",
              fmt::format("{:.2f} s", worst_s),
              fmt::format("< {:.0f} s", allowed_s), worst_s < allowed_s);
  passed = print_row("node silent: noticed after",
                     fmt::format("{:.2f} heartbeats", worst_heartbeats),
                     fmt::format("<= {:.0f}", allowed_heartbeats),
                     worst_heartbeats <= allowed_heartbeats)
        && passed;
  return exit_status(passed);
}
