// SPDX-License-Identifier: Apache-2.0
/// `inspect` goes through every field of everything that is sent.
#include "messages/type_ids.hpp"
#include "tests/messages/field_count.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace actorpipe::test {
namespace {

using block = caf::id_block::actorpipe;

template <class T>
void expect_all(const char* name) {
  EXPECT_EQ(inspected_fields<T>(), field_count<T>()) << name;
}

template <std::size_t... Is>
void expect_all_of_block(std::index_sequence<Is...>) {
  (expect_all<typename caf::type_by_id<block::begin + Is>::type>(
     caf::type_name_by_id<block::begin + Is>::value),
   ...);
}

TEST(all_fields_test, of_every_message_are_inspected) {
  expect_all_of_block(std::make_index_sequence<block::end - block::begin>());
}

TEST(all_fields_test, of_what_messages_are_made_of_are_inspected) {
  expect_all<action>("action");
  expect_all<action_record>("action_record");
  expect_all<edge>("edge");
  expect_all<held_shard>("held_shard");
  expect_all<job>("job");
  expect_all<link_address>("link_address");
  expect_all<missing>("missing");
  expect_all<node_facts>("node_facts");
  expect_all<node_view>("node_view");
  expect_all<optimizer_options>("optimizer_options");
  expect_all<placement_map>("placement_map");
  expect_all<plan>("plan");
  expect_all<sample_range>("sample_range");
  expect_all<standing>("standing");
  expect_all<step_failure>("step_failure");
  expect_all<step_report>("step_report");
  expect_all<work_id>("work_id");
}

struct three_fields {
  int a;
  std::string b;
  std::vector<work_id> c;
};

// Leaves `b` out, and tells `c` twice.
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, three_fields& x) {
  return f(caf::meta::type_name("three_fields"), x.a, x.c, x.c);
}

TEST(all_fields_test, a_field_that_is_left_out_is_seen) {
  EXPECT_EQ(field_count<three_fields>(), 3U);
  EXPECT_EQ(inspected_fields<three_fields>(), 2U);
  EXPECT_EQ(field_count<run_next>(), 0U);
}

} // namespace
} // namespace actorpipe::test
