// SPDX-License-Identifier: Apache-2.0
/// The plain loops over micro-batches and layers.
#include "compute/train/sequential.hpp"

#include "compute/layers/layer_results.hpp"
#include "compute/model/layer_guard.hpp"
#include "compute/ops/to_host.hpp"
#include "compute/optim/clip.hpp"
#include "compute/train/loss_mean.hpp"

#include <fmt/format.h>

#include <cmath>

namespace actorpipe {

namespace {

/// One pass over one micro-batch.
class pass {
public:
  pass(const model& source, const layer_context& ctx, const cell_weights& w)
    : source_(source), ctx_(ctx), w_(w), saved_(source.size()),
      types_(source.size()), contributions_(source.size()) {}

  tensor_list forward(tensor_list x) {
    for (std::size_t i = 0; i < source_.size(); ++i) {
      ctx_.layer = i;
      types_[i] = types_of(x);
      auto out = guarded(source_, i, [&] {
        auto got = source_.at(i).forward(ctx_, x, w_[i], saved_[i]);
        require_results(source_.at(i), ctx_, types_[i], got);
        return got;
      });
      x = std::move(out.outputs);
      contributions_[i] = std::move(out.contributions);
    }
    output_types_ = types_of(x);
    return x;
  }

  tensor loss(const tensor_list& outputs, const tensor& targets) {
    ctx_.layer = source_.size();
    return guarded(source_, source_.size(), [&] {
      auto sum = source_.loss().forward(ctx_, outputs, targets, saved_loss_);
      require_loss_sum(sum);
      return sum;
    });
  }

  /// d_w += per layer, per parameter.
  void backward(double normalizer, std::vector<tensor_list>& d_w) {
    ctx_.layer = source_.size();
    auto d_y = guarded(source_, source_.size(), [&] {
      auto d = source_.loss().backward(ctx_, normalizer, saved_loss_);
      require_gradients(output_types_, d, true);
      return d;
    });
    for (std::size_t i = source_.size(); i-- > 0;) {
      ctx_.layer = i;
      ctx_.needs_input_gradient = i > 0;
      guarded(source_, i, [&] {
        d_y = source_.at(i).backward_input(ctx_, d_y, w_[i], saved_[i]);
        require_gradients(types_[i], d_y, ctx_.needs_input_gradient);
        source_.at(i).backward_weight(ctx_, d_w[i], saved_[i]);
      });
    }
  }

