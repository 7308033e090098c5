// SPDX-License-Identifier: Apache-2.0
/// What a device holds between forward and backward, action by action.
#include "partition/stash.hpp"

#include <algorithm>
#include <unordered_set>

namespace actorpipe {

namespace {

std::uint64_t key(const action& x) {
  return std::uint64_t{x.cell} << 32 | x.micro_batch;
}

stash_change change(action_kind kind, bool recomputed, bool training) {
  switch (kind) {
  case action_kind::forward:
    if (!training)
      return stash_change::none;
    return recomputed ? stash_change::boundary : stash_change::full;
  case action_kind::recompute:
    return stash_change::restore;
  case action_kind::input_gradient:
    return stash_change::split;
  case action_kind::backward:
  case action_kind::weight_gradient:
    return stash_change::release;
  case action_kind::update:
    return stash_change::none;
  }
  return stash_change::none;
}

} // namespace

std::vector<stash_change> stash_changes(const program& steps) {
  std::unordered_set<std::uint64_t> recomputed;
  bool training = false;
  for (const auto& x : steps) {
    if (x.kind == action_kind::recompute)
      recomputed.insert(key(x));
    training = training || x.kind != action_kind::forward;
  }
  std::vector<stash_change> result;
  result.reserve(steps.size());
  for (const auto& x : steps)
    result.push_back(change(x.kind, recomputed.contains(key(x)), training));
  return result;
}

device_stash peak_stash(const program& steps) {
  device_stash peak;
  std::uint32_t full = 0;
  std::uint32_t boundary = 0;
  for (const auto what : stash_changes(steps)) {
    full += what == stash_change::full || what == stash_change::restore;
    boundary += what == stash_change::boundary;
    boundary -= what == stash_change::restore;
    peak.micro_batches = std::max(peak.micro_batches, full + boundary);
    peak.in_full = std::max(peak.in_full, full);
    peak.boundary = std::max(peak.boundary, boundary);
    full -= what == stash_change::release;
  }
  return peak;
}

} // namespace actorpipe
