// SPDX-License-Identifier: Apache-2.0
/// The function that every fuzz target defines.
#pragma once

#include <cstddef>
#include <cstdint>

/// Decodes one input and checks what came out. Returns 0. What is wrong ends
/// the program: an exception that the decoder does not promise, a sanitizer's
/// report, or `actorpipe::fuzz::require`. Keeps nothing from input to input.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes,
                                      std::size_t size);
