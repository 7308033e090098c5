// SPDX-License-Identifier: Apache-2.0
/// The global norm and the clip factor.
#include "compute/optim/clip.hpp"

#include <cmath>

namespace actorpipe {

double global_norm(std::span<const double> sums_of_squares) {
  double sum = 0;
  for (const double x : sums_of_squares)
    sum += x;
  return std::sqrt(sum);
}

double clip_factor(double norm, double max_norm) {
  return max_norm > 0 && norm > max_norm ? max_norm / norm : 1.0;
}

} // namespace actorpipe
