// SPDX-License-Identifier: Apache-2.0
// The places of layers with a window and of layers with experts, whichever way a configuration states them, as the
// intervals that a Transformer knows.
#include "core/exchange/huggingface_shape.h"
#include "core/exchange/json_text.h"
#include "core/units/reading.h"

#include <algorithm>
#include <cstdlib>

namespace stratoplan::exchange::huggingface {
namespace {

using Json = Fields::Json;
using Layers = std::vector<bool>;

int countOf(const Layers& layers)
{
    return static_cast<int>(std::ranges::count(layers, true));
}

/// The layers that attend fully by a list of the kinds of all layers.
Layers fullByKinds(Fields& f, int layers, ImportedModel& result)
{
    const std::vector<std::string> kinds = f.words("layer_types");
    Layers full;
    if (static_cast<int>(kinds.size()) != layers) {
        f.fail("layer_types", reading::listOf(std::int64_t(kinds.size())),
            "num_hidden_layers of them, " + std::to_string(layers));
        full.resize(static_cast<std::size_t>(layers), true);
        return full;
    }
    for (const std::string& kind : kinds)
        full.push_back(kind != "sliding_attention");
    if (std::ranges::find(kinds, "chunked_attention") != kinds.end() && !f.has("attention_chunk_size"))
        result.simplified.emplace_back(ChunksAsFullAttention{});
    return full;
}

/// The layers that attend fully by a pattern of letters, L for a window and G for all tokens, repeated (EXAONE 4).
Layers fullByLetters(Fields& f, const std::string& letters, int layers)
{
    Layers full;
    if (letters.empty() || letters.find_first_not_of("LG") != std::string::npos)
        f.fail("sliding_window_pattern", catalog::quoteText(letters), "a number or the letters L and G");
    for (int i = 0; i < layers; ++i)
        full.push_back(
            letters.empty() || i == layers - 1 || letters[static_cast<std::size_t>(i) % letters.size()] == 'G');
    return full;
}

/// The layers that attend fully by the rule of the family.
Layers fullByRule(Fields& f, const Family& family, int layers)
{
    Layers full;
    if (family.lateWindow) { // the first max_window_layers attend fully
        constexpr int kUnsaid = -1;
        const int first = f.number("max_window_layers", kUnsaid, false);
        if (first == kUnsaid)
            f.fail("max_window_layers", "nothing", "the number of layers before those with a window, or layer_types");
        for (int i = 0; i < layers; ++i)
            full.push_back(i < first);
        return full;
    }
    const Json* const pattern = f.find("sliding_window_pattern");
    if (pattern && pattern->is_string())
        return fullByLetters(f, pattern->get<std::string>(), layers);
    const bool stated = pattern || f.isNull("sliding_window_pattern");
    const int interval = f.number("sliding_window_pattern", stated ? 1 : family.window, false);
    for (int i = 0; i < layers; ++i)
        full.push_back(stated || interval > 1 ? interval == 0 || (i + 1) % interval == 0 : false);
    return full;
}

/// Of `wide` full layers at no regular distance: the interval with the nearest number of them, or none: more work and
/// memory rather than less.
void simplifyWindow(int wide, ImportedModel& result)
{
    model::Transformer& m = result.model;
    m.slidingWindowInterval = std::clamp((m.layers + wide / 2) / wide, 2, std::max(2, m.layers));
    if (m.layers - wide <= std::abs(wide - m.layers / m.slidingWindowInterval)) {
        m.slidingWindow.reset();
        m.slidingWindowInterval = 1;
    }
    result.simplified.emplace_back(IrregularWindow{wide, m.layers, m.slidingWindowInterval});
}

} // namespace

void readWindow(Fields& f, const Family& family, ImportedModel& result)
{
    model::Transformer& m = result.model;
    const bool listed = f.has("layer_types");
    const bool used =
        listed || ((family.window != 0 || family.lateWindow) && f.flag("use_sliding_window", !family.lateWindow));
    if (!used || f.isNull("sliding_window") || m.layers <= 0 || !f.errors().empty())
        return;
    const Layers full = listed ? fullByKinds(f, m.layers, result) : fullByRule(f, family, m.layers);
    const int wide = countOf(full);
    if (wide == m.layers)
        return;
    const int window = f.number("sliding_window", 0, false);
    if (window == 0) {
        if (listed)
            f.fail("sliding_window", "nothing", "the tokens that a layer of kind sliding_attention attends to");
        return;
    }
    placeWindow(full, window, result);
}

void placeWindow(const std::vector<bool>& full, int window, ImportedModel& result)
{
    model::Transformer& m = result.model;
    const int wide = countOf(full);
    if (wide == m.layers)
        return;
    m.slidingWindow = window;
    if (wide == 0)
        return;
    const auto first = static_cast<int>(std::ranges::find(full, true) - full.begin());
    m.slidingWindowInterval = std::max(2, first + 1);
    bool exact = true;
    for (int i = 0; i < m.layers; ++i)
        exact = exact && full[static_cast<std::size_t>(i)] == ((i + 1) % m.slidingWindowInterval == 0);
    if (exact)
        return;
    simplifyWindow(wide, result);
}

namespace {

/// Whether layer i has experts, by the rules of all families: from a first layer on, every n-th.
Layers expertsByRule(Fields& f, int layers)
{
    const int first = f.number("first_k_dense_replace", 0, false);
    if (first > layers)
        f.fail("first_k_dense_replace", std::to_string(first), "at most num_hidden_layers, " + std::to_string(layers));
    int last = layers;
    if (const Json* const end = f.find("moe_layer_end_index"); end && *end != -1)
        last = std::min(layers, f.number("moe_layer_end_index", layers - 1, false) + 1);
    const std::size_t before = f.errors().size();
    const int step = f.number("decoder_sparse_step", 1, false, 1);
    const bool steps = f.errors().size() == before; // else it is told of already
    const int frequency =
        f.number("moe_layer_freq", 1, false, 1); // counted from the first layer, the step from before it
    const int place = f.number("expert_layer_offset", step - 1, false); // within the step
    if (steps && place >= step)
        f.fail("expert_layer_offset", std::to_string(place), reading::wholeNumber(0, step - 1));
    Layers moe;
    for (int i = 0; i < layers; ++i)
        moe.push_back(i >= first && i < last && i % step == place && i % frequency == 0);
    return moe;
}

/// The layers that a list names by their numbers.
std::vector<int> numbered(Fields& f, std::string_view name, int layers)
{
    std::vector<int> result;
    const Json* const list = f.find(name);
    if (!list)
        return result;
    const auto isLayer = [&](const Json& n) {
        return n.is_number_integer() && n.get<double>() >= 0 && n.get<double>() < layers;
    };
    if (!list->is_array() || !std::ranges::all_of(*list, isLayer)) {
        f.fail(name, catalog::quoteJson(*list), "a list of numbers of layers, below " + std::to_string(layers));
        return result;
    }
    for (const Json& layer : *list)
        result.push_back(layer.get<int>());
    return result;
}

Layers expertLayers(Fields& f, int layers)
{
    const auto size = static_cast<std::size_t>(layers);
    if (f.has("moe_layers")) {
        Layers moe(size, false);
        for (const int layer : numbered(f, "moe_layers", layers))
            moe[static_cast<std::size_t>(layer)] = true;
        return moe;
    }
    if (const Json* const each = f.find("moe_layer_freq"); each && each->is_array() && each->size() == size) {
        Layers moe;
        for (const Json& layer : *each)
            moe.push_back(layer == 1 || layer == true);
        return moe;
    }
    if (const std::vector<std::string> kinds = f.words("mlp_layer_types"); kinds.size() == size) {
        Layers moe;
        for (const std::string& kind : kinds)
            moe.push_back(kind == "sparse");
        return moe;
    }
    Layers moe = expertsByRule(f, layers);
    for (const int layer : numbered(f, "mlp_only_layers", layers))
        moe[static_cast<std::size_t>(layer)] = false;
    return moe;
}

} // namespace

void placeExperts(Fields& f, ImportedModel& result)
{
    model::Transformer& m = result.model;
    const Layers places = m.layers > 0 ? expertLayers(f, m.layers) : Layers();
    const int count = countOf(places);
    if (count == 0 || !f.errors().empty()) {
        m.moe.reset();
        return;
    }
    const auto first = std::ranges::find(places, true);
    const auto second = std::find(first + 1, places.end(), true);
    const int interval = second == places.end() ? 1 : static_cast<int>(second - first);
    m.moe->layerInterval = interval;
    m.moe->leadingDenseLayers = std::max(0, static_cast<int>(first - places.begin()) - interval + 1);
    bool exact = true;
    for (int i = 0; i < m.layers; ++i)
        exact = exact && places[static_cast<std::size_t>(i)] == isMoeLayer(m, i);
    if (exact)
        return;
    m.moe->leadingDenseLayers = 0;
    if (layerCounts(m).moe != count) { // else each lies elsewhere in its step
        m.moe->layerInterval = 1;
        m.moe->leadingDenseLayers = m.layers - count;
    }
    result.simplified.emplace_back(IrregularExperts{count, m.layers, m.moe->layerInterval});
}

} // namespace stratoplan::exchange::huggingface
