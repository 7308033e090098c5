// SPDX-License-Identifier: Apache-2.0
/// Prints the fingerprint of the processor's operations in its environment.
#include "compute/model/numerics_fingerprint.hpp"

#include <cstdio>

int main() {
  const auto device = actorpipe::make_cpu_device("cpu", 1);
  std::puts(actorpipe::numerics_fingerprint(*device).c_str());
}
