// SPDX-License-Identifier: Apache-2.0
/// Saving a run's values, and finding those that were saved.
#include "actors/run/run_checkpoints.hpp"

#include "actors/run/checkpoint_folder.hpp"
#include "actors/run/checkpoint_values.hpp"
#include "actors/run/run_directory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace actorpipe {

run_checkpoints::run_checkpoints(std::filesystem::path folder, origin from,
                                 const run_config& config,
                                 std::shared_ptr<const model> source,
                                 std::shared_ptr<const optimizer> rule)
  : folder_(std::move(folder)), from_(std::move(from)), config_(config),
    source_(std::move(source)), rule_(std::move(rule)) {}

void run_checkpoints::require_finite(std::int64_t step,
                                     const model_values& values) const {
  for (std::size_t i = 0; i < values.parameters.size(); ++i) {
    const auto& weight = values.parameters[i].weight;
    const std::span all(weight.data<float>(),
                        static_cast<std::size_t>(weight.elements()));
    if (!std::ranges::all_of(all, [](float x) { return std::isfinite(x); }))
      throw checkpoint_error(fmt::format(
        "step {}: {} is not finite after the update and is not saved", step,
        source_->parameters()[i].declaration.name));
  }
}

std::filesystem::path run_checkpoints::save(std::int64_t step,
                                            std::int64_t cursor,
                                            const model_values& values) {
  require_finite(step, values);
  checkpoint next;
  next.step = step;
  next.data_cursor = cursor;
  next.optimizer = to_string(config_.optimizer.update.kind);
  next.seed = static_cast<std::uint64_t>(config_.run.seed);
  next.config = to_toml(config_);
  store_values(next, *source_, *rule_, values);
  return save_checkpoint(folder_, next, config_.run.keep_checkpoints);
}

std::optional<model_values> run_checkpoints::newest(
  std::int64_t after, std::int64_t up_to,
  const std::function<void(const std::string&)>& complain) const {
  const auto fits = [&](std::int64_t version) {
    return version > after && version <= up_to;
  };
  const auto read = [&](auto load) -> std::optional<model_values> {
    try {
      return restore_values(load(), *source_, *rule_);
    } catch (const std::exception& error) {
      complain(error.what());
      return std::nullopt;
    }
  };
  auto entries = list_checkpoints(folder_);
  std::ranges::reverse(entries);
  for (const auto& entry : entries)
    if (fits(entry.step))
      if (auto values = read([&] { return load_checkpoint(entry.path); }))
        return values;
  if (from_.path.empty() || !fits(from_.step))
    return std::nullopt;
  return read([&] {
    auto saved = load_run_checkpoint(from_.path);
    // Another process may have gone on from there since.
    if (saved.step != from_.step)
      throw checkpoint_error(
        fmt::format("{}: holds step {} now, and this run went on from step {}",
                    from_.path, saved.step, from_.step));
    return saved;
  });
}

} // namespace actorpipe
