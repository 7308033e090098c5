// SPDX-License-Identifier: Apache-2.0
/// The contract of an optimiser: version t+1 of a parameter from version t.
#pragma once

#include "compute/ops/operations.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace actorpipe {

enum class optimizer_kind : std::uint8_t { sgd, rmsprop, adam, adamw };

/// "sgd", "rmsprop", "adam" or "adamw".
std::string_view to_string(optimizer_kind kind) noexcept;

/// The numbers of an optimiser; those that its kind does not use are ignored.
struct optimizer_options {
  optimizer_kind kind = optimizer_kind::sgd;
  double momentum = 0;
  bool nesterov = false;
  double alpha = 0.99;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0;
};

/// One parameter's weights and moments in one version. Immutable once made.
struct parameter_value {
  tensor weight;
  tensor_list slots; ///< as `optimizer::slots()`, each of the weight's shape
};

/// What one update is told.
struct update_options {
  double learning_rate = 0;
  double gradient_scale = 1; ///< the clip factor
  std::int64_t update = 1;   ///< 1 for the first update ever
  bool decays = true;        ///< whether weight decay applies
};

/// Stateless: the moments are in the versions.
class optimizer {
public:
  virtual ~optimizer() = default;

  /// Names of the moments kept per parameter, such as "exp_avg".
  virtual std::vector<std::string> slots() const = 0;

  /// Enqueues the update and returns the next version, made beside `now`.
  ///
  /// Requires a gradient and options that are finite. Then nothing here divides
  /// by zero, and a weight is finite unless the step itself is beyond the range
  /// of a float. Nobody reads the weights again to look for that: the loss of
  /// the next micro-batch is not finite then, and fails its step.
  virtual parameter_value update(operations& ops, const parameter_value& now,
                                 const tensor& d_w,
                                 const update_options& options) const = 0;
};

/// Throws `std::invalid_argument`, naming the number, where one is outside its
/// range, as it is or rounded to single precision.
std::unique_ptr<optimizer> make_optimizer(const optimizer_options& options);

} // namespace actorpipe
