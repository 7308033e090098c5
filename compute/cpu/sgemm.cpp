// SPDX-License-Identifier: Apache-2.0
/// oneDNN's single-precision product, kept to one thread.
#include "compute/cpu/sgemm.hpp"

#include "compute/tensor/memory.hpp"

#include <oneapi/dnnl/dnnl.h>

#include <omp.h>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace actorpipe {
namespace {

/// The library's own threads would give other bits for other counts of them.
/// The setting is the calling thread's, who gets it back.
class single_thread {
public:
  single_thread() { omp_set_num_threads(1); }
  ~single_thread() { omp_set_num_threads(before_); }

  single_thread(const single_thread&) = delete;
  single_thread& operator=(const single_thread&) = delete;

private:
  int before_ = omp_get_max_threads();
};

} // namespace

void sgemm(float* c, std::int64_t c_stride, const matrix_view& a,
           const matrix_view& b, std::int64_t rows, std::int64_t columns,
           std::int64_t inner, bool accumulate) {
  if (rows == 0 || columns == 0)
    return;
  if (inner == 0) {
    for (std::int64_t n = 0; n < rows && !accumulate; ++n)
      std::fill_n(c + n * c_stride, columns, 0.0F);
    return;
  }
  const single_thread guard;
  const auto status =
    dnnl_sgemm(a.transposed ? 'T' : 'N', b.transposed ? 'T' : 'N', rows,
               columns, inner, 1.0F, a.values, a.stride, b.values, b.stride,
               accumulate ? 1.0F : 0.0F, c, c_stride);
  if (status == dnnl_success)
    return;
  const auto product = " a product of [" + std::to_string(rows) + ", "
                     + std::to_string(inner) + "] and [" + std::to_string(inner)
                     + ", " + std::to_string(columns) + "]";
  if (status == dnnl_out_of_memory)
    throw out_of_memory("oneDNN has no memory for" + product);
  throw std::runtime_error("oneDNN refused" + product);
}

} // namespace actorpipe
