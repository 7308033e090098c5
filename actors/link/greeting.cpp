// SPDX-License-Identifier: Apache-2.0
/// The wire form of greetings and answers.
#include "actors/link/greeting.hpp"

#include "actors/link/data_sum.hpp"
#include "actors/link/link_error.hpp"
#include "messages/protocol_version.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace actorpipe {

namespace {

using tag = std::array<char, 4>;
constexpr tag greeting_tag{'A', 'P', 'L', 'G'};
constexpr tag answer_tag{'A', 'P', 'L', 'A'};

constexpr std::size_t hash_bytes = 64;

// As it lies on the wire, little-endian.
struct wire_greeting {
  tag what;
  std::uint32_t protocol;
  std::uint64_t run;
  std::uint64_t from_session;
  std::uint64_t to_session;
  std::uint32_t from;
  std::uint32_t to;
  std::uint64_t dialer_sends;
  std::array<char, hash_bytes> job_hash;
  std::uint64_t unused;
  std::uint64_t sum;
};
static_assert(sizeof(wire_greeting) == greeting_bytes);
static_assert(std::endian::native == std::endian::little,
              "numbers would have to be turned round here");

struct wire_start {
  tag what;
  std::uint32_t protocol;
};
static_assert(sizeof(wire_start) == greeting_start_bytes);

struct wire_answer {
  tag what;
  std::array<std::uint8_t, 2> text_bytes; ///< the lower one first
};
static_assert(sizeof(wire_answer) == answer_start_bytes);

wire_start start_of(std::span<const std::byte, greeting_start_bytes> bytes) {
  wire_start result;
  std::memcpy(&result, bytes.data(), sizeof(result));
  return result;
}

std::uint64_t sum_before(std::span<const std::byte, greeting_bytes> bytes) {
  return sum_of(bytes.first(greeting_bytes - sizeof(std::uint64_t)));
}

} // namespace

std::string find_difference(const link_greeting& came,
                            const link_greeting& expected) {
  const auto say = [](const char* what, const auto& got, const auto& wanted) {
    return fmt::format("{} is {}, not {}", what, wanted, got);
  };
  if (came.run != expected.run)
    return say("the run", came.run, expected.run);
  if (came.to != expected.to)
    return say("this process", came.to, expected.to);
  if (came.to_session != expected.to_session)
    return say("this process's session", came.to_session, expected.to_session);
  if (came.from != expected.from)
    return say("the process expected", came.from, expected.from);
  if (came.from_session != expected.from_session)
    return say("that process's session", came.from_session,
               expected.from_session);
  if (came.job_hash != expected.job_hash)
    return say("the job's hash", came.job_hash, expected.job_hash);
  if (came.dialer_sends != expected.dialer_sends)
    return expected.dialer_sends ? "the dialer is expected to send"
                                 : "the dialer is expected to receive";
  return {};
}

std::array<std::byte, greeting_bytes> encode(const link_greeting& x) {
  if (x.job_hash.size() > hash_bytes)
    throw link_error(fmt::format("a job's hash has at most {} characters, not "
                                 "{}",
                                 hash_bytes, x.job_hash.size()));
  wire_greeting wire{};
  wire.what = greeting_tag;
  wire.protocol = protocol_version;
  wire.run = x.run;
  wire.from_session = x.from_session;
  wire.to_session = x.to_session;
  wire.from = x.from;
  wire.to = x.to;
  wire.dialer_sends = x.dialer_sends ? 1 : 0;
  std::copy(x.job_hash.begin(), x.job_hash.end(), wire.job_hash.begin());
  using block = std::array<std::byte, greeting_bytes>;
  wire.sum = sum_before(std::bit_cast<block>(wire));
  return std::bit_cast<block>(wire);
}

bool is_greeting(std::span<const std::byte, greeting_start_bytes> start) {
  return start_of(start).what == greeting_tag;
}

std::uint32_t
protocol_of(std::span<const std::byte, greeting_start_bytes> start) {
  return start_of(start).protocol;
}

std::optional<link_greeting>
decode_greeting(std::span<const std::byte, greeting_bytes> bytes) {
  wire_greeting wire;
  std::memcpy(&wire, bytes.data(), sizeof(wire));
  if (wire.what != greeting_tag || wire.protocol != protocol_version
      || wire.sum != sum_before(bytes) || wire.dialer_sends > 1)
    return std::nullopt;
  const auto end = std::ranges::find(wire.job_hash, '\0');
  return link_greeting{wire.run,
                       wire.from,
                       wire.from_session,
                       wire.to,
                       wire.to_session,
                       wire.dialer_sends == 1,
                       std::string(wire.job_hash.begin(), end)};
}

std::vector<std::byte> encode_answer(const std::string& refusal) {
  const auto size = std::min(refusal.size(), most_refusal_bytes);
  const wire_answer start{answer_tag,
                          {static_cast<std::uint8_t>(size % 256),
                           static_cast<std::uint8_t>(size / 256)}};
  std::vector<std::byte> result(sizeof(start) + size);
  std::memcpy(result.data(), &start, sizeof(start));
  std::memcpy(result.data() + sizeof(start), refusal.data(), size);
  return result;
}

std::size_t
refusal_bytes(std::span<const std::byte, answer_start_bytes> start) {
  constexpr char tls_alert = 0x15;
  wire_answer wire;
  std::memcpy(&wire, start.data(), sizeof(wire));
  if (wire.what != answer_tag)
    throw link_error(wire.what[0] == tls_alert
                       ? "the peer speaks TLS, and this side does not"
                       : "the peer is no process of actorpipe");
  const std::size_t size = wire.text_bytes[0] + 256U * wire.text_bytes[1];
  if (size > most_refusal_bytes)
    throw link_error("the peer's answer is too long");
  return size;
}

} // namespace actorpipe
