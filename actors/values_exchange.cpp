// SPDX-License-Identifier: Apache-2.0
/// Values of cells to values of a model, and back.
#include "actors/values_exchange.hpp"

#include "actors/shard_values.hpp"

#include <utility>

namespace actorpipe {

values_exchange::values_exchange(const scheduler_options& options)
  : options_(options), installs_(false) {
  values_.parameters.resize(options.source->parameters().size());
  values_.states.resize(options.source->size());
}

values_exchange::values_exchange(const scheduler_options& options,
                                 model_values next)
  : options_(options), installs_(true), values_(std::move(next)) {}

bool values_exchange::is_complete() const {
  return done_.size() == options_.how->cells();
}

payload values_exchange::part(std::uint32_t cell) const {
  return {flatten(part_of(values_, *options_.layout, options_.how->cut, cell)),
          {}};
}

std::optional<std::string> values_exchange::accept(const shard& header,
                                                   const payload& data) {
  const auto& how = *options_.how;
  if (header.cell >= how.cells()
      || !are_of_types(data.tensors,
                       shard_types(*options_.source, *options_.rule,
                                   *options_.layout, how.cut, header.cell)))
    return "the values of cell " + std::to_string(header.cell)
         + " are of another model or optimiser";
  if (!done_.insert(header.cell).second)
    return std::nullopt;
  data.ready.wait();
  put_part(values_,
           unflatten(data.tensors, header.version, *options_.source,
                     *options_.rule, *options_.layout, how.cut, header.cell),
           *options_.layout, how.cut, header.cell);
  return std::nullopt;
}

void values_exchange::note(const installed& message) {
  if (message.cell < options_.how->cells())
    done_.insert(message.cell);
}

} // namespace actorpipe
