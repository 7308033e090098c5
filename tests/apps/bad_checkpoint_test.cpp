// SPDX-License-Identifier: Apache-2.0
/// What the program says to runs and checkpoints that it cannot use.
#include "tests/apps/program_test.hpp"

#include <functional>

namespace actorpipe::test {

namespace {

// A run of 8 steps, saved at 4 and at 8.
class bad_checkpoint : public program_test {
protected:
  void SetUp() override { train("run"); }

  void change(const std::filesystem::path& file,
              const std::function<void(std::string&)>& how) const {
    auto bytes = read_whole(file);
    how(bytes);
    std::ofstream(file, std::ios::binary) << bytes;
  }

  // By every command that reads one.
  void is_refused(const words& said) const {
    refuses(
      {"train", "run.toml", "--quiet", "--steps", "12", "--resume", "run"},
      said);
    refuses({"evaluate", "run"}, said);
    refuses({"generate", "run"}, said);
  }

  void is_usable(int step) const {
    print({"evaluate", checkpoint("run", step).string()});
    EXPECT_EQ(train("again", {"--resume", checkpoint("run", step).string(),
                              "--steps", "9"}),
              train("whole", {"--steps", "9"}));
  }
};

constexpr const char* all_files[] = {"manifest.json", "model.safetensors",
                                     "optimizer.safetensors"};

TEST_F(bad_checkpoint, is_truncated) {
  for (const std::string file : all_files) {
    SCOPED_TRACE(file);
    const auto path = checkpoint("run", 8) / file;
    const auto whole = read_whole(path);
    change(path, [](std::string& bytes) { bytes.resize(bytes.size() / 2); });
    is_refused({file, "truncated",
                "the newest whole one is " + checkpoint("run", 4).string()});
    change(path, [&](std::string& bytes) { bytes = whole; });
  }
  std::filesystem::remove(checkpoint("run", 8) / "manifest.json");
  is_refused({"manifest.json is missing"});
  is_usable(4);
}

TEST_F(bad_checkpoint, has_a_flipped_bit) {
  for (const std::string file : all_files) {
    SCOPED_TRACE(file);
    const auto path = checkpoint("run", 8) / file;
    for (const auto part : {1, 3}) {
      const auto flip = [&](std::string& bytes) {
        auto& byte = bytes[bytes.size() * static_cast<std::size_t>(part) / 4];
        byte = static_cast<char>(byte ^ 4);
      };
      change(path, flip);
      is_refused({file, "damaged"});
      change(path, flip);
    }
  }
  is_usable(8);
}

TEST_F(bad_checkpoint, is_of_another_model) {
  const words resume{"train", "run.toml", "--quiet", "--steps",
                     "12",    "--resume", "run",     "--set"};
  refuses(resume + words{"model.width=32"},
          {"run: the checkpoint is of another model",
           "block0.attention.output.weight: [16, 16] instead of [32, 32]"});
  refuses(resume + words{"model.depth=3"},
          {"missing (block2.attention.output.bias"});
  refuses(resume + words{"model.depth=1"},
          {"that the model does not have (block1.attention.output.bias"});
  is_usable(8);
}

TEST_F(bad_checkpoint, is_of_a_newer_format) {
  change(checkpoint("run", 8) / "manifest.json", [](std::string& bytes) {
    const std::string format = "\"format_version\": 1";
    bytes.replace(bytes.find(format), format.size(), "\"format_version\": 2");
  });
  is_refused(
    {"manifest.json", "is of format 2", "this program reads formats up to 1"});
}

TEST_F(bad_checkpoint, is_of_another_seed_or_already_further) {
  refuses({"train", "run.toml", "--quiet", "--resume", "run", "--seed", "2"},
          {"run: its run was another one:", "run.seed: 1 there, 2 here"});
  refuses({"train", "run.toml", "--quiet", "--resume", "run", "--set",
           "data.batch=5"},
          {"data.batch: 8 there, 5 here"});
  refuses({"train", "run.toml", "--quiet", "--resume", "run", "--set",
           "optimizer.kind=adam"},
          {"optimizer.kind: adamw there, adam here"});
  refuses({"train", "run.toml", "--quiet", "--resume", "run", "--steps", "7"},
          {"run: is at step 8 already, and run.steps is 7"});
}

class bad_run : public program_test {};

TEST_F(bad_run, is_not_there) {
  refuses({"evaluate", "nowhere"},
          {"nowhere: is neither a run directory nor a checkpoint"});
  refuses({"generate", "nowhere"}, {"nowhere: "});
  refuses({"train", "run.toml", "--resume", "nowhere"}, {"nowhere: "});
  refuses({"train", "run.toml", "--resume", "."},
          {".: is neither a run directory nor a checkpoint"});
}

TEST_F(bad_run, has_no_checkpoint) {
  folder_.write("empty/config.toml", "");
  for (const auto& command :
       {words{"evaluate", "empty"}, words{"generate", "empty"},
        words{"train", "run.toml", "--resume", "empty"}})
    refuses(command, {"empty: the run has saved no checkpoint"});
}

TEST_F(bad_run, stands_where_a_new_one_is_to_be) {
  train("run");
  refuses({"train", "run.toml", "--quiet", "--out", "run"},
          {"run: a run stands there already; go on with --resume run"});
  train("other");
  refuses({"train", "run.toml", "--quiet", "--resume", "other", "--out", "run"},
          {"run: a run stands there already"});
}

TEST_F(bad_run, is_avoided_by_a_run_that_may_choose) {
  train("run");
  const auto out = print({"train", "run.toml"});
  EXPECT_EQ(after(out, "run directory "), "run-2");
}

TEST_F(bad_run, is_asked_for_text_that_cannot_be) {
  train("run");
  refuses({"generate", "run", "--prompt", ""},
          {"the prompt has at least one byte"});
  refuses({"generate", "run", "--temperature", "-1"},
          {"the temperature is at least 0, not -1"});
  refuses({"generate", "run", "--temperature", "nan"}, {"temperature"});
  refuses({"generate", "run", "--tokens", "-1"},
          {"--tokens: must be an integer from 0"});
}

TEST_F(bad_run, has_lost_its_text) {
  train("run");
  std::filesystem::remove(folder_ / "text.txt");
  refuses({"evaluate", "run"}, {"text.txt: there is no such file"});
}

} // namespace

} // namespace actorpipe::test
