// SPDX-License-Identifier: Apache-2.0
/// The workers of a cpu device: every piece once, errors, several callers.
#include "compute/cpu/worker_pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <latch>
#include <numeric>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace actorpipe {
namespace {

TEST(worker_pool, computes_every_piece_once) {
  for (const std::size_t threads : {1, 2, 3, 9}) {
    worker_pool pool(threads);
    EXPECT_EQ(threads, pool.threads());
    for (const std::int64_t pieces : {0, 1, 2, 3, 7, 100}) {
      std::vector<std::atomic<int>> counts(static_cast<std::size_t>(pieces));
      pool.parallel_for(pieces, [&](std::int64_t piece) { ++counts[piece]; });
      for (const auto& count : counts)
        EXPECT_EQ(1, count);
    }
  }
}

TEST(worker_pool, has_all_its_threads_take_part) {
  worker_pool pool(4);
  // Ends only when every thread has taken one piece.
  std::latch all(4);
  pool.parallel_for(4, [&](std::int64_t) { all.arrive_and_wait(); });
  EXPECT_TRUE(all.try_wait());
}

TEST(worker_pool, computes_no_piece_twice_where_threads_meet) {
  worker_pool pool(2);
  for (int round = 0; round < 20000; ++round) {
    std::atomic<int> count = 0;
    pool.parallel_for(3, [&](std::int64_t piece) {
      ASSERT_LT(piece, 3);
      ++count;
    });
    ASSERT_EQ(3, count);
  }
}

TEST(worker_pool, has_written_everything_when_it_returns) {
  worker_pool pool(3);
  std::vector<std::int64_t> values(64);
  for (std::int64_t round = 0; round < 300; ++round) {
    pool.parallel_for(64, [&](std::int64_t piece) { values[piece] = round; });
    ASSERT_EQ(64 * round,
              std::accumulate(values.begin(), values.end(), std::int64_t{0}));
  }
}

TEST(worker_pool, throws_what_the_lowest_piece_threw) {
  for (const std::size_t threads : {1, 2, 3}) {
    worker_pool pool(threads);
    for (int round = 0; round < 20; ++round)
      try {
        pool.parallel_for(40, [](std::int64_t piece) {
          if (piece % 10 == 7)
            throw std::runtime_error(std::to_string(piece));
        });
        FAIL();
      } catch (const std::runtime_error& error) {
        EXPECT_STREQ("7", error.what());
      }
  }
}

TEST(worker_pool, works_again_after_an_error) {
  worker_pool pool(2);
  EXPECT_THROW(
    pool.parallel_for(8, [](std::int64_t) { throw std::runtime_error("no"); }),
    std::runtime_error);
  std::atomic<int> count = 0;
  pool.parallel_for(8, [&](std::int64_t) { ++count; });
  EXPECT_EQ(8, count);
}

TEST(worker_pool, lets_a_piece_call_it) {
  worker_pool pool(3);
  std::atomic<int> count = 0;
  pool.parallel_for(6, [&](std::int64_t) {
    pool.parallel_for(5, [&](std::int64_t) { ++count; });
  });
  EXPECT_EQ(30, count);
}

TEST(worker_pool, serves_several_callers_at_once) {
  worker_pool pool(3);
  std::atomic<int> count = 0;
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 3; ++caller)
    callers.emplace_back([&] {
      for (int round = 0; round < 100; ++round)
        pool.parallel_for(10, [&](std::int64_t) { ++count; });
    });
  for (auto& caller : callers)
    caller.join();
  EXPECT_EQ(3000, count);
}

TEST(worker_pool, ends_its_threads_when_the_system_has_no_more) {
  for (int most = 0; most < 4; ++most) {
    std::atomic<int> ended = 0;
    auto left = most;
    const auto start = [&](std::function<void()> run) {
      if (left-- == 0)
        throw std::system_error(
          std::make_error_code(std::errc::resource_unavailable_try_again));
      return std::thread([&, run = std::move(run)] {
        run();
        ++ended;
      });
    };
    try {
      worker_pool(5, start);
      FAIL();
    } catch (const std::system_error& error) {
      const std::string what = error.what();
      EXPECT_NE(what.find("of the 5 threads of a device only "
                          + std::to_string(most + 1)),
                what.npos)
        << what;
      EXPECT_EQ(error.code(), std::errc::resource_unavailable_try_again);
    }
    EXPECT_EQ(most, ended);
  }
}

TEST(worker_pool, needs_a_thread) {
  EXPECT_THROW(worker_pool{0}, std::invalid_argument);
}

} // namespace
} // namespace actorpipe
