// SPDX-License-Identifier: Apache-2.0
/// A run file (TOML) as values: everything that a training run is told.
///
/// Every setting stands once in the table of `config_schema.cpp` (`[cluster]`:
/// `config_cluster.cpp`): its key, what is allowed, what it means. A run file,
/// the command line's `--set section.key=value` and the printed form are all
/// read from that table.
///
///     const auto config = load_config("config/tiny.toml", {"run.seed=7"});
#pragma once

#include "compute/layers/model_spec.hpp"
#include "compute/model/gpt.hpp"
#include "compute/optim/learning_rate.hpp"
#include "compute/optim/optimizer.hpp"
#include "partition/schedule.hpp"

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace actorpipe {

/// Where a model's layers come from: a preset, or the run file itself.
enum class model_source : std::uint8_t { gpt, layers };

/// `[model]`
struct model_config {
  model_source preset = model_source::gpt;
  gpt_options gpt; ///< of the preset; its `sequence` is every model's T
  model_spec spec; ///< for `model_source::layers`
};

/// Where the system keeps its licences: text that every machine has.
inline constexpr std::string_view licenses_path = "/usr/share/common-licenses";

/// The families that are held out of the text at `path` when nothing is said:
/// those that share no passage with the others for the licences, otherwise
/// none, which holds out a fraction.
std::vector<std::string> default_holdout(std::string_view path);

/// `[data]`
struct data_config {
  std::string path{licenses_path};
  std::vector<std::string> holdout = default_holdout(licenses_path);
  double holdout_fraction = 0.1; ///< used when `holdout` is empty
  std::int64_t batch = 32;       ///< B
};

/// `[optimizer]`
struct optimizer_config {
  optimizer_options update{.kind = optimizer_kind::adamw, .weight_decay = 0.1};
  /// `total_steps` is not a setting: see `learning_rate_of`.
  learning_rate_options rate{.kind = learning_rate_kind::cosine};
  std::int64_t schedule_steps = 0; ///< 0: `run.steps`
  double clip_norm = 1;            ///< 0: no clipping
};

/// What the cut into cells is chosen by.
enum class balance_kind : std::uint8_t {
  time,     ///< least largest cell, of measured times
  estimate, ///< least largest cell, of the layers' estimates
  size,     ///< least largest cell, of parameter and activation bytes
  variance, ///< least variance of the cells' estimates, as in the paper
  given,    ///< the numbers of layers stand in `sizes`
};

/// `[pipeline]`
struct pipeline_config {
  std::int64_t stages = 2;        ///< K
  std::int64_t micro_batches = 8; ///< M
  schedule_kind schedule = schedule_kind::fill_drain;
  recompute_mode recompute = recompute_mode::except_one;
  balance_kind balance = balance_kind::estimate;
  std::vector<std::int64_t> sizes; ///< layers per cell, for `given`
  std::int64_t threads_per_stage = 1;
  std::int64_t credits = 2;
};

/// `[run]`
struct run_options {
  std::int64_t steps = 100;
  std::int64_t seed = 1;
  std::string out = "runs/default";
  std::int64_t checkpoint_every = 0; ///< 0: at the end only
  std::int64_t keep_checkpoints = 3;
  std::int64_t evaluate_every = 0;   ///< 0: at the end only
  std::int64_t evaluate_batches = 0; ///< 0: all of the held-out part
  std::int64_t log_every = 10;
  std::int64_t trace_steps = 3; ///< 0: no trace
};

/// `[cluster]`: stages in other processes, and surviving the loss of some.
struct cluster_config {
  std::vector<std::string> nodes;      ///< "HOST:PORT"; none: this process
  std::vector<std::int64_t> placement; ///< per stage, of `nodes`; empty: filled
  std::int64_t heartbeat_ms = 1000;
  std::int64_t wait_s = 60;
  std::int64_t restart_budget = 16; ///< faults within 100 steps
  std::int64_t stall_s = 10;
  bool replicate = true;
  /// Paths of PEM files; empty: not given.
  std::string tls_certificate;
  std::string tls_key;
  std::string tls_authority;
};

struct run_config {
  model_config model;
  data_config data;
  optimizer_config optimizer;
  pipeline_config pipeline;
  run_options run;
  cluster_config cluster;
};

/// What is wrong with a run file or an override: one line per problem, each
/// with the place (`file:line`, or the override), the key, what was got and
/// what is allowed.
class config_error : public std::runtime_error {
public:
  explicit config_error(std::vector<std::string> problems);

  const std::vector<std::string>& problems() const noexcept {
    return problems_;
  }

private:
  std::vector<std::string> problems_;
};

/// Reads the text of a run file, then the overrides, each `section.key=value`.
/// The value is TOML; text needs no quotes. What is not set has its default.
/// `name` stands for the file in messages. Throws `config_error` with all
/// problems.
run_config parse_config(std::string_view text, const std::string& name,
                        const std::vector<std::string>& overrides = {});

/// The same for a file. A file that cannot be read is a `config_error`.
run_config load_config(const std::string& path,
                       const std::vector<std::string>& overrides = {});

/// The run file that gives exactly `config`, each setting below one sentence
/// that says what it means and what is allowed.
std::string to_toml(const run_config& config);

/// The model that the config describes. Throws `model_error`.
model_spec model_of(const run_config& config);

/// The learning-rate schedule over all steps of the run.
learning_rate_options learning_rate_of(const run_config& config);

} // namespace actorpipe
