// SPDX-License-Identifier: Apache-2.0
/// The expansion of the Transformer preset.
#include "tests/support/test_models.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace actorpipe::test {

namespace {

std::shared_ptr<const model> build(const gpt_options& options) {
  return build_model(make_gpt(options), layer_registry::with_builtin());
}

std::int64_t count_parameters(const model& x) {
  std::int64_t sum = 0;
  for (const auto& parameter : x.parameters())
    sum += parameter.declaration.extents.elements();
  return sum;
}

const parameter_use& find(const model& x, const std::string& name) {
  for (const auto& parameter : x.parameters())
    if (parameter.declaration.name == name)
      return parameter.declaration;
  throw std::out_of_range(name);
}

} // namespace

TEST(gpt, has_two_layers_a_block_and_three_more) {
  EXPECT_EQ(build(small_gpt())->size(), 1U + 2 * 2 + 2);
  EXPECT_EQ(build(small_gpt(0.1))->size(), 1U + 2 * 2 + 2);
}

TEST(gpt, parameters_are_named_by_block_and_part) {
  const auto x = build(small_gpt());
  EXPECT_EQ(find(*x, "block0.attention.qkv.weight").extents, (shape{24, 8}));
  EXPECT_EQ(find(*x, "block1.mlp.up.weight").extents, (shape{32, 8}));
  EXPECT_EQ(find(*x, "block1.mlp_norm.bias").extents, (shape{8}));
  EXPECT_EQ(find(*x, "head.weight").extents, (shape{11, 8}));
  EXPECT_EQ(x->name(1), "block0.attention");
  EXPECT_EQ(x->name(4), "block1.mlp");
}

TEST(gpt, only_matrices_decay) {
  const auto x = build(small_gpt());
  for (const auto& parameter : x->parameters())
    EXPECT_EQ(parameter.declaration.decays,
              parameter.declaration.extents.rank() == 2)
      << parameter.declaration.name;
}

TEST(gpt, projections_to_the_residual_start_smaller) {
  const auto x = build(small_gpt());
  EXPECT_DOUBLE_EQ(find(*x, "block0.attention.qkv.weight").initial.value, 0.02);
  EXPECT_DOUBLE_EQ(find(*x, "block0.attention.output.weight").initial.value,
                   0.02 / std::sqrt(4.0));
  EXPECT_DOUBLE_EQ(find(*x, "block1.mlp.down.weight").initial.value,
                   0.02 / std::sqrt(4.0));
}

/// 12 C^2 + 13 C a block, V C + T C + 2 C around them, and V C for a head.
TEST(gpt, has_the_known_number_of_parameters) {
  const std::int64_t V = 11, T = 6, C = 8, depth = 2;
  const auto body = depth * (12 * C * C + 13 * C) + (V + T) * C + 2 * C;
  EXPECT_EQ(count_parameters(*build(small_gpt())), body + V * C);
  EXPECT_EQ(count_parameters(*build(small_gpt(0, true))), body);
}

TEST(gpt, tied_head_uses_the_token_table) {
  const auto x = build(small_gpt(0, true));
  EXPECT_EQ(x->parameters()[0].declaration.name, "embedding.tokens.weight");
  EXPECT_EQ(x->parameters()[0].uses.size(), 2U);
  EXPECT_EQ(x->parameters()[0].uses[1].layer, x->size() - 1);
}

TEST(gpt, maps_tokens_to_logits) {
  const auto x = build(small_gpt(0.1));
  EXPECT_EQ(to_string(x->boundaries({{dtype::u8, {3, 6}}}).back()),
            "(f32[3, 6, 11])");
}

TEST(gpt, impossible_sizes_are_refused) {
  auto options = small_gpt();
  options.heads = 3;
  EXPECT_THROW(make_gpt(options), model_error);
  options = small_gpt(1.0);
  EXPECT_THROW(make_gpt(options), model_error);
  options = small_gpt();
  options.depth = 0;
  EXPECT_THROW(make_gpt(options), model_error);
  options = small_gpt();
  options.width = std::int64_t{1} << 62;
  EXPECT_THROW(make_gpt(options), model_error);
}

} // namespace actorpipe::test
