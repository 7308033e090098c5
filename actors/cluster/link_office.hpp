// SPDX-License-Identifier: Apache-2.0
/// The post office that sends over links.
#pragma once

#include "actors/cluster/post_office.hpp"
#include "actors/control/tls_files.hpp"
#include "compute/tensor/memory.hpp"

#include <caf/fwd.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace actorpipe {

struct link_office_options {
  /// Where others dial; empty: this process only dials.
  std::optional<std::string> host;
  std::uint16_t port = 0;          ///< 0: a free one
  std::optional<tls_files> secure; ///< empty: plain text
  /// Charged for what has come and was not delivered yet; may be null.
  std::shared_ptr<memory_account> holder;
};

/// The trainer dials every node, and a node those of a higher index: one
/// connection to send and one to receive. Throws `link_error` when it cannot
/// listen there.
std::unique_ptr<post_office> make_link_office(caf::actor_system& system,
                                              link_office_options options);

} // namespace actorpipe
