// SPDX-License-Identifier: Apache-2.0
/// How many failures a run may survive in so many steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>

namespace actorpipe {

/// Counts the failures within the last `window` committed steps, so that a
/// crash loop ends though a step gets through now and then.
class restart_budget {
public:
  static constexpr std::int64_t window = 100; ///< steps

  explicit restart_budget(std::int64_t most) : most_(most) {}

  /// One at this committed version. False: one too many.
  bool spend(std::int64_t version, std::string why) {
    highest_ = version > highest_ ? version : highest_;
    spent_.emplace_back(highest_, std::move(why));
    while (spent_.front().first <= highest_ - window)
      spent_.pop_front();
    return static_cast<std::int64_t>(spent_.size()) <= most_;
  }

  /// How many are within the window.
  std::size_t spent() const noexcept { return spent_.size(); }

  /// What was spent, for people.
  std::string to_text() const {
    std::string result = std::to_string(spent_.size()) + " failures within "
                       + std::to_string(window)
                       + " steps, and cluster.restart_budget allows "
                       + std::to_string(most_) + "; the last were:";
    const std::size_t shown = spent_.size() < 5 ? spent_.size() : 5;
    for (auto i = spent_.size() - shown; i < spent_.size(); ++i)
      result += "\n  after step " + std::to_string(spent_[i].first) + ": "
              + spent_[i].second;
    return result;
  }

private:
  std::int64_t most_;
  /// Of all versions seen: a run that falls back does not go out of the window.
  std::int64_t highest_ = 0;
  std::deque<std::pair<std::int64_t, std::string>> spent_;
};

} // namespace actorpipe
