// SPDX-License-Identifier: Apache-2.0
/// A host application keeps its own types and its own configuration.
#include "messages/configure.hpp"
#include "messages/type_ids.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>
#include <caf/message.hpp>
#include <caf/meta/type_name.hpp>

#include <gtest/gtest.h>

namespace host {

struct greeting {
  int value = 0;
};

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, greeting& x) {
  return f(caf::meta::type_name("greeting"), x.value);
}

} // namespace host

CAF_BEGIN_TYPE_ID_BLOCK(host, caf::first_custom_type_id)
CAF_ADD_TYPE_ID(host, (host::greeting))
CAF_END_TYPE_ID_BLOCK(host)

namespace actorpipe {
namespace {

static_assert(caf::id_block::host::end <= caf::id_block::actorpipe::begin);

TEST(host_types_test, both_kinds_of_messages_go_over_the_wire) {
  caf::actor_system_config config;
  config.add_message_types<caf::id_block::host>();
  configure(config);
  caf::actor_system system{config};
  std::vector<char> bytes;
  ASSERT_FALSE(caf::binary_serializer(system, bytes)(
    caf::make_message(::host::greeting{7}, evaluate_request{8})));
  caf::message back;
  ASSERT_FALSE(caf::binary_deserializer(system, bytes)(back));
  ASSERT_TRUE((back.match_elements<::host::greeting, evaluate_request>()));
  EXPECT_EQ(back.get_as<::host::greeting>(0).value, 7);
  EXPECT_EQ(back.get_as<evaluate_request>(1).micro_batches, 8U);
}

TEST(host_types_test, a_system_says_whether_it_was_configured) {
  caf::actor_system_config plain;
  caf::actor_system without{plain};
  EXPECT_FALSE(is_configured(without));
  caf::actor_system_config config;
  configure(config);
  caf::actor_system with{config};
  EXPECT_TRUE(is_configured(with));
}

} // namespace
} // namespace actorpipe
