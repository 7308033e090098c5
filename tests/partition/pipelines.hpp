// SPDX-License-Identifier: Apache-2.0
/// Small pipelines and programs for the tests of partition.
#pragma once

#include "partition/schedule.hpp"
#include "partition/shape.hpp"
#include "partition/simulate.hpp"

#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <vector>

namespace actorpipe::testing {

/// Reads one program a device.
inline std::vector<program> programs(std::initializer_list<const char*> texts) {
  std::vector<program> result;
  for (const auto* text : texts) {
    const auto steps = parse_program(text);
    if (!steps)
      throw std::invalid_argument(text);
    result.push_back(*steps);
  }
  return result;
}

/// Cells in a row, on the devices named: one tensor with a gradient between
/// neighbours, an input without one, a target.
inline pipeline_shape chain(std::vector<std::uint32_t> device_of_cell,
                            std::uint32_t micro_batches,
                            std::uint32_t credits = 2) {
  const auto cells = static_cast<std::uint32_t>(device_of_cell.size());
  pipeline_shape result{std::move(device_of_cell), {}, micro_batches, true};
  result.edges.push_back(
    {edge::feed, 0, 0, false, false, "i32[1]", 4, credits});
  for (std::uint32_t k = 1; k < cells; ++k)
    result.edges.push_back({k - 1, k, 0, false, true, "f32[2]", 8, credits});
  result.edges.push_back(
    {edge::feed, cells - 1, 0, true, false, "i32[1]", 4, credits});
  return result;
}

/// Cell k on device k.
inline pipeline_shape chain_of(std::uint32_t cells, std::uint32_t micro_batches,
                               std::uint32_t credits = 2) {
  std::vector<std::uint32_t> devices;
  for (std::uint32_t k = 0; k < cells; ++k)
    devices.push_back(k);
  return chain(std::move(devices), micro_batches, credits);
}

inline schedule_options sizes(std::uint32_t cells, std::uint32_t micro_batches,
                              schedule_kind kind = schedule_kind::fill_drain,
                              recompute_mode mode = recompute_mode::never) {
  return {kind, mode, micro_batches, chain_of(cells, 1).device_of_cell, cells};
}

inline std::vector<program>
trained(std::uint32_t cells, std::uint32_t micro_batches, schedule_kind kind,
        recompute_mode mode = recompute_mode::never) {
  return make_training_programs(sizes(cells, micro_batches, kind, mode));
}

/// The same durations on every cell: F and R, B, half a B for I and for W, and
/// no time for U.
inline simulation_options durations(std::uint32_t cells, double forward_s,
                                    double backward_s) {
  const cell_durations one{forward_s,      forward_s,      backward_s,
                           backward_s / 2, backward_s / 2, 0};
  return {std::vector<cell_durations>(cells, one), {}, false};
}

/// Programs of more than one cell a device, with as many chunks of the model
/// on each. Cell c * devices + r is chunk c on device r.
struct chunked {
  std::vector<program> programs;
  std::vector<std::uint32_t> device_of_cell;
};

/// 1F1B over chunks (Narayanan et al., arXiv 2104.04473).
chunked interleaved(std::uint32_t devices, std::uint32_t chunks,
                    std::uint32_t micro_batches);

/// Every micro-batch through one chunk, then through the next.
chunked looped(std::uint32_t devices, std::uint32_t chunks,
               std::uint32_t micro_batches);

/// ZB-H1 (Qi et al., arXiv 2401.10241): `W` is put off on later devices.
std::vector<program> zero_bubble_h1(std::uint32_t cells,
                                    std::uint32_t micro_batches);

} // namespace actorpipe::testing
