// SPDX-License-Identifier: Apache-2.0
/// A device runs streams of operations and has memory of its own.
#pragma once

#include "compute/device/event.hpp"
#include "compute/ops/operations.hpp"
#include "compute/tensor/memory.hpp"

#include <cstddef>
#include <memory>
#include <string>

namespace actorpipe {

/// An ordered queue of work on one device. The operations of a stream run in
/// the order in which they were enqueued; on a CPU at once, on other devices
/// later. Used by one thread at a time.
class stream {
public:
  virtual ~stream() = default;

  /// Enqueues on this stream and allocates from its device.
  virtual operations& ops() noexcept = 0;

  /// The point after everything enqueued so far.
  virtual event record() = 0;

  /// What is enqueued from now on starts after `point`.
  virtual void wait(const event& point) = 0;
};

/// A place where operations run. Safe to use from any thread.
class device {
public:
  virtual ~device() = default;

  /// Such as "cpu:0".
  virtual const std::string& name() const noexcept = 0;

  /// Where the tensors of its streams come from. Handles may be dropped while
  /// enqueued work still uses them: see `allocator::release`.
  virtual const std::shared_ptr<allocator>& memory() const noexcept = 0;

  /// A new stream whose operations charge the tensors that they make to
  /// `holder`. The stream keeps its device alive.
  virtual std::unique_ptr<stream>
  make_stream(std::shared_ptr<memory_account> holder) = 0;
};

/// Host threads with the fast operations of `compute/cpu`. `threads` (at least
/// 1) compute: the one that enqueues and `threads - 1` workers of the device.
/// Results do not depend on `threads`. Throws `std::invalid_argument`.
std::shared_ptr<device> make_cpu_device(std::string name, std::size_t threads);

/// The plain loops of `compute/reference` in the calling thread: the oracle.
std::shared_ptr<device> make_reference_device(std::string name);

/// Allocates null and computes nothing: a dry run that counts bytes.
std::shared_ptr<device> make_counting_device(std::string name);

} // namespace actorpipe
