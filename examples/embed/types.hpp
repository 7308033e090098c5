// SPDX-License-Identifier: Apache-2.0
/// The messages of this application, in a type-id block of its own.
#pragma once

#include <caf/meta/type_name.hpp>
#include <caf/type_id.hpp>

#include <cstdint>
#include <string>

namespace embed {

/// main -> trainer: train for so many steps. Answered with `summary`.
struct start {
  std::int64_t steps = 0;
};

/// trainer -> main: how it went.
struct summary {
  double first_loss = 0;
  double last_loss = 0;
  double unseen_loss = 0; ///< on points that no step has trained on
  std::string failure;    ///< empty: none
};

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, start& x) {
  return f(caf::meta::type_name("embed::start"), x.steps);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, summary& x) {
  return f(caf::meta::type_name("embed::summary"), x.first_loss, x.last_loss,
           x.unseen_loss, x.failure);
}

} // namespace embed

// The library's own block starts ACTORPIPE_FIRST_TYPE_ID later, which leaves
// the beginning to the application.
CAF_BEGIN_TYPE_ID_BLOCK(embed, caf::first_custom_type_id)
CAF_ADD_TYPE_ID(embed, (embed::start))
CAF_ADD_TYPE_ID(embed, (embed::summary))
CAF_END_TYPE_ID_BLOCK(embed)
