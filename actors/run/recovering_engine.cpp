// SPDX-License-Identifier: Apache-2.0
/// Going back to what is left, and from there to where the run was.
#include "actors/run/recovering_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace actorpipe {

recovering_engine::recovering_engine(std::unique_ptr<training_engine> inner,
                                     recovery_options how)
  : inner_(std::move(inner)), how_(std::move(how)),
    budget_(how_.restart_budget) {}

template <class F>
auto recovering_engine::survive(F work) {
  for (;;) {
    try {
      catch_up();
      return work();
    } catch (const pipeline_error& error) {
      take(error);
    }
  }
}

// What a fault leaves; throws on what is not survived.
void recovering_engine::take(const pipeline_error& error) {
  switch (error.code()) {
  case error_code::rolled_back:
    if (error.version() > done_)
      throw recovery_error(
        fmt::format("the parameters are of version {} after a fault, and only "
                    "{} steps were done: {}",
                    error.version(), done_, error.what()));
    // Who took it back has told why.
    there_ = error.version();
    rolled_back_ = true;
    return;
  case error_code::layer_failed:
  case error_code::stalled:
    count(error);
    return;
  default:
    throw;
  }
}

void recovering_engine::count(const pipeline_error& error) {
  const bool is_allowed = budget_.spend(done_, error.what());
  if (how_.restart_budget == 0)
    throw;
  if (!is_allowed)
    throw recovery_error(budget_.to_text());
  how_.on_fault(fmt::format("{}; it is tried again ({} of {} within {} steps)",
                            error.what(), budget_.spent(), how_.restart_budget,
                            restart_budget::window));
}

void recovering_engine::catch_up() {
  if (!rolled_back_)
    return;
  if (auto saved = how_.saved(there_, done_)) {
    inner_->set_values(*saved);
    there_ = saved->updates;
  }
  if (there_ < first_)
    throw recovery_error(fmt::format(
      "the parameters went back to version {}, and no checkpoint leads on from "
      "there: this run knows the steps from version {} on",
      there_, first_));
  const auto from = there_;
  while (there_ < done_) {
    const auto step = how_.step_at(there_ + 1);
    inner_->train(step.data, step.how);
    ++there_;
  }
  rolled_back_ = false;
  how_.on_recovery(
    from == done_
      ? fmt::format("goes on after step {}; nothing was lost", done_)
      : fmt::format("goes on after step {}; {} replayed from version {}", done_,
                    done_ - from == 1 ? "a step was" : "steps were", from));
}

step_report recovering_engine::train(const batch& data,
                                     const train_request& how) {
  auto report = survive([&] { return inner_->train(data, how); });
  there_ = done_ = how.step;
  return report;
}

step_report recovering_engine::evaluate(const batch& data) {
  return survive([&] { return inner_->evaluate(data); });
}

model_values recovering_engine::values() {
  return survive([&] { return inner_->values(); });
}

void recovering_engine::set_values(const model_values& next) {
  // Whatever was there before is replaced: there is nothing to catch up with.
  for (;;) {
    try {
      inner_->set_values(next);
      break;
    } catch (const pipeline_error& error) {
      take(error);
    }
  }
  first_ = there_ = done_ = next.updates;
  rolled_back_ = false;
}

std::vector<stage_memory> recovering_engine::peak_memory() const {
  return inner_->peak_memory();
}

} // namespace actorpipe
