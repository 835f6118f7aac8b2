// SPDX-License-Identifier: Apache-2.0
// The shape of the model that arguments of Megatron-LM state, with the defaults of its parser.
#include "core/exchange/launch_reading.h"

#include "core/catalog/quote.h"

#include <algorithm>

namespace stratoplan::exchange::launchfile {
namespace {

constexpr int kMostLayers = 10'000;

/// What two models that are the same may say unlike, said alike.
model::Transformer normalised(model::Transformer m)
{
    m.name.clear();
    m.source.clear();
    m.dropout = false;
    m.multiTokenPredictionDepth = 0;
    if (m.position != model::Position::Learned)
        m.maxPositions = 0;
    if (m.mla) {
        m.kvHeads = m.headDim = 0;
        m.qkNorm = false;
    }
    m.qkvBias = m.qkvBias && !m.linearBias;
    if (!m.slidingWindow)
        m.slidingWindowInterval = 1;
    if (!m.moe)
        return m;
    if (layerCounts(m).dense == 0)
        m.ffnHidden = 0;
    model::MixtureOfExperts& moe = *m.moe;
    moe.imbalance = 1;
    moe.capacityFactor = 0;
    const int each = moe.sharedExpertFfn > 0 ? moe.sharedExpertFfn : moe.expertFfn;
    moe.sharedExpertFfn = moe.sharedExperts * each;
    moe.sharedExperts = moe.sharedExperts > 0 ? 1 : 0;
    return m;
}

void readCompressedHeads(Reading& reading, model::Transformer& m)
{
    Statements& file = reading.file;
    if (!file.truth({"--multi-latent-attention"}).value_or(false))
        return;
    model::LatentAttention& mla = m.mla.emplace();
    mla.queryRank = file.number({"--q-lora-rank"}).value_or(0);
    const auto take = [&](int& target, std::string_view name, int rule, std::string_view alias = {}) {
        const auto stated = file.number({name, alias});
        target = stated.value_or(rule);
        if (!stated)
            file.note(name.substr(2), std::to_string(rule));
    };
    take(mla.kvRank, "--kv-lora-rank", 32);
    take(mla.nopeHeadDim, "--qk-head-dim", 128, "--qk-nope-head-dim"); // MindSpeed-LLM's name
    take(mla.ropeHeadDim, "--qk-pos-emb-head-dim", 64, "--qk-rope-head-dim");
    take(mla.valueHeadDim, "--v-head-dim", 128);
    m.headDim = mla.nopeHeadDim + mla.ropeHeadDim;
    m.qkNorm = false; // has norms of what it compresses
    if (file.word({"--experimental-attention-variant"}) != "dsa")
        return;
    model::SparseAttention& dsa = m.dsa.emplace();
    take(dsa.indexHeads, "--dsa-indexer-n-heads", dsa.indexHeads);
    take(dsa.indexHeadDim, "--dsa-indexer-head-dim", dsa.indexHeadDim);
    take(dsa.topK, "--dsa-indexer-topk", dsa.topK);
}

/// "(511,0)": tokens before and behind the token itself.
void readWindow(Reading& reading, model::Transformer& m)
{
    Statements& file = reading.file;
    const Statement* const window = file.find({"--window-size"});
    if (!window)
        return;
    std::string text;
    for (const std::string& value : window->values)
        text += value + ' ';
    std::erase_if(text, [](char c) { return c == '(' || c == ')'; });
    const std::string before = text.substr(0, text.find_first_of(", "));
    const bool isNumber =
        !before.empty() && before.size() < 9 && before.find_first_not_of("0123456789") == std::string::npos;
    if (!isNumber)
        return file.fail(*window, "a window such as (511,0)");
    m.slidingWindow = std::stoi(before) + 1;
    if (file.look({"--window-attn-skip-freq"}))
        m.slidingWindowInterval = file.number({"--window-attn-skip-freq"}).value_or(1);
}

void readHeadsOf(Reading& reading, model::Transformer& m)
{
    Statements& file = reading.file;
    const auto perHead = file.number({"--kv-channels"});
    m.headDim = perHead.value_or(m.heads > 0 ? m.hidden / m.heads : 0);
    if (!perHead && m.heads > 0 && m.hidden % m.heads != 0)
        file.fail(file.placeOf({"--num-attention-heads"}), std::to_string(m.heads) + " heads",
            "a divisor of the hidden size " + std::to_string(m.hidden) + ", or --kv-channels");
    const auto groups = file.number({"--num-query-groups", "--num-key-value-heads"});
    const bool grouped =
        file.truth({"--group-query-attention"}).value_or(false) || file.look({"--num-key-value-heads"}) != nullptr;
    m.kvHeads = grouped ? groups.value_or(1) : m.heads;
    if (groups && !grouped && *groups != m.heads)
        file.warn(file.placeOf({"--num-query-groups"}), std::to_string(*groups) + " without --group-query-attention",
            "both; without it every head has keys of its own, which is taken");
    if (m.kvHeads > 0 && m.heads % m.kvHeads != 0)
        file.fail(file.placeOf({"--num-query-groups", "--num-key-value-heads"}), std::to_string(m.kvHeads) + " groups",
            "a divisor of the " + std::to_string(m.heads) + " heads");
    m.qkNorm = file.truth({"--qk-layernorm"}).value_or(false);
    readCompressedHeads(reading, m);
    readWindow(reading, m);
}

void readPositions(Reading& reading, model::Transformer& m)
{
    Statements& file = reading.file;
    const Statement* const kind = file.find({"--position-embedding-type"});
    const std::string word = file.word({"--position-embedding-type"});
    const bool rotary = file.truth({"--use-rotary-position-embeddings"}).value_or(false) || word == "rope"
        || word == "mrope" || word == "yarn";
    const bool none = file.truth({"--no-position-embedding"}).value_or(false) || word == "none";
    if (kind && !rotary && !none && word != "learned_absolute")
        file.warn(*kind, catalog::quoteText(word), "rope, learned_absolute or none; rope is taken");
    const bool learned = !rotary && !none && (!kind || word == "learned_absolute");
    m.position = learned  ? model::Position::Learned
        : none && !rotary ? model::Position::Alibi // has no parameters either
                          : model::Position::Rotary;
    const int sequence = reading.plan.training.sequenceLength;
    const auto most = file.number({"--max-position-embeddings"});
    m.maxPositions = learned ? most.value_or(sequence) : 0;
    if (most && *most < sequence)
        file.fail(file.placeOf({"--seq-length"}), std::to_string(sequence) + " tokens",
            "at most the " + std::to_string(*most) + " of --max-position-embeddings");
}

/// Which layers have experts, as a model can have them.
void placeExperts(Reading& reading, model::Transformer& m)
{
    Statements& file = reading.file;
    const Statement* const stated = file.find({"--moe-layer-freq"});
    const int dense = file.number({"--first-k-dense-replace"}, -1).value_or(0); // of MindSpeed-LLM
    if (!stated) {
        m.moe->leadingDenseLayers = std::clamp(dense, 0, m.layers);
        return;
    }
    auto pattern = layerPattern(file.word({"--moe-layer-freq"}), m.layers);
    if (stated->values == std::vector<std::string>{"-1"}) // of MindSpeed-LLM: in every layer
        pattern = std::vector<int>(std::size_t(m.layers), 1);
    for (int layer = 0; pattern && layer < std::min(dense, m.layers); ++layer)
        (*pattern)[std::size_t(layer)] = 0;
    if (!pattern)
        return file.fail(
            *stated, "a number, or a list with 0 or 1 for each of " + std::to_string(m.layers) + " layers");
    const auto fits = [&] {
        for (int layer = 0; layer < m.layers; ++layer)
            if (isMoeLayer(m, layer) != ((*pattern)[std::size_t(layer)] > 0))
                return false;
        return true;
    };
    for (int interval = 1; interval <= 8; ++interval)
        for (int leading = 0; leading <= std::min(m.layers, 64); ++leading) {
            m.moe->layerInterval = interval;
            m.moe->leadingDenseLayers = leading;
            if (fits())
                return;
        }
    const auto count = std::count_if(pattern->begin(), pattern->end(), [](int n) { return n > 0; });
    m.moe->layerInterval = 1;
    m.moe->leadingDenseLayers = m.layers - int(count);
    file.warn(*stated, std::to_string(count) + " layers with experts at no regular distance",
        "equal distances; they are taken for the last ones");
}

void readExpertsOf(Reading& reading, model::Transformer& m)
{
    Statements& file = reading.file;
    const auto experts = file.number({"--num-experts"});
    if (!experts || *experts == 1)
        return;
    model::MixtureOfExperts& moe = m.moe.emplace();
    moe.experts = *experts;
    moe.topK = file.number({"--moe-router-topk", "--topk"}).value_or(2);
    moe.expertFfn = file.number({"--moe-ffn-hidden-size", "--moe-intermediate-size"}).value_or(m.ffnHidden);
    moe.sharedExperts = file.number({"--n-shared-experts"}, 0).value_or(0); // of MindSpeed-LLM, each as wide
    if (const auto shared = file.number({"--moe-shared-expert-intermediate-size"})) {
        moe.sharedExperts = 1;
        moe.sharedExpertFfn = *shared == moe.expertFfn ? 0 : *shared;
    }
    if (const auto factor = file.real({"--moe-expert-capacity-factor"}))
        moe.capacityFactor = std::max(0.0, *factor);
    moe.routerBias = file.truth({"--moe-router-enable-expert-bias"}).value_or(false);
    placeExperts(reading, m);
}

/// "M-M*-": mixers, attention and FFNs, a letter a layer.
void readMamba(Reading& reading, model::Transformer& m)
{
    Statements& file = reading.file;
    const Statement* const pattern = file.find({"--hybrid-layer-pattern", "--hybrid-override-pattern"});
    if (!pattern && !file.look({"--mamba-num-heads"}))
        return;
    std::string letters = pattern ? file.word({pattern->name}) : std::string();
    letters.resize(std::min(letters.find('/'), letters.size())); // prediction modules
    std::erase(letters, '|');
    if (letters.find_first_not_of("M*-E") != std::string::npos || letters.empty())
        return file.fail(pattern ? placeOf(*pattern) : std::string("--hybrid-layer-pattern"),
            letters.empty() ? "nothing" : catalog::quoteText(letters),
            "a letter for each layer: M for Mamba, * for attention, - for an FFN, E for experts");
    if (letters.size() > std::size_t(kMostLayers))
        return file.fail(
            *pattern, std::to_string(letters.size()) + " letters", "at most " + std::to_string(kMostLayers));
    const auto count = [&](char letter) { return int(std::count(letters.begin(), letters.end(), letter)); };
    model::Mamba2& mamba = m.mamba2.emplace();
    m.layers = int(letters.size());
    mamba.layers = count('M');
    mamba.ffnLayers = count('-') + count('E');
    mamba.headDim = file.number({"--mamba-head-dim"}).value_or(64);
    mamba.heads = file.number({"--mamba-num-heads"}).value_or(std::max(1, 2 * m.hidden / mamba.headDim));
    mamba.stateDim = file.number({"--mamba-state-dim"}).value_or(128);
    mamba.groups = file.number({"--mamba-num-groups"}).value_or(8);
}

void readVocabulary(Reading& reading, model::Transformer& m)
{
    constexpr int kGpt2 = 50257;
    Statements& file = reading.file;
    if (const auto size = file.number({"--vocab-size", "--padded-vocab-size"})) {
        m.vocabulary = *size;
        return;
    }
    const catalog::ModelPreset* const preset = presetBesideVocabulary(m, reading.catalog);
    m.vocabulary = preset      ? preset->model.vocabulary
        : reading.options.base ? reading.options.base->model.vocabulary
                               : kGpt2;
    file.note("vocab-size", std::to_string(m.vocabulary) + (preset ? " (" + preset->model.name + ')' : std::string()));
}

/// What a catalogue calls the shape, else the name of the file.
void nameModel(Reading& reading)
{
    model::Transformer& m = reading.plan.model;
    if (const catalog::ModelPreset* preset = presetOf(m, reading.catalog)) {
        model::Transformer known = preset->model;
        known.dropout = m.dropout;
        known.multiTokenPredictionDepth = m.multiTokenPredictionDepth;
        if (known.moe && m.moe)
            known.moe->capacityFactor = m.moe->capacityFactor;
        m = std::move(known);
    } else
        m.name = reading.plan.name;
}

void readWidths(Reading& reading, model::Transformer& m)
{
    Statements& file = reading.file;
    const auto need = [&](std::string_view name) {
        const auto value = file.number({name});
        if (!value && !file.look({name}))
            file.fail(std::string(name), "nothing", "the shape of the model, or --plan with a plan that has it");
        return value.value_or(1);
    };
    m.layers = file.look({"--encoder-num-layers"}) ? need("--encoder-num-layers") : need("--num-layers");
    if (m.layers > kMostLayers)
        file.fail("--num-layers", std::to_string(m.layers), "at most " + std::to_string(kMostLayers));
    m.hidden = need("--hidden-size");
    m.heads = need("--num-attention-heads");
    m.gatedMlp = file.truth({"--swiglu"}).value_or(false);
    const int rule = m.gatedMlp ? int(std::int64_t{4} * m.hidden * 2 / 3 / 64 * 64) : int(std::int64_t{4} * m.hidden);
    m.ffnHidden = file.number({"--ffn-hidden-size"}).value_or(std::max(rule, 1));
    m.tiedEmbeddings = !file.truth({"--untie-embeddings-and-output-weights"}).value_or(false);
    m.linearBias = !file.truth({"--disable-bias-linear"}).value_or(false);
    m.qkvBias = file.truth({"--add-qkv-bias"}).value_or(false) && !m.linearBias;
    const std::string norm = file.word({"--normalization"});
    const bool isRms = norm == "RMSNorm" || norm == "rmsnorm";
    m.norm = isRms ? model::Norm::Rms : model::Norm::Layer;
    const double hidden = file.real({"--hidden-dropout"}).value_or(0.1);
    m.dropout = std::max(hidden, file.real({"--attention-dropout"}).value_or(0.1)) > 0;
    m.multiTokenPredictionDepth = file.number({"--mtp-num-layers"}, 0).value_or(0);
}

} // namespace

const catalog::ModelPreset* presetBesideVocabulary(const model::Transformer& shape, const catalog::Catalog& catalog)
{
    model::Transformer wanted = normalised(shape);
    for (const catalog::ModelPreset& preset : catalog.models) {
        wanted.vocabulary = preset.model.vocabulary;
        if (normalised(preset.model) == wanted)
            return &preset;
    }
    return nullptr;
}

const catalog::ModelPreset* presetOf(const model::Transformer& shape, const catalog::Catalog& catalog)
{
    const model::Transformer wanted = normalised(shape);
    const auto it = std::find_if(catalog.models.begin(), catalog.models.end(),
        [&](const catalog::ModelPreset& preset) { return normalised(preset.model) == wanted; });
    return it == catalog.models.end() ? nullptr : &*it;
}

void readShape(Reading& reading)
{
    Statements& file = reading.file;
    const Statement* const any = file.look(
        {"--num-layers", "--encoder-num-layers", "--hidden-size", "--num-attention-heads", "--ffn-hidden-size"});
    if (!any && reading.options.base)
        return file.note("model", reading.plan.model.name);
    model::Transformer m;
    readWidths(reading, m);
    if (!file.errors().empty())
        return;
    readHeadsOf(reading, m);
    readPositions(reading, m);
    readExpertsOf(reading, m);
    readMamba(reading, m);
    readVocabulary(reading, m);
    reading.plan.model = std::move(m);
    nameModel(reading);
}

} // namespace stratoplan::exchange::launchfile
