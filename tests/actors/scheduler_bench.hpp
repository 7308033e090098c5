// SPDX-License-Identifier: Apache-2.0
/// A scheduler core without actors, and words for what it is told and sends.
#pragma once

#include "actors/scheduler_core.hpp"
#include "actors/shard_values.hpp"
#include "compute/device/device.hpp"
#include "compute/train/model_values.hpp"
#include "tests/support/pipeline_models.hpp"
#include "tests/support/text.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace actorpipe::test {

/// Writes down each message as a word, such as "F0:1" for micro-batch 1 over
/// edge 0.
class scheduler_recorder final : public scheduler_core::outbox {
public:
  void send_stage(std::uint32_t stage, begin_step message) override {
    words_.note("begin", stage);
    id = message.id;
    begun[stage] = std::move(message);
  }
  void send_stage(std::uint32_t stage, const inquire& message) override {
    words_.note("ask-stage", stage);
    EXPECT_EQ(message.id, id);
  }
  void send_stage(std::uint32_t, const edge_data& header, payload) override {
    words_.note("F", header.edge, ":", header.micro_batch);
  }
  void send_parameter(std::uint32_t cell, const inquire&) override {
    words_.note("ask-parameter", cell);
  }
  void send_parameter(std::uint32_t cell,
                      const apply_update& message) override {
    words_.note("apply", message.version, ">", cell);
    update = message;
  }
  void send_parameter(std::uint32_t cell, const committed&) override {
    words_.note("committed>", cell);
  }
  void send_parameter(std::uint32_t cell, const get_shard& message) override {
    words_.note("get>", cell);
    id = message.id;
  }
  void send_parameter(std::uint32_t cell, const shard& header,
                      payload data) override {
    words_.note("install", header.version, ">", cell);
    EXPECT_EQ(header.purpose, shard_purpose::install);
    id = header.id;
    installs[cell] = std::move(data.tensors);
  }
  void send_keeper(std::uint32_t cell, const inquire&) override {
    words_.note("ask-keeper", cell);
  }
  void send_all(const abandon& message) override {
    words_.note("abandon", message.attempt, ">", message.version);
    settled = message.settled;
  }
  void answer(step_outcome outcome) override {
    words_.note(outcome.ok ? "ok" : "not ok");
    last = std::move(outcome);
  }
  void answer(values_outcome outcome) override {
    words_.note(outcome.ok ? "ok" : "not ok");
    last_values = std::move(outcome);
  }
  void answer(const resumed& message) override {
    words_.note("resumed", message.attempt);
  }

  std::string take() { return words_.take(); }

  work_id id;
  std::map<std::uint32_t, begin_step> begun;
  apply_update update;
  std::map<std::uint32_t, tensor_list> installs; ///< by cell
  std::uint64_t settled = 0;
  step_outcome last;
  values_outcome last_values;

private:
  word_list words_;
};

/// Two cells, two micro-batches of up to 2 samples. Edges: 0 the inputs, 1 from
/// cell 0 to cell 1, 2 the targets. Parameters: first.weight, first.bias of
/// cell 0, second.weight, second.bias of cell 1.
class scheduler_bench : public ::testing::Test {
protected:
  static constexpr std::uint64_t run = 7;

  void make_core(bool supervised = false) {
    core_ = std::make_unique<scheduler_core>(
      scheduler_options{run, source_, rule_, std::make_shared<plan>(plan_),
                        layout_, [this] { return now_ns_ += 10; }, supervised},
      sent_);
  }

  std::optional<step_failure> start(std::int64_t samples = 4,
                                    double max_norm = 0) {
    return core_->start(train_request{5, 0.1, max_norm},
                        perceptron_batch(samples));
  }

  std::optional<step_failure> evaluate(std::int64_t samples,
                                       std::uint32_t micro_batches = 0) {
    return core_->start(evaluate_request{micro_batches},
                        perceptron_batch(samples));
  }

  finished done(std::uint32_t stage) const {
    finished result{sent_.id, stage, {}, {}};
    for (const auto& x : sent_.begun.at(stage).actions)
      result.executed.push_back({x, 0, 0, 1});
    if (stage == 1)
      result.loss_sums.assign(sent_.begun.at(1).micro_batches.size(), 1.5);
    return result;
  }

  prepared sums(std::uint32_t cell, double first = 4) const {
    return {sent_.id, cell, {first, 4}};
  }

  /// Of both cells, all `value`.
  model_values values_of(float value, std::int64_t version) const {
    const auto device = make_reference_device("values");
    const auto stream = device->make_stream(nullptr);
    auto result = initial_values(*source_, *rule_, stream->ops(), 1);
    result.updates = version;
    for (auto& x : result.parameters)
      std::fill_n(x.weight.data<float>(), x.weight.elements(), value);
    return result;
  }

  shard collected(std::uint32_t cell, std::int64_t version = 0) const {
    return {sent_.id, shard_purpose::collect, cell, version};
  }

  payload shard_of(const model_values& all, std::uint32_t cell) const {
    return {flatten(part_of(all, *layout_, plan_.cut, cell)), {}};
  }

  replicated kept(std::uint32_t cell, std::int64_t version,
                  std::uint64_t made_by, std::uint64_t attempt = 0) const {
    return {{run, attempt, made_by}, cell, version};
  }

  void everyone_is_done() {
    core_->accept(done(0));
    core_->accept(done(1));
    core_->accept(sums(0));
    core_->accept(sums(1));
  }

  void everyone_has_applied() {
    core_->accept(applied{sent_.id, 0});
    core_->accept(applied{sent_.id, 1});
  }

  void train() {
    start();
    everyone_is_done();
    everyone_has_applied();
    sent_.take();
  }

  void everyone_has_abandoned(std::uint64_t attempt) {
    for (const auto* who : {"stage 0", "stage 1", "parameter 0", "parameter 1"})
      core_->accept(abandoned{run, attempt, who});
  }

  std::shared_ptr<const model> source_ =
    build_model(perceptron_with_state(), pipeline_registry());
  std::shared_ptr<const optimizer> rule_ = make_optimizer({});
  plan plan_ = plan_for(*source_, perceptron_batch(4), {2, 2, 4});
  std::shared_ptr<parameter_layout> layout_ =
    std::make_shared<parameter_layout>(*source_, plan_.cut);
  std::int64_t now_ns_ = 0;
  scheduler_recorder sent_;
  std::unique_ptr<scheduler_core> core_;

  void SetUp() override { make_core(); }
};

} // namespace actorpipe::test
