// SPDX-License-Identifier: Apache-2.0
/// What was saved comes back; what was damaged is named; nothing is lost.
#include "actors/run/checkpoint.hpp"
#include "actors/run/checkpoint_folder.hpp"
#include "actors/run/checkpoint_manifest.hpp"
#include "compute/io/io_error.hpp"
#include "compute/io/sha256.hpp"

#include "tests/support/limited_file_size.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

namespace actorpipe {

namespace {

namespace fs = std::filesystem;

using floats = std::vector<float>;
using strings = std::vector<std::string>;

checkpoint some_checkpoint(std::int64_t step) {
  const auto x = static_cast<float>(step);
  checkpoint result;
  result.step = step;
  result.updates = step - 1;
  result.seed = 0xffffffffffffffffU;
  result.data_cursor = step + 1;
  result.optimizer = "adamw";
  result.config = "[run]\nsteps = 3 # \"ä\"\n";
  result.parameters = {
    {"b.weight",
     tensor::from({2, 2}, floats{x, 1, 2, 3}),
     {{"exp_avg", tensor::from({2, 2}, floats{4, 5, 6, 7})},
      {"exp_avg_sq", tensor::from({2, 2}, floats{8, 9, 10, 11})}}},
    {"a.bias",
     tensor::from({1}, floats{12}),
     {{"exp_avg", tensor::from({1}, floats{13})},
      {"exp_avg_sq", tensor::from({1}, floats{14})}}}};
  result.states = {{"norm/mean", tensor::from({2}, floats{15, 16})}};
  return result;
}

std::string text_of(const tensor& x) {
  std::string result = to_string(x.type());
  for (std::int64_t i = 0; i < x.elements(); ++i)
    result += ' ' + std::to_string(x.data<float>()[i]);
  return result;
}

// Everything in a checkpoint, to compare two.
std::string text_of(const checkpoint& x) {
  std::string result = std::to_string(x.step) + ' ' + std::to_string(x.updates)
                     + ' ' + std::to_string(x.seed) + ' '
                     + std::to_string(x.data_cursor) + ' ' + x.optimizer + ' '
                     + x.config;
  for (const auto& parameter : x.parameters) {
    result += '\n' + parameter.name + ' ' + text_of(parameter.weight);
    for (const auto& slot : parameter.slots)
      result += '\n' + slot.name + ' ' + text_of(slot.value);
  }
  for (const auto& state : x.states)
    result += '\n' + state.name + ' ' + text_of(state.value);
  return result;
}

class checkpoint_test : public testing::Test {
protected:
  fs::path save(std::int64_t step, std::int64_t keep = 3) {
    return save_checkpoint(folder_.path(), some_checkpoint(step), keep);
  }

  // What is said when a checkpoint is loaded, without its path.
  static std::string error(const fs::path& path) {
    try {
      load_checkpoint(path);
    } catch (const checkpoint_error& e) {
      const std::string text = e.what();
      EXPECT_EQ(text.rfind(path.string(), 0), 0U) << text;
      return text.substr(std::min(text.size(), path.string().size() + 1));
    }
    return "no error";
  }

  static void flip_bit(const fs::path& file, std::size_t at) {
    auto bytes = read_whole(file);
    bytes.at(at) = static_cast<char>(bytes.at(at) ^ 1);
    std::ofstream(file, std::ios::binary) << bytes;
  }

  strings names() const {
    strings result;
    for (const auto& entry : fs::directory_iterator(folder_.path()))
      result.push_back(entry.path().filename().string());
    std::sort(result.begin(), result.end());
    return result;
  }

  std::int64_t newest_step() const {
    const auto found = load_newest_checkpoint(folder_.path());
    return found ? found->step : -1;
  }

