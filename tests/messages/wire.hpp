// SPDX-License-Identifier: Apache-2.0
/// An actor system that knows the messages, and their bytes.
#pragma once

#include "messages/configure.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>
#include <caf/message.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace actorpipe::test {

using bytes = std::vector<char>;

class wire_test : public ::testing::Test {
protected:
  struct configured : caf::actor_system_config {
    configured() {
      set("scheduler.max-threads", 1);
      configure(*this);
    }
  };

  configured config_;
  caf::actor_system system_{config_};

  template <class T>
  caf::error encode(const T& x, bytes& to) {
    return caf::binary_serializer{system_, to}(x);
  }

  // CAF's serialisers report what fails in a message's own functions alone.
  caf::error encode(const caf::message& x, bytes& to) {
    caf::binary_serializer sink{system_, to};
    return x.save(sink);
  }

  caf::error decode(const bytes& from, caf::message& x) {
    caf::binary_deserializer source{system_, from};
    return x.load(source);
  }

  template <class T>
  caf::error decode(const bytes& from, T& x) {
    return caf::binary_deserializer{system_, from}(x);
  }

  template <class T>
  bytes encoded(const T& x) {
    bytes result;
    EXPECT_FALSE(encode(x, result));
    return result;
  }
};

} // namespace actorpipe::test
