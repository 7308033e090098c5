// SPDX-License-Identifier: Apache-2.0
/// The run loop.
#include "actors/run/training_run.hpp"

#include "actors/run/checkpoint.hpp"
#include "actors/run/checkpoint_folder.hpp"
#include "actors/run/checkpoint_values.hpp"
#include "actors/run/metrics.hpp"
#include "actors/run/resume.hpp"
#include "actors/run/run_data.hpp"
#include "actors/run/run_directory.hpp"
#include "actors/run/trace.hpp"
#include "actors/run/training_engine.hpp"
#include "compute/data/count_model.hpp"
#include "compute/io/atomic_file.hpp"
#include "compute/io/io_error.hpp"
#include "compute/io/parameter_digest.hpp"
#include "compute/model/model.hpp"
#include "compute/optim/learning_rate.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace actorpipe {

namespace {

// The run's settings as they are saved: its text is found from anywhere.
run_config found_again(run_config config) {
  config.data.path = std::filesystem::absolute(config.data.path).string();
  return config;
}

run_data data_of(const training_options& options) {
  return options.data.training ? options.data : open_text(options.config);
}

run_plan plan_for(const std::shared_ptr<const model>& source,
                  const run_config& config, const run_data& data,
                  bool measure) {
  const auto sample = data.training->batch_at(0);
  if (!sample)
    throw data_error("the data has no mini-batch to train on");
  if (data.text)
    require_classes(*data.text, source->boundaries(types_of(sample->inputs))
                                  .back()
                                  .front()
                                  .extents.back());
  return make_run_plan(source, {config.pipeline, config.optimizer.update,
                                types_of(sample->inputs),
                                sample->targets.type(), measure});
}

class training_run {
public:
  training_run(const training_options& options, run_observer& observer)
    : options_(options), config_(found_again(options.config)),
      observer_(observer),
      source_(build_model(model_of(config_), options.registry)),
      rule_(make_optimizer(config_.optimizer.update)), data_(data_of(options)),
      rate_(learning_rate_of(config_)) {}

  training_result run();

private:
  void start();
  void train();
  void finish();
  /// False at the end of the data.
  bool train_one();
  void save();
  void require_finite(const model_values& values) const;
  void write_last_steps();
  void evaluate();
  std::string named_with_checkpoint(const std::exception& error) const;

