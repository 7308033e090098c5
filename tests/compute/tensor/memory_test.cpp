// SPDX-License-Identifier: Apache-2.0
/// Allocators and accounts: reuse, alignment, counts.
#include "compute/tensor/memory.hpp"
#include "compute/tensor/tensor.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <vector>

namespace actorpipe {
namespace {

struct memory : testing::Test {
  std::shared_ptr<allocator> pool = make_pooled_host_allocator();
  std::shared_ptr<memory_account> stage =
    std::make_shared<memory_account>("stage 2 activations");

  tensor make(std::int64_t floats) {
    return tensor::make({dtype::f32, {floats}}, pool, stage);
  }
};

TEST_F(memory, blocks_are_aligned_and_as_large_as_asked) {
  for (std::size_t bytes = 0; bytes < 5000; bytes += 7) {
    auto* block = pool->allocate(bytes);
    EXPECT_EQ(0U, reinterpret_cast<std::uintptr_t>(block) % 64);
    std::memset(block, 1, bytes);
    pool->release(block, bytes);
  }
}

TEST_F(memory, a_released_block_is_handed_out_again) {
  for (const std::size_t bytes : {1, 64, 65, 512, 513, 100000, 5000000}) {
    auto* first = pool->allocate(bytes);
    pool->release(first, bytes);
    EXPECT_EQ(first, pool->allocate(bytes));
    auto* second = pool->allocate(bytes);
    EXPECT_NE(first, second);
    pool->release(first, bytes);
    pool->release(second, bytes);
  }
}

TEST_F(memory, nearly_equal_sizes_share_blocks) {
  auto* block = pool->allocate(100000);
  pool->release(block, 100000);
  auto* again = pool->allocate(99000);
  EXPECT_EQ(block, again);
  pool->release(again, 99000);
}

TEST_F(memory, an_absurd_size_is_refused_with_what_was_asked_and_by_whom) {
  try {
    make(std::int64_t{1} << 50);
    FAIL();
  } catch (const out_of_memory& error) {
    const std::string what = error.what();
    EXPECT_NE(std::string::npos, what.find("f32[1125899906842624]")) << what;
    EXPECT_NE(std::string::npos, what.find("stage 2 activations")) << what;
  }
  EXPECT_EQ(0, stage->now_bytes());
}

TEST_F(memory, an_account_knows_now_and_at_most) {
  auto x = make(100);
  {
    const auto y = make(50);
    EXPECT_EQ(600, stage->now_bytes());
  }
  EXPECT_EQ(400, stage->now_bytes());
  EXPECT_EQ(600, stage->peak_bytes());
  stage->reset_peak();
  EXPECT_EQ(400, stage->peak_bytes());
  x = {};
  EXPECT_EQ(0, stage->now_bytes());
}

TEST_F(memory, copies_and_views_are_charged_once_and_as_long_as_one_lives) {
  auto x = make(100);
  auto view = x.rows(10, 20);
  const auto copy = view;
  x = {};
  view = {};
  EXPECT_EQ(400, stage->now_bytes());
}

TEST_F(memory, a_charge_moves_whole_with_any_view) {
  const auto receiver = std::make_shared<memory_account>("stage 3 activations");
  const auto x = make(100);
  x.rows(0, 1).charge_to(receiver);
  EXPECT_EQ(0, stage->now_bytes());
  EXPECT_EQ(400, receiver->now_bytes());
  x.charge_to(receiver);
  EXPECT_EQ(400, receiver->now_bytes());
}

TEST_F(memory, the_counting_allocator_gives_null_and_charges_the_same) {
  const auto x =
    tensor::make({dtype::f32, {100}}, make_counting_allocator(), stage);
  EXPECT_TRUE(x.defined());
  EXPECT_EQ(nullptr, x.bytes());
  EXPECT_EQ(nullptr, x.rows(1, 2).bytes());
  EXPECT_EQ(400, stage->now_bytes());
}

TEST_F(memory, survives_many_threads) {
  std::vector<std::thread> threads;
  for (int id = 0; id < 4; ++id)
    threads.emplace_back([&, id] {
      for (int round = 0; round < 500; ++round) {
        auto x = make(1 + round % 40);
        x.data<float>()[0] = static_cast<float>(id);
        auto y = make(1 + round % 40);
        y.data<float>()[0] = -1;
        ASSERT_EQ(static_cast<float>(id), x.data<float>()[0]);
      }
    });
  for (auto& thread : threads)
    thread.join();
  EXPECT_EQ(0, stage->now_bytes());
  EXPECT_LE(stage->peak_bytes(), 4 * 2 * 40 * 4);
  EXPECT_GE(stage->peak_bytes(), 2 * 40 * 4);
}

TEST_F(memory, charges_move_whole_between_many_threads) {
  const auto other = std::make_shared<memory_account>("other");
  const auto x = make(100);
  std::vector<std::thread> threads;
  for (int id = 0; id < 4; ++id)
    threads.emplace_back([&] {
      for (int round = 0; round < 500; ++round)
        x.charge_to(round % 2 == 0 ? other : stage);
    });
  for (auto& thread : threads)
    thread.join();
  EXPECT_EQ(400, stage->now_bytes() + other->now_bytes());
}

} // namespace
} // namespace actorpipe
