// SPDX-License-Identifier: Apache-2.0
/// The sum by which a receiver knows that data has arrived as it was sent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace actorpipe {

/// XXH3, 64 bits, of bytes that come in parts: taken while a part that was just
/// read, or is just to be written, is in the processor's cache. Guards against
/// mistakes and not against an enemy. Used by one thread at a time.
class data_sum {
public:
  data_sum();
  ~data_sum();
  data_sum(const data_sum&) = delete;
  data_sum& operator=(const data_sum&) = delete;

  /// Begins anew.
  void reset() noexcept;

  /// Adds the next bytes.
  void update(std::span<const std::byte> bytes) noexcept;

  /// Of all bytes since the beginning.
  std::uint64_t value() const noexcept;

private:
  struct state;
  std::unique_ptr<state> state_;
};

/// The same of bytes that are all there.
std::uint64_t sum_of(std::span<const std::byte> bytes) noexcept;

} // namespace actorpipe
