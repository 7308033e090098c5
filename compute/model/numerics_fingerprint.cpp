// SPDX-License-Identifier: Apache-2.0
/// The fixed set of operations, and the sum of their results.
#include "compute/model/numerics_fingerprint.hpp"

#include "compute/io/sha256.hpp"
#include "compute/ops/to_host.hpp"
#include "compute/optim/optimizer.hpp"

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace actorpipe {

namespace {

/// Makes inputs, and keeps results until all are there.
class probe {
public:
  explicit probe(device& where) : work_(where.make_stream(nullptr)) {}

  operations& ops() noexcept { return work_->ops(); }

  /// Values from -`scale` to `scale`; each input has others. A function of
  /// counters, by whole numbers and one rounding alone, which is the same
  /// everywhere.
  tensor input(const shape& extents, float scale = 1) {
    return make_input(extents, [=](std::int32_t x) {
      return static_cast<float>(x >> 8) * 0x1p-23F * scale;
    });
  }

  /// Values from 0 to 1, as sums of squares are.
  tensor positive_input(const shape& extents) {
    return make_input(extents, [](std::int32_t x) {
      return std::abs(static_cast<float>(x >> 8)) * 0x1p-23F;
    });
  }

  /// Whole numbers from 0 to `below` - 1.
  tensor indices(const shape& extents, std::uint32_t below) {
    return make_input(extents, [=](std::int32_t x) {
      return static_cast<std::int32_t>(static_cast<std::uint32_t>(x) % below);
    });
  }

  tensor make(const shape& extents) {
    return ops().make({dtype::f32, extents});
  }

  void note(std::initializer_list<tensor> results) {
    for (const auto& x : results)
      results_.push_back(to_host(ops(), x));
  }

  std::string finish() {
    work_->record().wait();
    sha256 sum;
    for (const auto& x : results_)
      sum.add(x.bytes(), static_cast<std::size_t>(x.size_bytes()));
    return sum.finish();
  }

private:
  template <class Convert>
  tensor make_input(const shape& extents, Convert convert) {
    std::vector<decltype(convert(0))> values;
    const auto count = static_cast<std::size_t>(extents.elements());
    values.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      const auto four = draw({0x5eed}, i / 4, inputs_);
      values.push_back(convert(static_cast<std::int32_t>(four.values[i % 4])));
    }
    ++inputs_;
    const auto host = tensor::from(extents, values);
    auto result = ops().make(host.type());
    ops().copy(result, host);
    return result;
  }

  std::unique_ptr<stream> work_;
  std::uint64_t inputs_ = 0;
  tensor_list results_;
};

/// What a product does besides multiplying.
struct product_form {
  bool transpose_a = false;
  bool transpose_b = false;
  bool accumulate = false;
  bool has_bias = false;
  activation_kind activation = activation_kind::none;
  bool keeps_pre_activation = false;
};

/// y[N, O] of a[N, I] and b[I, O].
void multiply(probe& on, std::int64_t N, std::int64_t I, std::int64_t O,
              const product_form& form) {
  matmul_args args;
  args.a = on.input(form.transpose_a ? shape{I, N} : shape{N, I});
  args.b = on.input(form.transpose_b ? shape{O, I} : shape{I, O});
  args.y = form.accumulate ? on.input({N, O}) : on.make({N, O});
  args.transpose_a = form.transpose_a;
  args.transpose_b = form.transpose_b;
  args.accumulate = form.accumulate;
  args.activation = form.activation;
  if (form.has_bias)
    args.bias = on.input({O});
  if (form.keeps_pre_activation)
    args.pre_activation = on.make({N, O});
  on.ops().matmul(args);
  on.note({args.y});
  if (form.keeps_pre_activation)
    on.note({args.pre_activation});
}

void multiply_all(probe& on) {
  using enum activation_kind;
  // A layer's forward, its gradients, and what is left of the four transposes.
  const product_form forward{false, true, false, true};
  const product_form input_gradient{};
  const product_form weight_gradient{true, false, true};
  const product_form both{true, true};
  for (const auto& form : {forward, input_gradient, weight_gradient, both}) {
    multiply(on, 1, 1, 1, form);
    multiply(on, 5, 7, 3, form);
    multiply(on, 1, 129, 66, form);
    multiply(on, 33, 65, 17, form);
    multiply(on, 64, 48, 144, form);
    multiply(on, 40, 700, 24, form); // a long sum
  }
  for (const auto& form : {forward, input_gradient, weight_gradient})
    multiply(on, 260, 390, 270, form); // more than one tile each way
  for (const auto activation : {gelu, relu, tanh}) {
    multiply(on, 31, 19, 45, {false, true, false, true, activation, true});
    multiply(on, 31, 19, 45, {false, true, false, false, activation, false});
  }
}

void apply_elementwise(probe& on) {
  using enum activation_kind;
  const shape extents{13, 1031};
  const auto x = on.input(extents, 9);
  const auto d_y = on.input(extents);
  const auto y = on.make(extents);
  for (const auto kind : {gelu, relu, tanh}) {
    on.ops().activation_forward(kind, y, x);
    on.note({y});
    on.ops().activation_backward(kind, y, d_y, x);
    on.note({y});
  }
  on.ops().add(y, x, d_y);
  on.note({y});
  on.ops().dropout(y, x, 0.1, {7}, 3);
  on.note({y});
}

void add_up(probe& on) {
  const auto x = on.input({301, 131});
  const auto columns = on.input({131});
  on.ops().column_sum(columns, x);
  const auto squares = on.ops().make({dtype::f64, {1}});
  on.ops().sum_of_squares(squares, x);
  on.note({columns, squares});
}

void normalize(probe& on, std::int64_t N, std::int64_t C) {
  const auto x = on.input({N, C}, 3), d_y = on.input({N, C});
  const auto gamma = on.input({C}), beta = on.input({C});
  const auto y = on.make({N, C}), d_x = on.make({N, C});
  const auto mean = on.make({N}), rstd = on.make({N});
  on.ops().layer_norm_forward(y, mean, rstd, x, gamma, beta, 1e-5);
  on.ops().layer_norm_backward_input(d_x, d_y, x, mean, rstd, gamma);
  const auto d_gamma = on.input({C}), d_beta = on.input({C});
  on.ops().layer_norm_backward_weight(d_gamma, d_beta, d_y, x, mean, rstd);
  on.note({y, mean, rstd, d_x, d_gamma, d_beta});
}

void attend(probe& on, std::int64_t B, std::int64_t T, std::int64_t C,
            std::int64_t heads) {
  const auto qkv = on.input({B, T, 3 * C}, 2), d_y = on.input({B, T, C});
  const auto y = on.make({B, T, C}), d_qkv = on.make({B, T, 3 * C});
  const auto probabilities = on.make({B, heads, T, T});
  on.ops().attention_forward({qkv, y, probabilities, heads});
  on.ops().attention_backward({d_y, qkv, probabilities, d_qkv, heads});
  on.note({y, probabilities, d_qkv});
}

void embed(probe& on) {
  const auto tokens = on.indices({3, 17}, 50);
  const auto table = on.input({50, 29}), positions = on.input({20, 29});
  const auto y = on.make({3, 17, 29});
  on.ops().embedding_forward(y, tokens, table, positions);
  on.note({y});
  on.ops().embedding_backward(table, positions, y, tokens);
  on.note({table, positions});
}

void take_loss(probe& on, std::int64_t N, std::int64_t V) {
  constexpr std::int32_t ignored = 1; // some rows are
  const auto logits = on.input({N, V}, 5);
  const auto targets = on.indices({N}, static_cast<std::uint32_t>(V));
  const auto loss = on.ops().make({dtype::f64, {1}});
  const auto log_sum_exp = on.make({N}), d_logits = on.make({N, V});
  on.ops().cross_entropy_forward(loss, log_sum_exp, logits, targets, ignored);
  on.ops().cross_entropy_backward(d_logits, logits, log_sum_exp, targets,
                                  ignored, 1.0 / 3);
  on.note({loss, log_sum_exp, d_logits});
}

void draw_numbers(probe& on) {
  const auto y = on.make({1001});
  on.ops().fill_normal(y, 0.02, {1});
  on.note({y});
  on.ops().fill_uniform(y, 0.3, {2});
  on.note({y});
}

void update(probe& on, optimizer_kind kind, double momentum, bool nesterov) {
  optimizer_options options;
  options.kind = kind;
  options.momentum = momentum;
  options.nesterov = nesterov;
  options.weight_decay = 0.01;
  const auto how = make_optimizer(options);
  const shape extents{23, 57};
  parameter_value now{on.input(extents), {}};
  for (std::size_t i = 0; i < how->slots().size(); ++i)
    now.slots.push_back(on.positive_input(extents));
  const auto next =
    how->update(on.ops(), now, on.input(extents), {1e-3, 0.7, 3, true});
  on.note({next.weight});
  for (const auto& slot : next.slots)
    on.note({slot});
}

} // namespace

std::string numerics_fingerprint(device& where) {
  probe on(where);
  multiply_all(on);
  apply_elementwise(on);
  add_up(on);
  normalize(on, 37, 129);
  normalize(on, 9, 768);
  attend(on, 2, 33, 48, 3);
  attend(on, 1, 130, 64, 2);
  embed(on);
  take_loss(on, 50, 17);
  take_loss(on, 30, 1003);
  draw_numbers(on);
  update(on, optimizer_kind::sgd, 0, false);
  update(on, optimizer_kind::sgd, 0.9, false);
  update(on, optimizer_kind::sgd, 0.9, true);
  update(on, optimizer_kind::rmsprop, 0, false);
  update(on, optimizer_kind::adam, 0, false);
  update(on, optimizer_kind::adamw, 0, false);
  return on.finish();
}

} // namespace actorpipe
