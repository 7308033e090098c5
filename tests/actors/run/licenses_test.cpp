// SPDX-License-Identifier: Apache-2.0
/// What is held out by default of the system's licences was not trained on.
#include "actors/run/config.hpp"
#include "compute/data/text_corpus.hpp"

#include <gtest/gtest.h>

#include <filesystem>

namespace actorpipe {

namespace {

const std::string licenses(licenses_path);

TEST(licenses, that_are_held_out_share_no_passage_with_the_others) {
  if (!std::filesystem::exists(licenses))
    GTEST_SKIP() << licenses << " is not on this machine";
  const auto corpus =
    load_text_corpus({licenses, run_config().data.holdout, 0.1});
  const auto shared = find_shared_passage(corpus, 100);
  EXPECT_FALSE(shared) << shared->training << " and " << shared->held_out
                       << " share: " << shared->text;
}

TEST(licenses, of_other_families_do_share_passages) {
  if (!std::filesystem::exists(licenses))
    GTEST_SKIP() << licenses << " is not on this machine";
  const auto corpus = load_text_corpus({licenses, {"LGPL"}, 0.1});
  EXPECT_TRUE(find_shared_passage(corpus, 100));
}

} // namespace

} // namespace actorpipe
