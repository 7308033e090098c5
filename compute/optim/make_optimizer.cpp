// SPDX-License-Identifier: Apache-2.0
/// Checks the numbers of an optimiser and makes it.
#include "compute/optim/factories.hpp"

#include <fmt/format.h>

#include <limits>
#include <stdexcept>

namespace actorpipe {

namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();

/// Requires least <= got < below.
void check(const char* name, double got, double least, double below) {
  if (got >= least && got < below)
    return;
  throw std::invalid_argument(
    below == unbounded
      ? fmt::format("optimizer: {} must be at least {} and finite, got {}",
                    name, least, got)
      : fmt::format("optimizer: {} must be at least {} and below {}, got {}",
                    name, least, below, got));
}

void check_epsilon(double got) {
  if (!(got > 0 && got < unbounded))
    throw std::invalid_argument(fmt::format(
      "optimizer: epsilon must be above 0 and finite, got {}", got));
}

} // namespace

std::unique_ptr<optimizer> make_optimizer(const optimizer_options& options) {
  check("weight_decay", options.weight_decay, 0, unbounded);
  switch (options.kind) {
  case optimizer_kind::sgd:
    check("momentum", options.momentum, 0, 1);
    if (options.nesterov && options.momentum == 0)
      throw std::invalid_argument(
        "optimizer: nesterov needs a momentum above 0, got 0");
    return make_sgd(options);
  case optimizer_kind::rmsprop:
    check("alpha", options.alpha, 0, 1);
    check_epsilon(options.epsilon);
    return make_rmsprop(options);
  case optimizer_kind::adam:
  case optimizer_kind::adamw:
    check("beta1", options.beta1, 0, 1);
    check("beta2", options.beta2, 0, 1);
    check_epsilon(options.epsilon);
    return make_adam(options);
  }
  throw std::invalid_argument("optimizer: unknown kind");
}

} // namespace actorpipe
