// SPDX-License-Identifier: Apache-2.0
/// A thread that reads messages until there are no more.
#include "actors/link/link_receiver.hpp"

#include "actors/link/frame_reader.hpp"
#include "actors/link/link_error.hpp"

#include <atomic>
#include <exception>
#include <thread>
#include <utility>

namespace actorpipe {

message_assembly::allocation
make_pooled_allocation(std::shared_ptr<memory_account> holder) {
  return [pool = make_pooled_host_allocator(),
          holder = std::move(holder)](const tensor_type& type) {
    return tensor::make(type, pool, holder);
  };
}

class link_receiver::implementation {
public:
  implementation(link_stream stream, link_receiver_options options)
    : options_(std::move(options)), stream_(std::move(stream)),
      thread_([this] { run(); }) {}

  ~implementation() {
    stopping_ = true;
    stream_.shut_down();
    thread_.join();
  }

private:
  void run() {
    std::string why = peer_closed;
    try {
      frame_reader reader(
        [this](auto first, auto more) { return stream_.read(first, more); },
        message_assembly(options_.agreed, options_.allocate));
      while (auto message = reader.next())
        options_.on_message(std::move(*message));
    } catch (const std::exception& error) {
      why = error.what();
    }
    stream_.shut_down();
    if (!stopping_ && options_.on_broken)
      options_.on_broken(why);
  }

  link_receiver_options options_;
  link_stream stream_;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

link_receiver::link_receiver(link_stream stream, link_receiver_options options)
  : impl_(
    std::make_unique<implementation>(std::move(stream), std::move(options))) {}

link_receiver::~link_receiver() = default;

} // namespace actorpipe
