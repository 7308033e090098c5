// SPDX-License-Identifier: Apache-2.0
/// A thread that looks at the stages while a request is being worked on.
#include "actors/run/watched_engine.hpp"

#include "actors/process_facts.hpp"

#include "actors/stall/stall_watch.hpp"

#include <utility>

namespace actorpipe {

/// While it lives, a request is being worked on.
class watched_engine::request {
public:
  explicit request(watched_engine& owner) : owner_(owner) {
    set(++owner_.requests_);
  }
  request(const request&) = delete;
  request& operator=(const request&) = delete;
  ~request() { set(0); }

private:
  // A step may be short: the thread is woken only when it has to know.
  void set(std::uint64_t number) {
    const std::lock_guard held(owner_.mutex_);
    owner_.request_ = number;
    if (owner_.is_asleep_ || owner_.is_stalled_)
      owner_.wake_.notify_one();
  }

  watched_engine& owner_;
};

watched_engine::watched_engine(std::unique_ptr<training_engine> inner,
                               stall_watch_options how)
  : inner_(std::move(inner)), how_(std::move(how)) {
  if (!how_.now_ns)
    how_.now_ns = steady_now_ns;
  thread_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
}

void watched_engine::watch(const std::stop_token& stop) {
  stall_watch stalls(how_.how, {how_.after_ns, 0});
  std::unique_lock held(mutex_);
  for (;;) {
    is_asleep_ = true;
    if (!wake_.wait(held, stop, [this] { return request_ != 0; }))
      return;
    is_asleep_ = false;
    while (request_ != 0 || is_stalled_) {
      stall_reading now{how_.now_ns(), {}, {}, request_, {}};
      held.unlock();
      now.stages = inner_->standings();
      const auto event = stalls.look(now);
      if (event)
        how_.on_stall(event->text);
      held.lock();
      if (event)
        is_stalled_ = !event->is_over;
      wake_.wait_for(held, stop, how_.interval,
                     [this] { return is_stalled_ && request_ == 0; });
      if (stop.stop_requested())
        return;
    }
  }
}

step_report watched_engine::train(const batch& data, const train_request& how) {
  const request working(*this);
  return inner_->train(data, how);
}

step_report watched_engine::evaluate(const batch& data) {
  const request working(*this);
  return inner_->evaluate(data);
}

model_values watched_engine::values() {
  const request working(*this);
  return inner_->values();
}

void watched_engine::set_values(const model_values& next) {
  const request working(*this);
  inner_->set_values(next);
}

std::vector<stage_memory> watched_engine::peak_memory() const {
  return inner_->peak_memory();
}

std::vector<standing> watched_engine::standings() const {
  return inner_->standings();
}

} // namespace actorpipe
