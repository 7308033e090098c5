// SPDX-License-Identifier: Apache-2.0
/// Specs and inputs that do not fit are refused with what was got and allowed.
#include "compute/layers/spec_reader.hpp"
#include "tests/support/layer_cases.hpp"

#include <gtest/gtest.h>

namespace actorpipe::test {

namespace {

using values = std::map<std::string, spec_value>;

template <class Call>
std::string message_of(Call&& call) {
  try {
    call();
  } catch (const model_error& error) {
    return error.what();
  }
  return "no error";
}

std::string making(const layer_spec& spec) {
  return message_of([&] { make_layer(spec); });
}

std::string linear_with(values more) {
  more.try_emplace("inputs", std::int64_t{2});
  more.try_emplace("outputs", std::int64_t{3});
  return making({"linear", "head", std::move(more), {}});
}

std::string feeding(const layer_spec& spec, std::vector<tensor_type> inputs) {
  return message_of([&] { make_layer(spec)->outputs(inputs); });
}

} // namespace

TEST(spec, unknown_key_is_refused_with_those_allowed) {
  EXPECT_EQ(linear_with({{"output", std::int64_t{3}}}),
            "layer head of kind linear: unknown key 'output': allowed are "
            "activation, bias, deviation, inputs, outputs, tie");
}

TEST(spec, missing_key_is_named) {
  EXPECT_EQ(making({"linear", "head", {{"inputs", std::int64_t{2}}}, {}}),
            "layer head of kind linear: needs a value 'outputs'");
}

TEST(spec, wrong_type_is_named) {
  EXPECT_EQ(linear_with({{"inputs", 2.5}}),
            "layer head of kind linear: 'inputs' must be a whole number, got "
            "2.5");
  EXPECT_EQ(linear_with({{"bias", std::int64_t{1}}}),
            "layer head of kind linear: 'bias' must be true or false, got 1");
  EXPECT_EQ(linear_with({{"tie", true}}),
            "layer head of kind linear: 'tie' must be a text that is not "
            "empty, got true");
}

TEST(spec, value_out_of_range_is_named) {
  EXPECT_EQ(linear_with({{"inputs", std::int64_t{0}}}),
            "layer head of kind linear: 'inputs' must be at least 1, got 0");
  EXPECT_EQ(making(dropout_spec(1)),
            "layer dropout of kind dropout: 'p' must be at least 0 and below "
            "1, got 1");
  EXPECT_EQ(making(dropout_spec(std::nan(""))),
            "layer dropout of kind dropout: 'p' must be at least 0 and below "
            "1, got nan");
}

TEST(spec, integers_whose_products_would_wrap_are_refused) {
  EXPECT_EQ(linear_with({{"inputs", std::int64_t{1} << 31}}),
            "layer head of kind linear: 'inputs' must be from 1 to 2147483647, "
            "got 2147483648");
}

TEST(spec, whole_number_is_taken_for_a_number) {
  EXPECT_EQ(making({"dropout", "", {{"p", std::int64_t{0}}}, {}}), "no error");
}

TEST(spec, unknown_choice_is_refused_with_the_choices) {
  EXPECT_EQ(linear_with({{"activation", std::string("swish")}}),
            "layer head of kind linear: 'activation' must be one of none, "
            "gelu, relu, tanh, got \"swish\"");
}

TEST(spec, width_not_divisible_by_heads_names_both) {
  EXPECT_EQ(making(attention_spec(10, 4)),
            "layer attention of kind attention: 'width' must be divisible by "
            "'heads', got 10 and 4");
}

TEST(spec, layers_inside_are_refused_where_none_belong) {
  auto spec = linear_spec(2, 2);
  spec.layers.push_back(linear_spec(2, 2));
  EXPECT_EQ(making(spec),
            "layer linear of kind linear: holds no layers inside, got 1");
  EXPECT_EQ(making(residual_spec({})),
            "layer residual of kind residual: needs at least one layer "
            "inside, got none");
}

TEST(spec, unknown_kind_is_refused_with_those_known) {
  EXPECT_EQ(making({"conv", "first", {}, {}}),
            "layer first: unknown kind 'conv': there are attention, dropout, "
            "embedding, gelu, layer_norm, linear, relu, residual, tanh");
}

TEST(inputs, of_another_width_are_refused) {
  EXPECT_EQ(feeding(linear_spec(5, 4), {{dtype::f32, {2, 6}}}),
            "takes f32 or f64 [B, .., 5], got f32[2, 6]");
}

TEST(inputs, of_another_number_are_refused) {
  EXPECT_EQ(feeding(norm_spec(5), {}), "takes one tensor, got ()");
}

TEST(inputs, of_another_rank_are_refused) {
  EXPECT_EQ(feeding(attention_spec(6, 2), {{dtype::f32, {2, 6}}}),
            "takes f32 or f64 [B, T, 6], got f32[2, 6]");
}

TEST(inputs, longer_than_the_positions_are_refused) {
  EXPECT_EQ(feeding(embedding_spec(7, 4, 3), {{dtype::u8, {2, 4}}}),
            "takes sequences of at most 3 tokens (positions), got u8[2, 4]");
}

TEST(inputs, that_are_no_tokens_are_refused) {
  EXPECT_EQ(feeding(embedding_spec(7, 4, 3), {{dtype::f32, {2, 3}}}),
            "takes tokens u8 or i32 [B, T], got f32[2, 3]");
}

TEST(inputs, changed_inside_a_residual_are_refused) {
  EXPECT_EQ(feeding(residual_spec({linear_spec(4, 3)}), {{dtype::f32, {2, 4}}}),
            "adds its input to what is inside, so both must be f32[2, 4], got "
            "(f32[2, 3])");
  EXPECT_EQ(feeding(residual_spec({linear_spec(3, 4)}), {{dtype::f32, {2, 4}}}),
            "residual.linear takes f32 or f64 [B, .., 3], got f32[2, 4]");
}

} // namespace actorpipe::test
