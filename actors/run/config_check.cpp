// SPDX-License-Identifier: Apache-2.0
/// What must hold between the settings of a run file.
#include "actors/run/config_schema.hpp"
#include "actors/run/config_value.hpp"

#include <fmt/format.h>

#include <numeric>

namespace actorpipe {

namespace {

void check_model(const model_config& model, const relation_sink& complain) {
  if (model.preset == model_source::layers) {
    if (model.spec.layers.empty())
      complain({"model.layers", "model.preset"},
               "must list at least one layer when model.preset is \"layers\"");
    if (model.spec.loss.kind.empty())
      complain({"model.loss", "model.preset"},
               "must be given when model.preset is \"layers\"");
  } else if (model.gpt.width % model.gpt.heads != 0) {
    complain({"model.heads", "model.width"},
             fmt::format("must divide model.width ({}), got {}",
                         model.gpt.width, model.gpt.heads));
  }
}

void check_optimizer(const run_config& config, const relation_sink& complain) {
  const auto& update = config.optimizer.update;
  const auto& rate = config.optimizer.rate;
  if (rate.floor > rate.peak)
    complain({"optimizer.floor", "optimizer.learning_rate"},
             fmt::format("must not be above optimizer.learning_rate ({}), got "
                         "{}",
                         rate.peak, rate.floor));
  if (update.nesterov && update.momentum == 0)
    complain({"optimizer.nesterov", "optimizer.momentum"},
             "needs an optimizer.momentum above 0");
}

void check_pipeline(const pipeline_config& pipeline,
                    const relation_sink& complain) {
  if (pipeline.balance == balance_kind::given
      && std::cmp_not_equal(pipeline.sizes.size(), pipeline.stages))
    complain({"pipeline.balance", "pipeline.stages"},
             fmt::format("must list a number of layers for every one of the {} "
                         "stages, got {}",
                         pipeline.stages, pipeline.sizes.size()));
}

void check_cluster(const run_config& config, const relation_sink& complain) {
  const auto& cluster = config.cluster;
  if (!cluster.placement.empty()
      && std::cmp_not_equal(cluster.placement.size(), config.pipeline.stages))
    complain({"cluster.placement", "pipeline.stages"},
             fmt::format("must name a node for every one of the {} stages, got "
                         "{}",
                         config.pipeline.stages, cluster.placement.size()));
  for (const auto node : cluster.placement)
    if (std::cmp_greater_equal(node, cluster.nodes.size())) {
      complain({"cluster.placement", "cluster.nodes"},
               fmt::format("must name nodes by their place in cluster.nodes, "
                           "which lists {}, got {}",
                           cluster.nodes.size(), node));
      break;
    }
  const auto given = static_cast<int>(!cluster.tls_certificate.empty())
                   + static_cast<int>(!cluster.tls_key.empty())
                   + static_cast<int>(!cluster.tls_authority.empty());
  if (given != 0 && given != 3)
    complain(
      {"cluster.tls_certificate", "cluster.tls_key", "cluster.tls_authority"},
      "must be given together with cluster.tls_key and "
      "cluster.tls_authority, or none of the three");
}

} // namespace

void check_relations(const run_config& config, const relation_sink& complain) {
  check_model(config.model, complain);
  check_optimizer(config, complain);
  check_pipeline(config.pipeline, complain);
  check_cluster(config, complain);
}

} // namespace actorpipe
