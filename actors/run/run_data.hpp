// SPDX-License-Identifier: Apache-2.0
/// What a run trains on and what it is evaluated on.
#pragma once

#include "actors/run/config.hpp"
#include "compute/data/data_source.hpp"
#include "compute/data/text_corpus.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace actorpipe {

/// The text that `[data]` names, or a host application's own sources.
struct run_data {
  /// Asked for the mini-batch of every step; its end ends the run.
  std::shared_ptr<data_source> training;
  /// Read from mini-batch 0 to its end; null: nothing is evaluated.
  std::shared_ptr<data_source> held_out;
  /// Behind both; null when they are not of text.
  std::shared_ptr<const text_corpus> text;
};

/// Reads what `[data]` names. Throws `data_error`.
run_data open_text(const run_config& config);

/// Says so when a passage of the held-out text also stands in the text that is
/// trained on; empty when none does, or when the text is too long to look.
std::string find_leak(const text_corpus& text);

/// Throws `data_error` when the text has a byte that is not in [0, classes), so
/// that a model of that many could not predict it.
void require_classes(const text_corpus& text, std::int64_t classes);

struct evaluation {
  double loss = 0; ///< mean over targets, nats
  std::int64_t targets = 0;
};

/// The loss over the first `batches` mini-batches of a source; 0: all.
evaluation
evaluate_source(data_source& source, std::int64_t batches,
                const std::function<evaluation(const batch&)>& evaluate);

} // namespace actorpipe
