// SPDX-License-Identifier: Apache-2.0
/// What the supervisor does, without the actor: who runs what, and what becomes
/// of a fault.
#pragma once

#include "actors/cluster/cluster_options.hpp"
#include "actors/cluster/membership.hpp"
#include "actors/restart_budget.hpp"
#include "actors/stall/stall_watch.hpp"
#include "messages/cluster_messages.hpp"
#include "messages/messages.hpp"
#include "partition/restoration.hpp"
#include "partition/seating.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace actorpipe {

/// What a supervisor is made from.
struct supervisor_options {
  job what;
  cluster_options cluster;
  std::string trainer;       ///< this process, for people
  std::string registry_hash; ///< of the layers that the trainer knows
  std::function<std::int64_t()> now_ns; ///< monotonic
  /// The version committed last, for what is shown; empty: as of the last
  /// recovery. Called from the supervisor's thread.
  std::function<std::int64_t()> version_now;
  /// Another number for each request that the scheduler works on; 0: none.
  /// Empty: not known. Called from the supervisor's thread.
  std::function<std::uint64_t()> request_now;
};

/// Seats the stages on the nodes, and turns a fault into a new attempt: it
/// halts the scheduler, asks who has which version, seats what is lost, has
/// links opened, and lets the scheduler go on from the newest version that
/// every cell can produce. Survivors are not restarted. Used by one thread at a
/// time.
class supervisor_core final : private membership::surroundings {
public:
  /// Where messages go. What is not answered is sent again by `look_around`.
  class outbox {
  public:
    virtual ~outbox() = default;
    /// Answered with `connected`, some time.
    virtual void connect(std::uint32_t node, const std::string& address) = 0;
    /// What comes from that node from now on is no longer of interest.
    virtual void disconnect(std::uint32_t node) = 0;
    virtual void send(std::uint32_t node, const join& message) = 0;
    virtual void send(std::uint32_t node, const ping& message) = 0;
    virtual void send(std::uint32_t node, const take_inventory& message) = 0;
    /// The sender fills the scheduler in.
    virtual void send(std::uint32_t node, host message) = 0;
    virtual void send(std::uint32_t node, const open_links& message) = 0;
    virtual void send(std::uint32_t node, const replace_process& message) = 0;
    virtual void send(std::uint32_t node, const leave& message) = 0;
    /// This process expects and opens its links; answered with `own_links`.
    virtual void open_own_links(std::uint64_t attempt,
                                const placement_map& where) = 0;
    /// Makes the scheduler know the actors that the nodes have spawned.
    virtual void introduce(std::uint64_t attempt, const placement_map& where,
                           const std::map<std::uint32_t, hosted>& actors) = 0;
    virtual void send(const halt& message) = 0;
    virtual void send(const resume& message) = 0;
    virtual void send(const give_up& message) = 0;
    virtual void report(const cluster_event& event) = 0;
  };

  /// `out` outlives this.
  supervisor_core(supervisor_options options, outbox& out);

  /// To be called four times in a heartbeat, and once to begin.
  void look_around();

  void accept(const connected& message);
  void accept(const joined& message);
  void accept(const pong& message);
  void accept(const inventory& message);
  void accept(const hosted& message);
  void accept(const linked& message);
  void accept(const own_links& message);
  void accept(const trouble& message);
  void accept(const halted& message);
  void accept(const resumed& message);
  /// The connection to a node has ended.
  void lose(std::uint32_t node, const std::string& why);

  /// Frees the nodes; nothing happens afterwards.
  void end();

  cluster_view view() const;

private:
  enum class phase : std::uint8_t {
    gathering, ///< before the first formation: awaits the nodes
    halting,   ///< awaits `halted`
    pausing,   ///< lets a moment pass after the recovery before
    surveying, ///< awaits every `inventory`
    waiting,   ///< for a node with room
    hosting,   ///< awaits every `hosted`
    linking,   ///< awaits every `linked`, and the trainer's own
    resuming,  ///< awaits `resumed`
    running,
    ended,
  };

  void connect(std::uint32_t node, const std::string& address) override;
  void disconnect(std::uint32_t node) override;
  void send(std::uint32_t node, const join& message) override;
  void send(std::uint32_t node, ping message) override;
  void send(std::uint32_t node, const leave& message) override;
  void on_present(std::uint32_t node) override;
  void on_lost(std::uint32_t node, const std::string& why) override;
  void on_refused(std::uint32_t node) override;

  void gather();
  stall_reading read_stages() const;
  void watch_stages();
  void begin_recovery(const std::string& why, bool is_fault);
  void survey();
  void place();
  void wait_for_room();
  void link();
  void go_on();
  void use_newcomer(std::uint32_t node);
  void stop(const std::string& why);
  void enter(phase next);
  void await(phase next, std::vector<std::uint32_t> nodes);
  void ask(std::uint32_t node);
  void repeat_requests();
  bool has_lost_patience();
  void replace(std::uint32_t node, const std::string& why);
  bool replace_stuck(const std::string& why);
  bool takes_part(std::uint32_t node) const;
  /// Whether an answer of the phase `expected` counts; then it is noted.
  bool note_answer(phase expected, std::uint64_t run, std::uint64_t attempt,
                   std::uint32_t node);
  std::vector<seat> kept_seats() const;
  std::vector<cell_remains> remains(const std::vector<seat>& seats) const;
  placement_map map_of(const std::vector<seat>& seats,
                       const restoration& how) const;
  void note(cluster_event::kind what, std::string text);
  std::string describe_seats() const;
  std::string describe_nodes() const;
  std::int64_t since(std::int64_t then_ns) const;

  supervisor_options options_;
  outbox& out_;
  membership members_;
  restart_budget budget_;
  std::int64_t stall_limit_; ///< nanoseconds
  stall_watch watch_;
  phase phase_ = phase::gathering;
  std::int64_t entered_ns_ = 0;     ///< the present phase
  std::int64_t asked_ns_ = 0;       ///< when its requests were last sent
  std::set<std::uint32_t> awaited_; ///< nodes that have not answered

  std::uint64_t halts_ = 0;
  std::uint64_t attempt_ = 0;
  std::int64_t committed_ = 0;
  bool was_formed_ = false;
  std::string fault_;         ///< of the recovery at hand; empty: none
  std::int64_t began_ns_ = 0; ///< the recovery at hand
  std::int64_t last_fault_ns_ = 0;
  std::uint32_t recoveries_ = 0;

  std::vector<seat> seats_;             ///< per stage
  std::vector<std::uint64_t> sessions_; ///< per stage: its node's, when seated
  placement_map map_;
  std::int64_t version_ = 0; ///< that the recovery at hand goes to
  std::map<std::uint32_t, inventory> inventories_;
  std::map<std::uint32_t, hosted> hosted_;
  bool own_links_are_open_ = false;
};

} // namespace actorpipe
