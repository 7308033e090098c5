// SPDX-License-Identifier: Apache-2.0
/// The operations that layers, losses and optimisers are written on.
///
/// Implementations: `compute/reference` (plain loops, f32 and f64, the oracle),
/// `compute/cpu` (oneDNN and own kernels, f32), and one that only counts bytes.
///
/// For all operations: tensors are contiguous; work is enqueued on the stream
/// that owns the object and reads its arguments when it runs; an output is
/// written whole unless its comment says `+=`; shapes that do not fit are a
/// programmer's error (asserted), since layers check theirs when a model is
/// built. Every operation cuts its work into pieces that depend on shapes
/// alone, so results are the same bits for any number of threads.
#pragma once

#include "compute/ops/random_key.hpp"
#include "compute/tensor/tensor.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace actorpipe {

enum class activation_kind : std::uint8_t { none, gelu, relu, tanh };

/// y[N, O] = activation(op(a)[N, I] op(b)[I, O] + bias[O]).
/// Leading extents of `a` and `y` are flattened into N where not transposed.
struct matmul_args {
  tensor a;
  tensor b;
  tensor y;
  bool transpose_a = false; ///< a is stored [I, N]
  bool transpose_b = false; ///< b is stored [O, I]
  bool accumulate = false;  ///< y +=; not together with bias or activation
  tensor bias;              ///< [O], or undefined for none
  activation_kind activation = activation_kind::none;
  tensor pre_activation; ///< [N, O]: receives what the activation was applied
                         ///< to; undefined where not wanted
};

/// Causal multi-head attention over packed queries, keys and values.
/// qkv[B, T, 3C]: along the last axis q, k, v, each [H, C/H].
struct attention_args {
  tensor qkv;
  tensor y;             ///< [B, T, C]
  tensor probabilities; ///< [B, H, T, T]: row t holds t+1 values, then zeros
  std::int64_t heads = 1;
};

struct attention_backward_args {
  tensor d_y; ///< [B, T, C]
  tensor qkv;
  tensor probabilities;
  tensor d_qkv; ///< [B, T, 3C]
  std::int64_t heads = 1;
};

/// One step of an optimiser on one parameter of any shape. What is read
/// (`w`, `slots`) stays as it is; what is made is written beside it.
struct optimizer_args {
  tensor w;          ///< weights of version t
  tensor d_w;        ///< accumulated gradient
  tensor_list slots; ///< moments of version t, in the optimiser's order
  tensor w_next;
  tensor_list slots_next;
  double learning_rate = 0;
  double gradient_scale = 1; ///< the clip factor, multiplied onto d_w first
  double weight_decay = 0;
  std::int64_t step = 1; ///< 1 for the first update
};

struct sgd_args : optimizer_args {
  double momentum = 0; ///< 0: no slots; else one
  bool nesterov = false;
};

struct rmsprop_args : optimizer_args {
  double alpha = 0.99;
  double epsilon = 1e-8;
};

struct adam_args : optimizer_args {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  bool decoupled_decay = false; ///< AdamW
};

class operations {
public:
  virtual ~operations() = default;

  // -- memory -----------------------------------------------------------------

  /// A tensor with undefined contents on this device, charged to the stream's
  /// holder. Throws `out_of_memory`.
  virtual tensor make(const tensor_type& type) = 0;

  /// A tensor of zeros.
  tensor make_zeros(const tensor_type& type);

  virtual void fill(tensor y, double value) = 0;
  virtual void copy(tensor y, const tensor& x) = 0;

  // -- host code --------------------------------------------------------------

  /// Runs `work(i)` for every i in [0, pieces), in any order and on any of the
  /// device's threads, in the stream's order with other operations. This is how
  /// a user's own layer computes on the host. The pieces must write disjoint
  /// memory and their number must depend on shapes alone. A device that only
  /// counts never calls `work`; a device without host memory throws
  /// `std::logic_error`. What `work` throws reaches the caller or the event.
  virtual void enqueue(std::int64_t pieces,
                       std::function<void(std::int64_t)> work) = 0;

  // -- elementwise ------------------------------------------------------------

  /// y = a + b. `y` may be `a` or `b`.
  virtual void add(tensor y, const tensor& a, const tensor& b) = 0;

  /// y = activation(x). `y` may be `x`.
  virtual void activation_forward(activation_kind kind, tensor y,
                                  const tensor& x) = 0;

