// SPDX-License-Identifier: Apache-2.0
/// A program behind two pipes or a pseudo-terminal.
#include "tests/apps/child_process.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace actorpipe::test {

namespace {

int checked(int result, const char* what) {
  if (result < 0)
    throw std::system_error(errno, std::generic_category(), what);
  return result;
}

// Where a stream can be read here and written there.
struct stream {
  int here = -1;
  int there = -1;
};

stream make_pipe() {
  int ends[2];
  checked(pipe2(ends, O_CLOEXEC), "pipe");
  checked(fcntl(ends[1], F_SETPIPE_SZ, 4096), "size of a pipe");
  return {ends[0], ends[1]};
}

stream make_terminal(unsigned short columns) {
  stream result;
  termios raw{};
  cfmakeraw(&raw);
  const winsize size{25, columns, 0, 0};
  checked(openpty(&result.here, &result.there, nullptr, &raw, &size), "pty");
  checked(fcntl(result.here, F_SETFD, FD_CLOEXEC), "pty");
  checked(fcntl(result.there, F_SETFD, FD_CLOEXEC), "pty");
  return result;
}

stream make_output(const process_options& options) {
  if (options.terminal_columns)
    return make_terminal(*options.terminal_columns);
  if (options.output.empty())
    return make_pipe();
  // Nothing comes out of it here: what is read is a stream of its own.
  auto result = make_pipe();
  close(result.there);
  result.there =
    checked(open(options.output.c_str(), O_WRONLY | O_CLOEXEC), "output");
  return result;
}

// Between fork and exec: only what is safe there.
[[noreturn]] void become(char* const* command, const process_options& options,
                         int out, int err) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int nothing = open("/dev/null", O_RDONLY);
  bool ready = dup2(nothing, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0
            && dup2(err, STDERR_FILENO) >= 0;
  if (!options.folder.empty())
    ready = ready && chdir(options.folder.c_str()) == 0;
  if (options.file_size_bytes) {
    // Ignored, so that a write fails as it does on a full disk.
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{*options.file_size_bytes, *options.file_size_bytes};
    ready = ready && setrlimit(RLIMIT_FSIZE, &limit) == 0;
  }
  if (ready)
    execvp(command[0], command);
  _exit(127);
}

} // namespace

child_process::child_process(const std::vector<std::string>& command,
                             const process_options& options) {
  std::vector<char*> words;
  for (const auto& word : command)
    words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const auto out = make_output(options);
  const auto err = make_pipe();
  pid_ = checked(fork(), "fork");
  if (pid_ == 0)
    become(words.data(), options, out.there, err.there);
  close(out.there);
  close(err.there);
  out_ = out.here;
  err_ = err.here;
}

child_process::~child_process() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  for (const int stream : {out_, err_})
    if (stream >= 0)
      close(stream);
}

bool child_process::read_some(std::optional<std::chrono::microseconds> limit) {
  if (out_ < 0 && err_ < 0)
    return false;
  pollfd streams[] = {{out_, POLLIN, 0}, {err_, POLLIN, 0}};
  timespec time{};
  if (limit) {
    const auto us = std::max<std::int64_t>(limit->count(), 0);
    time = {us / 1'000'000, us % 1'000'000 * 1000};
  }
  checked(ppoll(streams, 2, limit ? &time : nullptr, nullptr), "poll");
  const std::pair<int*, std::string*> both[] = {{&out_, &end_.out},
                                                {&err_, &end_.err}};
  for (int i = 0; i < 2; ++i) {
    if (streams[i].revents == 0)
      continue;
    const auto& [stream, text] = both[i];
    char bytes[4096];
    const auto got = read(*stream, bytes, sizeof bytes);
    if (got > 0) {
      text->append(bytes, static_cast<std::size_t>(got));
    } else {
      // A terminal says EIO when nobody holds its other side.
      close(*stream);
      *stream = -1;
    }
  }
  return true;
}

bool child_process::read_until(std::string_view text, std::size_t times) {
  const auto count = [&] {
    std::size_t result = 0;
    for (auto at = end_.out.find(text); at != std::string::npos;
         at = end_.out.find(text, at + text.size()))
      ++result;
    return result;
  };
  while (count() < times)
    if (!read_some(std::nullopt))
      return false;
  return true;
}

void child_process::read_for(std::chrono::microseconds duration) {
  using clock = std::chrono::steady_clock;
  const auto end = clock::now() + duration;
  for (auto now = clock::now(); now < end; now = clock::now())
    if (!read_some(
          std::chrono::duration_cast<std::chrono::microseconds>(end - now)))
      return;
}

void child_process::send(int signal) const {
  checked(kill(pid_, signal), "kill");
}

bool child_process::send_until_end(int signal) {
  for (int i = 0; i < 1'000'000; ++i) {
    send(signal);
    sched_yield();
    siginfo_t state{};
    checked(waitid(P_PID, static_cast<id_t>(pid_), &state,
                   WEXITED | WNOHANG | WNOWAIT),
            "wait");
    if (state.si_pid != 0)
      return true;
  }
  return false;
}

process_end child_process::finish() {
  while (read_some(std::nullopt)) {
  }
  reap();
  return end_;
}

void child_process::reap() {
  int status = 0;
  checked(waitpid(pid_, &status, 0), "wait");
  pid_ = -1;
  end_.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

} // namespace actorpipe::test
