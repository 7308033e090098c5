// SPDX-License-Identifier: Apache-2.0
/// The life of a node's process.
#include "actors/launch/launched_node.hpp"

#include "actors/launch/spawned_process.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <poll.h>
#include <string_view>
#include <sys/eventfd.h>
#include <unistd.h>
#include <utility>

namespace actorpipe {

namespace {

using clock = std::chrono::steady_clock;

constexpr std::string_view greeting = "listening on ";
constexpr auto window = std::chrono::minutes(1);

// Reads what is there; false at the end of the stream.
template <class F>
bool drain(int stream, F take) {
  char bytes[4096];
  for (;;) {
    const auto got = ::read(stream, bytes, sizeof bytes);
    if (got > 0)
      take(bytes, static_cast<std::size_t>(got));
    else if (got == 0 || (errno != EINTR && errno != EAGAIN))
      return false;
    else if (errno == EAGAIN)
      return true;
  }
}

// Calls `take` with every whole line; what is left stays in `unread`.
template <class F>
void split_lines(std::string& unread, F take) {
  constexpr std::size_t longest = 4096;
  std::size_t begin = 0;
  for (auto end = unread.find('\n'); end != unread.npos;
       end = unread.find('\n', begin)) {
    take(unread.substr(begin, end - begin));
    begin = end + 1;
  }
  unread.erase(0, begin);
  if (unread.size() > longest)
    take(std::exchange(unread, {}));
}

} // namespace

launched_node::launched_node(launched_node_options options)
  : options_(std::move(options)), wake_(::eventfd(0, EFD_CLOEXEC)) {
  if (wake_ < 0)
    throw std::runtime_error(
      fmt::format("{}: {}", options_.name, std::strerror(errno)));
  thread_ = std::jthread([this] { run(); });
}

launched_node::~launched_node() {
  stop();
  thread_.join();
  ::close(wake_);
}

void launched_node::stop() noexcept {
  stopping_ = true;
  const std::uint64_t one = 1;
  // It cannot fail while the counter is far from its end.
  [[maybe_unused]] const auto done = ::write(wake_, &one, sizeof one);
}

std::optional<std::string> launched_node::address(clock::time_point deadline) {
  std::unique_lock held(mutex_);
  changed_.wait_until(held, deadline, [this] { return address_ || end_; });
  if (end_ && !address_)
    throw launch_error(fmt::format(
      "{} {} before it was ready{}", options_.name, *end_,
      errors_.empty() ? std::string()
                      : fmt::format(":\n  {}", fmt::join(errors_, "\n  "))));
  return address_;
}

std::string launched_node::errors() const {
  const std::lock_guard held(mutex_);
  return fmt::format("{}", fmt::join(errors_, "\n"));
}

void launched_node::run() {
  for (;;) {
    std::string how;
    try {
      how = run_once();
    } catch (const std::exception& error) {
      how = fmt::format("could not be started ({})", error.what());
    }
    if (stopping_ || !may_restart(how)) {
      const std::lock_guard held(mutex_);
      end_ = how;
      changed_.notify_all();
      return;
    }
  }
}

bool launched_node::may_restart(const std::string& how) {
  std::string again;
  {
    const std::lock_guard held(mutex_);
    if (!address_ || !options_.restarts) {
      if (address_)
        options_.log(fmt::format("{} ({}) {}", options_.name, *address_, how));
      return false;
    }
    // At the address that others know.
    again = options_.listen = *address_;
  }
  const auto now = clock::now();
  deaths_.push_back(now);
  while (deaths_.front() + window < now)
    deaths_.pop_front();
  const bool may = deaths_.size() < most_deaths;
  options_.log(
    may ? fmt::format("{} ({}) {}; it is started again", options_.name, again,
                      how)
        : fmt::format("{} ({}) {}, for the {}th time within a minute; it is "
                      "left dead",
                      options_.name, again, how, deaths_.size()));
  return may;
}

std::string launched_node::run_once() {
  spawned_process process(options_.command(options_.listen));
  if (!options_.input.empty())
    process.write_input(options_.input);
  std::string out;
  std::string err;
  const auto take_out = [&](const char* bytes, std::size_t size) {
    take_output(out, bytes, size);
  };
  const auto take_err = [&](const char* bytes, std::size_t size) {
    take_errors(err, bytes, size);
  };
  pollfd streams[] = {{process.ended(), POLLIN, 0},
                      {wake_, POLLIN, 0},
                      {process.out(), POLLIN, 0},
                      {process.err(), POLLIN, 0}};
  int requests = 0;
  clock::time_point next{};
  for (;;) {
    int wait_ms = -1;
    if (requests > 0)
      wait_ms = static_cast<int>(std::max<std::int64_t>(
        0, std::chrono::ceil<std::chrono::milliseconds>(next - clock::now())
             .count()));
    if (::poll(streams, std::size(streams), wait_ms) < 0 && errno != EINTR)
      break;
    if (streams[2].revents != 0 && !drain(process.out(), take_out))
      streams[2].fd = -1;
    if (streams[3].revents != 0 && !drain(process.err(), take_err))
      streams[3].fd = -1;
    if (streams[0].revents != 0)
      break;
    if (!stopping_ || (requests > 0 && clock::now() < next))
      continue;
    streams[1].fd = -1;
    if (requests == 0)
      process.close_input();
    else
      process.send(requests == 1 ? SIGTERM : SIGKILL);
    if (requests == 2)
      options_.log(fmt::format("{} did not end when it was asked to, and is "
                               "killed",
                               options_.name));
    ++requests;
    next = clock::now() + options_.patience;
  }
  drain(process.out(), take_out);
  drain(process.err(), take_err);
  if (!err.empty())
    take_errors(err, "\n", 1);
  return describe_end(process.wait());
}

void launched_node::take_output(std::string& unread, const char* bytes,
                                std::size_t size) {
  unread.append(bytes, size);
  split_lines(unread, [this](const std::string& line) {
    if (!line.starts_with(greeting))
      return;
    const std::lock_guard held(mutex_);
    if (!address_)
      address_ = line.substr(greeting.size());
    changed_.notify_all();
  });
}

void launched_node::take_errors(std::string& unread, const char* bytes,
                                std::size_t size) {
  constexpr std::size_t most_lines = 20;
  unread.append(bytes, size);
  split_lines(unread, [this](const std::string& line) {
    {
      const std::lock_guard held(mutex_);
      errors_.push_back(line);
      if (errors_.size() > most_lines)
        errors_.pop_front();
    }
    options_.printed(fmt::format("{}: {}", options_.name, line));
  });
}

} // namespace actorpipe
