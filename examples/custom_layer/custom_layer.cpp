// SPDX-License-Identifier: Apache-2.0
/// Trains a model with a layer of one's own, like any other.
#include "swish.hpp"

#include "compute/train/sequential.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace actorpipe;

namespace {

/// Points in the plane, and whether they lie inside a circle.
batch circle(std::int64_t samples) {
  std::vector<float> points;
  std::vector<std::int32_t> inside;
  for (std::int64_t i = 0; i < samples; ++i) {
    const auto x = std::sin(static_cast<float>(12 * i));
    const auto y = std::cos(static_cast<float>(7 * i * i));
    points.insert(points.end(), {x, y});
    inside.push_back(x * x + y * y < 0.8F ? 1 : 0);
  }
  return {{tensor::from({samples, 2}, points)},
          tensor::from({samples}, inside)};
}

} // namespace

int main() {
  auto registry = layer_registry::with_builtin();
  register_swish(registry);

  const std::int64_t in = 2, width = 16, classes = 2;
  const model_spec spec{
    {{"linear", "first", {{"inputs", in}, {"outputs", width}}, {}},
     {"swish", "swish", {{"width", width}}, {}},
     {"linear", "second", {{"inputs", width}, {"outputs", classes}}, {}}},
    {"softmax_cross_entropy", "loss", {}, {}}};

  optimizer_options how;
  how.kind = optimizer_kind::adam;
  sequential_trainer trainer(build_model(spec, registry), make_optimizer(how),
                             make_reference_device("host"), 1);
  const auto data = circle(64);
  double loss = 0;
  for (std::int64_t step = 0; step <= 100; ++step) {
    loss = trainer.train(data, step, {4, 0.05, 0}).loss;
    if (step % 20 == 0)
      std::printf("step %3lld  loss %.4f\n", static_cast<long long>(step),
                  loss);
  }
  return loss < 0.1 ? EXIT_SUCCESS : EXIT_FAILURE;
}
