// SPDX-License-Identifier: Apache-2.0
/// One request per step; the next is sent when the outcome is there.
#include "trainer.hpp"

#include <actorpipe/messages/type_ids.hpp>

#include <iomanip>
#include <iostream>
#include <utility>

namespace embed {

namespace {

using self_pointer = caf::stateful_actor<trainer_state>*;

void finish(self_pointer self, std::string failure = {}) {
  auto& state = self->state;
  state.result.failure = std::move(failure);
  state.asker.deliver(state.result);
}

/// Sends `request` for the batch of `step` and calls `use` with the report.
template <class Request, class Use>
void ask(self_pointer self, const Request& request, std::int64_t step,
         Use use) {
  auto data = self->state.data->batch_at(step);
  self
    ->request(self->state.scheduler, caf::infinite, request,
              actorpipe::local_batch{std::move(*data)})
    .then(
      [=](const actorpipe::step_outcome& outcome) {
        if (outcome.ok)
          use(outcome.report);
        else
          finish(self, outcome.failure.text);
      },
      [=](const caf::error&) { finish(self, "the pipeline has gone"); });
}

void evaluate(self_pointer self) {
  const auto unseen = self->state.steps;
  ask(self, actorpipe::evaluate_request{}, unseen,
      [=](const actorpipe::step_report& report) {
        self->state.result.unseen_loss = report.loss;
        finish(self);
      });
}

void train(self_pointer self, std::int64_t step) {
  if (step == self->state.steps)
    return evaluate(self);
  const actorpipe::train_request request{step, 1e-2, 1.0};
  ask(self, request, step, [=](const actorpipe::step_report& report) {
    auto& result = self->state.result;
    if (step == 0)
      result.first_loss = report.loss;
    result.last_loss = report.loss;
    if (step % 50 == 0)
      std::cout << "step " << std::setw(3) << step << "  loss " << report.loss
                << std::endl;
    train(self, step + 1);
  });
}

} // namespace

caf::behavior make_trainer(caf::stateful_actor<trainer_state>* self,
                           actorpipe::scheduler_actor scheduler,
                           std::shared_ptr<actorpipe::data_source> data) {
  self->state.scheduler = std::move(scheduler);
  self->state.data = std::move(data);
  return {
    [self](const start& order) {
      self->state.steps = order.steps;
      self->state.asker = self->make_response_promise();
      train(self, 0);
      return self->state.asker;
    },
  };
}

} // namespace embed
