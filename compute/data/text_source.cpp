// SPDX-License-Identifier: Apache-2.0
/// Mini-batches of bytes from a corpus.
#include "compute/data/text_source.hpp"

#include "compute/ops/random_key.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace actorpipe {

namespace {

// Where a sample starts.
struct sample_place {
  const text_document* document;
  std::int64_t begin;
};

std::int64_t size_of(const text_document& document) {
  return static_cast<std::int64_t>(document.bytes.size());
}

batch make_batch(const std::vector<sample_place>& places,
                 std::int64_t sequence) {
  const auto samples = static_cast<std::int64_t>(places.size());
  const shape extents{samples, sequence}; // [B, T]
  auto inputs = tensor::zeros({dtype::u8, extents});
  auto targets = tensor::zeros({dtype::i32, extents});
  auto* x = inputs.data<std::uint8_t>();
  auto* y = targets.data<std::int32_t>();
  std::fill(y, y + samples * sequence, ignored_target);
  for (const auto& [document, begin] : places) {
    const auto* text =
      reinterpret_cast<const std::uint8_t*>(document->bytes.data()) + begin;
    const auto count = std::min(sequence, size_of(*document) - begin - 1);
    std::copy(text, text + count, x);
    std::copy(text + 1, text + 1 + count, y);
    x += sequence;
    y += sequence;
  }
  return {{std::move(inputs)}, std::move(targets)};
}

class training_source final : public data_source {
public:
  training_source(std::shared_ptr<const text_corpus> corpus,
                  const text_source_options& options)
    : corpus_(std::move(corpus)), options_(options),
      key_(make_random_key(options.seed, "training samples")) {
    std::int64_t longest = 0;
    for (const auto& document : corpus_->training) {
      longest = std::max(longest, size_of(document));
      if (size_of(document) < 2)
        continue; // no byte follows another
      starts_ +=
        std::max<std::int64_t>(1, size_of(document) - options.sequence);
      documents_.push_back(&document);
      ends_.push_back(starts_);
    }
    if (longest <= options.sequence)
      throw data_error(fmt::format(
        "{}: too short to train on: the longest document has {} bytes, a "
        "sample needs {} (sequence {} and one more)",
        corpus_->path, longest, options.sequence + 1, options.sequence));
  }

  std::optional<batch> batch_at(std::int64_t step) override {
    std::vector<sample_place> places;
    for (std::int64_t b = 0; b < options_.samples; ++b)
      places.push_back(place_of(step, b));
    return make_batch(places, options_.sequence);
  }

private:
  sample_place place_of(std::int64_t step, std::int64_t b) const {
    const auto drawn = draw(key_, static_cast<std::uint64_t>(b),
                            static_cast<std::uint64_t>(step));
    const auto number = std::uint64_t{drawn.values[0]} << 32 | drawn.values[1];
    // Of 2^64 numbers; the remainder favours no start by a measurable amount.
    const auto start =
      static_cast<std::int64_t>(number % static_cast<std::uint64_t>(starts_));
    const auto found = static_cast<std::size_t>(
      std::upper_bound(ends_.begin(), ends_.end(), start) - ends_.begin());
    return {documents_[found], start - (found == 0 ? 0 : ends_[found - 1])};
  }

  std::shared_ptr<const text_corpus> corpus_;
  text_source_options options_;
  random_key key_;
  std::vector<const text_document*> documents_;
  std::vector<std::int64_t> ends_; // of each document's starts, all in a row
  std::int64_t starts_ = 0;
};

class held_out_source final : public data_source {
public:
  held_out_source(std::shared_ptr<const text_corpus> corpus,
                  const text_source_options& options)
    : corpus_(std::move(corpus)), options_(options) {
    for (const auto& document : corpus_->held_out)
      for (std::int64_t begin = 0; begin + 1 < size_of(document);
           begin += options.sequence)
        places_.push_back({&document, begin});
    if (places_.empty())
      throw data_error(fmt::format(
        "{}: too short to evaluate on: the held-out part has {} bytes in {} "
        "documents, one of them needs 2",
        corpus_->path, held_out_bytes(), corpus_->held_out.size()));
  }

  std::optional<batch> batch_at(std::int64_t step) override {
    const auto all = static_cast<std::int64_t>(places_.size());
    // Compared by division, so that no step overflows.
    if (step < 0 || step > (all - 1) / options_.samples)
      return std::nullopt;
    const auto begin = step * options_.samples;
    const auto end = std::min(all, begin + options_.samples);
    return make_batch({places_.begin() + begin, places_.begin() + end},
                      options_.sequence);
  }

private:
  std::int64_t held_out_bytes() const {
    std::int64_t result = 0;
    for (const auto& document : corpus_->held_out)
      result += size_of(document);
    return result;
  }

  std::shared_ptr<const text_corpus> corpus_;
  text_source_options options_;
  std::vector<sample_place> places_;
};

} // namespace

std::unique_ptr<data_source>
make_training_source(std::shared_ptr<const text_corpus> corpus,
                     const text_source_options& options) {
  return std::make_unique<training_source>(std::move(corpus), options);
}

std::unique_ptr<data_source>
make_held_out_source(std::shared_ptr<const text_corpus> corpus,
                     const text_source_options& options) {
  return std::make_unique<held_out_source>(std::move(corpus), options);
}

} // namespace actorpipe
