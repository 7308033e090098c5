// SPDX-License-Identifier: Apache-2.0
/// Starts a node, and starts it again.
#include "tests/support/node_program.hpp"

#include <csignal>
#include <fcntl.h>
#include <stdexcept>
#include <string_view>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace actorpipe::test {

namespace {

constexpr std::string_view greeting = "listening on ";

// Up to the end of a line.
std::string read_line(int from) {
  std::string result;
  char next = 0;
  while (read(from, &next, 1) == 1 && next != '\n')
    result += next;
  return result;
}

std::vector<std::string> words_of(const std::string& program,
                                  const std::string& listen,
                                  const node_program_options& options) {
  auto result = options.before;
  std::string devices = "cpu:0";
  for (std::size_t i = 1; i < options.devices; ++i)
    devices += ",cpu:" + std::to_string(i);
  result.insert(result.end(),
                {program, "node", "--listen", listen, "--devices", devices});
  if (options.tls)
    result.insert(result.end(),
                  {"--tls-cert", options.tls->certificate, "--tls-key",
                   options.tls->key, "--tls-ca", options.tls->authority});
  else
    result.emplace_back("--insecure");
  result.insert(result.end(), options.arguments.begin(),
                options.arguments.end());
  return result;
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> result;
  for (const auto& x : words)
    result.push_back(const_cast<char*>(x.c_str()));
  result.push_back(nullptr);
  return result;
}

} // namespace

node_program::node_program(std::string program, node_program_options options)
  : program_(std::move(program)), options_(std::move(options)),
    log_(memfd_create("log of a node", MFD_CLOEXEC)),
    guardian_([this] { run(); }) {
  std::unique_lock held(mutex_);
  try {
    await_listening(held);
  } catch (...) {
    is_ending_ = true;
    held.unlock();
    changed_.notify_all();
    throw;
  }
}

node_program::~node_program() {
  {
    const std::lock_guard held(mutex_);
    is_ending_ = true;
    if (process_ > 0)
      ::kill(process_, SIGKILL);
  }
  changed_.notify_all();
  guardian_.join();
  close(log_);
}

std::string node_program::address() const {
  const std::lock_guard held(mutex_);
  return address_;
}

void node_program::signal(int number) {
  const std::lock_guard held(mutex_);
  if (process_ > 0)
    ::kill(process_, number);
}

void node_program::kill() {
  std::unique_lock held(mutex_);
  const auto present = process_;
  if (present <= 0)
    return;
  is_wanted_ = options_.restarts;
  ::kill(present, SIGKILL);
  changed_.wait(held, [&] { return process_ != present; });
}

void node_program::start() {
  std::unique_lock held(mutex_);
  is_wanted_ = true;
  changed_.notify_all();
  await_listening(held);
}

void node_program::await_listening(std::unique_lock<std::mutex>& held) {
  changed_.wait(held, [this] { return process_ > 0 || !is_wanted_; });
  if (process_ <= 0)
    throw std::runtime_error("a node did not start: " + log());
}

std::size_t node_program::starts() const {
  const std::lock_guard held(mutex_);
  return starts_;
}

std::string node_program::log() const {
  std::string result(static_cast<std::size_t>(lseek(log_, 0, SEEK_END)), '\0');
  const auto got = pread(log_, result.data(), result.size(), 0);
  result.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return result;
}

void node_program::run() {
  std::unique_lock held(mutex_);
  for (;;) {
    changed_.wait(held, [this] { return is_wanted_ || is_ending_; });
    if (is_ending_)
      return;
    held.unlock();
    run_once();
    held.lock();
  }
}

void node_program::run_once() {
  pid_t process = -1;
  int out = -1; // open as long as it may print there
  const auto address = spawn_and_read(process, out);
  {
    const std::lock_guard held(mutex_);
    if (address.empty()) {
      is_wanted_ = false;
    } else {
      address_ = address;
      process_ = process;
      ++starts_;
      is_wanted_ = options_.restarts;
    }
    if (is_ending_)
      ::kill(process, SIGKILL);
  }
  changed_.notify_all();
  // Left to be awaited, so that nobody signals another process of its number.
  siginfo_t ended{};
  waitid(P_PID, static_cast<id_t>(process), &ended, WEXITED | WNOWAIT);
  {
    const std::lock_guard held(mutex_);
    process_ = -1;
    waitpid(process, nullptr, 0);
  }
  close(out);
  changed_.notify_all();
}

std::string node_program::spawn_and_read(pid_t& process, int& output) const {
  const auto words =
    words_of(program_, address_.empty() ? options_.listen : address_, options_);
  const auto command = pointers(words);
  std::vector<std::string> variables;
  for (char** x = environ; *x != nullptr; ++x)
    variables.emplace_back(*x);
  variables.insert(variables.end(), options_.environment.begin(),
                   options_.environment.end());
  const auto environment = pointers(variables);
  int out[2];
  if (pipe2(out, O_CLOEXEC) != 0)
    throw std::runtime_error("no pipe for a node");
  process = fork();
  if (process == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    lseek(log_, 0, SEEK_END);
    dup2(log_, STDERR_FILENO);
    execvpe(command[0], command.data(), environment.data());
    _exit(127);
  }
  close(out[1]);
  output = out[0];
  const auto line = read_line(output);
  return line.starts_with(greeting) ? line.substr(greeting.size()) : "";
}

} // namespace actorpipe::test
