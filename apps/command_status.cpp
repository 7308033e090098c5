// SPDX-License-Identifier: Apache-2.0
/// `actorpipe status`: how a node is, and the run that it works for.
#include "apps/commands.hpp"
#include "apps/tls_arguments.hpp"

#include "actors/cluster/cluster.hpp"
#include "actors/cluster/status_text.hpp"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <string>

namespace actorpipe {

namespace {

struct status_arguments {
  std::string address;
  tls_arguments tls;
  double timeout_s = 5;
  bool json = false;
};

int show_status(const status_arguments& args) {
  const auto tls = chosen_tls(args.tls);
  const auto timeout = std::chrono::duration_cast<std::chrono::nanoseconds>(
    std::chrono::duration<double>(args.timeout_s));
  const auto status = query_status(args.address, tls, timeout);
  fmt::print("{}", args.json ? to_json(status) : to_text(status));
  return exit_ok;
}

} // namespace

void add_status(CLI::App& app, std::function<int()>& run) {
  auto* command = app.add_subcommand("status", "Show how a node is");
  auto args = std::make_shared<status_arguments>();
  command->add_option("ADDRESS", args->address, "Of the node, HOST:PORT")
    ->required();
  add_tls_arguments(*command, args->tls);
  command
    ->add_option("--timeout", args->timeout_s, "Seconds to wait for an answer")
    ->check(CLI::Range(0.001, 86400.0))
    ->capture_default_str();
  command->add_flag("--json", args->json, "Print it as JSON");
  command->callback(
    [args, &run] { run = [args] { return show_status(*args); }; });
}

} // namespace actorpipe
