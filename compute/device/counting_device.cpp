// SPDX-License-Identifier: Apache-2.0
/// The device of dry runs: counts the bytes of tensors and computes nothing.
#include "compute/device/device.hpp"
#include "compute/device/immediate_stream.hpp"
#include "compute/ops/preconditions.hpp"

namespace actorpipe {
namespace {

class counting_operations final : public operations {
public:
  counting_operations(std::shared_ptr<allocator> memory,
                      std::shared_ptr<memory_account> holder)
    : memory_(std::move(memory)), holder_(std::move(holder)) {}

  tensor make(const tensor_type& type) override {
    return tensor::make(type, memory_, holder_);
  }

  void fill(tensor, double) override {}
  void copy(tensor y, const tensor& x) override { require_alike(y, x); }
  void enqueue(std::int64_t, std::function<void(std::int64_t)>) override {}

  void add(tensor y, const tensor& a, const tensor& b) override {
    require_alike(y, a, b);
  }
  void activation_forward(activation_kind, tensor y, const tensor& x) override {
    require_alike(y, x);
  }
  void activation_backward(activation_kind, tensor d_x, const tensor& d_y,
                           const tensor& x) override {
    require_alike(d_x, d_y, x);
  }
  void dropout(tensor y, const tensor& x, double, random_key,
               std::int64_t) override {
    require_alike(y, x);
  }

  void matmul(const matmul_args& args) override { require_matmul(args); }
  void column_sum(tensor d_b, const tensor& d_y) override {
    require_column_sum(d_b, d_y);
  }
  void sum_of_squares(tensor y, const tensor&) override {
    require_scalar_f64(y);
  }

  void layer_norm_forward(tensor y, tensor mean, tensor rstd, const tensor& x,
                          const tensor& gamma, const tensor& beta,
                          double) override {
    require_layer_norm(y, mean, rstd, x, gamma);
    require_alike(gamma, beta);
  }
  void layer_norm_backward_input(tensor d_x, const tensor& d_y, const tensor& x,
                                 const tensor& mean, const tensor& rstd,
                                 const tensor& gamma) override {
    require_alike(d_x, d_y);
    require_layer_norm(d_y, mean, rstd, x, gamma);
  }
  void layer_norm_backward_weight(tensor d_gamma, tensor d_beta,
                                  const tensor& d_y, const tensor& x,
                                  const tensor& mean,
                                  const tensor& rstd) override {
    require_layer_norm(d_y, mean, rstd, x, d_gamma);
    require_alike(d_gamma, d_beta);
  }

  void attention_forward(const attention_args& args) override {
    require_attention(args.qkv, args.y, args.probabilities, args.heads);
  }
  void attention_backward(const attention_backward_args& args) override {
    require_attention(args.qkv, args.d_y, args.probabilities, args.heads);
    require_alike(args.qkv, args.d_qkv);
  }

  void embedding_forward(tensor y, const tensor& tokens, const tensor& table,
                         const tensor& positions) override {
    require_embedding(y, tokens, table, positions);
  }
  void embedding_backward(tensor d_table, tensor d_positions, const tensor& d_y,
                          const tensor& tokens) override {
    require_embedding(d_y, tokens, d_table, d_positions);
  }

  void cross_entropy_forward(tensor loss_sum, tensor log_sum_exp,
                             const tensor& logits, const tensor& targets,
                             std::int32_t) override {
    require_scalar_f64(loss_sum);
    require_cross_entropy(logits, log_sum_exp, targets);
  }
  void cross_entropy_backward(tensor d_logits, const tensor& logits,
                              const tensor& log_sum_exp, const tensor& targets,
                              std::int32_t, double) override {
    require_alike(d_logits, logits);
    require_cross_entropy(logits, log_sum_exp, targets);
  }

  void fill_normal(tensor, double, random_key) override {}
  void fill_uniform(tensor, double, random_key) override {}

  void sgd_step(const sgd_args& args) override {
    require_optimizer(args, args.momentum == 0 ? 0 : 1);
  }
  void rmsprop_step(const rmsprop_args& args) override {
    require_optimizer(args, 1);
  }
  void adam_step(const adam_args& args) override { require_optimizer(args, 2); }

private:
  std::shared_ptr<allocator> memory_;
  std::shared_ptr<memory_account> holder_;
};

class counting_device final
  : public device,
    public std::enable_shared_from_this<counting_device> {
public:
  explicit counting_device(std::string name) : name_(std::move(name)) {}

  const std::string& name() const noexcept override { return name_; }

  const std::shared_ptr<allocator>& memory() const noexcept override {
    return memory_;
  }

  std::unique_ptr<stream>
  make_stream(std::shared_ptr<memory_account> holder) override {
    return std::make_unique<immediate_stream>(
      shared_from_this(),
      std::make_unique<counting_operations>(memory_, std::move(holder)));
  }

private:
  std::string name_;
  std::shared_ptr<allocator> memory_ = make_counting_allocator();
};

} // namespace

std::shared_ptr<device> make_counting_device(std::string name) {
  return std::make_shared<counting_device>(std::move(name));
}

} // namespace actorpipe