  /// d_x = d_y * activation'(x), where `x` is what the activation was applied
  /// to. `d_x` may be `d_y` or `x`.
  virtual void activation_backward(activation_kind kind, tensor d_x,
                                   const tensor& d_y, const tensor& x) = 0;

  /// y = x * mask / (1 - p): each element is kept with probability 1 - p. The
  /// mask is a function of (key, first_sample + b, element within the sample),
  /// so the backward applies the same call to the gradient. x, y: [B, ...].
  /// `y` may be `x`. Requires 0 <= p < 1.
  virtual void dropout(tensor y, const tensor& x, double p, random_key key,
                       std::int64_t first_sample) = 0;

  // -- products and sums ------------------------------------------------------

  virtual void matmul(const matmul_args& args) = 0;

  /// d_b[O] += sum over N of d_y[N, O].
  virtual void column_sum(tensor d_b, const tensor& d_y) = 0;

  /// y[1] (f64) = sum of x_i^2, added in double in blocks of fixed size that
  /// are folded in index order. Not finite when any element is not.
  virtual void sum_of_squares(tensor y, const tensor& x) = 0;

  // -- layer norm -------------------------------------------------------------

  /// y[N, C] = (x - mean) * rstd * gamma + beta, with the row's mean[N] and
  /// rstd[N] = 1 / sqrt(var + epsilon), biased variance. (Ba et al. 2016,
  /// arXiv 1607.06450.)
  virtual void layer_norm_forward(tensor y, tensor mean, tensor rstd,
                                  const tensor& x, const tensor& gamma,
                                  const tensor& beta, double epsilon) = 0;

  virtual void layer_norm_backward_input(tensor d_x, const tensor& d_y,
                                         const tensor& x, const tensor& mean,
                                         const tensor& rstd,
                                         const tensor& gamma) = 0;

  /// d_gamma[C] += ..., d_beta[C] += ...
  virtual void layer_norm_backward_weight(tensor d_gamma, tensor d_beta,
                                          const tensor& d_y, const tensor& x,
                                          const tensor& mean,
                                          const tensor& rstd) = 0;

  // -- attention --------------------------------------------------------------

  /// y = softmax(q k^T / sqrt(C/H), causal) v per head. (Vaswani et al. 2017,
  /// arXiv 1706.03762.)
  virtual void attention_forward(const attention_args& args) = 0;
  virtual void attention_backward(const attention_backward_args& args) = 0;

  // -- embedding --------------------------------------------------------------

  /// y[B, T, C] = table[token, :] + positions[t, :]. tokens[B, T] is u8 or i32;
  /// positions[T' >= T, C] may be undefined. A token outside [0, V) throws
  /// `std::out_of_range` naming it.
  virtual void embedding_forward(tensor y, const tensor& tokens,
                                 const tensor& table,
                                 const tensor& positions) = 0;

  /// d_table[V, C] += ..., d_positions[T', C] += ... (may be undefined), each
  /// row in the order of b, then t.
  virtual void embedding_backward(tensor d_table, tensor d_positions,
                                  const tensor& d_y, const tensor& tokens) = 0;

  // -- loss -------------------------------------------------------------------

  /// loss_sum[1] (f64) = sum over rows whose target is not `ignored` of
  /// log(sum_v exp(logits)) - logits[target]; log_sum_exp[N] for the backward.
  /// logits[N, V], targets[N] i32. A target outside [0, V) that is not
  /// `ignored` throws `std::out_of_range` naming it.
  virtual void cross_entropy_forward(tensor loss_sum, tensor log_sum_exp,
                                     const tensor& logits,
                                     const tensor& targets,
                                     std::int32_t ignored) = 0;

  /// d_logits[N, V] = scale * (softmax(logits) - one_hot(target)); zero in rows
  /// that are ignored.
  virtual void cross_entropy_backward(tensor d_logits, const tensor& logits,
                                      const tensor& log_sum_exp,
                                      const tensor& targets,
                                      std::int32_t ignored, double scale) = 0;

  // -- initial values ---------------------------------------------------------

  /// y_i ~ normal(0, deviation), a function of (key, i).
  virtual void fill_normal(tensor y, double deviation, random_key key) = 0;

  /// y_i ~ uniform(-bound, bound), a function of (key, i).
  virtual void fill_uniform(tensor y, double bound, random_key key) = 0;

  // -- optimisers -------------------------------------------------------------

  virtual void sgd_step(const sgd_args& args) = 0;
  virtual void rmsprop_step(const rmsprop_args& args) = 0;
  virtual void adam_step(const adam_args& args) = 0;
};

} // namespace actorpipe
