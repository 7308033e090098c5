// SPDX-License-Identifier: Apache-2.0
/// One value of every message, no field of which has its default value.
#pragma once

#include "messages/type_ids.hpp"

namespace actorpipe::test {

inline const work_id some_id{0x8000000000000001U, 3, 0xfffffffffU};

/// Calls `visit` with a sample of each message that may leave its process.
/// `introduction` is left out: it holds actors.
template <class Visit>
void for_each_message(Visit visit) {
  const std::vector<action_record> executed{
    {{1, action_kind::forward, 2}, 3, 4, -5},
    {{6, action_kind::update, 7}, 8, 9, 10}};
  visit(begin_step{some_id,
                   run_mode::evaluate,
                   -1,
                   1LL << 40,
                   0.1,
                   {{0, 4}, {4, 7}},
                   *parse_program("2F0 2R0 2B0 2I1 2W1 2U0"),
                   3});
  visit(begun{some_id, 1});
  visit(inquire{some_id});
  visit(edge_data{some_id, 1, 2, true});
  visit(credit{some_id, 1, 2, true});
  visit(accumulated{some_id, 1, 2, 13});
  visit(finished{some_id, 1, executed, {0.5, -1e300}});
  visit(prepared{some_id, 1, {1, 2.5, 1e-300}});
  visit(apply_update{some_id, 7, 1e-3, 0.25});
  visit(weights{1, 2, 3, 4, 5, 6});
  visit(applied{some_id, 1});
  visit(committed{some_id});
  visit(failed{some_id, error_code::not_finite, "what \0 why"});
  visit(abandon{1, 2, 3, 4});
  visit(abandoned{1, 2, "stage 2"});
  visit(run_next{});
  visit(repeat_unanswered{});
  visit(train_request{1, 2, 3});
  visit(evaluate_request{4});
  visit(step_outcome{true,
                     {1, 2, 3, 4, 5, 6, 7, {executed, {}, executed}},
                     {error_code::busy, "text", 8}});
  visit(get_values{});
  visit(set_values{});
  visit(shard{some_id, shard_purpose::restore, 1, 2});
  visit(get_shard{some_id});
  visit(installed{some_id, 1});
  visit(replicated{some_id, 1, 2});
  visit(fetch{some_id, 1, 2});
  visit(halt{1, 2, "why"});
  visit(halted{1, 2, 3, 4});
  visit(resume{1, 2, 3});
  visit(resumed{1, 2});
  visit(give_up{1, "why"});
}

} // namespace actorpipe::test
