// SPDX-License-Identifier: Apache-2.0
/// Values written one after another: how tests name what they see.
#pragma once

#include <sstream>
#include <string>

namespace actorpipe::test {

template <class... Ts>
std::string text(const Ts&... xs) {
  std::ostringstream out;
  (out << ... << xs);
  return std::move(out).str();
}

/// Words that are noted one by one and taken together.
class word_list {
public:
  template <class... Ts>
  void note(const Ts&... xs) {
    if (!words_.empty())
      words_ += ' ';
    words_ += text(xs...);
  }

  /// What was noted since the last call, with a blank between two words.
  std::string take() {
    auto result = std::move(words_);
    words_.clear();
    return result;
  }

private:
  std::string words_;
};

} // namespace actorpipe::test
