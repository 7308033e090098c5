// SPDX-License-Identifier: Apache-2.0
/// The run loop.
#include "actors/run/training_run.hpp"

#include "actors/run/checkpoint.hpp"
#include "actors/run/checkpoint_folder.hpp"
#include "actors/run/checkpoint_values.hpp"
#include "actors/run/recovering_engine.hpp"
#include "actors/run/resume.hpp"
#include "actors/run/run_checkpoints.hpp"
#include "actors/run/run_cluster.hpp"
#include "actors/run/run_data.hpp"
#include "actors/run/run_directory.hpp"
#include "actors/run/run_log.hpp"
#include "actors/run/trace.hpp"
#include "actors/run/training_engine.hpp"
#include "actors/run/watched_engine.hpp"
#include "actors/stall/stall_watch.hpp"
#include "actors/stall/straggler_watch.hpp"
#include "compute/data/count_model.hpp"
#include "compute/io/atomic_file.hpp"
#include "compute/io/io_error.hpp"
#include "compute/io/parameter_digest.hpp"
#include "compute/model/model.hpp"
#include "compute/optim/learning_rate.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace actorpipe {

namespace {

// The run's settings as they are saved: its files are found from anywhere.
run_config found_again(run_config config) {
  auto& cluster = config.cluster;
  for (auto* path : {&config.data.path, &cluster.tls_certificate,
                     &cluster.tls_key, &cluster.tls_authority})
    if (!path->empty())
      *path = std::filesystem::absolute(*path).string();
  return config;
}

run_data data_of(const training_options& options) {
  return options.data.training ? options.data : open_text(options.config);
}

run_plan plan_for(const std::shared_ptr<const model>& source,
                  const run_config& config, const run_data& data, bool measure,
                  bool replicates) {
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
                                sample->targets.type(), measure, replicates});
}

class training_run {
public:
  training_run(const training_options& options, run_observer& observer)
    : options_(options), config_(found_again(options.config)), log_(observer),
      source_(build_model(model_of(config_), options.registry)),
      rule_(make_optimizer(config_.optimizer.update)), data_(data_of(options)),
      rate_(learning_rate_of(config_)) {}

  training_result run();

private:
  void start();
  void train();
  void finish();
  std::unique_ptr<training_engine> make_engine();
  /// Nodes have a supervisor that does the same.
  std::unique_ptr<training_engine>
  watched(std::unique_ptr<training_engine> line);
  /// Empty at the end of the data.
  std::optional<training_step> step_at(std::int64_t step) const;
  bool train_one();
  void save(const model_values& values);
  void write_last_steps();
  std::optional<double> held_out_loss();
  void note_evaluation(std::optional<double> loss);
  std::optional<double> last_held_out_loss(const model_values& values);
  std::string named_with_checkpoint(const std::exception& error) const;

  const training_options& options_;
  const run_config config_;
  run_log log_; // outlives the engine, which tells it of faults
  std::shared_ptr<const model> source_;
  std::shared_ptr<const optimizer> rule_;
  run_data data_;
  learning_rate_options rate_;
  run_plan plan_;
  pipeline_options how_;
  std::unique_ptr<training_engine> engine_;
  std::optional<run_directory> directory_;
  std::optional<run_checkpoints> checkpoints_;
  std::optional<trace_recorder> trace_;
  std::optional<straggler_watch> stragglers_;
  std::int64_t first_step_ = 0; ///< of this run
  std::int64_t step_ = 0;       ///< steps done
  std::int64_t data_ahead_ = 0; ///< of step t: mini-batch t - 1 + data_ahead_
  double seconds_ = 0;          ///< of the steps of this run
  training_result result_;
};

void training_run::start() {
  plan_ = plan_for(source_, config_, data_, false,
                   options_.cluster && options_.cluster->replicates);
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
    data_ahead_ = saved->data_cursor - saved->step;
  }
  how_.source = source_;
  how_.optimizer = config_.optimizer.update;
  how_.how = plan_.how;
  how_.seed = static_cast<std::uint64_t>(config_.run.seed);
  how_.threads_per_stage =
    static_cast<std::size_t>(config_.pipeline.threads_per_stage);
  // Before any node is asked for: another run there may have them.
  directory_.emplace(choose_directory(options_, step_));
  checkpoints_.emplace(directory_->checkpoints(),
                       run_checkpoints::origin{options_.resume, first_step_},
                       config_, source_, rule_);
  engine_ = make_engine();
  if (values)
    engine_->set_values(*values);
  write_file_atomically(directory_->config_file(), to_toml(config_));
  log_.open(directory_->metrics_file(), step_);
  trace_.emplace(static_cast<std::size_t>(config_.run.trace_steps));
  std::vector<planned_times> times;
  for (const auto& stage : plan_.stages)
    times.push_back({stage.forward_s, stage.backward_s});
  stragglers_.emplace(std::move(times));
  result_.directory = directory_->path().string();
  log_.plan(plan_);
  if (const auto leak = data_.text ? find_leak(*data_.text) : std::string();
      !leak.empty())
    log_.warning(leak);
}

