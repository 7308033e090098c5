// SPDX-License-Identifier: Apache-2.0
/// Which kinds of layers and losses there are, by name.
#pragma once

#include "compute/layers/layer.hpp"
#include "compute/layers/loss.hpp"
#include "compute/layers/model_spec.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace actorpipe {

/// The full name of the `index`-th layer inside the scope `prefix` (empty: of
/// the model): the spec's own name, or its kind and `index`, after the prefix
/// and a dot. Such as "block0.attention".
std::string qualified_name(const std::string& prefix, const layer_spec& spec,
                           std::size_t index);

/// Makes layers from specs. A value that its user owns and passes to whoever
/// builds models; there is no global one.
class layer_registry {
public:
  using layer_factory = std::function<std::unique_ptr<layer>(
    const layer_spec&, const layer_registry&)>;
  using loss_factory =
    std::function<std::unique_ptr<loss_function>(const layer_spec&)>;

  /// With the layers and losses of this project.
  static layer_registry with_builtin();

  /// Adds a kind. `version` is the user's own count of what the kind computes:
  /// processes whose versions differ do not work together. Throws
  /// `std::invalid_argument` when there is one already.
  void add(std::string kind, layer_factory make, std::uint32_t version = 1);
  void add_loss(std::string kind, loss_factory make, std::uint32_t version = 1);

  /// `spec.name` is the full name, which names of parameters begin with. Throws
  /// `model_error`, naming the kinds there are.
  std::unique_ptr<layer> make(const layer_spec& spec) const;
  std::unique_ptr<loss_function> make_loss(const layer_spec& spec) const;

  /// A kind and the version that it was added with.
  struct kind_entry {
    std::string name;
    std::uint32_t version = 1;

    friend bool operator==(const kind_entry&, const kind_entry&) = default;
  };

  /// Sorted by name.
  std::vector<kind_entry> kinds() const;
  std::vector<kind_entry> loss_kinds() const;

private:
  template <class Factory>
  struct known {
    Factory make;
    std::uint32_t version;
  };

  std::map<std::string, known<layer_factory>> layers_;
  std::map<std::string, known<loss_factory>> losses_;
};

/// SHA-256, in hexadecimal, of the names and versions of all kinds: two
/// registries with one hash build the same specs.
std::string hash(const layer_registry& x);

} // namespace actorpipe
