// SPDX-License-Identifier: Apache-2.0
/// Single values of a run file: how they are written, described and compared.
#pragma once

#include <toml++/toml.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace actorpipe {

/// Throws `config_error` for a text that could make the parser of TOML call
/// itself too often for a thread's stack: it does for each part of a dotted
/// key, and a key may stand in the value of another. `name` stands for the
/// file.
void require_few_dots(std::string_view text, const std::string& name);

/// Text as a TOML string.
std::string toml_text(std::string_view text);

/// The shortest TOML float that reads back as the same number.
std::string toml_real(double value);

/// A value as a user would recognise it: itself if it is short, else its type.
std::string describe(const toml::node& value);

/// The one of `words` that is nearest to `word` by insertions, deletions and
/// replacements, or empty when none is near.
std::string nearest(std::string_view word,
                    const std::vector<std::string>& words);

} // namespace actorpipe
