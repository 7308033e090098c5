// SPDX-License-Identifier: Apache-2.0
/// From actors to a link, and from a link to actors.
#include "actors/link/link_actor.hpp"

#include "messages/actor_types.hpp"
#include "messages/type_ids.hpp"

#include <caf/actor_cast.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>

#include <cstdint>
#include <utility>

namespace actorpipe {

namespace {

caf::behavior link_behavior(caf::event_based_actor*,
                            std::shared_ptr<link_sender> link) {
  return {
    [link](const edge_data& x, payload& data) {
      link->post({x, std::move(data)});
    },
    [link](const accumulated& x, payload& data) {
      link->post({x, std::move(data)});
    },
    [link](const weights& x, payload& data) {
      link->post({x, std::move(data)});
    },
    [link](const shard& x, payload& data) {
      link->post({x, std::move(data)});
    },
    [link](const credit& x) {
      link->post({x, {}});
    },
    [link](const fetch& x) {
      link->post({x, {}});
    },
  };
}

/// Finds the recipient, and sends.
class delivery {
public:
  delivery(payload data, const local_actors& here)
    : data_(std::move(data)), here_(here) {}

  bool operator()(const edge_data& x) {
    if (x.edge >= here_.how->edges.size())
      return false;
    const auto& crossing = here_.how->edges[x.edge];
    return give<stage_actor>(stage_of(x.gradient ? crossing.from : crossing.to),
                             x);
  }

  bool operator()(const credit& x) {
    if (x.edge >= here_.how->edges.size())
      return false;
    const auto& crossing = here_.how->edges[x.edge];
    const auto producer = x.gradient ? crossing.to : crossing.from;
    if (producer == edge::feed)
      return say<scheduler_actor>(here_.scheduler, x);
    return say<stage_actor>(stage_of(producer), x);
  }

  bool operator()(const accumulated& x) {
    return give<parameter_actor>(at(here_.parameters, x.owner), x);
  }

  bool operator()(const weights& x) {
    return give<stage_actor>(stage_of(x.user), x);
  }

  bool operator()(const shard& x) {
    switch (x.purpose) {
    case shard_purpose::collect:
      return give<scheduler_actor>(here_.scheduler, x);
    case shard_purpose::install:
    case shard_purpose::restore:
      return give<parameter_actor>(at(here_.parameters, x.cell), x);
    case shard_purpose::replica:
      return give<keeper_actor>(here_.keeper, x);
    }
    return false;
  }

  bool operator()(const fetch& x) { return say<keeper_actor>(here_.keeper, x); }

private:
  static caf::strong_actor_ptr at(const std::vector<caf::strong_actor_ptr>& all,
                                  std::uint32_t index) {
    return index < all.size() ? all[index] : nullptr;
  }

  caf::strong_actor_ptr stage_of(std::uint32_t cell) const {
    const auto& devices = here_.how->device_of_cell;
    return cell < devices.size() ? at(here_.stages, devices[cell]) : nullptr;
  }

  template <class Actor, class Message>
  bool give(const caf::strong_actor_ptr& to, const Message& head) {
    if (to == nullptr)
      return false;
    caf::anon_send(caf::actor_cast<Actor>(to), head, std::move(data_));
    return true;
  }

  template <class Actor, class Message>
  bool say(const caf::strong_actor_ptr& to, const Message& head) {
    if (to == nullptr)
      return false;
    caf::anon_send(caf::actor_cast<Actor>(to), head);
    return true;
  }

  payload data_;
  const local_actors& here_;
};

} // namespace

caf::actor spawn_link_actor(caf::actor_system& system,
                            std::shared_ptr<link_sender> link) {
  return system.spawn(link_behavior, std::move(link));
}

std::string deliver(link_message message, const local_actors& here) {
  delivery to(std::move(message.data), here);
  if (std::visit(to, message.head))
    return {};
  return to_string(message.head) + " is for nobody in this process";
}

} // namespace actorpipe
