// SPDX-License-Identifier: Apache-2.0
/// Small models that hold everything a boundary between cells can carry, their
/// mini-batches and their plans.
#pragma once

#include "compute/train/model_values.hpp"
#include "partition/make_plan.hpp"
#include "tests/support/pipeline_layers.hpp"
#include "tests/support/test_models.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace actorpipe::test {

inline layer_spec linear_of(const std::string& name, std::int64_t inputs,
                            std::int64_t outputs) {
  return {"linear", name, {{"inputs", inputs}, {"outputs", outputs}}, {}};
}

/// [B, 3] -> logits [B, 4] in ten layers: dropout, a running mean, two tensors
/// between "split" and "join", and one weight in three layers.
inline model_spec mixed_model() {
  const std::int64_t in = 3, width = 5, classes = 4;
  const auto tied = [&](const char* name) {
    auto result = linear_of(name, width, width);
    result.values["tie"] = std::string("shared.weight");
    return result;
  };
  return {{linear_of("first", in, width),
           {"dropout", "drop", {{"p", 0.25}}, {}},
           linear_of("shared", width, width),
           {"split", "split", {}, {}},
           {"join", "join", {}, {}},
           {"running_mean", "mean", {{"width", width}}, {}},
           tied("second_use"),
           {"tanh", "tanh", {}, {}},
           tied("third_use"),
           linear_of("last", width, classes)},
          {"softmax_cross_entropy", "", {}, {}}};
}

/// Tokens [B] -> logits [B, 4]; integers cross the first two boundaries, and
/// the first of them carries nothing else.
inline model_spec carrying_model() {
  return {{{"carry_tokens", "", {}, {}},
           {"embed_carried", "", {}, {}},
           {"drop_carried", "", {}, {}},
           linear_of("last", 1, 4)},
          {"softmax_cross_entropy", "", {}, {}}};
}

inline batch carrying_batch(std::int64_t samples, std::uint64_t seed = 1) {
  return {{random_tokens({samples}, 9, seed)},
          random_tokens({samples}, 4, seed + 1)};
}

/// Pairs of a small linear layer and a "trip": [B, 3] -> [B, 4]. From the third
/// to the last but one they use the second's weight.
inline model_spec tripping_model(std::int64_t pairs) {
  model_spec result{{}, {"softmax_cross_entropy", "", {}, {}}};
  for (std::int64_t i = 0; i < pairs; ++i) {
    auto linear = linear_of("linear" + std::to_string(i), i == 0 ? 3 : 5,
                            i + 1 == pairs ? 4 : 5);
    if (i > 1 && i + 1 < pairs)
      linear.values["tie"] = std::string("linear1.weight");
    result.layers.push_back(std::move(linear));
    result.layers.push_back({"trip", "trip" + std::to_string(i), {}, {}});
  }
  return result;
}

/// How a model is run.
struct arrangement {
  std::uint32_t cells = 1;         ///< K
  std::uint32_t micro_batches = 1; ///< M
  std::int64_t samples = 8;        ///< B
  schedule_kind schedule = schedule_kind::fill_drain;
  recompute_mode recompute = recompute_mode::except_one;
  std::uint32_t credits = 2;
  std::vector<std::size_t> balance = {}; ///< empty: even
};

inline std::ostream& operator<<(std::ostream& out, const arrangement& x) {
  return out << "K = " << x.cells << ", M = " << x.micro_batches
             << ", B = " << x.samples << ", " << to_string(x.schedule)
             << ", recompute " << to_string(x.recompute);
}

/// The plan for mini-batches of up to `how.samples` samples like `data`.
inline plan plan_for(const model& source, const batch& data,
                     const arrangement& how) {
  const std::int64_t M = how.micro_batches;
  const auto most = (how.samples + M - 1) / M;
  plan_options options;
  options.layers = source.size();
  options.cells = how.cells;
  options.balance = how.balance;
  options.costs.assign(source.size(), 1);
  options.schedule = how.schedule;
  options.recompute = how.recompute;
  options.micro_batches = how.micro_batches;
  options.credits = how.credits;
  auto inputs = types_of(data.inputs);
  for (auto& x : inputs)
    x.extents = x.extents.with_front(most);
  const auto planned = [](const tensor_type& x) {
    return boundary_tensor{to_string(x), x.size_bytes(),
                           is_differentiable(x.type)};
  };
  for (const auto& types : source.boundaries(inputs)) {
    auto& boundary = options.boundaries.emplace_back();
    for (const auto& x : types)
      boundary.push_back(planned(x));
  }
  options.targets = {
    planned({data.targets.element(), data.targets.extents().with_front(most)})};
  auto result = make_plan(options);
  result.micro_batch_samples = most;
  return result;
}

/// Whether all weights, moments and states are the same bits.
inline ::testing::AssertionResult
same_values(const model& source, const model_values& a, const model_values& b) {
  if (a.updates != b.updates)
    return ::testing::AssertionFailure()
        << a.updates << " updates and " << b.updates;
  for (std::size_t i = 0; i < source.parameters().size(); ++i) {
    const auto& x = a.parameters.at(i);
    const auto& y = b.parameters.at(i);
    const auto& name = source.parameters()[i].declaration.name;
    if (!same_bits(x.weight, y.weight))
      return ::testing::AssertionFailure() << name << " differs";
    if (x.slots.size() != y.slots.size())
      return ::testing::AssertionFailure() << name << " has other moments";
    for (std::size_t s = 0; s < x.slots.size(); ++s)
      if (!same_bits(x.slots[s], y.slots[s]))
        return ::testing::AssertionFailure()
            << "moment " << s << " of " << name << " differs";
  }
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (a.states.at(i).size() != b.states.at(i).size())
      return ::testing::AssertionFailure()
          << "layer " << i << " has other states";
    for (std::size_t s = 0; s < a.states[i].size(); ++s)
      if (!same_bits(a.states[i][s], b.states[i][s]))
        return ::testing::AssertionFailure()
            << "state " << s << " of layer " << i << " differs";
  }
  return ::testing::AssertionSuccess();
}

} // namespace actorpipe::test
