// SPDX-License-Identifier: Apache-2.0
/// A spec survives JSON to the bit, and any bytes are read or refused.
#include "compute/layers/model_spec_json.hpp"
#include "compute/model/gpt.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

namespace actorpipe::test {

namespace {

using limits = std::numeric_limits<double>;

std::string error_of(std::string_view text) {
  try {
    model_spec_from_json(text);
  } catch (const model_error& error) {
    return error.what();
  }
  return "no error";
}

/// What is said of a model with this as its only layer.
std::string error_of_layer(const std::string& layer) {
  return error_of(R"({"layers":[)" + layer + R"(],"loss":{"kind":"l"}})");
}

model_spec with_value(spec_value value) {
  return {{{"kind", "", {{"value", std::move(value)}}, {}}}, {"l", "", {}, {}}};
}

spec_value value_after(spec_value value) {
  const auto back = model_spec_from_json(to_json(with_value(std::move(value))));
  return back.layers.at(0).values.at("value");
}

/// A layer in a layer in a layer, so many in all.
model_spec nested(std::size_t layers) {
  layer_spec inner{"residual", "", {}, {}};
  for (std::size_t i = 1; i < layers; ++i)
    inner = {"residual", "", {}, {inner}};
  return {{inner}, {"l", "", {}, {}}};
}

std::string error_of_writing(const model_spec& spec) {
  try {
    to_json(spec);
  } catch (const model_error& error) {
    return error.what();
  }
  return "no error";
}

} // namespace

TEST(model_spec_json, a_model_survives) {
  gpt_options options;
  options.dropout = 0.1;
  const auto spec = make_gpt(options);
  EXPECT_TRUE(model_spec_from_json(to_json(spec)) == spec);
}

TEST(model_spec_json, is_text_that_a_person_can_read) {
  const model_spec spec{
    {{"linear", "in", {{"inputs", std::int64_t{2}}, {"bias", false}}, {}},
     {"residual", "", {}, {{"relu", "", {}, {}}}}},
    {"mse", "loss", {{"weight", 1.0}}, {}}};
  EXPECT_EQ(to_json(spec),
            R"({"layers":[{"kind":"linear","name":"in","values":{"bias":false,)"
            R"("inputs":2}},{"kind":"residual","layers":[{"kind":"relu"}]}],)"
            R"("loss":{"kind":"mse","name":"loss","values":{"weight":1.0}}})");
  EXPECT_TRUE(model_spec_from_json(to_json(spec)) == spec);
}

TEST(model_spec_json, doubles_keep_every_bit) {
  std::mt19937_64 draw(1);
  std::vector<double> numbers{0.0,
                              -0.0,
                              1.0,
                              0.1,
                              limits::max(),
                              limits::min(),
                              limits::denorm_min(),
                              limits::lowest(),
                              1e15,
                              1e16,
                              9007199254740993.0,
                              1e22};
  while (numbers.size() < 2000)
    if (const auto x = std::bit_cast<double>(draw()); std::isfinite(x))
      numbers.push_back(x);
  for (const auto x : numbers) {
    const auto back = value_after(x);
    ASSERT_TRUE(std::holds_alternative<double>(back)) << x;
    EXPECT_EQ(std::bit_cast<std::uint64_t>(std::get<double>(back)),
              std::bit_cast<std::uint64_t>(x));
  }
}

TEST(model_spec_json, every_type_stays_what_it_is) {
  using integers = std::numeric_limits<std::int64_t>;
  for (const auto x : {integers::min(), integers::max(), std::int64_t{0},
                       std::int64_t{-1}, std::int64_t{1} << 53})
    EXPECT_EQ(value_after(x), spec_value(x));
  EXPECT_EQ(value_after(true), spec_value(true));
  EXPECT_EQ(value_after(std::string("\"\\\n\0é", 6)),
            spec_value(std::string("\"\\\n\0é", 6)));
}

TEST(model_spec_json, what_json_cannot_hold_is_refused) {
  EXPECT_EQ(error_of_writing(with_value(limits::infinity())),
            "the model as JSON: layers[0].values.value: must be finite, got "
            "inf");
  EXPECT_NE(error_of_writing(with_value(std::string("\xff"))), "no error");
}

TEST(model_spec_json, a_wrong_shape_is_refused_with_its_place) {
  EXPECT_EQ(error_of("[]"), "the model as JSON: the whole: must be an object, "
                            "got array");
  EXPECT_EQ(error_of(R"({"layers":[]})"),
            "the model as JSON: the whole: needs 'loss'");
  EXPECT_EQ(error_of(R"({"layers":{},"loss":{"kind":"l"}})"),
            "the model as JSON: layers: must be a list, got object");
  EXPECT_EQ(error_of_layer("{}"),
            "the model as JSON: layers[0]: needs a 'kind'");
  EXPECT_EQ(error_of_layer(R"({"kind":1})"),
            "the model as JSON: layers[0]: 'kind' must be a text, got number");
  EXPECT_EQ(error_of_layer(R"({"kind":"a","layer":[]})"),
            "the model as JSON: layers[0]: unknown key 'layer': allowed are "
            "kind, layers, name, values");
  EXPECT_EQ(error_of_layer(R"({"kind":"a","values":[]})"),
            "the model as JSON: layers[0]: 'values' must be an object, got "
            "array");
}

TEST(model_spec_json, a_wrong_value_is_refused_with_its_place) {
  EXPECT_EQ(error_of_layer(
              R"({"kind":"a","layers":[{"kind":"b","values":{"c":null}}]})"),
            "the model as JSON: layers[0].layers[0].values.c: must be true, "
            "false, a number or a text, got null");
  EXPECT_EQ(
    error_of_layer(R"({"kind":"a","values":{"c":18446744073709551615}})"),
    "the model as JSON: layers[0].values.c: must fit 64 bits with a "
    "sign, got 18446744073709551615");
  EXPECT_NE(error_of_layer(R"({"kind":"a","values":{"c":1e999}})"), "no error");
}

TEST(model_spec_json, a_key_that_stands_twice_is_refused) {
  EXPECT_EQ(error_of_layer(R"({"kind":"a","kind":"b"})"),
            "the model as JSON: the key 'kind' stands twice in one object");
  EXPECT_EQ(error_of_layer(R"({"kind":"a"},{"kind":"b"})"), "no error");
}

TEST(model_spec_json, nesting_has_a_bound) {
  const auto deepest = to_json(nested(deepest_layers));
  EXPECT_TRUE(model_spec_from_json(deepest) == nested(deepest_layers));
  EXPECT_NE(error_of_writing(nested(deepest_layers + 1)).find("deeper than 64"),
            std::string::npos);
  EXPECT_EQ(error_of(std::string(1000000, '[')),
            "the model as JSON is nested too deeply");
}

TEST(model_spec_json, one_layer_too_deep_is_refused) {
  auto text = to_json(nested(deepest_layers));
  const std::string innermost = R"({"kind":"residual"})";
  text.replace(text.find(innermost), innermost.size(),
               R"({"kind":"residual","layers":[)" + innermost + "]}");
  EXPECT_NE(error_of(text).find("nested"), std::string::npos);
}

TEST(model_spec_json, any_bytes_do_no_harm) {
  std::mt19937 draw(1);
  const auto whole = to_json(make_gpt({}));
  for (std::size_t end = 0; end < whole.size(); ++end)
    EXPECT_NE(error_of(whole.substr(0, end)), "no error");
  for (int i = 0; i < 2000; ++i) {
    auto changed = whole;
    for (auto n = 1 + draw() % 3; n > 0; --n)
      changed[draw() % changed.size()] = static_cast<char>(draw());
    error_of(changed);
    for (auto& letter : changed)
      letter = R"({}[]",:1.-e)"[draw() % 11];
    error_of(changed);
  }
}

} // namespace actorpipe::test
