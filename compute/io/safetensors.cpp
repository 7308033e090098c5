// SPDX-License-Identifier: Apache-2.0
/// Files of named tensors in the safetensors format.
#include "compute/io/safetensors.hpp"

#include "compute/io/atomic_file.hpp"
#include "compute/io/io_error.hpp"
#include "compute/io/safetensors_header.hpp"
#include "compute/io/sha256.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

namespace actorpipe {

// Tensors and the header's length are written as they lie in memory.
static_assert(std::endian::native == std::endian::little);

namespace {

constexpr std::size_t length_bytes = 8;

// As the format's own reader has it.
constexpr std::uint64_t largest_header_bytes = 100'000'000;

std::string read_header(const file_descriptor& file, std::uint64_t file_bytes) {
  std::uint64_t length = 0;
  if (file.read(&length, length_bytes, 0) < length_bytes)
    throw format_error(fmt::format("{}: truncated: {} bytes are no header",
                                   file.path().string(), file_bytes));
  if (length > file_bytes - length_bytes)
    throw format_error(
      fmt::format("{}: truncated: the header says that it has {} bytes, but "
                  "{} are left",
                  file.path().string(), length, file_bytes - length_bytes));
  if (length > largest_header_bytes)
    throw format_error(
      fmt::format("{}: the header has {} bytes; at most {} are read",
                  file.path().string(), length, largest_header_bytes));
  std::string text(length, '\0');
  text.resize(file.read(text.data(), text.size(), length_bytes));
  return text;
}

} // namespace

file_digest write_safetensors(const std::filesystem::path& path,
                              const std::vector<named_tensor>& tensors,
                              const safetensors_metadata& metadata) {
  std::vector<const named_tensor*> order;
  for (const auto& each : tensors)
    order.push_back(&each);
  std::stable_sort(
    order.begin(), order.end(), [](const auto* a, const auto* b) {
      return size_bytes(a->value.element()) > size_bytes(b->value.element());
    });
  safetensors_header header{{}, metadata};
  std::uint64_t end = 0;
  for (const auto* each : order) {
    header.entries.push_back({each->name, each->value.type(), end});
    end += static_cast<std::uint64_t>(each->value.size_bytes());
  }
  const auto text = print_safetensors_header(header);
  const std::uint64_t length = text.size();

  atomic_file out(path);
  sha256 sum;
  const auto put = [&](const void* bytes, std::size_t size) {
    out.write(bytes, size);
    sum.add(bytes, size);
  };
  put(&length, length_bytes);
  put(text.data(), text.size());
  for (const auto* each : order)
    put(each->value.bytes(),
        static_cast<std::size_t>(each->value.size_bytes()));
  out.commit();
  return {length_bytes + length + end, sum.finish()};
}

safetensors_file::safetensors_file(const std::filesystem::path& path)
  : file_(path, file_descriptor::mode::read) {
  const auto file_bytes = file_.size_bytes();
  const auto text = read_header(file_, file_bytes);
  const auto data_begin = length_bytes + text.size();
  try {
    auto header = parse_safetensors_header(text, file_bytes - data_begin);
    entries_ = std::move(header.entries);
    metadata_ = std::move(header.metadata);
  } catch (const format_error& error) {
    throw format_error(fmt::format("{}: {}", path.string(), error.what()));
  }
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    entries_[i].begin += data_begin;
    positions_.emplace(entries_[i].name, i);
  }
}

const safetensors_file::entry*
safetensors_file::find(std::string_view name) const noexcept {
  const auto found = positions_.find(name);
  return found == positions_.end() ? nullptr : &entries_[found->second];
}

tensor safetensors_file::read(const entry& what) const {
  auto result = tensor::zeros(what.type);
  const auto size = static_cast<std::size_t>(what.type.size_bytes());
  if (file_.read(result.bytes(), size, what.begin) < size)
    throw format_error(fmt::format("{}: truncated within tensor \"{}\"",
                                   file_.path().string(), what.name));
  return result;
}

} // namespace actorpipe
