// SPDX-License-Identifier: Apache-2.0
/// A cell's values as a list of tensors, and a model's values as those of its
/// cells.
#include "actors/shard_values.hpp"
#include "compute/device/device.hpp"
#include "tests/support/pipeline_models.hpp"

#include <gtest/gtest.h>

namespace actorpipe::test {
namespace {

class shard_values_test : public ::testing::Test {
protected:
  tensor_list flat(std::uint32_t cell) const {
    return flatten(part_of(all_, layout_, cut_, cell));
  }

  std::shared_ptr<const model> source_ =
    build_model(mixed_model(), pipeline_registry());
  std::shared_ptr<const optimizer> rule_ = [] {
    optimizer_options how;
    how.kind = optimizer_kind::adam;
    return make_optimizer(how);
  }();
  std::vector<std::size_t> cut_{0, 3, 6, 10};
  parameter_layout layout_{*source_, cut_};
  std::shared_ptr<device> device_ = make_reference_device("device");
  std::unique_ptr<stream> stream_ = device_->make_stream(nullptr);
  model_values all_ = initial_values(*source_, *rule_, stream_->ops(), 1);
};

TEST_F(shard_values_test, weights_then_moments_then_states) {
  const tensor_type weight{dtype::f32, {5, 3}}, bias{dtype::f32, {5}};
  const auto types = shard_types(*source_, *rule_, layout_, cut_, 0);
  ASSERT_EQ(types.size(), 4U * 3);
  EXPECT_EQ(types[0], weight);
  EXPECT_EQ(types[2], weight);
  EXPECT_EQ(types[3], bias);
  EXPECT_EQ(shard_types(*source_, *rule_, layout_, cut_, 1),
            std::vector<tensor_type>{bias})
    << "the running mean";
  EXPECT_EQ(flat(0)[1].bytes(), all_.parameters[0].slots[0].bytes());
  EXPECT_EQ(flat(1)[0].bytes(), all_.states[5][0].bytes());
}

TEST_F(shard_values_test, every_cell_goes_there_and_back) {
  model_values back;
  back.parameters.resize(all_.parameters.size());
  back.states.resize(all_.states.size());
  all_.updates = 7;
  for (std::uint32_t cell = 0; cell < 3; ++cell) {
    const auto values = flat(cell);
    ASSERT_TRUE(
      are_of_types(values, shard_types(*source_, *rule_, layout_, cut_, cell)));
    put_part(back, unflatten(values, 7, *source_, *rule_, layout_, cut_, cell),
             layout_, cut_, cell);
  }
  EXPECT_TRUE(same_values(*source_, back, all_));
}

TEST_F(shard_values_test, undefined_tensors_are_of_no_type) {
  EXPECT_FALSE(are_of_types({tensor()}, std::vector<tensor_type>{{}}));
  EXPECT_FALSE(are_of_types({}, std::vector<tensor_type>{{}}));
  EXPECT_TRUE(are_of_types({}, {}));
}

TEST_F(shard_values_test, values_are_of_their_model_alone) {
  EXPECT_TRUE(are_of(*source_, *rule_, all_));
  EXPECT_FALSE(are_of(*source_, *make_optimizer({}), all_));
  auto other = all_;
  other.states.pop_back();
  EXPECT_FALSE(are_of(*source_, *rule_, other));
  other = all_;
  other.states[5][0] = {};
  EXPECT_FALSE(are_of(*source_, *rule_, other));
  other = all_;
  other.parameters[0].weight = other.parameters[1].weight;
  EXPECT_FALSE(are_of(*source_, *rule_, other));
}

} // namespace
} // namespace actorpipe::test
