// SPDX-License-Identifier: Apache-2.0
/// One value of every message between the supervisor and the nodes, no field of
/// which has its default value.
#pragma once

#include "messages/type_ids.hpp"

namespace actorpipe::test {

inline standing some_standing() {
  return {1,
          {2, 3, 4},
          standing::state::waiting,
          {5, action_kind::backward, 6},
          7,
          -8,
          {{missing::what::credit, 9, true, 10},
           {missing::what::weights, 11, false, 12}}};
}

inline job some_job() {
  job x;
  x.run = 1;
  x.seed = 0x8000000000000001U;
  x.model = R"({"layers":[],"loss":{"kind":"none"}})";
  x.optimizer = {optimizer_kind::adamw, 0.1, true, 0.2, 0.3, 0.4, 1e-9, 1e-300};
  x.how.cut = {0, 3, 7};
  x.how.device_of_cell = {1, 2};
  x.how.edges = {{edge::feed, 1, 2, true, true, "i32[4]", 16, 3},
                 {1, 2, 3, true, true, "f32[4, 2]", 1LL << 40, 4}};
  x.how.schedule = schedule_kind::one_f_one_b;
  x.how.recompute = recompute_mode::never;
  x.how.micro_batches = 8;
  x.how.micro_batch_samples = 9;
  x.how.programs = {*parse_program("2F0 2R0 2B0"), {}, *parse_program("3U0")};
  x.threads_per_stage = 2;
  x.replicates = false;
  x.faults = "[[rule]]";
  return x;
}

inline node_facts some_facts() {
  return {1, "actorpipe 1", 2, "host", {"cpu:0", "cpu:1"}, "ab", "cd", 4711};
}

inline cluster_view some_view() {
  return {1,
          "trainer",
          2,
          3,
          4,
          {{"a:1", "working", 5, {"cpu:0"}, {0, 2}},
           {"b:1", "lost", -6, {"cpu:0", "cpu:1"}, {1}}}};
}

inline placement_map some_placement() {
  return {{0, 1},
          {1, 0},
          {trainer_process, 0},
          {1, trainer_process},
          {{1, 2, "a", 3}, {4, 5, "b", 65535}}};
}

/// Calls `visit` with a sample of each. None holds an actor.
template <class Visit>
void for_each_cluster_message(Visit visit) {
  visit(join{1, 2, 3, "trainer", 4});
  visit(joined{1, 2, 3, "busy with run 7", some_facts()});
  visit(ping{1, 2, 3, some_view()});
  visit(pong{1, 2, 3, 4, {some_standing(), {}}});
  visit(host{1, 2, 3, some_job(), some_placement(), nullptr});
  visit(hosted{1, 2, 3, "no", {4, 5}, {}, {6, 7}, {}, nullptr});
  visit(open_links{1, 2, 3});
  visit(linked{1, 2, 3, "no"});
  visit(take_inventory{1, 2, 3});
  visit(inventory{1, 2, 3, {{4, 5, true}, {6, -7, false}}});
  visit(trouble{1, 2, 3, 4, "the link to node 1 has broken"});
  visit(replace_process{1, 2});
  visit(leave{1, 2});
  visit(get_status{});
  visit(node_status{some_facts(), 1, 2, 3, {some_standing()}, some_view()});
  visit(connected{1, nullptr, "refused"});
  visit(own_links{1, "no"});
  visit(look_around{});
  visit(get_view{});
  visit(some_view());
}

} // namespace actorpipe::test
