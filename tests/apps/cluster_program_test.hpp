// SPDX-License-Identifier: Apache-2.0
/// What the tests of nodes and launchers say: the program in an environment
/// that marks all processes that come from it.
#pragma once

#include "tests/apps/program_test.hpp"

#include <string>
#include <vector>

namespace actorpipe::test {

/// Everything it starts has `folder_` in its environment and puts temporary
/// files into a folder of its own, so that what is left behind is found.
class cluster_program_test : public program_test {
protected:
  cluster_program_test();

  /// The words before the program's own.
  words marked() const;

  child_process start_marked(const words& arguments) const;
  process_end run_marked(const words& arguments) const;

  /// The ids of processes with the mark.
  std::vector<int> processes() const;

  /// Waits until there are none.
  void await_end_of_processes() const;

  /// Expects no process and no temporary file.
  void leaves_nothing() const;
};

/// The address in the first line of a node.
std::string address_in(const std::string& out);

} // namespace actorpipe::test
