// SPDX-License-Identifier: Apache-2.0
/// What the supervisor hears of, and when it acts.
#include "actors/cluster/supervisor_core.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace actorpipe {

supervisor_core::supervisor_core(supervisor_options options, outbox& out)
  : options_(std::move(options)), out_(out),
    members_({options_.what.run, options_.cluster.nodes,
              options_.cluster.heartbeat.count(), options_.trainer,
              options_.registry_hash, options_.cluster.allows_different_bits},
             *this),
    budget_(options_.cluster.restart_budget),
    stall_limit_(stall_limit_ns(options_.cluster.stall_after.count(),
                                options_.cluster.planned_step_s)),
    watch_(options_.what.how, {stall_limit_, 0}),
    entered_ns_(options_.now_ns()) {}

std::int64_t supervisor_core::since(std::int64_t then_ns) const {
  return options_.now_ns() - then_ns;
}

void supervisor_core::note(cluster_event::kind what, std::string text) {
  out_.report({what, std::move(text)});
}

void supervisor_core::enter(phase next) {
  phase_ = next;
  entered_ns_ = asked_ns_ = options_.now_ns();
  awaited_.clear();
}

// -- the nodes ----------------------------------------------------------------

void supervisor_core::connect(std::uint32_t node, const std::string& address) {
  out_.connect(node, address);
}

void supervisor_core::disconnect(std::uint32_t node) {
  out_.disconnect(node);
}

void supervisor_core::send(std::uint32_t node, const join& message) {
  out_.send(node, message);
}

void supervisor_core::send(std::uint32_t node, ping message) {
  message.view = view();
  out_.send(node, message);
}

void supervisor_core::send(std::uint32_t node, const leave& message) {
  out_.send(node, message);
}

void supervisor_core::on_present(std::uint32_t node) {
  const auto& who = members_.at(node);
  if (was_formed_)
    note(cluster_event::kind::note, "node " + who.address + " has joined");
  switch (phase_) {
  case phase::gathering:
    return gather();
  case phase::waiting:
    return survey();
  case phase::running:
    return use_newcomer(node);
  default:
    return;
  }
}

void supervisor_core::on_lost(std::uint32_t node, const std::string& why) {
  switch (phase_) {
  case phase::ended:
    return;
  case phase::surveying:
    note(cluster_event::kind::fault, why);
    inventories_.erase(node);
    if (awaited_.erase(node) > 0 && awaited_.empty())
      place();
    return;
  case phase::hosting:
  case phase::linking:
  case phase::resuming:
    return begin_recovery(why, true);
  case phase::running:
    if (takes_part(node))
      return begin_recovery(why, true);
    [[fallthrough]];
  default:
    note(cluster_event::kind::fault, why);
  }
}

void supervisor_core::on_refused(std::uint32_t node) {
  if (was_formed_)
    note(cluster_event::kind::note, members_.at(node).why);
  else
    stop(members_.at(node).why);
}

void supervisor_core::lose(std::uint32_t node, const std::string& why) {
  if (node < members_.size())
    members_.lose(node, "node " + members_.at(node).address + ": " + why,
                  options_.now_ns());
}

void supervisor_core::accept(const connected& message) {
  members_.accept(message, options_.now_ns());
}

void supervisor_core::accept(const joined& message) {
  members_.accept(message, options_.now_ns());
}

void supervisor_core::accept(const pong& message) {
  members_.accept(message, options_.now_ns());
}

bool supervisor_core::takes_part(std::uint32_t node) const {
  return std::ranges::find(seats_, node, &seat::node) != seats_.end()
      || std::ranges::find(map_.keeper_of_cell, node)
           != map_.keeper_of_cell.end();
}

// -- time ---------------------------------------------------------------------

void supervisor_core::look_around() {
  if (phase_ == phase::ended)
    return;
  members_.look_around(options_.now_ns());
  switch (phase_) {
  case phase::gathering:
    return gather();
  case phase::pausing:
    if (since(last_fault_ns_) >= options_.cluster.heartbeat.count())
      survey();
    return;
  case phase::waiting:
    if (since(entered_ns_) >= options_.cluster.wait_for_node.count())
      stop("no node with room came back in time:" + describe_nodes());
    return;
  case phase::running:
    return watch_stages();
  default:
    return repeat_requests();
  }
}

