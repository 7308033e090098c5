// SPDX-License-Identifier: Apache-2.0
/// The hash of a job: everything that is computed counts, the run does not.
#include "messages/job.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <set>
#include <string>

namespace actorpipe::test {

namespace {

job some_job() {
  job x;
  x.run = 1;
  x.seed = 2;
  x.model = std::string("{}");
  x.optimizer.kind = optimizer_kind::adam;
  x.how.cut = {0, 2, 4};
  x.how.device_of_cell = {0, 1};
  x.how.edges = {edge{}, edge{}};
  x.how.programs = {*parse_program("0F0 0B0 0U0"), *parse_program("1F0 1B0")};
  return x;
}

/// Each of the changes to some job gives a hash of its own.
void expect_other_hashes(std::initializer_list<void (*)(job&)> changes) {
  std::set<std::string> hashes{hash(some_job())};
  for (const auto change : changes) {
    auto x = some_job();
    change(x);
    hashes.insert(hash(x));
  }
  EXPECT_EQ(hashes.size(), 1 + changes.size());
}

} // namespace

TEST(job_hash, is_one_sum_for_equal_jobs_of_any_run) {
  auto other = some_job();
  other.run = 99;
  EXPECT_EQ(hash(some_job()), hash(other));
  EXPECT_EQ(hash(other).size(), 64U);
}

TEST(job_hash, every_field_of_the_job_matters) {
  expect_other_hashes({[](job& x) { x.seed = 3; },
                       [](job& x) { x.model = std::string("[]"); },
                       [](job& x) { x.threads_per_stage = 2; },
                       [](job& x) { x.replicates = false; },
                       [](job& x) { x.faults = std::string("a"); }});
}

TEST(job_hash, every_number_of_the_optimizer_matters) {
  expect_other_hashes({[](job& x) { x.optimizer.kind = optimizer_kind::adamw; },
                       [](job& x) { x.optimizer.momentum = 0.5; },
                       [](job& x) { x.optimizer.nesterov = true; },
                       [](job& x) { x.optimizer.alpha = 0.5; },
                       [](job& x) { x.optimizer.beta1 = 0.5; },
                       [](job& x) { x.optimizer.beta2 = 0.5; },
                       [](job& x) { x.optimizer.epsilon = 0.5; },
                       [](job& x) { x.optimizer.weight_decay = 0.5; }});
}

TEST(job_hash, every_field_of_the_plan_matters) {
  expect_other_hashes(
    {[](job& x) {
       x.how.cut = {0, 3, 4};
     },
     [](job& x) {
       x.how.device_of_cell = {1, 0};
     },
     [](job& x) { x.how.edges.pop_back(); },
     [](job& x) { x.how.schedule = schedule_kind::one_f_one_b; },
     [](job& x) { x.how.recompute = recompute_mode::never; },
     [](job& x) { x.how.micro_batches = 2; },
     [](job& x) { x.how.micro_batch_samples = 2; },
     [](job& x) { x.how.programs.pop_back(); }});
}

TEST(job_hash, every_field_of_an_edge_matters) {
  expect_other_hashes(
    {[](job& x) { x.how.edges[1].from = 1; },
     [](job& x) { x.how.edges[1].to = 1; },
     [](job& x) { x.how.edges[1].ordinal = 1; },
     [](job& x) { x.how.edges[1].is_target = true; },
     [](job& x) { x.how.edges[1].needs_gradient = true; },
     [](job& x) { x.how.edges[1].type = std::string("f32[1]"); },
     [](job& x) { x.how.edges[1].bytes = 1; },
     [](job& x) { x.how.edges[1].credits = 1; }});
}

TEST(job_hash, every_field_of_an_action_matters) {
  expect_other_hashes(
    {[](job& x) { x.how.programs[1][0].cell = 2; },
     [](job& x) { x.how.programs[1][0].kind = action_kind::recompute; },
     [](job& x) { x.how.programs[1][0].micro_batch = 2; }});
}

TEST(job_hash, the_smallest_change_of_a_number_matters) {
  expect_other_hashes({[](job& x) { x.optimizer.momentum = -0.0; },
                       [](job& x) { x.optimizer.momentum = 5e-324; },
                       [](job& x) { x.seed = 2 + (std::uint64_t{1} << 63); }});
}

TEST(job_hash, what_moves_from_one_field_to_the_next_matters) {
  expect_other_hashes({[](job& x) {
                         x.how.programs[0].push_back(x.how.programs[1][0]);
                         x.how.programs[1].erase(x.how.programs[1].begin());
                       },
                       [](job& x) {
                         x.how.cut = {0, 2};
                         x.how.device_of_cell = {4, 0, 1};
                       },
                       [](job& x) {
                         x.how.edges[1].type = std::string("f1");
                         x.how.edges[1].bytes = 5;
                       },
                       [](job& x) {
                         x.how.edges[1].type = std::string("f");
                         x.how.edges[1].bytes = 15;
                       },
                       [](job& x) {
                         x.model = std::string("{");
                         x.faults = std::string("}");
                       }});
}

} // namespace actorpipe::test
