// SPDX-License-Identifier: Apache-2.0
/// Initial values: four elements for each block of random bits.
#include "compute/ops/philox.hpp"
#include "compute/reference/by_type.hpp"
#include "compute/reference/reference_operations.hpp"

namespace actorpipe {

void reference_operations::fill_normal(tensor y, double deviation,
                                       random_key key) {
  by_float_type(y.element(), [&]<class T>(T) {
    for (std::int64_t i = 0; i < y.elements(); ++i) {
      double samples[4];
      normal_samples(draw(key, static_cast<std::uint64_t>(i / 4), 0), samples);
      y.data<T>()[i] = static_cast<T>(samples[i % 4] * deviation);
    }
  });
}

void reference_operations::fill_uniform(tensor y, double bound,
                                        random_key key) {
  by_float_type(y.element(), [&]<class T>(T) {
    for (std::int64_t i = 0; i < y.elements(); ++i) {
      const auto bits = draw(key, static_cast<std::uint64_t>(i / 4), 0);
      y.data<T>()[i] =
        static_cast<T>(uniform_sample(bits.values[i % 4], bound));
    }
  });
}

} // namespace actorpipe
