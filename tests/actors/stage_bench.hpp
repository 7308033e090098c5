// SPDX-License-Identifier: Apache-2.0
/// A stage without actors: what it is told, and a record of what it sends.
#pragma once

#include "actors/parameter_core.hpp"
#include "actors/stage_core.hpp"
#include "tests/support/pipeline_models.hpp"
#include "tests/support/text.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace actorpipe::test {

/// Writes down each message as a word, such as "F1:0" for the activation of
/// micro-batch 0 over edge 1, "B1:0" for its gradient, "cF1:0" and "cB1:0" for
/// their credits.
class stage_recorder final : public stage_core::outbox {
public:
  void send(const edge_data& header, payload data) override {
    words_.note(way(header.gradient, header.edge, header.micro_batch));
    EXPECT_EQ(data.tensors.size(), 1U);
    id = header.id;
  }
  void send(const credit& message) override {
    words_.note("c", way(message.gradient, message.edge, message.micro_batch));
  }
  void send(std::uint32_t owner, const accumulated& header,
            payload data) override {
    words_.note("accumulated", owner);
    EXPECT_EQ(header.owner, owner);
    samples = header.samples;
    sums = std::move(data.tensors);
  }
  void send(const begun& message) override { begun_ids.push_back(message.id); }
  void send(finished message) override {
    words_.note("finished");
    last = std::move(message);
  }
  void send(failed message) override {
    words_.note("failed");
    failure = std::move(message);
  }
  void send(abandoned message) override {
    words_.note("abandoned", message.attempt);
    EXPECT_EQ(message.who, "stage 0");
  }

  /// What was sent since the last call.
  std::string take() { return words_.take(); }

  work_id id;
  std::vector<work_id> begun_ids;
  std::int64_t samples = 0;
  tensor_list sums;
  finished last;
  failed failure;

private:
  static std::string way(bool gradient, std::uint32_t edge,
                         std::uint32_t micro_batch) {
    return text(gradient ? "B" : "F", edge, ":", micro_batch);
  }

  word_list words_;
};

/// Stage 0 of a pipeline of two cells over B = 4 samples in M = 2
/// micro-batches. Edges: 0 the inputs, 1 to stage 1, 2 the targets.
class stage_bench : public ::testing::Test {
protected:
  static constexpr std::uint64_t run = 7;

  explicit stage_bench(std::uint32_t cells = 2)
    : source_(build_model(tripping_model(2), pipeline_registry(wire_))),
      data_(perceptron_batch(4)),
      plan_(std::make_shared<plan>(plan_for(*source_, data_, {cells, 2, 4}))),
      layout_(std::make_shared<parameter_layout>(*source_, plan_->cut)),
      core_(make_core()) {}

  std::unique_ptr<stage_core> make_core(action_hook before = {},
                                        action_hook after = {}) {
    return std::make_unique<stage_core>(
      stage_options{0, run, 1, source_, plan_, layout_, device_, activations_,
                    gradients_, [this] { return ++now_ns_; }, board_,
                    std::move(before), std::move(after)},
      sent_);
  }

  static work_id id(std::uint64_t batch, std::uint64_t attempt = 0) {
    return {run, attempt, batch};
  }

  /// Each micro-batch has two samples.
  void begin(const work_id& what, const char* actions = "0F0 0F1 0B0 0B1 0U0",
             std::int64_t version = 0, std::int64_t micro_batches = 2) {
    begin_step message{what, run_mode::train,         5, version, 4,
                       {},   *parse_program(actions), 3};
    for (std::int64_t m = 0; m < micro_batches; ++m)
      message.micro_batches.push_back({2 * m, 2 * m + 2});
    core_->accept(message);
  }

  /// The weights that the cell's parameter actor would send.
  void weights_arrive(std::uint64_t edition = 1, std::int64_t version = 0,
                      std::uint64_t attempt = 0) {
    payload data;
    auto stream = device_->make_stream(parameters_);
    for (const auto i : layout_->owned_by(0)) {
      const auto& extents = source_->parameters()[i].declaration.extents;
      data.tensors.push_back(random_tensor({dtype::f32, extents}, i));
    }
    core_->accept(weights{run, attempt, edition, version, 0, 0}, data);
  }

  void input_arrives(const work_id& what, std::uint32_t micro_batch) {
    const std::int64_t begin = 2 * micro_batch;
    core_->accept(edge_data{what, micro_batch, 0, false},
                  {{data_.inputs[0].rows(begin % 4, begin % 4 + 2)}, {}});
  }

  void target_arrives(const work_id& what, std::uint32_t micro_batch) {
    const std::int64_t begin = 2 * micro_batch;
    core_->accept(edge_data{what, micro_batch, target_edge_, false},
                  {{data_.targets.rows(begin, begin + 2)}, {}});
  }

  void gradient_arrives(const work_id& what, std::uint32_t micro_batch) {
    core_->accept(edge_data{what, micro_batch, 1, true},
                  {{random_tensor({dtype::f32, {2, 5}}, micro_batch)}, {}});
  }

  void credit_arrives(const work_id& what, std::uint32_t micro_batch) {
    core_->accept(credit{what, micro_batch, 1, false});
  }

  /// Runs what can run, and tells what was sent since the last call.
  std::string run_all() {
    while (core_->runnable())
      core_->run_next();
    return sent_.take();
  }

  std::int64_t now_ns_ = 0;
  std::shared_ptr<standing_board> board_ =
    std::make_shared<standing_board>(0, [this] { return now_ns_; });
  std::shared_ptr<trip_wire> wire_ = std::make_shared<trip_wire>();
  std::shared_ptr<const model> source_;
  batch data_;
  std::uint32_t target_edge_ = 1; ///< in a pipeline of one cell
  std::shared_ptr<plan> plan_;
  std::shared_ptr<parameter_layout> layout_;
  std::shared_ptr<device> device_ = make_reference_device("device");
  std::shared_ptr<memory_account> activations_ =
    std::make_shared<memory_account>("activations");
  std::shared_ptr<memory_account> gradients_ =
    std::make_shared<memory_account>("gradients");
  std::shared_ptr<memory_account> parameters_ =
    std::make_shared<memory_account>("parameters");
  stage_recorder sent_;
  std::unique_ptr<stage_core> core_;
};

} // namespace actorpipe::test
