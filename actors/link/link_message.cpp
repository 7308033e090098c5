// SPDX-License-Identifier: Apache-2.0
/// What every data message has in common.
#include "actors/link/link_message.hpp"

#include <fmt/format.h>

namespace actorpipe {

namespace {

struct run_finder {
  std::uint64_t operator()(const weights& x) const { return x.run; }
  template <class Message>
  std::uint64_t operator()(const Message& x) const {
    return x.id.run;
  }
};

struct describer {
  std::string operator()(const edge_data& x) const {
    return fmt::format("the {} of micro-batch {} over edge {}",
                       x.gradient ? "gradient" : "tensor", x.micro_batch,
                       x.edge);
  }
  std::string operator()(const credit& x) const {
    return fmt::format("the credit for micro-batch {} {} edge {}",
                       x.micro_batch, x.gradient ? "back over" : "over",
                       x.edge);
  }
  std::string operator()(const accumulated& x) const {
    return fmt::format("the gradients of cell {} for the parameters of cell {}",
                       x.cell, x.owner);
  }
  std::string operator()(const weights& x) const {
    return fmt::format("the weights of cell {} for cell {}", x.owner, x.user);
  }
  std::string operator()(const shard& x) const {
    return fmt::format("the shard of cell {}", x.cell);
  }
  std::string operator()(const fetch& x) const {
    return fmt::format("the request for the replica of cell {}", x.cell);
  }
};

} // namespace

std::uint64_t run_of(const link_header& x) {
  return std::visit(run_finder{}, x);
}

bool is_urgent(const link_header& x) noexcept {
  return std::holds_alternative<edge_data>(x)
      || std::holds_alternative<credit>(x) || std::holds_alternative<fetch>(x);
}

std::string to_string(const link_header& x) {
  return std::visit(describer{}, x);
}

} // namespace actorpipe
