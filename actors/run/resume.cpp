// SPDX-License-Identifier: Apache-2.0
/// Comparing a checkpoint's run with the one that goes on.
#include "actors/run/resume.hpp"

#include "actors/run/checkpoint_folder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <string>
#include <system_error>

namespace actorpipe {

namespace {

std::string absolute(const std::string& path) {
  return std::filesystem::absolute(path).lexically_normal().string();
}

class differences {
public:
  template <class T>
  void compare(const char* setting, const T& saved, const T& now) {
    if (saved != now)
      text_ += fmt::format("\n  {}: {} there, {} here", setting, saved, now);
  }
  const std::string& text() const noexcept { return text_; }

private:
  std::string text_;
};

} // namespace

void require_same_run(const checkpoint& saved,
                      const training_options& options) {
  const auto& config = options.config;
  const auto before = parse_config(saved.config, options.resume);
  differences found;
  found.compare("run.seed", saved.seed,
                static_cast<std::uint64_t>(config.run.seed));
  found.compare("optimizer.kind", std::string(saved.optimizer),
                std::string(to_string(config.optimizer.update.kind)));
  if (!options.data.training) {
    found.compare("model.sequence", before.model.gpt.sequence,
                  config.model.gpt.sequence);
    found.compare("data.path", absolute(before.data.path),
                  absolute(config.data.path));
    found.compare("data.holdout", before.data.holdout, config.data.holdout);
    found.compare("data.holdout_fraction", before.data.holdout_fraction,
                  config.data.holdout_fraction);
    found.compare("data.batch", before.data.batch, config.data.batch);
  }
  if (!found.text().empty())
    throw checkpoint_error(options.resume
                           + ": its run was another one:" + found.text());
  if (saved.step > config.run.steps)
    throw checkpoint_error(
      fmt::format("{}: is at step {} already, and run.steps is {}",
                  options.resume, saved.step, config.run.steps));
}

run_directory choose_directory(const training_options& options,
                               std::int64_t step) {
  const std::filesystem::path out = options.config.run.out;
  const auto make = [&](const std::filesystem::path& wanted) {
    return run_directory::create(
      options.out_is_fixed ? out : free_run_directory(wanted));
  };
  if (options.resume.empty())
    return make(out);
  const auto from = find_resume_point(options.resume).directory;
  if (from.empty())
    return make(out);
  std::error_code not_there;
  const bool may_stay =
    !options.out_is_fixed || std::filesystem::equivalent(out, from, not_there);
  const auto saved = list_checkpoints(from / "checkpoints");
  if (may_stay && !saved.empty() && saved.back().step == step)
    return run_directory::open(from);
  return make(from);
}

} // namespace actorpipe