  temporary_folder folder_;
};

TEST_F(checkpoint_test, comes_back_as_it_was_saved) {
  const auto path = save(20);
  EXPECT_EQ(path, folder_ / "step-00000020");
  EXPECT_EQ(text_of(load_checkpoint(path)), text_of(some_checkpoint(20)));
}

TEST_F(checkpoint_test, may_hold_no_moments_and_no_states) {
  auto plain = some_checkpoint(1);
  for (auto& parameter : plain.parameters)
    parameter.slots.clear();
  plain.states.clear();
  const auto path = save_checkpoint(folder_.path(), plain, 1);
  EXPECT_EQ(text_of(load_checkpoint(path)), text_of(plain));
}

TEST_F(checkpoint_test, has_the_documented_files) {
  const auto path = save(20);
  const safetensors_file model(path / "model.safetensors");
  EXPECT_NE(model.find("b.weight"), nullptr);
  EXPECT_NE(model.find("norm/mean"), nullptr);
  const safetensors_file moments(path / "optimizer.safetensors");
  EXPECT_NE(moments.find("a.bias/exp_avg_sq"), nullptr);
  EXPECT_EQ(std::distance(fs::directory_iterator(path), {}), 3);
}

TEST_F(checkpoint_test, is_made_in_a_folder_that_is_made_for_it) {
  save_checkpoint(folder_ / "a/b", some_checkpoint(1), 1);
  EXPECT_EQ(load_newest_checkpoint(folder_ / "a/b")->step, 1);
}

TEST_F(checkpoint_test, replaces_one_of_the_same_step) {
  const auto path = save(20);
  flip_bit(path / "model.safetensors", 200);
  save(20);
  EXPECT_EQ(text_of(load_checkpoint(path)), text_of(some_checkpoint(20)));
  EXPECT_EQ(names(), strings{"step-00000020"});
}

// -- the folder ---------------------------------------------------------------

TEST_F(checkpoint_test, is_kept_as_long_as_it_is_among_the_newest) {
  for (std::int64_t step : {8, 9, 10, 11})
    save(step, 2);
  EXPECT_EQ(names(), (strings{"step-00000010", "step-00000011"}));
}

TEST_F(checkpoint_test, is_not_removed_for_those_of_a_later_step) {
  for (std::int64_t step : {8, 20, 30})
    save(step, 3);
  save(9, 1);
  EXPECT_EQ(names(),
            (strings{"step-00000009", "step-00000020", "step-00000030"}));
}

TEST_F(checkpoint_test, is_found_by_the_number_of_its_step) {
  save(99999999);
  save(100000000);
  EXPECT_EQ(newest_step(), 100000000);
}

TEST_F(checkpoint_test, is_not_found_where_there_is_none) {
  EXPECT_EQ(newest_step(), -1);
  EXPECT_FALSE(load_newest_checkpoint(folder_ / "none"));
}

TEST_F(checkpoint_test, is_not_mistaken_for_other_names) {
  save(3);
  for (const auto* name : {"step-", "step-5x", "step--5", "other-9", "step-9 "})
    fs::create_directory(folder_ / name);
  fs::create_directory(folder_ / "step-00000007.partial");
  EXPECT_EQ(newest_step(), 3);
}

TEST_F(checkpoint_test, cleans_up_what_killed_runs_left) {
  folder_.write("step-00000002.partial/model.safetensors", "half");
  folder_.write("step-00000009.partial/model.safetensors", "half");
  folder_.write("notes.partial/text", "a user's");
  save(2);
  EXPECT_EQ(names(), (strings{"notes.partial", "step-00000002"}));
}

TEST_F(checkpoint_test, that_is_damaged_is_never_passed_over_in_silence) {
  const auto old = save(1);
  flip_bit(save(2) / "model.safetensors", 150);
  const auto newest = save(3);
  fs::remove(newest / "optimizer.safetensors");
  try {
    newest_step();
    FAIL();
  } catch (const checkpoint_error& error) {
    EXPECT_EQ(error.what(), newest.string()
                              + "/optimizer.safetensors is missing; the "
                                "newest whole one is "
                              + old.string());
  }
  fs::remove_all(old);
  EXPECT_THROW(newest_step(), checkpoint_error);
}

// -- damage -------------------------------------------------------------------

TEST_F(checkpoint_test, says_which_file_is_missing) {
  EXPECT_EQ(error(folder_ / "none"), "is not a folder with a checkpoint");
  for (const auto* file :
       {"model.safetensors", "optimizer.safetensors", "manifest.json"}) {
    const auto path = save(1);
    fs::remove(path / file);
    EXPECT_EQ(error(path), std::string(file) + " is missing");
  }
}

TEST_F(checkpoint_test, says_which_file_is_truncated_and_both_sizes) {
  const auto path = save(1);
  const auto file = path / "optimizer.safetensors";
  const auto size = fs::file_size(file);
  fs::resize_file(file, size - 1);
  EXPECT_EQ(error(path), "optimizer.safetensors is truncated: it has "
                           + std::to_string(size - 1)
                           + " bytes, the manifest says "
                           + std::to_string(size));
  fs::resize_file(file, size + 1);
  EXPECT_EQ(error(path), "optimizer.safetensors is damaged: it has "
                           + std::to_string(size + 1)
                           + " bytes, the manifest says "
                           + std::to_string(size));
}

TEST_F(checkpoint_test, says_which_file_is_damaged_and_both_sums) {
  const auto path = save(1);
  const auto file = path / "model.safetensors";
  const auto before = sha256_hex(read_whole(file));
  flip_bit(file, fs::file_size(file) - 1);
  EXPECT_EQ(error(path), "model.safetensors is damaged: its sha-256 is "
                           + sha256_hex(read_whole(file))
                           + ", the manifest says " + before);
}

TEST_F(checkpoint_test, notices_every_flipped_bit_of_a_tensor_file) {
  const auto path = save(1);
  const auto file = path / "model.safetensors";
  for (std::size_t at = 0; at < fs::file_size(file); at += 7) {
    flip_bit(file, at);
    EXPECT_NE(error(path), "no error") << at;
    flip_bit(file, at);
  }
  EXPECT_EQ(error(path), "no error");
}

TEST_F(checkpoint_test, notices_every_flipped_bit_of_what_the_manifest_says) {
  const auto path = save(1);
  const auto file = path / "manifest.json";
  for (std::size_t at = 0; at < fs::file_size(file); at += 3) {
    flip_bit(file, at);
    // Blanks between the values may become others: they say nothing.
    if (error(path) == "no error") {
      EXPECT_EQ(text_of(load_checkpoint(path)), text_of(some_checkpoint(1)));
    }
    flip_bit(file, at);
  }
}

TEST_F(checkpoint_test, survives_a_manifest_of_any_bytes) {
  const auto path = save(1);
  const auto file = path / "manifest.json";
  const auto whole = read_whole(file);
  for (std::size_t size = 0; size + 2 < whole.size(); size += 5) {
    std::ofstream(file, std::ios::binary) << whole.substr(0, size);
    EXPECT_EQ(error(path),
              "manifest.json is truncated or damaged: it is not a JSON object");
  }
  for (const auto* text : {"[]", "3", "{}", "{\"format_version\":\"1\"}",
                           "{\"format_version\":-1}", "\xff"}) {
    std::ofstream(file, std::ios::binary) << text;
    EXPECT_EQ(error(path).rfind("manifest.json ", 0), 0U) << error(path);
  }
}

// A manifest as another program might write it, with a sum that fits.
std::string signed_manifest(std::string text) {
  if (const auto at = text.find(",\"manifest_sha256\""); at != text.npos)
    text.replace(at, text.npos, "}");
  const auto sum = sha256_hex(text);
  text.pop_back();
  return text + ",\"manifest_sha256\":\"" + sum + "\"}";
}

TEST_F(checkpoint_test, survives_a_manifest_that_lacks_something) {
  const auto path = save(1);
  std::ofstream(path / "manifest.json")
    << signed_manifest("{\"format_version\":1,\"step\":\"x\"}");
  EXPECT_NE(error(path).find("manifest.json is not a manifest: "),
            std::string::npos)
    << error(path);
}

TEST_F(checkpoint_test, takes_integers_that_fit_alone) {
  const auto path = save(1);
  const auto file = path / "manifest.json";
  const auto step = [&](const std::string& value) {
    std::ofstream(file) << signed_manifest(R"({"format_version":1,"step":)"
                                           + value + "}");
    return error(path);
  };
  for (const auto* value : {"1.5", "1e+300", "9223372036854775808", "true"})
    EXPECT_EQ(step(value),
              std::string("manifest.json is not a manifest: step must be an "
                          "integer from -9223372036854775808 to "
                          "9223372036854775807, got ")
                + value);
}

TEST_F(checkpoint_test, survives_a_manifest_that_is_nested_deeply) {
  const auto path = save(1);
  constexpr std::size_t depth = 200'000;
  std::ofstream(path / "manifest.json")
    << R"({"format_version":1,"a":)" << std::string(depth, '[')
    << std::string(depth, ']') << '}';
  EXPECT_EQ(error(path),
            "manifest.json is not a manifest: it is nested too deeply");
}

TEST_F(checkpoint_test, says_both_formats_when_it_is_newer) {
  const auto path = save(1);
  std::ofstream(path / "manifest.json")
    << "{\"format_version\":7,\"something\":\"new\"}";
  EXPECT_EQ(error(path),
            "manifest.json is of format 7; this program reads formats up to "
              + std::to_string(checkpoint_format));
}

// -- a disk that is full, a run that is killed --------------------------------

TEST_F(checkpoint_test, leaves_the_old_one_on_a_full_disk) {
  save(1);
  for (rlim_t bytes = 0; bytes < 1200; bytes += 25) {
    bool saved = false;
    try {
      const limited_file_size full(bytes);
      save(2);
      saved = true;
    } catch (const io_error& error) {
      EXPECT_NE(std::string(error.what()).find(folder_.path().string()),
                std::string::npos);
      EXPECT_NE(std::string(error.what()).find("File too large"),
                std::string::npos);
    }
    EXPECT_EQ(newest_step(), saved ? 2 : 1) << bytes;
    if (saved) {
      EXPECT_GT(bytes, 0U);
      fs::remove_all(folder_ / checkpoint_name(2));
    }
  }
}

TEST_F(checkpoint_test, leaves_the_old_one_when_the_run_is_killed) {
  save(1);
  int killed = 0;
  for (rlim_t bytes = 0; bytes < 1200; bytes += 25) {
    const auto child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      // Writing beyond the limit ends the process by a signal.
      const rlimit no_core{0, 0};
      setrlimit(RLIMIT_CORE, &no_core);
      const rlimit limit{bytes, RLIM_INFINITY};
      setrlimit(RLIMIT_FSIZE, &limit);
      save(2);
      _exit(0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    killed += WIFSIGNALED(status) ? 1 : 0;
    EXPECT_EQ(newest_step(), WIFSIGNALED(status) ? 1 : 2) << bytes;
    fs::remove_all(folder_ / checkpoint_name(2));
  }
  EXPECT_GT(killed, 5);
  save(3);
  EXPECT_EQ(names(), (strings{"step-00000001", "step-00000003"}));
}

} // namespace

} // namespace actorpipe
