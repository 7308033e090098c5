// SPDX-License-Identifier: Apache-2.0
/// The text that a run trains on, and the part that it holds out.
#pragma once

#include "actors/run/config.hpp"
#include "compute/data/batch.hpp"
#include "compute/data/text_corpus.hpp"

#include <cstdint>
#include <functional>
#include <memory>

namespace actorpipe {

struct text_data {
  std::shared_ptr<const text_corpus> corpus;
  std::unique_ptr<data_source> training;
  std::unique_ptr<data_source> held_out;
};

/// Reads what `[data]` names. Throws `data_error`.
text_data open_text_data(const run_config& config);

struct held_out_result {
  double loss = 0; ///< mean over targets, nats per byte
  std::int64_t targets = 0;
};

/// The loss over the first `batches` mini-batches of a source; 0: all.
held_out_result
evaluate_source(data_source& source, std::int64_t batches,
                const std::function<held_out_result(const batch&)>& evaluate);

} // namespace actorpipe
