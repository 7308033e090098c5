// SPDX-License-Identifier: Apache-2.0
/// What every actor of a pipeline is made from, wherever it runs.
#pragma once

#include "actors/parameter_layout.hpp"
#include "actors/pipeline.hpp"

#include <cstdint>
#include <functional>
#include <memory>

namespace actorpipe {

/// Checked options of a pipeline, ready to be shared by its actors.
struct pipeline_parts {
  std::uint64_t run = 0; ///< never 0
  std::uint64_t seed = 0;
  std::shared_ptr<const model> source;
  std::shared_ptr<const optimizer> rule;
  std::shared_ptr<const plan> how;
  std::shared_ptr<const parameter_layout> layout;
  std::function<std::int64_t()> now_ns;
};

/// Throws `std::invalid_argument` when the options do not fit each other,
/// `plan_error` when the plan is faulty.
pipeline_parts make_parts(const pipeline_options& options);

} // namespace actorpipe
