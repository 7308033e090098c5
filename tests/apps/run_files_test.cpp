// SPDX-License-Identifier: Apache-2.0
/// What a run leaves behind in its directory.
#include "tests/apps/program_test.hpp"

#include "actors/run/config.hpp"
#include "compute/io/parameter_digest.hpp"
#include "compute/io/safetensors.hpp"
#include "compute/io/sha256.hpp"

#include <set>

namespace actorpipe::test {

namespace {

using json = nlohmann::json;

// A run of three stages.
class run_files : public program_test {
protected:
  void SetUp() override {
    sum_ = train("run", {"--stages", "3", "--set", "run.evaluate_every=4"});
  }

  // The events of trace.json with this phase.
  std::vector<json> events(const std::string& phase) const {
    const auto root = json::parse(read_whole(folder_ / "run/trace.json"));
    std::vector<json> result;
    for (const auto& event : root.at("traceEvents"))
      if (event.at("ph") == phase)
        result.push_back(event);
    return result;
  }

  std::string sum_;
};

TEST_F(run_files, are_these) {
  std::set<std::string> names;
  for (const auto& [name, bytes] : files())
    if (name.starts_with("run/"))
      names.insert(name.substr(4));
  std::set<std::string> expected{"config.toml", "lock", "metrics.jsonl",
                                 "trace.json", "checkpoints"};
  for (const std::string step : {"step-00000004", "step-00000008"}) {
    expected.insert("checkpoints/" + step);
    for (const auto* file :
         {"manifest.json", "model.safetensors", "optimizer.safetensors"})
      expected.insert("checkpoints/" + step + "/" + file);
  }
  EXPECT_EQ(names, expected);
}

TEST_F(run_files, have_all_settings_from_which_the_run_can_be_repeated) {
  const auto config = load_config((folder_ / "run/config.toml").string());
  EXPECT_EQ(config.pipeline.stages, 3);
  EXPECT_EQ(config.run.evaluate_every, 4);
  EXPECT_EQ(config.optimizer.rate.warmup_steps, 2);
  EXPECT_EQ(sum_of(print({"train", "run/config.toml", "--out", "again"})),
            sum_);
}

TEST_F(run_files, have_a_line_of_metrics_for_every_step) {
  std::int64_t steps = 0;
  std::int64_t evaluations = 0;
  for (const auto& line : metrics("run")) {
    if (line.contains("held_out_loss")) {
      EXPECT_EQ(line.at("step"), ++evaluations * 4);
      continue;
    }
    EXPECT_EQ(line.at("step"), ++steps);
    EXPECT_GT(line.at("loss"), 0.0);
    EXPECT_GT(line.at("learning_rate"), 0.0);
    EXPECT_GT(line.at("gradient_norm"), 0.0);
    EXPECT_LE(line.at("clip_factor"), 1.0);
    EXPECT_GT(line.at("tokens_per_s"), 0.0);
    EXPECT_GT(line.at("step_seconds"), 0.0);
    EXPECT_GT(line.at("bubble"), 0.0);
    EXPECT_LT(line.at("bubble"), 1.0);
  }
  EXPECT_EQ(steps, 8);
  EXPECT_EQ(evaluations, 2);
}

TEST_F(run_files, have_the_sums_that_the_manifest_says) {
  for (const int step : {4, 8}) {
    const auto folder = checkpoint("run", step);
    const auto manifest = json::parse(read_whole(folder / "manifest.json"));
    EXPECT_EQ(manifest.at("step"), step);
    EXPECT_EQ(manifest.at("seed"), 1);
    ASSERT_EQ(manifest.at("files").size(), 2U);
    for (const auto& [name, file] : manifest.at("files").items()) {
      const auto bytes = read_whole(folder / name);
      EXPECT_EQ(file.at("size_bytes"), bytes.size());
      EXPECT_EQ(file.at("sha256"), sha256_hex(bytes));
    }
    const std::string config = manifest.at("config");
    EXPECT_EQ(parse_config(config, "manifest").pipeline.stages, 3);
  }
}

TEST_F(run_files, have_the_parameters_by_name) {
  const safetensors_file file(checkpoint("run", 8) / "model.safetensors");
  std::vector<named_tensor> parameters;
  for (const auto& entry : file.entries())
    parameters.push_back({entry.name, file.read(entry)});
  EXPECT_EQ(parameters.size(), 29U); // 2, 12 a block, 2, 1
  ASSERT_NE(file.find("block1.attention.qkv.weight"), nullptr);
  EXPECT_EQ(to_string(file.find("block1.attention.qkv.weight")->type),
            "f32[48, 16]");
  EXPECT_EQ(parameters_sha256(parameters), sum_);
}

TEST_F(run_files, have_a_trace_with_a_row_for_every_stage) {
  std::map<int, std::string> rows;
  for (const auto& event : events("M"))
    if (event.at("name") == "thread_name")
      rows[event.at("tid")] = event.at("args").at("name");
  EXPECT_EQ(rows, (std::map<int, std::string>{
                    {0, "stage 0"}, {1, "stage 1"}, {2, "stage 2"}}));
}

TEST_F(run_files, have_a_trace_of_the_last_steps_with_every_action) {
  std::map<std::string, std::set<int>> steps;
  for (const auto& event : events("X")) {
    EXPECT_GE(event.at("ts"), 0.0);
    EXPECT_GE(event.at("dur"), 0.0);
    if (event.at("cat") != "wait") {
      const std::string name = event.at("name");
      EXPECT_EQ(event.at("tid"), name[0] - '0');
      steps[name].insert(event.at("args").at("step").get<int>());
    }
  }
  // Per stage 4 forwards, 3 recomputes, 4 backwards and the update.
  EXPECT_EQ(steps.size(), 3U * 12U);
  for (const auto& [name, seen] : steps)
    EXPECT_EQ(seen, (std::set<int>{6, 7, 8})) << name;
}

TEST_F(run_files, have_a_trace_with_arrows_from_stage_to_stage) {
  std::map<int, json> starts;
  for (const auto& event : events("s"))
    starts[event.at("id")] = event;
  // Two edges, 4 micro-batches, there and back, in 3 steps.
  EXPECT_EQ(starts.size(), 2U * 4U * 2U * 3U);
  const auto ends = events("f");
  EXPECT_EQ(ends.size(), starts.size());
  for (const auto& end : ends) {
    const auto& start = starts.at(end.at("id"));
    const bool is_activation = start.at("name") == "activation";
    EXPECT_EQ(start.at("name"), end.at("name"));
    EXPECT_EQ(start.at("cat"), end.at("cat"));
    EXPECT_EQ(end.at("tid").get<int>(),
              start.at("tid").get<int>() + (is_activation ? 1 : -1));
    EXPECT_LE(start.at("ts"), end.at("ts"));
  }
}

TEST_F(run_files, have_no_trace_when_none_is_wanted) {
  train("bare", {"--set", "run.trace_steps=0"});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "bare/trace.json"));
}

} // namespace

} // namespace actorpipe::test
