// SPDX-License-Identifier: Apache-2.0
/// The files that let a process into a cluster.
#pragma once

#include <string>

namespace actorpipe {

/// Paths of PEM files.
struct tls_files {
  std::string certificate; ///< of this process, signed by the authority
  std::string key;         ///< the private key of the certificate
  std::string authority;   ///< the certificate that every peer's is signed by

  friend bool operator==(const tls_files&, const tls_files&) = default;
};

/// Checks that the three files can be read, that the key is the certificate's,
/// and that the certificate is valid today and signed by the authority. Throws
/// std::invalid_argument that names the file that is wrong and why.
void check(const tls_files& files);

} // namespace actorpipe
