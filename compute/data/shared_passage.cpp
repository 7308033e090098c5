// SPDX-License-Identifier: Apache-2.0
/// Looks for passages that stand in both parts of a corpus.
#include "compute/data/text_corpus.hpp"

#include <string_view>
#include <unordered_map>

namespace actorpipe {

namespace {

// Calls `visit(hash, begin)` for every passage of `length` bytes, with a hash
// that rolls from one to the next (Karp and Rabin 1987).
template <class Visit>
void for_each_passage(std::string_view text, std::size_t length, Visit visit) {
  constexpr std::uint64_t base = 0x9e3779b97f4a7c15ULL;
  if (text.size() < length)
    return;
  std::uint64_t hash = 0;
  std::uint64_t highest = 1; // base^length
  const auto byte = [&](std::size_t at) {
    return static_cast<std::uint64_t>(static_cast<unsigned char>(text[at])) + 1;
  };
  for (std::size_t i = 0; i < length; ++i) {
    hash = hash * base + byte(i);
    highest *= base;
  }
  visit(hash, std::size_t{0});
  for (std::size_t i = length; i < text.size(); ++i) {
    hash = hash * base + byte(i) - highest * byte(i - length);
    visit(hash, i - length + 1);
  }
}

struct place {
  const text_document* document;
  std::size_t begin;
};

} // namespace

std::optional<shared_passage> find_shared_passage(const text_corpus& corpus,
                                                  std::size_t length) {
  // The held-out part is the smaller one to remember.
  std::unordered_multimap<std::uint64_t, place> held_out;
  for (const auto& document : corpus.held_out)
    for_each_passage(document.bytes, length,
                     [&](std::uint64_t hash, std::size_t begin) {
                       held_out.emplace(hash, place{&document, begin});
                     });
  std::optional<shared_passage> result;
  for (const auto& document : corpus.training) {
    const std::string_view text = document.bytes;
    for_each_passage(text, length, [&](std::uint64_t hash, std::size_t begin) {
      if (result)
        return;
      const auto passage = text.substr(begin, length);
      const auto [low, high] = held_out.equal_range(hash);
      for (auto at = low; at != high; ++at) {
        const auto& [other, other_begin] = at->second;
        if (std::string_view(other->bytes).substr(other_begin, length)
            == passage)
          result = {document.name, other->name, std::string(passage)};
      }
    });
    if (result)
      break;
  }
  return result;
}

} // namespace actorpipe
