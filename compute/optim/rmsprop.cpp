// SPDX-License-Identifier: Apache-2.0
/// RMSProp: steps divided by a running root mean square of the gradient.
#include "compute/optim/factories.hpp"
#include "compute/optim/next_version.hpp"

namespace actorpipe {

namespace {

class rmsprop final : public optimizer {
public:
  explicit rmsprop(const optimizer_options& options) : options_(options) {}

  std::vector<std::string> slots() const override { return {"square_avg"}; }

  parameter_value update(operations& ops, const parameter_value& now,
                         const tensor& d_w,
                         const update_options& options) const override {
    rmsprop_args args;
    prepare_update(args, ops, now, d_w, options, options_.weight_decay);
    args.alpha = options_.alpha;
    args.epsilon = options_.epsilon;
    ops.rmsprop_step(args);
    return {args.w_next, args.slots_next};
  }

private:
  optimizer_options options_;
};

} // namespace

std::unique_ptr<optimizer> make_rmsprop(const optimizer_options& options) {
  return std::make_unique<rmsprop>(options);
}

} // namespace actorpipe
