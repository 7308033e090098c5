// SPDX-License-Identifier: Apache-2.0
/// What the system refused to do with a file.
#include "compute/io/io_error.hpp"

#include <fmt/format.h>

#include <system_error>

namespace actorpipe {

io_error::io_error(const std::string& path, const std::string& action,
                   int error_number)
  : std::runtime_error(
    fmt::format("{}: cannot {}: {}", path, action,
                std::generic_category().message(error_number))),
    path_(path), error_number_(error_number) {}

} // namespace actorpipe
