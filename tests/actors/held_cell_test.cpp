// SPDX-License-Identifier: Apache-2.0
/// Weights of a cell come in parts, and the latest edition of each counts.
#include "actors/held_cell.hpp"
#include "compute/model/layer_error.hpp"
#include "tests/support/pipeline_models.hpp"

#include <gtest/gtest.h>

namespace actorpipe::test {
namespace {

// Cell 2 of three reads "shared.weight" of cell 0 twice and owns two.
class held_cell_test : public ::testing::Test {
protected:
  // The first element of every tensor of a part is `mark`.
  void send(std::uint32_t owner, std::uint64_t edition, std::int64_t version,
            float mark, held_cell& to, std::uint64_t attempt = 0) {
    payload data;
    for (const auto& use : layout_.uses(owner, to.index())) {
      const auto i = layout_.owned_by(owner)[use.ordinal];
      data.tensors.push_back(tensor::zeros(
        {dtype::f32, source_->parameters()[i].declaration.extents}));
      *data.tensors.back().data<float>() = mark;
    }
    if (owner == 1)
      data.tensors.push_back(tensor::zeros({dtype::f32, {5}}));
    to.accept({1, attempt, edition, version, owner, to.index()}, data);
  }

  float mark(std::size_t layer) const {
    return *held_.present_weights()[layer].parameters[0].data<float>();
  }

  std::shared_ptr<const model> source_ =
    build_model(mixed_model(), pipeline_registry());
  plan plan_ = plan_for(*source_, perceptron_batch(4),
                        {3,
                         2,
                         4,
                         schedule_kind::fill_drain,
                         recompute_mode::except_one,
                         2,
                         {3, 3, 4}});
  parameter_layout layout_{*source_, plan_.cut};
  held_cell held_{source_, plan_, layout_, 2};
};

TEST_F(held_cell_test, a_version_is_there_when_every_part_is) {
  send(0, 1, 0, 10, held_);
  EXPECT_FALSE(held_.has_version(0));
  send(2, 1, 0, 20, held_);
  EXPECT_TRUE(held_.has_version(0));
  EXPECT_EQ(mark(0), 10);
  EXPECT_EQ(mark(2), 10);
  EXPECT_EQ(mark(3), 20);
}

TEST_F(held_cell_test, parts_of_two_versions_are_none) {
  send(0, 1, 0, 10, held_);
  send(2, 1, 0, 20, held_);
  send(0, 2, 1, 11, held_);
  EXPECT_FALSE(held_.has_version(0));
  EXPECT_FALSE(held_.has_version(1));
  send(2, 2, 1, 21, held_);
  EXPECT_TRUE(held_.has_version(1));
  EXPECT_EQ(mark(0), 11);
  EXPECT_EQ(mark(3), 21);
}

TEST_F(held_cell_test, an_older_edition_comes_too_late) {
  send(2, 1, 0, 20, held_);
  send(0, 3, 1, 11, held_);
  send(0, 2, 0, 10, held_);
  EXPECT_FALSE(held_.has_version(0));
  send(2, 2, 1, 21, held_);
  EXPECT_TRUE(held_.has_version(1));
  send(0, 3, 1, 99, held_);
  EXPECT_EQ(mark(0), 11);
}

TEST_F(held_cell_test, a_later_edition_may_be_of_an_earlier_version) {
  send(0, 1, 5, 10, held_);
  send(2, 1, 5, 20, held_);
  send(0, 2, 3, 11, held_);
  send(2, 2, 3, 21, held_);
  EXPECT_TRUE(held_.has_version(3));
  EXPECT_EQ(mark(0), 11);
}

TEST_F(held_cell_test, what_is_forgotten_has_to_come_again) {
  send(0, 5, 1, 10, held_);
  send(2, 5, 1, 20, held_, 1);
  held_.forget_before(0);
  EXPECT_TRUE(held_.has_version(1));
  held_.forget_before(1);
  EXPECT_FALSE(held_.has_version(1));
  std::vector<std::uint32_t> lacking;
  held_.for_each_lacking(1, [&](auto owner) { lacking.push_back(owner); });
  EXPECT_EQ(lacking, std::vector<std::uint32_t>{0});
  send(0, 6, 1, 11, held_);
  EXPECT_TRUE(held_.has_version(1)) << "the caller drops what is of before";
}

TEST_F(held_cell_test, an_earlier_attempt_comes_too_late) {
  send(2, 1, 0, 20, held_);
  send(0, 1, 0, 10, held_, 2);
  send(0, 9, 0, 11, held_, 1);
  EXPECT_EQ(mark(0), 10);
  send(0, 1, 0, 12, held_, 3);
  EXPECT_EQ(mark(0), 12);
}

TEST_F(held_cell_test, inputs_and_targets_must_fit) {
  const auto tokens = tensor::zeros({dtype::i32, {2}});
  const auto of = [](std::int64_t columns) {
    return tensor_list{tensor::zeros({dtype::f32, {2, columns}})};
  };
  for (int i = 0; i < 2; ++i) {
    held_.require_fitting(of(5), tokens);
    EXPECT_THROW(held_.require_fitting(of(4), tokens), layer_error);
    EXPECT_THROW(held_.require_fitting({}, tokens), layer_error);
    EXPECT_THROW(held_.require_fitting(of(5), of(5)[0]), layer_error);
    EXPECT_THROW(held_.require_fitting(of(5), {}), layer_error);
  }
}

TEST_F(held_cell_test, states_come_with_the_cells_own_part) {
  held_cell middle{source_, plan_, layout_, 1};
  send(1, 1, 0, 0, middle);
  EXPECT_TRUE(middle.has_version(0));
  EXPECT_EQ(middle.present_weights()[2].states[0].extents(), shape{5});
}

TEST_F(held_cell_test, edges_are_known_by_their_ends) {
  using ids = std::vector<std::uint32_t>;
  const held_cell first{source_, plan_, layout_, 0};
  EXPECT_EQ(first.inputs(), ids{0});
  EXPECT_EQ(first.outputs(), ids{1});
  EXPECT_FALSE(first.target());
  EXPECT_EQ(held_.inputs(), ids{2});
  EXPECT_EQ(held_.outputs(), ids{});
  EXPECT_EQ(held_.target(), 3U);
}

TEST_F(held_cell_test, the_program_says_what_is_recomputed) {
  held_.reset(3, *parse_program("2F0 1R1 2R2 2B2"));
  EXPECT_FALSE(held_.is_recomputed(0));
  EXPECT_FALSE(held_.is_recomputed(1));
  EXPECT_TRUE(held_.is_recomputed(2));
}

} // namespace
} // namespace actorpipe::test
