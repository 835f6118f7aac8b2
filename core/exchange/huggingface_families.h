// SPDX-License-Identifier: Apache-2.0
// What the configuration classes of Hugging Face transformers (and of the repositories that bring their own) fix and
// default to, one entry per model_type, and what is refused by name: data that the import reads.
#pragma once

#include "core/model/transformer.h"

#include <span>
#include <string_view>

namespace stratoplan::huggingface {

// Biases as bits.
inline constexpr unsigned kQkvBias = 1;
inline constexpr unsigned kOutBias = 2; ///< of the attention's output
inline constexpr unsigned kMlpBias = 4;
inline constexpr unsigned kHeadBias = 8;
inline constexpr unsigned kAttentionBias = kQkvBias | kOutBias;
inline constexpr unsigned kLayerBias = kAttentionBias | kMlpBias;

// What a Transformer cannot hold, as bits: told with the parameters that it makes.
inline constexpr unsigned kPostNorms = 1; ///< norms after attention and FFN, beside those before them
inline constexpr unsigned kWideQkNorm = 2; ///< norms of queries and keys with a weight for every head
inline constexpr unsigned kBareQkNorm = 4; ///< norms of queries and keys without weights
inline constexpr unsigned kBareNorm = 8; ///< LayerNorms without bias
inline constexpr unsigned kNoNormWeights = 16; ///< LayerNorms without weight and bias
inline constexpr unsigned kPairedNorms = 32; ///< two norms before a parallel block
inline constexpr unsigned kSinks = 64; ///< a learnt attention sink for every head
inline constexpr unsigned kSharedGate = 128; ///< a gate on the shared expert

inline constexpr int kLateLayers =
    -1; ///< Family::window: the layers from max_window_layers on, if use_sliding_window says so

struct Family {
    std::string_view
        types; ///< the model_type, then others of the same class and of models that contain it, blank between them
    std::string_view defaults = "{}"; ///< JSON object: numbers that the configuration class defaults to
    Norm norm = Norm::Rms;
    Position position = Position::Rotary;
    bool gated = true;
    bool tied = false; ///< where tie_word_embeddings is not stated
    bool classic = false; ///< its class has no grouped heads and no head_dim to state
    bool multiQuery = false; ///< one KV head where multi_query is not stated
    bool parallel = false; ///< attention and FFN side by side, where no field says
    bool qkNorm = false; ///< where use_qk_norm is not stated
    bool latent = false; ///< latent attention whatever is stated
    bool routerBias = false; ///< a balancing bias per expert, where use_routing_bias is not stated
    bool embeddingNorm = false;
    bool narrowExperts = true; ///< moe_intermediate_size is the width of an expert; false: intermediate_size is
    int window =
        0; ///< every n-th layer attends fully, the others to sliding_window; 1 = none attends fully, 0 = no window
    int ffnTimes = 0; ///< FFN width over hidden size where it is not stated; 0 = it must be stated
    int sharedExperts = 0; ///< that no field speaks of, of the width of a routed one
    int positionOffset = 0; ///< rows of the position table beyond the positions
    unsigned bias = 0; ///< where no field says
    unsigned attentionBias = kAttentionBias; ///< what attention_bias means
    unsigned generalBias = kLayerBias; ///< what use_bias or bias means
    unsigned leftovers = 0;
    std::string_view denseWidth = "intermediate_size"; ///< the field of the width of a dense FFN
    std::string_view alibiWithout = {}; ///< ALiBi where this field is missing
};

[[nodiscard]] std::span<const Family> families();
/// The family of a model_type, or null.
[[nodiscard]] const Family* familyOf(std::string_view type);

/// Model types, blank between them, that are no decoder-only transformer or one with parts that are not modelled.
struct RefusedTypes {
    std::string_view types;
    std::string_view what; ///< "an encoder", "state-space (Mamba) layers"
};
[[nodiscard]] const RefusedTypes* refusedType(std::string_view type);

/// A field whose presence (not null, false, zero or empty) gives such parts away; "mamba_*" stands for all that begin
/// so.
struct Trait {
    std::string_view field;
    std::string_view what;
};
[[nodiscard]] std::span<const Trait> traits();
/// What a word in a list of layer kinds stands for; empty for attention, which is modelled.
[[nodiscard]] std::string_view otherLayer(std::string_view kind);

/// The other names of a field: "hidden_size" is "n_embd" elsewhere.
struct FieldNames {
    std::string_view name;
    std::string_view others; ///< blank between them
};
[[nodiscard]] std::string_view otherNames(std::string_view field);

/// The first blank-separated word of `list`, which is cut off it. Empty at the end.
[[nodiscard]] constexpr std::string_view nextWord(std::string_view& list)
{
    const std::size_t end = list.find(' ');
    const std::string_view word = list.substr(0, end);
    list.remove_prefix(end == std::string_view::npos ? list.size() : end + 1);
    return word;
}

} // namespace stratoplan::huggingface
