// SPDX-License-Identifier: Apache-2.0
/// Ctrl-C: the first asks the run to end after the step, the second ends the
/// program at once.
#pragma once

namespace actorpipe {

/// From now on SIGINT and SIGTERM are noted; the second ends the process with
/// exit code 130.
void note_interrupts();

/// Whether one has come.
bool was_interrupted();

} // namespace actorpipe
