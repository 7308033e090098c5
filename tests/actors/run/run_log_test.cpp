// SPDX-License-Identifier: Apache-2.0
/// What an observer and the metrics file are told of events.
#include "actors/run/run_log.hpp"

#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace actorpipe {

namespace {

class noting final : public run_observer {
public:
  void on_step(const step_progress& now) override {
    seen.push_back("step " + std::to_string(now.step));
  }
  void on_fault(const std::string& text) override {
    seen.push_back("fault " + text);
  }
  void on_recovery(const std::string& text) override {
    seen.push_back("recovery " + text);
  }
  void on_stall(const std::string& text) override {
    seen.push_back("stall " + text);
  }
  void on_note(const std::string& text) override {
    seen.push_back("note " + text);
  }
  std::vector<std::string> seen;
};

class run_log_test : public testing::Test {
protected:
  void step(std::int64_t number) {
    step_metrics figures;
    figures.step = number;
    step_progress now;
    now.step = number;
    log_.step(figures, now);
  }

  temporary_folder folder_;
  std::filesystem::path metrics_ = folder_ / "metrics.jsonl";
  noting observer_;
  run_log log_{observer_};
};

TEST_F(run_log_test, tells_the_observer_of_every_kind_of_event) {
  using kind = cluster_event::kind;
  for (const auto what : {kind::formed, kind::fault, kind::recovered,
                          kind::waiting, kind::stall, kind::note})
    log_.event({what, "x"});
  EXPECT_EQ(observer_.seen,
            (std::vector<std::string>{"note x", "fault x", "recovery x",
                                      "fault x", "stall x", "note x"}));
}

TEST_F(run_log_test, writes_events_between_the_steps_they_happened_in) {
  log_.fault("too early for the file");
  log_.open(metrics_, 4);
  log_.fault("a");
  step(5);
  log_.stall("b");
  const auto text = read_whole(metrics_);
  const auto a = text.find(R"({"step":4,"event":"fault","text":"a"})");
  const auto middle = text.find(R"({"step":5,"loss")");
  const auto b = text.find(R"({"step":5,"event":"stall","text":"b"})");
  EXPECT_EQ(a, 0U);
  EXPECT_LT(a, middle);
  EXPECT_LT(middle, b);
  EXPECT_NE(b, std::string::npos) << text;
}

TEST_F(run_log_test, takes_one_thing_at_a_time) {
  log_.open(metrics_, 0);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([this] {
        for (int j = 0; j < 100; ++j)
          log_.note("n");
      });
  }
  EXPECT_EQ(observer_.seen.size(), 400U);
}

} // namespace

} // namespace actorpipe
