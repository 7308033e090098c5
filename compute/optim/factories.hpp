// SPDX-License-Identifier: Apache-2.0
/// One factory per kind of optimiser; `make_optimizer` checks and chooses.
#pragma once

#include "compute/optim/optimizer.hpp"

#include <memory>

namespace actorpipe {

/// Stochastic gradient descent with momentum (Sutskever et al., "On the
/// importance of initialization and momentum in deep learning", ICML 2013).
std::unique_ptr<optimizer> make_sgd(const optimizer_options& options);

/// RMSProp (Tieleman and Hinton, "Lecture 6.5", Coursera, 2012).
std::unique_ptr<optimizer> make_rmsprop(const optimizer_options& options);

/// Adam (Kingma and Ba 2014, arXiv 1412.6980), and AdamW, whose weight decay is
/// decoupled from the moments (Loshchilov and Hutter 2017, arXiv 1711.05101).
std::unique_ptr<optimizer> make_adam(const optimizer_options& options);

} // namespace actorpipe
