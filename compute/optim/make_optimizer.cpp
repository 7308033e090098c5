// SPDX-License-Identifier: Apache-2.0
/// Checks the numbers of an optimiser and makes it.
#include "compute/optim/factories.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

namespace actorpipe {

namespace {

/// Throws unless `holds` for `got` itself and for what it is as a float, in
/// which devices compute: a number just below 1 is 1 there.
template <class Holds>
void check(const char* name, double got, const char* range, Holds holds) {
  if (!holds(got))
    throw std::invalid_argument(
      fmt::format("optimizer: {} must be {}, got {}", name, range, got));
  const auto rounded = static_cast<float>(got);
  if (!holds(double{rounded}))
    throw std::invalid_argument(
      fmt::format("optimizer: {} must be {}, got {}, which is {} in single "
                  "precision",
                  name, range, got, rounded));
}

void check_fraction(const char* name, double got) {
  check(name, got, "at least 0 and below 1",
        [](double x) { return x >= 0 && x < 1; });
}

void check_decay(double got) {
  check("weight_decay", got, "at least 0 and finite",
        [](double x) { return x >= 0 && std::isfinite(x); });
}

void check_epsilon(double got) {
  check("epsilon", got, "above 0 and finite",
        [](double x) { return x > 0 && std::isfinite(x); });
}

} // namespace

std::unique_ptr<optimizer> make_optimizer(const optimizer_options& options) {
  check_decay(options.weight_decay);
  switch (options.kind) {
  case optimizer_kind::sgd:
    check_fraction("momentum", options.momentum);
    if (options.nesterov && options.momentum == 0)
      throw std::invalid_argument(
        "optimizer: nesterov needs a momentum above 0, got 0");
    return make_sgd(options);
  case optimizer_kind::rmsprop:
    check_fraction("alpha", options.alpha);
    check_epsilon(options.epsilon);
    return make_rmsprop(options);
  case optimizer_kind::adam:
  case optimizer_kind::adamw:
    check_fraction("beta1", options.beta1);
    check_fraction("beta2", options.beta2);
    check_epsilon(options.epsilon);
    return make_adam(options);
  }
  throw std::invalid_argument("optimizer: unknown kind");
}

} // namespace actorpipe
