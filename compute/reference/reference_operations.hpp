// SPDX-License-Identifier: Apache-2.0
/// The operations as plain loops in the calling thread: the oracle.
#pragma once

#include "compute/ops/operations.hpp"

#include <memory>

namespace actorpipe {

/// Every result is computed in double and rounded once to the element's type,
/// except where the contract fixes an order of additions in that type.
class reference_operations final : public operations {
public:
  reference_operations(std::shared_ptr<allocator> memory,
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
  std::shared_ptr<allocator> memory_;
  std::shared_ptr<memory_account> holder_;
};

} // namespace actorpipe
