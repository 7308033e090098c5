// SPDX-License-Identifier: Apache-2.0
/// Starting a program and awaiting its end.
#include "actors/launch/spawned_process.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace actorpipe {

namespace {

void close_if_open(int& file) noexcept {
  if (file >= 0)
    ::close(std::exchange(file, -1));
}

// The ends of the streams that the program gets.
struct streams {
  int in = -1;
  int out = -1;
  int err = -1;
  ~streams() {
    close_if_open(in);
    close_if_open(out);
    close_if_open(err);
  }
};

// Standard input, output and error from the given ones; all signals as they
// are for a new program; a process group of its own.
int spawn(pid_t& pid, const std::vector<std::string>& command,
          const streams& from) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, from.in, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, from.out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, from.err, STDERR_FILENO);
  posix_spawnattr_t how;
  posix_spawnattr_init(&how);
  sigset_t none;
  sigemptyset(&none);
  sigset_t all;
  sigfillset(&all);
  posix_spawnattr_setsigmask(&how, &none);
  posix_spawnattr_setsigdefault(&how, &all);
  posix_spawnattr_setpgroup(&how, 0);
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK
                                   | POSIX_SPAWN_SETSIGDEF);
  std::vector<char*> words;
  for (const auto& word : command)
    words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const int error =
    ::posix_spawnp(&pid, words[0], &files, &how, words.data(), environ);
  posix_spawnattr_destroy(&how);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

} // namespace

spawned_process::spawned_process(const std::vector<std::string>& command) {
  streams theirs;
  int input[2];
  int output[2];
  int errors[2];
  const auto check = [&](int result) {
    if (result == 0)
      return;
    const auto why = errno;
    close_if_open(in_);
    close_if_open(out_);
    close_if_open(err_);
    throw std::runtime_error(fmt::format("{}: cannot be started: {}",
                                         command.at(0), std::strerror(why)));
  };
  // A socket, since writing to one can fail without a signal.
  check(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, input));
  theirs.in = input[0];
  in_ = input[1];
  check(::pipe2(output, O_CLOEXEC));
  out_ = output[0];
  theirs.out = output[1];
  check(::pipe2(errors, O_CLOEXEC));
  err_ = errors[0];
  theirs.err = errors[1];
  ::fcntl(out_, F_SETFL, O_NONBLOCK);
  ::fcntl(err_, F_SETFL, O_NONBLOCK);
  errno = spawn(pid_, command, theirs);
  check(errno == 0 ? 0 : -1);
  ended_ = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
  if (ended_ >= 0)
    return;
  const auto why = errno;
  send(SIGKILL);
  wait();
  errno = why;
  check(-1);
}

spawned_process::~spawned_process() {
  if (pid_ > 0) {
    send(SIGKILL);
    wait();
  }
  for (int* file : {&in_, &out_, &err_, &ended_})
    close_if_open(*file);
}

bool spawned_process::write_input(std::string_view text) {
  while (!text.empty()) {
    const auto done = ::send(in_, text.data(), text.size(), MSG_NOSIGNAL);
    if (done < 0 && errno == EINTR)
      continue;
    if (done < 0)
      return false;
    text.remove_prefix(static_cast<std::size_t>(done));
  }
  return true;
}

void spawned_process::close_input() noexcept {
  close_if_open(in_);
}

void spawned_process::send(int signal) const noexcept {
  ::kill(pid_, signal);
}

int spawned_process::wait() noexcept {
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  return status;
}

std::string describe_end(int status) {
  if (WIFSIGNALED(status))
    return fmt::format("was killed by signal {} ({})", WTERMSIG(status),
                       ::strsignal(WTERMSIG(status)));
  return fmt::format("ended with exit code {}", WEXITSTATUS(status));
}

} // namespace actorpipe
