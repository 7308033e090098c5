// SPDX-License-Identifier: Apache-2.0
/// Stalls are told while a call waits, and that they are over.
#include "actors/run/watched_engine.hpp"

#include "tests/actors/stall/stall_bench.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <future>
#include <stdexcept>
#include <string>
#include <utility>

namespace actorpipe::test {
namespace {

// Its calls return once somebody lets them.
class blocked_engine final : public training_engine {
public:
  step_report train(const batch&, const train_request&) override {
    is_blocked = true;
    release.get_future().wait();
    is_blocked = false;
    return {};
  }
  step_report evaluate(const batch&) override {
    throw std::runtime_error("tripped");
  }
  model_values values() override { return {}; }
  void set_values(const model_values&) override {}
  std::vector<stage_memory> peak_memory() const override { return {{1, 2, 3}}; }
  std::vector<standing> standings() const override { return stages; }

  std::promise<void> release;
  std::atomic<bool> is_blocked = false;
  std::vector<standing> stages;
};

class watched_engine_test : public ::testing::Test, protected stall_bench {
protected:
  using enum standing::state;

  watched_engine_test() {
    put(0, waiting, "0B0", {gradient(1, 0)});
    put(1, computing, "1F1");
    put(2, waiting, "2F1", {activation(2, 1)});
    auto inner = std::make_unique<blocked_engine>();
    inner_ = inner.get();
    inner_->stages = now.stages;
    stall_watch_options options;
    options.how = how;
    options.on_stall = [this](const std::string& text) {
      said_[count_++].set_value(text);
    };
    // While a call is blocked, each look is a second after the one before.
    options.now_ns = [this] {
      return (inner_->is_blocked ? ++seconds_ : seconds_) * second_ns;
    };
    options.interval = std::chrono::nanoseconds(1);
    engine_ = std::make_unique<watched_engine>(std::move(inner), options);
  }

  std::string said(std::size_t i) { return said_.at(i).get_future().get(); }

  std::int64_t seconds_ = 0; ///< of the engine's thread until it has ended
  std::size_t count_ = 0;    ///< likewise
  std::array<std::promise<std::string>, 4> said_;
  blocked_engine* inner_ = nullptr;
  std::unique_ptr<watched_engine> engine_;
};

TEST_F(watched_engine_test, tells_of_a_stall_and_of_its_end) {
  auto step = std::async(std::launch::async, [&] { engine_->train({}, {}); });
  EXPECT_TRUE(said(0).starts_with("nothing has advanced for 10.0 s\n"
                                  "cause: stage 1 has been computing 1F1"));
  inner_->release.set_value();
  step.get();
  EXPECT_TRUE(
    said(1).starts_with("the pipeline goes on; nothing had advanced"));
  engine_.reset();
  EXPECT_EQ(count_, 2U);
}

TEST_F(watched_engine_test, is_silent_about_what_returns) {
  for (int i = 0; i < 100; ++i) {
    engine_->values();
    engine_->set_values({});
    EXPECT_THROW(engine_->evaluate({}), std::runtime_error);
  }
  engine_.reset();
  EXPECT_EQ(count_, 0U);
}

TEST_F(watched_engine_test, can_end_during_a_stall_that_was_told) {
  auto step = std::async(std::launch::async, [&] { engine_->train({}, {}); });
  said(0);
  inner_->release.set_value();
  step.get();
  engine_.reset();
  EXPECT_LE(count_, 2U);
}

TEST_F(watched_engine_test, passes_on_what_the_stages_hold) {
  EXPECT_EQ(engine_->peak_memory().at(0).gradient_bytes, 2);
  EXPECT_EQ(engine_->standings().size(), 3U);
}

} // namespace
} // namespace actorpipe::test