std::unique_ptr<training_engine> training_run::make_engine() {
  std::unique_ptr<training_engine> inner;
  if (options_.sequential) {
    inner = make_sequential_engine(how_);
  } else if (options_.cluster) {
    auto nodes = *options_.cluster;
    nodes.on_event = [this](const cluster_event& what) {
      log_.event(what);
      if (options_.cluster->on_event)
        options_.cluster->on_event(what);
    };
    nodes.planned_step_s = plan_.predicted.makespan_s;
    log_.note(describe_cluster(nodes));
    inner = make_cluster_engine(std::move(nodes), how_, options_.registry);
  } else {
    inner = watched(make_pipeline_engine(how_, options_.system));
  }
  recovery_options how;
  how.restart_budget = options_.cluster ? options_.cluster->restart_budget
                                        : config_.cluster.restart_budget;
  how.on_fault = [this](const std::string& text) { log_.fault(text); };
  how.on_recovery = [this](const std::string& text) { log_.recovery(text); };
  how.step_at = [this](std::int64_t step) {
    auto again = step_at(step);
    if (!again)
      throw data_error("the data does not give the mini-batch of step "
                       + std::to_string(step) + " again");
    return std::move(*again);
  };
  how.saved = [this](std::int64_t after, std::int64_t up_to) {
    return checkpoints_->newest(
      after, up_to, [this](const std::string& why) { log_.warning(why); });
  };
  return std::make_unique<recovering_engine>(std::move(inner), std::move(how));
}

std::unique_ptr<training_engine>
training_run::watched(std::unique_ptr<training_engine> line) {
  stall_watch_options how;
  how.how = plan_.how;
  how.after_ns = stall_limit_ns(config_.cluster.stall_s * 1'000'000'000,
                                plan_.predicted.makespan_s);
  how.on_stall = [this](const std::string& text) { log_.stall(text); };
  return std::make_unique<watched_engine>(std::move(line), std::move(how));
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
      note_evaluation(held_out_loss());
    if (!result_.stopped && is_due(config_.run.checkpoint_every))
      save(engine_->values());
  }
}

// From the moment that the values are here, no node is needed any more.
void training_run::finish() {
  const auto values = engine_->values();
  save(values);
  write_last_steps();
  if (!result_.stopped) {
    note_evaluation(last_held_out_loss(values));
    if (data_.text)
      result_.count_model_loss =
        count_model(data_.text->training).mean_nats(data_.text->held_out);
  }
  result_.steps = step_;
  result_.parameters_sha256 =
    parameters_sha256(named_parameters(*source_, values));
}

void training_run::write_last_steps() {
  if (config_.run.trace_steps > 0)
    write_trace(directory_->trace_file(), *trace_);
}

std::optional<training_step> training_run::step_at(std::int64_t step) const {
  auto data = data_.training->batch_at(step - 1 + data_ahead_);
  if (!data)
    return std::nullopt;
  // Errors name the step as all that is printed and written does.
  return training_step{
    std::move(*data),
    {step, learning_rate(rate_, step - 1), config_.optimizer.clip_norm}};
}

bool training_run::train_one() {
  const auto next = step_at(step_ + 1);
  if (!next)
    return false;
  const auto rate = next->how.learning_rate;
  const auto report = engine_->train(next->data, next->how);
  ++step_;
  trace_->add({step_, report.timeline});
  for (const auto& text : stragglers_->add(report.timeline))
    log_.warning(text);
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
  log_.step({step_, report.loss, rate, report.gradient_norm, report.clip_factor,
             now.tokens_per_s, report.bubble, seconds},
            now);
  return true;
}

std::optional<double> training_run::held_out_loss() {
  if (!data_.held_out)
    return std::nullopt;
  return evaluate_source(
           *data_.held_out,
           step_ < config_.run.steps ? config_.run.evaluate_batches : 0,
           [this](const batch& data) {
             const auto part = engine_->evaluate(data);
             return evaluation{part.loss, part.targets};
           })
    .loss;
}

std::optional<double>
training_run::last_held_out_loss(const model_values& values) {
  try {
    return held_out_loss();
  } catch (const std::exception& error) {
    if (!options_.cluster)
      throw;
    log_.fault(std::string(error.what())
               + "; the held-out part is evaluated in this process");
  }
  engine_ = make_sequential_engine(how_);
  engine_->set_values(values);
  return held_out_loss();
}

void training_run::note_evaluation(std::optional<double> loss) {
  if (!loss)
    return;
  result_.held_out_loss = loss;
  log_.evaluation(step_, *loss);
}

void training_run::save(const model_values& values) {
  result_.checkpoint =
    checkpoints_->save(step_, step_ + data_ahead_, values).string();
  log_.checkpoint(result_.checkpoint);
}

} // namespace

training_result run_training(const training_options& options,
                             run_observer& observer) {
  return training_run(options, observer).run();
}

run_plan plan_training(const training_options& options, bool measure) {
  const auto source = build_model(model_of(options.config), options.registry);
  const auto data = data_of(options);
  const auto& cluster = options.config.cluster;
  return plan_for(source, options.config, data, measure,
                  !cluster.nodes.empty() && cluster.replicate);
}

} // namespace actorpipe
