// SPDX-License-Identifier: Apache-2.0
/// A scheduler core without actors, and words for what it is told and sends.
#pragma once

#include "actors/scheduler_core.hpp"
#include "tests/support/pipeline_models.hpp"
#include "tests/support/text.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace actorpipe::test {

/// Writes down each message as a word, such as "F0:1" for micro-batch 1 over
/// edge 0.
class scheduler_recorder final : public scheduler_core::outbox {
public:
  void send(std::uint32_t stage, begin_step message) override {
    words_.note("begin", stage);
    id = message.id;
    begun[stage] = std::move(message);
  }
  void send(std::uint32_t, const edge_data& header, payload) override {
    words_.note("F", header.edge, ":", header.micro_batch);
  }
  void send_parameters(const apply_update& message) override {
    words_.note("apply", message.version);
    update = message;
  }
  void send_parameters(const committed&) override { words_.note("committed"); }
  void send_all(const abandon& message) override {
    words_.note("abandon", message.attempt, ">", message.version);
  }
  void answer(step_outcome outcome) override {
    words_.note(outcome.ok ? "ok" : "not ok");
    last = std::move(outcome);
  }

  std::string take() { return words_.take(); }

  work_id id;
  std::map<std::uint32_t, begin_step> begun;
  apply_update update;
  step_outcome last;

private:
  word_list words_;
};

/// Two cells, two micro-batches of up to 2 samples. Edges: 0 the inputs, 1 from
/// cell 0 to cell 1, 2 the targets. Parameters: first.weight, first.bias of
/// cell 0, second.weight, second.bias of cell 1.
class scheduler_bench : public ::testing::Test {
protected:
  static constexpr std::uint64_t run = 7;

  void make_core() {
    core_ = std::make_unique<scheduler_core>(
      scheduler_options{run, source_, std::make_shared<plan>(plan_), layout_,
                        [this] { return now_ns_ += 10; }},
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

  void everyone_has_abandoned(std::uint64_t attempt) {
    for (const auto* who : {"stage 0", "stage 1", "parameter 0", "parameter 1"})
      core_->accept(abandoned{run, attempt, who});
  }

  std::shared_ptr<const model> source_ =
    build_model(perceptron_with_state(), pipeline_registry());
  plan plan_ = plan_for(*source_, perceptron_batch(4), {2, 2, 4});
  std::shared_ptr<parameter_layout> layout_ =
    std::make_shared<parameter_layout>(*source_, plan_.cut);
  std::int64_t now_ns_ = 0;
  scheduler_recorder sent_;
  std::unique_ptr<scheduler_core> core_;

  void SetUp() override { make_core(); }
};

} // namespace actorpipe::test
