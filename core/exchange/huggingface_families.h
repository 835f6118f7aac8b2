// SPDX-License-Identifier: Apache-2.0
// What the configuration classes of Hugging Face transformers (and of the repositories that bring their own) fix and
// default to, one entry per model_type, and what is refused by name: data of the catalogue that the import reads.
#pragma once

#include "core/catalog/catalog_json.h"

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stratoplan::exchange::huggingface {

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
inline constexpr unsigned kOutputGate = 256; ///< a gate on the attention's output, as wide as that

struct Family {
    std::vector<std::string> types; ///< the model_type, then others of the same class and of models that contain it
    std::map<std::string, int> defaults; ///< numbers that the configuration class defaults to
    model::Norm norm = model::Norm::Rms;
    model::Position position = model::Position::Rotary;
    bool gated = true;
    bool tied = false; ///< where tie_word_embeddings is not stated
    bool classic = false; ///< its class has no grouped heads and no head_dim to state
    bool multiQuery = false; ///< one KV head where multi_query is not stated
    bool parallel = false; ///< attention and FFN side by side, where no field says
    bool qkNorm = false; ///< where use_qk_norm is not stated
    bool latent = false; ///< latent attention whatever is stated
    bool sparse = false; ///< DeepSeek sparse attention whatever is stated
    bool stateSpace = false; ///< Mamba-2 (arXiv 2405.21060) in the layers that do not attend
    bool routerBias = false; ///< a balancing bias per expert, where use_routing_bias is not stated
    bool embeddingNorm = false;
    bool narrowExperts = true; ///< moe_intermediate_size is the width of an expert; false: intermediate_size is
    int window =
        0; ///< every n-th layer attends fully, the others to sliding_window; 1 = none attends fully, 0 = no window
    bool lateWindow = false; ///< the layers from max_window_layers on, if use_sliding_window says so
    int ffnTimes = 0; ///< FFN width over hidden size where it is not stated; 0 = it must be stated
    int sharedExperts = 0; ///< that no field speaks of, of the width of a routed one
    int positionOffset = 0; ///< rows of the position table beyond the positions
    unsigned bias = 0; ///< where no field says
    unsigned attentionBias = kAttentionBias; ///< what attention_bias means
    unsigned generalBias = kLayerBias; ///< what use_bias or bias means
    unsigned leftovers = 0;
    std::string denseWidth = "intermediate_size"; ///< the field of the width of a dense FFN
    std::string alibiWithout = {}; ///< ALiBi where this field is missing
};

/// Mixers that are not modelled, whose computation published formulas say.
enum class Mixer {
    GatedDelta, ///< Gated DeltaNet (arXiv 2412.06464)
    KimiDelta, ///< Kimi Delta Attention (arXiv 2510.26692)
    Lightning, ///< lightning attention (arXiv 2401.04658)
    Mamba1, ///< arXiv 2312.00752
    ShortConvolution, ///< gated, of LFM2
};

/// A family some of whose layers have such a mixer.
struct StandInFamily {
    Family family;
    Mixer mixer = Mixer::GatedDelta;
    std::string what; ///< as what it is refused
};

/// Model types that are no decoder-only transformer or one with parts that are not modelled.
struct RefusedTypes {
    std::vector<std::string> types;
    std::string what; ///< "an encoder", "state-space (Mamba) layers"
};

/// A field whose presence (not null, false, zero or empty) gives such parts away; "mamba_*" stands for all that begin
/// so. Or a word in the name of a kind of layer.
struct Trait {
    std::string field;
    std::string what;
};

/// The other names of a field: "hidden_size" is "n_embd" elsewhere.
struct FieldNames {
    std::string name;
    std::vector<std::string> others;
};

/// resources/catalog/huggingface_families.json.
struct FamilyCatalog {
    std::vector<Family> families;
    std::vector<StandInFamily> standIns; ///< taken on request only
    std::vector<RefusedTypes> refusedTypes;
    std::vector<Trait> refusedFields; ///< in the order in which they are told
    std::vector<std::string> attentionLayers; ///< kinds of layers that are modelled
    std::vector<Trait> refusedLayers;
    std::vector<FieldNames> fieldNames;
};
/// The error says where in the file something is wrong: "huggingface_families.json#/entries/3/norm".
[[nodiscard]] catalog::CatalogResult<FamilyCatalog> parseFamilies(const catalog::EmbeddedFile& file);
[[nodiscard]] const FamilyCatalog& shippedFamilies();

/// The family of a model_type, or null.
[[nodiscard]] const Family* familyOf(std::string_view type);
/// That of a model_type for whose layers others can stand in, or null.
[[nodiscard]] const StandInFamily* standInFamilyOf(std::string_view type);
/// Those of a model_type that is refused by name, or null.
[[nodiscard]] const RefusedTypes* refusedType(std::string_view type);
/// What a word in a list of layer kinds stands for; empty for attention, which is modelled.
[[nodiscard]] std::string_view otherLayer(std::string_view kind);
[[nodiscard]] std::span<const std::string> otherNames(std::string_view field);

} // namespace stratoplan::exchange::huggingface
