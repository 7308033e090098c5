// SPDX-License-Identifier: Apache-2.0
/// The table of all settings.
#include "actors/run/config_schema.hpp"

#include "actors/run/config_cluster.hpp"
#include "actors/run/config_kinds.hpp"
#include "actors/run/config_special.hpp"

#include <iterator>

namespace actorpipe {

namespace {

bool is_gpt(const run_config& config) {
  return config.model.preset == model_source::gpt;
}
bool is_spelled_out(const run_config& config) {
  return !is_gpt(config);
}

setting only_if(bool (*applies)(const run_config&), setting of) {
  of.applies = applies;
  return of;
}

std::vector<setting> model_settings() {
  return {
    choice<model_source>(
      {"model", "preset",
       "\"gpt\" is a decoder-only Transformer; \"layers\" takes the layers and "
       "the loss from this file."},
      [](auto& c) -> auto& { return c.model.preset; },
      {{model_source::gpt, "gpt"}, {model_source::layers, "layers"}}),
    integer(
      {"model", "sequence", "T: the tokens of one sample."},
      [](auto& c) -> auto& { return c.model.gpt.sequence; }, 1, 1 << 20),
    only_if(
      is_gpt,
      integer(
        {"model", "vocabulary", "V: the tokens there are; bytes need all 256."},
        [](auto& c) -> auto& { return c.model.gpt.vocabulary; }, 1, 1 << 24)),
    only_if(is_gpt,
            integer(
              {"model", "width", "C: the channels of a token."},
              [](auto& c) -> auto& { return c.model.gpt.width; }, 1, 1 << 20)),
    only_if(is_gpt,
            integer(
              {"model", "depth",
               "The pairs of an attention and a feed-forward part."},
              [](auto& c) -> auto& { return c.model.gpt.depth; }, 1, 1 << 16)),
    only_if(is_gpt,
            integer(
              {"model", "heads",
               "H: the heads of an attention part; they divide "
               "the width."},
              [](auto& c) -> auto& { return c.model.gpt.heads; }, 1, 1 << 20)),
    only_if(is_gpt,
            real(
              {"model", "dropout",
               "The probability that a channel is dropped in training."},
              [](auto& c) -> auto& { return c.model.gpt.dropout; }, 0,
              bound::included, 1)),
    only_if(is_gpt, flag(
                      {"model", "tied",
                       "Whether the head uses the token embedding's table."},
                      [](auto& c) -> auto& { return c.model.gpt.tied; })),
    only_if(is_spelled_out, layers_setting()),
    only_if(is_spelled_out, loss_setting()),
  };
}

std::vector<setting> data_settings() {
  return {
    data_path_setting(),
    holdout_setting(),
    real(
      {"data", "holdout_fraction",
       "The part of the text that is held out when no family is."},
      [](auto& c) -> auto& { return c.data.holdout_fraction; }, 0,
      bound::excluded, 1),
    integer(
      {"data", "batch", "B: the samples of a mini-batch."},
      [](auto& c) -> auto& { return c.data.batch; }, 1, 1 << 20),
  };
}

std::vector<setting> optimizer_settings() {
  return {
    choice<optimizer_kind>(
      {"optimizer", "kind", "How weights are updated."},
      [](auto& c) -> auto& { return c.optimizer.update.kind; },
      {{optimizer_kind::sgd, "sgd"},
       {optimizer_kind::rmsprop, "rmsprop"},
       {optimizer_kind::adam, "adam"},
       {optimizer_kind::adamw, "adamw"}}),
    real(
      {"optimizer", "learning_rate", "The greatest learning rate."},
      [](auto& c) -> auto& { return c.optimizer.rate.peak; }, 0,
      bound::excluded),
    choice<learning_rate_kind>(
      {"optimizer", "schedule",
       "How the learning rate changes after the warm-up."},
      [](auto& c) -> auto& { return c.optimizer.rate.kind; },
      {{learning_rate_kind::constant, "constant"},
       {learning_rate_kind::cosine, "cosine"},
       {learning_rate_kind::linear, "linear"}}),
    integer(
      {"optimizer", "warmup_steps",
       "The first steps, in which the learning rate rises."},
      [](auto& c) -> auto& { return c.optimizer.rate.warmup_steps; }, 0),
    integer(
      {"optimizer", "schedule_steps",
       "The step at which the schedule reaches the floor; 0: run.steps. Set, "
       "it "
       "lets a run that is cut short go on as if it had not been."},
      [](auto& c) -> auto& { return c.optimizer.schedule_steps; }, 0),
    real(
      {"optimizer", "floor",
       "The learning rate at the end of a cosine or linear schedule."},
      [](auto& c) -> auto& { return c.optimizer.rate.floor; }, 0,
      bound::included),
    real(
      {"optimizer", "momentum", "Of sgd."},
      [](auto& c) -> auto& { return c.optimizer.update.momentum; }, 0,
      bound::included, 1),
    flag(
      {"optimizer", "nesterov", "Whether sgd looks ahead along its momentum."},
      [](auto& c) -> auto& { return c.optimizer.update.nesterov; }),
    real(
      {"optimizer", "alpha",
       "The decay of the mean of squared gradients in rmsprop."},
      [](auto& c) -> auto& { return c.optimizer.update.alpha; }, 0,
      bound::included, 1),
    real(
      {"optimizer", "beta1",
       "The decay of the mean of gradients in adam and adamw."},
      [](auto& c) -> auto& { return c.optimizer.update.beta1; }, 0,
      bound::included, 1),
    real(
      {"optimizer", "beta2",
       "The decay of the mean of squared gradients in adam and adamw."},
      [](auto& c) -> auto& { return c.optimizer.update.beta2; }, 0,
      bound::included, 1),
    real(
      {"optimizer", "epsilon",
       "Added to the root of the mean square in rmsprop, adam and adamw."},
      [](auto& c) -> auto& { return c.optimizer.update.epsilon; }, 0,
      bound::excluded),
    real(
      {"optimizer", "weight_decay", "How strongly matrices are drawn to zero."},
      [](auto& c) -> auto& { return c.optimizer.update.weight_decay; }, 0,
      bound::included),
    real(
      {"optimizer", "clip_norm",
       "The greatest norm of the whole gradient; 0 for no clipping."},
      [](auto& c) -> auto& { return c.optimizer.clip_norm; }, 0,
      bound::included),
  };
}

std::vector<setting> pipeline_settings() {
  return {
    integer(
      {"pipeline", "stages", "K: the stages that the layers are cut into."},
      [](auto& c) -> auto& { return c.pipeline.stages; }, 1, 1024),
    integer(
      {"pipeline", "micro_batches",
       "M: the micro-batches that a mini-batch is cut into."},
      [](auto& c) -> auto& { return c.pipeline.micro_batches; }, 1, 1 << 20),
    choice<schedule_kind>(
      {"pipeline", "schedule", "The order in which a stage works."},
      [](auto& c) -> auto& { return c.pipeline.schedule; },
      names_of(all_schedules)),
    choice<recompute_mode>(
      {"pipeline", "recompute",
       "Which micro-batches run forward again for the backward, which saves "
       "memory and costs time."},
      [](auto& c) -> auto& { return c.pipeline.recompute; },
      names_of(all_recompute_modes)),
    balance_setting(),
    integer(
      {"pipeline", "threads_per_stage",
       "The threads that one stage computes with."},
      [](auto& c) -> auto& { return c.pipeline.threads_per_stage; }, 1, 1024),
    integer(
      {"pipeline", "credits",
       "The tensors that may wait between two stages, each way."},
      [](auto& c) -> auto& { return c.pipeline.credits; }, 1, 1 << 20),
  };
}

std::vector<setting> run_settings() {
  return {
    integer(
      {"run", "steps", "The mini-batches to train on."},
      [](auto& c) -> auto& { return c.run.steps; }, 0),
    integer(
      {"run", "seed", "What everything random is drawn from."},
      [](auto& c) -> auto& { return c.run.seed; }, 0),
    text(
      {"run", "out", "The folder for checkpoints, metrics and the trace."},
      [](auto& c) -> auto& { return c.run.out; }),
    integer(
      {"run", "checkpoint_every",
       "Steps from checkpoint to checkpoint; 0 for one at the end."},
      [](auto& c) -> auto& { return c.run.checkpoint_every; }, 0),
    integer(
      {"run", "keep_checkpoints", "The newest checkpoints that are kept."},
      [](auto& c) -> auto& { return c.run.keep_checkpoints; }, 1),
    integer(
      {"run", "evaluate_every",
       "Steps from evaluation to evaluation; 0 for one at the end."},
      [](auto& c) -> auto& { return c.run.evaluate_every; }, 0),
    integer(
      {"run", "evaluate_batches",
       "The mini-batches of an evaluation; 0 for all of the held-out "
       "part."},
      [](auto& c) -> auto& { return c.run.evaluate_batches; }, 0),
    integer(
      {"run", "log_every", "Steps from printed line to printed line."},
      [](auto& c) -> auto& { return c.run.log_every; }, 1),
    integer(
      {"run", "trace_steps",
       "The last steps that the trace shows; 0 for no trace."},
      [](auto& c) -> auto& { return c.run.trace_steps; }, 0, 10000),
  };
}

} // namespace

const std::vector<setting>& all_settings() {
  static const std::vector<setting> table = [] {
    std::vector<setting> all;
    for (auto section :
         {model_settings(), data_settings(), optimizer_settings(),
          pipeline_settings(), run_settings(), cluster_settings()})
      all.insert(all.end(), std::make_move_iterator(section.begin()),
                 std::make_move_iterator(section.end()));
    return all;
  }();
  return table;
}

} // namespace actorpipe
