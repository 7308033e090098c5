// SPDX-License-Identifier: Apache-2.0
/// Micro-batches on their way to the first and the last cell.
#include "actors/feed.hpp"

#include <algorithm>
#include <span>

namespace actorpipe {

feed::feed(const plan& how, const std::vector<program>& programs,
           std::vector<batch> micro_batches, const work_id& id)
  : id_(id), micro_batches_(std::move(micro_batches)) {
  for (std::uint32_t i = 0; i < how.edges.size(); ++i) {
    const auto& crossing = how.edges[i];
    if (crossing.from != edge::feed)
      continue;
    lane next{i,
              crossing.to,
              crossing.ordinal,
              crossing.is_target,
              crossing.credits,
              {},
              0,
              {}};
    for (const auto& x : programs[how.device_of_cell[crossing.to]])
      if (x.cell == crossing.to && x.kind == action_kind::forward)
        next.order.push_back(x.micro_batch);
    lanes_.push_back(std::move(next));
  }
}

bool feed::note_credit(const credit& returned) {
  const auto found = std::ranges::find(lanes_, returned.edge, &lane::edge);
  if (found == lanes_.end() || returned.gradient)
    return false;
  const auto handed_out = std::span(found->order).first(found->next);
  if (std::ranges::find(handed_out, returned.micro_batch) == handed_out.end()
      || !found->credited.insert(returned.micro_batch).second)
    return false;
  ++found->credits;
  return true;
}

std::vector<feed::item> feed::take_ready() {
  std::vector<item> result;
  for (auto& x : lanes_)
    for (; x.credits > 0 && x.next < x.order.size(); ++x.next, --x.credits) {
      const auto m = x.order[x.next];
      const auto& part = micro_batches_[m];
      result.push_back(
        {x.cell,
         {id_, m, x.edge, false},
         {{x.is_target ? part.targets : part.inputs[x.ordinal]}, {}}});
    }
  return result;
}

} // namespace actorpipe
