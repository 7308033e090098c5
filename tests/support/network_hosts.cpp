// SPDX-License-Identifier: Apache-2.0
/// Network namespaces that processes of their own hold, joined by a bridge.
#include "tests/support/network_hosts.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sched.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace actorpipe::test {

namespace {

// A process that holds a namespace and does nothing. It ends with this thread.
pid_t hold_namespace() {
  int ready[2];
  if (pipe2(ready, O_CLOEXEC) != 0)
    throw std::runtime_error("no pipe");
  const auto process = fork();
  if (process == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int failure = unshare(CLONE_NEWNET) == 0 ? 0 : errno;
    if (write(ready[1], &failure, sizeof failure) == sizeof failure
        && failure == 0)
      for (;;)
        ::pause();
    _exit(1);
  }
  close(ready[1]);
  int failure = EIO;
  const auto got = read(ready[0], &failure, sizeof failure);
  close(ready[0]);
  if (got == sizeof failure && failure == 0)
    return process;
  waitpid(process, nullptr, 0);
  throw std::runtime_error(std::string("no network namespace can be made: ")
                           + std::strerror(failure));
}

std::vector<std::string> inside(pid_t holder) {
  return {"nsenter", "--target", std::to_string(holder), "--net"};
}

// Runs a command of "ip", whose words are separated by blanks.
void ip(pid_t holder, const std::string& arguments) {
  auto words = inside(holder);
  words.emplace_back("ip");
  for (std::size_t at = 0; at < arguments.size();) {
    const auto end = std::min(arguments.find(' ', at), arguments.size());
    words.push_back(arguments.substr(at, end - at));
    at = end + 1;
  }
  std::vector<char*> command;
  for (auto& x : words)
    command.push_back(x.data());
  command.push_back(nullptr);
  const auto process = fork();
  if (process == 0) {
    execvp(command[0], command.data());
    _exit(127);
  }
  int status = 0;
  waitpid(process, &status, 0);
  if (status != 0)
    throw std::runtime_error("\"ip " + arguments + "\" is not possible here");
}

std::string number(std::size_t host) {
  return std::to_string(host + 1);
}

} // namespace

network_hosts::network_hosts(std::size_t count) {
  try {
    for (std::size_t i = 0; i <= count; ++i)
      holders_.push_back(hold_namespace());
    const auto bridge = holders_.back();
    ip(bridge, "link add switch type bridge");
    ip(bridge, "link set switch up");
    for (std::size_t i = 0; i < count; ++i) {
      const auto host = holders_[i];
      const auto port = "port" + number(i);
      ip(bridge, "link add " + port + " type veth peer name eth0 netns "
                   + std::to_string(host));
      ip(bridge, "link set " + port + " master switch up");
      ip(host, "link set lo up");
      ip(host, "address add 10.77.0." + number(i) + "/24 dev eth0");
      ip(host, "address add fd00:77::" + number(i) + "/64 dev eth0 nodad");
      ip(host, "link set eth0 up");
    }
  } catch (...) {
    end();
    throw;
  }
}

network_hosts::~network_hosts() {
  end();
}

void network_hosts::end() noexcept {
  for (const auto process : holders_) {
    kill(process, SIGKILL);
    waitpid(process, nullptr, 0);
  }
}

std::vector<std::string> network_hosts::on(std::size_t host) const {
  return inside(holders_.at(host));
}

std::string network_hosts::ip4(std::size_t host) {
  return "10.77.0." + number(host);
}

std::string network_hosts::ip6(std::size_t host) {
  return "[fd00:77::" + number(host) + "]";
}

void network_hosts::set_port(std::size_t host, const char* state) {
  ip(holders_.back(), "link set port" + number(host) + ' ' + state);
}

void network_hosts::cut(std::size_t host) {
  set_port(host, "down");
}

void network_hosts::heal(std::size_t host) {
  set_port(host, "up");
}

} // namespace actorpipe::test
