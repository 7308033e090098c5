// SPDX-License-Identifier: Apache-2.0
/// Stochastic gradient descent with momentum, plain or Nesterov's.
#include "compute/optim/factories.hpp"
#include "compute/optim/next_version.hpp"

namespace actorpipe {

namespace {

class sgd final : public optimizer {
public:
  explicit sgd(const optimizer_options& options) : options_(options) {}

  std::vector<std::string> slots() const override {
    return options_.momentum == 0 ? std::vector<std::string>{}
                                  : std::vector<std::string>{"momentum_buffer"};
  }

  parameter_value update(operations& ops, const parameter_value& now,
                         const tensor& d_w,
                         const update_options& options) const override {
    sgd_args args;
    prepare_update(args, ops, now, d_w, options, options_.weight_decay);
    args.momentum = options_.momentum;
    args.nesterov = options_.nesterov;
    ops.sgd_step(args);
    return {args.w_next, args.slots_next};
  }

private:
  optimizer_options options_;
};

} // namespace

std::unique_ptr<optimizer> make_sgd(const optimizer_options& options) {
  return std::make_unique<sgd>(options);
}

} // namespace actorpipe
