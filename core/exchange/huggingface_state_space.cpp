// SPDX-License-Identifier: Apache-2.0
// Mamba-2 mixers of a configuration: which layers have them, and their shape.
#include "core/exchange/huggingface_shape.h"
#include "core/exchange/json_text.h"

#include <algorithm>
#include <array>

namespace stratoplan::exchange::huggingface {
namespace {

using Json = Fields::Json;

/// The kinds of all layers as letters: M for a mixer, * for attention, - for an FFN and E for experts, each alone
/// (Nemotron-H).
void readPattern(Fields& f, const char* field, const std::string& letters, model::Transformer& m)
{
    const auto countOf = [&](char letter) { return static_cast<int>(std::ranges::count(letters, letter)); };
    const int mixers = countOf('M'), dense = countOf('-'), moe = countOf('E');
    if (static_cast<int>(letters.size()) != m.layers)
        f.fail(field, std::to_string(letters.size()) + " layers",
            "num_hidden_layers of them, " + std::to_string(m.layers));
    else if (mixers + countOf('*') + dense + moe != m.layers)
        f.fail(field, catalog::quoteText(letters), "the letters M, *, - and E");
    else if (mixers == 0)
        f.fail(field, catalog::quoteText(letters), "at least one mixer (M)");
    else if (dense > 0 && moe > 0)
        f.fail(field, catalog::quoteText(letters),
            "FFNs of one kind: dense ones (-) beside experts (E) cannot be represented yet");
    else if (moe > 0 && !m.moe)
        f.fail("num_experts", "nothing", "the experts of the layers E");
    m.mamba2->layers = mixers;
    m.mamba2->ffnLayers = dense + moe;
    if (moe == 0)
        m.moe.reset();
}

/// The letters of a list of kinds some of which are FFNs alone; empty for another.
std::string lettersOf(const std::vector<std::string>& kinds)
{
    std::string letters;
    bool alone = false;
    for (const std::string& kind : kinds) {
        const bool ffn = kind == "mlp" || kind == "moe";
        alone = alone || ffn;
        letters += kind == "mlp" ? '-' : kind == "moe" ? 'E' : otherLayer(kind).empty() ? '*' : 'M';
    }
    return alone ? letters : std::string();
}

/// Which layers have which module.
void readModules(Fields& f, model::Transformer& m)
{
    constexpr const char* kPattern = "hybrid_override_pattern";
    constexpr const char* kKinds = "layers_block_type";
    const Json* const pattern = f.find(kPattern);
    if (pattern && pattern->is_string())
        return readPattern(f, kPattern, pattern->get<std::string>(), m);
    if (const std::string letters = f.has(kKinds) ? lettersOf(f.words(kKinds)) : std::string(); !letters.empty())
        return readPattern(f, kKinds, letters, m);
    const bool listed =
        std::ranges::any_of(std::array{kKinds, "layer_types", "attn_layer_indices", "attn_layer_period"},
            [&](const char* name) { return f.has(name); });
    if (!listed)
        return f.fail(kKinds, "nothing", "the kind of each layer, here or in layer_types or attn_layer_indices");
    m.mamba2->layers = m.layers - static_cast<int>(std::ranges::count(attentionLayers(f, m.layers), true));
}

/// Of a head, whether it is stated, left out or "auto".
int headDim(Fields& f, const model::Transformer& m)
{
    if (const Json* const dim = f.find("mamba_d_head"); dim && dim->is_number())
        return f.number("mamba_d_head");
    constexpr std::int64_t kWidest = 100'000'000;
    const std::int64_t width = std::int64_t{m.hidden} * f.number("mamba_expand", 2, true, 1);
    const int heads = std::max(1, m.mamba2->heads);
    if (width % heads == 0 && width <= kWidest)
        return static_cast<int>(width / heads);
    f.fail("mamba_d_head", "nothing",
        "a head's width: mamba_expand times hidden_size is " + std::to_string(width) + ", of " + std::to_string(heads)
            + " heads");
    return 1;
}

} // namespace

void readStateSpace(Fields& f, ImportedModel& result)
{
    model::Transformer& m = result.model;
    m.mamba2.emplace();
    readModules(f, m);
    if (m.mamba2->layers == 0 || !f.errors().empty()) {
        m.mamba2.reset();
        return;
    }
    model::Mamba2& mamba = *m.mamba2;
    mamba.heads = f.number("mamba_n_heads");
    mamba.headDim = headDim(f, m);
    mamba.stateDim = f.number("mamba_d_state");
    mamba.groups = f.number("mamba_n_groups");
    mamba.kernel = f.number("mamba_d_conv");
    mamba.chunk = f.number("mamba_chunk_size");
    if (f.flag("mamba_proj_bias", false))
        f.fail("mamba_proj_bias", "true", "false: biases of Mamba-2 projections cannot be represented yet");
    if (f.flag("use_bias", false)) // Nemotron-H's name for them
        f.fail("use_bias", "true", "false: biases of Mamba-2 projections cannot be represented yet");
    if (!f.flag("use_conv_bias", true))
        f.fail("use_conv_bias", "false", "true: convolutions without biases cannot be represented yet");
    if (m.multiTokenPredictionDepth > 0)
        f.fail("num_nextn_predict_layers", std::to_string(m.multiTokenPredictionDepth),
            "0: prediction modules beside Mamba-2 layers cannot be represented yet");
}

} // namespace stratoplan::exchange::huggingface
