// SPDX-License-Identifier: Apache-2.0
/// Replicas by cell.
#include "actors/keeper_core.hpp"

#include "actors/shard_values.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

namespace actorpipe {

keeper_core::keeper_core(keeper_options options, outbox& out)
  : options_(std::move(options)), out_(out) {}

void keeper_core::begin(std::uint64_t attempt) {
  if (attempt <= attempt_)
    return;
  attempt_ = attempt;
  fault_.reset();
}

void keeper_core::accept(const shard& header, payload data) {
  if (header.id.run != options_.run || header.id.attempt < attempt_
      || header.purpose != shard_purpose::replica)
    return;
  begin(header.id.attempt);
  if (header.cell >= options_.how->cells()
      || !are_of_types(data.tensors,
                       shard_types(*options_.source, *options_.rule,
                                   *options_.layout, options_.how->cut,
                                   header.cell))) {
    fault_ = "the replica of cell " + std::to_string(header.cell) + " brought "
           + to_string(types_of(data.tensors));
    out_.send(failed{header.id, error_code::protocol_violated, *fault_});
    return;
  }
  for (const auto& x : data.tensors)
    x.charge_to(options_.holder);
  auto& versions = cells_[header.cell].versions;
  // What a later request had made was abandoned since.
  std::erase_if(
    versions, [&](const replica& x) { return x.id.batch >= header.id.batch; });
  if (versions.size() > 1)
    versions.erase(versions.begin());
  versions.push_back({header.id, header.version, std::move(data)});
  out_.send(replicated{header.id, header.cell, header.version});
}

void keeper_core::accept(const inquire& message) {
  if (message.id.run != options_.run || message.id.attempt != attempt_)
    return;
  if (fault_) {
    out_.send(failed{message.id, error_code::protocol_violated, *fault_});
    return;
  }
  for (const auto& [cell, kept] : cells_)
    if (!kept.versions.empty() && kept.versions.back().id.attempt == attempt_)
      out_.send(replicated{kept.versions.back().id, cell,
                           kept.versions.back().version});
}

void keeper_core::accept(const fetch& message) {
  const auto kept = cells_.find(message.cell);
  if (message.id.run != options_.run || message.id.attempt < attempt_
      || kept == cells_.end()
      // Shards do not get lost: one answer is enough.
      || message.id <= kept->second.fetched)
    return;
  begin(message.id.attempt);
  const auto newest_first = std::views::reverse(kept->second.versions);
  const auto found = std::ranges::find_if(newest_first, [&](const replica& x) {
    return x.version == message.version && x.id.batch <= message.id.batch;
  });
  if (found == newest_first.end())
    return;
  kept->second.fetched = message.id;
  out_.send(shard{{message.id.run, message.id.attempt, found->id.batch},
                  shard_purpose::restore,
                  message.cell,
                  message.version},
            found->data);
}

void keeper_core::accept(const abandon& message) {
  if (message.run != options_.run || message.attempt < attempt_)
    return;
  begin(message.attempt);
  for (auto& [cell, kept] : cells_)
    std::erase_if(kept.versions, [&](const replica& x) {
      return x.id.attempt < message.attempt
          && (x.version > message.version || x.id.batch > message.settled);
    });
}

inventory keeper_core::replicas(const take_inventory& asked) {
  inventory result{asked.run, asked.attempt, 0, {}};
  if (asked.run != options_.run)
    return result;
  begin(asked.attempt);
  for (const auto& [cell, kept] : cells_)
    for (const auto& x : kept.versions)
      result.shards.push_back({cell, x.version, true});
  return result;
}

} // namespace actorpipe
