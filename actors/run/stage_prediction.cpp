// SPDX-License-Identifier: Apache-2.0
/// From the dry runs of cells to the peaks of stages.
#include "actors/run/stage_prediction.hpp"

#include "actors/parameter_layout.hpp"
#include "partition/memory.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

namespace actorpipe {

namespace {

// What a cell holds, in the terms of the programs: the stash apart from what
// exists only while an action runs.
cell_memory memory_of(const cell_footprint& x, bool has_loss,
                      std::int64_t d_x_bytes) {
  const auto beyond = [](std::int64_t peak, std::int64_t held) {
    return static_cast<double>(std::max<std::int64_t>(peak - held, 0));
  };
  const auto written = has_loss ? 0 : x.output_bytes;
  cell_memory result;
  result.boundary = static_cast<double>(x.stash_inputs_bytes + x.target_bytes);
  result.saved = static_cast<double>(x.stash_everything_bytes + x.target_bytes);
  result.forward_transient =
    beyond(x.forward_inputs_peak_bytes, x.stash_inputs_bytes + written);
  result.kept_forward_transient =
    beyond(x.forward_everything_peak_bytes, x.stash_everything_bytes + written);
  result.recompute_transient =
    beyond(x.recompute_peak_bytes, x.stash_everything_bytes);
  result.backward_transient =
    beyond(x.backward_peak_bytes, x.stash_everything_bytes + d_x_bytes);
  return result;
}

// Of the weights that a cell owns.
std::int64_t owned_bytes(const model& source, const parameter_layout& layout,
                         std::uint32_t owner) {
  std::int64_t result = 0;
  for (const auto i : layout.owned_by(owner))
    result +=
      tensor_type{dtype::f32, source.parameters()[i].declaration.extents}
        .size_bytes();
  return result;
}

} // namespace

cell_footprint
footprint_of(const std::shared_ptr<const model>& source, std::size_t first,
             std::size_t last,
             const std::vector<std::vector<tensor_type>>& boundaries,
             const tensor_type& targets) {
  const cell work(source, first, last);
  return profile_memory(work, boundaries[first],
                        work.has_loss() ? std::optional(targets) : std::nullopt,
                        first > 0);
}

std::vector<stage_memory>
predict_memory(const std::shared_ptr<const model>& source, const plan& how,
               const std::vector<std::vector<tensor_type>>& boundaries,
               const tensor_type& targets, std::size_t slots) {
  const parameter_layout layout(*source, how.cut);
  std::vector<stage_memory> result(how.devices());
  std::vector<cell_memory> memory;
  for (std::uint32_t k = 0; k < how.cells(); ++k) {
    const auto first = how.cut[k];
    const auto last = how.cut[k + 1];
    const auto footprint =
      footprint_of(source, first, last, boundaries, targets);
    std::int64_t d_x_bytes = 0;
    if (k > 0)
      for (const auto& x : boundaries[first])
        d_x_bytes += is_differentiable(x.type) ? x.size_bytes() : 0;
    memory.push_back(memory_of(footprint, last == source->size(), d_x_bytes));
    auto& stage = result[how.device_of_cell[k]];
    stage.gradient_bytes += footprint.gradient_bytes;
    // The next version is made beside the present one, from one gradient for
    // each parameter: those of its uses have been added by then.
    const auto copies = 2 * (1 + static_cast<std::int64_t>(slots)) + 1;
    stage.parameter_bytes += copies * owned_bytes(*source, layout, k);
  }
  const auto peaks = peak_memory(how.programs, shape_of(how), memory);
  for (std::size_t i = 0; i < peaks.size(); ++i)
    result[i].activation_bytes = std::llround(peaks[i].peak_bytes);
  return result;
}

} // namespace actorpipe
