// SPDX-License-Identifier: Apache-2.0
/// A supervisor core with nodes and a scheduler that answer as they should,
/// unless told otherwise.
#pragma once

#include "actors/cluster/supervisor_core.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace actorpipe::test {

/// A plan of `stages` stages, one cell each, without programs: the supervisor
/// reads no more of it.
inline plan plan_of(std::uint32_t stages) {
  plan result;
  for (std::uint32_t i = 0; i < stages; ++i) {
    result.cut.push_back(i);
    result.device_of_cell.push_back(i);
  }
  result.cut.push_back(stages);
  result.programs.resize(stages);
  return result;
}

class supervisor_bench final : public supervisor_core::outbox {
public:
  struct fake_node {
    bool up = true;
    std::uint64_t session = 0; ///< 0: nobody's
    std::uint32_t devices = 1;
    std::uint64_t incarnation = 0; ///< 0: as any other's
    std::string fingerprint = "bits";
    std::string registry = "layers";
    std::string refusal;
    std::string link_failure;    ///< of the next `open_links`
    std::uint64_t hosts_for = 0; ///< the attempt that it was told to host
    /// cell -> versions, newest first
    std::map<std::uint32_t, std::vector<std::int64_t>> own;
    std::map<std::uint32_t, std::vector<std::int64_t>> replicas;
    bool replaced = false;
  };

  supervisor_bench(std::uint32_t stages, std::uint32_t nodes,
                   std::function<void(supervisor_options&)> change = {})
    : fakes(nodes),
      core_(with_clock(options_of(stages, nodes, std::move(change))), *this) {}

  static constexpr std::int64_t beat = 1'000'000'000;

  supervisor_core& core() { return core_; }

  /// Handles what is under way until nothing is; no time passes.
  void settle() {
    while (!queue_.empty()) {
      auto next = std::move(queue_.front());
      queue_.pop_front();
      next();
    }
  }

  /// Looks around so many quarters of a heartbeat.
  void pass(int quarters) {
    for (int i = 0; i < quarters; ++i) {
      now_ns += beat / 4;
      core_.look_around();
      settle();
    }
  }

  void begin() {
    core_.look_around();
    settle();
  }

  /// The process ends: its connection breaks.
  void kill(std::uint32_t node) {
    fakes[node].up = false;
    fakes[node].session = 0;
    fakes[node].own.clear();
    fakes[node].replicas.clear();
    core_.lose(node, "reset");
    settle();
  }

  /// Every owner has made this version, every keeper has it, it is committed.
  void commit(std::int64_t version) {
    committed = version;
    for (std::uint32_t cell = 0; cell < map.keeper_of_cell.size(); ++cell) {
      fakes[map.node_of_stage[cell]].own[cell] = {version, version - 1};
      if (map.keeper_of_cell[cell] != no_node)
        fakes[map.keeper_of_cell[cell]].replicas[cell] = {version, version - 1};
    }
  }

  bool has_event(cluster_event::kind what) const {
    return std::ranges::find(events, what, &cluster_event::what)
        != events.end();
  }

  std::vector<fake_node> fakes;
  std::int64_t now_ns = 1;
  std::int64_t committed = 0;
  std::uint64_t attempt = 0;
  placement_map map;                 ///< of the last `introduce`
  std::vector<std::int64_t> resumes; ///< versions, each attempt once
  std::vector<cluster_event> events;
  std::string given_up;
  int halts = 0;                                 ///< distinct
  std::function<bool(const std::string&)> loses; ///< a message, by its name

private:
  static supervisor_options
  options_of(std::uint32_t stages, std::uint32_t nodes,
             std::function<void(supervisor_options&)> change) {
    supervisor_options result;
    result.what.run = 9;
    result.what.how = plan_of(stages);
    for (std::uint32_t i = 0; i < nodes; ++i)
      result.cluster.nodes.push_back("host" + std::to_string(i) + ":70");
    result.trainer = "here";
    result.registry_hash = "layers";
    if (change)
      change(result);
    return result;
  }

  supervisor_options with_clock(supervisor_options options) {
    options.now_ns = [this] { return now_ns; };
    return options;
  }

  bool is_lost(const std::string& name) { return loses && loses(name); }

  template <class Answer>
  void answer(const std::string& name, Answer what) {
    if (is_lost(name))
      return;
    queue_.push_back([this, what] { core_.accept(what); });
  }

