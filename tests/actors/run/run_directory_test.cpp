// SPDX-License-Identifier: Apache-2.0
/// Who may use a run directory.
#include "actors/run/run_directory.hpp"

#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <unistd.h>

namespace actorpipe {

namespace {

namespace fs = std::filesystem;

class run_directory_test : public testing::Test {
protected:
  // Leaves a run behind.
  void make_run() {
    const auto run = run_directory::create(path_);
    folder_.write("run/config.toml", "");
    folder_.write("run/checkpoints/step-00000003/manifest.json", "{}");
  }

  static std::string host_name() {
    char name[256] = {};
    gethostname(name, sizeof name - 1);
    return name;
  }

  // What is said, without the path.
  std::string error(const std::function<void()>& work) const {
    try {
      work();
    } catch (const run_directory_error& e) {
      const std::string text = e.what();
      EXPECT_EQ(text.rfind(path_.string() + ": ", 0), 0U) << text;
      return text.substr(std::min(text.size(), path_.string().size() + 2));
    }
    return "no error";
  }

  temporary_folder folder_;
  fs::path path_ = folder_ / "run";
};

TEST_F(run_directory_test, is_made_with_the_folders_above_it) {
  const auto run = run_directory::create(folder_ / "a/b/c");
  EXPECT_TRUE(fs::is_directory(folder_ / "a/b/c"));
  EXPECT_EQ(run.metrics_file(), folder_ / "a/b/c/metrics.jsonl");
}

TEST_F(run_directory_test, is_not_made_over_another_run) {
  make_run();
  EXPECT_EQ(error([&] { run_directory::create(path_); }),
            "a run stands there already; go on with --resume " + path_.string()
              + ", or choose another place with --set run.out=...");
}

TEST_F(run_directory_test, is_made_where_a_run_never_started) {
  { const auto run = run_directory::create(path_); }
  EXPECT_EQ(error([&] { run_directory::create(path_); }), "no error");
}

TEST_F(run_directory_test, is_opened_where_a_run_stands) {
  make_run();
  EXPECT_EQ(run_directory::open(path_).path(), path_);
  fs::remove_all(path_);
  EXPECT_EQ(error([&] { run_directory::open(path_); }), "no run stands there");
}

TEST_F(run_directory_test, is_held_by_one_at_a_time) {
  make_run();
  {
    const auto first = run_directory::open(path_);
    EXPECT_EQ(error([&] { run_directory::open(path_); }),
              "another process is running there (pid "
                + std::to_string(getpid()) + " on " + host_name() + ")");
  }
  EXPECT_EQ(error([&] { run_directory::open(path_); }), "no error");
}

TEST_F(run_directory_test, cannot_be_made_in_a_file) {
  folder_.write("file", "");
  EXPECT_THROW(run_directory::create(folder_ / "file/run"),
               run_directory_error);
}

TEST_F(run_directory_test, is_a_point_to_go_on_from) {
  make_run();
  for (const auto& path : {path_, path_ / ""}) {
    const auto point = find_resume_point(path);
    EXPECT_EQ(point.directory, path_);
    EXPECT_EQ(point.checkpoint, "");
  }
}

TEST_F(run_directory_test, is_found_above_a_checkpoint) {
  make_run();
  const auto checkpoint = path_ / "checkpoints/step-00000003";
  for (const auto& path : {checkpoint, checkpoint / "", checkpoint / "."}) {
    const auto point = find_resume_point(path);
    EXPECT_EQ(point.directory, path_);
    EXPECT_EQ(point.checkpoint, checkpoint);
  }
}

TEST_F(run_directory_test, is_not_found_in_any_other_place) {
  EXPECT_EQ(error([&] { find_resume_point(path_); }),
            "is neither a run directory nor a checkpoint");
}

} // namespace

} // namespace actorpipe
