// SPDX-License-Identifier: Apache-2.0
/// A model's values go into a checkpoint and come out of it the same.
#include "actors/run/checkpoint_values.hpp"

#include "actors/run/checkpoint_folder.hpp"
#include "compute/io/parameter_digest.hpp"
#include "compute/model/gpt.hpp"
#include "compute/train/sequential.hpp"

#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

namespace actorpipe {

namespace {

std::shared_ptr<const model> small_gpt(std::int64_t width,
                                       std::int64_t depth = 1) {
  gpt_options options;
  options.vocabulary = 8;
  options.sequence = 4;
  options.width = width;
  options.depth = depth;
  options.heads = 1;
  options.dropout = 0.1;
  return build_model(make_gpt(options), layer_registry::with_builtin());
}

std::shared_ptr<const optimizer> optimizer_of(optimizer_kind kind) {
  optimizer_options options;
  options.kind = kind;
  return make_optimizer(options);
}

batch some_batch(std::int64_t step) {
  std::vector<std::uint8_t> tokens;
  std::vector<std::int32_t> targets;
  for (std::int64_t i = 0; i < 8; ++i) {
    tokens.push_back(static_cast<std::uint8_t>((i * 3 + step) % 8));
    targets.push_back(static_cast<std::int32_t>((i + 5 * step) % 8));
  }
  return {{tensor::from({2, 4}, tokens)}, tensor::from({2, 4}, targets)};
}

class checkpoint_values_test : public testing::Test {
protected:
  sequential_trainer trainer() const {
    return {model_, adam_, make_reference_device("reference"), 7};
  }

  void train(sequential_trainer& who, std::int64_t begin, std::int64_t end) {
    for (auto step = begin; step < end; ++step)
      who.train(some_batch(step), step, {2, 1e-2, 1.0});
  }

  std::string sum_of(const sequential_trainer& who) const {
    return parameters_sha256(named_parameters(*model_, who.values()));
  }

  checkpoint checkpoint_of(const sequential_trainer& who) const {
    checkpoint result;
    store_values(result, *model_, *adam_, who.values());
    return result;
  }

  static std::string error(const checkpoint& from, const model& source,
                           const optimizer& how) {
    try {
      restore_values(from, source, how);
    } catch (const checkpoint_error& e) {
      return e.what();
    }
    return "no error";
  }

  std::shared_ptr<const model> model_ = small_gpt(4);
  std::shared_ptr<const optimizer> adam_ = optimizer_of(optimizer_kind::adam);
};

TEST_F(checkpoint_values_test, continue_a_run_as_if_it_had_not_stopped) {
  auto whole = trainer();
  train(whole, 0, 6);
  auto first = trainer();
  train(first, 0, 3);
  const temporary_folder folder;
  save_checkpoint(folder.path(), checkpoint_of(first), 1);
  auto second = trainer();
  const auto loaded = load_newest_checkpoint(folder.path());
  ASSERT_TRUE(loaded);
  second.set_values(restore_values(*loaded, *model_, *adam_));
  EXPECT_EQ(second.values().updates, 3);
  EXPECT_EQ(sum_of(second), sum_of(first));
  train(second, 3, 6);
  EXPECT_EQ(sum_of(second), sum_of(whole));
}

TEST_F(checkpoint_values_test, of_another_width_say_which_shapes_differ) {
  const auto text = error(checkpoint_of(trainer()), *small_gpt(5), *adam_);
  EXPECT_NE(text.find("of another shape ("), std::string::npos) << text;
  EXPECT_NE(text.find(" instead of ["), std::string::npos) << text;
  EXPECT_NE(text.find(", ...)"), std::string::npos) << text;
  EXPECT_EQ(text.find("missing"), std::string::npos) << text;
}

TEST_F(checkpoint_values_test, of_another_depth_say_what_is_missing_or_extra) {
  auto text = error(checkpoint_of(trainer()), *small_gpt(4, 2), *adam_);
  EXPECT_NE(text.find(" missing ("), std::string::npos) << text;
  EXPECT_EQ(text.find("does not have"), std::string::npos) << text;
  sequential_trainer deep(small_gpt(4, 2), adam_,
                          make_reference_device("reference"), 7);
  checkpoint from;
  store_values(from, *small_gpt(4, 2), *adam_, deep.values());
  text = error(from, *model_, *adam_);
  EXPECT_NE(text.find(" that the model does not have ("), std::string::npos)
    << text;
  EXPECT_EQ(text.find("missing"), std::string::npos) << text;
}

TEST_F(checkpoint_values_test, of_another_optimizer_say_which_moments_differ) {
  const auto text = error(checkpoint_of(trainer()), *model_,
                          *optimizer_of(optimizer_kind::rmsprop));
  EXPECT_NE(text.find("/square_avg"), std::string::npos) << text;
  EXPECT_NE(text.find("/exp_avg"), std::string::npos) << text;
}

} // namespace

} // namespace actorpipe
