// SPDX-License-Identifier: Apache-2.0
/// The settings whose values are more than one number or word.
#pragma once

#include "actors/run/config_schema.hpp"

namespace actorpipe {

setting data_path_setting();
setting holdout_setting();
setting balance_setting();
setting layers_setting();
setting loss_setting();

} // namespace actorpipe
