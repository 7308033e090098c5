// SPDX-License-Identifier: Apache-2.0
/// Requests to a scheduler.
#include "actors/scheduler_client.hpp"

#include "messages/type_ids.hpp"

#include <caf/actor_system.hpp>
#include <caf/scoped_actor.hpp>

#include <utility>

namespace actorpipe {

template <class Outcome, class... Request>
Outcome scheduler_client::ask(const Request&... what) {
  Outcome outcome;
  caf::scoped_actor self{system_};
  self->request(scheduler_, caf::infinite, what...)
    .receive([&](Outcome& answer) { outcome = std::move(answer); },
             [&](const caf::error& why) {
               outcome.failure = {
                 error_code::actor_lost,
                 "the pipeline's actors do not answer: " + to_string(why), 0};
             });
  if (!outcome.ok)
    throw pipeline_error(outcome.failure);
  return outcome;
}

step_report scheduler_client::train(const batch& data,
                                    const train_request& how) {
  return ask<step_outcome>(how, local_batch{data}).report;
}

step_report scheduler_client::evaluate(const batch& data,
                                       const evaluate_request& how) {
  return ask<step_outcome>(how, local_batch{data}).report;
}

model_values scheduler_client::values() {
  return ask<values_outcome>(get_values{}).all;
}

void scheduler_client::set_values(const model_values& next) {
  ask<values_outcome>(actorpipe::set_values{}, local_values{next});
}

} // namespace actorpipe
