// SPDX-License-Identifier: Apache-2.0
/// What a registry says of its kinds.
#include "compute/layers/layer_registry.hpp"

#include <gtest/gtest.h>

namespace actorpipe::test {

namespace {

std::unique_ptr<layer> no_layer(const layer_spec&, const layer_registry&) {
  return nullptr;
}

std::unique_ptr<loss_function> no_loss(const layer_spec&) {
  return nullptr;
}

layer_registry with(const std::string& kind, std::uint32_t version = 1) {
  layer_registry result;
  result.add(kind, no_layer, version);
  return result;
}

} // namespace

TEST(layer_registry, kinds_are_sorted_and_carry_their_version) {
  auto some = with("b");
  some.add("a", no_layer, 7);
  some.add_loss("c", no_loss, 3);
  EXPECT_EQ(some.kinds(),
            (std::vector<layer_registry::kind_entry>{{"a", 7}, {"b", 1}}));
  EXPECT_EQ(some.loss_kinds(),
            (std::vector<layer_registry::kind_entry>{{"c", 3}}));
}

TEST(layer_registry, a_kind_is_added_once_whatever_its_version) {
  auto some = with("a");
  EXPECT_THROW(some.add("a", no_layer, 2), std::invalid_argument);
  EXPECT_EQ(some.kinds().at(0).version, 1U);
}

TEST(layer_registry, the_hash_is_that_of_the_kinds_in_any_order) {
  auto one = with("a");
  one.add("b", no_layer);
  auto other = with("b");
  other.add("a", no_layer);
  EXPECT_EQ(hash(one), hash(other));
  EXPECT_EQ(hash(one).size(), 64U);
  EXPECT_EQ(hash(layer_registry::with_builtin()),
            hash(layer_registry::with_builtin()));
}

TEST(layer_registry, the_hash_changes_with_each_name_version_and_role) {
  EXPECT_NE(hash(with("a")), hash(with("b")));
  EXPECT_NE(hash(with("a")), hash(with("a", 2)));
  layer_registry loss;
  loss.add_loss("a", no_loss);
  EXPECT_NE(hash(with("a")), hash(loss));
  layer_registry other_loss;
  other_loss.add_loss("a", no_loss, 2);
  EXPECT_NE(hash(loss), hash(other_loss));
}

TEST(layer_registry, one_name_does_not_look_like_two) {
  auto two = with("a");
  two.add("b", no_layer);
  EXPECT_NE(hash(with("a\nlayer 1 1:b")), hash(two));
}

} // namespace actorpipe::test
