// SPDX-License-Identifier: Apache-2.0
/// The part of an update that all optimisers share.
#pragma once

#include "compute/optim/optimizer.hpp"

namespace actorpipe {

/// Allocates the next version beside `now` and fills the shared arguments of
/// the operation that writes it.
inline void prepare_update(optimizer_args& args, operations& ops,
                           const parameter_value& now, const tensor& d_w,
                           const update_options& options, double weight_decay) {
  args.w = now.weight;
  args.d_w = d_w;
  args.slots = now.slots;
  args.w_next = ops.make(now.weight.type());
  for (const auto& slot : now.slots)
    args.slots_next.push_back(ops.make(slot.type()));
  args.learning_rate = options.learning_rate;
  args.gradient_scale = options.gradient_scale;
  args.weight_decay = options.decays ? weight_decay : 0;
  args.step = options.update;
}

} // namespace actorpipe
