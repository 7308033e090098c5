// SPDX-License-Identifier: Apache-2.0
/// What a stage holds of one cell: its edges, its weights, and what it has
/// stashed and accumulated in this mini-batch.
#pragma once

#include "actors/parameter_layout.hpp"
#include "compute/device/device.hpp"
#include "compute/model/cell.hpp"
#include "messages/messages.hpp"
#include "messages/payload.hpp"
#include "partition/plan.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace actorpipe {

/// Used by its stage alone.
class held_cell {
public:
  held_cell(std::shared_ptr<const model> source, const plan& how,
            const parameter_layout& layout, std::uint32_t index);

  std::uint32_t index() const noexcept { return index_; }
  const cell& work() const noexcept { return work_; }

  /// Ids of the edges that bring inputs, by ordinal.
  const std::vector<std::uint32_t>& inputs() const noexcept { return inputs_; }
  /// Ids of the edges that take outputs away, by ordinal.
  const std::vector<std::uint32_t>& outputs() const noexcept {
    return outputs_;
  }
  /// The edge that brings targets; in the cell with the loss.
  std::optional<std::uint32_t> target() const noexcept { return target_; }

  /// Takes an owner's part of the weights in, unless one of a later attempt or
  /// a later edition of it is here. Requires that it fits (payload_types.hpp).
  void accept(const weights& header, const payload& data);

  /// What is here of earlier attempts no longer counts.
  void forget_before(std::uint64_t attempt);

  /// Whether every owner's part is of this version.
  bool has_version(std::int64_t version) const noexcept;
  /// Calls `f` with the owner of each part that is not.
  template <class F>
  void for_each_lacking(std::int64_t version, F f) const {
    for (std::size_t i = 0; i < parts_.size(); ++i)
      if (parts_[i].version != version)
        f(owners_[i]);
  }
  const cell_weights& present_weights() const noexcept { return weights_; }
  const std::vector<event>& weights_ready() const noexcept { return ready_; }

  /// Throws what the layers and the loss throw of inputs or targets of types
  /// that they do not take. `targets` is undefined in a cell without the loss.
  void require_fitting(const tensor_list& x, const tensor& targets);

  // -- of the present mini-batch ----------------------------------------------

  /// Drops what is left of the mini-batch before.
  void reset(std::size_t micro_batches, const program& actions);

  /// Whether the program computes this micro-batch again.
  bool is_recomputed(std::uint32_t micro_batch) const {
    return recomputed_.contains(micro_batch);
  }

  struct in_flight {
    cell_stash stash;
    tensor targets; ///< in the cell with the loss
  };
  in_flight& of(std::uint32_t micro_batch) { return in_flight_[micro_batch]; }
  void release(std::uint32_t micro_batch) { in_flight_[micro_batch] = {}; }

  /// Adds a micro-batch's contributions to the states' sums.
  void add_contributions(operations& ops, std::vector<tensor_list> parts);

  /// Gradient sums, per layer and parameter; zeroed buffers of `where`, charged
  /// to `holder`, are made at the first call in a mini-batch.
  std::vector<tensor_list>&
  gradients(operations& ops, const device& where,
            const std::shared_ptr<memory_account>& holder);

  /// What the parameter actor of `owner` gets: see `accumulated`.
  tensor_list accumulated_for(std::uint32_t owner) const;

  /// After everything was sent.
  void release_gradients();

private:
  std::uint32_t index_;
  cell work_;
  const parameter_layout& layout_;
  std::vector<std::uint32_t> inputs_;
  std::vector<std::uint32_t> outputs_;
  std::optional<std::uint32_t> target_;

  struct part {
    std::uint64_t attempt = 0;
    std::uint64_t edition = 0;
    std::int64_t version = -1; ///< -1: none
  };
  std::vector<std::uint32_t> owners_;
  std::vector<part> parts_; ///< per owner
  cell_weights weights_;
  std::vector<event> ready_;         ///< per owner
  std::vector<tensor_type> fitting_; ///< inputs and targets found to fit last

  std::set<std::uint32_t> recomputed_;
  std::vector<in_flight> in_flight_;
  std::vector<tensor_list> gradients_;
  std::vector<tensor_list> state_sums_;
};

} // namespace actorpipe
