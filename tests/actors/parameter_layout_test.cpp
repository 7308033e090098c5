// SPDX-License-Identifier: Apache-2.0
/// Each parameter has one owner, and every reader is known.
#include "actors/parameter_layout.hpp"
#include "tests/support/pipeline_models.hpp"
#include "tests/support/text.hpp"

#include <gtest/gtest.h>

namespace actorpipe::test {
namespace {

using cells = std::vector<std::uint32_t>;

// Of the model's parameters 2 is "shared.weight", read by layers 2, 6 and 8.
class parameter_layout_test : public ::testing::Test {
protected:
  std::string uses(const parameter_layout& x, std::uint32_t owner,
                   std::uint32_t user) {
    std::string result;
    for (const auto& [layer, index, ordinal] : x.uses(owner, user))
      result += text(layer, ".", index, "=", ordinal, " ");
    return result;
  }

  std::shared_ptr<const model> source_ =
    build_model(mixed_model(), pipeline_registry());
};

TEST_F(parameter_layout_test, one_cell_owns_and_uses_everything) {
  const parameter_layout x(*source_, std::vector<std::size_t>{0, 10});
  EXPECT_EQ(x.owned_by(0), (std::vector<std::size_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(x.users_of(0), cells{0});
  EXPECT_EQ(uses(x, 0, 0), "0.0=0 0.1=1 2.0=2 2.1=3 6.0=2 8.0=2 9.0=4 9.1=5 ");
}

TEST_F(parameter_layout_test, the_cell_of_the_first_use_owns) {
  const parameter_layout x(*source_, std::vector<std::size_t>{0, 3, 6, 10});
  EXPECT_EQ(x.owned_by(0), (std::vector<std::size_t>{0, 1, 2, 3}));
  EXPECT_EQ(x.owned_by(1), std::vector<std::size_t>{});
  EXPECT_EQ(x.owned_by(2), (std::vector<std::size_t>{4, 5}));
}

TEST_F(parameter_layout_test, uses_are_told_by_owner_and_user) {
  const parameter_layout x(*source_, std::vector<std::size_t>{0, 3, 6, 10});
  EXPECT_EQ(uses(x, 0, 0), "0.0=0 0.1=1 2.0=2 2.1=3 ");
  EXPECT_EQ(uses(x, 0, 1), "");
  EXPECT_EQ(uses(x, 0, 2), "0.0=2 2.0=2 ");
  EXPECT_EQ(uses(x, 2, 2), "3.0=0 3.1=1 ");
}

TEST_F(parameter_layout_test, a_cell_is_a_user_of_its_own) {
  const parameter_layout x(*source_, std::vector<std::size_t>{0, 3, 6, 10});
  EXPECT_EQ(x.users_of(0), (cells{0, 2}));
  EXPECT_EQ(x.users_of(1), cells{1});
  EXPECT_EQ(x.owners_of(0), cells{0});
  EXPECT_EQ(x.owners_of(1), cells{1});
  EXPECT_EQ(x.owners_of(2), (cells{0, 2}));
}

TEST_F(parameter_layout_test, every_use_is_somewhere_for_every_cut) {
  for (std::size_t a = 1; a < 9; ++a)
    for (std::size_t b = a + 1; b < 10; ++b) {
      const parameter_layout x(*source_, std::vector<std::size_t>{0, a, b, 10});
      std::size_t count = 0;
      for (std::uint32_t owner = 0; owner < 3; ++owner)
        for (std::uint32_t user = 0; user < 3; ++user)
          count += x.uses(owner, user).size();
      EXPECT_EQ(count, 8U) << a << ", " << b;
    }
}

} // namespace
} // namespace actorpipe::test
