// SPDX-License-Identifier: Apache-2.0
/// Decoders survive any bytes, and ask for no more memory than these justify.
#include "tests/messages/largest_allocation.hpp"
#include "tests/messages/samples.hpp"
#include "tests/messages/wire.hpp"

#include <caf/message.hpp>

#include <random>
#include <type_traits>

namespace actorpipe::test {
namespace {

// A vector doubles when it grows, and its elements are larger in memory than
// the one byte at least that each needs on the wire.
constexpr std::size_t bytes_in_memory_per_byte = 2 * sizeof(action_record);

class decoding_test : public wire_test {
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

  std::mt19937 draw_{1};
};

TEST_F(decoding_test, a_truncated_message_is_an_error) {
  for_each_message([&](const auto& x) {
    auto whole = encoded(x);
    while (!whole.empty()) {
      whole.pop_back();
      std::decay_t<decltype(x)> y;
      EXPECT_TRUE(decode_counting(whole, y)) << caf::deep_to_string(x);
    }
  });
}

TEST_F(decoding_test, random_bytes_do_no_harm) {
  for_each_message([&](const auto& x) {
    for (int i = 0; i < 1000; ++i) {
      std::decay_t<decltype(x)> y;
      decode_counting(random_bytes(draw_() % 100), y);
      static_cast<void>(caf::deep_to_string(y));
    }
  });
}

TEST_F(decoding_test, changed_bytes_do_no_harm) {
  for_each_message([&](const auto& x) {
    const auto whole = encoded(x);
    for (int i = 0; i < 300 && !whole.empty(); ++i) {
      auto changed = whole;
      for (auto n = 1 + draw_() % 3; n > 0; --n)
        changed[draw_() % changed.size()] = static_cast<char>(draw_());
      std::decay_t<decltype(x)> y;
      decode_counting(changed, y);
    }
  });
}

TEST_F(decoding_test, changed_bytes_of_whole_messages_do_no_harm) {
  for_each_message([&](const auto& x) {
    const auto whole = encoded(caf::make_message(x));
    for (int i = 0; i < 300; ++i) {
      auto changed = whole;
      changed[draw_() % changed.size()] = static_cast<char>(draw_());
      caf::message y;
      decode_counting(changed, y);
    }
  });
}

TEST_F(decoding_test, the_counter_sees_a_large_block) {
  reset_largest_allocation();
  const bytes large(1U << 20);
  EXPECT_GE(largest_allocation_bytes(), large.size());
}

TEST_F(decoding_test, a_length_alone_allocates_nothing) {
  const bytes four_billion{'\xff', '\xff', '\xff', '\xff', '\x0f'};
  program actions;
  EXPECT_TRUE(decode_counting(four_billion, actions));
  std::vector<double> losses;
  EXPECT_TRUE(decode_counting(four_billion, losses));
  std::string text;
  EXPECT_TRUE(decode_counting(four_billion, text));
}

TEST_F(decoding_test, an_unknown_error_code_has_a_name) {
  EXPECT_EQ(to_string(static_cast<error_code>(200)), "unknown");
  EXPECT_EQ(to_string(error_code::bad_batch), "bad_batch");
}

} // namespace
} // namespace actorpipe::test
