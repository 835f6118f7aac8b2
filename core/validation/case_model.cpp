// SPDX-License-Identifier: Apache-2.0
#include "core/units/text.h"
#include "core/validation/case_rules.h"

#include <algorithm>
#include <cctype>

namespace stratoplan {
namespace {

/// Vocabulary where the source is silent: GPT-2's, and the multilingual one of the BigScience stack.
int usualVocabulary(const SoftwareProfile& software)
{
    return containsWords(software.id, "megatron-deepspeed-2021") ? 250680 : 50257;
}

/// Stacks of 2019 to 2022 trained GPT with dropout and biases.
bool classicGpt(const CaseRecord& r, bool gated)
{
    return !gated && !containsWords(r.framework, "llm-foundry");
}

tl::expected<MixtureOfExperts, std::string> caseExperts(const CaseRecord& r, const Transformer& m, Filled& filled)
{
    if (r.experts.value_or(0) < 1 || r.topK.value_or(0) < 1)
        return tl::unexpected(std::string("model.experts or model.top_k is not stated"));
    MixtureOfExperts moe;
    moe.experts = *r.experts;
    moe.topK = *r.topK;
    moe.expertFfn = filled(r.moeFfn.value_or(0) > 0 ? r.moeFfn : std::nullopt, "model.moe_ffn", m.ffnHidden);
    moe.sharedExperts = filled(r.sharedExperts, "model.shared_experts", 0);
    moe.leadingDenseLayers = filled(r.denseLayers, "model.dense_layers", 0);
    return moe;
}

/// The stated value, else that of the catalogue's model of this name.
template <class T>
std::optional<T> stated(const std::optional<T>& value, const char* field, const ModelPreset* known, T Transformer::*member, Filled& filled)
{
    if (value || !known)
        return value;
    return filled(value, field, known->model.*member);
}

} // namespace

const ModelPreset* namedModel(const CaseRecord& record, const Catalog& catalog)
{
    const auto letters = [](std::string_view name) {
        std::string result;
        for (const char c : name)
            if (std::isalnum(static_cast<unsigned char>(c)))
                result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        return result;
    };
    const std::string wanted = letters(record.modelName);
    const auto it = std::find_if(catalog.models.begin(), catalog.models.end(),
                                 [&](const ModelPreset& m) { return letters(m.id) == wanted || letters(m.model.name) == wanted; });
    return it == catalog.models.end() ? nullptr : &*it;
}

tl::expected<Transformer, std::string> caseModel(const CaseRecord& r, const SoftwareProfile& software, const Catalog& catalog, Filled& filled)
{
    const ModelPreset* known = namedModel(r, catalog);
    const auto layers = stated(r.layers, "model.layers", known, &Transformer::layers, filled);
    const auto hidden = stated(r.hidden, "model.hidden", known, &Transformer::hidden, filled);
    for (const auto& [value, name] : {std::pair(layers, "layers"), std::pair(hidden, "hidden"), std::pair(r.sequenceLength, "seq_len")})
        if (!value)
            return tl::unexpected(std::string("model.") + name + " is not stated");
    // A cut-down or changed model keeps the name; what depends on the shape is taken only from the same shape.
    if (known && (known->model.layers != *layers || known->model.hidden != *hidden))
        known = nullptr;
    Transformer m;
    m.name = r.modelName;
    m.layers = *layers;
    m.hidden = *hidden;
    m.heads = filled(stated(r.heads, "model.heads", known, &Transformer::heads, filled), "model.heads", std::max(1, m.hidden / 128));
    m.kvHeads = filled(stated(r.kvHeads, "model.kv_heads", known, &Transformer::kvHeads, filled), "model.kv_heads", m.heads);
    if (!r.headDim && (m.hidden < m.heads || m.hidden % m.heads != 0))
        return tl::unexpected(std::string("model.head_dim is not stated and heads do not divide the hidden size"));
    m.headDim = filled(r.headDim, "model.head_dim", m.hidden / m.heads);
    m.gatedMlp = filled(stated(r.gatedMlp, "model.gated_mlp", known, &Transformer::gatedMlp, filled), "model.gated_mlp", false);
    m.ffnHidden = filled(stated(r.ffnHidden, "model.ffn_hidden", known, &Transformer::ffnHidden, filled), "model.ffn_hidden", 4 * m.hidden);
    m.vocabulary
        = filled(stated(r.vocabulary, "model.vocab", known, &Transformer::vocabulary, filled), "model.vocab", usualVocabulary(software));
    const bool classic = classicGpt(r, m.gatedMlp);
    m.tiedEmbeddings = filled(stated(r.tiedEmbeddings, "model.tied_embeddings", known, &Transformer::tiedEmbeddings, filled),
                              "model.tied_embeddings", !m.gatedMlp);
    m.linearBias = classic || containsWords(r.modelName, "GPT-OSS");
    // The fused kernels of Megatron and its forks draw and keep their masks whatever the rate of dropout is.
    m.dropout = classic;
    m.norm = m.gatedMlp ? Norm::Rms : Norm::Layer;
    m.position = m.gatedMlp ? Position::Rotary : Position::Learned;
    m.maxPositions = m.gatedMlp ? 0 : *r.sequenceLength;
    if (r.modelKind == "moe") {
        auto moe = caseExperts(r, m, filled);
        if (!moe)
            return tl::unexpected(moe.error());
        m.moe = *moe;
    } else if (r.modelKind.empty()) {
        filled.add("model.kind", std::string("dense"));
    } else if (r.modelKind != "dense") {
        return unknownWord("model.kind", r.modelKind, "dense or moe");
    }
    if (containsWords(r.attention, "MLA")) {
        LatentAttention mla; // the ranks of DeepSeek-V2, the only ones printed in the remark
        mla.queryRank = containsWords(r.attention, "q_lora 1536") ? 1536 : 0;
        m.mla = mla;
    } else if (containsWords(r.attention, "sliding window (128)")) {
        m.slidingWindow = 128;
        m.slidingWindowInterval = 2;
    }
    return m;
}

} // namespace stratoplan
