// SPDX-License-Identifier: Apache-2.0
/// What every device does: names, streams, events, charges, host code.
#include "compute/device/device.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

namespace actorpipe {
namespace {

std::vector<std::shared_ptr<device>> all_devices() {
  return {make_reference_device("reference:0"), make_cpu_device("cpu:0", 2),
          make_counting_device("counting:0")};
}

/// A point that is reached when told.
class told_point final : public event::source {
public:
  bool done() const override { return waited_; }
  void wait() const override { waited_ = true; }

private:
  mutable std::atomic<bool> waited_ = false;
};

TEST(event, is_done_when_made_by_default) {
  EXPECT_TRUE(event{}.done());
  event{}.wait();
}

TEST(event, denotes_the_same_point_when_copied) {
  const event first(std::make_shared<told_point>());
  const auto second = first;
  EXPECT_FALSE(second.done());
  first.wait();
  EXPECT_TRUE(second.done());
}

TEST(device, has_the_name_it_was_given) {
  EXPECT_EQ("cpu:0", make_cpu_device("cpu:0", 1)->name());
  EXPECT_EQ("reference:0", make_reference_device("reference:0")->name());
  EXPECT_EQ("counting:0", make_counting_device("counting:0")->name());
}

TEST(device, needs_a_thread) {
  EXPECT_THROW(make_cpu_device("cpu:0", 0), std::invalid_argument);
}

TEST(device, charges_each_stream_s_holder) {
  for (const auto& where : all_devices()) {
    const auto first = std::make_shared<memory_account>("first");
    const auto second = std::make_shared<memory_account>("second");
    auto one = where->make_stream(first);
    auto two = where->make_stream(second);
    const auto x = one->ops().make({dtype::f32, {10}});
    const auto y = two->ops().make_zeros({dtype::f32, {20}});
    EXPECT_EQ(40, first->now_bytes()) << where->name();
    EXPECT_EQ(80, second->now_bytes()) << where->name();
  }
}

TEST(device, lives_as_long_as_its_streams_and_its_memory_as_its_tensors) {
  for (auto where : all_devices()) {
    auto work = where->make_stream(nullptr);
    where.reset();
    auto x = work->ops().make_zeros({dtype::f32, {20000}});
    work->record().wait();
    work.reset();
    x = {};
  }
}

TEST(stream, has_reached_its_point_after_waiting) {
  for (const auto& where : all_devices()) {
    auto work = where->make_stream(nullptr);
    const auto x = work->ops().make_zeros({dtype::f32, {10}});
    const auto point = work->record();
    point.wait();
    EXPECT_TRUE(point.done()) << where->name();
  }
}

TEST(stream, starts_after_the_point_it_waits_for) {
  for (const auto& where : all_devices()) {
    const event point(std::make_shared<told_point>());
    where->make_stream(nullptr)->wait(point);
    EXPECT_TRUE(point.done()) << where->name();
  }
}

TEST(stream, runs_host_code_in_pieces) {
  for (const auto& where :
       {make_reference_device("reference:0"), make_cpu_device("cpu:0", 2)}) {
    auto work = where->make_stream(nullptr);
    auto x = work->ops().make({dtype::f32, {7}});
    work->ops().enqueue(7, [x](std::int64_t piece) mutable {
      x.data<float>()[piece] = static_cast<float>(piece);
    });
    work->record().wait();
    EXPECT_EQ(6, x.data<float>()[6]) << where->name();
  }
}

TEST(stream, reports_what_host_code_throws) {
  for (const auto& where :
       {make_reference_device("reference:0"), make_cpu_device("cpu:0", 2)}) {
    auto work = where->make_stream(nullptr);
    EXPECT_THROW(
      {
        work->ops().enqueue(
          3, [](std::int64_t) { throw std::domain_error("bad"); });
        work->record().wait();
      },
      std::domain_error)
      << where->name();
  }
}

} // namespace
} // namespace actorpipe
