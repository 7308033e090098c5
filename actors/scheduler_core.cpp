// SPDX-License-Identifier: Apache-2.0
/// One mini-batch at a time, from its first forward to its committed update.
#include "actors/scheduler_core.hpp"

#include "actors/batch_check.hpp"
#include "actors/bubble.hpp"
#include "actors/shard_values.hpp"
#include "compute/optim/clip.hpp"
#include "compute/train/loss_mean.hpp"

#include <algorithm>
#include <cmath>
#include <exception>

namespace actorpipe {

scheduler_core::scheduler_core(scheduler_options options, outbox& out)
  : options_(std::move(options)), out_(out) {
  current_.run = options_.run;
}

// -- requests -----------------------------------------------------------------

std::optional<step_failure> scheduler_core::start(const train_request& how,
                                                  const batch& data) {
  if (phase_ == phase::idle)
    request_ = how;
  return begin(run_mode::train, how.step, data, options_.how->micro_batches);
}

std::optional<step_failure> scheduler_core::start(const evaluate_request& how,
                                                  const batch& data) {
  auto count = static_cast<std::int64_t>(
    how.micro_batches > 0 ? how.micro_batches : options_.how->micro_batches);
  // As many micro-batches as keep each within the planned size.
  const auto most = options_.how->micro_batch_samples;
  count = std::max(count, (data.samples() + most - 1) / most);
  return begin(run_mode::evaluate, 0, data, count);
}

std::optional<step_failure> scheduler_core::begin(run_mode mode,
                                                  std::int64_t step,
                                                  const batch& data,
                                                  std::int64_t micro_batches) {
  if (auto refusal = find_refusal())
    return refusal;
  if (auto fault =
        find_batch_fault(*options_.source, *options_.how, data, micro_batches))
    return step_failure{error_code::bad_batch, *fault, 0};
  std::int64_t counted = 0;
  try {
    counted = options_.source->loss().count(data.targets);
  } catch (const std::exception& error) {
    return step_failure{error_code::bad_batch, error.what(), 0};
  }
  mode_ = mode;
  is_about_values_ = false;
  phase_ = phase::running;
  started_ns_ = options_.now_ns();
  ++current_.batch;
  finished_.clear();
  prepared_.clear();
  applied_.clear();
  report_ = {};
  const auto ranges = cut_batch(data.samples(), micro_batches);
  report_.targets = counted;
  normalizer_ = loss_normalizer(counted);
  micro_batches_ = ranges.size();
  programs_ = &programs_for(mode, static_cast<std::uint32_t>(ranges.size()));
  std::vector<batch> parts;
  for (const auto& range : ranges)
    parts.push_back(slice(data, range));
  feed_.emplace(*options_.how, *programs_, std::move(parts), current_);
  for (std::uint32_t stage = 0; stage < programs_->size(); ++stage)
    out_.send(stage, begin_step{current_, mode, step, version_, normalizer_,
                                ranges, (*programs_)[stage]});
  pump_feed();
  return std::nullopt;
}

std::optional<step_failure> scheduler_core::find_refusal() const {
  if (lost_)
    return step_failure{error_code::actor_lost, *lost_, 0};
  if (phase_ != phase::idle)
    return step_failure{error_code::busy, "another request is being worked on",
                        0};
  return std::nullopt;
}

std::optional<step_failure> scheduler_core::start(const get_values&) {
  if (auto refusal = find_refusal())
    return refusal;
  ++current_.batch;
  phase_ = phase::collecting;
  is_about_values_ = true;
  cells_done_.clear();
  values_ = {};
  values_.parameters.resize(options_.source->parameters().size());
  values_.states.resize(options_.source->size());
  for (std::uint32_t cell = 0; cell < options_.how->cells(); ++cell)
    out_.send(cell, get_shard{current_});
  return std::nullopt;
}

std::optional<step_failure> scheduler_core::start(const set_values&,
                                                  const model_values& next) {
  if (auto refusal = find_refusal())
    return refusal;
  if (!are_of(*options_.source, *options_.rule, next))
    return step_failure{error_code::bad_batch,
                        "these values are of another model or optimiser", 0};
  ++current_.batch;
  phase_ = phase::installing;
  is_about_values_ = true;
  cells_done_.clear();
  values_ = next;
  for (std::uint32_t cell = 0; cell < options_.how->cells(); ++cell)
    out_.send(
      cell, shard{current_, shard_purpose::install, cell, next.updates},
      {flatten(part_of(next, *options_.layout, options_.how->cut, cell)), {}});
  return std::nullopt;
}

const std::vector<program>&
scheduler_core::programs_for(run_mode mode, std::uint32_t micro_batches) {
  const auto [found, is_new] = cache_.try_emplace({mode, micro_batches});
  if (is_new) {
    const auto& how = *options_.how;
    const schedule_options options{how.schedule, how.recompute, micro_batches,
                                   how.device_of_cell, how.devices()};
    if (mode == run_mode::evaluate)
      found->second = make_evaluation_programs(options);
    else if (micro_batches == how.micro_batches)
      found->second = how.programs;
    else
      found->second = make_training_programs(options);
  }
  return found->second;
}

void scheduler_core::pump_feed() {
  for (auto& [cell, header, data] : feed_->take_ready())
    out_.send(cell, header, std::move(data));
}

// -- progress -----------------------------------------------------------------

void scheduler_core::accept(const credit& message) {
  if (phase_ != phase::running || message.id != current_)
    return;
  if (feed_->note_credit(message))
    pump_feed();
}

void scheduler_core::accept(finished message) {
  if (phase_ != phase::running || message.id != current_
      || message.stage >= programs_->size()
      || finished_.contains(message.stage))
    return;
  const auto& expected = (*programs_)[message.stage];
  if (!std::ranges::equal(message.executed, expected, {}, &action_record::what))
    return abandon_step(error_code::protocol_violated,
                        "stage " + std::to_string(message.stage)
                          + " executed other actions than its program: "
                          + to_string(expected));
  const auto& how = *options_.how;
  const bool has_loss = message.stage == how.device_of_cell[how.cells() - 1];
  if (message.loss_sums.size() != (has_loss ? micro_batches_ : 0))
    return abandon_step(
      error_code::protocol_violated,
      "stage " + std::to_string(message.stage) + " sent the losses of "
        + std::to_string(message.loss_sums.size()) + " micro-batches");
  const auto stage = message.stage;
  finished_.emplace(stage, std::move(message));
  conclude_if_done();
}

void scheduler_core::accept(const prepared& message) {
  if (phase_ != phase::running || message.id != current_)
    return;
  if (message.cell >= options_.how->cells()
      || message.sums_of_squares.size()
           != options_.layout->owned_by(message.cell).size())
    return abandon_step(error_code::protocol_violated,
                        "the parameters of cell " + std::to_string(message.cell)
                          + " sent norms of other parameters");
  prepared_.emplace(message.cell, message);
  conclude_if_done();
}

void scheduler_core::conclude_if_done() {
  if (finished_.size() < programs_->size())
    return;
  if (mode_ == run_mode::evaluate) {
    if (auto fault = sum_losses())
      return abandon_step(error_code::not_finite, *fault);
    return answer_ok();
  }
  if (prepared_.size() == options_.how->cells())
    conclude_training();
}

void scheduler_core::conclude_training() {
  if (auto fault = sum_losses())
    return abandon_step(error_code::not_finite, *fault);
  if (auto fault = take_norm())
    return abandon_step(error_code::not_finite, *fault);
  report_.clip_factor = clip_factor(report_.gradient_norm, request_.max_norm);
  phase_ = phase::applying;
  out_.send_parameters(apply_update{
    current_, version_ + 1, request_.learning_rate, report_.clip_factor});
}

std::string scheduler_core::named_step() const {
  return mode_ == run_mode::evaluate
         ? "evaluation: "
         : "step " + std::to_string(request_.step) + ": ";
}

std::optional<std::string> scheduler_core::sum_losses() {
  const auto& how = *options_.how;
  const auto last = how.device_of_cell[how.cells() - 1];
  const auto& sums = finished_.at(last).loss_sums;
  for (std::size_t m = 0; m < sums.size(); ++m) {
    if (!std::isfinite(sums[m]))
      return named_step() + "the loss of micro-batch " + std::to_string(m)
           + " is not finite (stage " + std::to_string(last) + ")";
  }
  report_.loss = mean_loss(sums, normalizer_);
  return std::nullopt;
}

std::optional<std::string> scheduler_core::take_norm() {
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

void scheduler_core::accept(const applied& message) {
  if (phase_ != phase::applying || message.id != current_
      || message.cell >= options_.how->cells())
    return;
  applied_.insert(message.cell);
  if (applied_.size() < options_.how->cells())
    return;
  ++version_;
  out_.send_parameters(committed{current_});
  answer_ok();
}

void scheduler_core::accept(const shard& header, const payload& data) {
  if (phase_ != phase::collecting || header.id != current_
      || header.purpose != shard_purpose::collect
      || header.cell >= options_.how->cells()
      || cells_done_.contains(header.cell))
    return;
  const auto& cut = options_.how->cut;
  if (!are_of_types(data.tensors,
                    shard_types(*options_.source, *options_.rule,
                                *options_.layout, cut, header.cell)))
    return abandon_step(error_code::protocol_violated,
                        "the values of cell " + std::to_string(header.cell)
                          + " are of another model or optimiser");
  put_part(values_,
           unflatten(data.tensors, header.version, *options_.source,
                     *options_.rule, *options_.layout, cut, header.cell),
           *options_.layout, cut, header.cell);
  cells_done_.insert(header.cell);
  if (cells_done_.size() < options_.how->cells())
    return;
  phase_ = phase::idle;
  out_.answer(values_outcome{true, std::move(values_), {}});
}

void scheduler_core::accept(const installed& message) {
  if (phase_ != phase::installing || message.id != current_
      || message.cell >= options_.how->cells())
    return;
  cells_done_.insert(message.cell);
  if (cells_done_.size() < options_.how->cells())
    return;
  version_ = std::exchange(values_, {}).updates;
  phase_ = phase::idle;
  out_.answer(values_outcome{true, {}, {}});
}

void scheduler_core::answer_ok() {
  report_.updates = version_;
  report_.duration_ns = options_.now_ns() - started_ns_;
  for (auto& [stage, message] : finished_)
    report_.timeline.push_back(std::move(message.executed));
  report_.bubble = measured_bubble(report_.timeline);
  feed_.reset();
  phase_ = phase::idle;
  out_.answer(step_outcome{true, std::move(report_), {}});
}

// -- failure ------------------------------------------------------------------

void scheduler_core::answer_failure(step_failure why) {
  values_ = {};
  if (is_about_values_)
    out_.answer(values_outcome{false, {}, std::move(why)});
  else
    out_.answer(step_outcome{false, {}, std::move(why)});
}

void scheduler_core::accept(const failed& message) {
  if (phase_ == phase::idle || phase_ == phase::abandoning
      || message.id != current_)
    return;
  abandon_step(message.code, message.text);
}

void scheduler_core::abandon_step(error_code code, std::string text) {
  failure_ = {code, std::move(text), 0};
  phase_ = phase::abandoning;
  abandoned_.clear();
  feed_.reset();
  ++current_.attempt;
  out_.send_all(abandon{current_.run, current_.attempt, version_});
}

void scheduler_core::accept(const abandoned& message) {
  if (phase_ != phase::abandoning || message.run != current_.run
      || message.attempt != current_.attempt)
    return;
  abandoned_.insert(message.who);
  if (abandoned_.size() < options_.how->devices() + options_.how->cells())
    return;
  phase_ = phase::idle;
  answer_failure(failure_);
}

void scheduler_core::lose(const std::string& who, const std::string& why) {
  if (lost_)
    return;
  lost_ = who + " has gone: " + why;
  if (phase_ == phase::idle)
    return;
  phase_ = phase::idle;
  feed_.reset();
  answer_failure({error_code::actor_lost, *lost_, 0});
}

} // namespace actorpipe
