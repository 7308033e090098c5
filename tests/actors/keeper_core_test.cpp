// SPDX-License-Identifier: Apache-2.0
/// A keeper keeps the last two versions of each cell, and gives them back.
#include "actors/keeper_core.hpp"
#include "actors/shard_values.hpp"
#include "tests/support/pipeline_models.hpp"
#include "tests/support/text.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace actorpipe::test {
namespace {

/// Writes down each message as a word, such as "kept1@3" for version 3 of cell
/// 1 and "restore1@3" when it is given back.
class recorder final : public keeper_core::outbox {
public:
  void send(const replicated& message) override {
    words_.note("kept", message.cell, "@", message.version);
    last = message;
  }
  void send(const shard& header, payload data) override {
    EXPECT_EQ(header.purpose, shard_purpose::restore);
    words_.note("restore", header.cell, "@", header.version);
    given = header;
    values = std::move(data.tensors);
  }
  void send(failed message) override {
    words_.note("failed");
    failure = std::move(message);
  }

  std::string take() { return words_.take(); }

  replicated last;
  shard given;
  tensor_list values;
  failed failure;

private:
  word_list words_;
};

class keeper_core_test : public ::testing::Test {
protected:
  static constexpr std::uint64_t run = 7;

  static work_id id(std::uint64_t batch, std::uint64_t attempt = 0) {
    return {run, attempt, batch};
  }

  // The first element of every tensor is `mark`.
  payload values(std::uint32_t cell, float mark = 0) const {
    payload result;
    for (const auto& type :
         shard_types(*source_, *rule_, *layout_, plan_->cut, cell)) {
      result.tensors.push_back(tensor::zeros(type));
      *result.tensors.back().data<float>() = mark;
    }
    return result;
  }

  std::string replica(const work_id& made_by, std::int64_t version,
                      std::uint32_t cell = 1, float mark = 0) {
    core_->accept(shard{made_by, shard_purpose::replica, cell, version},
                  values(cell, mark));
    return sent_.take();
  }

  std::string ask(const work_id& settled, std::int64_t version,
                  std::uint32_t cell = 1) {
    core_->accept(fetch{settled, cell, version});
    return sent_.take();
  }

  std::string held(std::uint64_t attempt = 0) {
    word_list words;
    for (const auto& x : core_->replicas({run, 0, attempt}).shards) {
      EXPECT_TRUE(x.is_replica);
      words.note(x.cell, "@", x.version);
    }
    return words.take();
  }

  float mark() const { return *sent_.values.at(0).data<float>(); }

