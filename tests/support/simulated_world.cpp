// SPDX-License-Identifier: Apache-2.0
/// Several processes in one thread.
#include "tests/support/simulated_world.hpp"

#include "messages/configure.hpp"
#include "messages/type_ids.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <caf/send.hpp>
#include <caf/system_messages.hpp>

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <set>
#include <tuple>
#include <vector>

namespace actorpipe::test {

namespace {

struct simulated_config : caf::actor_system_config {
  simulated_config() {
    set("scheduler.policy", caf::atom("testing"));
    configure(*this);
  }
};

using pair_of_places = std::pair<place, place>;

pair_of_places ordered(place a, place b) {
  return {std::min(a, b), std::max(a, b)};
}

// Runs what is due: the message is its number.
caf::behavior make_timekeeper(caf::event_based_actor*,
                              std::function<void(std::uint64_t)> run) {
  return {[run](std::uint64_t which) { run(which); }};
}

} // namespace

struct simulated_world::implementation {
  explicit implementation(world_options x) : options(x) {}

  struct held_message {
    caf::weak_actor_ptr to;
    caf::mailbox_element_ptr what;
  };

  enum class verdict : std::uint8_t { arrives, is_lost, is_held };

  world_options options;
  simulated_config config;
  caf::actor_system system{config};
  caf::scheduler::test_coordinator& coordinator =
    dynamic_cast<caf::scheduler::test_coordinator&>(system.scheduler());
  std::mt19937_64 random{options.seed};
  std::vector<place> place_of{nowhere}; ///< by actor id
  std::vector<caf::weak_actor_ptr> known{{}};
  place last_place = nowhere;
  place running = nowhere; ///< whose actor handles a message now
  std::set<place> dead;
  std::set<place> silenced; ///< what these have sent is lost
  std::map<pair_of_places, std::deque<held_message>> cuts;
  std::uint64_t handled = 0;
  std::multimap<std::uint64_t, std::function<void()>> hooks;
  std::map<std::uint64_t, std::function<void()>> due;
  std::uint64_t last_due = 0;
  caf::actor timekeeper;
  loss is_lost;
  sender_guess guess;
  std::multiset<place> waiting; ///< whose handlers take long now
  std::vector<std::string> trace;

  // All actors since the last call belong there.
  void note_spawned(place where) {
    const auto latest = system.latest_actor_id();
    place_of.resize(std::max<std::size_t>(place_of.size(), latest + 1), where);
    known.resize(place_of.size());
  }

  place home(caf::actor_id who) {
    return who < place_of.size() ? place_of[who] : nowhere;
  }

  place origin(const caf::mailbox_element& what, place to) {
    if (what.content().match_elements<caf::down_msg>())
      return home(what.content().get_as<caf::down_msg>(0).source.id());
    if (what.sender)
      return home(what.sender->id());
    return (guess ? guess(what.content()) : std::nullopt).value_or(to);
  }

  verdict judge(const caf::mailbox_element& what, place to) {
    const auto& content = what.content();
    if (dead.contains(to))
      return content.match_elements<caf::exit_msg>() ? verdict::arrives
                                                     : verdict::is_lost;
    const auto from = origin(what, to);
    if (from == to || from == nowhere || to == nowhere)
      return verdict::arrives;
    if (cuts.contains(ordered(from, to)))
      return verdict::is_held;
    if (content.match_elements<caf::down_msg>())
      return verdict::arrives;
    if (silenced.contains(from))
      return verdict::is_lost;
    if (is_lost && is_lost(from, to, content))
      return verdict::is_lost;
    return verdict::arrives;
  }

  static caf::mailbox_element_ptr take_next(caf::scheduled_actor& who) {
    auto& queues = who.mailbox().queue().queues();
    auto& urgent = std::get<caf::scheduled_actor::urgent_queue_index>(queues);
    auto& normal = std::get<caf::scheduled_actor::normal_queue_index>(queues);
    return urgent.empty() ? normal.take_front() : urgent.take_front();
  }

  // Takes what does not arrive out of the mailbox; true if something is left.
  bool pass_network(caf::scheduled_actor& who, place to) {
    while (const auto* next = who.mailbox().peek()) {
      const auto fate = judge(*next, to);
      if (fate == verdict::arrives)
        return true;
      const auto between = ordered(origin(*next, to), to);
      auto taken = take_next(who);
      if (fate == verdict::is_held)
        cuts[between].push_back({who.ctrl(), std::move(taken)});
      else if (options.traced)
        trace.push_back("lost: " + to_string(taken->content()));
    }
    return false;
  }

  bool pass_time() { return coordinator.trigger_timeout(); }

  void run_hooks() {
    const auto [first, last] = hooks.equal_range(handled + 1);
    std::vector<std::function<void()>> now;
    for (auto i = first; i != last; ++i)
      now.push_back(std::move(i->second));
    hooks.erase(first, last);
    for (const auto& x : now)
      x();
  }

  void run_first_job() {
    auto& who = coordinator.next_job<caf::scheduled_actor>();
    const auto id = who.id();
    const auto where = home(id);
    known[id] = who.ctrl();
    if (pass_network(who, where) && !dead.contains(where) && where != nowhere) {
      ++handled;
      if (options.traced)
        trace.push_back(std::to_string(where) + '/' + who.name() + ": "
                        + to_string(who.mailbox().peek()->content()));
    }
    note_spawned(running);
    const auto outer = std::exchange(running, where);
    coordinator.run_once();
    note_spawned(where);
    running = outer;
  }

