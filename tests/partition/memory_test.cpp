// SPDX-License-Identifier: Apache-2.0
/// Predicted peaks of memory, by hand and against simulated runs.
#include "partition/memory.hpp"

#include "partition/in_flight.hpp"
#include "partition/simulate.hpp"
#include "pipelines.hpp"
#include "random_programs.hpp"

#include <gtest/gtest.h>

#include <map>
#include <stdexcept>

namespace actorpipe {
namespace {

using testing::chain;
using testing::chain_of;
using testing::programs;
using testing::trained;

using bytes_t = std::vector<double>;

// Without anything on the edges.
pipeline_shape bare(std::uint32_t micro_batches) {
  return {{0}, {}, micro_batches, true};
}

double peak(const char* text, std::uint32_t micro_batches,
            const cell_memory& cell) {
  return peak_memory(programs({text}), bare(micro_batches), {{cell}})[0]
    .peak_bytes;
}

cell_memory cell() {
  cell_memory result;
  result.boundary = 10;
  result.saved = 100;
  result.split = 60;
  return result;
}

TEST(memory, without_recompute_all_is_saved) {
  EXPECT_EQ(peak("0F0 0F1 0F2 0B0 0B1 0B2 0U0", 3, cell()), 300);
}

TEST(memory, with_recompute_one_is_saved_and_boundaries_are) {
  EXPECT_EQ(peak("0F0 0F1 0F2 0R0 0B0 0R1 0B1 0R2 0B2 0U0", 3, cell()),
            10 + 10 + 100);
  EXPECT_EQ(peak("0F0 0F1 0F2 0B0 0R1 0B1 0R2 0B2 0U0", 3, cell()),
            100 + 10 + 10);
}

TEST(memory, one_f_one_b_saves_fewer) {
  EXPECT_EQ(peak("0F0 0B0 0F1 0B1 0F2 0B2 0U0", 3, cell()), 100);
}

TEST(memory, a_split_backward_holds_what_its_second_half_needs) {
  EXPECT_EQ(peak("0F0 0I0 0F1 0I1 0W0 0W1 0U0", 2, cell()), 60 + 100);
}

TEST(memory, what_is_fixed_is_there_always) {
  auto x = cell();
  x.fixed = 1000;
  const auto shape = bare(1);
  const auto result = peak_memory(programs({"0F0 0B0 0U0"}), shape, {{x}})[0];
  EXPECT_EQ(result.fixed_bytes, 1000);
  EXPECT_EQ(result.peak_bytes, 1100);
}

TEST(memory, a_transient_counts_beside_what_is_held) {
  auto x = cell();
  x.backward_transient = 7;
  EXPECT_EQ(peak("0F0 0F1 0B0 0B1 0U0", 2, x), 207);
  x.forward_transient = 500;
  EXPECT_EQ(peak("0F0 0F1 0B0 0B1 0U0", 2, x), 207);
  EXPECT_EQ(peak("0F0 0F1 0R0 0B0 0B1 0U0", 2, x), 510);
  x.kept_forward_transient = 600;
  EXPECT_EQ(peak("0F0 0F1 0R0 0B0 0B1 0U0", 2, x), 10 + 100 + 600);
  x.recompute_transient = 700;
  EXPECT_EQ(peak("0F0 0F1 0R0 0B0 0B1 0U0", 2, x), 100 + 100 + 700);
  x.update_transient = 1234;
  EXPECT_EQ(peak("0F0 0F1 0R0 0B0 0B1 0U0", 2, x), 1234);
}

TEST(memory, halves_of_a_backward_have_their_own_transients) {
  auto x = cell();
  x.input_gradient_transient = 1000;
  EXPECT_EQ(peak("0F0 0I0 0W0 0U0", 1, x), 1100);
  x.weight_gradient_transient = 2000;
  EXPECT_EQ(peak("0F0 0I0 0W0 0U0", 1, x), 2060);
}

TEST(memory, evaluation_keeps_nothing) {
  auto x = cell();
  x.forward_transient = 5;
  auto shape = bare(2);
  shape.training = false;
  EXPECT_EQ(peak_memory(programs({"0F0 0F1"}), shape, {{x}})[0].peak_bytes, 5);
}

TEST(memory, cells_of_one_device_add_up) {
  const cell_memory cells[]{cell(), cell()};
  const pipeline_shape shape{{0, 0}, {}, 1, true};
  EXPECT_EQ(peak_memory(programs({"0F0 1F0 1B0 0B0 0U0 1U0"}), shape, cells)[0]
              .peak_bytes,
            200);
}

TEST(memory, figures_and_programs_have_to_fit) {
  const cell_memory cells[]{cell(), cell()};
  EXPECT_THROW(peak_memory(programs({"0F0 0B0 0U0"}), bare(1), cells),
               std::invalid_argument);
  EXPECT_THROW(peak("0F0 0B0", 1, cell()), std::invalid_argument);
}

// Edge 1 has 8 bytes, edges of the feed 4, credits are 2.
TEST(in_flight, counts_as_many_as_there_are_credits) {
  const auto bytes = in_flight_bytes(trained(2, 3, schedule_kind::fill_drain),
                                     chain_of(2, 3, 2));
  // Inputs left to feed, and outputs; gone once the first gradient is there.
  EXPECT_EQ(bytes[0], (bytes_t{8 + 8, 4 + 16, 16, 0, 0, 0, 0}));
  // Targets left to feed, and gradients.
  EXPECT_EQ(bytes[1], (bytes_t{8, 4, 0, 8, 16, 16, 16}));
}

TEST(in_flight, one_f_one_b_knows_what_has_been_taken) {
  const auto bytes = in_flight_bytes(trained(2, 4, schedule_kind::one_f_one_b),
                                     chain_of(2, 4, 2));
  EXPECT_EQ(bytes[0],
            (bytes_t{8 + 8, 8 + 16, 8 + 8, 4 + 16, 4 + 8, 16, 8, 0, 0}));
  EXPECT_EQ(bytes[1],
            (bytes_t{8, 8 + 8, 8 + 8, 8 + 16, 4 + 8, 4 + 16, 8, 16, 16}));
}

// A tensor without a gradient goes past cell 1, whose gradients tell cell 0
// nothing of it.
TEST(in_flight, one_reader_tells_nothing_of_another) {
  auto shape = chain_of(3, 2, 2);
  shape.edges.push_back({0, 2, 0, false, false, "i32[25]", 100, 2});
  const auto bytes =
    in_flight_bytes(trained(3, 2, schedule_kind::one_f_one_b), shape);
  EXPECT_EQ(bytes[0], (bytes_t{4 + 108, 216, 200, 200, 200}));
}

// What is on the edges of a device at the start of each action of a run.
class observer {
public:
  observer(const simulation& x, const pipeline_shape& shape)
    : run_(x), shape_(shape) {
    for (const auto& row : x.timeline)
      for (auto step : row) {
        if (step.what.kind == action_kind::input_gradient)
          step.what.kind = action_kind::backward;
        start_s_[step.what] = step.start_s;
      }
  }

