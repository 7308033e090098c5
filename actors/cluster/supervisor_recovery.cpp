// SPDX-License-Identifier: Apache-2.0
/// From a fault to the next attempt.
#include "actors/cluster/supervisor_core.hpp"
#include "actors/control/endpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace actorpipe {

void supervisor_core::begin_recovery(const std::string& why, bool is_fault) {
  if (phase_ == phase::running || phase_ == phase::gathering)
    began_ns_ = options_.now_ns();
  if (is_fault) {
    fault_ = why;
    note(cluster_event::kind::fault, why);
  }
  ++halts_;
  enter(phase::halting);
  out_.send(halt{options_.what.run, halts_, why});
}

void supervisor_core::accept(const halted& message) {
  if (phase_ != phase::halting || message.run != options_.what.run
      || message.count != halts_)
    return;
  attempt_ = message.attempt;
  committed_ = message.version;
  if (!fault_.empty()) {
    ++recoveries_;
    if (!budget_.spend(committed_, fault_))
      return stop(budget_.to_text());
    fault_.clear();
    // A loop of faults does not spin.
    const bool is_soon =
      recoveries_ > 1
      && since(last_fault_ns_) < options_.cluster.heartbeat.count();
    last_fault_ns_ = options_.now_ns();
    if (is_soon)
      return enter(phase::pausing);
  }
  survey();
}

void supervisor_core::survey() {
  inventories_.clear();
  await(phase::surveying, members_.present());
  if (awaited_.empty())
    wait_for_room();
}

void supervisor_core::await(phase next, std::vector<std::uint32_t> nodes) {
  enter(next);
  awaited_.insert(nodes.begin(), nodes.end());
  for (const auto node : nodes)
    ask(node);
}

void supervisor_core::ask(std::uint32_t node) {
  const auto run = options_.what.run;
  const auto session = members_.at(node).session;
  switch (phase_) {
  case phase::surveying:
    return out_.send(node, take_inventory{run, session, attempt_});
  case phase::hosting:
    return out_.send(
      node, host{run, session, attempt_, options_.what, map_, nullptr});
  case phase::linking:
    return out_.send(node, open_links{run, session, attempt_});
  default:
    return;
  }
}

bool supervisor_core::note_answer(phase expected, std::uint64_t run,
                                  std::uint64_t attempt, std::uint32_t node) {
  return phase_ == expected && run == options_.what.run && attempt == attempt_
      && awaited_.erase(node) > 0;
}

void supervisor_core::accept(const inventory& message) {
  if (!note_answer(phase::surveying, message.run, message.attempt,
                   message.index))
    return;
  inventories_[message.index] = message;
  if (awaited_.empty())
    place();
}

void supervisor_core::wait_for_room() {
  enter(phase::waiting);
  note(cluster_event::kind::waiting,
       fmt::format(
         "no node has room; waiting {:.0f} s for one:{}",
         1e-9 * static_cast<double>(options_.cluster.wait_for_node.count()),
         describe_nodes()));
}

void supervisor_core::place() {
  const auto found =
    seat_stages({options_.what.how.devices(), members_.devices(),
                 options_.cluster.placement, kept_seats()});
  if (!found)
    return wait_for_room();
  const auto& wished = options_.cluster.placement;
  for (std::size_t i = 0; !was_formed_ && i < wished.size(); ++i)
    if ((*found)[i].node != wished[i])
      return stop(fmt::format(
        "cluster.placement puts {} stages on node {}, which offers {} devices",
        std::ranges::count(wished, wished[i]), members_.at(wished[i]).address,
        members_.devices()[wished[i]]));
  const auto how = choose_restoration(remains(*found), committed_);
  map_ = map_of(*found, how);
  seats_ = *found;
  version_ = how.version;
  sessions_.clear();
  for (const auto& x : seats_)
    sessions_.push_back(members_.at(x.node).session);
  hosted_.clear();
  await(phase::hosting, members_.present());
}

std::vector<seat> supervisor_core::kept_seats() const {
  std::vector<seat> result(seats_.size());
  for (std::size_t i = 0; i < seats_.size(); ++i) {
    const auto node = seats_[i].node;
    if (members_.is_present(node) && members_.at(node).session == sessions_[i])
      result[i] = seats_[i];
  }
  return result;
}

std::vector<cell_remains>
supervisor_core::remains(const std::vector<seat>& seats) const {
  const auto& how = options_.what.how;
  std::vector<cell_remains> result(how.cells());
  for (const auto& [node, message] : inventories_)
    for (const auto& x : message.shards) {
      if (x.cell >= result.size())
        continue;
      if (x.is_replica)
        result[x.cell].replicas.push_back({node, x.version});
      else if (seats[how.device_of_cell[x.cell]].node == node)
        result[x.cell].own.push_back(x.version);
    }
  return result;
}

