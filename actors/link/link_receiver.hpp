// SPDX-License-Identifier: Apache-2.0
/// The receiving side of a link.
#pragma once

#include "actors/link/link_contract.hpp"
#include "actors/link/link_message.hpp"
#include "actors/link/link_stream.hpp"
#include "actors/link/message_assembly.hpp"
#include "compute/tensor/memory.hpp"

#include <functional>
#include <memory>
#include <string>

namespace actorpipe {

struct link_receiver_options {
  /// What may come; everything else breaks the link.
  std::shared_ptr<const link_contract> agreed;
  /// Makes the memory for what comes. Called by the link's thread.
  message_assembly::allocation allocate;
  /// Takes one message after the other, in the link's thread. While it runs
  /// nothing is read: the peer has to wait then.
  std::function<void(link_message)> on_message;
  /// Called at most once, by the link's thread, after the last message: the
  /// peer has closed the link, or what came was damaged or not agreed on.
  std::function<void(const std::string& why)> on_broken;
};

/// Host memory that is kept for reuse, so that a steady stream asks the system
/// for nothing new; charged to `holder`, which may be null.
message_assembly::allocation
make_pooled_allocation(std::shared_ptr<memory_account> holder);

/// Receives messages in a thread of its own. Holds at most one urgent message
/// and one other that are not complete.
class link_receiver {
public:
  link_receiver(link_stream stream, link_receiver_options options);

  /// Closes the connection at once. Not to be called from the calls above.
  ~link_receiver();
  link_receiver(const link_receiver&) = delete;
  link_receiver& operator=(const link_receiver&) = delete;

private:
  class implementation;
  std::unique_ptr<implementation> impl_;
};

} // namespace actorpipe