  /// sums += this micro-batch's, per layer and state; the first are taken.
  void add_contributions(std::vector<tensor_list>& sums) {
    if (sums.empty()) {
      sums = std::move(contributions_);
      return;
    }
    for (std::size_t i = 0; i < sums.size(); ++i)
      for (std::size_t state = 0; state < sums[i].size(); ++state)
        ctx_.ops.add(sums[i][state], sums[i][state], contributions_[i][state]);
  }

private:
  const model& source_;
  layer_context ctx_;
  const cell_weights& w_;
  std::vector<saved_state> saved_;
  saved_state saved_loss_;
  std::vector<std::vector<tensor_type>> types_; ///< of what enters a layer
  std::vector<tensor_type> output_types_;
  std::vector<tensor_list> contributions_;
};

/// Zeros for every use of a parameter, per layer.
std::vector<tensor_list> zero_gradients(operations& ops,
                                        const cell_weights& w) {
  std::vector<tensor_list> result(w.size());
  for (std::size_t i = 0; i < w.size(); ++i)
    for (const auto& parameter : w[i].parameters)
      result[i].push_back(ops.make_zeros(parameter.type()));
  return result;
}

/// The gradient of each parameter: its uses' gradients added in layer order.
tensor_list add_uses(operations& ops, const model& source,
                     const std::vector<tensor_list>& d_w) {
  tensor_list result;
  for (const auto& parameter : source.parameters()) {
    auto sum = d_w[parameter.uses[0].layer][parameter.uses[0].index];
    for (std::size_t i = 1; i < parameter.uses.size(); ++i)
      ops.add(sum, sum, d_w[parameter.uses[i].layer][parameter.uses[i].index]);
    result.push_back(sum);
  }
  return result;
}

tensor_list sums_of_squares(operations& ops, const tensor_list& xs) {
  tensor_list result;
  for (const auto& x : xs) {
    auto sum = ops.make({dtype::f64, {1}});
    ops.sum_of_squares(sum, x);
    result.push_back(to_host(ops, sum));
  }
  return result;
}

std::vector<double> read(const tensor_list& scalars) {
  std::vector<double> result;
  for (const auto& x : scalars)
    result.push_back(*x.data<double>());
  return result;
}

void require_finite(const model& source, std::int64_t step, double loss,
                    const std::vector<double>& squares) {
  if (!std::isfinite(loss))
    throw not_finite_error(fmt::format("step {}: the loss is {}", step, loss));
  for (std::size_t i = 0; i < squares.size(); ++i)
    if (!std::isfinite(squares[i]))
      throw not_finite_error(
        fmt::format("step {}: the gradient of {} is not finite", step,
                    source.parameters()[i].declaration.name));
}

void require_finite_evaluation(const std::vector<double>& losses) {
  for (std::size_t m = 0; m < losses.size(); ++m)
    if (!std::isfinite(losses[m]))
      throw not_finite_error(
        fmt::format("evaluation: the loss of micro-batch {} is not finite", m));
}

} // namespace

sequential_trainer::sequential_trainer(std::shared_ptr<const model> source,
                                       std::shared_ptr<const optimizer> how,
                                       std::shared_ptr<device> where,
                                       std::uint64_t seed)
  : source_(std::move(source)), optimizer_(std::move(how)),
    device_(std::move(where)),
    holder_(std::make_shared<memory_account>("sequential trainer")),
    stream_(device_->make_stream(holder_)), seed_(seed),
    values_(initial_values(*source_, *optimizer_, stream_->ops(), seed)) {}

step_result sequential_trainer::train(const batch& data, std::int64_t step,
                                      const train_options& options) {
  source_->loss().check(source_->boundaries(types_of(data.inputs)).back(),
                        data.targets.type());
  auto& ops = stream_->ops();
  const auto w = gather_weights(*source_, values_);
  step_result result;
  result.targets = source_->loss().count(data.targets);
  const auto normalizer = loss_normalizer(result.targets);

  auto d_w = zero_gradients(ops, w);
  tensor_list losses;
  std::vector<tensor_list> contributions;
  for (const auto& range : cut_batch(data.samples(), options.micro_batches)) {
    const auto part = slice(data, range);
    layer_context ctx{ops};
    ctx.seed = seed_;
    ctx.step = static_cast<std::uint64_t>(step);
    ctx.first_sample = range.begin;
    pass one(*source_, ctx, w);
    losses.push_back(
      to_host(ops, one.loss(one.forward(part.inputs), part.targets)));
    one.backward(normalizer, d_w);
    one.add_contributions(contributions);
  }
  const auto gradients = add_uses(ops, *source_, d_w);
  const auto squares_on_host = sums_of_squares(ops, gradients);
  stream_->record().wait();

  const auto squares = read(squares_on_host);
  result.loss = mean_loss(read(losses), normalizer);
  require_finite(*source_, step, result.loss, squares);
  result.gradient_norm = global_norm(squares);
  result.clip_factor = clip_factor(result.gradient_norm, options.max_norm);

  model_values next;
  next.updates = values_.updates + 1;
  for (std::size_t i = 0; i < gradients.size(); ++i)
    next.parameters.push_back(optimizer_->update(
      ops, values_.parameters[i], gradients[i],
      {options.learning_rate, result.clip_factor, next.updates,
       source_->parameters()[i].declaration.decays}));
  for (std::size_t i = 0; i < source_->size(); ++i)
    next.states.push_back(source_->at(i).commit_state(
      ops, values_.states[i], contributions[i], data.samples()));
  stream_->record().wait();
  values_ = std::move(next);
  return result;
}

step_result sequential_trainer::evaluate(const batch& data,
                                         std::int64_t micro_batches) {
  source_->loss().check(source_->boundaries(types_of(data.inputs)).back(),
                        data.targets.type());
  auto& ops = stream_->ops();
  const auto w = gather_weights(*source_, values_);
  step_result result;
  result.targets = source_->loss().count(data.targets);
  tensor_list losses;
  for (const auto& range : cut_batch(data.samples(), micro_batches)) {
    const auto part = slice(data, range);
    layer_context ctx{ops, run_mode::evaluate};
    ctx.saving = false;
    ctx.first_sample = range.begin;
    pass one(*source_, ctx, w);
    losses.push_back(
      to_host(ops, one.loss(one.forward(part.inputs), part.targets)));
  }
  stream_->record().wait();
  const auto sums = read(losses);
  require_finite_evaluation(sums);
  result.loss = mean_loss(sums, loss_normalizer(result.targets));
  return result;
}

tensor_list sequential_trainer::infer(const tensor_list& inputs) {
  source_->boundaries(types_of(inputs));
  auto& ops = stream_->ops();
  const auto w = gather_weights(*source_, values_);
  layer_context ctx{ops, run_mode::evaluate};
  ctx.saving = false;
  tensor_list result;
  for (const auto& x : pass(*source_, ctx, w).forward(inputs))
    result.push_back(to_host(ops, x));
  stream_->record().wait();
  return result;
}

} // namespace actorpipe
