// SPDX-License-Identifier: Apache-2.0
/// This program in place of itself.
#include "apps/replace_process.hpp"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <system_error>
#include <unistd.h>

namespace actorpipe {

void close_files_on_exec() {
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
    if (const int file = std::stoi(entry.path().filename().string());
        file > STDERR_FILENO)
      ::fcntl(file, F_SETFD, FD_CLOEXEC);
}

void replace_this_process(const std::vector<std::string>& words) {
  std::vector<char*> arguments{const_cast<char*>("actorpipe")};
  for (const auto& word : words)
    arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ::execv("/proc/self/exe", arguments.data());
  throw std::system_error(errno, std::generic_category(),
                          "the program cannot be started anew");
}

} // namespace actorpipe
