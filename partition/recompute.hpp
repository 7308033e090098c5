// SPDX-License-Identifier: Apache-2.0
/// Adds the recomputes to a program.
#pragma once

#include "partition/action.hpp"
#include "partition/schedule.hpp"

namespace actorpipe {

/// `steps`, which has no recompute, with an `R` directly before every `B` (or
/// `I`) that recomputes. Under `always` that is each, under `except_one` each
/// but the first of every cell, under `never` none. A backward that directly
/// follows its own forward is left alone under every mode: it would recompute
/// what is still there. Cell 0 of fill-drain, M = 3:
///
///     never      | 0F0 0F1 0F2 0B0 0B1 0B2
///     except-one | 0F0 0F1 0F2 0B0 0R1 0B1 0R2 0B2
///     always     | 0F0 0F1 0F2 0R0 0B0 0R1 0B1 0R2 0B2
program with_recompute(const program& steps, recompute_mode mode);

} // namespace actorpipe
