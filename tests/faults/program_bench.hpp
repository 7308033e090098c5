// SPDX-License-Identifier: Apache-2.0
/// The program `train` in a process of its own, on nodes that are too.
#pragma once

#include "tests/apps/child_process.hpp"
#include "tests/faults/fault_bench.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/text.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace actorpipe::test {

using words = std::vector<std::string>;

class program_bench : public fault_bench {
protected:
  static constexpr double heartbeat_s = 0.5;

  /// `train` in one process, 40 steps with a checkpoint after each fifth.
  static words train(const std::string& out, const words& more = {}) {
    words result{ACTORPIPE_PROGRAM,
                 "train",
                 ACTORPIPE_SOURCE_DIR "/config/tiny.toml",
                 "--set",
                 "run.checkpoint_every=5",
                 "--set",
                 "run.keep_checkpoints=100",
                 "--out",
                 out};
    result.insert(result.end(), more.begin(), more.end());
    return result;
  }

  /// The same on `nodes_`.
  words train_on_nodes(const std::string& out, words more = {}) const {
    std::string list;
    for (const auto& x : nodes_)
      list += text(list.empty() ? "" : ",", x->address());
    more.insert(more.end(), {"--nodes", list, "--tls-cert", tls_.certificate,
                             "--tls-key", tls_.key, "--tls-ca", tls_.authority,
                             "--set", "cluster.heartbeat_ms=500"});
    auto result = before_;
    const auto command = train(out, more);
    result.insert(result.end(), command.begin(), command.end());
    return result;
  }

  child_process start(const words& command) const {
    process_options options;
    options.folder = folder_.path();
    return {command, options};
  }

  /// The sum over the parameters that it prints last.
  static std::string sum_of(const process_end& end) {
    EXPECT_EQ(end.code, 0) << end.err;
    return end.out.substr(
      std::min(end.out.find("parameters sha256"), end.out.size()));
  }

  /// Of `train` in one process.
  const std::string& expected() const {
    static const auto result = sum_of(start(train("plain")).finish());
    return result;
  }

  temporary_folder folder_;
  words before_; ///< the program's path: what runs it on another host
};

} // namespace actorpipe::test
