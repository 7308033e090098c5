// SPDX-License-Identifier: Apache-2.0
/// Runs whose layers fail: they go on, tell of it once, and end the same.
#include "actors/run/training_run.hpp"

#include "tests/support/pipeline_models.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace actorpipe::test {

namespace {

constexpr std::int64_t steps = 4;

class drawn final : public data_source {
public:
  std::optional<batch> batch_at(std::int64_t step) override {
    const auto seed = static_cast<std::uint64_t>(step) + 1;
    if (step >= steps)
      return std::nullopt;
    return batch{{random_tensor({dtype::f32, {8, 3}}, seed)},
                 random_tokens({8}, 4, seed)};
  }
};

class watcher final : public run_observer {
public:
  explicit watcher(trip_wire& wire) : wire_(wire) {}

  void on_step(const step_progress& now) override {
    seen.push_back(now.step);
    if (now.step == trips_after)
      wire_.set(3);
  }
  void on_fault(const std::string& text) override { faults.push_back(text); }

  std::int64_t trips_after = 0;
  std::vector<std::int64_t> seen;
  std::vector<std::string> faults;

private:
  trip_wire& wire_;
};

class training_faults : public testing::Test {
protected:
  training_options options(const std::string& out) {
    training_options result;
    result.config.model.preset = model_source::layers;
    result.config.model.spec = tripping_model(3);
    result.config.pipeline.micro_batches = 2;
    result.config.run.steps = steps;
    result.config.run.out = (folder_ / out).string();
    result.registry = pipeline_registry(wire_);
    result.data = {std::make_shared<drawn>(), std::make_shared<drawn>(), {}};
    return result;
  }

  std::size_t events(const std::string& out) const {
    const auto text = read_whole(folder_ / out / "metrics.jsonl");
    std::size_t result = 0;
    for (auto at = text.find("\"event\""); at != text.npos;
         at = text.find("\"event\"", at + 1))
      ++result;
    return result;
  }

  temporary_folder folder_;
  std::shared_ptr<trip_wire> wire_ = std::make_shared<trip_wire>();
  watcher watcher_{*wire_};
};

TEST_F(training_faults, do_not_change_the_result) {
  const auto sum = run_training(options("quiet"), watcher_).parameters_sha256;
  EXPECT_EQ(events("quiet"), 0U);
  for (const std::int64_t last : {1, 3, 4}) {
    SCOPED_TRACE(last);
    watcher_.trips_after = last;
    watcher_.seen.clear();
    watcher_.faults.clear();
    const auto out = "after" + std::to_string(last);
    const auto result = run_training(options(out), watcher_);
    EXPECT_EQ(result.parameters_sha256, sum);
    EXPECT_EQ(watcher_.seen, (std::vector<std::int64_t>{1, 2, 3, 4}));
    ASSERT_EQ(watcher_.faults.size(), 1U);
    EXPECT_NE(watcher_.faults[0].find("tripped"), std::string::npos);
    EXPECT_EQ(events(out), 1U);
  }
}

TEST_F(training_faults, beyond_the_budget_end_the_run) {
  auto how = options("run");
  how.config.cluster.restart_budget = 0;
  watcher_.trips_after = 2;
  try {
    run_training(how, watcher_);
    FAIL();
  } catch (const run_error& error) {
    EXPECT_NE(std::string(error.what()).find("tripped"), std::string::npos);
  }
  EXPECT_EQ(watcher_.seen, (std::vector<std::int64_t>{1, 2}));
}

} // namespace

} // namespace actorpipe::test
