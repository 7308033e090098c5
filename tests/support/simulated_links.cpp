// SPDX-License-Identifier: Apache-2.0
/// Links between the processes of a simulation.
#include "tests/support/simulated_links.hpp"

#include "actors/cluster/neighbours.hpp"
#include "actors/link/job_contract.hpp"
#include "messages/type_ids.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace actorpipe::test {

namespace {

constexpr std::chrono::seconds patience{5};

std::shared_ptr<const link_contract> contract_of(const mail_route& x) {
  return std::make_shared<job_contract>(x.what->run, x.what->how, *x.source,
                                        *x.layout, *x.rule);
}

} // namespace

class simulated_links::office final : public post_office {
public:
  office(std::shared_ptr<implementation> all, place where);
  ~office() override;

  std::uint16_t port() const override { return 1; }
  void report_to(events listener) override { listener_ = std::move(listener); }
  void expect(const mail_route& route) override;
  void open() override;
  caf::strong_actor_ptr to(std::uint32_t process) override;
  void close() override;

  std::shared_ptr<implementation> all_;
  place where_;
  events listener_;
  std::optional<mail_route> route_;
  std::set<std::uint32_t> peers_;
  bool is_opening_ = false;
  std::uint64_t openings_ = 0;
};

class simulated_links::implementation {
public:
  explicit implementation(simulated_world& x) : world(x) {}

  office* at(place where) const {
    const auto found = offices.find(where);
    return found == offices.end() || !world.is_alive(where) ? nullptr
                                                            : found->second;
  }

  // The session in which a route knows that process.
  static std::uint64_t session_in(const mail_route& route,
                                  std::uint32_t process) {
    for (const auto& x : route.where.links)
      if (x.process == process)
        return x.session;
    return 0;
  }

  bool expects(const office& a, const office& b) const {
    return a.route_ && b.route_ && a.peers_.contains(b.route_->process)
        && a.route_->what->run == b.route_->what->run
        && session_in(*a.route_, b.route_->process) == b.route_->session;
  }

  std::shared_ptr<simulated_link> find(const office& from,
                                       std::uint32_t peer) const {
    for (const auto& x : links)
      if (const auto* other = x->other(from.where_);
          other != nullptr && other->process == peer
          && other->session == session_in(*from.route_, peer))
        return x;
    return nullptr;
  }

  // The office where a process that is expected lives now.
  office* find_peer(const office& from, std::uint32_t peer) const {
    for (const auto& [where, x] : offices)
      if (at(where) != nullptr && expects(*x, from) && expects(from, *x)
          && x->route_->process == peer)
        return x;
    return nullptr;
  }

  // Ends a link and tells the sides that did not do it.
  void close(const std::shared_ptr<simulated_link>& x, place by,
             const std::string& why) {
    if (std::erase(links, x) == 0)
      return;
    const auto& ends = x->ends();
    world.note("the link of " + std::to_string(ends[0].process) + " and "
               + std::to_string(ends[1].process) + " ends: " + why);
    x->end();
    for (const auto& end : ends)
      if (end.where != by && !world.is_cut(ends[0].where, ends[1].where))
        tell_broken(end.where, *x, why);
  }

  // Both sides notice by themselves.
  void close_between(place a, place b, const std::string& why) {
    const auto known = links;
    for (const auto& x : known)
      if (const auto* other = x->other(a);
          other != nullptr && other->where == b && std::erase(links, x) > 0) {
        x->end();
        tell_broken(a, *x, why);
        tell_broken(b, *x, why);
      }
  }

  void tell_broken(place where, const simulated_link& x,
                   const std::string& why) {
    const auto* self = at(where);
    if (self == nullptr || !self->route_)
      return;
    const auto text = "the link to process "
                    + std::to_string(x.other(where)->process)
                    + " has broken: " + why;
    world.later({}, [tell = self->listener_.on_broken,
                     attempt = self->route_->attempt,
                     text] { tell(attempt, text); });
  }

  void conclude(office& x, const std::string& failure) {
    x.is_opening_ = false;
    world.later({}, [tell = x.listener_.on_opened, attempt = x.route_->attempt,
                     failure] { tell(attempt, failure); });
  }

  // Makes what can be made, and tells those whose wait has ended.
  void settle() {
    for (const auto& [where, x] : offices)
      if (at(where) != nullptr && x->is_opening_)
        settle(*x);
  }

