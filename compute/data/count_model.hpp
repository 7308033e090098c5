// SPDX-License-Identifier: Apache-2.0
/// What plain counting predicts: the loss that a trained model has to beat.
#pragma once

#include "compute/data/text_corpus.hpp"

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace actorpipe {

/// A model of bytes with up to two bytes of context, interpolated over the
/// orders as Witten and Bell (1991) do:
///
///     p_k(c | h) = (n(h c) + g_k t(h) p_{k-1}(c | h')) / (n(h) + g_k t(h))
///
/// where n counts, t(h) is how many different bytes follow h, h' is h without
/// its first byte, and p_{-1} is uniform over all bytes. Their method has
/// g_k = 1; here g_1 and g_2 are chosen on the last tenth of every document
/// that is counted, with the counts of the other nine, before all is counted.
class count_model {
public:
  /// Counts the documents.
  explicit count_model(const std::vector<text_document>& training);

  /// Mean of -ln p in nats over every byte but the first of each document: the
  /// same targets as `make_held_out_source` has. Requires one.
  double mean_nats(const std::vector<text_document>& documents) const;

  /// The probability of `next` after the two bytes (or fewer at the beginning
  /// of a document) in `context`.
  double probability(std::string_view context, unsigned char next) const;

private:
  struct followers {
    std::array<std::uint64_t, 256> times{};
    std::uint64_t total = 0;
    std::uint64_t distinct = 0;
  };

  void count(std::string_view text);
  void choose_weights(const std::vector<text_document>& training);

  // By context: the bytes of it as a number, after a one for each of them.
  std::unordered_map<std::uint32_t, followers> seen_;
  std::array<double, 3> weights_{1, 1, 1};
};

} // namespace actorpipe
