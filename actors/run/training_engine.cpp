// SPDX-License-Identifier: Apache-2.0
/// A pipeline and the plain loop behind one interface.
#include "actors/run/training_engine.hpp"

#include "compute/train/sequential.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

#include <chrono>
#include <utility>

namespace actorpipe {

namespace {

struct configured : caf::actor_system_config {
  configured() { configure(*this); }
};

struct own_system {
  configured config;
  caf::actor_system system{config};
};

class pipeline_engine final : public training_engine {
public:
  pipeline_engine(pipeline_options options, caf::actor_system* system)
    : own_(system == nullptr ? std::make_unique<own_system>() : nullptr),
      line_(own_ ? own_->system : *system, std::move(options)) {}

  step_report train(const batch& data, const train_request& how) override {
    return line_.train(data, how);
  }
  step_report evaluate(const batch& data) override {
    return line_.evaluate(data);
  }
  model_values values() override { return line_.values(); }
  void set_values(const model_values& next) override { line_.set_values(next); }
  std::vector<stage_memory> peak_memory() const override {
    return line_.peak_memory();
  }
  std::vector<standing> standings() const override { return line_.standings(); }

private:
  std::unique_ptr<own_system> own_;
  pipeline line_;
};

class sequential_engine final : public training_engine {
public:
  explicit sequential_engine(const pipeline_options& options)
    : micro_batches_(options.how.micro_batches),
      loop_(options.source, make_optimizer(options.optimizer),
            make_cpu_device("cpu:0", options.threads_per_stage), options.seed) {
  }

  step_report train(const batch& data, const train_request& how) override {
    return timed([&] {
      return loop_.train(data, how.step,
                         {micro_batches_, how.learning_rate, how.max_norm});
    });
  }
  step_report evaluate(const batch& data) override {
    return timed([&] { return loop_.evaluate(data, micro_batches_); });
  }
  model_values values() override { return loop_.values(); }
  void set_values(const model_values& next) override { loop_.set_values(next); }
  std::vector<stage_memory> peak_memory() const override { return {}; }

private:
  template <class F>
  step_report timed(F work) {
    const auto start = std::chrono::steady_clock::now();
    const step_result result = work();
    step_report report;
    report.loss = result.loss;
    report.targets = result.targets;
    report.gradient_norm = result.gradient_norm;
    report.clip_factor = result.clip_factor;
    report.updates = loop_.values().updates;
    report.duration_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(
                           std::chrono::steady_clock::now() - start)
                           .count();
    return report;
  }

  std::int64_t micro_batches_;
  sequential_trainer loop_;
};

} // namespace

std::unique_ptr<training_engine>
make_pipeline_engine(pipeline_options options, caf::actor_system* system) {
  return std::make_unique<pipeline_engine>(std::move(options), system);
}

std::unique_ptr<training_engine>
make_sequential_engine(const pipeline_options& options) {
  return std::make_unique<sequential_engine>(options);
}

} // namespace actorpipe