  std::shared_ptr<const model> source_ =
    build_model(mixed_model(), pipeline_registry());
  std::shared_ptr<const optimizer> rule_ = make_optimizer({});
  std::shared_ptr<const plan> plan_ =
    std::make_shared<plan>(plan_for(*source_, perceptron_batch(4), {3, 2, 4}));
  std::shared_ptr<const parameter_layout> layout_ =
    std::make_shared<parameter_layout>(*source_, plan_->cut);
  std::shared_ptr<memory_account> holder_ =
    std::make_shared<memory_account>("replicas");
  recorder sent_;
  std::unique_ptr<keeper_core> core_ = std::make_unique<keeper_core>(
    keeper_options{run, source_, rule_, plan_, layout_, holder_}, sent_);
};

TEST_F(keeper_core_test, keeps_the_last_two_versions_of_each_cell) {
  EXPECT_EQ(replica(id(0), 0), "kept1@0");
  EXPECT_EQ(replica(id(1), 1), "kept1@1");
  EXPECT_EQ(sent_.last.id, id(1));
  EXPECT_EQ(replica(id(1), 1, 2), "kept2@1");
  EXPECT_EQ(replica(id(2), 2), "kept1@2");
  EXPECT_EQ(held(), "1@1 1@2 2@1");
  const auto inventory = core_->replicas({run, 3, 4});
  EXPECT_EQ(inventory.run, run);
  EXPECT_EQ(inventory.attempt, 4U);
  EXPECT_TRUE(core_->replicas({run + 1, 3, 4}).shards.empty());
}

TEST_F(keeper_core_test, charges_what_it_keeps) {
  replica(id(1), 1);
  const auto one = holder_->now_bytes();
  EXPECT_GT(one, 0);
  replica(id(2), 2);
  replica(id(3), 3);
  EXPECT_EQ(holder_->now_bytes(), 2 * one);
}

TEST_F(keeper_core_test, gives_back_what_is_asked_for_once) {
  replica(id(1), 1, 1, 10);
  replica(id(3), 2, 1, 20);
  EXPECT_EQ(ask(id(5, 1), 1), "restore1@1");
  EXPECT_EQ(sent_.given.id, id(1, 1)) << "with who made it";
  EXPECT_EQ(mark(), 10);
  EXPECT_EQ(ask(id(5, 1), 1), "") << "shards do not get lost";
  EXPECT_EQ(ask(id(5, 2), 2), "restore1@2");
  EXPECT_EQ(mark(), 20);
  EXPECT_EQ(ask(id(5, 1), 1), "") << "an earlier attempt";
  EXPECT_EQ(ask(id(5, 3), 7), "");
  EXPECT_EQ(ask(id(5, 3), 1, 2), "");
  EXPECT_EQ(ask(id(5, 3), 1, 99), "");
  EXPECT_EQ(ask({run + 1, 3, 5}, 1), "");
  EXPECT_EQ(ask(id(5, 3), 1), "restore1@1");
}

TEST_F(keeper_core_test, what_is_not_settled_is_not_given_back) {
  replica(id(1), 4, 1, 10);
  replica(id(2), 4, 1, 20);
  EXPECT_EQ(ask(id(1, 1), 4), "restore1@4");
  EXPECT_EQ(mark(), 10);
  EXPECT_EQ(ask(id(2, 2), 4), "restore1@4");
  EXPECT_EQ(mark(), 20);
}

TEST_F(keeper_core_test, a_return_forgets_what_was_made_since) {
  replica(id(1), 1);
  replica(id(2), 2);
  replica(id(2), 2, 2);
  core_->accept(abandon{run + 1, 9, 0, 0});
  core_->accept(abandon{run, 1, 1, 2});
  EXPECT_EQ(held(), "1@1");
  EXPECT_EQ(replica(id(1), 1), "") << "of the attempt before";
  EXPECT_EQ(replica(id(1, 1), 1, 2), "kept2@1");
  EXPECT_EQ(replica(id(3, 1), 2), "kept1@2");
  core_->accept(abandon{run, 1, 1, 2});
  EXPECT_EQ(held(), "1@1 1@2 2@1") << "what is new stays";
  core_->accept(abandon{run, 2, 2, 2});
  EXPECT_EQ(held(), "1@1 2@1") << "what was not settled goes";
}

TEST_F(keeper_core_test, a_replica_stands_for_a_return_that_was_lost) {
  replica(id(1), 1);
  replica(id(2), 2);
  EXPECT_EQ(replica(id(1, 1), 1), "kept1@1");
  EXPECT_EQ(held(), "1@1");
}

TEST_F(keeper_core_test, says_again_what_it_keeps_in_this_attempt) {
  replica(id(1), 1);
  replica(id(2), 2);
  replica(id(2), 2, 2);
  core_->accept(inquire{id(9)});
  EXPECT_EQ(sent_.take(), "kept1@2 kept2@2");
  replica(id(2, 1), 2, 2);
  core_->accept(inquire{id(9)});
  EXPECT_EQ(sent_.take(), "");
  core_->accept(inquire{id(9, 1)});
  EXPECT_EQ(sent_.take(), "kept2@2");
  EXPECT_EQ(sent_.last.id, id(2, 1));
}

TEST_F(keeper_core_test, what_it_has_said_it_has_stays) {
  replica(id(1), 1);
  replica(id(2), 2);
  EXPECT_EQ(held(2), "1@1 1@2");
  EXPECT_EQ(replica(id(3), 3), "");
  core_->accept(abandon{run, 1, 1, 1});
  EXPECT_EQ(held(2), "1@1 1@2");
}

TEST_F(keeper_core_test, other_tensors_are_refused) {
  core_->accept(shard{id(1), shard_purpose::replica, 1, 1}, values(2));
  EXPECT_EQ(sent_.take(), "failed");
  EXPECT_EQ(sent_.failure.code, error_code::protocol_violated);
  core_->accept(shard{id(1), shard_purpose::replica, 3, 1}, {});
  core_->accept(inquire{id(4)});
  EXPECT_EQ(sent_.take(), "failed failed");
  EXPECT_EQ(sent_.failure.id, id(4)) << "of the mini-batch that waits for it";
  core_->accept(shard{id(1), shard_purpose::install, 1, 1}, values(1));
  core_->accept(shard{{run + 1, 0, 1}, shard_purpose::replica, 1, 1},
                values(1));
  EXPECT_EQ(sent_.take(), "");
  EXPECT_EQ(held(), "");
  core_->accept(abandon{run, 1, 0, 0});
  core_->accept(inquire{id(4, 1)});
  EXPECT_EQ(sent_.take(), "");
}

} // namespace
} // namespace actorpipe::test
