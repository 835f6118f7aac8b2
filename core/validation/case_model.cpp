// SPDX-License-Identifier: Apache-2.0
#include "core/units/text.h"
#include "core/validation/case_rules.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

namespace stratoplan::validation {
namespace {

/// Vocabulary where the source is silent: GPT-2's, and the multilingual one of the BigScience stack.
int usualVocabulary(const plan::SoftwareProfile& software)
{
    return containsWords(software.id, "megatron-deepspeed-2021") ? 250680 : 50257;
}

/// Stacks of 2019 to 2022 trained GPT with dropout and biases.
bool classicGpt(const CaseRecord& r, bool gated)
{
    return !gated && !containsWords(r.framework, "llm-foundry");
}

/// Letters and digits alone, in lower case.
std::string letters(std::string_view name)
{
    std::string result;
    for (const char c : name)
        if (std::isalnum(static_cast<unsigned char>(c)))
            result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return result;
}

/// The stated value, else that of the catalogue's model of this name.
template <class T>
std::optional<T> stated(const std::optional<T>& value, const char* field, const catalog::ModelPreset* known,
    T model::Transformer::*member, Filled& filled)
{
    if (value || !known)
        return value;
    return filled(value, field, known->model.*member);
}

/// Layers that are no attention and no FFN; priced as either they would be a guess.
std::optional<std::string> unmodelledLayers(const CaseRecord& r)
{
    for (const auto& [field, text] :
        {std::pair("model.attention", &r.attention), std::pair("model.kind", &r.modelKind)})
        for (const std::string_view words : {"mamba", "state space", "ssm", "linear attention", "deltanet",
                 "lightning attention", "rwkv", "retnet", "hyena", "sparse attention"})
            if (containsWords(*text, words))
                return std::string(field) + ": found \"" + shortened(*text)
                    + "\", and cases with layers of state spaces, linear or sparse attention are not read";
    return std::nullopt;
}

/// Whether the FFN is divided into experts.
bool hasExperts(const CaseRecord& r, const catalog::ModelPreset* known, Filled& filled)
{
    if (containsWords(r.modelKind, "moe") || containsWords(r.modelKind, "mixture")
        || containsWords(r.modelKind, "sparse"))
        return true;
    if (containsWords(r.modelKind, "dense"))
        return false;
    const bool experts = r.experts ? *r.experts > 1 : known && known->model.moe;
    filled.add("model.kind", std::string(experts ? "moe" : "dense") + unknown(r.modelKind));
    return experts;
}

/// Up to this many experts each is as wide as the dense FFN that they replace, and two of them see a token (Mixtral);
/// more are cut finer and as many as make up the dense FFN see it (DeepSeekMoE, arXiv 2401.06066).
constexpr int kMostWideExperts = 16;

tl::expected<model::MixtureOfExperts, std::string> caseExperts(
    const CaseRecord& r, const model::Transformer& m, const catalog::ModelPreset* known, Filled& filled)
{
    const std::optional<model::MixtureOfExperts> like = known ? known->model.moe : std::nullopt;
    const auto either = [&](std::optional<int> value, const char* field, int model::MixtureOfExperts::*member) {
        if (value.value_or(0) < 1)
            value.reset();
        return value || !like ? value : std::optional(filled(value, field, (*like).*member));
    };
    const std::optional<int> experts = either(r.experts, "model.experts", &model::MixtureOfExperts::experts);
    if (!experts)
        return tl::unexpected(std::string("model.experts is not stated"));
    model::MixtureOfExperts moe = like && like->experts == *experts ? *like : model::MixtureOfExperts{};
    const bool wide = *experts <= kMostWideExperts;
    moe.experts = *experts;
    moe.topK = filled(
        either(r.topK, "model.top_k", &model::MixtureOfExperts::topK), "model.top_k", std::min(*experts, wide ? 2 : 8));
    moe.expertFfn = filled(either(r.moeFfn, "model.moe_ffn", &model::MixtureOfExperts::expertFfn), "model.moe_ffn",
        wide ? m.ffnHidden : std::max(1, m.ffnHidden / moe.topK));
    moe.sharedExperts = filled(r.sharedExperts, "model.shared_experts", like ? like->sharedExperts : 0);
    moe.leadingDenseLayers = filled(r.denseLayers, "model.dense_layers", like ? like->leadingDenseLayers : 0);
    return moe;
}

/// The model of the catalogue with latent attention whose name begins the row's, which may be a cut-down one:
/// "DeepSeek-V2 60B".
const catalog::ModelPreset* latentRelative(const CaseRecord& r, const catalog::Catalog& catalog)
{
    const std::string wanted = letters(r.modelName);
    const catalog::ModelPreset* best = nullptr;
    for (const catalog::ModelPreset& m : catalog.models)
        if (const std::string id = letters(m.id);
            m.model.mla && wanted.starts_with(id) && (!best || id.size() > letters(best->id).size()))
            best = &m;
    return best;
}

/// What the remark on attention says. Where there is none, a model of a name that is known has the attention it is
/// known for.
void readAttention(const CaseRecord& r, const catalog::ModelPreset* known, const catalog::Catalog& catalog,
    model::Transformer& m, Filled& filled)
{
    const bool latent = containsWords(r.attention, "MLA") || containsWords(r.attention, "latent");
    const catalog::ModelPreset* relative = known && known->model.mla ? known : latentRelative(r, catalog);
    if (latent || (r.attention.empty() && relative)) {
        model::LatentAttention mla = relative ? *relative->model.mla : model::LatentAttention{};
        if (!latent)
            filled.add("model.attention", std::string("MLA, as ") + relative->model.name);
        const bool printed = numberAfter(r.attention, "kv_lora").has_value();
        mla.queryRank = numberAfter(r.attention, "q_lora").value_or(printed ? 0 : mla.queryRank);
        mla.kvRank = numberAfter(r.attention, "kv_lora").value_or(mla.kvRank);
        mla.ropeHeadDim = numberAfter(r.attention, "rope").value_or(mla.ropeHeadDim);
        mla.nopeHeadDim = numberAfter(r.attention, "nope").value_or(mla.nopeHeadDim);
        mla.valueHeadDim = numberAfter(r.attention, "v_head").value_or(mla.valueHeadDim);
        m.mla = mla;
        return;
    }
    if (const auto window = numberAfter(r.attention, "sliding window")) {
        m.slidingWindow = *window;
        m.slidingWindowInterval =
            numberAfter(r.attention, "every").value_or(containsWords(r.attention, "alternating") ? 2 : 1);
        return;
    }
    if (r.attention.empty() && known && known->model.slidingWindow) {
        m.slidingWindow = known->model.slidingWindow;
        m.slidingWindowInterval = known->model.slidingWindowInterval;
        filled.add("model.attention", std::string("sliding window, as ") + known->model.name);
        return;
    }
    const bool plain =
        std::ranges::any_of(std::array{"GQA", "MHA", "MQA", "grouped", "multi-head", "multi-query", "full", "causal"},
            [&](std::string_view words) { return containsWords(r.attention, words); });
    if (!r.attention.empty() && !plain)
        filled.add("model.attention", std::string("full").append(unknown(r.attention)));
}

/// Near 128 wide, and such that they divide the hidden size and the tensor ranks divide them.
int usualHeads(int hidden, int tp)
{
    const int wanted = std::max(1, hidden / 128);
    for (int away = 0; away < wanted; ++away)
        for (const int heads : {wanted + away, wanted - away})
            if (hidden % heads == 0 && heads % tp == 0)
                return heads;
    return wanted;
}

/// As many as bring the model to its printed parameters.
std::optional<int> layersOf(const CaseRecord& r, model::Transformer model)
{
    if (!r.parametersBillion)
        return std::nullopt;
    model.layers = 1;
    if (model.moe)
        model.moe->leadingDenseLayers = 0;
    const std::int64_t ofOneLayer = parameters(model).total;
    model.layers = 2;
    const double each = double(parameters(model).total - ofOneLayer);
    const double layers = std::round((*r.parametersBillion * 1e9 - double(ofOneLayer)) / each) + 1;
    return layers >= 1 && layers <= 100000 ? std::optional(int(layers)) : std::nullopt;
}

} // namespace

std::optional<int> numberAfter(std::string_view text, std::string_view words)
{
    const auto lower = [](char a, char b) {
        return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
    };
    const auto found = std::search(text.begin(), text.end(), words.begin(), words.end(), lower);
    if (found == text.end())
        return std::nullopt;
    std::string_view rest = text.substr(std::size_t(found - text.begin()) + words.size());
    rest.remove_prefix(std::min(rest.find_first_of("0123456789,;"), rest.size()));
    int number = 0;
    const auto [end, fault] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    return fault == std::errc() && number > 0 ? std::optional(number) : std::nullopt;
}

const catalog::ModelPreset* namedModel(const CaseRecord& record, const catalog::Catalog& catalog)
{
    const std::string wanted = letters(record.modelName);
    const auto it = std::find_if(catalog.models.begin(), catalog.models.end(),
        [&](const catalog::ModelPreset& m) { return letters(m.id) == wanted || letters(m.model.name) == wanted; });
    return it == catalog.models.end() ? nullptr : &*it;
}

// In one piece: what a row does not state is filled in from what has been read above it.
tl::expected<model::Transformer, std::string> caseModel(
    const CaseRecord& r, const plan::SoftwareProfile& software, const catalog::Catalog& catalog, Filled& filled)
{
    if (auto reason = unmodelledLayers(r))
        return tl::unexpected(std::move(*reason));
    const catalog::ModelPreset* known = namedModel(r, catalog);
    const auto hidden = stated(r.hidden, "model.hidden", known, &model::Transformer::hidden, filled);
    const bool sameWidth = known && known->model.hidden == hidden;
    const auto layers =
        stated(r.layers, "model.layers", sameWidth ? known : nullptr, &model::Transformer::layers, filled);
    for (const auto& [value, name] : {std::pair(hidden, "hidden"), std::pair(r.sequenceLength, "seq_len")})
        if (!value)
            return tl::unexpected(std::string("model.") + name + " is not stated");
    // A cut-down or changed model keeps the name; what depends on the shape is taken only from the same shape.
    if (!sameWidth || known->model.layers != layers)
        known = nullptr;
    model::Transformer m;
    m.name = r.modelName;
    m.hidden = *hidden;
    m.heads = filled(stated(r.heads, "model.heads", known, &model::Transformer::heads, filled), "model.heads",
        usualHeads(m.hidden, r.tp.value_or(1)));
    m.kvHeads = filled(
        stated(r.kvHeads, "model.kv_heads", known, &model::Transformer::kvHeads, filled), "model.kv_heads", m.heads);
    const auto headDim = stated(r.headDim, "model.head_dim", known, &model::Transformer::headDim, filled);
    if (!headDim && (m.hidden < m.heads || m.hidden % m.heads != 0))
        return tl::unexpected(std::string("model.head_dim is not stated and heads do not divide the hidden size"));
    m.headDim = filled(headDim, "model.head_dim", m.hidden / m.heads);
    m.gatedMlp = filled(
        stated(r.gatedMlp, "model.gated_mlp", known, &model::Transformer::gatedMlp, filled), "model.gated_mlp", false);
    m.ffnHidden = filled(stated(r.ffnHidden, "model.ffn_hidden", known, &model::Transformer::ffnHidden, filled),
        "model.ffn_hidden", 4 * m.hidden);
    m.vocabulary = filled(stated(r.vocabulary, "model.vocab", known, &model::Transformer::vocabulary, filled),
        "model.vocab", usualVocabulary(software));
    const bool classic = classicGpt(r, m.gatedMlp);
    m.tiedEmbeddings =
        filled(stated(r.tiedEmbeddings, "model.tied_embeddings", known, &model::Transformer::tiedEmbeddings, filled),
            "model.tied_embeddings", !m.gatedMlp);
    m.linearBias = classic || containsWords(r.modelName, "GPT-OSS");
    // The fused kernels of Megatron and its forks draw and keep their masks whatever the rate of dropout is.
    m.dropout = classic;
    m.norm = m.gatedMlp ? model::Norm::Rms : model::Norm::Layer;
    m.position = m.gatedMlp ? model::Position::Rotary : model::Position::Learned;
    m.maxPositions = m.gatedMlp ? 0 : *r.sequenceLength;
    if (hasExperts(r, known, filled)) {
        auto moe = caseExperts(r, m, known, filled);
        if (!moe)
            return tl::unexpected(moe.error());
        m.moe = *moe;
    }
    readAttention(r, known, catalog, m, filled);
    const std::optional<int> counted = layers ? layers : layersOf(r, m);
    if (!counted)
        return tl::unexpected(std::string("neither model.layers nor model.params_b is stated"));
    m.layers = filled(layers, "model.layers", *counted);
    return m;
}

} // namespace stratoplan::validation
