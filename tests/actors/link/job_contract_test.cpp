// SPDX-License-Identifier: Apache-2.0
/// What a plan and a model allow over a link.
#include "actors/link/job_contract.hpp"

#include "actors/shard_values.hpp"
#include "tests/support/pipeline_models.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace actorpipe::test {

namespace {

TEST(tensor_type_text, comes_back) {
  for (const auto& x :
       {tensor_type{dtype::f32, {4, 128, 256}}, tensor_type{dtype::f64, {}},
        tensor_type{dtype::i32, {0}},
        tensor_type{dtype::u8, {1, 2, 3, 4, 5, 6}}})
    EXPECT_EQ(parse_tensor_type(to_string(x)), x);
}

TEST(tensor_type_text, anything_else_is_refused) {
  for (const auto* text :
       {"", "f32", "f32[", "f32[1", "f32[1,2]", "f32[1, ]", "f32[, 1]",
        "f32[1, 2] ", "f16[1]", "f32[x]", "f32[-1]", "f32[1, 1, 1, 1, 1, 1, 1]",
        "f32[99999999999999999999]"})
    EXPECT_THROW(parse_tensor_type(text), std::invalid_argument) << text;
}

class job_contract_test : public testing::Test {
protected:
  static plan make_plan() {
    batch data{{random_tensor({dtype::f32, {8, 3}}, 1)},
               random_tokens({8}, 4, 2)};
    arrangement how;
    how.cells = 3;
    how.balance = {3, 3, 4};
    how.micro_batches = 2;
    return plan_for(*build_model(mixed_model(), pipeline_registry()), data,
                    how);
  }

  std::string misfit(const link_header& message,
                     const std::vector<tensor_type>& types,
                     std::size_t ordinal = 0) const {
    frame_header frame{message,
                       static_cast<std::uint32_t>(ordinal),
                       static_cast<std::uint32_t>(types.size()),
                       {},
                       0,
                       0};
    if (!types.empty())
      frame.type = types[ordinal];
    return find_misfit(agreed, frame).value_or("");
  }

  // Every tensor of a message has to be of exactly its type.
  void expect_exactly(const link_header& message,
                      const std::vector<tensor_type>& types) const {
    const auto found = agreed.find(message);
    ASSERT_TRUE(found) << to_string(message);
    EXPECT_TRUE(std::ranges::equal(found->types, types)) << to_string(message);
    for (std::size_t i = 0; i < types.size(); ++i) {
      EXPECT_EQ(misfit(message, types, i), "");
      auto other = types;
      other[i].extents = {1, 2, 3, 4};
      EXPECT_NE(misfit(message, other, i), "");
    }
    auto more = types;
    more.push_back({});
    EXPECT_NE(misfit(message, more), "");
  }

  static constexpr std::uint64_t run = 5;
  work_id id{run, 1, 1};
  std::shared_ptr<const model> source =
    build_model(mixed_model(), pipeline_registry());
  plan how = make_plan();
  parameter_layout layout{*source, how.cut};
  std::unique_ptr<optimizer> rule =
    make_optimizer({.kind = optimizer_kind::adam});
  job_contract agreed{run, how, *source, layout, *rule};
};

TEST_F(job_contract_test, an_edge_carries_at_most_a_full_micro_batch) {
  for (std::uint32_t i = 0; i < how.edges.size(); ++i) {
    const auto greatest = parse_tensor_type(how.edges[i].type);
    const edge_data message{id, 0, i, false};
    EXPECT_EQ(misfit(message, {greatest}), "");
    auto type = greatest;
    type.extents = greatest.extents.with_front(1);
    EXPECT_EQ(misfit(message, {type}), "");
    type.extents = greatest.extents.with_front(greatest.extents[0] + 1);
    EXPECT_NE(misfit(message, {type}), "");
    if (greatest.extents.rank() > 1) {
      type.extents = greatest.extents.with_back(greatest.extents.back() - 1);
      EXPECT_NE(misfit(message, {type}), "");
    }
    type = greatest;
    type.type = greatest.type == dtype::f32 ? dtype::i32 : dtype::f32;
    EXPECT_NE(misfit(message, {type}), "");
    EXPECT_EQ(misfit(edge_data{id, 0, i, true}, {greatest}).empty(),
              how.edges[i].needs_gradient);
    EXPECT_EQ(misfit(credit{id, 0, i, false}, {}), "");
    EXPECT_NE(misfit(credit{id, 0, i, false}, {greatest}), "");
  }
}

TEST_F(job_contract_test, weights_and_gradients_are_those_of_the_uses) {
  for (std::uint32_t owner = 0; owner < 3; ++owner)
    for (std::uint32_t user = 0; user < 3; ++user) {
      const weights published{run, 1, 1, 1, owner, user};
      const accumulated sums{id, user, owner, 4};
      const auto users = layout.users_of(owner);
      if (std::ranges::find(users, user) == users.end()) {
        EXPECT_FALSE(agreed.find(published));
        EXPECT_FALSE(agreed.find(sums));
        continue;
      }
      std::vector<tensor_type> types;
      for (const auto& use : layout.uses(owner, user))
        types.push_back({dtype::f32, source->at(how.cut[user] + use.layer)
                                       .parameters()[use.index]
                                       .extents});
      auto with_states = types;
      auto with_contributions = types;
      for (auto i = how.cut[owner]; owner == user && i < how.cut[owner + 1];
           ++i)
        for (const auto& state : source->at(i).states()) {
          with_states.push_back({dtype::f32, state.extents});
          with_contributions.push_back({dtype::f32, state.contribution});
        }
      expect_exactly(published, with_states);
      expect_exactly(sums, with_contributions);
    }
}

TEST_F(job_contract_test, shards_are_those_of_the_cells) {
  for (std::uint32_t cell = 0; cell < 3; ++cell) {
    expect_exactly(shard{id, shard_purpose::replica, cell, 1},
                   shard_types(*source, *rule, layout, how.cut, cell));
    EXPECT_EQ(misfit(fetch{id, cell, 1}, {}), "");
  }
}

TEST_F(job_contract_test, places_that_do_not_exist_are_refused) {
  const auto edges = static_cast<std::uint32_t>(how.edges.size());
  EXPECT_EQ(misfit(edge_data{id, 0, edges, false}, {tensor_type{}}),
            "the tensor of micro-batch 0 over edge " + std::to_string(edges)
              + " does not belong here");
  EXPECT_NE(misfit(credit{id, 0, edges, false}, {}), "");
  EXPECT_NE(misfit(accumulated{id, 3, 0, 1}, {}), "");
  EXPECT_NE(misfit(weights{run, 1, 1, 1, 3, 0}, {}), "");
  EXPECT_NE(misfit(shard{id, shard_purpose::collect, 3, 1}, {}), "");
  EXPECT_NE(misfit(fetch{id, 3, 1}, {}), "");
}

TEST_F(job_contract_test, another_run_is_refused) {
  EXPECT_EQ(misfit(credit{{6, 1, 1}, 0, 0, false}, {}),
            "the credit for micro-batch 0 over edge 0 is of run 6, and this is "
            "run 5");
}

} // namespace

} // namespace actorpipe::test
