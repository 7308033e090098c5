// SPDX-License-Identifier: Apache-2.0
/// The program `actorpipe`: chooses a subcommand and turns errors into exit
/// codes.
#include "apps/commands.hpp"

#include "actors/plugin.hpp"
#include "actors/run/checkpoint.hpp"
#include "actors/run/config.hpp"
#include "actors/run/run_directory.hpp"
#include "compute/data/text_corpus.hpp"
#include "compute/io/io_error.hpp"

#include <csignal>
#include <cstdio>
#include <stdexcept>

namespace {

// What the user can mend by giving something else; the rest are failures.
bool is_users(const std::exception& error) {
  using namespace actorpipe;
  return dynamic_cast<const std::invalid_argument*>(&error) != nullptr
      || dynamic_cast<const config_error*>(&error) != nullptr
      || dynamic_cast<const data_error*>(&error) != nullptr
      || dynamic_cast<const format_error*>(&error) != nullptr
      || dynamic_cast<const checkpoint_error*>(&error) != nullptr
      || dynamic_cast<const plugin_error*>(&error) != nullptr
      || dynamic_cast<const run_directory_error*>(&error) != nullptr;
}

} // namespace

int main(int argc, char** argv) {
  using namespace actorpipe;
  // A file that grows beyond its limit is an error of the write, not the end.
  std::signal(SIGXFSZ, SIG_IGN);
  CLI::App app{"Trains neural networks with GPipe pipeline parallelism on "
               "actors."};
  app.set_version_flag("--version", "actorpipe " ACTORPIPE_VERSION);
  app.require_subcommand(1);
  std::function<int()> run;
  add_train(app, run);
  add_plan(app, run);
  add_generate(app, run);
  add_evaluate(app, run);
  add_node(app, run);
  add_launch(app, run);
  add_status(app, run);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? exit_ok : exit_usage;
  }
  try {
    const auto status = run();
    // That nobody could read it may show only when it is written out.
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
      throw std::runtime_error("standard output cannot be written");
    return status;
  } catch (const std::exception& error) {
    std::fflush(stdout);
    std::fprintf(stderr, "actorpipe: %s\n", error.what());
    return is_users(error) ? exit_usage : exit_failure;
  }
}
