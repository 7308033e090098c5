// SPDX-License-Identifier: Apache-2.0
/// The table of all settings: what a run file may say, in one place.
#pragma once

#include "actors/run/config.hpp"

#include <toml++/toml.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace actorpipe {

/// Takes a complaint about a value: the part of it that is wrong, and what is
/// wrong with it, such as "must be an integer from 1 to 8, got 9".
using complaint_sink =
  std::function<void(const toml::node& place, const std::string& text)>;

/// One setting of a run file.
struct setting {
  std::string_view section;
  std::string_view key;
  std::string_view doc; ///< one sentence
  std::string allowed;  ///< such as "an integer from 1 to 8"
  /// Text, so that an override needs no quotes.
  bool accepts_text = false;
  std::function<void(run_config&, const toml::node&, const complaint_sink&)>
    store;
  /// The value as TOML.
  std::function<std::string(const run_config&)> print;
  /// Whether it means anything in this config; null: always.
  std::function<bool(const run_config&)> applies;

  std::string name() const {
    return std::string(section) + '.' + std::string(key);
  }
};

/// All settings, in the order in which they are stored and printed.
const std::vector<setting>& all_settings();

/// Takes a complaint about what several settings say together; the names of
/// the settings, the one to blame first.
using relation_sink = std::function<void(
  const std::vector<std::string>& settings, const std::string& text)>;

/// What must hold between settings and needs no model.
void check_relations(const run_config& config, const relation_sink& complain);

} // namespace actorpipe
