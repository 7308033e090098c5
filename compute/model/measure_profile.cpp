// SPDX-License-Identifier: Apache-2.0
/// Measuring each layer's cost on a device.
#include "compute/model/layer_guard.hpp"
#include "compute/model/profile_sizes.hpp"
#include "compute/model/undefined_weights.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <stdexcept>

namespace actorpipe {

namespace {

double median(std::vector<double> xs) {
  const auto middle = xs.begin() + static_cast<std::ptrdiff_t>(xs.size() / 2);
  std::nth_element(xs.begin(), middle, xs.end());
  return *middle;
}

/// Seconds of a forward and of a backward.
struct seconds {
  std::vector<double> forward;
  std::vector<double> backward;
};

class stopwatch_stream {
public:
  explicit stopwatch_stream(device& where)
    : stream_(where.make_stream(std::make_shared<memory_account>("profile"))) {}

  operations& ops() { return stream_->ops(); }

  /// Runs `work` to its end on the device and returns how long that took.
  template <class Work>
  double time(Work&& work) {
    stream_->record().wait();
    const auto begin = std::chrono::steady_clock::now();
    work();
    stream_->record().wait();
    return std::chrono::duration<double>(std::chrono::steady_clock::now()
                                         - begin)
      .count();
  }

  tensor_list inputs(const std::vector<tensor_type>& types) {
    tensor_list result;
    for (const auto& type : types) {
      result.push_back(ops().make(type));
      if (is_differentiable(type.type))
        ops().fill_normal(result.back(), 1, random_key{result.size()});
      else
        ops().fill(result.back(), 0);
    }
    return result;
  }

private:
  std::unique_ptr<stream> stream_;
};

layer_weights make_weights(const layer& what, operations& ops) {
  auto w = make_undefined_weights(what, ops);
  for (std::size_t i = 0; i < w.parameters.size(); ++i)
    ops.fill_normal(w.parameters[i], 0.02, random_key{i});
  const auto states = what.states();
  for (std::size_t i = 0; i < states.size(); ++i)
    ops.fill(w.states[i], states[i].initial);
  return w;
}

seconds time_layer(const layer& what, stopwatch_stream& on,
                   const std::vector<tensor_type>& inputs,
                   const std::vector<tensor_type>& outputs, bool is_first,
                   std::size_t repeats) {
  auto& ops = on.ops();
  layer_context ctx{ops};
  ctx.needs_input_gradient = !is_first;
  const auto x = on.inputs(inputs);
  auto d_y = on.inputs(outputs);
  for (auto& y : d_y)
    if (!is_differentiable(y.element()))
      y = {};
  const auto w = make_weights(what, ops);
  tensor_list d_w;
  for (const auto& parameter : w.parameters)
    d_w.push_back(ops.make_zeros(parameter.type()));
  seconds result;
  for (std::size_t i = 0; i <= repeats; ++i) {
    saved_state saved;
    const auto forward = on.time([&] { what.forward(ctx, x, w, saved); });
    const auto backward =
      on.time([&] { what.backward(ctx, d_y, w, d_w, saved); });
    if (i == 0)
      continue; // warms up
    result.forward.push_back(forward);
    result.backward.push_back(backward);
  }
  return result;
}

seconds time_loss(const loss_function& what, stopwatch_stream& on,
                  const std::vector<tensor_type>& outputs,
                  const tensor_type& targets, std::size_t repeats) {
  layer_context ctx{on.ops()};
  const auto y = on.inputs(outputs);
  const auto target = on.inputs({targets}).front();
  seconds result;
  for (std::size_t i = 0; i <= repeats; ++i) {
    saved_state saved;
    const auto forward = on.time([&] { what.forward(ctx, y, target, saved); });
    const auto backward = on.time([&] { what.backward(ctx, 1, saved); });
    if (i == 0)
      continue; // warms up
    result.forward.push_back(forward);
    result.backward.push_back(backward);
  }
  return result;
}

void fill_in(layer_profile& one, const seconds& times) {
  one.forward_seconds = median(times.forward);
  one.backward_seconds = median(times.backward);
}

} // namespace

model_profile measure(const model& source, device& where,
                      const std::vector<tensor_type>& inputs,
                      const tensor_type& targets, std::size_t repeats) {
  if (repeats == 0)
    throw std::invalid_argument("measuring repeats at least 1 time, got 0");
  const auto at = source.boundaries(inputs);
  source.loss().check(at.back(), targets);
  auto result = profile_sizes(source, at);
  stopwatch_stream on(where);
  for (std::size_t i = 0; i < source.size(); ++i)
    fill_in(result.layers[i], guarded(source, i, [&] {
              return time_layer(source.at(i), on, at[i], at[i + 1], i == 0,
                                repeats);
            }));
  fill_in(result.loss, guarded(source, source.size(), [&] {
            return time_loss(source.loss(), on, at.back(), targets, repeats);
          }));
  return result;
}

} // namespace actorpipe
