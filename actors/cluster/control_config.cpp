// SPDX-License-Identifier: Apache-2.0
/// Settings of CAF's network modules.
#include "actors/cluster/control_config.hpp"

#include "messages/configure.hpp"

#include <caf/io/middleman.hpp>
#include <caf/openssl/manager.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include <sys/mman.h>
#include <unistd.h>

namespace actorpipe {

namespace {

/// A file without a name that holds what `path` holds now.
descriptor copy_to_memory(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream content;
  content << file.rdbuf();
  const auto text = content.str();
  descriptor result(::memfd_create("actorpipe-tls", MFD_CLOEXEC));
  if (!file || result.get() < 0
      || ::write(result.get(), text.data(), text.size())
           != static_cast<ssize_t>(text.size()))
    throw std::runtime_error(
      fmt::format("cannot keep {} in memory: {}", path, std::strerror(errno)));
  return result;
}

std::string path_of(const descriptor& file) {
  return fmt::format("/proc/self/fd/{}", file.get());
}

} // namespace

control_config::control_config(const std::optional<tls_files>& tls,
                               std::chrono::nanoseconds heartbeat) {
  if (heartbeat < std::chrono::milliseconds(1))
    throw std::invalid_argument(fmt::format(
      "heartbeat of {} ns: at least 1 ms is allowed", heartbeat.count()));
  configure(*this);
  load<caf::io::middleman>();
  load<caf::openssl::manager>();
  // Workers sleep until there is work, and then wake at once; those that steal
  // look for it every ten milliseconds when they are idle.
  set("scheduler.policy", caf::atom("sharing"));
  set("middleman.app-identifiers", std::vector<std::string>{application_name});
  set("middleman.enable-automatic-connections", false);
  set("middleman.heartbeat-interval", caf::timespan(heartbeat));
  set("middleman.connection-timeout", caf::timespan(3 * heartbeat));
  if (!tls)
    return;
  check(*tls);
  copies_ = {copy_to_memory(tls->certificate), copy_to_memory(tls->key),
             copy_to_memory(tls->authority)};
  openssl_certificate = path_of(copies_[0]);
  openssl_key = path_of(copies_[1]);
  openssl_cafile = path_of(copies_[2]);
}

bool has_tls(const caf::actor_system_config& config) {
  return !config.openssl_cafile.empty();
}

} // namespace actorpipe
