// SPDX-License-Identifier: Apache-2.0
/// The settings whose values are more than one number or word.
#include "actors/run/config_special.hpp"

#include "actors/run/config_kinds.hpp"
#include "actors/run/config_layers.hpp"

#include <fmt/ranges.h>

#include <optional>

namespace actorpipe {

setting data_path_setting() {
  auto result = text(
    {"data", "path",
     "The text: a file, or a folder that is read with all "
     "folders in it."},
    [](auto& c) -> auto& { return c.data.path; });
  // Families belong to a path: another path starts from its own default.
  result.store = [store = result.store](run_config& config,
                                        const toml::node& node,
                                        const complaint_sink& complain) {
    store(config, node, complain);
    config.data.holdout = default_holdout(config.data.path);
  };
  return result;
}

setting holdout_setting() {
  return list_of(
    {"data", "holdout",
     "Families of files (GPL-2 and GPL-3 are the family GPL) that are not "
     "trained on but evaluated on; [] holds out a fraction instead."},
    "a list of texts", [](auto& c) -> auto& { return c.data.holdout; },
    [](const toml::node& element) {
      auto text = element.value_exact<std::string>();
      return text && text->empty() ? std::nullopt : text;
    },
    [](const std::string& family) { return toml_text(family); });
}

setting balance_setting() {
  const std::vector<choice_name<balance_kind>> names{
    {balance_kind::time, "time"},
    {balance_kind::estimate, "estimate"},
    {balance_kind::size, "size"},
    {balance_kind::variance, "variance"}};
  auto result = choice(
    {"pipeline", "balance",
     "How the layers are cut into stages: by measured time, by the layers' "
     "estimates, by bytes, by the paper's variance of estimates, or as "
     "listed."},
    [](auto& c) -> auto& { return c.pipeline.balance; }, names);
  result.allowed += ", or a list with the number of layers of every stage";
  result.store = [store = result.store, allowed = result.allowed](
                   run_config& config, const toml::node& node,
                   const complaint_sink& complain) {
    const auto* list = node.as_array();
    if (list == nullptr) {
      config.pipeline.sizes.clear();
      store(config, node, [&](const toml::node& place, const std::string&) {
        complain(place, mismatch(allowed, node));
      });
      return;
    }
    std::vector<std::int64_t> sizes;
    for (const auto& element : *list) {
      const auto* x = element.as_integer();
      if (x == nullptr || x->get() < 1) {
        complain(element,
                 "must list an integer of at least 1 for every stage, got "
                   + describe(element));
        return;
      }
      sizes.push_back(x->get());
    }
    config.pipeline.balance = balance_kind::given;
    config.pipeline.sizes = std::move(sizes);
  };
  result.print = [print = result.print](const run_config& config) {
    return config.pipeline.balance == balance_kind::given
           ? fmt::format("[{}]", fmt::join(config.pipeline.sizes, ", "))
           : print(config);
  };
  return result;
}

setting layers_setting() {
  auto result = make_setting(
    {"model", "layers",
     "The layers in order, each { kind = ..., its values ... }, with layers "
     "of its own where it holds some."},
    "a list of layers");
  result.store = [](run_config& config, const toml::node& node,
                    const complaint_sink& complain) {
    config.model.spec.layers = layers_from_toml(node, complain);
  };
  result.print = [](const run_config& config) {
    return layers_to_toml(config.model.spec.layers);
  };
  return result;
}

setting loss_setting() {
  auto result =
    make_setting({"model", "loss", "What follows the last layer."}, "a loss");
  result.store = [](run_config& config, const toml::node& node,
                    const complaint_sink& complain) {
    config.model.spec.loss = layer_from_toml(node, complain);
  };
  result.print = [](const run_config& config) {
    return layer_to_toml(config.model.spec.loss);
  };
  return result;
}

} // namespace actorpipe
