// SPDX-License-Identifier: Apache-2.0
/// What may come over the links of one run.
#pragma once

#include "actors/link/link_contract.hpp"
#include "actors/parameter_layout.hpp"
#include "compute/model/model.hpp"
#include "compute/optim/optimizer.hpp"
#include "partition/plan.hpp"

#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace actorpipe {

/// Reads "f32[4, 128, 256]", the text form of a type. Throws
/// `std::invalid_argument` saying what is allowed.
tensor_type parse_tensor_type(std::string_view text);

/// Every message that the plan allows, with the types that follow from the plan
/// and the model: for an edge at most the samples of a full micro-batch, for
/// everything else exactly those of the model's values.
class job_contract final : public link_contract {
public:
  /// Throws `std::invalid_argument` when the type of an edge cannot be read.
  job_contract(std::uint64_t run, const plan& how, const model& source,
               const parameter_layout& layout, const optimizer& rule);

  std::uint64_t run() const noexcept override { return run_; }
  std::optional<tensors> find(const link_header& message) const override;

private:
  using types = std::vector<tensor_type>;
  using pair_of_cells = std::pair<std::uint32_t, std::uint32_t>;

  std::optional<tensors> agreed_for(const edge_data& x) const;
  std::optional<tensors> agreed_for(const credit& x) const;
  std::optional<tensors> agreed_for(const accumulated& x) const;
  std::optional<tensors> agreed_for(const weights& x) const;
  std::optional<tensors> agreed_for(const shard& x) const;
  std::optional<tensors> agreed_for(const fetch& x) const;

  std::uint64_t run_;
  std::vector<tensor_type> edges_;
  std::vector<bool> has_gradient_;             ///< per edge
  std::map<pair_of_cells, types> accumulated_; ///< [owner, cell]
  std::map<pair_of_cells, types> weights_;     ///< [owner, user]
  std::vector<types> shards_;                  ///< per cell
};

} // namespace actorpipe
