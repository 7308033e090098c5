// SPDX-License-Identifier: Apache-2.0
/// Decoders of what the supervisor and the nodes say survive any bytes, and ask
/// for no more memory than these justify.
#include "tests/messages/cluster_samples.hpp"
#include "tests/messages/largest_allocation.hpp"
#include "tests/messages/wire.hpp"

#include <caf/message.hpp>

#include <algorithm>
#include <random>
#include <type_traits>

namespace actorpipe::test {
namespace {

// A vector doubles when it grows, and its elements are larger in memory than
// the one byte at least that each needs on the wire.
constexpr std::size_t bytes_in_memory_per_byte =
  2 * std::max({sizeof(standing), sizeof(node_view), sizeof(edge)});

class cluster_decoding_test : public wire_test {
protected:
  template <class T>
  caf::error decode_counting(const bytes& from, T& x) {
    reset_largest_allocation();
    auto fault = decode(from, x);
    EXPECT_LE(largest_allocation_bytes(),
              1024 + bytes_in_memory_per_byte * from.size());
    return fault;
  }

  bytes random_bytes(std::size_t size) {
    bytes result(size);
    for (auto& x : result)
      x = static_cast<char>(draw_());
    return result;
  }

  bytes changed(bytes x) {
    for (auto n = 1 + draw_() % 3; n > 0; --n)
      x[draw_() % x.size()] = static_cast<char>(draw_());
    return x;
  }

  std::mt19937 draw_{1};
};

TEST_F(cluster_decoding_test, a_truncated_message_is_an_error) {
  for_each_cluster_message([&](const auto& x) {
    auto whole = encoded(x);
    while (!whole.empty()) {
      whole.pop_back();
      std::decay_t<decltype(x)> y;
      EXPECT_TRUE(decode_counting(whole, y)) << caf::deep_to_string(x);
    }
  });
}

TEST_F(cluster_decoding_test, random_bytes_do_no_harm) {
  for_each_cluster_message([&](const auto& x) {
    for (int i = 0; i < 1000; ++i) {
      std::decay_t<decltype(x)> y;
      decode_counting(random_bytes(draw_() % 200), y);
      static_cast<void>(caf::deep_to_string(y));
    }
  });
}

TEST_F(cluster_decoding_test, changed_bytes_do_no_harm) {
  for_each_cluster_message([&](const auto& x) {
    const auto whole = encoded(x);
    for (int i = 0; i < 300 && !whole.empty(); ++i) {
      std::decay_t<decltype(x)> y;
      decode_counting(changed(whole), y);
      static_cast<void>(caf::deep_to_string(y));
    }
  });
}

TEST_F(cluster_decoding_test, changed_bytes_of_whole_messages_do_no_harm) {
  for_each_cluster_message([&](const auto& x) {
    const auto whole = encoded(caf::make_message(x));
    for (int i = 0; i < 300; ++i) {
      caf::message y;
      decode_counting(changed(whole), y);
    }
  });
}

TEST_F(cluster_decoding_test, a_length_alone_allocates_nothing) {
  const bytes four_billion{'\xff', '\xff', '\xff', '\xff', '\x0f'};
  const auto is_refused = [&](auto x) {
    return static_cast<bool>(decode_counting(four_billion, x));
  };
  EXPECT_TRUE(is_refused(std::vector<standing>()));
  EXPECT_TRUE(is_refused(std::vector<node_view>()));
  EXPECT_TRUE(is_refused(std::vector<edge>()));
  EXPECT_TRUE(is_refused(std::vector<program>()));
  EXPECT_TRUE(is_refused(std::vector<link_address>()));
  EXPECT_TRUE(is_refused(std::vector<caf::strong_actor_ptr>()));
}

// A job that was forged is worked on by nobody, but it may be printed.
TEST_F(cluster_decoding_test, a_job_of_any_bytes_has_a_hash) {
  const auto whole = encoded(some_job());
  for (int i = 0; i < 300; ++i) {
    job x;
    decode_counting(changed(whole), x);
    EXPECT_EQ(hash(x).size(), 64U);
  }
}

} // namespace
} // namespace actorpipe::test
