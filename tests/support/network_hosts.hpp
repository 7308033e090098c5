// SPDX-License-Identifier: Apache-2.0
/// Hosts on one network, made of Linux network namespaces.
#pragma once

#include <cstddef>
#include <string>
#include <sys/types.h>
#include <vector>

namespace actorpipe::test {

/// So many hosts at one switch. Each has a network namespace of its own, with
/// the addresses 10.77.0.N and fd00:77::N, N being its index and 1. Nothing
/// outside of them changes; all is gone with this object or its process.
/// Requires rights of an administrator.
class network_hosts {
public:
  /// Throws `std::runtime_error` that says what is not possible here.
  explicit network_hosts(std::size_t count);
  ~network_hosts();
  network_hosts(const network_hosts&) = delete;
  network_hosts& operator=(const network_hosts&) = delete;

  /// The words before a command that runs it on that host.
  std::vector<std::string> on(std::size_t host) const;

  static std::string ip4(std::size_t host);
  static std::string ip6(std::size_t host); ///< in brackets

  /// From now on no packet comes from or to that host, and nobody is told.
  void cut(std::size_t host);
  void heal(std::size_t host);

private:
  void end() noexcept;
  void set_port(std::size_t host, const char* state);

  std::vector<pid_t> holders_; ///< of the namespaces; the last is the switch
};

} // namespace actorpipe::test