  void end_all(place which) {
    std::vector<caf::strong_actor_ptr> all;
    for (std::size_t id = 0; id < known.size(); ++id)
      if (place_of[id] == which)
        if (auto who = known[id].lock())
          all.push_back(std::move(who));
    for (auto* job : coordinator.jobs)
      if (auto* who = dynamic_cast<caf::scheduled_actor*>(job))
        if (home(who->id()) == which)
          all.emplace_back(who->ctrl());
    for (const auto& x : all)
      caf::anon_send_exit(x, caf::exit_reason::kill);
  }
};

simulated_world::simulated_world(world_options options)
  : impl_(std::make_unique<implementation>(options)) {
  impl_->note_spawned(nowhere);
  impl_->timekeeper =
    impl_->system.spawn(make_timekeeper, [this](std::uint64_t which) {
      const auto found = impl_->due.find(which);
      const auto run = std::move(found->second);
      impl_->due.erase(found);
      run();
    });
  impl_->note_spawned(nowhere);
}

simulated_world::~simulated_world() {
  auto& x = *impl_;
  x.cuts.clear();
  x.due.clear();
  x.hooks.clear();
  caf::anon_send_exit(x.timekeeper, caf::exit_reason::kill);
  for (place p = nowhere; p <= x.last_place; ++p) {
    x.dead.insert(p);
    x.end_all(p);
  }
  while (!x.coordinator.jobs.empty()) {
    auto& who = x.coordinator.next_job<caf::scheduled_actor>();
    x.pass_network(who, x.home(who.id()));
    x.coordinator.run_once();
  }
}

caf::actor_system& simulated_world::system() {
  return impl_->system;
}

std::int64_t simulated_world::now_ns() const {
  return impl_->coordinator.clock().now().time_since_epoch()
       / std::chrono::nanoseconds(1);
}

place simulated_world::new_place() {
  return ++impl_->last_place;
}

void simulated_world::begin_in() {
  impl_->note_spawned(impl_->running);
}

void simulated_world::end_in(place where) {
  impl_->note_spawned(where);
}

bool simulated_world::run_one() {
  auto& x = *impl_;
  auto& jobs = x.coordinator.jobs;
  if (jobs.empty() || (x.options.haste != 0 && draw(x.options.haste) == 0))
    return x.pass_time() || !jobs.empty();
  x.run_hooks();
  if (jobs.empty())
    return true;
  const auto next =
    jobs.begin() + static_cast<std::ptrdiff_t>(draw(jobs.size()));
  std::rotate(jobs.begin(), next, next + 1);
  x.run_first_job();
  return true;
}

std::uint64_t simulated_world::handled() const {
  return impl_->handled;
}

void simulated_world::at(std::uint64_t n, std::function<void()> what) {
  impl_->hooks.emplace(impl_->handled + n, std::move(what));
}

void simulated_world::later(std::chrono::nanoseconds after,
                            std::function<void()> what) {
  const auto which = ++impl_->last_due;
  impl_->due.emplace(which, std::move(what));
  if (after.count() == 0)
    caf::anon_send(impl_->timekeeper, which);
  else
    caf::delayed_anon_send(impl_->timekeeper, after, which);
}

void simulated_world::kill(place which) {
  auto& x = *impl_;
  if (!x.dead.insert(which).second)
    return;
  note("place " + std::to_string(which) + " is killed");
  if (draw(2) == 0 || x.running == which || x.waiting.contains(which))
    x.silenced.insert(which);
  x.end_all(which);
}

bool simulated_world::is_alive(place which) const {
  return !impl_->dead.contains(which);
}

void simulated_world::cut(place a, place b) {
  impl_->cuts.try_emplace(ordered(a, b));
}

bool simulated_world::heal(place a, place b) {
  auto& x = *impl_;
  const auto found = x.cuts.find(ordered(a, b));
  if (found == x.cuts.end())
    return true;
  auto held = std::move(found->second);
  x.cuts.erase(found);
  if (draw(2) == 0)
    return held.empty();
  for (auto& [to, what] : held)
    if (const auto who = to.lock())
      who->enqueue(std::move(what), nullptr);
  return true;
}

bool simulated_world::is_cut(place a, place b) const {
  return impl_->cuts.contains(ordered(a, b));
}

void simulated_world::lose_if(loss asked) {
  impl_->is_lost = std::move(asked);
}

void simulated_world::wait(std::chrono::nanoseconds time) {
  auto& x = *impl_;
  const auto end_ns = now_ns() + time.count();
  const auto me = x.waiting.insert(x.running);
  while (now_ns() < end_ns && run_one()) {
    // The others go on.
  }
  x.waiting.erase(me);
}

void simulated_world::guess_senders(sender_guess guess) {
  impl_->guess = std::move(guess);
}

std::uint64_t simulated_world::draw(std::uint64_t count) {
  return impl_->random() % count;
}

void simulated_world::note(std::string what) {
  if (impl_->options.traced)
    impl_->trace.push_back(std::move(what));
}

const std::vector<std::string>& simulated_world::trace() const {
  return impl_->trace;
}

} // namespace actorpipe::test
