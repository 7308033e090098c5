// SPDX-License-Identifier: Apache-2.0
/// Mini-batches of bytes, each with the byte that follows as its target.
#pragma once

#include "compute/data/data_source.hpp"
#include "compute/data/text_corpus.hpp"
#include "compute/layers/ignored_target.hpp"

#include <cstdint>
#include <memory>

namespace actorpipe {

struct text_source_options {
  std::int64_t samples = 1;  ///< B
  std::int64_t sequence = 1; ///< T
  std::uint64_t seed = 0;    ///< used in training only
};

/// Samples to train on, without an end. Sample b of step s is a function of
/// (seed, s, b) alone: inputs u8[B, T], targets i32[B, T]. It starts anywhere
/// in a document, each start as likely as any other, and never reaches over the
/// document's end: a document that is shorter than a sample is one sample, its
/// rest zeros whose targets are `ignored_target`.
///
/// Shares the corpus. Throws `data_error` when no document is as long as a
/// sample.
std::unique_ptr<data_source>
make_training_source(std::shared_ptr<const text_corpus> corpus,
                     const text_source_options& options);

/// The whole held-out part once, in order, then the end: every byte but the
/// first of a document is a target once. The last sample of a document is
/// filled up with `ignored_target`, and the last mini-batch may be short.
///
/// Shares the corpus. Throws `data_error` when the part holds no target.
std::unique_ptr<data_source>
make_held_out_source(std::shared_ptr<const text_corpus> corpus,
                     const text_source_options& options);

} // namespace actorpipe
