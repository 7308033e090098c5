// SPDX-License-Identifier: Apache-2.0
/// What a mini-batch amounts to.
#include "actors/mini_batch.hpp"

#include "actors/bubble.hpp"
#include "compute/optim/clip.hpp"
#include "compute/train/loss_mean.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace actorpipe {

mini_batch::mini_batch(const scheduler_options& options, begin_step order,
                       const std::vector<program>& programs,
                       std::vector<batch> parts, std::int64_t counted,
                       double max_norm)
  : options_(options), order_(std::move(order)), programs_(programs),
    max_norm_(max_norm),
    feed_(*options.how, programs, std::move(parts), order_.id) {
  report_.targets = counted;
}

begin_step mini_batch::order_for(std::uint32_t stage) const {
  auto result = order_;
  result.actions = programs_[stage];
  return result;
}

std::optional<step_failure> mini_batch::accept(finished message) {
  const auto fault = [](std::string text) {
    return step_failure{error_code::protocol_violated, std::move(text), 0};
  };
  const auto name = "stage " + std::to_string(message.stage);
  if (message.stage >= programs_.size())
    return fault(name + " is none of this plan");
  if (finished_.contains(message.stage))
    return std::nullopt;
  const auto& expected = programs_[message.stage];
  if (!std::ranges::equal(message.executed, expected, {}, &action_record::what))
    return fault(name + " executed other actions than its program: "
                 + to_string(expected));
  const auto& how = *options_.how;
  const bool has_loss = message.stage == how.device_of_cell[how.cells() - 1];
  if (message.loss_sums.size() != (has_loss ? order_.micro_batches.size() : 0))
    return fault(name + " sent the losses of "
                 + std::to_string(message.loss_sums.size()) + " micro-batches");
  const auto stage = message.stage;
  finished_.emplace(stage, std::move(message));
  return std::nullopt;
}

std::optional<step_failure> mini_batch::accept(const prepared& message) {
  if (message.cell >= options_.how->cells()
      || message.sums_of_squares.size()
           != options_.layout->owned_by(message.cell).size())
    return step_failure{error_code::protocol_violated,
                        "the parameters of cell " + std::to_string(message.cell)
                          + " sent norms of other parameters",
                        0};
  prepared_.emplace(message.cell, message);
  return std::nullopt;
}

bool mini_batch::is_complete() const {
  return all_finished()
      && (order_.mode == run_mode::evaluate
          || prepared_.size() == options_.how->cells());
}

std::optional<step_failure> mini_batch::conclude() {
  auto fault = sum_losses();
  if (!fault && order_.mode == run_mode::train) {
    fault = take_norm();
    report_.clip_factor =
      actorpipe::clip_factor(report_.gradient_norm, max_norm_);
  }
  if (fault)
    return step_failure{error_code::not_finite, std::move(*fault), 0};
  return std::nullopt;
}

step_report mini_batch::take_report() {
  for (auto& [stage, message] : finished_)
    report_.timeline.push_back(std::move(message.executed));
  report_.bubble = measured_bubble(report_.timeline);
  return std::move(report_);
}

std::string mini_batch::named_step() const {
  return order_.mode == run_mode::evaluate
         ? "evaluation: "
         : "step " + std::to_string(order_.step) + ": ";
}

std::optional<std::string> mini_batch::sum_losses() {
  const auto& how = *options_.how;
  const auto last = how.device_of_cell[how.cells() - 1];
  const auto& sums = finished_.at(last).loss_sums;
  for (std::size_t m = 0; m < sums.size(); ++m)
    if (!std::isfinite(sums[m]))
      return named_step() + "the loss of micro-batch " + std::to_string(m)
           + " is not finite (stage " + std::to_string(last) + ")";
  report_.loss = mean_loss(sums, order_.normalizer);
  return std::nullopt;
}

std::optional<std::string> mini_batch::take_norm() {
  const auto& parameters = options_.source->parameters();
  std::vector<double> sums(parameters.size());
  std::vector<std::uint32_t> stage_of(parameters.size());
  for (const auto& [cell, message] : prepared_) {
    const auto& owned = options_.layout->owned_by(cell);
    for (std::size_t i = 0; i < owned.size(); ++i) {
      sums[owned[i]] = message.sums_of_squares[i];
      stage_of[owned[i]] = options_.how->device_of_cell[cell];
    }
  }
  for (std::size_t i = 0; i < sums.size(); ++i)
    if (!std::isfinite(sums[i]))
      return named_step() + "the gradient of " + parameters[i].declaration.name
           + " is not finite (stage " + std::to_string(stage_of[i]) + ")";
  report_.gradient_norm = global_norm(sums);
  return std::nullopt;
}

} // namespace actorpipe