  const training_options& options_;
  const run_config config_;
  run_observer& observer_;
  std::shared_ptr<const model> source_;
  std::shared_ptr<const optimizer> rule_;
  run_data data_;
  learning_rate_options rate_;
  run_plan plan_;
  std::unique_ptr<training_engine> engine_;
  std::optional<run_directory> directory_;
  std::optional<metrics_writer> metrics_;
  std::optional<trace_recorder> trace_;
  std::int64_t first_step_ = 0; ///< of this run
  std::int64_t step_ = 0;       ///< steps done
  std::int64_t cursor_ = 0;     ///< the next mini-batch to ask for
  double seconds_ = 0;          ///< of the steps of this run
  training_result result_;
};

void training_run::start() {
  plan_ = plan_for(source_, config_, data_, false);
  // What is wrong with a checkpoint is found before anything is written.
  std::optional<checkpoint> saved;
  std::optional<model_values> values;
  if (!options_.resume.empty()) {
    saved = load_run_checkpoint(options_.resume);
    require_same_run(*saved, options_);
    try {
      values = restore_values(*saved, *source_, *rule_);
    } catch (const checkpoint_error& error) {
      throw checkpoint_error(options_.resume + ": " + error.what());
    }
    step_ = first_step_ = saved->step;
    cursor_ = saved->data_cursor;
  }
  pipeline_options how;
  how.source = source_;
  how.optimizer = config_.optimizer.update;
  how.how = plan_.how;
  how.seed = static_cast<std::uint64_t>(config_.run.seed);
  how.threads_per_stage =
    static_cast<std::size_t>(config_.pipeline.threads_per_stage);
  engine_ = options_.sequential
            ? make_sequential_engine(how)
            : make_pipeline_engine(std::move(how), options_.system);
  if (values)
    engine_->set_values(*values);
  directory_.emplace(choose_directory(options_, step_));
  write_file_atomically(directory_->config_file(), to_toml(config_));
  metrics_.emplace(directory_->metrics_file(), step_);
  trace_.emplace(static_cast<std::size_t>(config_.run.trace_steps));
  result_.directory = directory_->path().string();
  observer_.on_plan(plan_);
  if (const auto leak = data_.text ? find_leak(*data_.text) : std::string();
      !leak.empty())
    observer_.on_warning(leak);
}

std::string
training_run::named_with_checkpoint(const std::exception& error) const {
  const auto saved = list_checkpoints(directory_->checkpoints());
  return std::string(error.what())
       + (saved.empty()
            ? "; nothing was saved before"
            : "; the last checkpoint is " + saved.back().path.string());
}

training_result training_run::run() {
  start();
  try {
    train();
    finish();
  } catch (const std::exception& error) {
    const auto text = named_with_checkpoint(error);
    try {
      write_last_steps();
    } catch (const io_error&) {
      // What ended the run is what its user must hear of.
    }
    throw run_error(text);
  }
  return std::move(result_);
}

void training_run::train() {
  const auto is_due = [this](std::int64_t every) {
    return every > 0 && step_ % every == 0 && step_ < config_.run.steps;
  };
  while (step_ < config_.run.steps && !result_.stopped && train_one()) {
    result_.stopped = step_ < config_.run.steps && options_.stop();
    if (!result_.stopped && is_due(config_.run.evaluate_every))
      evaluate();
    if (!result_.stopped && is_due(config_.run.checkpoint_every))
      save();
  }
}

void training_run::finish() {
  save();
  write_last_steps();
  if (!result_.stopped) {
    evaluate();
    if (data_.text)
      result_.count_model_loss =
        count_model(data_.text->training).mean_nats(data_.text->held_out);
  }
  result_.steps = step_;
  result_.parameters_sha256 =
    parameters_sha256(named_parameters(*source_, engine_->values()));
}

void training_run::write_last_steps() {
  if (config_.run.trace_steps > 0)
    write_trace(directory_->trace_file(), *trace_);
}

bool training_run::train_one() {
  const auto data = data_.training->batch_at(cursor_);
  if (!data)
    return false;
  const auto rate = learning_rate(rate_, step_);
  // Errors name the step as all that is printed and written does.
  const auto report =
    engine_->train(*data, {step_ + 1, rate, config_.optimizer.clip_norm});
  ++step_;
  ++cursor_;
  trace_->add({step_, report.timeline});
  const auto seconds = 1e-9 * static_cast<double>(report.duration_ns);
  seconds_ += seconds;
  step_progress now;
  now.step = step_;
  now.steps = config_.run.steps;
  now.loss = report.loss;
  now.learning_rate = rate;
  now.gradient_norm = report.gradient_norm;
  now.tokens_per_s = static_cast<double>(report.targets) / seconds;
  now.bubble = report.bubble;
  now.seconds_left = seconds_ / static_cast<double>(step_ - first_step_)
                   * static_cast<double>(now.steps - step_);
  metrics_->write({step_, report.loss, rate, report.gradient_norm,
                   report.clip_factor, now.tokens_per_s, report.bubble,
                   seconds});
  observer_.on_step(now);
  return true;
}

void training_run::evaluate() {
  if (!data_.held_out)
    return;
  const auto total = evaluate_source(
    *data_.held_out,
    step_ < config_.run.steps ? config_.run.evaluate_batches : 0,
    [this](const batch& data) {
      const auto part = engine_->evaluate(data);
      return evaluation{part.loss, part.targets};
    });
  result_.held_out_loss = total.loss;
  metrics_->write_evaluation(step_, total.loss);
  observer_.on_evaluation(step_, total.loss);
}

// An update may overshoot though all gradients were finite; what it made must
// not take the place of the last good checkpoint.
void training_run::require_finite(const model_values& values) const {
  for (std::size_t i = 0; i < values.parameters.size(); ++i) {
    const auto& weight = values.parameters[i].weight;
    const std::span all(weight.data<float>(),
                        static_cast<std::size_t>(weight.elements()));
    if (!std::ranges::all_of(all, [](float x) { return std::isfinite(x); }))
      throw run_error("step " + std::to_string(step_) + ": "
                      + source_->parameters()[i].declaration.name
                      + " is not finite after the update and is not saved");
  }
}

void training_run::save() {
  checkpoint next;
  next.step = step_;
  next.data_cursor = cursor_;
  next.optimizer = to_string(config_.optimizer.update.kind);
  next.seed = static_cast<std::uint64_t>(config_.run.seed);
  next.config = to_toml(config_);
  const auto values = engine_->values();
  require_finite(values);
  store_values(next, *source_, *rule_, values);
  result_.checkpoint = save_checkpoint(directory_->checkpoints(), next,
                                       config_.run.keep_checkpoints)
                         .string();
  observer_.on_checkpoint(result_.checkpoint);
}

} // namespace

training_result run_training(const training_options& options,
                             run_observer& observer) {
  return training_run(options, observer).run();
}

run_plan plan_training(const training_options& options, bool measure) {
  const auto source = build_model(model_of(options.config), options.registry);
  const auto data = data_of(options);
  return plan_for(source, options.config, data, measure);
}

} // namespace actorpipe
