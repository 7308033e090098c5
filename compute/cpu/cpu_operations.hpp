// SPDX-License-Identifier: Apache-2.0
/// The operations on host threads: products by oneDNN, the rest by own kernels.
#pragma once

#include "compute/cpu/worker_pool.hpp"
#include "compute/ops/operations.hpp"

#include <memory>

namespace actorpipe {

/// Takes f32; `fill`, `copy` and `add` take f64 too (sums of losses). Throws
/// `std::invalid_argument` for other types. Done when a call returns.
class cpu_operations final : public operations {
public:
  /// `workers` outlives the object.
  cpu_operations(worker_pool& workers, std::shared_ptr<allocator> memory,
                 std::shared_ptr<memory_account> holder);

  tensor make(const tensor_type& type) override;
  void fill(tensor y, double value) override;
  void copy(tensor y, const tensor& x) override;
  void enqueue(std::int64_t pieces,
               std::function<void(std::int64_t)> work) override;

  void add(tensor y, const tensor& a, const tensor& b) override;
  void activation_forward(activation_kind kind, tensor y,
                          const tensor& x) override;
  void activation_backward(activation_kind kind, tensor d_x, const tensor& d_y,
                           const tensor& x) override;
  void dropout(tensor y, const tensor& x, double p, random_key key,
               std::int64_t first_sample) override;

  void matmul(const matmul_args& args) override;
  void column_sum(tensor d_b, const tensor& d_y) override;
  void sum_of_squares(tensor y, const tensor& x) override;

  void layer_norm_forward(tensor y, tensor mean, tensor rstd, const tensor& x,
                          const tensor& gamma, const tensor& beta,
                          double epsilon) override;
  void layer_norm_backward_input(tensor d_x, const tensor& d_y, const tensor& x,
                                 const tensor& mean, const tensor& rstd,
                                 const tensor& gamma) override;
  void layer_norm_backward_weight(tensor d_gamma, tensor d_beta,
                                  const tensor& d_y, const tensor& x,
                                  const tensor& mean,
                                  const tensor& rstd) override;

  void attention_forward(const attention_args& args) override;
  void attention_backward(const attention_backward_args& args) override;

  void embedding_forward(tensor y, const tensor& tokens, const tensor& table,
                         const tensor& positions) override;
  void embedding_backward(tensor d_table, tensor d_positions, const tensor& d_y,
                          const tensor& tokens) override;

  void cross_entropy_forward(tensor loss_sum, tensor log_sum_exp,
                             const tensor& logits, const tensor& targets,
                             std::int32_t ignored) override;
  void cross_entropy_backward(tensor d_logits, const tensor& logits,
                              const tensor& log_sum_exp, const tensor& targets,
                              std::int32_t ignored, double scale) override;

  void fill_normal(tensor y, double deviation, random_key key) override;
  void fill_uniform(tensor y, double bound, random_key key) override;

  void sgd_step(const sgd_args& args) override;
  void rmsprop_step(const rmsprop_args& args) override;
  void adam_step(const adam_args& args) override;

private:
  /// Calls `work(begin, end)` for consecutive parts of [0, count), all but the
  /// last of `part` each.
  template <class F>
  void for_parts(std::int64_t count, std::int64_t part, F&& work) {
    workers_.parallel_for((count + part - 1) / part, [&](std::int64_t piece) {
      const auto begin = piece * part;
      work(begin, count - begin < part ? count : begin + part);
    });
  }

  worker_pool& workers_;
  std::shared_ptr<allocator> memory_;
  std::shared_ptr<memory_account> holder_;
};

} // namespace actorpipe
