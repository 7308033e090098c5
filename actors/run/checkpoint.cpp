// SPDX-License-Identifier: Apache-2.0
/// Writing and reading a checkpoint.
#include "actors/run/checkpoint.hpp"

#include "actors/run/checkpoint_folder.hpp"
#include "actors/run/checkpoint_manifest.hpp"
#include "compute/io/atomic_file.hpp"
#include "compute/io/io_error.hpp"
#include "compute/io/sha256.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <stdexcept>

namespace actorpipe {

namespace fs = std::filesystem;

namespace {

constexpr auto model_file = "model.safetensors";
constexpr auto optimizer_file = "optimizer.safetensors";
constexpr auto manifest_file = "manifest.json";

void make_folder(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error)
    throw io_error(path.string(), "create", error.value());
}

checkpoint_manifest manifest_of(const checkpoint& what) {
  checkpoint_manifest result;
  result.step = what.step;
  result.updates = what.updates;
  result.seed = what.seed;
  result.data_cursor = what.data_cursor;
  result.optimizer = what.optimizer;
  result.config = what.config;
  for (const auto& each : what.parameters)
    result.parameters.push_back(each.name);
  for (const auto& each : what.states)
    result.states.push_back(each.name);
  if (!what.parameters.empty())
    for (const auto& slot : what.parameters.front().slots)
      result.slots.push_back(slot.name);
  return result;
}

void write_files(const fs::path& aside, const checkpoint& what) {
  std::vector<named_tensor> weights;
  std::vector<named_tensor> moments;
  for (const auto& each : what.parameters) {
    weights.push_back({each.name, each.weight});
    for (const auto& slot : each.slots)
      moments.push_back({moment_name(each.name, slot.name), slot.value});
  }
  weights.insert(weights.end(), what.states.begin(), what.states.end());
  auto manifest = manifest_of(what);
  manifest.files[model_file] = write_safetensors(aside / model_file, weights);
  manifest.files[optimizer_file] =
    write_safetensors(aside / optimizer_file, moments);
  write_file_atomically(aside / manifest_file, print_manifest(manifest));
}

std::string read_text(const fs::path& path) {
  const file_descriptor file(path, file_descriptor::mode::read);
  std::string result(file.size_bytes(), '\0');
  result.resize(file.read(result.data(), result.size(), 0));
  return result;
}

[[noreturn]] void reject(const fs::path& file, const std::string& what) {
  throw checkpoint_error(fmt::format("{} {}", file.string(), what));
}

void require_file(const fs::path& file) {
  if (!fs::is_regular_file(file))
    reject(file, "is missing");
}

checkpoint_manifest load_manifest(const fs::path& path) {
  if (!fs::is_directory(path))
    reject(path, "is not a folder with a checkpoint");
  const auto file = path / manifest_file;
  require_file(file);
  try {
    return parse_manifest(read_text(file));
  } catch (const checkpoint_error& error) {
    reject(file, error.what());
  }
}

void verify(const fs::path& file, const file_digest& expected) {
  require_file(file);
  const file_descriptor in(file, file_descriptor::mode::read);
  const auto size = in.size_bytes();
  if (size != expected.size_bytes)
    reject(file,
           fmt::format("is {}: it has {} bytes, the manifest says {}",
                       size < expected.size_bytes ? "truncated" : "damaged",
                       size, expected.size_bytes));
  sha256 sum;
  std::vector<char> block(std::size_t{1} << 20);
  for (std::uint64_t at = 0; at < size;) {
    const auto got = in.read(block.data(), block.size(), at);
    if (got == 0)
      break;
    sum.add(block.data(), got);
    at += got;
  }
  const auto is = sum.finish();
  if (is != expected.sha256)
    reject(file,
           fmt::format("is damaged: its sha-256 is {}, the manifest says {}",
                       is, expected.sha256));
}

// A file that has been verified, for reading by name.
class verified_file {
public:
  verified_file(const fs::path& folder, const char* name,
                const checkpoint_manifest& manifest)
    : path_(folder / name), file_(open(path_, name, manifest)) {}

  tensor read(const std::string& name) const {
    const auto* entry = file_.find(name);
    if (entry == nullptr)
      reject(path_,
             fmt::format("does not hold {}, which the manifest names", name));
    return file_.read(*entry);
  }

private:
  static safetensors_file open(const fs::path& path, const char* name,
                               const checkpoint_manifest& manifest) {
    const auto digest = manifest.files.find(name);
    if (digest == manifest.files.end())
      reject(path, "is not named by the manifest");
    verify(path, digest->second);
    return safetensors_file(path);
  }

  fs::path path_;
  safetensors_file file_;
};

} // namespace

std::string moment_name(const std::string& parameter, const std::string& slot) {
  return parameter + '/' + slot;
}

fs::path save_checkpoint(const fs::path& folder, const checkpoint& what,
                         std::int64_t keep) {
  make_folder(folder);
  remove_partial_checkpoints(folder);
  const auto path = folder / checkpoint_name(what.step);
  auto aside = path;
  aside += partial_suffix;
  make_folder(aside);
  try {
    write_files(aside, what);
    sync_folder(aside);
    exchange_paths(aside, path);
  } catch (...) {
    // A full disk gets its room back; the error that matters is the first.
    std::error_code ignored;
    fs::remove_all(aside, ignored);
    throw;
  }
  sync_folder(folder);
  remove_partial_checkpoints(folder);
  prune_checkpoints(folder, what.step, keep);
  return path;
}

checkpoint load_checkpoint(const fs::path& path) {
  const auto manifest = load_manifest(path);
  try {
    const verified_file weights(path, model_file, manifest);
    const verified_file moments(path, optimizer_file, manifest);
    checkpoint result;
    result.step = manifest.step;
    result.updates = manifest.updates;
    result.seed = manifest.seed;
    result.data_cursor = manifest.data_cursor;
    result.optimizer = manifest.optimizer;
    result.config = manifest.config;
    for (const auto& name : manifest.parameters) {
      named_value value{name, weights.read(name), {}};
      for (const auto& slot : manifest.slots)
        value.slots.push_back({slot, moments.read(moment_name(name, slot))});
      result.parameters.push_back(std::move(value));
    }
    for (const auto& name : manifest.states)
      result.states.push_back({name, weights.read(name)});
    return result;
  } catch (const format_error& error) {
    throw checkpoint_error(error.what());
  }
}

} // namespace actorpipe
