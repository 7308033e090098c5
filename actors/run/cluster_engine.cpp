// SPDX-License-Identifier: Apache-2.0
/// A pipeline on several nodes, as the run loop sees it.
#include "actors/cluster/cluster.hpp"
#include "actors/run/training_engine.hpp"

#include <utility>

namespace actorpipe {

namespace {

class cluster_engine final : public training_engine {
public:
  cluster_engine(cluster_options nodes, pipeline_options options,
                 const layer_registry& registry)
    : line_(std::move(nodes), std::move(options), registry) {}

  step_report train(const batch& data, const train_request& how) override {
    return line_.train(data, how);
  }
  step_report evaluate(const batch& data) override {
    return line_.evaluate(data);
  }
  model_values values() override { return line_.values(); }
  void set_values(const model_values& next) override { line_.set_values(next); }
  std::vector<stage_memory> peak_memory() const override { return {}; }

private:
  cluster line_;
};

} // namespace

std::unique_ptr<training_engine>
make_cluster_engine(cluster_options nodes, pipeline_options options,
                    const layer_registry& registry) {
  return std::make_unique<cluster_engine>(std::move(nodes), std::move(options),
                                          registry);
}

} // namespace actorpipe
