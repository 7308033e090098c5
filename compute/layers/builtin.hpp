// SPDX-License-Identifier: Apache-2.0
/// The layers and losses of this project, and the values that their specs take.
///
/// Every function throws `model_error` for a spec that is not as described.
/// "default" marks values that may be left out. Names of parameters begin with
/// the name of the spec.
#pragma once

#include "compute/layers/layer.hpp"
#include "compute/layers/loss.hpp"
#include "compute/layers/model_spec.hpp"

#include <memory>

namespace actorpipe {

class layer_registry;

/// "embedding": tokens u8 or i32 [B, T] -> [B, T, C]. Values: vocabulary (V),
/// width (C), positions (the longest T; default 0: no table of positions),
/// deviation (default 0.02), dropout (default 0). Parameters: tokens.weight
/// [V, C], positions.weight [T, C].
std::unique_ptr<layer> make_embedding(const layer_spec& spec);

/// "linear": [B, .., I] -> [B, .., O], y = activation(x W^T + b). Values:
/// inputs (I), outputs (O), activation (none, gelu, relu, tanh; default none),
/// deviation (default: uniform with bound 1/sqrt(I)), tie (default: none; the
/// name of an earlier parameter [O, I] that is used for W), bias (default true,
/// or false when tied). Parameters: weight [O, I], bias [O].
std::unique_ptr<layer> make_linear(const layer_spec& spec);

/// "layer_norm": [B, .., C] -> the same. Values: width (C), epsilon (default
/// 1e-5). Parameters: weight [C], bias [C]. (Ba et al. 2016, arXiv 1607.06450.)
std::unique_ptr<layer> make_layer_norm(const layer_spec& spec);

/// "attention": causal multi-head self-attention, [B, T, C] -> the same.
/// Values: width (C), heads (H; divides C), bias (default true), deviation
/// (default 0.02), output_deviation (default: deviation). Parameters:
/// qkv.weight [3C, C], qkv.bias [3C], output.weight [C, C], output.bias [C].
/// (Vaswani et al. 2017, arXiv 1706.03762.)
std::unique_ptr<layer> make_attention(const layer_spec& spec);

/// "dropout": [B, ..] -> the same. Values: p (the share that is dropped, at
/// least 0 and below 1). (Srivastava et al., JMLR 15, 2014.)
std::unique_ptr<layer> make_dropout(const layer_spec& spec);

/// "gelu", "relu" or "tanh", by the kind of the spec: [B, ..] -> the same.
/// (GELU, in its tanh form: Hendrycks and Gimpel 2016, arXiv 1606.08415.)
std::unique_ptr<layer> make_activation(const layer_spec& spec);

/// "residual": y = x + inner(x), [B, ..] -> the same. Holds at least one layer.
/// Values: scope (default: the layer's name; what the names of the layers
/// inside begin with). (He et al. 2015, arXiv 1512.03385.)
std::unique_ptr<layer> make_residual(const layer_spec& spec,
                                     const layer_registry& registry);

/// "softmax_cross_entropy": logits [B, .., V], targets i32 [B, ..]. Values:
/// ignored (default -1; a target that does not count).
std::unique_ptr<loss_function>
make_softmax_cross_entropy(const layer_spec& spec);

} // namespace actorpipe
