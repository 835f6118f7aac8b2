// SPDX-License-Identifier: Apache-2.0
// What mixers that are not modelled are made of and compute, by the formulas of their papers and the shapes of their
// published code, and the window whose attention computes as much.
#include "core/catalog/quote.h"
#include "core/exchange/huggingface_shape.h"
#include "core/exchange/json_text.h"
#include "core/units/reading.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stratoplan::exchange::huggingface {
namespace {

using Json = Fields::Json;

constexpr int kUsualSequence = 4096; // of a starting plan, at which the window is chosen

/// Of one layer: parameters, and forward FLOPs per token.
struct MixerCost {
    const char* kind = "";
    double projections = 0; ///< elements of matrices that multiply every token
    double others = 0; ///< parameters of convolutions, decays and norms
    double core = 0; ///< FLOPs per token beside the projections
};

/// The delta rule in chunks of 64 tokens (arXiv 2406.06484, section 3.2): for a head and a chunk the products K K',
/// W = T K, U = T V, W S, Q K', (Q K') U, Q S and K' U, and the inverse T.
double deltaRule(double key, double value)
{
    constexpr double kChunk = 64;
    return kChunk * (6 * key + 4 * value) + 6 * key * value + 2.0 / 3 * kChunk * kChunk;
}

MixerCost gatedDelta(Fields& f, double h)
{
    const double keyHeads = f.number("linear_num_key_heads"), valueHeads = f.number("linear_num_value_heads");
    const double key = f.number("linear_key_head_dim"), value = f.number("linear_value_head_dim");
    const double convolved = 2 * keyHeads * key + valueHeads * value;
    const double kernel = f.number("linear_conv_kernel_dim");
    return {"Gated DeltaNet", h * (convolved + valueHeads * value + 2 * valueHeads) + valueHeads * value * h,
        convolved * kernel + 2 * valueHeads + value, 2 * convolved * kernel + valueHeads * deltaRule(key, value)};
}

/// A number of the object with the shape of the linear layers.
double numberIn(Fields& f, const char* object, const char* name)
{
    const Json* const inner = f.find(object);
    const auto it = inner && inner->is_object() ? inner->find(name) : Json::const_iterator();
    if (!inner || !inner->is_object() || it == inner->end() || !it->is_number_integer() || it->get<double>() < 1
        || it->get<double>() > 1e6) {
        f.fail(object, "nothing", std::string("an object with a whole number ") + name);
        return 1;
    }
    return it->get<double>();
}

/// Decays by the channel, from a projection of low rank, and a gate of the output from another.
MixerCost kimiDelta(Fields& f, double h)
{
    const double heads = numberIn(f, "linear_attn_config", "num_heads");
    const double dim = numberIn(f, "linear_attn_config", "head_dim");
    const double kernel = numberIn(f, "linear_attn_config", "short_conv_kernel_size");
    const double width = heads * dim;
    return {"Kimi Delta Attention", 4 * h * width + 2 * (h * dim + dim * width) + h * heads,
        3 * width * kernel + heads + width + dim, 2 * 3 * width * kernel + heads * deltaRule(dim, dim)};
}

/// Blocks of 256 tokens: inside them scores and values, between them the state (arXiv 2401.04658, algorithm 1).
MixerCost lightning(const model::Transformer& m)
{
    constexpr double kBlock = 256;
    const double width = double(m.heads) * m.headDim;
    return {"lightning attention", 5 * m.hidden * width, width, width * (4 * kBlock + 4 * m.headDim)};
}

/// A field that may say "auto".
double numberOr(Fields& f, const char* name, double automatic)
{
    const Json* const value = f.find(name);
    return value && value->is_number() ? f.number(name) : automatic;
}

/// The selective scan takes 9 operations for each channel and state (arXiv 2312.00752, algorithm 2).
MixerCost mamba1(Fields& f, double h)
{
    const double inner = h * f.number("mamba_expand"), state = f.number("mamba_d_state");
    const double rank = numberOr(f, "mamba_dt_rank", std::ceil(h / 16)), kernel = f.number("mamba_d_conv");
    return {"Mamba", h * 2 * inner + inner * (rank + 2 * state) + rank * inner + inner * h,
        inner * (kernel + 1) + inner + inner * state + inner + rank + 2 * state,
        2 * inner * kernel + 9 * inner * state};
}

MixerCost shortConvolution(Fields& f, double h)
{
    const double kernel = f.number("conv_L_cache");
    return {"gated short convolutions", 4 * h * h, h * kernel, 2 * h * kernel};
}

MixerCost costOf(Fields& f, Mixer mixer, const model::Transformer& m)
{
    switch (mixer) {
    case Mixer::GatedDelta:
        return gatedDelta(f, m.hidden);
    case Mixer::KimiDelta:
        return kimiDelta(f, m.hidden);
    case Mixer::Lightning:
        return lightning(m);
    case Mixer::Mamba1:
        return mamba1(f, m.hidden);
    case Mixer::ShortConvolution:
        break;
    }
    return shortConvolution(f, m.hidden);
}

/// No layer, of what should be a list at this key.
std::vector<bool> noList(Fields& f, const char* key, const Json& found, int layers)
{
    f.fail(key, catalog::quoteJson(found), "a list");
    return std::vector<bool>(std::size_t(layers), false);
}

/// The layers whose numbers a list at this key has, from `first` on.
std::vector<bool> listed(Fields& f, const char* key, const Json& list, int first, int layers)
{
    std::vector<bool> full(std::size_t(layers), false);
    for (const Json& number : list)
        if (number.is_number_integer() && number.get<double>() >= first && number.get<double>() < layers + first)
            full[number.get<std::size_t>() - std::size_t(first)] = true;
        else
            f.fail(key, catalog::quoteJson(number), reading::wholeNumber(first, first + layers - 1));
    return full;
}

/// MiniMax: 1 is attention.
std::vector<bool> typed(Fields& f, const Json& types, int layers)
{
    std::vector<bool> full(std::size_t(layers), false);
    if (types.size() != full.size())
        f.fail("attn_type_list", reading::listOf(std::int64_t(types.size())), reading::listOf(layers));
    for (std::size_t i = 0; i < std::min(types.size(), full.size()); ++i) {
        if (types[i] != 0 && types[i] != 1)
            f.fail("attn_type_list", catalog::quoteJson(types[i]), "0 or 1 for each layer");
        full[i] = types[i] == 1;
    }
    return full;
}

/// The window of so much computation per token, projections included, at the usual sequence.
int windowOf(double flopsPerToken, const model::Transformer& m, int length)
{
    const double keys =
        (flopsPerToken - 2.0 * double(attentionMatrices(m))) / (2 * attentionCoreWidth(m)); // that a query sees
    if (keys >= length / 2.0)
        return length;
    return std::max(1, int(std::lround(length * (1 - std::sqrt(1 - 2 * std::max(0.0, keys) / length)))));
}

} // namespace

