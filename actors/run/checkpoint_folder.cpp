// SPDX-License-Identifier: Apache-2.0
/// The checkpoints of one run, beside each other in a folder.
#include "actors/run/checkpoint_folder.hpp"

#include "compute/io/io_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace actorpipe {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view prefix = "step-";

std::optional<std::int64_t> step_of(std::string_view name) {
  if (!name.starts_with(prefix))
    return std::nullopt;
  name.remove_prefix(prefix.size());
  std::int64_t step = 0;
  const auto [end, error] =
    std::from_chars(name.data(), name.data() + name.size(), step);
  if (error != std::errc{} || end != name.data() + name.size() || step < 0)
    return std::nullopt;
  return step;
}

std::vector<fs::path> list_names(const fs::path& folder) {
  std::vector<fs::path> result;
  std::error_code error;
  if (!fs::exists(folder, error))
    return result;
  auto at = fs::directory_iterator(folder, error);
  for (const fs::directory_iterator end; !error && at != end;
       at.increment(error))
    result.push_back(at->path());
  if (error)
    throw io_error(folder.string(), "list", error.value());
  return result;
}

// Renamed first, so that what a crash leaves half-removed is not taken for a
// damaged checkpoint.
void remove_checkpoint(const fs::path& path) {
  std::error_code error;
  auto doomed = path;
  if (path.extension() != partial_suffix) {
    doomed += partial_suffix;
    fs::remove_all(doomed, error);
    rename_path(path, doomed);
  }
  fs::remove_all(doomed, error);
  if (error)
    throw io_error(doomed.string(), "remove", error.value());
}

} // namespace

std::string checkpoint_name(std::int64_t step) {
  return fmt::format("{}{:08}", prefix, step);
}

std::vector<checkpoint_entry> list_checkpoints(const fs::path& folder) {
  std::vector<checkpoint_entry> result;
  for (const auto& path : list_names(folder))
    if (const auto step = step_of(path.filename().string()))
      result.push_back({*step, path});
  std::sort(result.begin(), result.end(),
            [](const auto& a, const auto& b) { return a.step < b.step; });
  return result;
}

std::optional<checkpoint> load_newest_checkpoint(const fs::path& folder) {
  auto all = list_checkpoints(folder);
  if (all.empty())
    return std::nullopt;
  try {
    return load_checkpoint(all.back().path);
  } catch (const checkpoint_error& newest) {
    for (all.pop_back(); !all.empty(); all.pop_back()) {
      try {
        load_checkpoint(all.back().path);
      } catch (const checkpoint_error&) {
        continue;
      }
      throw checkpoint_error(fmt::format("{}; the newest whole one is {}",
                                         newest.what(),
                                         all.back().path.string()));
    }
    throw checkpoint_error(
      fmt::format("{}; there is no other whole one", newest.what()));
  }
}

void prune_checkpoints(const fs::path& folder, std::int64_t step,
                       std::int64_t keep) {
  auto all = list_checkpoints(folder);
  std::erase_if(all, [&](const auto& each) { return each.step > step; });
  const auto excess = static_cast<std::int64_t>(all.size()) - keep;
  for (std::int64_t i = 0; i < excess; ++i)
    remove_checkpoint(all[static_cast<std::size_t>(i)].path);
}

void remove_partial_checkpoints(const fs::path& folder) {
  for (const auto& path : list_names(folder))
    if (path.extension() == partial_suffix && step_of(path.stem().string()))
      remove_checkpoint(path);
}

} // namespace actorpipe
