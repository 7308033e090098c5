// SPDX-License-Identifier: Apache-2.0
/// Every message between the supervisor and the nodes. "from -> to: meaning".
///
/// Each may arrive twice or be lost: the supervisor repeats what is not
/// answered, and a node answers a repeated one again. A node belongs to one
/// (run, session) at a time; a message of another is dropped.
#pragma once

#include "messages/job.hpp"
#include "messages/protocol_version.hpp"
#include "messages/standing.hpp"

#include <caf/actor_control_block.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace actorpipe {

/// Stands for the process of the scheduler among the nodes of a run.
inline constexpr std::uint32_t trainer_process = 0xffffffffU;

/// What a node says of itself.
struct node_facts {
  std::uint32_t protocol = 0;       ///< `protocol_version`
  std::string software;             ///< such as "actorpipe 0.1.0"
  std::uint64_t incarnation = 0;    ///< drawn anew whenever the process starts
  std::string name;                 ///< of its host, for people
  std::vector<std::string> devices; ///< such as "cpu:0"
  std::string registry_hash;        ///< of the kinds of layers it can build
  std::string fingerprint;          ///< of its operations' bits
  std::uint16_t link_port = 0;      ///< where it takes links
};

/// supervisor -> node: work for this run from now on. Actors of an earlier
/// session are ended. Answered with `joined`.
struct join {
  std::uint64_t run = 0;
  std::uint64_t session = 0; ///< raised by the supervisor with each join
  std::uint32_t index = 0;   ///< of the node, among the run's nodes
  std::string trainer;       ///< who asks, for people
  /// Without a word from the supervisor for `patience_ns` the node ends the
  /// run's actors and is free for others.
  std::int64_t patience_ns = 0;
};

/// node -> supervisor.
struct joined {
  std::uint64_t run = 0;
  std::uint64_t session = 0;
  std::uint32_t index = 0;
  std::string refusal; ///< empty: it works for the run
  node_facts facts;
};

/// A node as the supervisor sees it, for whoever asks.
struct node_view {
  std::string address;        ///< as the user gave it
  std::string state;          ///< such as "working", "spare", "lost"
  std::int64_t silent_ns = 0; ///< since its last heartbeat
  std::vector<std::string> devices;
  std::vector<std::uint32_t> stages;
};

/// The run as the supervisor sees it.
struct cluster_view {
  std::uint64_t run = 0;
  std::string trainer;
  std::int64_t version = 0; ///< committed
  std::uint64_t attempt = 0;
  std::uint32_t recoveries = 0;
  std::vector<node_view> nodes;
};

/// supervisor -> node: are you there? Answered with `pong`.
struct ping {
  std::uint64_t run = 0;
  std::uint64_t session = 0;
  std::uint64_t count = 0;
  cluster_view view;
};

/// node -> supervisor.
struct pong {
  std::uint64_t run = 0;
  std::uint64_t session = 0;
  std::uint32_t index = 0;
  std::uint64_t count = 0; ///< of the `ping`
  std::vector<standing> stages;
};

/// Where a process of the run takes links.
struct link_address {
  std::uint32_t process = 0; ///< index of the node
  std::uint64_t session = 0;
  std::string host;
  std::uint16_t port = 0;

  friend bool operator==(const link_address&, const link_address&) = default;
};

/// Who runs what in one attempt; equal for all nodes of it.
struct placement_map {
  std::vector<std::uint32_t> node_of_stage;   ///< per device of the plan
  std::vector<std::uint32_t> device_of_stage; ///< index among its node's
  /// Per cell: the node that keeps its replica; `no_node` (seating.hpp): none.
  std::vector<std::uint32_t> keeper_of_cell;
  /// Per cell: the node whose replica it is restored from, if its parameter
  /// actor is new; `no_node`: none.
  std::vector<std::uint32_t> source_of_cell;
  std::vector<link_address> links; ///< of the nodes that take part
};

/// supervisor -> node: spawn those of your stages and parameter actors that
/// are not there yet, end those that are no longer yours, and expect links of
/// your neighbours. Answered with `hosted`.
struct host {
  std::uint64_t run = 0;
  std::uint64_t session = 0;
  std::uint64_t attempt = 0;
  job what;
  placement_map where;
  caf::strong_actor_ptr scheduler;
};

/// node -> supervisor.
struct hosted {
  std::uint64_t run = 0;
  std::uint64_t attempt = 0;
  std::uint32_t index = 0;
  std::string failure; ///< empty: done
  std::vector<std::uint32_t> stages;
  std::vector<caf::strong_actor_ptr> stage_actors;
  std::vector<std::uint32_t> cells;
  std::vector<caf::strong_actor_ptr> parameter_actors;
  caf::strong_actor_ptr keeper;
};

/// supervisor -> node: everyone is ready; open the links that you lack and
/// introduce your actors to the others. Answered with `linked`.
struct open_links {
  std::uint64_t run = 0;
  std::uint64_t session = 0;
  std::uint64_t attempt = 0;
};

/// node -> supervisor.
struct linked {
  std::uint64_t run = 0;
  std::uint64_t attempt = 0;
  std::uint32_t index = 0;
  std::string failure; ///< empty: done
};

/// A version of a cell that a node could bring back.
struct held_shard {
  std::uint32_t cell = 0;
  std::int64_t version = 0;
  bool is_replica = false; ///< else of the cell's parameter actor itself

  friend bool operator==(const held_shard&, const held_shard&) = default;
};

/// supervisor -> node: which versions have you? Answered with `inventory`.
struct take_inventory {
  std::uint64_t run = 0;
  std::uint64_t session = 0;
  std::uint64_t attempt = 0;
};

/// node -> supervisor.
struct inventory {
  std::uint64_t run = 0;
  std::uint64_t attempt = 0;
  std::uint32_t index = 0;
  std::vector<held_shard> shards;
};

/// node -> supervisor: an actor of the run has gone, or a link has broken. The
/// links of its own process -> node, supervisor: the same.
struct trouble {
  std::uint64_t run = 0;
  std::uint64_t session = 0;
  std::uint64_t attempt = 0;
  std::uint32_t index = 0;
  std::string what; ///< names the actor or the peer, and why
};

/// supervisor -> node: a stage does not return; replace your process.
struct replace_process {
  std::uint64_t run = 0;
  std::uint64_t session = 0;
};

/// supervisor -> node: the run has ended; you are free.
struct leave {
  std::uint64_t run = 0;
  std::uint64_t session = 0;
};

/// anyone -> node: how are you? Answered with `node_status`.
struct get_status {};

/// node -> whoever asked.
struct node_status {
  node_facts facts;
  std::uint64_t run = 0; ///< 0: free
  std::uint32_t index = 0;
  std::int64_t silent_ns = 0; ///< since the supervisor's last word
  std::vector<standing> stages;
  cluster_view view; ///< as the supervisor last told
};

/// connector -> supervisor: what became of an attempt to reach a node.
struct connected {
  std::uint32_t index = 0;
  caf::strong_actor_ptr node; ///< when reached
  std::string failure;        ///< empty: reached
};

/// The links of its own process -> node, supervisor: every link of the attempt
/// is open, or not.
struct own_links {
  std::uint64_t attempt = 0;
  std::string failure; ///< empty: all are open
};

/// supervisor, node -> itself, at intervals: who is silent, what is unanswered?
struct look_around {};

/// anyone -> supervisor: answer with a `cluster_view`.
struct get_view {};

} // namespace actorpipe
