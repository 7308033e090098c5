// SPDX-License-Identifier: Apache-2.0
/// Rows of a table by token, and of the positions.
#include "compute/ops/preconditions.hpp"
#include "compute/ops/token_reader.hpp"
#include "compute/reference/by_type.hpp"
#include "compute/reference/reference_operations.hpp"

namespace actorpipe {

void reference_operations::embedding_forward(tensor y, const tensor& tokens,
                                             const tensor& table,
                                             const tensor& positions) {
  require_embedding(y, tokens, table, positions);
  const token_reader reader(tokens);
  reader.require_within(table.extents().rows());
  const auto columns = y.extents().back();
  by_float_type(y.element(), [&]<class T>(T) {
    for (std::int64_t n = 0; n < reader.count(); ++n)
      for (std::int64_t c = 0; c < columns; ++c) {
        auto value = table.data<T>()[reader[n] * columns + c];
        if (positions.defined())
          value += positions.data<T>()[n % reader.sequence() * columns + c];
        y.data<T>()[n * columns + c] = value;
      }
  });
}

void reference_operations::embedding_backward(tensor d_table,
                                              tensor d_positions,
                                              const tensor& d_y,
                                              const tensor& tokens) {
  require_embedding(d_y, tokens, d_table, d_positions);
  const token_reader reader(tokens);
  reader.require_within(d_table.extents().rows());
  const auto columns = d_y.extents().back();
  by_float_type(d_y.element(), [&]<class T>(T) {
    for (std::int64_t n = 0; n < reader.count(); ++n)
      for (std::int64_t c = 0; c < columns; ++c) {
        const auto dy = d_y.data<T>()[n * columns + c];
        d_table.data<T>()[reader[n] * columns + c] += dy;
        if (d_positions.defined())
          d_positions.data<T>()[n % reader.sequence() * columns + c] += dy;
      }
  });
}

} // namespace actorpipe
