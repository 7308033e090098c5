// SPDX-License-Identifier: Apache-2.0
/// One process that lends its devices: what `actorpipe node` runs, and what a
/// node program with layers of its own runs.
#pragma once

#include "actors/control/tls_files.hpp"
#include "compute/layers/layer_registry.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace actorpipe {

struct node_options {
  std::string listen = "127.0.0.1:7070"; ///< port 0: a free one
  std::uint16_t link_port = 0;           ///< 0: a free one
  /// Names "cpu:N"; each runs one stage at a time.
  std::vector<std::string> devices{"cpu:0"};
  /// Empty: plain text, which the user has asked for.
  std::optional<tls_files> tls;
  layer_registry registry = layer_registry::with_builtin();
  /// Told of what happens, for people; called from any thread.
  std::function<void(const std::string&)> log;
};

/// Listens from its construction to its destruction. Has an actor system of its
/// own.
///
///     actorpipe::layer_registry registry = ...; // with your layers
///     actorpipe::node_process node({.listen = "0.0.0.0:7070", .tls = ...,
///                                   .registry = registry});
///     std::cout << "listening on " << node.address() << std::endl;
///     return node.wait() == actorpipe::node_process::ending::stopped ? 0 : 75;
class node_process {
public:
  /// Throws `std::invalid_argument` for options that are not allowed,
  /// `std::runtime_error` when it cannot listen there.
  explicit node_process(node_options options);

  node_process(const node_process&) = delete;
  node_process& operator=(const node_process&) = delete;

  /// Ends the actors, closes the links, stops listening. A stage that does not
  /// return is not waited for: the destructor then ends the process.
  ~node_process();

  /// "HOST:PORT" with the port in use.
  const std::string& address() const noexcept;

  /// Makes `wait` return. May be called from any thread, not from a signal
  /// handler.
  void stop();

  enum class ending : std::uint8_t {
    stopped,  ///< by `stop`
    replaced, ///< a stage does not return: start the process anew, on the
              ///< address that it has
  };

  /// Blocks until the node is to end.
  ending wait();

private:
  struct implementation;
  std::unique_ptr<implementation> impl_;
};

} // namespace actorpipe
