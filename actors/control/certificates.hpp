// SPDX-License-Identifier: Apache-2.0
/// Makes an authority and the certificates that it signs.
#pragma once

#include "actors/control/tls_files.hpp"

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>

namespace actorpipe {

/// Paths of an authority's PEM files.
struct authority_files {
  std::string certificate; ///< what everyone gets
  std::string key;         ///< what stays with whoever signs
};

/// When a certificate is valid, relative to now. It begins early, for hosts
/// whose clocks are late.
struct validity {
  std::chrono::seconds begins_in = -std::chrono::hours(24);
  std::chrono::seconds ends_in = std::chrono::hours(24 * 365);
};

/// Makes an authority (EC P-256, signed by itself) in `folder`, which is made
/// with mode 0700 if it is not there: `authority.pem` and `authority-key.pem`,
/// the key with mode 0600. Never overwrites a file. Throws std::runtime_error.
authority_files make_authority(const std::filesystem::path& folder,
                               validity when = {});

/// Makes a key and a certificate that `authority` signs, for both ends of a
/// connection: `NAME.pem` and `NAME-key.pem` in `folder`, as above. `name` is
/// for people: 1 to 64 letters, digits, dots, underscores and dashes, the first
/// a letter or digit; std::invalid_argument otherwise. Never overwrites a file.
/// Throws std::runtime_error.
tls_files make_certificate(const std::filesystem::path& folder,
                           const authority_files& authority,
                           std::string_view name, validity when = {});

/// An authority for one run, in a new folder of mode 0700 below the folder for
/// temporary files. The destructor removes the folder.
class one_run_authority {
public:
  /// Throws std::runtime_error.
  one_run_authority();

  one_run_authority(const one_run_authority&) = delete;
  one_run_authority& operator=(const one_run_authority&) = delete;

  ~one_run_authority();

  const std::filesystem::path& folder() const noexcept { return folder_; }

  const authority_files& authority() const noexcept { return authority_; }

  /// A new certificate in the folder; see `make_certificate`.
  tls_files make(std::string_view name) const;

private:
  std::filesystem::path folder_;
  authority_files authority_;
};

} // namespace actorpipe
