// SPDX-License-Identifier: Apache-2.0
/// One request at a time, from its start to its answer.
#include "actors/scheduler_core.hpp"

#include "actors/batch_check.hpp"
#include "actors/shard_values.hpp"
#include "compute/train/loss_mean.hpp"

#include <algorithm>
#include <exception>

namespace actorpipe {

namespace {

// More than a run ever returns behind.
constexpr std::size_t most_counted_steps = 4096;

} // namespace

scheduler_core::scheduler_core(scheduler_options options, outbox& out)
  : options_(std::move(options)), out_(out) {
  current_.run = options_.run;
  // Nobody is there before a supervisor says so.
  if (options_.supervised)
    phase_ = phase::halted;
  for (std::uint32_t i = 0; i < options_.how->devices(); ++i)
    everyone_.insert("stage " + std::to_string(i));
  for_each_cell(
    [&](auto cell) { everyone_.insert("parameter " + std::to_string(cell)); });
}

void scheduler_core::meet(std::vector<bool> has_keeper) {
  has_keeper_ = std::move(has_keeper);
}

// -- requests -----------------------------------------------------------------

scheduler_core::admission scheduler_core::admit(asker who) {
  if (lost_)
    return {false, step_failure{error_code::actor_lost, *lost_, 0}};
  if (asker_ != asker::nobody)
    return {false, step_failure{error_code::busy,
                                "another request is being worked on", 0}};
  if (phase_ == phase::halted || phase_ == phase::resuming) {
    asker_ = who;
    return {false, std::nullopt};
  }
  return {true, std::nullopt};
}

std::optional<step_failure> scheduler_core::start(const train_request& how,
                                                  const batch& data) {
  begin_step order;
  order.mode = run_mode::train;
  order.step = how.step;
  return begin(std::move(order), data, options_.how->micro_batches, how);
}

std::optional<step_failure> scheduler_core::start(const evaluate_request& how,
                                                  const batch& data) {
  auto count = static_cast<std::int64_t>(
    how.micro_batches > 0 ? how.micro_batches : options_.how->micro_batches);
  // As many micro-batches as keep each within the planned size.
  const auto most = options_.how->micro_batch_samples;
  count = std::max(count, (data.samples() + most - 1) / most);
  begin_step order;
  order.mode = run_mode::evaluate;
  return begin(std::move(order), data, count, {});
}

std::optional<step_failure> scheduler_core::begin(begin_step order,
                                                  const batch& data,
                                                  std::int64_t micro_batches,
                                                  const train_request& how) {
  auto [begins, refusal] = admit(asker::of_step);
  if (!begins)
    return std::move(refusal);
  if (std::exchange(must_tell_, false))
    return rollback();
  if (auto fault =
        find_batch_fault(*options_.source, *options_.how, data, micro_batches))
    return step_failure{error_code::bad_batch, *fault, 0};
  std::int64_t counted = 0;
  try {
    counted = options_.source->loss().count(data.targets);
  } catch (const std::exception& error) {
    return step_failure{error_code::bad_batch, error.what(), 0};
  }
  asker_ = asker::of_step;
  phase_ = phase::running;
  started_ns_ = options_.now_ns();
  ++current_.batch;
  update_ = {current_, version_ + 1, how.learning_rate, 1};
  order.id = current_;
  order.version = version_;
  order.normalizer = loss_normalizer(counted);
  order.micro_batches = cut_batch(data.samples(), micro_batches);
  if (order.mode == run_mode::train) {
    order.tries = ++tries_[order.step];
    if (tries_.size() > most_counted_steps)
      tries_.erase(tries_.begin());
  }
  std::vector<batch> parts;
  for (const auto& range : order.micro_batches)
    parts.push_back(slice(data, range));
  const auto& programs = programs_for(
    order.mode, static_cast<std::uint32_t>(order.micro_batches.size()));
  step_.emplace(options_, std::move(order), programs, std::move(parts), counted,
                how.max_norm);
  for (std::uint32_t stage = 0; stage < programs.size(); ++stage)
    out_.send_stage(stage, step_->order_for(stage));
  pump_feed();
  return std::nullopt;
}

std::optional<step_failure> scheduler_core::start(const get_values&) {
  auto [begins, refusal] = admit(asker::of_values);
  if (!begins)
    return std::move(refusal);
  if (std::exchange(must_tell_, false))
    return rollback();
  asker_ = asker::of_values;
  phase_ = phase::exchanging;
  ++current_.batch;
  exchange_.emplace(options_);
  for_each_cell(
    [&](auto cell) { out_.send_parameter(cell, get_shard{current_}); });
  return std::nullopt;
}

std::optional<step_failure> scheduler_core::start(const set_values&,
                                                  const model_values& next) {
  if (!are_of(*options_.source, *options_.rule, next))
    return step_failure{error_code::bad_batch,
                        "these values are of another model or optimiser", 0};
  auto [begins, refusal] = admit(asker::of_values);
  if (!begins)
    return std::move(refusal);
  must_tell_ = false;
  asker_ = asker::of_values;
  phase_ = phase::exchanging;
  ++current_.batch;
  exchange_.emplace(options_, next);
  for_each_cell([&](auto cell) {
    out_.send_parameter(
      cell, shard{current_, shard_purpose::install, cell, next.updates},
      exchange_->part(cell));
  });
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
  for (auto& [cell, header, data] : step_->take_ready())
    out_.send_stage(options_.how->device_of_cell[cell], header,
                    std::move(data));
}

// -- a mini-batch -------------------------------------------------------------

void scheduler_core::accept(const credit& message) {
  if (phase_ == phase::running && message.id == current_
      && step_->note_credit(message))
    pump_feed();
}

void scheduler_core::accept(const begun& message) {
  if (phase_ == phase::running && message.id == current_)
    step_->note(message);
}

void scheduler_core::accept(finished message) {
  if (phase_ != phase::running || message.id != current_)
    return;
  if (auto fault = step_->accept(std::move(message)))
    return abandon_request(std::move(*fault));
  conclude_if_done();
}

void scheduler_core::accept(const prepared& message) {
  if (phase_ != phase::running || message.id != current_)
    return;
  if (auto fault = step_->accept(message))
    return abandon_request(std::move(*fault));
  conclude_if_done();
}

void scheduler_core::accept(const replicated& message) {
  if (message.id.run != current_.run || message.id.attempt != current_.attempt
      || message.id.batch < installed_by_
      || message.cell >= options_.how->cells())
    return;
  const auto [found, is_new] = replicas_.try_emplace(message.cell, message);
  if (!is_new && found->second.id <= message.id)
    found->second = message;
  if (phase_ == phase::running)
    conclude_if_done();
}

bool scheduler_core::has_replica(std::uint32_t cell) const {
  if (cell >= has_keeper_.size() || !has_keeper_[cell])
    return true;
  const auto found = replicas_.find(cell);
  return found != replicas_.end() && found->second.version == version_;
}

bool scheduler_core::all_replicated() const {
  bool result = true;
  for_each_cell([&](auto cell) { result = result && has_replica(cell); });
  return result;
}

void scheduler_core::conclude_if_done() {
  if (!step_->is_complete())
    return;
  const bool trains = step_->order().mode == run_mode::train;
  // The version before goes when the next is made: until then somebody else
  // must have the present one too.
  if (trains && !all_replicated())
    return;
  if (auto fault = step_->conclude())
    return abandon_request(std::move(*fault));
  if (!trains)
    return answer_report();
  phase_ = phase::applying;
  applied_.clear();
  update_.gradient_scale = step_->clip_factor();
  for_each_cell([&](auto cell) { out_.send_parameter(cell, update_); });
}

void scheduler_core::accept(const applied& message) {
  if (phase_ != phase::applying || message.id != current_
      || message.cell >= options_.how->cells())
    return;
  applied_.insert(message.cell);
  if (applied_.size() < options_.how->cells())
    return;
  ++version_;
  settled_ = current_.batch;
  for_each_cell(
    [&](auto cell) { out_.send_parameter(cell, committed{current_}); });
  answer_report();
}

void scheduler_core::answer_report() {
  auto report = step_->take_report();
  report.updates = version_;
  report.duration_ns = options_.now_ns() - started_ns_;
  drop_request();
  phase_ = phase::idle;
  asker_ = asker::nobody;
  out_.answer(step_outcome{true, std::move(report), {}});
}

// -- values -------------------------------------------------------------------

void scheduler_core::accept(const shard& header, const payload& data) {
  if (phase_ != phase::exchanging || header.id != current_
      || header.purpose != shard_purpose::collect || exchange_->installs())
    return;
  if (auto fault = exchange_->accept(header, data))
    return abandon_request({error_code::protocol_violated, *fault, 0});
  if (!exchange_->is_complete())
    return;
  auto all = std::move(exchange_->values());
  drop_request();
  phase_ = phase::idle;
  asker_ = asker::nobody;
  out_.answer(values_outcome{true, std::move(all), {}});
}

void scheduler_core::accept(const installed& message) {
  if (phase_ != phase::exchanging || message.id != current_
      || !exchange_->installs())
    return;
  exchange_->note(message);
  if (!exchange_->is_complete())
    return;
  version_ = exchange_->values().updates;
  settled_ = installed_by_ = current_.batch;
  std::erase_if(replicas_, [&](const auto& x) {
    return x.second.id.batch < installed_by_;
  });
  for_each_cell(
    [&](auto cell) { out_.send_parameter(cell, committed{current_}); });
  drop_request();
  phase_ = phase::idle;
  asker_ = asker::nobody;
  out_.answer(values_outcome{true, {}, {}});
}

} // namespace actorpipe
