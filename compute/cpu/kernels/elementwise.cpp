// SPDX-License-Identifier: Apache-2.0
/// Loops over elements, for the compiler to turn into vector code.
#include "compute/cpu/kernels/elementwise.hpp"

#include "compute/cpu/kernels/functions.hpp"

namespace actorpipe::kernels {
namespace {

struct identity_function {
  ACTORPIPE_INLINE static float value(float x) { return x; }
  ACTORPIPE_INLINE static float derivative(float) { return 1.0F; }
};

struct gelu_function {
  ACTORPIPE_INLINE static float value(float x) { return gelu(x); }
  ACTORPIPE_INLINE static float derivative(float x) {
    return gelu_derivative(x);
  }
};

struct relu_function {
  ACTORPIPE_INLINE static float value(float x) { return x <= 0.0F ? 0.0F : x; }
  ACTORPIPE_INLINE static float derivative(float x) {
    return x > 0.0F ? 1.0F : 0.0F;
  }
};

struct tanh_function {
  ACTORPIPE_INLINE static float value(float x) { return tanh(x); }
  ACTORPIPE_INLINE static float derivative(float x) {
    const float y = tanh(x);
    return 1.0F - y * y;
  }
};

template <class F>
ACTORPIPE_INLINE void forward_loop(float* y, const float* x,
                                   std::int64_t count) {
  ACTORPIPE_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i)
    y[i] = F::value(x[i]);
}

template <class F>
ACTORPIPE_INLINE void backward_loop(float* d_x, const float* d_y,
                                    const float* x, std::int64_t count) {
  ACTORPIPE_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i)
    d_x[i] = d_y[i] * F::derivative(x[i]);
}

template <class F>
ACTORPIPE_INLINE void epilogue_loop(float* y, float* pre, const float* sum,
                                    const float* bias, std::int64_t count) {
  if (bias == nullptr) {
    ACTORPIPE_INDEPENDENT
    for (std::int64_t i = 0; i < count; ++i) {
      const float value = sum[i];
      pre[i] = value;
      y[i] = F::value(value);
    }
  } else {
    ACTORPIPE_INDEPENDENT
    for (std::int64_t i = 0; i < count; ++i) {
      const float value = sum[i] + bias[i];
      pre[i] = value;
      y[i] = F::value(value);
    }
  }
}

} // namespace

ACTORPIPE_KERNEL
void add(float* y, const float* a, const float* b, std::int64_t count) {
  ACTORPIPE_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i)
    y[i] = a[i] + b[i];
}

ACTORPIPE_KERNEL
void activation_forward(activation_kind kind, float* y, const float* x,
                        std::int64_t count) {
  switch (kind) {
  case activation_kind::none:
    return forward_loop<identity_function>(y, x, count);
  case activation_kind::gelu:
    return forward_loop<gelu_function>(y, x, count);
  case activation_kind::relu:
    return forward_loop<relu_function>(y, x, count);
  case activation_kind::tanh:
    return forward_loop<tanh_function>(y, x, count);
  }
}

ACTORPIPE_KERNEL
void activation_backward(activation_kind kind, float* d_x, const float* d_y,
                         const float* x, std::int64_t count) {
  switch (kind) {
  case activation_kind::none:
    return backward_loop<identity_function>(d_x, d_y, x, count);
  case activation_kind::gelu:
    return backward_loop<gelu_function>(d_x, d_y, x, count);
  case activation_kind::relu:
    return backward_loop<relu_function>(d_x, d_y, x, count);
  case activation_kind::tanh:
    return backward_loop<tanh_function>(d_x, d_y, x, count);
  }
}

ACTORPIPE_KERNEL
void bias_activation(activation_kind kind, float* y, float* pre,
                     const float* sum, const float* bias, std::int64_t count) {
  switch (kind) {
  case activation_kind::none:
    return epilogue_loop<identity_function>(y, pre, sum, bias, count);
  case activation_kind::gelu:
    return epilogue_loop<gelu_function>(y, pre, sum, bias, count);
  case activation_kind::relu:
    return epilogue_loop<relu_function>(y, pre, sum, bias, count);
  case activation_kind::tanh:
    return epilogue_loop<tanh_function>(y, pre, sum, bias, count);
  }
}

ACTORPIPE_KERNEL
void keep(float* y, const float* x, const std::uint32_t* bits,
          std::uint32_t threshold, float scale, std::int64_t count) {
  ACTORPIPE_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i) {
    const float scaled = x[i] * scale;
    y[i] = bits[i] >= threshold ? scaled : 0.0F;
  }
}

} // namespace actorpipe::kernels
