// SPDX-License-Identifier: Apache-2.0
/// Fuzz target: files of tensors.
#include "compute/io/io_error.hpp"
#include "compute/io/safetensors.hpp"
#include "compute/io/safetensors_header.hpp"
#include "tests/fuzz/checks.hpp"
#include "tests/fuzz/target.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <vector>

namespace {

namespace fuzz = actorpipe::fuzz;

// A file in memory that has a path.
class memory_file {
public:
  explicit memory_file(std::string_view content)
    : number_(::memfd_create("input", MFD_CLOEXEC)) {
    fuzz::require(number_ >= 0, "there are files in memory");
    fuzz::require(::write(number_, content.data(), content.size())
                    == static_cast<ssize_t>(content.size()),
                  "a file in memory can be written");
  }
  ~memory_file() { ::close(number_); }
  memory_file(const memory_file&) = delete;
  memory_file& operator=(const memory_file&) = delete;

  std::string path() const {
    return "/proc/self/fd/" + std::to_string(number_);
  }

private:
  int number_;
};

void check_file(std::string_view content) {
  const memory_file file(content);
  fuzz::within_memory(content.size(), [&] {
    try {
      const actorpipe::safetensors_file open(file.path());
      std::size_t read_bytes = 0;
      for (const auto& entry : open.entries()) {
        const auto value = open.read(entry);
        fuzz::require(value.type() == entry.type, "a tensor has its type");
        read_bytes += static_cast<std::size_t>(value.size_bytes());
        fuzz::require(open.find(entry.name) == &entry,
                      "an entry is found by its name");
      }
      fuzz::require(read_bytes < content.size(), "no byte is read twice");
    } catch (const actorpipe::format_error&) {
      // What it promises.
    }
  });
}

bool is_same(const actorpipe::safetensors_header& a,
             const actorpipe::safetensors_header& b) {
  if (a.metadata != b.metadata || a.entries.size() != b.entries.size())
    return false;
  for (std::size_t i = 0; i < a.entries.size(); ++i)
    if (a.entries[i].name != b.entries[i].name
        || a.entries[i].type != b.entries[i].type
        || a.entries[i].begin != b.entries[i].begin)
      return false;
  return true;
}

void check_header(std::string_view text, std::uint64_t data_bytes) {
  try {
    const auto header = actorpipe::parse_safetensors_header(text, data_bytes);
    const auto again = actorpipe::parse_safetensors_header(
      actorpipe::print_safetensors_header(header), data_bytes);
    fuzz::require(is_same(header, again), "a header reads back as printed");
  } catch (const actorpipe::format_error&) {
    // What it promises.
  }
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto content = fuzz::text_of(bytes, size);
  check_file(content);
  // The same with a length that fits: the header ends at the last brace.
  constexpr std::size_t length_bytes = 8;
  const auto brace = content.rfind('}');
  if (brace == content.npos || brace < length_bytes)
    return 0;
  const std::uint64_t header_bytes = brace + 1 - length_bytes;
  check_header(content.substr(length_bytes, header_bytes), size - brace - 1);
  std::string fitting(content);
  std::memcpy(fitting.data(), &header_bytes, length_bytes);
  check_file(fitting);
  return 0;
}
