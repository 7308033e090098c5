// SPDX-License-Identifier: Apache-2.0
/// Both ends of a link in one process.
#pragma once

#include "actors/control/certificates.hpp"
#include "actors/link/dial.hpp"
#include "actors/link/link_listener.hpp"
#include "actors/link/link_receiver.hpp"
#include "actors/link/link_sender.hpp"
#include "tests/actors/link/link_samples.hpp"

#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace actorpipe::test {

/// What a link's thread has said; whoever waits for it is woken.
class heard {
public:
  void add(link_message x) {
    const std::lock_guard guard(lock_);
    messages_.push_back(std::move(x));
    changed_.notify_all();
  }

  void broke(const std::string& why) {
    const std::lock_guard guard(lock_);
    ends_.push_back(why);
    changed_.notify_all();
  }

  /// Waits for so many messages and takes all of them; throws when the link
  /// breaks before.
  std::vector<link_message> await_messages(std::size_t count) {
    std::unique_lock guard(lock_);
    changed_.wait(guard,
                  [&] { return messages_.size() >= count || !ends_.empty(); });
    if (messages_.size() < count)
      throw std::runtime_error(ends_.front());
    return std::exchange(messages_, {});
  }

  /// Waits until the link has broken; says why.
  std::string await_end() {
    std::unique_lock guard(lock_);
    changed_.wait(guard, [&] { return !ends_.empty(); });
    return ends_.front();
  }

  std::size_t ends() {
    const std::lock_guard guard(lock_);
    return ends_.size();
  }

  std::size_t messages() {
    const std::lock_guard guard(lock_);
    return messages_.size();
  }

private:
  std::mutex lock_;
  std::condition_variable changed_;
  std::vector<link_message> messages_;
  std::vector<std::string> ends_;
};

struct stream_pair {
  link_stream dialed;
  link_stream taken;
};

/// A connection with itself, opened as links are.
inline stream_pair connect(const std::optional<tls_files>& dialer = {},
                           const std::optional<tls_files>& listener = {}) {
  std::promise<link_stream> taken;
  link_listener_options options;
  options.secure = listener;
  options.expects = [](const link_greeting&) { return std::string(); };
  options.accepted = [&](const link_greeting&, link_stream x) {
    taken.set_value(std::move(x));
  };
  const link_listener door(std::move(options));
  auto dialed = dial({"127.0.0.1", door.port(), dialer}, {});
  return {std::move(dialed), taken.get_future().get()};
}

/// A sender and a receiver, and what they say.
class link_bench {
public:
  explicit link_bench(std::shared_ptr<const link_contract> agreed,
                      const std::optional<tls_files>& secure = {},
                      std::shared_ptr<link_disturbance> disturbance = {})
    : account(std::make_shared<memory_account>("received")),
      streams_(connect(secure, secure)) {
    sender.emplace(std::move(streams_.dialed),
                   link_sender_options{
                     [this](const std::string& why) { at_sender.broke(why); },
                     std::move(disturbance)});
    receiver.emplace(std::move(streams_.taken),
                     link_receiver_options{std::move(agreed),
                                           make_pooled_allocation(account),
                                           [this](link_message x) {
                                             if (on_message)
                                               on_message(x);
                                             at_receiver.add(std::move(x));
                                           },
                                           [this](const std::string& why) {
                                             at_receiver.broke(why);
                                           }});
  }

  std::shared_ptr<memory_account> account;
  heard at_sender;
  heard at_receiver;
  /// Called first, in the receiver's thread; set before anything is sent.
  std::function<void(const link_message&)> on_message;
  std::optional<link_sender> sender;
  std::optional<link_receiver> receiver;

private:
  stream_pair streams_;
};

} // namespace actorpipe::test
