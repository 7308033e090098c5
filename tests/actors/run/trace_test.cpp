// SPDX-License-Identifier: Apache-2.0
/// The trace of a small step, as Chrome trace events.
#include "actors/run/trace.hpp"

#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <set>

namespace actorpipe {

namespace {

using json = nlohmann::json;

action_record record(const char* what, std::int64_t ready_us,
                     std::int64_t start_us, std::int64_t end_us) {
  return {*parse_action(what), ready_us * 1000, start_us * 1000, end_us * 1000};
}

// stage 0 |0F0 0F1          0B0 0B1
// stage 1 |    1F0 1F1  1B0 1B1
trace_step small_step(std::int64_t step, std::int64_t begin_us) {
  const auto at = [&](const char* what, std::int64_t ready,
                      std::int64_t start) {
    return record(what, begin_us + ready, begin_us + start,
                  begin_us + start + 10);
  };
  return {
    step,
    {{at("0F0", 0, 0), at("0F1", 10, 10), at("0B0", 20, 40), at("0B1", 50, 50)},
     {at("1F0", 0, 10), at("1F1", 20, 20), at("1B0", 30, 30),
      at("1B1", 40, 40)}}};
}

std::vector<json> events(const std::deque<trace_step>& steps,
                         const std::string& phase) {
  std::vector<json> result;
  const auto root = json::parse(trace_json(steps));
  for (const auto& event : root.at("traceEvents"))
    if (event.at("ph") == phase)
      result.push_back(event);
  return result;
}

TEST(trace, has_a_slice_for_every_action_and_every_wait) {
  std::string text;
  for (const auto& slice : events({small_step(3, 1000)}, "X"))
    text += slice.at("name").get<std::string>() + '@'
          + std::to_string(slice.at("tid").get<int>()) + ' '
          + std::to_string(slice.at("ts").get<int>()) + '+'
          + std::to_string(slice.at("dur").get<int>()) + ' '
          + slice.at("cat").get<std::string>() + '\n';
  EXPECT_EQ(text, "0F0@0 0+10 forward\n"
                  "0F1@0 10+10 forward\n"
                  "wait for 0B0@0 20+20 wait\n"
                  "0B0@0 40+10 backward\n"
                  "0B1@0 50+10 backward\n"
                  "wait for 1F0@1 0+10 wait\n"
                  "1F0@1 10+10 forward\n"
                  "1F1@1 20+10 forward\n"
                  "1B0@1 30+10 backward\n"
                  "1B1@1 40+10 backward\n");
}

TEST(trace, says_what_a_slice_is_of) {
  const auto slice = events({small_step(3, 0)}, "X").at(1);
  EXPECT_EQ(slice.at("args"),
            (json{{"step", 3}, {"cell", 0}, {"micro_batch", 1}}));
}

TEST(trace, draws_an_arrow_from_every_sender_to_its_receiver) {
  const std::deque<trace_step> steps{small_step(3, 0)};
  const auto starts = events(steps, "s");
  const auto ends = events(steps, "f");
  ASSERT_EQ(starts.size(), 4U);
  ASSERT_EQ(ends.size(), 4U);
  const auto slices = events(steps, "X");
  const auto slice_at = [&](const json& end) {
    for (const auto& slice : slices) {
      const auto ts = slice.at("ts").get<double>();
      if (slice.at("cat") != "wait" && slice.at("tid") == end.at("tid")
          && ts <= end.at("ts")
          && end.at("ts").get<double>() < ts + slice.at("dur").get<double>())
        return slice.at("name").get<std::string>();
    }
    return std::string("none");
  };
  std::string text;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    EXPECT_EQ(starts[i].at("id"), ends[i].at("id"));
    text += starts[i].at("name").get<std::string>() + ' ' + slice_at(starts[i])
          + "->" + slice_at(ends[i]) + '\n';
  }
  EXPECT_EQ(text, "activation 0F0->1F0\n"
                  "activation 0F1->1F1\n"
                  "gradient 1B0->0B0\n"
                  "gradient 1B1->0B1\n");
}

TEST(trace, gives_arrows_of_different_steps_different_ids) {
  std::set<int> ids;
  for (const auto& start : events({small_step(1, 0), small_step(2, 100)}, "s"))
    ids.insert(start.at("id").get<int>());
  EXPECT_EQ(ids.size(), 8U);
}

TEST(trace, names_the_stages) {
  const auto names = events({small_step(1, 0)}, "M");
  EXPECT_EQ(names.at(0).at("args").at("name"), "actorpipe");
  EXPECT_EQ(names.at(1).at("args").at("name"), "stage 0");
  EXPECT_EQ(names.at(3).at("args").at("name"), "stage 1");
}

TEST(trace, may_be_of_nothing) {
  EXPECT_EQ(events({}, "X").size(), 0U);
}

TEST(trace_recorder, keeps_the_last_steps) {
  trace_recorder two(2);
  trace_recorder none(0);
  for (std::int64_t step = 1; step <= 5; ++step) {
    two.add(small_step(step, step * 100));
    none.add(small_step(step, step * 100));
  }
  ASSERT_EQ(two.steps().size(), 2U);
  EXPECT_EQ(two.steps().front().step, 4);
  EXPECT_EQ(two.steps().back().step, 5);
  EXPECT_TRUE(none.steps().empty());
}

TEST(trace_recorder, is_written_as_a_file) {
  const temporary_folder folder;
  trace_recorder recorder(1);
  recorder.add(small_step(1, 0));
  write_trace(folder / "trace.json", recorder);
  EXPECT_EQ(read_whole(folder / "trace.json"), trace_json(recorder.steps()));
}

} // namespace

} // namespace actorpipe