std::vector<bool> attentionLayers(Fields& f, int layers)
{
    for (const char* const name : {"layer_types", "layers_block_type"}) {
        if (!f.has(name))
            continue;
        const std::vector<std::string> kinds = f.words(name);
        std::vector<bool> full;
        for (const std::string& kind : kinds)
            full.push_back(otherLayer(kind).empty());
        if (int(full.size()) != layers)
            f.fail(
                name, std::to_string(full.size()) + " kinds", "num_hidden_layers of them, " + std::to_string(layers));
        full.resize(std::size_t(layers));
        return full;
    }
    if (const Json* const types = f.find("attn_type_list"))
        return types->is_array() ? typed(f, *types, layers) : noList(f, "attn_type_list", *types, layers);
    if (const Json* const indices = f.find("attn_layer_indices"))
        return indices->is_array() ? listed(f, "attn_layer_indices", *indices, 0, layers)
                                   : noList(f, "attn_layer_indices", *indices, layers);
    if (const Json* const linear = f.find("linear_attn_config"); linear && linear->is_object())
        if (const auto it = linear->find("full_attn_layers"); it != linear->end() && !it->is_null())
            return it->is_array() ? listed(f, "linear_attn_config", *it, 1, layers)
                                  : noList(f, "linear_attn_config", *it, layers);
    const bool offset = f.has("attn_layer_period");
    const int period = f.number(offset ? "attn_layer_period" : "full_attention_interval");
    const int place = offset ? f.number("attn_layer_offset", 0, true) : period - 1;
    if (offset && place >= period)
        f.fail("attn_layer_offset", std::to_string(place), reading::wholeNumber(0, period - 1));
    std::vector<bool> full;
    for (int i = 0; i < layers; ++i)
        full.push_back(i % period == place);
    return full;
}

void readStandIn(Fields& f, const StandInFamily& family, ImportedModel& result)
{
    model::Transformer& m = result.model;
    const std::vector<bool> full = attentionLayers(f, m.layers);
    const int others = m.layers - int(std::ranges::count(full, true));
    const MixerCost cost = costOf(f, family.mixer, m);
    if (!f.errors().empty() || others == 0)
        return;
    const double flops = 2 * cost.projections + cost.core;
    const int length = result.longestSequence > 0 ? std::min(result.longestSequence, kUsualSequence) : kUsualSequence;
    const int window = windowOf(flops, m, length);
    const std::int64_t counted = parameters(m).attention - m.hidden * (m.norm == model::Norm::Layer ? 2 : 1);
    const bool gates = (family.family.leftovers & kOutputGate) != 0;
    m.standIn = {
        cost.kind, others, cost.projections + cost.others, flops, gates ? 2.0 * m.hidden * m.heads * m.headDim : 0};
    placeWindow(full, window, result);
    result.simplified.emplace_back(StandInLayers{cost.kind, others, window, standInShare(m, length).off, length,
        others * (std::int64_t(m.standIn->parameters) - counted)});
}

} // namespace stratoplan::exchange::huggingface