  double bytes(std::uint32_t device, std::size_t position) const {
    const auto now_s = run_.timeline[device][position].start_s;
    double result = 0;
    for (const auto& line : shape_.edges) {
      if (line.from == edge::feed)
        continue;
      if (shape_.device_of_cell[line.from] == device)
        result += on_lane(line.from, line.to, action_kind::forward, now_s)
                * static_cast<double>(line.bytes);
      if (shape_.device_of_cell[line.to] == device)
        result += on_lane(line.to, line.from, action_kind::backward, now_s)
                * static_cast<double>(line.bytes);
    }
    return result;
  }

private:
  int on_lane(std::uint32_t from, std::uint32_t to, action_kind kind,
              double now_s) const {
    int result = 0;
    for (std::uint32_t i = 0; i < shape_.micro_batches; ++i)
      result += start_s_.at({from, kind, i}) <= now_s
             && start_s_.at({to, kind, i}) > now_s;
    return result;
  }

  const simulation& run_;
  const pipeline_shape& shape_;
  std::map<action, double> start_s_;
};

TEST(in_flight, no_timing_exceeds_the_prediction) {
  std::mt19937 random(3);
  const auto draw_s = [&] { return 0.25 * (1 + random() % 40); };
  for (int i = 0; i < 300; ++i) {
    auto shape = testing::random_shape(random);
    std::erase_if(shape.edges,
                  [](const edge& x) { return x.from == edge::feed; });
    if (shape.edges.empty())
      continue;
    const auto steps = testing::random_programs(shape, random);
    simulation_options options;
    for (std::size_t k = 0; k < shape.device_of_cell.size(); ++k)
      options.durations.push_back(
        {draw_s(), draw_s(), draw_s(), draw_s(), draw_s(), draw_s()});
    const auto run = simulate(steps, shape, options);
    const auto predicted = in_flight_bytes(steps, shape);
    const observer observed(run, shape);
    for (std::uint32_t d = 0; d < steps.size(); ++d)
      for (std::size_t at = 0; at < steps[d].size(); ++at)
        EXPECT_LE(observed.bytes(d, at), predicted[d][at])
          << to_string(steps[d][at]);
  }
}

} // namespace
} // namespace actorpipe
