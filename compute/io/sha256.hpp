// SPDX-License-Identifier: Apache-2.0
/// SHA-256 (FIPS 180-4), over bytes that arrive piece by piece.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace actorpipe {

/// Used by one thread at a time.
class sha256 {
public:
  sha256();
  ~sha256();
  sha256(sha256&&) noexcept;
  sha256& operator=(sha256&&) noexcept;

  void add(const void* bytes, std::size_t size);
  void add(std::string_view bytes) { add(bytes.data(), bytes.size()); }

  /// The sum of all that was added, as 64 hexadecimal digits. Ends the sum:
  /// nothing may be added afterwards.
  std::string finish();

private:
  struct context;
  std::unique_ptr<context> context_;
};

/// The sum of one piece.
std::string sha256_hex(std::string_view bytes);

} // namespace actorpipe
