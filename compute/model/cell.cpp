// SPDX-License-Identifier: Apache-2.0
/// Running the layers of a cell forward, again, and backward.
#include "compute/model/cell.hpp"

#include "compute/layers/layer_results.hpp"
#include "compute/model/layer_guard.hpp"

#include <cassert>

namespace actorpipe {

namespace {

layer_context make_context(operations& ops, const cell_step& step,
                           std::int64_t first_sample) {
  layer_context ctx{ops};
  ctx.mode = step.mode;
  ctx.seed = step.seed;
  ctx.step = step.step;
  ctx.first_sample = first_sample;
  return ctx;
}

} // namespace

cell::cell(std::shared_ptr<const model> source, std::size_t first,
           std::size_t last)
  : source_(std::move(source)), first_(first), last_(last) {
  assert(first_ <= last_ && last_ <= source_->size());
}

cell::forward_result cell::run(operations& ops, const cell_step& step,
                               tensor_list x, const tensor& targets,
                               std::int64_t first_sample, const cell_weights& w,
                               keep what, bool recomputing) const {
  assert(w.size() == last_ - first_);
  auto ctx = make_context(ops, step, first_sample);
  ctx.recomputing = recomputing;
  ctx.saving = what == keep::everything;
  forward_result result;
  if (what == keep::inputs)
    result.stash.inputs = x;
  for (std::size_t i = 0; i < w.size(); ++i) {
    ctx.layer = first_ + i;
    saved_state saved;
    auto types = types_of(x);
    auto out = guarded(*source_, ctx.layer, [&] {
      const auto& one = source_->at(ctx.layer);
      auto got = one.forward(ctx, x, w[i], saved);
      require_results(one, ctx, types, got);
      return got;
    });
    if (ctx.saving) {
      result.stash.layers.push_back(std::move(saved));
      result.stash.types.push_back(std::move(types));
    }
    x = std::move(out.outputs);
    result.contributions.push_back(std::move(out.contributions));
  }
  if (ctx.saving)
    result.stash.types.push_back(types_of(x));
  if (!has_loss() || !targets.defined()) {
    result.outputs = std::move(x);
    return result;
  }
  ctx.layer = last_;
  saved_state saved;
  result.loss_sum = guarded(*source_, last_, [&] {
    auto sum = source_->loss().forward(ctx, x, targets, saved);
    require_loss_sum(sum);
    return sum;
  });
  if (ctx.saving)
    result.stash.loss = std::move(saved);
  return result;
}

cell::forward_result cell::forward(operations& ops, const cell_step& step,
                                   tensor_list x, const tensor& targets,
                                   std::int64_t first_sample,
                                   const cell_weights& w, keep what) const {
  return run(ops, step, std::move(x), targets, first_sample, w, what, false);
}

void cell::recompute(operations& ops, const cell_step& step,
                     const tensor& targets, std::int64_t first_sample,
                     const cell_weights& w, cell_stash& stash) const {
  stash = run(ops, step, std::move(stash.inputs), targets, first_sample, w,
              keep::everything, true)
            .stash;
}

tensor_list cell::backward(operations& ops, const cell_step& step,
                           tensor_list d_y, std::int64_t first_sample,
                           const cell_weights& w, cell_stash& stash,
                           std::vector<tensor_list>& d_w,
                           bool needs_input_gradient) const {
  assert(w.size() == last_ - first_ && d_w.size() == w.size()
         && stash.layers.size() == w.size());
  auto ctx = make_context(ops, step, first_sample);
  if (has_loss()) {
    ctx.layer = last_;
    d_y = guarded(*source_, last_, [&] {
      auto d = source_->loss().backward(ctx, step.normalizer, stash.loss);
      require_gradients(stash.types.at(w.size()), d, true);
      return d;
    });
    stash.loss = {};
  } else {
    // What came from the next cell must be of what was sent there.
    require_gradients(stash.types.at(w.size()), d_y, true);
  }
  for (std::size_t i = w.size(); i-- > 0;) {
    ctx.layer = first_ + i;
    ctx.needs_input_gradient = i > 0 || needs_input_gradient;
    d_y = guarded(*source_, ctx.layer, [&] {
      auto d_x = source_->at(ctx.layer).backward(ctx, d_y, w[i], d_w[i],
                                                 stash.layers[i]);
      require_gradients(stash.types.at(i), d_x, ctx.needs_input_gradient);
      return d_x;
    });
    stash.layers.pop_back();
  }
  stash = {};
  return d_y;
}

} // namespace actorpipe
