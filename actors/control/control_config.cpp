// SPDX-License-Identifier: Apache-2.0
/// Settings of CAF's network modules.
#include "actors/control/control_config.hpp"

#include "messages/configure.hpp"

#include <caf/io/middleman.hpp>

#include <caf/actor_system.hpp>

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace actorpipe {

namespace {

openssl::context make_context(const tls_files& files) {
  openssl::context result(SSL_CTX_new(TLS_method()));
  auto* const x = result.get();
  if (x == nullptr || SSL_CTX_set_min_proto_version(x, TLS1_3_VERSION) != 1
      || SSL_CTX_use_certificate_chain_file(x, files.certificate.c_str()) != 1
      || SSL_CTX_use_PrivateKey_file(x, files.key.c_str(), SSL_FILETYPE_PEM)
           != 1
      || SSL_CTX_load_verify_locations(x, files.authority.c_str(), nullptr)
           != 1)
    throw std::invalid_argument("cannot set up TLS: " + openssl::take_error());
  SSL_CTX_set_verify(x, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT,
                     nullptr);
  // Sessions are not taken up again: every connection shows its certificate.
  SSL_CTX_set_session_cache_mode(x, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(x, 0);
  // CAF may go on with the rest of a buffer at another address.
  SSL_CTX_set_mode(x, SSL_MODE_ENABLE_PARTIAL_WRITE
                        | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  return result;
}

} // namespace

control_config::control_config(const std::optional<tls_files>& tls,
                               std::chrono::nanoseconds heartbeat) {
  if (heartbeat < std::chrono::milliseconds(1))
    throw std::invalid_argument(fmt::format(
      "heartbeat of {} ns: at least 1 ms is allowed", heartbeat.count()));
  configure(*this);
  load<caf::io::middleman>();
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
  tls_ = make_context(*tls);
}

const control_config& config_of(caf::actor_system& system) {
  const auto* result = dynamic_cast<const control_config*>(&system.config());
  if (result == nullptr)
    throw std::logic_error("an actor system without a control_config");
  return *result;
}

} // namespace actorpipe
