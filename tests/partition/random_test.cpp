// SPDX-License-Identifier: Apache-2.0
/// Random legal programs are accepted and simulated, and broken ones refused.
#include "partition/check.hpp"
#include "partition/grid.hpp"
#include "partition/simulate.hpp"
#include "pipelines.hpp"
#include "random_programs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace actorpipe {
namespace {

using testing::random_programs;
using testing::random_shape;

class random_program : public ::testing::Test {
protected:
  // Draws a shape and programs, with at least two actions on `device_`.
  void draw() {
    do {
      shape_ = random_shape(random_);
      programs_ = random_programs(shape_, random_);
      device_ = static_cast<std::uint32_t>(random_() % programs_.size());
    } while (steps().size() < 2);
  }

  program& steps() { return programs_[device_]; }

  std::size_t position(std::size_t before) { return random_() % before; }

  bool ok() const { return check(programs_, shape_).ok(); }

  // Whether a fault marks this action on the device.
  bool marks(const action& what) const {
    const auto faults = check(programs_, shape_).faults;
    return std::any_of(faults.begin(), faults.end(), [&](const auto& x) {
      return x.device == device_ && x.what == what;
    });
  }

  bool marks(const action& what, std::size_t at) const {
    const auto faults = check(programs_, shape_).faults;
    return std::any_of(faults.begin(), faults.end(), [&](const auto& x) {
      return x.device == device_ && x.what == what && x.position == at;
    });
  }

  // Likewise, this one or another of its cell and micro-batch, such as the
  // recompute that a backward has left behind.
  bool marks_pair(const action& what) const {
    const auto faults = check(programs_, shape_).faults;
    return std::any_of(faults.begin(), faults.end(), [&](const auto& x) {
      return x.device == device_ && x.what.cell == what.cell
          && x.what.micro_batch == what.micro_batch;
    });
  }

  std::string drawing() const {
    const auto faults = check(programs_, shape_).faults;
    return to_string(faults) + '\n' + to_grid(programs_, faults);
  }

  std::mt19937 random_{11};
  pipeline_shape shape_;
  std::vector<program> programs_;
  std::uint32_t device_ = 0;
};

TEST_F(random_program, is_accepted) {
  for (int i = 0; i < 500; ++i) {
    draw();
    EXPECT_TRUE(ok()) << drawing();
  }
}

TEST_F(random_program, without_one_action_is_refused) {
  for (int i = 0; i < 500; ++i) {
    draw();
    const auto at = position(steps().size());
    const auto dropped = steps()[at];
    steps().erase(steps().begin() + static_cast<std::ptrdiff_t>(at));
    const bool legal = dropped.kind == action_kind::recompute;
    EXPECT_TRUE(legal ? ok() : marks(dropped)) << to_string(dropped) << '\n'
                                               << drawing();
  }
}

TEST_F(random_program, with_one_action_twice_is_refused) {
  for (int i = 0; i < 500; ++i) {
    draw();
    const auto at = position(steps().size());
    const auto doubled = steps()[at];
    const auto to = at + 1 + position(steps().size() - at);
    steps().insert(steps().begin() + static_cast<std::ptrdiff_t>(to), doubled);
    EXPECT_TRUE(marks(doubled, to)) << to_string(doubled) << '\n' << drawing();
  }
}

TEST_F(random_program, with_two_neighbours_swapped_is_legal_or_marked) {
  int refused = 0;
  for (int i = 0; i < 500; ++i) {
    draw();
    const auto at = position(steps().size() - 1);
    std::swap(steps()[at], steps()[at + 1]);
    refused += !ok();
    const auto& first = steps()[at];
    const auto& second = steps()[at + 1];
    EXPECT_TRUE(ok() || marks_pair(first) || marks_pair(second))
      << to_string(first) << '\n'
      << drawing();
  }
  EXPECT_GT(refused, 50);
  EXPECT_LT(refused, 450);
}

// What a run must obey, read off its timeline alone.
class timeline_laws {
public:
  timeline_laws(const simulation& x, const pipeline_shape& shape)
    : shape_(shape) {
    for (const auto& row : x.timeline)
      for (std::size_t i = 0; i < row.size(); ++i) {
        EXPECT_GE(row[i].start_s, i == 0 ? 0 : row[i - 1].end_s);
        auto what = row[i].what;
        if (what.kind == action_kind::input_gradient)
          what.kind = action_kind::backward;
        at_[what] = row[i];
      }
  }

  void check_edges(double latency_s) const {
    for (const auto& line : shape_.edges)
      if (line.from != edge::feed) {
        check_lane(line.from, line.to, action_kind::forward, line.credits,
                   latency_s);
        check_lane(line.to, line.from, action_kind::backward, line.credits,
                   latency_s);
      }
  }

private:
  // A tensor arrives before it is taken, and at the start of a write at most
  // as many as there are credits have been written and not taken.
  void check_lane(std::uint32_t from, std::uint32_t to, action_kind kind,
                  std::uint32_t credits, double latency_s) const {
    std::vector<double> written;
    std::vector<double> taken;
    for (std::uint32_t i = 0; i < shape_.micro_batches; ++i) {
      const auto& writer = at_.at({from, kind, i});
      const auto& reader = at_.at({to, kind, i});
      EXPECT_GE(reader.start_s, writer.end_s + latency_s);
      written.push_back(writer.start_s);
      taken.push_back(reader.start_s);
    }
    std::sort(written.begin(), written.end());
    std::sort(taken.begin(), taken.end());
    for (std::size_t n = credits; n < written.size(); ++n)
      EXPECT_GE(written[n], taken[n - credits]);
  }

  const pipeline_shape& shape_;
  std::map<action, timed_action> at_;
};

TEST_F(random_program, simulates_within_the_rules) {
  const auto draw_s = [&] { return 0.25 * (1 + random_() % 8); };
  for (int i = 0; i < 200; ++i) {
    draw();
    simulation_options options;
    for (std::size_t k = 0; k < shape_.device_of_cell.size(); ++k)
      options.durations.push_back(
        {draw_s(), draw_s(), draw_s(), draw_s(), draw_s(), draw_s()});
    const auto latency_s = draw_s();
    options.latency_s.assign(shape_.edges.size(), latency_s);
    const auto x = simulate(programs_, shape_, options);
    timeline_laws(x, shape_).check_edges(latency_s);
    EXPECT_GE(x.makespan_s,
              *std::max_element(x.busy_s.begin(), x.busy_s.end()));
    EXPECT_GE(x.bubble_fraction, 0);
    EXPECT_LT(x.bubble_fraction, 1);
  }
}

} // namespace
} // namespace actorpipe
