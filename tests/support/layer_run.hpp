// SPDX-License-Identifier: Apache-2.0
/// Runs one layer on one device: what a test of a layer says in one line.
#pragma once

#include "compute/device/device.hpp"
#include "compute/layers/layer.hpp"
#include "tests/support/test_tensors.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace actorpipe::test {

/// Weights of a layer as a test chooses them: of `type`, in [-scale, scale).
inline layer_weights random_weights(const layer& of, dtype type,
                                    double scale = 0.5) {
  layer_weights w;
  for (const auto& use : of.parameters())
    w.parameters.push_back(
      random_tensor({type, use.extents}, 100 + w.parameters.size(), scale));
  for (const auto& use : of.states())
    w.states.push_back(
      random_tensor({type, use.extents}, 200 + w.states.size(), scale));
  return w;
}

inline tensor_list zeros_like(const tensor_list& xs) {
  tensor_list result;
  for (const auto& x : xs)
    result.push_back(x.defined() ? tensor::zeros(x.type()) : tensor());
  return result;
}

/// A stream of a device and what every layer is told there.
class layer_bench {
public:
  explicit layer_bench(std::shared_ptr<device> where)
    : stream_(where->make_stream(std::make_shared<memory_account>("test"))),
      ctx{stream_->ops()} {
    ctx.seed = 7;
    ctx.step = 3;
    ctx.layer = 2;
  }

  struct result {
    tensor_list y;
    tensor_list contributions;
    tensor_list d_x;
    tensor_list d_w;
  };

  /// Forward and, in one call or in two, backward.
  result run(const layer& what, const tensor_list& x, const layer_weights& w,
             const tensor_list& d_y, bool split = true) {
    result r;
    saved_state saved;
    auto out = what.forward(ctx, x, w, saved);
    r.y = std::move(out.outputs);
    r.contributions = std::move(out.contributions);
    r.d_w = zeros_like(w.parameters);
    if (split) {
      r.d_x = what.backward_input(ctx, d_y, w, saved);
      what.backward_weight(ctx, r.d_w, saved);
    } else {
      r.d_x = what.backward(ctx, d_y, w, r.d_w, saved);
    }
    stream_->record().wait();
    return r;
  }

  tensor_list forward(const layer& what, const tensor_list& x,
                      const layer_weights& w) {
    saved_state saved;
    auto y = what.forward(ctx, x, w, saved).outputs;
    stream_->record().wait();
    return y;
  }

private:
  std::unique_ptr<stream> stream_;

public:
  layer_context ctx;
};

} // namespace actorpipe::test
