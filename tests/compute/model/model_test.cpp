// SPDX-License-Identifier: Apache-2.0
/// Names, parameters, ties and boundaries of models.
#include "compute/model/model.hpp"
#include "tests/support/layer_cases.hpp"
#include "tests/support/test_layers.hpp"

#include <gtest/gtest.h>

namespace actorpipe::test {

namespace {

const layer_spec cross_entropy{"softmax_cross_entropy", "", {}, {}};

std::shared_ptr<const model> build(std::vector<layer_spec> layers) {
  return build_model({std::move(layers), cross_entropy}, test_registry());
}

std::vector<std::string> parameter_names(const model& x) {
  std::vector<std::string> result;
  for (const auto& parameter : x.parameters())
    result.push_back(parameter.declaration.name);
  return result;
}

std::string refusal(std::vector<layer_spec> layers) {
  try {
    build(std::move(layers));
  } catch (const model_error& error) {
    return error.what();
  }
  return "no error";
}

layer_spec named(layer_spec spec, std::string name) {
  spec.name = std::move(name);
  return spec;
}

layer_spec tied_head(std::string to, std::int64_t inputs,
                     std::int64_t outputs) {
  return named(linear_spec(inputs, outputs, {{"tie", std::move(to)}}), "head");
}

} // namespace

TEST(model, layers_without_a_name_are_named_by_kind_and_index) {
  const auto x = build({named(linear_spec(2, 3), ""), {"relu", "", {}, {}}});
  EXPECT_EQ(x->name(0), "linear0");
  EXPECT_EQ(x->name(1), "relu1");
  EXPECT_EQ(parameter_names(*x),
            (std::vector<std::string>{"linear0.weight", "linear0.bias"}));
}

TEST(model, names_inside_a_residual_begin_with_its_name_or_scope) {
  auto scoped = residual_spec({named(norm_spec(4), "")});
  scoped.values["scope"] = std::string("block0");
  const auto x = build({residual_spec({norm_spec(4)}), scoped});
  EXPECT_EQ(parameter_names(*x),
            (std::vector<std::string>{
              "residual.norm.weight", "residual.norm.bias",
              "block0.layer_norm0.weight", "block0.layer_norm0.bias"}));
}

TEST(model, spec_is_kept_as_given) {
  const model_spec spec{{named(linear_spec(2, 3), "")}, cross_entropy};
  EXPECT_EQ(build_model(spec, test_registry())->spec(), spec);
}

TEST(model, two_parameters_of_one_name_are_refused_naming_both_layers) {
  EXPECT_EQ(
    refusal({linear_spec(2, 2), {"relu", "", {}, {}}, linear_spec(2, 2)}),
    "layer 0 (linear) and layer 2 (linear) both have a parameter "
    "'linear.weight': name the layers differently, or tie the second");
}

TEST(model, tied_uses_share_a_parameter_owned_by_the_first) {
  const auto x = build(
    {embedding_spec(7, 4, 0), tied_head("embedding.tokens.weight", 4, 7)});
  ASSERT_EQ(x->parameters().size(), 1U);
  const auto& uses = x->parameters()[0].uses;
  ASSERT_EQ(uses.size(), 2U);
  EXPECT_EQ(uses[0].layer, 0U);
  EXPECT_EQ(uses[1].layer, 1U);
  EXPECT_FALSE(x->parameters()[0].declaration.tied);
}

TEST(model, tie_to_nothing_is_refused) {
  EXPECT_EQ(refusal({tied_head("table", 4, 7)}),
            "layer 0 (head) ties 'table', but no layer before it has a "
            "parameter of that name");
}

TEST(model, tie_to_another_shape_is_refused_naming_both) {
  EXPECT_EQ(refusal({embedding_spec(7, 4, 0),
                     tied_head("embedding.tokens.weight", 4, 8)}),
            "layer 1 (head) ties 'embedding.tokens.weight' as [8, 4], but "
            "layer 0 (embedding) has it as [7, 4]");
}

TEST(model, parameter_that_is_too_large_is_refused_naming_the_layer) {
  const auto wide = std::int64_t{1} << 27;
  EXPECT_EQ(refusal({linear_spec(wide, wide)}),
            "layer linear: a shape has at most 9007199254740992 elements, too "
            "few for [134217728, 134217728]");
  EXPECT_EQ(refusal({residual_spec({linear_spec(wide, wide)})}),
            "layer residual: a shape has at most 9007199254740992 elements, "
            "too few for [134217728, 134217728]");
}

TEST(model, outputs_that_are_too_large_are_refused_naming_the_layer) {
  const auto x = build({linear_spec(1, 1 << 30)});
  try {
    x->boundaries({{dtype::f32, {1 << 24, 1}}});
    FAIL() << "accepted";
  } catch (const model_error& error) {
    EXPECT_STREQ(error.what(),
                 "layer 0 (linear) does not fit the inputs: a shape has at "
                 "most 9007199254740992 elements, too few for [16777216, "
                 "1073741824]");
  }
}

TEST(model, unknown_loss_is_refused) {
  EXPECT_THROW(build_model({{}, {"mse", "", {}, {}}}, test_registry()),
               model_error);
}

TEST(model, boundaries_give_what_enters_every_layer) {
  const auto x = build({embedding_spec(7, 4, 5), linear_spec(4, 3)});
  const auto at = x->boundaries({{dtype::u8, {2, 5}}});
  ASSERT_EQ(at.size(), 3U);
  EXPECT_EQ(to_string(at[0]), "(u8[2, 5])");
  EXPECT_EQ(to_string(at[1]), "(f32[2, 5, 4])");
  EXPECT_EQ(to_string(at[2]), "(f32[2, 5, 3])");
}

TEST(model, layers_that_do_not_fit_are_named_with_their_neighbour) {
  const auto x = build({embedding_spec(7, 4, 5), linear_spec(6, 3)});
  try {
    x->boundaries({{dtype::u8, {2, 5}}});
    FAIL() << "accepted";
  } catch (const model_error& error) {
    EXPECT_STREQ(error.what(),
                 "layer 1 (linear) does not fit layer 0 (embedding): takes "
                 "f32 or f64 [B, .., 6], got f32[2, 5, 4]");
  }
}

TEST(registry, refuses_a_kind_twice) {
  auto registry = layer_registry::with_builtin();
  EXPECT_THROW(registry.add("linear", {}), std::invalid_argument);
  EXPECT_THROW(registry.add_loss("softmax_cross_entropy", {}),
               std::invalid_argument);
}

} // namespace actorpipe::test
