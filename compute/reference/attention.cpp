// SPDX-License-Identifier: Apache-2.0
/// Causal attention, one row of scores at a time (Vaswani et al. 2017, arXiv
/// 1706.03762).
#include "compute/ops/preconditions.hpp"
#include "compute/reference/by_type.hpp"
#include "compute/reference/reference_operations.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace actorpipe {
namespace {

/// Where one head of one sample lies.
struct head_place {
  std::int64_t sequence; ///< T
  std::int64_t width;    ///< C
  std::int64_t size;     ///< C/H
  std::int64_t b;
  std::int64_t h;
  std::int64_t heads;

  std::int64_t y(std::int64_t t, std::int64_t i) const {
    return (b * sequence + t) * width + h * size + i;
  }
  std::int64_t q(std::int64_t t, std::int64_t i) const {
    return (b * sequence + t) * 3 * width + h * size + i;
  }
  std::int64_t k(std::int64_t t, std::int64_t i) const {
    return q(t, i) + width;
  }
  std::int64_t v(std::int64_t t, std::int64_t i) const {
    return q(t, i) + 2 * width;
  }
  std::int64_t p(std::int64_t t, std::int64_t s) const {
    return ((b * heads + h) * sequence + t) * sequence + s;
  }
};

template <class F>
void for_each_head(const tensor& y, std::int64_t heads, F f) {
  const auto sequence = y.extents()[1];
  const auto width = y.extents()[2];
  for (std::int64_t b = 0; b < y.extents()[0]; ++b)
    for (std::int64_t h = 0; h < heads; ++h)
      f(head_place{sequence, width, width / heads, b, h, heads});
}

template <class T>
void forward_head(const head_place& at, const T* qkv, T* y, T* probabilities) {
  const double scale = 1 / std::sqrt(static_cast<double>(at.size));
  std::vector<double> row(static_cast<std::size_t>(at.sequence));
  for (std::int64_t t = 0; t < at.sequence; ++t) {
    for (std::int64_t s = 0; s <= t; ++s) {
      double dot = 0;
      for (std::int64_t i = 0; i < at.size; ++i)
        dot += static_cast<double>(qkv[at.q(t, i)]) * qkv[at.k(s, i)];
      row[s] = dot * scale;
    }
    const double greatest = *std::max_element(row.begin(), row.begin() + t + 1);
    double sum = 0;
    for (std::int64_t s = 0; s <= t; ++s)
      sum += row[s] = std::exp(row[s] - greatest);
    for (std::int64_t s = 0; s < at.sequence; ++s) {
      row[s] = s <= t ? row[s] / sum : 0;
      probabilities[at.p(t, s)] = static_cast<T>(row[s]);
    }
    for (std::int64_t i = 0; i < at.size; ++i) {
      double value = 0;
      for (std::int64_t s = 0; s <= t; ++s)
        value += row[s] * qkv[at.v(s, i)];
      y[at.y(t, i)] = static_cast<T>(value);
    }
  }
}

template <class T>
void backward_head(const head_place& at, const T* d_y, const T* qkv,
                   const T* probabilities, T* d_qkv) {
  const double scale = 1 / std::sqrt(static_cast<double>(at.size));
  const auto elements = static_cast<std::size_t>(at.sequence * at.size);
  std::vector<double> d_q(elements);
  std::vector<double> d_k(elements);
  std::vector<double> d_v(elements);
  std::vector<double> d_row(static_cast<std::size_t>(at.sequence));
  for (std::int64_t t = 0; t < at.sequence; ++t) {
    double weighted = 0;
    for (std::int64_t s = 0; s <= t; ++s) {
      const double p = probabilities[at.p(t, s)];
      double d_p = 0;
      for (std::int64_t i = 0; i < at.size; ++i) {
        d_p += static_cast<double>(d_y[at.y(t, i)]) * qkv[at.v(s, i)];
        d_v[s * at.size + i] += p * d_y[at.y(t, i)];
      }
      weighted += p * d_p;
      d_row[s] = d_p;
    }
    for (std::int64_t s = 0; s <= t; ++s) {
      const double d_score =
        probabilities[at.p(t, s)] * (d_row[s] - weighted) * scale;
      for (std::int64_t i = 0; i < at.size; ++i) {
        d_q[t * at.size + i] += d_score * qkv[at.k(s, i)];
        d_k[s * at.size + i] += d_score * qkv[at.q(t, i)];
      }
    }
  }
  for (std::int64_t t = 0; t < at.sequence; ++t)
    for (std::int64_t i = 0; i < at.size; ++i) {
      d_qkv[at.q(t, i)] = static_cast<T>(d_q[t * at.size + i]);
      d_qkv[at.k(t, i)] = static_cast<T>(d_k[t * at.size + i]);
      d_qkv[at.v(t, i)] = static_cast<T>(d_v[t * at.size + i]);
    }
}

} // namespace

void reference_operations::attention_forward(const attention_args& args) {
  require_attention(args.qkv, args.y, args.probabilities, args.heads);
  auto y = args.y;
  auto probabilities = args.probabilities;
  by_float_type(y.element(), [&]<class T>(T) {
    for_each_head(y, args.heads, [&](const head_place& at) {
      forward_head(at, args.qkv.data<T>(), y.data<T>(),
                   probabilities.data<T>());
    });
  });
}

void reference_operations::attention_backward(
  const attention_backward_args& args) {
  require_attention(args.qkv, args.d_y, args.probabilities, args.heads);
  require_alike(args.qkv, args.d_qkv);
  auto d_qkv = args.d_qkv;
  by_float_type(d_qkv.element(), [&]<class T>(T) {
    for_each_head(args.d_y, args.heads, [&](const head_place& at) {
      backward_head(at, args.d_y.data<T>(), args.qkv.data<T>(),
                    args.probabilities.data<T>(), d_qkv.data<T>());
    });
  });
}

} // namespace actorpipe
