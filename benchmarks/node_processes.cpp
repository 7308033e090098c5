// SPDX-License-Identifier: Apache-2.0
/// Starts nodes and ends them.
#include "benchmarks/node_processes.hpp"

#include "actors/cluster/node_process.hpp"

#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <signal.h>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace actorpipe::benchmarks {

namespace {

constexpr const char* node_word = "--as-node";

// Reads up to the end of a line.
std::string read_line(int from) {
  std::string result;
  char next = 0;
  while (read(from, &next, 1) == 1 && next != '\n')
    result += next;
  return result;
}

} // namespace

void run_if_node(int argc, char** argv) {
  if (argc != 6 || std::strcmp(argv[1], node_word) != 0)
    return;
  node_options options;
  options.listen = "127.0.0.1:0";
  options.devices.clear();
  for (int i = 0; i < std::atoi(argv[2]); ++i)
    options.devices.push_back("cpu:" + std::to_string(i));
  options.tls = tls_files{argv[3], argv[4], argv[5]};
  node_process node(options);
  std::printf("%s\n", node.address().c_str());
  std::fflush(stdout);
  std::thread watch([&] {
    read_line(STDIN_FILENO);
    node.stop();
  });
  node.wait();
  // What still runs ends with the process.
  std::_Exit(0);
}

node_processes::node_processes(std::size_t count, std::size_t devices)
  : files_(authority_.make("benchmark")), all_(count) {
  for (auto& x : all_) {
    int in[2];
    int out[2];
    if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0)
      throw std::runtime_error("no pipe for a node");
    const auto number = std::to_string(devices);
    x.process = fork();
    if (x.process == 0) {
      dup2(in[0], STDIN_FILENO);
      dup2(out[1], STDOUT_FILENO);
      execl("/proc/self/exe", "node", node_word, number.c_str(),
            files_.certificate.c_str(), files_.key.c_str(),
            files_.authority.c_str(), nullptr);
      _exit(127);
    }
    close(in[0]);
    close(out[1]);
    x.keeps_alive = in[1];
    x.address = read_line(out[0]);
    close(out[0]);
    if (x.address.empty())
      throw std::runtime_error("a node did not start");
  }
}

node_processes::~node_processes() {
  for (auto& x : all_) {
    kill(x.process, SIGCONT);
    close(x.keeps_alive);
    waitpid(x.process, nullptr, 0);
  }
}

cluster_options node_processes::options() const {
  cluster_options result;
  for (const auto& x : all_)
    result.nodes.push_back(x.address);
  result.tls = files_;
  return result;
}

void node_processes::signal(std::size_t node, int number) {
  kill(all_.at(node).process, number);
}

} // namespace actorpipe::benchmarks
