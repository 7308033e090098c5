// SPDX-License-Identifier: Apache-2.0
/// Counting bytes after up to two bytes of context.
#include "compute/data/count_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace actorpipe {

namespace {

constexpr std::size_t longest_context = 2;

// Contexts of different lengths get different numbers.
std::uint32_t number_of(std::string_view context) {
  std::uint32_t result = 1;
  for (const char c : context)
    result = result << 8 | static_cast<unsigned char>(c);
  return result;
}

// The last `order` bytes before position `at`.
std::string_view context_at(std::string_view text, std::size_t at,
                            std::size_t order) {
  const auto length = std::min(order, at);
  return text.substr(at - length, length);
}

} // namespace

count_model::count_model(const std::vector<text_document>& training) {
  choose_weights(training);
  for (const auto& document : training)
    count(document.bytes);
}

void count_model::count(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at)
    for (std::size_t order = 0; order <= std::min(longest_context, at);
         ++order) {
      auto& after = seen_[number_of(context_at(text, at, order))];
      auto& times = after.times[static_cast<unsigned char>(text[at])];
      after.distinct += times == 0 ? 1 : 0;
      ++times;
      ++after.total;
    }
}

double count_model::probability(std::string_view context,
                                unsigned char next) const {
  double result = 1.0 / 256;
  for (std::size_t order = 0;
       order <= std::min(longest_context, context.size()); ++order) {
    const auto found =
      seen_.find(number_of(context_at(context, context.size(), order)));
    if (found == seen_.end())
      break; // nor has any longer context been seen
    const auto& after = found->second;
    const auto trust = weights_[order] * static_cast<double>(after.distinct);
    result = (static_cast<double>(after.times[next]) + trust * result)
           / (static_cast<double>(after.total) + trust);
  }
  return result;
}

double
count_model::mean_nats(const std::vector<text_document>& documents) const {
  double sum = 0;
  double targets = 0;
  for (const auto& document : documents) {
    const std::string_view text = document.bytes;
    for (std::size_t at = 1; at < text.size(); ++at) {
      sum -= std::log(probability(context_at(text, at, longest_context),
                                  static_cast<unsigned char>(text[at])));
      ++targets;
    }
  }
  return sum / targets;
}

void count_model::choose_weights(const std::vector<text_document>& training) {
  std::vector<text_document> last_tenths;
  bool has_target = false;
  for (const auto& document : training) {
    const auto size = document.bytes.size();
    const auto cut = size - size / 10;
    count(std::string_view(document.bytes).substr(0, cut));
    last_tenths.push_back({document.name, document.bytes.substr(cut)});
    has_target = has_target || size - cut >= 2;
  }
  constexpr double candidates[] = {0.125, 0.25, 0.5, 1, 2, 4};
  auto best = weights_;
  auto least = std::numeric_limits<double>::infinity();
  for (const double first : candidates)
    for (const double second : candidates) {
      weights_ = {1, first, second};
      const double nats = has_target ? mean_nats(last_tenths) : least;
      if (nats < least) {
        least = nats;
        best = weights_;
      }
    }
  weights_ = best;
  seen_.clear();
}

} // namespace actorpipe