  void settle(office& x) {
    bool all = true;
    for (const auto peer : x.peers_) {
      if (find(x, peer))
        continue;
      auto* other = find_peer(x, peer);
      if (other != nullptr && !world.is_cut(x.where_, other->where_))
        connect(x, *other);
      else
        all = false;
    }
    if (all)
      conclude(x, "");
  }

  void connect(office& a, office& b) {
    simulated_link::options how;
    how.ends[0] = {a.where_, a.route_->process, a.route_->session};
    how.ends[1] = {b.where_, b.route_->process, b.route_->session};
    how.agreed = contract_of(*a.route_);
    if (a.route_->faults)
      how.faults[0] = a.route_->faults->disturbance(b.route_->process);
    if (b.route_->faults)
      how.faults[1] = b.route_->faults->disturbance(a.route_->process);
    how.on_message = [this](place to, link_message what) {
      hand_on(to, std::move(what));
    };
    how.on_broken = [this](simulated_link& x, const std::string& why) {
      close(x.shared_from_this(), nowhere, why);
    };
    links.push_back(simulated_link::make(world, std::move(how)));
  }

  void hand_on(place where, link_message what) {
    const auto* there = at(where);
    if (there == nullptr || !there->route_)
      return;
    if (const auto fault =
          actorpipe::deliver(std::move(what), there->route_->locals);
        !fault.empty())
      world.note(fault);
  }

  simulated_world& world;
  std::map<place, office*> offices;
  std::vector<std::shared_ptr<simulated_link>> links;
};

// -- an office ----------------------------------------------------------------

simulated_links::office::office(std::shared_ptr<implementation> all,
                                place where)
  : all_(std::move(all)), where_(where) {
  all_->offices[where_] = this;
}

simulated_links::office::~office() {
  close();
  all_->offices.erase(where_);
}

void simulated_links::office::expect(const mail_route& route) {
  route_ = route;
  is_opening_ = false;
  peers_ =
    neighbours(route.what->how, *route.layout, route.where, route.process);
  const auto known = all_->links;
  for (const auto& x : known)
    if (const auto* other = x->other(where_);
        other != nullptr
        && (!peers_.contains(other->process)
            || implementation::session_in(route, other->process)
                 != other->session))
      all_->close(x, where_, "closed");
  all_->settle();
}

void simulated_links::office::open() {
  is_opening_ = true;
  all_->settle();
  if (!is_opening_)
    return;
  const auto which = ++openings_;
  all_->world.later(patience, [all = all_, where = where_, which] {
    if (auto* self = all->at(where);
        self != nullptr && self->is_opening_ && self->openings_ == which)
      all->conclude(*self, "a peer cannot be reached");
  });
}

caf::strong_actor_ptr simulated_links::office::to(std::uint32_t process) {
  const auto found = route_ ? all_->find(*this, process) : nullptr;
  return found ? found->carrier_at(where_) : nullptr;
}

void simulated_links::office::close() {
  const auto known = all_->links;
  for (const auto& x : known)
    if (x->other(where_) != nullptr)
      all_->close(x, where_, "closed");
  is_opening_ = false;
  route_.reset();
  peers_.clear();
}

// -- all ----------------------------------------------------------------------

simulated_links::simulated_links(simulated_world& world)
  : impl_(std::make_shared<implementation>(world)) {}

simulated_links::~simulated_links() = default;

std::unique_ptr<post_office> simulated_links::make_office(place where) {
  return std::make_unique<office>(impl_, where);
}

void simulated_links::note_killed(place where) {
  const auto known = impl_->links;
  for (const auto& x : known)
    if (x->other(where) != nullptr)
      impl_->close(x, where, "connection reset");
  impl_->settle();
}

void simulated_links::note_cut(place a, place b) {
  impl_->world.later(patience, [all = impl_, a, b] {
    if (all->world.is_cut(a, b))
      all->close_between(a, b, "the other side does not answer");
  });
}

void simulated_links::note_healed(place a, place b, bool is_whole) {
  if (!is_whole)
    impl_->close_between(a, b, "connection reset");
  impl_->settle();
}

local_actors simulated_links::actors_at(place where) const {
  const auto* found = impl_->at(where);
  return found == nullptr || !found->route_ ? local_actors{}
                                            : found->route_->locals;
}

} // namespace actorpipe::test
