// SPDX-License-Identifier: Apache-2.0
/// Checkpoints: everything that a run needs to go on, in a folder of its own.
///
///     checkpoints/step-00000020/
///       model.safetensors      parameters by name, states as <layer>/<state>
///       optimizer.safetensors  moments, as <parameter>/<slot>
///       manifest.json          the rest, and the size and sum of both files
///
/// Nothing in it depends on how the model was cut.
#pragma once

#include "compute/io/safetensors.hpp"
#include "compute/tensor/tensor.hpp"

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace actorpipe {

/// A parameter with its moments.
struct named_value {
  std::string name;
  tensor weight;
  std::vector<named_tensor> slots; ///< named as `optimizer::slots()`, in order
};

struct checkpoint {
  std::int64_t step = 0;    ///< steps done; the next one's number
  std::int64_t updates = 0; ///< that the optimiser has made
  std::uint64_t seed = 0;
  std::int64_t data_cursor = 0;        ///< the next mini-batch to ask for
  std::string optimizer;               ///< its kind, such as "adamw"
  std::string config;                  ///< the run file, as `to_toml` prints it
  std::vector<named_value> parameters; ///< in model order
  std::vector<named_tensor> states;    ///< in model order
};

/// A checkpoint that cannot be used. The message names the folder or file and
/// says what is wrong with it.
class checkpoint_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// What a parameter's moment is called among all tensors of a checkpoint.
std::string moment_name(const std::string& parameter, const std::string& slot);

/// "step-00000020"
std::string checkpoint_name(std::int64_t step);

/// Writes `what` into a folder aside and renames it to
/// `folder/step-<number>`, replacing what is there: at every instant it is
/// whole or absent. Then removes all but the `keep` newest up to this step, and
/// what a killed run left half-written. Tensors are in host memory, done; they
/// are not copied. Returns the path. Throws `io_error`. Requires keep >= 1.
std::filesystem::path save_checkpoint(const std::filesystem::path& folder,
                                      const checkpoint& what,
                                      std::int64_t keep);

/// Reads one, having checked every size and sum. Throws `checkpoint_error` when
/// a file is missing, truncated or damaged, or the format is newer than this
/// program, and `io_error`.
checkpoint load_checkpoint(const std::filesystem::path& path);

} // namespace actorpipe
