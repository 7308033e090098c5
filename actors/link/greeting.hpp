// SPDX-License-Identifier: Apache-2.0
/// What the two sides of a link say before its first frame.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace actorpipe {

/// Who dials whom, and what for. Both sides have to mean the same run, sessions
/// and job.
struct link_greeting {
  std::uint64_t run = 0;
  std::uint32_t from = 0;         ///< index of the process that dials
  std::uint64_t from_session = 0; ///< of that process
  std::uint32_t to = 0;           ///< index of the process that listens
  std::uint64_t to_session = 0;
  bool dialer_sends = true; ///< tensors; else they come to it
  std::string job_hash;     ///< at most 64 characters

  friend bool operator==(const link_greeting&, const link_greeting&) = default;
};

/// Where the two differ, for people: what came and what was expected; empty
/// when they do not.
std::string find_difference(const link_greeting& came,
                            const link_greeting& expected);

inline constexpr std::size_t greeting_bytes = 128;

/// Every version of the protocol begins its greeting with these.
inline constexpr std::size_t greeting_start_bytes = 8;

/// The wire form. Throws `link_error` when the job's hash is too long.
std::array<std::byte, greeting_bytes> encode(const link_greeting& x);

/// Whether these bytes are those of a greeting at all.
bool is_greeting(std::span<const std::byte, greeting_start_bytes> start);

/// Which version of the protocol a greeting is of.
std::uint32_t
protocol_of(std::span<const std::byte, greeting_start_bytes> start);

/// Nothing unless the bytes are those of a greeting of this version.
std::optional<link_greeting>
decode_greeting(std::span<const std::byte, greeting_bytes> bytes);

// -- the answer ---------------------------------------------------------------

/// Fewer than an alert of TLS has, so that this is recognised as such.
inline constexpr std::size_t answer_start_bytes = 6;
inline constexpr std::size_t most_refusal_bytes = 1000;

/// "Come in" for an empty text, else a refusal with the text, which is cut
/// where it is too long.
std::vector<std::byte> encode_answer(const std::string& refusal);

/// How many bytes of text follow the start of an answer; 0: come in. Throws
/// `link_error` when it is no answer.
std::size_t refusal_bytes(std::span<const std::byte, answer_start_bytes> start);

} // namespace actorpipe
