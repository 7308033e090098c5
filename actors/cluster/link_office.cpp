// SPDX-License-Identifier: Apache-2.0
/// Links to the neighbours of one process.
#include "actors/cluster/link_office.hpp"

#include "actors/cluster/neighbours.hpp"
#include "actors/link/job_contract.hpp"
#include "actors/link/link_actor.hpp"
#include "actors/link/link_dialer.hpp"
#include "actors/link/link_listener.hpp"
#include "actors/link/link_receiver.hpp"
#include "actors/link/link_sender.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/send.hpp>

#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace actorpipe {

namespace {

// Both connections with one process.
struct peer_links {
  std::uint64_t session = 0;
  std::shared_ptr<link_sender> sender;
  caf::actor carrier; ///< posts to `sender`
  std::unique_ptr<link_receiver> receiver;
  bool is_broken = false;

  bool is_open() const { return sender && receiver && !is_broken; }
};

class link_office;

// Lets a link that outlives its office find out that it has.
struct tether {
  std::mutex mutex;
  link_office* office;
};

class link_office final : public post_office {
public:
  link_office(caf::actor_system& system, link_office_options options)
    : system_(system), options_(std::move(options)),
      tether_(new tether{{}, this}),
      dialer_(
        [this](const link_greeting& greeting, link_stream stream) {
          install(greeting, greeting.to, greeting.dialer_sends,
                  std::move(stream));
        },
        [this](std::uint64_t attempt, const std::string& failure) {
          tell_opened(attempt, failure);
        }) {
    if (!options_.host)
      return;
    link_listener_options listening;
    listening.host = *options_.host;
    listening.port = options_.port;
    listening.secure = options_.secure;
    listening.expects = [this](const link_greeting& x) { return refusal(x); };
    listening.accepted = [this](const link_greeting& x, link_stream stream) {
      install(x, x.from, !x.dialer_sends, std::move(stream));
      dialer_.note_change();
    };
    listener_ = std::make_unique<link_listener>(std::move(listening));
  }

  ~link_office() override {
    listener_.reset();
    dialer_.stop();
    {
      const std::lock_guard lock(tether_->mutex);
      tether_->office = nullptr;
    }
    close();
  }

  std::uint16_t port() const override {
    return listener_ ? listener_->port() : 0;
  }

  void report_to(events listener) override {
    const std::lock_guard lock(mutex_);
    events_ = std::move(listener);
  }

  void expect(const mail_route& route) override {
    std::vector<peer_links> closed; // outside of the lock
    {
      const std::lock_guard lock(mutex_);
      if (!route_ || route_->what->run != route.what->run) {
        contract_ = std::make_shared<job_contract>(
          route.what->run, route.what->how, *route.source, *route.layout,
          *route.rule);
        job_hash_ = hash(*route.what);
      }
      route_ = route;
      std::map<std::uint32_t, peer_links> next;
      for (const auto process : neighbours(route.what->how, *route.layout,
                                           route.where, route.process)) {
        const auto session = session_of(process);
        auto& links = next[process];
        const auto present = peers_.find(process);
        if (present != peers_.end() && present->second.session == session
            && !present->second.is_broken)
          links = std::exchange(present->second, {});
        links.session = session;
      }
      for (auto& [process, links] : peers_)
        closed.push_back(std::move(links));
      peers_ = std::move(next);
    }
    for (auto& x : closed)
      end(x);
  }

  void open() override {
    std::vector<link_dialer::call> calls;
    std::uint64_t attempt = 0;
    {
      const std::lock_guard lock(mutex_);
      if (!route_)
        return;
      attempt = route_->attempt;
      for (const auto& [process, links] : peers_) {
        if (!dials(process))
          continue;
        if (!links.sender)
          calls.push_back(call_to(process, true));
        if (!links.receiver)
          calls.push_back(call_to(process, false));
      }
    }
    dialer_.dial(attempt, std::move(calls),
                 [this, attempt] { return missing(attempt); });
  }

  caf::strong_actor_ptr to(std::uint32_t process) override {
    const std::lock_guard lock(mutex_);
    const auto found = peers_.find(process);
    return found == peers_.end() || !found->second.carrier
           ? nullptr
           : caf::actor_cast<caf::strong_actor_ptr>(found->second.carrier);
  }

  void close() override {
    std::map<std::uint32_t, peer_links> closed;
    {
      const std::lock_guard lock(mutex_);
      route_.reset();
      closed.swap(peers_);
    }
    for (auto& [process, links] : closed)
      end(links);
  }

private:
  // The trainer dials every node, a node those after it.
  bool dials(std::uint32_t process) const {
    return route_->process == trainer_process
        || (process != trainer_process && route_->process < process);
  }

  const link_address* address_of(std::uint32_t process) const {
    for (const auto& x : route_->where.links)
      if (x.process == process)
        return &x;
    return nullptr;
  }

  std::uint64_t session_of(std::uint32_t process) const {
    const auto* found = address_of(process);
    return found == nullptr ? 0 : found->session;
  }

