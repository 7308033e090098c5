// SPDX-License-Identifier: Apache-2.0
/// The lines of metrics.jsonl.
#include "actors/run/metrics.hpp"

#include "compute/io/io_error.hpp"
#include "tests/support/limited_file_size.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace actorpipe {

namespace {

class metrics_test : public testing::Test {
protected:
  void write_steps(std::int64_t first, std::int64_t last) {
    metrics_writer out(path_, first - 1);
    for (auto step = first; step <= last; ++step)
      out.write_evaluation(step, 2.5);
  }

  static std::string line(std::int64_t step) {
    return "{\"step\":" + std::to_string(step) + ",\"held_out_loss\":2.5}\n";
  }

  temporary_folder folder_;
  std::filesystem::path path_ = folder_ / "metrics.jsonl";
};

TEST_F(metrics_test, are_one_object_a_line) {
  metrics_writer out(path_, 0);
  out.write({1, 2.5, 1e-4, 3, 0.5, 1000, 0.25, 0.125});
  EXPECT_EQ(read_whole(path_),
            "{\"step\":1,\"loss\":2.5,\"learning_rate\":0.0001,"
            "\"gradient_norm\":3.0,\"clip_factor\":0.5,"
            "\"tokens_per_s\":1000.0,\"bubble\":0.25,\"step_seconds\":0.125}"
            "\n");
  out.write_evaluation(1, 2.5);
  EXPECT_TRUE(read_whole(path_).ends_with("}\n" + line(1)));
}

TEST_F(metrics_test, say_what_happened) {
  metrics_writer(path_, 0).write_event(3, "fault", "a \"node\"\xff");
  EXPECT_EQ(read_whole(path_), "{\"step\":3,\"event\":\"fault\",\"text\":"
                               "\"a \\\"node\\\"\xEF\xBF\xBD\"}\n");
}

TEST_F(metrics_test, are_null_where_they_are_not_finite) {
  metrics_writer(path_, 0).write_evaluation(
    1, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(read_whole(path_), "{\"step\":1,\"held_out_loss\":null}\n");
}

TEST_F(metrics_test, of_later_steps_are_removed_when_a_run_goes_on) {
  write_steps(1, 5);
  write_steps(4, 4);
  EXPECT_EQ(read_whole(path_), line(1) + line(2) + line(3) + line(4));
}

TEST_F(metrics_test, stay_as_they_are_when_none_is_later) {
  write_steps(1, 2);
  write_steps(3, 3);
  EXPECT_EQ(read_whole(path_), line(1) + line(2) + line(3));
}

TEST_F(metrics_test, lose_a_line_that_was_not_finished) {
  folder_.write("metrics.jsonl", line(1) + "{\"step\":2,\"held_out");
  write_steps(3, 3);
  EXPECT_EQ(read_whole(path_), line(1) + line(3));
  // Even one that looks whole: its step might have been 21.
  folder_.write("metrics.jsonl", line(1) + "{\"step\":2}");
  write_steps(3, 3);
  EXPECT_EQ(read_whole(path_), line(1) + line(3));
}

TEST_F(metrics_test, lose_lines_that_are_none) {
  folder_.write("metrics.jsonl",
                "x\n[]\n{}\n{\"step\":\"1\"}\n\xff\n" + line(1));
  write_steps(2, 2);
  EXPECT_EQ(read_whole(path_), line(1) + line(2));
}

TEST_F(metrics_test, name_the_path_when_the_disk_is_full) {
  metrics_writer out(path_, 0);
  const limited_file_size full(10);
  try {
    out.write_evaluation(1, 2.5);
    FAIL();
  } catch (const io_error& error) {
    EXPECT_EQ(error.path(), path_.string());
  }
}

} // namespace

} // namespace actorpipe
