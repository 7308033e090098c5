// SPDX-License-Identifier: Apache-2.0
/// The dynamic loader, and what is asked of a library before it is used.
#include "actors/plugin.hpp"

#include "compute/layers/plugin.hpp"

#include <fmt/format.h>

#include <dlfcn.h>

#include <filesystem>
#include <string_view>
#include <utility>

namespace actorpipe {

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& why) {
  throw plugin_error(fmt::format("plugin {}: {}", path, why));
}

/// What the loader says of its last failure.
std::string loader_error() {
  const char* text = dlerror();
  return text == nullptr ? "the loader does not say why" : text;
}

/// Never closed: layers, and exceptions on their way, have their code there.
void* open(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored))
    fail(path, "there is no such file");
  // A name without a slash would be looked for among the system's libraries.
  const auto place = std::filesystem::absolute(path).string();
  if (auto* library = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL))
    return library;
  const auto why = loader_error();
  const bool lacks = why.find("undefined symbol") != std::string::npos;
  fail(path, fmt::format("cannot be loaded: {}{}", why,
                         lacks ? "; this program is " ACTORPIPE_PLUGIN_ABI
                                 ": build the plugin with its headers"
                               : ""));
}

template <class Function>
Function* find(const std::string& path, void* library, const char* name) {
  if (auto* found = dlsym(library, name))
    return reinterpret_cast<Function*>(found);
  fail(path, fmt::format("has no function '{}': one of its files must hold "
                         "ACTORPIPE_PLUGIN(...) of compute/layers/plugin.hpp",
                         name));
}

} // namespace

void load_plugin(const std::string& path, layer_registry& into) {
  auto* library = open(path);
  const std::string_view abi = find<decltype(actorpipe_plugin_abi)>(
    path, library, "actorpipe_plugin_abi")();
  if (abi != ACTORPIPE_PLUGIN_ABI)
    fail(path, fmt::format("was built for {}, and this program is {}: build it "
                           "with this version's headers",
                           abi, ACTORPIPE_PLUGIN_ABI));
  auto* add_layers = find<decltype(actorpipe_register_layers)>(
    path, library, "actorpipe_register_layers");
  auto extended = into;
  try {
    add_layers(extended);
  } catch (const std::exception& error) {
    fail(path, fmt::format("cannot add its layers: {}", error.what()));
  }
  into = std::move(extended);
}

} // namespace actorpipe