  std::string name_of(std::uint32_t process) const {
    const auto* found = address_of(process);
    return process == trainer_process ? "the trainer"
         : found == nullptr
           ? "node " + std::to_string(process)
           : "node " + found->host + " (index " + std::to_string(process) + ")";
  }

  link_dialer::call call_to(std::uint32_t process, bool sends) const {
    const auto& address = *address_of(process);
    link_dialer::call result;
    result.options.host = address.host;
    result.options.port = address.port;
    result.options.secure = options_.secure;
    result.greeting = {route_->what->run, route_->process, route_->session,
                       process,           address.session, sends,
                       job_hash_};
    return result;
  }

  // Why a greeting is not expected; empty if it is. From the listener's thread.
  std::string refusal(const link_greeting& came) const {
    const std::lock_guard lock(mutex_);
    if (!route_)
      return "this process works for no run";
    const auto found = peers_.find(came.from);
    if (found == peers_.end() || dials(came.from))
      return "a link of that process is not expected here";
    return find_difference(
      came, {route_->what->run, came.from, found->second.session,
             route_->process, route_->session, came.dialer_sends, job_hash_});
  }

  // Takes a connection over, unless it is no longer wanted.
  void install(const link_greeting& greeting, std::uint32_t process, bool sends,
               link_stream stream) {
    peer_links replaced; // outside of the lock
    {
      const std::lock_guard lock(mutex_);
      const auto found = peers_.find(process);
      if (!route_ || greeting.run != route_->what->run || found == peers_.end()
          || found->second.session
               != (process == greeting.from ? greeting.from_session
                                            : greeting.to_session))
        return;
      auto& links = found->second;
      // The actor that posts to a sender may keep it a little longer.
      const auto on_broken = [tied = tether_, process](const std::string& why) {
        const std::lock_guard tie(tied->mutex);
        if (tied->office != nullptr)
          tied->office->note_broken(process, why);
      };
      if (sends) {
        replaced.sender = std::exchange(
          links.sender,
          std::make_shared<link_sender>(
            std::move(stream),
            link_sender_options{on_broken, disturbance_of(process)}));
        replaced.carrier =
          std::exchange(links.carrier, spawn_link_actor(system_, links.sender));
      } else {
        replaced.receiver = std::exchange(
          links.receiver,
          std::make_unique<link_receiver>(
            std::move(stream),
            link_receiver_options{
              contract_, make_pooled_allocation(options_.holder),
              [this](link_message message) { take(std::move(message)); },
              on_broken}));
      }
    }
    end(replaced);
  }

  // Keeps the rules of faults alive as long as the link.
  std::shared_ptr<link_disturbance>
  disturbance_of(std::uint32_t process) const {
    if (!route_->faults)
      return nullptr;
    auto made = route_->faults->disturbance(process);
    auto* bare = made.release();
    return {bare, [faults = route_->faults](link_disturbance* x) { delete x; }};
  }

  // A message of an attempt before may be for an actor that is gone: it is
  // dropped.
  void take(link_message message) {
    const std::lock_guard lock(mutex_);
    if (route_)
      deliver(std::move(message), route_->locals);
  }

  void note_broken(std::uint32_t process, const std::string& why) {
    std::function<void(std::uint64_t, const std::string&)> tell;
    std::uint64_t attempt = 0;
    std::string text;
    {
      const std::lock_guard lock(mutex_);
      const auto found = peers_.find(process);
      if (!route_ || found == peers_.end() || found->second.is_broken)
        return;
      found->second.is_broken = true;
      tell = events_.on_broken;
      attempt = route_->attempt;
      text = "the link with " + name_of(process) + " has broken: " + why;
    }
    dialer_.note_change();
    if (tell)
      tell(attempt, text);
  }

  void tell_opened(std::uint64_t attempt, const std::string& failure) {
    std::function<void(std::uint64_t, const std::string&)> tell;
    {
      const std::lock_guard lock(mutex_);
      if (!route_ || route_->attempt != attempt)
        return;
      tell = events_.on_opened;
    }
    if (tell)
      tell(attempt, failure);
  }

  // What is not open yet of that attempt: empty if nothing is.
  std::string missing(std::uint64_t attempt) const {
    const std::lock_guard lock(mutex_);
    if (!route_ || route_->attempt != attempt)
      return {};
    std::string result;
    for (const auto& [process, links] : peers_)
      if (!links.is_open())
        result += (result.empty() ? "no link with " : ", ") + name_of(process);
    return result;
  }

  static void end(peer_links& links) {
    if (links.carrier)
      caf::anon_send_exit(links.carrier, caf::exit_reason::user_shutdown);
    links = {};
  }

  caf::actor_system& system_;
  link_office_options options_;
  mutable std::mutex mutex_;
  events events_;
  std::optional<mail_route> route_;
  std::shared_ptr<const job_contract> contract_;
  std::string job_hash_;
  std::map<std::uint32_t, peer_links> peers_;
  std::shared_ptr<tether> tether_;
  link_dialer dialer_;
  std::unique_ptr<link_listener> listener_;
};

} // namespace

std::unique_ptr<post_office> make_link_office(caf::actor_system& system,
                                              link_office_options options) {
  return std::make_unique<link_office>(system, std::move(options));
}

} // namespace actorpipe
