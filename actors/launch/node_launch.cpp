// SPDX-License-Identifier: Apache-2.0
/// Starting the nodes of one run.
#include "actors/launch/node_launch.hpp"

#include "actors/control/certificates.hpp"
#include "actors/control/endpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace actorpipe {

namespace {

using clock = std::chrono::steady_clock;

// For a shell on the other side: one word, whatever is in it.
std::string quoted(const std::string& word) {
  std::string result = "'";
  for (const char c : word)
    result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

// What follows the program's name; `listen` is where, the rest as options.
std::vector<std::string> node_words(const std::string& listen,
                                    const std::vector<std::string>& devices,
                                    const launch_options& options) {
  std::string list;
  for (const auto& x : devices)
    list += (list.empty() ? "" : ",") + x;
  std::vector<std::string> words{"node",
                                 "--listen",
                                 listen,
                                 "--devices",
                                 list,
                                 "--exit-with-stdin",
                                 options.insecure ? "--insecure"
                                                  : "--tls-from-stdin"};
  for (const auto& plugin : options.plugins)
    words.insert(words.end(), {"--plugin", plugin});
  return words;
}

} // namespace

std::vector<std::string> numeric_environment() {
  constexpr std::array<std::string_view, 9> prefixes{
    "OPENBLAS_", "GOTO_", "BLIS_", "MKL_", "DNNL_",
    "ONEDNN_",   "OMP_",  "GOMP_", "KMP_"};
  std::vector<std::string> result;
  for (char** x = environ; x != nullptr && *x != nullptr; ++x)
    if (const std::string_view variable(*x);
        std::ranges::any_of(prefixes, [&](std::string_view prefix) {
          return variable.starts_with(prefix);
        }))
      result.emplace_back(variable);
  std::ranges::sort(result);
  return result;
}

node_launch::node_launch(launch_options options)
  : options_(std::move(options)) {
  const auto count =
    options_.local + static_cast<std::uint32_t>(options_.hosts.size());
  bundles_.resize(count);
  if (options_.tls) {
    std::ranges::fill(bundles_, to_bundle(read_texts(*options_.tls)));
  } else if (!options_.insecure) {
    // On disk only until all of it has been read.
    const one_run_authority authority;
    own_.emplace(read_texts(authority.make("trainer")));
    for (std::uint32_t i = 0; i < count; ++i)
      bundles_[i] =
        to_bundle(read_texts(authority.make(fmt::format("node-{}", i))));
  }
  for (std::uint32_t i = 0; i < options_.local; ++i)
    start_local(i);
  for (const auto& host : options_.hosts)
    start_remote(static_cast<std::uint32_t>(nodes_.size()), host);
  await_all();
}

node_launch::~node_launch() {
  stop_all();
}

// All at once, and then each is awaited.
void node_launch::stop_all() noexcept {
  for (const auto& node : nodes_)
    node->stop();
  nodes_.clear();
}

std::optional<tls_files> node_launch::tls() const {
  return own_ ? own_->files() : options_.tls;
}

void node_launch::start_local(std::uint32_t index) {
  std::vector<std::string> devices;
  for (std::uint32_t i = 0; i < options_.devices_per_node; ++i)
    devices.push_back(fmt::format("cpu:{}", i));
  launched_node_options how;
  how.name = fmt::format("node {}", index);
  how.command = [this, devices](const std::string& listen) {
    auto words = node_words(listen, devices, options_);
    words.insert(words.begin(), options_.program);
    return words;
  };
  how.listen = "127.0.0.1:0";
  how.input = bundles_[index];
  how.restarts = true;
  how.log = options_.log;
  how.printed = options_.printed;
  remote_.emplace_back();
  nodes_.push_back(std::make_unique<launched_node>(std::move(how)));
}

void node_launch::start_remote(std::uint32_t index, const launch_host& host) {
  launched_node_options how;
  how.name = fmt::format("node {} on {}", index, host.login);
  how.command = [this, host](const std::string& listen) {
    std::string there = "exec env";
    for (const auto& variable : numeric_environment())
      there += ' ' + quoted(variable);
    there += ' ' + quoted(host.command);
    auto words = node_words(listen, host.devices, options_);
    if (host.link_port != 0)
      words.insert(words.end(),
                   {"--link-port", std::to_string(host.link_port)});
    for (const auto& word : words)
      there += ' ' + quoted(word);
    auto command = options_.ssh;
    command.insert(command.end(), {host.login, there});
    return command;
  };
  how.listen = fmt::format("0.0.0.0:{}", host.port);
  how.input = bundles_[index];
  how.log = options_.log;
  how.printed = options_.printed;
  remote_.push_back(host.address);
  nodes_.push_back(std::make_unique<launched_node>(std::move(how)));
}

void node_launch::await_all() {
  const auto deadline = clock::now() + options_.start_within;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    std::optional<std::string> printed;
    while (!printed) {
      printed = nodes_[i]->address(
        std::min(deadline, clock::now() + std::chrono::milliseconds(100)));
      if (printed)
        break;
      if (options_.stop())
        throw launch_error("interrupted while the nodes were being started");
      if (clock::now() >= deadline)
        throw launch_error(fmt::format(
          "node {} does not listen after {} s{}{}", i,
          std::chrono::duration<double>(options_.start_within).count(),
          nodes_[i]->errors().empty() ? "" : ":\n", nodes_[i]->errors()));
    }
    auto where = parse_endpoint(*printed);
    if (!remote_[i].empty())
      where.host = remote_[i];
    addresses_.push_back(to_string(where));
  }
}

} // namespace actorpipe