// A recovery that does not come to an end is a fault like any other.
bool supervisor_core::has_lost_patience() {
  const auto limit =
    std::max(3 * stall_limit_, options_.cluster.wait_for_node.count());
  if (phase_ == phase::halting || since(entered_ns_) < limit)
    return false;
  const auto* what = phase_ == phase::surveying ? "asking for versions"
                   : phase_ == phase::hosting   ? "placing the stages"
                   : phase_ == phase::linking   ? "opening links"
                                                : "returning to a version";
  const auto why = fmt::format("no end of {} after {:.1f} s", what,
                               1e-9 * static_cast<double>(since(entered_ns_)));
  // An actor there does not return.
  const auto silent = awaited_;
  for (const auto node : silent)
    replace(node, why);
  if (silent.empty() && !replace_stuck(why))
    begin_recovery(why, true);
  return true;
}

void supervisor_core::replace(std::uint32_t node, const std::string& why) {
  out_.send(node,
            replace_process{options_.what.run, members_.at(node).session});
  lose(node, why);
}

// Nothing but the end of its process ends a layer that does not return. What a
// node said of its stages is older than the moment, and the stall began with
// the last advance that was heard of: so not the whole limit is asked for.
bool supervisor_core::replace_stuck(const std::string& why) {
  for (const auto& x : read_stages().stages)
    if (x.how == standing::state::computing && x.for_ns >= 2 * stall_limit_) {
      replace(seats_[x.stage].node,
              why
                + fmt::format("; stage {} does not return from {}", x.stage,
                              to_string(x.next)));
      return true;
    }
  return false;
}

void supervisor_core::repeat_requests() {
  if (has_lost_patience())
    return;
  if (since(asked_ns_) < options_.cluster.heartbeat.count() / 2)
    return;
  asked_ns_ = options_.now_ns();
  if (phase_ == phase::halting)
    out_.send(halt{options_.what.run, halts_, fault_});
  else if (phase_ == phase::resuming)
    out_.send(resume{options_.what.run, attempt_, version_});
  for (const auto node : awaited_)
    ask(node);
}

void supervisor_core::gather() {
  const auto devices = members_.devices();
  const bool enough =
    seat_stages(
      {options_.what.how.devices(), devices, options_.cluster.placement, {}})
      .has_value();
  if (enough && members_.all_were_tried())
    return begin_recovery("", false);
  if (since(entered_ns_) >= options_.cluster.wait_for_node.count())
    stop(fmt::format("{} stages need as many devices:{}",
                     options_.what.how.devices(), describe_nodes()));
}

// -- stalls -------------------------------------------------------------------

stall_reading supervisor_core::read_stages() const {
  stall_reading result;
  result.now_ns = options_.now_ns();
  if (options_.request_now)
    result.request = options_.request_now();
  for (std::uint32_t i = 0; i < options_.what.how.devices(); ++i) {
    standing unknown;
    unknown.stage = i;
    result.stages.push_back(unknown);
    const auto& node = members_.at(seats_[i].node);
    for (const auto& x : node.stages)
      if (x.stage == i)
        result.stages.back() = x;
    result.silent_ns.push_back(since(node.heard_ns));
  }
  return result;
}

void supervisor_core::watch_stages() {
  const auto reading = read_stages();
  if (const auto event = watch_.look(reading))
    note(cluster_event::kind::stall, event->text);
  if (watch_.quiet_ns() < 3 * stall_limit_)
    return;
  const auto why = fmt::format("nothing has advanced for {:.1f} s",
                               1e-9 * static_cast<double>(watch_.quiet_ns()));
  if (!replace_stuck(why))
    begin_recovery(why, true);
}

// -- the end ------------------------------------------------------------------

void supervisor_core::stop(const std::string& why) {
  out_.send(give_up{options_.what.run, why});
  note(cluster_event::kind::ended, why);
  end();
}

void supervisor_core::end() {
  if (phase_ == phase::ended)
    return;
  enter(phase::ended);
  members_.leave_all();
}

} // namespace actorpipe
