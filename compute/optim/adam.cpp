// SPDX-License-Identifier: Apache-2.0
/// Adam and AdamW: steps along the mean gradient over its root mean square.
#include "compute/optim/factories.hpp"
#include "compute/optim/next_version.hpp"

namespace actorpipe {

namespace {

class adam final : public optimizer {
public:
  explicit adam(const optimizer_options& options) : options_(options) {}

  std::vector<std::string> slots() const override {
    return {"exp_avg", "exp_avg_sq"};
  }

  parameter_value update(operations& ops, const parameter_value& now,
                         const tensor& d_w,
                         const update_options& options) const override {
    adam_args args;
    prepare_update(args, ops, now, d_w, options, options_.weight_decay);
    args.beta1 = options_.beta1;
    args.beta2 = options_.beta2;
    args.epsilon = options_.epsilon;
    args.decoupled_decay = options_.kind == optimizer_kind::adamw;
    ops.adam_step(args);
    return {args.w_next, args.slots_next};
  }

private:
  optimizer_options options_;
};

} // namespace

std::unique_ptr<optimizer> make_adam(const optimizer_options& options) {
  return std::make_unique<adam>(options);
}

} // namespace actorpipe