placement_map supervisor_core::map_of(const std::vector<seat>& seats,
                                      const restoration& how) const {
  placement_map result;
  std::vector<std::vector<std::uint32_t>> holders(seats.size());
  for (const auto& [node, message] : inventories_)
    for (const auto& x : message.shards)
      if (x.is_replica && x.cell < options_.what.how.cells())
        holders[options_.what.how.device_of_cell[x.cell]].push_back(node);
  const auto keepers = choose_keepers(seats, members_.devices(), holders);
  for (const auto& x : seats) {
    result.node_of_stage.push_back(x.node);
    result.device_of_stage.push_back(x.device);
  }
  for (const auto stage : options_.what.how.device_of_cell)
    result.keeper_of_cell.push_back(options_.what.replicates ? keepers[stage]
                                                             : no_node);
  result.source_of_cell = how.source_of_cell;
  for (const auto node : members_.present()) {
    const auto& x = members_.at(node);
    result.links.push_back(
      {node, x.session, parse_endpoint(x.address).host, x.facts.link_port});
  }
  return result;
}

void supervisor_core::accept(const hosted& message) {
  if (!note_answer(phase::hosting, message.run, message.attempt, message.index))
    return;
  if (!message.failure.empty()) {
    const auto text =
      "node " + members_.at(message.index).address + ": " + message.failure;
    return was_formed_ ? begin_recovery(text, true) : stop(text);
  }
  hosted_[message.index] = message;
  if (awaited_.empty())
    link();
}

void supervisor_core::link() {
  own_links_are_open_ = false;
  // Who has joined since does not take part.
  std::vector<std::uint32_t> nodes;
  for (const auto& x : hosted_)
    nodes.push_back(x.first);
  await(phase::linking, std::move(nodes));
  out_.open_own_links(attempt_, map_);
}

void supervisor_core::accept(const linked& message) {
  if (!note_answer(phase::linking, message.run, message.attempt, message.index))
    return;
  if (!message.failure.empty())
    return begin_recovery("node " + members_.at(message.index).address + ": "
                            + message.failure,
                          true);
  go_on();
}

void supervisor_core::accept(const own_links& message) {
  if (phase_ != phase::linking || message.attempt != attempt_)
    return;
  if (!message.failure.empty())
    return begin_recovery(message.failure, true);
  own_links_are_open_ = true;
  go_on();
}

void supervisor_core::go_on() {
  if (!awaited_.empty() || !own_links_are_open_)
    return;
  enter(phase::resuming);
  out_.introduce(attempt_, map_, hosted_);
  out_.send(resume{options_.what.run, attempt_, version_});
}

void supervisor_core::accept(const resumed& message) {
  if (phase_ != phase::resuming || message.run != options_.what.run
      || message.attempt != attempt_)
    return;
  enter(phase::running);
  watch_ = stall_watch(options_.what.how, {stall_limit_, 0});
  note(was_formed_ ? cluster_event::kind::recovered
                   : cluster_event::kind::formed,
       fmt::format("{} from step {}, attempt {}, after {:.2f} s: {}",
                   was_formed_ ? "going on" : "starting", version_, attempt_,
                   1e-9 * static_cast<double>(since(began_ns_)),
                   describe_seats()));
  was_formed_ = true;
  for (const auto node : members_.present())
    if (!hosted_.contains(node))
      use_newcomer(node);
}

// What nobody could keep a replica of is given one.
void supervisor_core::use_newcomer(std::uint32_t node) {
  if (phase_ == phase::running && options_.what.replicates
      && std::ranges::find(map_.keeper_of_cell, no_node)
           != map_.keeper_of_cell.end())
    begin_recovery("node " + members_.at(node).address + " can keep replicas",
                   false);
}

void supervisor_core::accept(const trouble& message) {
  const bool is_own = message.index == trainer_process;
  if (message.attempt != attempt_
      || (!is_own
          && (message.run != options_.what.run
              || !members_.is_present(message.index)
              || members_.at(message.index).session != message.session))
      || (phase_ != phase::surveying && phase_ != phase::hosting
          && phase_ != phase::linking && phase_ != phase::resuming
          && phase_ != phase::running))
    return;
  begin_recovery((is_own ? std::string("the trainer")
                         : "node " + members_.at(message.index).address)
                   + ": " + message.what,
                 true);
}

} // namespace actorpipe
