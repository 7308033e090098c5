// SPDX-License-Identifier: Apache-2.0
/// The cut that a person asked for.
#include "partition/cut_by_hand.hpp"

#include <stdexcept>
#include <string>

namespace actorpipe {

namespace {

std::string text(std::span<const std::size_t> balance) {
  std::string result;
  for (const auto size : balance)
    result += (result.empty() ? "" : ", ") + std::to_string(size);
  return '[' + result + ']';
}

} // namespace

std::vector<std::size_t> cut_by_hand(std::span<const std::size_t> balance,
                                     std::size_t layers) {
  std::vector<std::size_t> cut{0};
  for (const auto size : balance) {
    if (size > layers)
      throw std::invalid_argument("the balance " + text(balance)
                                  + " has a cell of " + std::to_string(size)
                                  + " layers, but the model has "
                                  + std::to_string(layers));
    cut.push_back(cut.back() + size);
  }
  if (balance.empty() || cut.back() != layers)
    throw std::invalid_argument(
      "the balance " + text(balance) + " has " + std::to_string(cut.back())
      + " layers, but the model has " + std::to_string(layers));
  if (balance.size() > 1)
    for (std::size_t k = 0; k < balance.size(); ++k)
      if (balance[k] == 0)
        throw std::invalid_argument("the balance " + text(balance)
                                    + " leaves cell " + std::to_string(k)
                                    + " empty");
  return cut;
}

} // namespace actorpipe
