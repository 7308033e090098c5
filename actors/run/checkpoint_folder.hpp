// SPDX-License-Identifier: Apache-2.0
/// The checkpoints of one run, beside each other in a folder.
#pragma once

#include "actors/run/checkpoint.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace actorpipe {

/// Ends the name of a checkpoint that is not whole: ignored, and removed by the
/// next save.
inline constexpr std::string_view partial_suffix = ".partial";

struct checkpoint_entry {
  std::int64_t step = 0;
  std::filesystem::path path;
};

/// The checkpoints in a folder by step, the oldest first; none when there is no
/// folder. Throws `io_error`.
std::vector<checkpoint_entry>
list_checkpoints(const std::filesystem::path& folder);

/// Reads the newest one; empty when there is none. A newest one that is damaged
/// is never passed over in silence: throws `checkpoint_error` saying what is
/// wrong with it and which is the newest whole one.
std::optional<checkpoint>
load_newest_checkpoint(const std::filesystem::path& folder);

/// Removes all but the `keep` newest of those up to `step`.
void prune_checkpoints(const std::filesystem::path& folder, std::int64_t step,
                       std::int64_t keep);

/// Removes what killed runs left half-written.
void remove_partial_checkpoints(const std::filesystem::path& folder);

} // namespace actorpipe
