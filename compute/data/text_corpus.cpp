// SPDX-License-Identifier: Apache-2.0
/// Reading files of text and holding a part of them out.
#include "compute/data/text_corpus.hpp"

#include "compute/io/sha256.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <system_error>

namespace actorpipe {

namespace {

namespace fs = std::filesystem;

std::string read_text(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in)
    throw data_error(fmt::format("{}: cannot be opened: {}", file.string(),
                                 std::strerror(errno)));
  std::string result;
  char block[1 << 16];
  while (in.read(block, sizeof block) || in.gcount() > 0)
    result.append(block, static_cast<std::size_t>(in.gcount()));
  if (in.bad())
    throw data_error(fmt::format("{}: cannot be read: {}", file.string(),
                                 std::strerror(errno)));
  return result;
}

// All regular files below a folder; links are what they point at only for the
// folder itself.
std::vector<fs::path> list_files(const fs::path& folder) {
  std::vector<fs::path> result;
  std::error_code error;
  auto at = fs::recursive_directory_iterator(folder, error);
  for (const auto end = fs::recursive_directory_iterator(); !error && at != end;
       at.increment(error))
    if (fs::is_regular_file(at->symlink_status(error)))
      result.push_back(at->path());
  if (error)
    throw data_error(
      fmt::format("{}: cannot be read: {}", folder.string(), error.message()));
  std::sort(result.begin(), result.end());
  return result;
}

std::vector<text_document> read_documents(const std::string& path) {
  std::error_code error;
  const auto status = fs::status(path, error);
  if (!fs::exists(status))
    throw data_error(fmt::format("{}: there is no such file or folder", path));
  if (!fs::is_directory(status) && !fs::is_regular_file(status))
    throw data_error(fmt::format("{}: is neither a file nor a folder", path));
  std::vector<text_document> result;
  if (!fs::is_directory(status)) {
    result.push_back({fs::path(path).filename().string(), read_text(path)});
  } else {
    std::set<std::string> known;
    for (const auto& file : list_files(path)) {
      auto bytes = read_text(file);
      if (!bytes.empty() && known.insert(sha256_hex(bytes)).second)
        result.push_back(
          {file.lexically_relative(path).generic_string(), std::move(bytes)});
    }
  }
  if (result.empty() || result.front().bytes.empty())
    throw data_error(fmt::format("{}: holds no text", path));
  return result;
}

std::string_view file_name(std::string_view name) {
  return name.substr(name.rfind('/') + 1);
}

void hold_out_families(std::vector<text_document> documents,
                       const std::vector<std::string>& families,
                       text_corpus& corpus) {
  std::set<std::string, std::less<>> present;
  for (const auto& document : documents)
    present.emplace(family_of(file_name(document.name)));
  for (const auto& family : families)
    if (!present.contains(family))
      throw data_error(
        fmt::format("{}: no file is of the family {} that is to be held out; "
                    "there are {}",
                    corpus.path, family, fmt::join(present, ", ")));
  for (auto& document : documents) {
    const auto family = family_of(file_name(document.name));
    const bool held =
      std::find(families.begin(), families.end(), family) != families.end();
    (held ? corpus.held_out : corpus.training).push_back(std::move(document));
  }
  if (corpus.training.empty())
    throw data_error(
      fmt::format("{}: nothing is left to train on when {} are held out",
                  corpus.path, fmt::join(families, ", ")));
}

// Indices of the documents to hold out: in the order of their names' hashes,
// those that do not take the part far above the fraction.
std::set<std::size_t> draw_documents(const std::vector<text_document>& all,
                                     double wanted_bytes) {
  std::vector<std::pair<std::string, std::size_t>> order;
  for (std::size_t i = 0; i < all.size(); ++i)
    order.emplace_back(sha256_hex(all[i].name), i);
  std::sort(order.begin(), order.end());
  std::set<std::size_t> result;
  double held_bytes = 0;
  for (const auto& [hash, i] : order) {
    const auto bytes = static_cast<double>(all[i].bytes.size());
    if (held_bytes < wanted_bytes && held_bytes + bytes <= 2 * wanted_bytes
        && result.size() + 1 < all.size()) {
      result.insert(i);
      held_bytes += bytes;
    }
  }
  return result;
}

void hold_out_fraction(std::vector<text_document> documents, double fraction,
                       text_corpus& corpus) {
  double bytes = 0;
  for (const auto& document : documents)
    bytes += static_cast<double>(document.bytes.size());
  const auto drawn = draw_documents(documents, fraction * bytes);
  if (drawn.empty()) {
    auto& largest = *std::max_element(documents.begin(), documents.end(),
                                      [](const auto& a, const auto& b) {
                                        return a.bytes.size() < b.bytes.size();
                                      });
    const auto size = largest.bytes.size();
    const auto tail =
      std::min(size, static_cast<std::size_t>(std::ceil(fraction * bytes)));
    corpus.held_out.push_back(
      {largest.name, largest.bytes.substr(size - tail)});
    largest.bytes.resize(size - tail);
  }
  for (std::size_t i = 0; i < documents.size(); ++i)
    (drawn.contains(i) ? corpus.held_out : corpus.training)
      .push_back(std::move(documents[i]));
}

} // namespace

std::string_view family_of(std::string_view file_name) {
  const auto is_digit = [&](std::size_t at) {
    return at < file_name.size() && file_name[at] >= '0'
        && file_name[at] <= '9';
  };
  for (std::size_t i = 1; i < file_name.size(); ++i)
    if (file_name[i] == '-'
        && (is_digit(i + 1)
            || (is_digit(i + 2)
                && (file_name[i + 1] == 'v' || file_name[i + 1] == 'V'))))
      return file_name.substr(0, i);
  return file_name;
}

text_corpus load_text_corpus(const text_corpus_options& options) {
  text_corpus result;
  result.path = options.path;
  auto documents = read_documents(options.path);
  if (options.held_out_families.empty())
    hold_out_fraction(std::move(documents), options.held_out_fraction, result);
  else
    hold_out_families(std::move(documents), options.held_out_families, result);
  return result;
}

} // namespace actorpipe
