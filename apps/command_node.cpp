// SPDX-License-Identifier: Apache-2.0
/// `actorpipe node`: lends this machine's devices to runs.
#include "apps/commands.hpp"
#include "apps/end_watch.hpp"
#include "apps/plugin_arguments.hpp"
#include "apps/replace_process.hpp"
#include "apps/tls_arguments.hpp"

#include "actors/cluster/node_process.hpp"
#include "actors/control/tls_bundle.hpp"
#include "actors/launch/hosts_file.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>

namespace actorpipe {

namespace {

struct node_arguments {
  std::string listen = "127.0.0.1:7070";
  std::string devices = "cpu:0";
  std::uint16_t link_port = 0;
  tls_arguments tls;
  bool tls_from_stdin = false;
  bool exits_with_stdin = false;
  std::vector<std::string> plugins;
};

// A byte at a time: what follows the certificates is not ours to read.
int next_of_stdin() {
  unsigned char byte = 0;
  return ::read(STDIN_FILENO, &byte, 1) == 1 ? byte : -1;
}

std::optional<tls_in_memory> take_certificates(const node_arguments& args) {
  if (!args.tls_from_stdin)
    return std::nullopt;
  if (args.tls.insecure || args.tls.are_given())
    throw std::invalid_argument(
      "--tls-from-stdin: certificates or --insecure are given too, and only "
      "one can hold");
  return std::optional<tls_in_memory>(std::in_place,
                                      read_bundle(next_of_stdin));
}

// The words that start the same node anew, at the address that it has.
std::vector<std::string> again(const node_arguments& args,
                               const std::string& address,
                               const std::optional<tls_files>& tls) {
  std::vector<std::string> words{"node",
                                 "--listen",
                                 address,
                                 "--devices",
                                 args.devices,
                                 "--link-port",
                                 std::to_string(args.link_port)};
  if (tls)
    words.insert(words.end(), {"--tls-cert", tls->certificate, "--tls-key",
                               tls->key, "--tls-ca", tls->authority});
  else
    words.emplace_back("--insecure");
  for (const auto& plugin : args.plugins)
    words.insert(words.end(), {"--plugin", plugin});
  if (args.exits_with_stdin)
    words.emplace_back("--exit-with-stdin");
  return words;
}

int serve(const node_arguments& args) {
  end_watch ends;
  const auto from_stdin = take_certificates(args);
  auto tls = args.tls;
  if (from_stdin)
    tls.files = from_stdin->files();
  node_options options;
  options.listen = args.listen;
  options.link_port = args.link_port;
  options.devices = split_list(args.devices, "--devices");
  options.tls = chosen_tls(tls);
  options.registry = registry_with(args.plugins);
  options.log = [](const std::string& text) {
    fmt::print(stderr, "{}\n", text);
  };
  node_process node(options);
  fmt::print("listening on {}\n", node.address());
  std::fflush(stdout);
  ends.start(args.exits_with_stdin, [&node] { node.stop(); });
  if (node.wait() == node_process::ending::replaced) {
    // The node's destructor would wait for what does not return.
    close_files_on_exec();
    if (from_stdin)
      from_stdin->keep_for_exec();
    replace_this_process(again(args, node.address(), options.tls));
  }
  return exit_ok;
}

} // namespace

void add_node(CLI::App& app, std::function<int()>& run) {
  auto* command = app.add_subcommand("node", "Lend this machine to runs");
  auto args = std::make_shared<node_arguments>();
  command
    ->add_option("--listen", args->listen,
                 "Where trainers reach it; port 0 for a free one")
    ->type_name("HOST:PORT")
    ->capture_default_str();
  command
    ->add_option("--devices", args->devices,
                 "What it lends; each runs one stage at a time")
    ->capture_default_str();
  command
    ->add_option("--link-port", args->link_port,
                 "Where other nodes reach it; 0 for a free port")
    ->capture_default_str();
  add_tls_arguments(*command, args->tls);
  command->add_flag("--tls-from-stdin", args->tls_from_stdin,
                    "Read certificate, key and authority from standard input, "
                    "up to a line with a dot");
  command->add_flag("--exit-with-stdin", args->exits_with_stdin,
                    "End when standard input does");
  add_plugin_arguments(*command, args->plugins);
  command->callback([args, &run] { run = [args] { return serve(*args); }; });
}

} // namespace actorpipe
