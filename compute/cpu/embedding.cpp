// SPDX-License-Identifier: Apache-2.0
/// The embedding by rows; its gradient by strips of columns, so that every
/// row of a table is summed in the order of the tokens.
#include "compute/cpu/cpu_operations.hpp"
#include "compute/cpu/kernels/elementwise.hpp"
#include "compute/cpu/kernels/reductions.hpp"
#include "compute/cpu/pieces.hpp"
#include "compute/ops/preconditions.hpp"
#include "compute/ops/token_reader.hpp"

#include <algorithm>

namespace actorpipe {

void cpu_operations::embedding_forward(tensor y, const tensor& tokens,
                                       const tensor& table,
                                       const tensor& positions) {
  require_embedding(y, tokens, table, positions);
  const token_reader reader(tokens);
  reader.require_within(table.extents().rows());
  const auto columns = y.extents().back();
  auto* to = writable_floats(y);
  const auto* rows = floats(table);
  const auto* places = positions.defined() ? floats(positions) : nullptr;
  for_parts(reader.count(), piece_rows(columns),
            [&](std::int64_t begin, std::int64_t end) {
              for (auto n = begin; n < end; ++n) {
                const auto* row = rows + reader[n] * columns;
                const auto t = n % reader.sequence();
                if (places == nullptr)
                  std::copy_n(row, columns, to + n * columns);
                else
                  kernels::add(to + n * columns, row, places + t * columns,
                               columns);
              }
            });
}

void cpu_operations::embedding_backward(tensor d_table, tensor d_positions,
                                        const tensor& d_y,
                                        const tensor& tokens) {
  require_embedding(d_y, tokens, d_table, d_positions);
  const token_reader reader(tokens);
  reader.require_within(d_table.extents().rows());
  const auto columns = d_y.extents().back();
  const auto* from = floats(d_y);
  auto* rows = writable_floats(d_table);
  auto* places = d_positions.defined() ? writable_floats(d_positions) : nullptr;
  for_parts(
    columns, kernels::strip_columns, [&](std::int64_t begin, std::int64_t end) {
      const auto add_to = [&](float* table, std::int64_t row, std::int64_t n) {
        auto* sum = table + row * columns + begin;
        kernels::add(sum, sum, from + n * columns + begin, end - begin);
      };
      for (std::int64_t n = 0; n < reader.count(); ++n) {
        add_to(rows, reader[n], n);
        if (places != nullptr)
          add_to(places, n % reader.sequence(), n);
      }
    });
}

} // namespace actorpipe
