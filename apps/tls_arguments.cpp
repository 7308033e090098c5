// SPDX-License-Identifier: Apache-2.0
/// How a command is told of certificates.
#include "apps/tls_arguments.hpp"

#include <stdexcept>

namespace actorpipe {

void add_tls_arguments(CLI::App& command, tls_arguments& into) {
  command.add_option("--tls-cert", into.files.certificate,
                     "PEM file with this process's certificate");
  command.add_option("--tls-key", into.files.key,
                     "PEM file with the certificate's key");
  command.add_option("--tls-ca", into.files.authority,
                     "PEM file with the authority that signs every peer's");
  command.add_flag("--insecure", into.insecure,
                   "Plain text: whoever reaches the ports can take part");
}

std::optional<tls_files> chosen_tls(const tls_arguments& arguments) {
  if (arguments.insecure) {
    if (arguments.are_given())
      throw std::invalid_argument(
        "--insecure: certificates are given too, and only one can hold");
    return std::nullopt;
  }
  if (!arguments.are_given())
    throw std::invalid_argument(
      "certificates are needed: give --tls-cert, --tls-key and --tls-ca "
      "(scripts/make_certificates makes them), or --insecure for plain text");
  const auto require = [](const char* option, const std::string& path) {
    if (path.empty())
      throw std::invalid_argument(
        std::string(option)
        + " is missing: --tls-cert, --tls-key and --tls-ca belong together");
  };
  require("--tls-cert", arguments.files.certificate);
  require("--tls-key", arguments.files.key);
  require("--tls-ca", arguments.files.authority);
  check(arguments.files);
  return arguments.files;
}

} // namespace actorpipe
