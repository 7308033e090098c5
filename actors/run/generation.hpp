// SPDX-License-Identifier: Apache-2.0
/// Draws text from a trained language model over bytes.
#pragma once

#include "compute/train/sequential.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace actorpipe {

struct generation_options {
  std::string prompt;        ///< at least one byte
  std::int64_t tokens = 200; ///< bytes to draw
  double temperature = 1;    ///< 0: always the likeliest byte
  std::uint64_t seed = 0;    ///< byte i is a function of (seed, i) and the text
  std::int64_t sequence = 128; ///< T: how many bytes the model looks back
};

/// Returns the drawn bytes, without the prompt; `on_byte` sees each at once.
/// The model maps u8[1, t <= T] to logits f32[1, t, V]. Throws
/// `std::invalid_argument` for options out of range, `model_error` when the
/// model is not one over bytes.
std::string generate_text(sequential_trainer& with,
                          const generation_options& options,
                          const std::function<void(char)>& on_byte);

/// The byte that `uniform` in [0, 1) draws from the row of V logits.
std::int64_t draw_token(const float* logits, std::int64_t vocabulary,
                        double temperature, double uniform);

} // namespace actorpipe
