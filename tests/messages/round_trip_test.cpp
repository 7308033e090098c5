// SPDX-License-Identifier: Apache-2.0
/// Every message arrives with every field, and tensors stay in their process.
#include "tests/messages/samples.hpp"
#include "tests/messages/wire.hpp"

#include <caf/actor_cast.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/message.hpp>
#include <caf/scoped_actor.hpp>

#include <bit>
#include <cstdint>
#include <limits>
#include <set>
#include <type_traits>

namespace actorpipe::test {
namespace {

using round_trip_test = wire_test;

TEST_F(round_trip_test, every_message_survives) {
  for_each_message([&](const auto& x) {
    const auto first = encoded(x);
    std::decay_t<decltype(x)> y;
    ASSERT_FALSE(decode(first, y)) << caf::deep_to_string(x);
    EXPECT_EQ(encoded(y), first) << caf::deep_to_string(x);
  });
}

TEST_F(round_trip_test, every_message_survives_inside_a_message) {
  for_each_message([&](const auto& x) {
    using type = std::decay_t<decltype(x)>;
    caf::message y;
    ASSERT_FALSE(decode(encoded(caf::make_message(x)), y));
    ASSERT_TRUE(y.match_elements<type>());
    EXPECT_EQ(encoded(y.get_as<type>(0)), encoded(x));
  });
}

// A field that `inspect` leaves out leaves no bytes and no text either.
TEST_F(round_trip_test, no_field_is_left_out) {
  const auto differs = [&](auto x, auto change) {
    const auto before = encoded(x);
    change(x);
    EXPECT_NE(encoded(x), before) << caf::deep_to_string(x);
  };
  differs(work_id{}, [](auto& x) { x.run = 1; });
  differs(work_id{}, [](auto& x) { x.attempt = 1; });
  differs(work_id{}, [](auto& x) { x.batch = 1; });
  differs(action{}, [](auto& x) { x.cell = 1; });
  differs(action{}, [](auto& x) { x.kind = action_kind::update; });
  differs(action{}, [](auto& x) { x.micro_batch = 1; });
  differs(action_record{}, [](auto& x) { x.what.cell = 1; });
  differs(action_record{}, [](auto& x) { x.ready_ns = 1; });
  differs(action_record{}, [](auto& x) { x.start_ns = 1; });
  differs(action_record{}, [](auto& x) { x.end_ns = 1; });
  differs(begin_step{}, [](auto& x) { x.id.run = 1; });
  differs(begin_step{}, [](auto& x) { x.mode = run_mode::evaluate; });
  differs(begin_step{}, [](auto& x) { x.step = 1; });
  differs(begin_step{}, [](auto& x) { x.version = 1; });
  differs(begin_step{}, [](auto& x) { x.normalizer = 2; });
  differs(begin_step{}, [](auto& x) { x.micro_batches = {{0, 0}}; });
  differs(begin_step{}, [](auto& x) { x.actions = {{}}; });
  differs(begin_step{}, [](auto& x) { x.tries = 2; });
  differs(edge_data{}, [](auto& x) { x.id.run = 1; });
  differs(edge_data{}, [](auto& x) { x.micro_batch = 1; });
  differs(edge_data{}, [](auto& x) { x.edge = 1; });
  differs(edge_data{}, [](auto& x) { x.gradient = true; });
  differs(credit{}, [](auto& x) { x.id.run = 1; });
  differs(credit{}, [](auto& x) { x.micro_batch = 1; });
  differs(credit{}, [](auto& x) { x.edge = 1; });
  differs(credit{}, [](auto& x) { x.gradient = true; });
  differs(accumulated{}, [](auto& x) { x.id.run = 1; });
  differs(accumulated{}, [](auto& x) { x.cell = 1; });
  differs(accumulated{}, [](auto& x) { x.owner = 1; });
  differs(accumulated{}, [](auto& x) { x.samples = 1; });
  differs(finished{}, [](auto& x) { x.id.run = 1; });
  differs(finished{}, [](auto& x) { x.stage = 1; });
  differs(finished{}, [](auto& x) { x.executed = {{}}; });
  differs(finished{}, [](auto& x) { x.loss_sums = {0}; });
  differs(prepared{}, [](auto& x) { x.id.run = 1; });
  differs(prepared{}, [](auto& x) { x.cell = 1; });
  differs(prepared{}, [](auto& x) { x.sums_of_squares = {0}; });
  differs(apply_update{}, [](auto& x) { x.id.run = 1; });
  differs(apply_update{}, [](auto& x) { x.version = 1; });
  differs(apply_update{}, [](auto& x) { x.learning_rate = 1; });
  differs(apply_update{}, [](auto& x) { x.gradient_scale = 2; });
  differs(weights{}, [](auto& x) { x.run = 1; });
  differs(weights{}, [](auto& x) { x.attempt = 1; });
  differs(weights{}, [](auto& x) { x.edition = 1; });
  differs(weights{}, [](auto& x) { x.version = 1; });
  differs(weights{}, [](auto& x) { x.owner = 1; });
  differs(weights{}, [](auto& x) { x.user = 1; });
  differs(applied{}, [](auto& x) { x.id.run = 1; });
  differs(applied{}, [](auto& x) { x.cell = 1; });
  differs(committed{}, [](auto& x) { x.id.run = 1; });
  differs(failed{}, [](auto& x) { x.id.run = 1; });
  differs(failed{}, [](auto& x) { x.code = error_code::busy; });
  differs(failed{}, [](auto& x) { x.text = "a"; });
  differs(abandon{}, [](auto& x) { x.run = 1; });
  differs(abandon{}, [](auto& x) { x.attempt = 1; });
  differs(abandon{}, [](auto& x) { x.version = 1; });
  differs(abandon{}, [](auto& x) { x.settled = 1; });
  differs(abandoned{}, [](auto& x) { x.run = 1; });
  differs(abandoned{}, [](auto& x) { x.attempt = 1; });
  differs(abandoned{}, [](auto& x) { x.who = "a"; });
  differs(train_request{}, [](auto& x) { x.step = 1; });
  differs(train_request{}, [](auto& x) { x.learning_rate = 1; });
  differs(train_request{}, [](auto& x) { x.max_norm = 1; });
  differs(evaluate_request{}, [](auto& x) { x.micro_batches = 1; });
  differs(step_report{}, [](auto& x) { x.loss = 1; });
  differs(step_report{}, [](auto& x) { x.targets = 1; });
  differs(step_report{}, [](auto& x) { x.gradient_norm = 1; });
  differs(step_report{}, [](auto& x) { x.clip_factor = 2; });
  differs(step_report{}, [](auto& x) { x.updates = 1; });
  differs(step_report{}, [](auto& x) { x.bubble = 1; });
  differs(step_report{}, [](auto& x) { x.duration_ns = 1; });
  differs(step_report{}, [](auto& x) { x.timeline = {{}}; });
  differs(step_failure{}, [](auto& x) { x.code = error_code::busy; });
  differs(step_failure{}, [](auto& x) { x.text = "a"; });
  differs(step_outcome{}, [](auto& x) { x.ok = true; });
  differs(step_outcome{}, [](auto& x) { x.report.loss = 1; });
  differs(step_outcome{}, [](auto& x) { x.failure.text = "a"; });
  differs(step_failure{}, [](auto& x) { x.version = 1; });
  differs(begun{}, [](auto& x) { x.id.run = 1; });
  differs(begun{}, [](auto& x) { x.stage = 1; });
  differs(inquire{}, [](auto& x) { x.id.run = 1; });
  differs(shard{}, [](auto& x) { x.id.run = 1; });
  differs(shard{}, [](auto& x) { x.purpose = shard_purpose::install; });
  differs(shard{}, [](auto& x) { x.cell = 1; });
  differs(shard{}, [](auto& x) { x.version = 1; });
  differs(get_shard{}, [](auto& x) { x.id.run = 1; });
  differs(installed{}, [](auto& x) { x.id.run = 1; });
  differs(installed{}, [](auto& x) { x.cell = 1; });
  differs(replicated{}, [](auto& x) { x.id.run = 1; });
  differs(replicated{}, [](auto& x) { x.cell = 1; });
  differs(replicated{}, [](auto& x) { x.version = 1; });
  differs(fetch{}, [](auto& x) { x.id.run = 1; });
  differs(fetch{}, [](auto& x) { x.cell = 1; });
  differs(fetch{}, [](auto& x) { x.version = 1; });
  differs(halt{}, [](auto& x) { x.run = 1; });
  differs(halt{}, [](auto& x) { x.count = 1; });
  differs(halt{}, [](auto& x) { x.why = "a"; });
  differs(halted{}, [](auto& x) { x.run = 1; });
  differs(halted{}, [](auto& x) { x.count = 1; });
  differs(halted{}, [](auto& x) { x.attempt = 1; });
  differs(halted{}, [](auto& x) { x.version = 1; });
  differs(resume{}, [](auto& x) { x.run = 1; });
  differs(resume{}, [](auto& x) { x.attempt = 1; });
  differs(resume{}, [](auto& x) { x.version = 1; });
  differs(resumed{}, [](auto& x) { x.run = 1; });
  differs(resumed{}, [](auto& x) { x.attempt = 1; });
  differs(give_up{}, [](auto& x) { x.run = 1; });
  differs(give_up{}, [](auto& x) { x.why = "a"; });
}

// Among them those that CAF's own form of a number changes or never ends with.
TEST_F(round_trip_test, every_real_number_keeps_its_bits) {
  using limits = std::numeric_limits<double>;
  const auto bits = [](double x) { return std::bit_cast<std::uint64_t>(x); };
  for (const double x :
       {limits::infinity(), -limits::infinity(), limits::quiet_NaN(),
        limits::denorm_min(), -limits::min() / 2, limits::max(), -0.0, 0.1}) {
    apply_update one;
    ASSERT_FALSE(decode(encoded(apply_update{some_id, 1, x, 2}), one));
    EXPECT_EQ(bits(one.learning_rate), bits(x));
    EXPECT_EQ(one.gradient_scale, 2);
    prepared several;
    ASSERT_FALSE(decode(encoded(prepared{some_id, 1, {1, x, 2}}), several));
    ASSERT_EQ(several.sums_of_squares.size(), 3U);
    EXPECT_EQ(bits(several.sums_of_squares[1]), bits(x));
  }
}

TEST_F(round_trip_test, a_real_number_is_printed_as_one) {
  const auto text = caf::deep_to_string(train_request{1, 0.5, 2});
  EXPECT_NE(text.find("0.5"), std::string::npos) << text;
}

TEST_F(round_trip_test, an_introduction_keeps_its_actors) {
  caf::scoped_actor a{system_}, b{system_}, c{system_};
  const auto handle = [](const caf::scoped_actor& x) {
    return caf::actor_cast<caf::strong_actor_ptr>(x);
  };
  introduction x{1,
                 2,
                 handle(a),
                 handle(b),
                 {handle(b), handle(c)},
                 {handle(c), handle(b)},
                 {handle(a), nullptr},
                 {nullptr, handle(c)}};
  introduction y;
  ASSERT_FALSE(decode(encoded(x), y));
  EXPECT_EQ(y.run, x.run);
  EXPECT_EQ(y.attempt, x.attempt);
  EXPECT_EQ(y.scheduler, x.scheduler);
  EXPECT_EQ(y.feed, x.feed);
  EXPECT_EQ(y.stages, x.stages);
  EXPECT_EQ(y.parameters, x.parameters);
  EXPECT_EQ(y.keepers, x.keepers);
  EXPECT_EQ(y.sources, x.sources);
}

TEST_F(round_trip_test, tensors_are_refused) {
  const payload tensors{{tensor::zeros({dtype::f32, {2}})}, {}};
  const auto is_refused = [&](const caf::message& x) {
    ::testing::internal::CaptureStderr();
    bytes ignored;
    const bool failed = static_cast<bool>(encode(x, ignored));
    EXPECT_NE(::testing::internal::GetCapturedStderr(), "");
    return failed;
  };
  EXPECT_TRUE(is_refused(caf::make_message(edge_data{}, tensors)));
  EXPECT_TRUE(is_refused(caf::make_message(train_request{}, local_batch{})));
  EXPECT_TRUE(is_refused(caf::make_message(values_outcome{})));
}

TEST_F(round_trip_test, tensors_are_not_made_up_from_bytes) {
  const auto header = encoded(caf::make_message(credit{}));
  auto forged = header;
  const std::string was = "actorpipe::credit", is = "actorpipe::payload";
  const auto at =
    std::search(forged.begin(), forged.end(), was.begin(), was.end());
  ASSERT_NE(at, forged.end());
  at[-1] = static_cast<char>(is.size());
  forged.insert(forged.erase(at, at + static_cast<std::ptrdiff_t>(was.size())),
                is.begin(), is.end());
  caf::message y;
  EXPECT_TRUE(decode(forged, y));
}

} // namespace
} // namespace actorpipe::test
