// SPDX-License-Identifier: Apache-2.0
/// A parameter core without actors, and words for what it sends.
#pragma once

#include "actors/parameter_core.hpp"
#include "tests/support/pipeline_models.hpp"
#include "tests/support/text.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace actorpipe::test {

/// Writes down each message as a word, such as "v3>2" for weights of version 3
/// to the user 2, and "replica3" for a replica of that version.
class parameter_recorder final : public parameter_core::outbox {
public:
  void send(const weights& header, payload data) override {
    words_.note("v", header.version, ">", header.user);
    last_weights = header;
    sent[header.user] = std::move(data.tensors);
  }
  void send(prepared message) override {
    words_.note("prepared");
    last = std::move(message);
  }
  void send(const applied&) override { words_.note("applied"); }
  void send(const installed&) override { words_.note("installed"); }
  void send(const shard& header, payload data) override {
    if (header.purpose == shard_purpose::replica)
      words_.note("replica", header.version);
    else
      ++collected;
    last_shard = header;
    values = std::move(data.tensors);
  }
  void send(const fetch& message) override {
    words_.note("fetch", message.version);
    last_fetch = message;
  }
  void send(abandoned message) override {
    words_.note("abandoned", message.attempt);
    EXPECT_EQ(message.who.rfind("parameter ", 0), 0U);
  }
  void send(failed message) override {
    words_.note("failed");
    failure = std::move(message);
  }

  std::string take() { return words_.take(); }

  weights last_weights;
  std::map<std::uint32_t, tensor_list> sent; ///< by user
  prepared last;
  int collected = 0; ///< shards
  shard last_shard;
  tensor_list values; ///< of it
  fetch last_fetch;
  failed failure;

private:
  word_list words_;
};

// Three cells; cell 0 owns "shared.weight", which cell 2 uses twice. Cell 1
// owns the running mean.
class parameter_bench : public ::testing::Test {
protected:
  static constexpr std::uint64_t run = 7;

  std::unique_ptr<parameter_core> make(std::uint32_t cell) {
    auto result = std::make_unique<parameter_core>(
      parameter_options{cell, run, 1, source_, rule_, plan_, layout_,
                        make_reference_device("device"), holder_},
      sent_);
    result->meet({});
    sent_.take();
    return result;
  }

  /// In the place of the one before, in another process.
  void make_new(const parameter_neighbours& others) {
    core_ = std::make_unique<parameter_core>(
      parameter_options{0, run, 1, source_, rule_, plan_, layout_,
                        make_reference_device("device"), holder_},
      sent_);
    core_->meet(others);
  }

  static work_id id(std::uint64_t batch, std::uint64_t attempt = 0) {
    return {run, attempt, batch};
  }

  // Gradients of every use of cell 0's parameters by `user`, all `value`.
  payload gradients(std::uint32_t user, float value) const {
    payload result;
    for (const auto& use : layout_->uses(0, user)) {
      const auto i = layout_->owned_by(0)[use.ordinal];
      auto d_w = tensor::zeros(
        {dtype::f32, source_->parameters()[i].declaration.extents});
      std::fill_n(d_w.data<float>(), d_w.elements(), value);
      result.tensors.push_back(d_w);
    }
    return result;
  }

  void all_accumulated(const work_id& what, float value = 1) {
    core_->accept(accumulated{what, 0, 0, 4}, gradients(0, value));
    core_->accept(accumulated{what, 2, 0, 4}, gradients(2, value));
  }

  void apply(const work_id& what, std::int64_t version) {
    core_->accept(apply_update{what, version, 0.1, 1});
  }

  void install(const work_id& what, std::int64_t version,
               const tensor_list& values) {
    core_->accept(shard{what, shard_purpose::install, 0, version},
                  {values, {}});
  }

  /// The present version, by a request that no mini-batch has.
  tensor_list now() {
    core_->accept(get_shard{{run, 1000, ++asked_}});
    return sent_.values;
  }

  static bool same(const tensor_list& a, const tensor_list& b) {
    return std::ranges::equal(a, b, same_bits);
  }

  std::shared_ptr<trip_wire> wire_ = std::make_shared<trip_wire>();
  std::shared_ptr<const model> source_ =
    build_model(mixed_model(), pipeline_registry());
  std::shared_ptr<const plan> plan_ =
    std::make_shared<plan>(plan_for(*source_, perceptron_batch(4),
                                    {3,
                                     2,
                                     4,
                                     schedule_kind::fill_drain,
                                     recompute_mode::except_one,
                                     2,
                                     {3, 3, 4}}));
  std::shared_ptr<parameter_layout> layout_ =
    std::make_shared<parameter_layout>(*source_, plan_->cut);
  std::shared_ptr<memory_account> holder_ =
    std::make_shared<memory_account>("parameters");
  std::shared_ptr<const optimizer> rule_ = [this] {
    optimizer_options how;
    how.momentum = 0.9;
    return std::make_shared<tripping_optimizer>(how, wire_);
  }();
  parameter_recorder sent_;
  std::uint64_t asked_ = 0;
  std::unique_ptr<parameter_core> core_ = make(0);
};

} // namespace actorpipe::test