  // What node `i` does when it is up and the session is its own.
  template <class F>
  void at(std::uint32_t i, std::uint64_t session, const std::string& name,
          F work) {
    if (is_lost(name))
      return;
    queue_.push_back([this, i, session, work] {
      if (fakes[i].up && fakes[i].session == session)
        work();
    });
  }

  void connect(std::uint32_t node, const std::string& address) override {
    const auto failure =
      fakes[node].up ? "" : address + " refuses the connection";
    queue_.push_back([this, node, failure] {
      core_.accept(connected{node, nullptr, failure});
    });
  }

  void disconnect(std::uint32_t) override {}

  void send(std::uint32_t i, const join& message) override {
    if (is_lost("join"))
      return;
    queue_.push_back([this, i, message] {
      auto& x = fakes[i];
      if (!x.up)
        return;
      joined reply{message.run, message.session, i, x.refusal, {}};
      reply.facts.protocol = protocol_version;
      reply.facts.incarnation = x.incarnation;
      reply.facts.registry_hash = x.registry;
      reply.facts.fingerprint = x.fingerprint;
      for (std::uint32_t d = 0; d < x.devices; ++d)
        reply.facts.devices.push_back("cpu:" + std::to_string(d));
      if (x.refusal.empty() && x.session != message.session) {
        x.session = message.session;
        x.own.clear();
        x.replicas.clear();
      }
      answer("joined", reply);
    });
  }

  void send(std::uint32_t i, const ping& message) override {
    at(i, message.session, "ping", [this, i, message] {
      answer("pong", pong{message.run, message.session, i, message.count, {}});
    });
  }

  void send(std::uint32_t i, const take_inventory& message) override {
    at(i, message.session, "take_inventory", [this, i, message] {
      inventory reply{message.run, message.attempt, i, {}};
      for (const auto& [cell, versions] : fakes[i].own)
        for (const auto version : versions)
          reply.shards.push_back({cell, version, false});
      for (const auto& [cell, versions] : fakes[i].replicas)
        for (const auto version : versions)
          reply.shards.push_back({cell, version, true});
      answer("inventory", reply);
    });
  }

  void send(std::uint32_t i, host message) override {
    at(i, message.session, "host", [this, i, message] {
      for (std::uint32_t cell = 0; cell < message.where.node_of_stage.size();
           ++cell)
        if (message.where.node_of_stage[cell] == i)
          fakes[i].own.try_emplace(cell, std::vector<std::int64_t>{0});
      fakes[i].hosts_for = message.attempt;
      answer(
        "hosted",
        hosted{message.run, message.attempt, i, {}, {}, {}, {}, {}, nullptr});
    });
  }

  void send(std::uint32_t i, const open_links& message) override {
    at(i, message.session, "open_links", [this, i, message] {
      if (fakes[i].hosts_for != message.attempt)
        return;
      answer("linked", linked{message.run, message.attempt, i,
                              std::exchange(fakes[i].link_failure, {})});
    });
  }

  void send(std::uint32_t i, const replace_process&) override {
    fakes[i].replaced = true;
  }

  void send(std::uint32_t i, const leave& message) override {
    at(i, message.session, "leave", [this, i] { fakes[i].session = 0; });
  }

  void open_own_links(std::uint64_t for_attempt,
                      const placement_map&) override {
    queue_.push_back([this, for_attempt] {
      core_.accept(own_links{for_attempt, {}});
    });
  }

  void introduce(std::uint64_t, const placement_map& where,
                 const std::map<std::uint32_t, hosted>&) override {
    map = where;
  }

  void send(const halt& message) override {
    if (is_lost("halt"))
      return;
    if (message.count != halt_count_) {
      halt_count_ = message.count;
      ++halts;
      ++attempt;
    }
    answer("halted", halted{message.run, message.count, attempt, committed});
  }

  void send(const resume& message) override {
    if (is_lost("resume") || message.attempt != attempt)
      return;
    if (resumed_attempt_ != message.attempt) {
      resumed_attempt_ = message.attempt;
      resumes.push_back(message.version);
      committed = message.version;
    }
    answer("resumed", resumed{message.run, message.attempt});
  }

  void send(const give_up& message) override { given_up = message.why; }

  void report(const cluster_event& event) override { events.push_back(event); }

  std::deque<std::function<void()>> queue_;
  std::uint64_t halt_count_ = 0;
  std::uint64_t resumed_attempt_ = 0;
  supervisor_core core_;
};

} // namespace actorpipe::test
