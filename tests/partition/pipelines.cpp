// SPDX-License-Identifier: Apache-2.0
/// Small pipelines and programs for the tests of partition.
#include "pipelines.hpp"

#include <algorithm>

namespace actorpipe::testing {

namespace {

using enum action_kind;

chunked empty_chunks(std::uint32_t devices, std::uint32_t chunks) {
  chunked result;
  result.programs.resize(devices);
  for (std::uint32_t cell = 0; cell < devices * chunks; ++cell)
    result.device_of_cell.push_back(cell % devices);
  return result;
}

void add_updates(chunked& x) {
  for (std::uint32_t cell = 0; cell < x.device_of_cell.size(); ++cell)
    x.programs[x.device_of_cell[cell]].push_back({cell, update, 0});
}

} // namespace

chunked interleaved(std::uint32_t devices, std::uint32_t chunks,
                    std::uint32_t micro_batches) {
  auto result = empty_chunks(devices, chunks);
  const auto total = micro_batches * chunks;
  for (std::uint32_t r = 0; r < devices; ++r) {
    // The n-th forward or backward: micro-batches go in groups of as many as
    // there are devices, a group through all chunks.
    const auto nth = [&](std::uint32_t n, action_kind kind) {
      const auto chunk = n / devices % chunks;
      const auto micro_batch = n / (devices * chunks) * devices + n % devices;
      const auto c = kind == forward ? chunk : chunks - 1 - chunk;
      result.programs[r].push_back({c * devices + r, kind, micro_batch});
    };
    const auto ahead =
      std::min((devices - 1 - r) * 2 + (chunks - 1) * devices, total);
    for (std::uint32_t n = 0; n < ahead; ++n)
      nth(n, forward);
    for (std::uint32_t n = ahead; n < total; ++n) {
      nth(n, forward);
      nth(n - ahead, backward);
    }
    for (std::uint32_t n = total - ahead; n < total; ++n)
      nth(n, backward);
  }
  add_updates(result);
  return result;
}

chunked looped(std::uint32_t devices, std::uint32_t chunks,
               std::uint32_t micro_batches) {
  auto result = empty_chunks(devices, chunks);
  for (std::uint32_t r = 0; r < devices; ++r) {
    for (std::uint32_t c = 0; c < chunks; ++c)
      for (std::uint32_t i = 0; i < micro_batches; ++i)
        result.programs[r].push_back({c * devices + r, forward, i});
    for (auto c = chunks; c > 0; --c)
      for (std::uint32_t i = 0; i < micro_batches; ++i)
        result.programs[r].push_back({(c - 1) * devices + r, backward, i});
  }
  add_updates(result);
  return result;
}

std::vector<program> zero_bubble_h1(std::uint32_t cells,
                                    std::uint32_t micro_batches) {
  std::vector<program> result(cells);
  for (std::uint32_t k = 0; k < cells; ++k) {
    auto& steps = result[k];
    std::uint32_t forwards = 0;
    std::uint32_t weights = 0;
    for (; forwards < std::min(cells - k, micro_batches); ++forwards)
      steps.push_back({k, forward, forwards});
    for (std::uint32_t i = 0; i < micro_batches; ++i) {
      steps.push_back({k, input_gradient, i});
      if (i >= k)
        steps.push_back({k, weight_gradient, weights++});
      if (forwards < micro_batches)
        steps.push_back({k, forward, forwards++});
    }
    while (weights < micro_batches)
      steps.push_back({k, weight_gradient, weights++});
    steps.push_back({k, update, 0});
  }
  return result;
}

} // namespace actorpipe::testing
