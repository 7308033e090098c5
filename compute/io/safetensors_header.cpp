// SPDX-License-Identifier: Apache-2.0
/// The header of a safetensors file, from and to its JSON.
#include "compute/io/safetensors_header.hpp"

#include "compute/io/io_error.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <set>
#include <stdexcept>

namespace actorpipe {

namespace {

using json = nlohmann::json;

constexpr auto metadata_key = "__metadata__";

struct dtype_name {
  dtype type;
  std::string_view name;
};

constexpr dtype_name dtype_names[] = {{dtype::f32, "F32"},
                                      {dtype::f64, "F64"},
                                      {dtype::i32, "I32"},
                                      {dtype::u8, "U8"}};

std::string_view name_of(dtype type) {
  for (const auto& [known, name] : dtype_names)
    if (known == type)
      return name;
  throw std::logic_error("an element type without a name");
}

[[noreturn]] void reject(const std::string& name, const std::string& what) {
  throw format_error(fmt::format("tensor \"{}\": {}", name, what));
}

// The JSON with its depth bounded and no name twice: a parser of its own kind
// would let the last of two win.
json parse_strictly(std::string_view text) {
  std::set<std::string> names;
  const auto check = [&](int depth, json::parse_event_t event, json& value) {
    constexpr int deepest = 3; // name -> entry -> list -> number
    if (depth > deepest)
      throw format_error("the header is nested too deeply");
    if (event == json::parse_event_t::key && depth == 1
        && !names.insert(value.get<std::string>()).second)
      reject(value.get<std::string>(), "stands twice in the header");
    return true;
  };
  try {
    return json::parse(text, check);
  } catch (const json::exception& error) {
    throw format_error(fmt::format("the header is not JSON: {}", error.what()));
  }
}

// A list of non-negative integers.
std::vector<std::uint64_t> integers(const std::string& name, const json& entry,
                                    const char* key) {
  const auto found = entry.find(key);
  if (found == entry.end() || !found->is_array())
    reject(name, fmt::format("has no list \"{}\"", key));
  std::vector<std::uint64_t> result;
  for (const auto& element : *found) {
    if (!element.is_number_unsigned())
      reject(name, fmt::format("\"{}\" holds {}, which is no offset or extent",
                               key, element.dump()));
    result.push_back(element.get<std::uint64_t>());
  }
  return result;
}

dtype element_type(const std::string& name, const json& entry) {
  const auto found = entry.find("dtype");
  if (found == entry.end() || !found->is_string())
    reject(name, "has no \"dtype\"");
  for (const auto& [type, known] : dtype_names)
    if (found->get_ref<const std::string&>() == known)
      return type;
  reject(name, fmt::format("has elements of type {}; those that can be read "
                           "are F32, F64, I32 and U8",
                           found->get_ref<const std::string&>()));
}

// The elements of a shape; none when these are more than a `shape` can have.
// Those of a shape without elements may not overflow either, since its extents
// are multiplied.
std::optional<std::uint64_t>
elements_of(const std::vector<std::uint64_t>& extents) {
  constexpr auto most = static_cast<std::uint64_t>(shape::max_elements);
  bool is_empty = false;
  std::uint64_t elements = 1;
  for (const auto extent : extents) {
    is_empty = is_empty || extent == 0;
    if (extent > most / elements)
      return std::nullopt;
    elements *= std::max<std::uint64_t>(extent, 1);
  }
  return is_empty ? 0 : elements;
}

safetensors_file::entry parse_entry(const std::string& name, const json& value,
                                    std::uint64_t data_bytes) {
  if (!value.is_object())
    reject(name, "is not described by an object");
  const auto type = element_type(name, value);
  const auto extents = integers(name, value, "shape");
  const auto offsets = integers(name, value, "data_offsets");
  if (extents.size() > shape::max_rank)
    reject(name, fmt::format("has {} dimensions; at most {} can be read",
                             extents.size(), shape::max_rank));
  if (offsets.size() != 2 || offsets[0] > offsets[1] || offsets[1] > data_bytes)
    reject(name, fmt::format("its offsets {} do not lie within the {} bytes "
                             "of the tensors",
                             value["data_offsets"].dump(), data_bytes));
  const auto elements = elements_of(extents);
  if (!elements || *elements * size_bytes(type) != offsets[1] - offsets[0])
    reject(name, fmt::format("its shape {} of {} does not fill its offsets {}",
                             value["shape"].dump(), name_of(type),
                             value["data_offsets"].dump()));
  const std::vector<std::int64_t> signed_extents(extents.begin(),
                                                 extents.end());
  return {name, {type, shape(signed_extents)}, offsets[0]};
}

safetensors_metadata parse_metadata(const json& value) {
  safetensors_metadata result;
  if (!value.is_object())
    throw format_error("__metadata__ is not an object");
  for (const auto& [key, text] : value.items()) {
    if (!text.is_string())
      throw format_error(fmt::format("__metadata__: \"{}\" is not text", key));
    result.emplace(key, text.get<std::string>());
  }
  return result;
}

void check_without_gap(const std::vector<safetensors_file::entry>& entries,
                       std::uint64_t data_bytes) {
  std::uint64_t end = 0;
  for (const auto& entry : entries) {
    if (entry.begin != end)
      reject(entry.name,
             fmt::format("begins at {}, but the one before it ends at {}",
                         entry.begin, end));
    end += static_cast<std::uint64_t>(entry.type.size_bytes());
  }
  if (end != data_bytes)
    throw format_error(fmt::format(
      "the tensors end at {}, but there are {} bytes", end, data_bytes));
}

} // namespace

std::string print_safetensors_header(const safetensors_header& header) {
  auto root = nlohmann::ordered_json::object();
  if (!header.metadata.empty())
    root[metadata_key] = header.metadata;
  std::set<std::string> names{metadata_key};
  for (const auto& [name, type, begin] : header.entries) {
    if (!names.insert(name).second)
      throw std::invalid_argument(
        fmt::format("tensor \"{}\": the name is taken", name));
    const auto extents = type.extents.extents();
    root[name] = {
      {"dtype", name_of(type.type)},
      {"shape", std::vector<std::int64_t>(extents.begin(), extents.end())},
      {"data_offsets",
       {begin, begin + static_cast<std::uint64_t>(type.size_bytes())}}};
  }
  std::string result;
  try {
    result = root.dump();
  } catch (const json::exception&) {
    throw std::invalid_argument("a name or the metadata is not UTF-8");
  }
  result.resize((result.size() + 7) / 8 * 8, ' ');
  return result;
}

safetensors_header parse_safetensors_header(std::string_view text,
                                            std::uint64_t data_bytes) {
  const auto root = parse_strictly(text);
  if (!root.is_object())
    throw format_error("the header is not an object");
  safetensors_header result;
  for (const auto& [name, value] : root.items())
    if (name == metadata_key)
      result.metadata = parse_metadata(value);
    else
      result.entries.push_back(parse_entry(name, value, data_bytes));
  // Tensors without elements share their offset with the one behind them.
  std::sort(result.entries.begin(), result.entries.end(),
            [](const auto& a, const auto& b) {
              return std::pair(a.begin, a.type.size_bytes())
                   < std::pair(b.begin, b.type.size_bytes());
            });
  check_without_gap(result.entries, data_bytes);
  return result;
}

} // namespace actorpipe
