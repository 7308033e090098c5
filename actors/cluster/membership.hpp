// SPDX-License-Identifier: Apache-2.0
/// Which nodes of a run are there: reaches them, joins them, notices silence.
#pragma once

#include "messages/cluster_messages.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace actorpipe {

/// One node as the supervisor knows it.
struct member {
  enum class state : std::uint8_t {
    absent,     ///< not reached, or lost
    connecting, ///< an attempt to reach it is under way
    joining,    ///< reached; has not said yet that it works for the run
    present,
    refused, ///< it may not take part: see `why`
  };

  std::string address;
  state how = state::absent;
  std::uint64_t session = 0;
  node_facts facts;          ///< once present
  std::string why;           ///< why it is absent or refused
  std::int64_t heard_ns = 0; ///< its last sign of life
  std::int64_t asked_ns = 0; ///< the last `join` or `ping`
  std::int64_t retry_ns = 0; ///< when to reach for it again
  std::uint64_t pings = 0;
  std::vector<standing> stages; ///< as it last said
};

/// What membership is made from.
struct membership_options {
  std::uint64_t run = 0;
  std::vector<std::string> addresses;
  std::int64_t heartbeat_ns = 0;
  std::string trainer;
  std::string registry_hash;
  bool allows_different_bits = false;
};

/// Reaches for every node that is absent once a heartbeat, and loses one that
/// is silent for three. Used by one thread at a time; told the time.
class membership {
public:
  /// Where messages go, and who is told.
  class surroundings {
  public:
    virtual ~surroundings() = default;
    virtual void connect(std::uint32_t node, const std::string& address) = 0;
    virtual void disconnect(std::uint32_t node) = 0;
    virtual void send(std::uint32_t node, const join& message) = 0;
    virtual void send(std::uint32_t node, ping message) = 0;
    virtual void send(std::uint32_t node, const leave& message) = 0;
    virtual void on_present(std::uint32_t node) = 0;
    virtual void on_lost(std::uint32_t node, const std::string& why) = 0;
    virtual void on_refused(std::uint32_t node) = 0;
  };

  /// `around` outlives this.
  membership(membership_options options, surroundings& around);

  void look_around(std::int64_t now_ns);
  void accept(const connected& message, std::int64_t now_ns);
  void accept(const joined& message, std::int64_t now_ns);
  void accept(const pong& message, std::int64_t now_ns);

  /// The node is gone, or no longer trusted: it has to join anew.
  void lose(std::uint32_t node, const std::string& why, std::int64_t now_ns);

  /// Frees the nodes.
  void leave_all();

  std::uint32_t size() const noexcept {
    return static_cast<std::uint32_t>(all_.size());
  }
  const member& at(std::uint32_t node) const { return all_[node]; }
  bool is_present(std::uint32_t node) const {
    return node < all_.size() && all_[node].how == member::state::present;
  }
  /// Indices of those present.
  std::vector<std::uint32_t> present() const;
  /// Devices per node; 0 for those that are not present.
  std::vector<std::uint32_t> devices() const;
  /// Every node is present or refused, or was tried in vain.
  bool all_were_tried() const;

private:
  std::string find_mismatch(const node_facts& facts,
                            const std::string& address) const;

  membership_options options_;
  surroundings& around_;
  std::vector<member> all_;
  /// Address and fingerprint that the others are compared with: of the first
  /// that joined.
  std::optional<std::pair<std::string, std::string>> first_;
};

} // namespace actorpipe
