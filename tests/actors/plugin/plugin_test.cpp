// SPDX-License-Identifier: Apache-2.0
/// A plugin's layers compute, and one that does not fit changes nothing.
#include "actors/plugin.hpp"
#include "compute/device/device.hpp"
#include "compute/layers/plugin.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace actorpipe::test {

namespace {

/// Where the build puts a plugin of this name.
std::string built(const std::string& name) {
  return ACTORPIPE_TEST_PLUGINS "/" + name + ".so";
}

std::string error_of(const std::string& path, layer_registry& into) {
  const auto before = hash(into);
  try {
    load_plugin(path, into);
  } catch (const plugin_error& error) {
    EXPECT_EQ(hash(into), before);
    return error.what();
  }
  return "no error";
}

std::string error_of(const std::string& path) {
  auto registry = layer_registry::with_builtin();
  return error_of(path, registry);
}

bool has_kind(const layer_registry& x, const std::string& name) {
  for (const auto& kind : x.kinds())
    if (kind.name == name)
      return true;
  return false;
}

layer_spec swish_of(std::int64_t width) {
  return {"swish", "swish", {{"width", width}}, {}};
}

} // namespace

TEST(plugin_test, a_layer_of_a_plugin_computes) {
  auto registry = layer_registry::with_builtin();
  load_plugin(built("swish"), registry);
  const auto swish = registry.make(swish_of(2));
  const auto where = make_cpu_device("cpu", 2);
  const auto work = where->make_stream(nullptr);
  layer_context ctx{work->ops()};
  saved_state saved;
  const auto x = tensor::from({1, 2}, std::vector<float>{3, -1});
  const auto beta = tensor::from({2}, std::vector<float>{1, 2});
  const auto y = swish->forward(ctx, {x}, {{beta}, {}}, saved).outputs.at(0);
  work->record().wait();
  EXPECT_FLOAT_EQ(y.data<float>()[0], 3 / (1 + std::exp(-3.0F)));
  EXPECT_FLOAT_EQ(y.data<float>()[1], -1 / (1 + std::exp(2.0F)));
}

TEST(plugin_test, an_error_of_a_plugins_layer_is_caught_by_its_type) {
  auto registry = layer_registry::with_builtin();
  load_plugin(built("swish"), registry);
  EXPECT_THROW(registry.make(swish_of(0)), model_error);
  const auto swish = registry.make(swish_of(2));
  EXPECT_THROW(swish->outputs({{dtype::f32, {4, 3}}}), model_error);
}

TEST(plugin_test, a_layer_outlives_the_registry) {
  std::unique_ptr<layer> swish;
  {
    layer_registry registry;
    load_plugin(built("swish"), registry);
    swish = registry.make(swish_of(2));
  }
  EXPECT_EQ(swish->parameters().at(0).name, "swish.beta");
}

TEST(plugin_test, a_plugin_may_call_what_the_program_does_not) {
  auto registry = layer_registry::with_builtin();
  load_plugin(built("far_reaching"), registry);
  EXPECT_EQ(registry.kinds().size(),
            layer_registry::with_builtin().kinds().size() + 1);
}

TEST(plugin_test, a_relative_path_is_from_the_working_folder) {
  const auto path = std::filesystem::relative(built("swish")).string();
  layer_registry registry;
  load_plugin(path, registry);
  EXPECT_TRUE(has_kind(registry, "swish"));
}

TEST(plugin_test, a_plugin_is_loaded_once_into_a_registry) {
  layer_registry registry;
  load_plugin(built("swish"), registry);
  EXPECT_EQ(error_of(built("swish"), registry),
            "plugin " + built("swish")
              + ": cannot add its layers: there is already a kind 'swish'");
}

TEST(plugin_test, what_is_no_library_is_refused) {
  const temporary_folder folder;
  EXPECT_EQ(error_of("no_such_plugin.so"),
            "plugin no_such_plugin.so: there is no such file");
  EXPECT_EQ(error_of(""), "plugin : there is no such file");
  const auto text = folder.write("text.so", std::string(100, 'x')).string();
  EXPECT_NE(error_of(text).find("cannot be loaded"), std::string::npos);
  EXPECT_NE(error_of(folder.path().string()).find("cannot be loaded"),
            std::string::npos);
}

TEST(plugin_test, a_library_without_the_functions_is_refused) {
  EXPECT_EQ(error_of(built("no_functions")),
            "plugin " + built("no_functions")
              + ": has no function 'actorpipe_plugin_abi': one of its files "
                "must hold ACTORPIPE_PLUGIN(...) of compute/layers/plugin.hpp");
}

TEST(plugin_test, another_version_is_refused_before_it_is_called) {
  EXPECT_EQ(error_of(built("other_version")),
            "plugin " + built("other_version")
              + ": was built for actorpipe 0.0.1, and this program "
                "is " ACTORPIPE_PLUGIN_ABI
                ": build it with this version's headers");
}

TEST(plugin_test, a_symbol_that_the_program_lacks_is_named) {
  const auto error = error_of(built("missing_symbol"));
  EXPECT_NE(error.find("from_a_later_version"), std::string::npos) << error;
  EXPECT_NE(error.find("this program is " ACTORPIPE_PLUGIN_ABI),
            std::string::npos)
    << error;
}

TEST(plugin_test, a_plugin_that_fails_halfway_adds_nothing) {
  EXPECT_EQ(error_of(built("half_done")),
            "plugin " + built("half_done")
              + ": cannot add its layers: there is already a kind 'linear'");
}

TEST(plugin_test, the_version_of_plugins_is_that_of_the_project) {
  EXPECT_STREQ(ACTORPIPE_PLUGIN_ABI, "actorpipe " ACTORPIPE_VERSION);
}

} // namespace actorpipe::test
