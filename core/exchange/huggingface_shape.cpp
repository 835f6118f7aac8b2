// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/huggingface_shape.h"

#include "core/catalog/quote.h"

#include <algorithm>
#include <array>

namespace stratoplan::exchange::huggingface {
namespace {

using Json = Fields::Json;
using Count = std::int64_t;

constexpr std::string_view kSharedKeys =
    ": layers that take over the keys of another layer's indexer cannot be represented yet";

void readLatentAttention(Fields& f, const Family& family, model::Transformer& m)
{
    model::LatentAttention mla;
    mla.queryRank = f.number("q_lora_rank", 0, false);
    mla.kvRank = f.number("kv_lora_rank");
    mla.ropeHeadDim = f.number("qk_rope_head_dim");
    mla.nopeHeadDim = f.number("qk_nope_head_dim");
    mla.valueHeadDim = f.number("v_head_dim");
    m.kvHeads = m.heads;
    m.headDim = mla.nopeHeadDim + mla.ropeHeadDim;
    m.mla = mla;
    if (!f.has("index_topk") && !family.sparse)
        return;
    model::SparseAttention dsa;
    dsa.indexHeads = f.number("index_n_heads");
    dsa.indexHeadDim = f.number("index_head_dim");
    dsa.topK = f.number("index_topk");
    if (const int every = f.number("index_topk_freq", 1, false); every > 1)
        f.fail("index_topk_freq", std::to_string(every), "1" + std::string(kSharedKeys));
    // Of each layer: "full" or "shared" in a list, F or S in a text (GLM).
    if (f.has("indexer_types"))
        for (const std::string& type : f.words("indexer_types"))
            if (type != "full")
                return f.fail("indexer_types", type, "full of every layer" + std::string(kSharedKeys));
    if (const Json* const pattern = f.find("index_topk_pattern"); pattern && pattern->is_string())
        if (const auto letters = pattern->get<std::string>(); letters.find_first_not_of('F') != std::string::npos)
            f.fail("index_topk_pattern", catalog::quoteText(letters), "F of every layer" + std::string(kSharedKeys));
    m.dsa = dsa;
}

void readKvHeads(Fields& f, const Family& family, model::Transformer& m)
{
    const bool choice = family.multiQuery && !f.flag("new_decoder_architecture", false);
    if (choice && f.flag("multi_query", true)) {
        m.kvHeads = 1; // whatever else is stated (Falcon)
        return;
    }
    m.kvHeads = f.number("num_key_value_heads", m.heads, !family.classic, 1);
    if (m.kvHeads > 0 && m.heads % m.kvHeads != 0)
        f.fail("num_key_value_heads", std::to_string(m.kvHeads),
            "a divisor of num_attention_heads, " + std::to_string(m.heads));
}

void readAttention(Fields& f, const Family& family, model::Transformer& m)
{
    m.heads = f.number("num_attention_heads");
    if (f.flag("use_mla", family.latent || f.has("kv_lora_rank"))) {
        readLatentAttention(f, family, m);
        return;
    }
    readKvHeads(f, family, m);
    const bool whole = m.heads > 0 && m.hidden % m.heads == 0;
    m.headDim = f.number("head_dim", whole ? m.hidden / m.heads : 0, whole && !family.classic, 1);
    if (m.headDim == 0 && f.errors().empty())
        f.fail("num_attention_heads", std::to_string(m.heads),
            "a divisor of the hidden size " + std::to_string(m.hidden) + ", or head_dim beside it");
    m.qkNorm = f.flag("use_qk_norm", family.qkNorm);
}

/// The experts of a layer; their places are read last, when nothing else is wrong.
void readExperts(Fields& f, const Family& family, ImportedModel& result)
{
    model::MixtureOfExperts moe;
    moe.experts = f.number("num_experts", 0, false);
    const bool narrow = family.narrowExperts || f.has("moe_intermediate_size");
    if (moe.experts == 0 || (moe.experts == 1 && !narrow)) // a single one is the dense FFN (Hunyuan)
        return;
    moe.topK = f.number("num_experts_per_tok");
    if (moe.topK > moe.experts)
        f.fail("num_experts_per_tok", std::to_string(moe.topK),
            "at most the number of experts, " + std::to_string(moe.experts));
    moe.expertFfn = f.number(narrow ? "moe_intermediate_size" : "intermediate_size");
    moe.sharedExperts = f.number("n_shared_experts", family.sharedExperts, false);
    if (const int shared = f.number("shared_expert_intermediate_size", 0, false); shared > 0) {
        moe.sharedExperts = 1;
        moe.sharedExpertFfn = shared;
    }
    moe.routerBias = f.flag("use_routing_bias", family.routerBias);
    result.model.moe = moe;
    placeExperts(f, result);
}

void readFfn(Fields& f, const Family& family, ImportedModel& result)
{
    model::Transformer& m = result.model;
    m.gatedMlp = family.gated;
    readExperts(f, family, result);
    if (family.ffnTimes > 0) {
        const int times = f.number("expansion_ratio", family.ffnTimes, false, 1);
        m.ffnHidden = f.number(
            "intermediate_size", static_cast<int>(std::min<Count>(Count{times} * m.hidden, 100'000'000)), false, 1);
    } else if (m.moe && layerCounts(m).dense == 0) {
        m.ffnHidden = f.number(family.denseWidth, m.moe->expertFfn, false, 0); // of no layer
    } else {
        m.ffnHidden = f.number(family.denseWidth);
    }
}

/// The biases of the model, by the family and by whatever field speaks of them.
unsigned biasesOf(Fields& f, const Family& family)
{
    struct Said {
        const char* field;
        unsigned bits;
    };
    const std::array said{Said{"attention_bias", family.attentionBias}, Said{"qkv_bias", kQkvBias},
        Said{"use_qkv_bias", kQkvBias}, Said{"add_qkv_bias", kQkvBias}, Said{"attention_out_bias", kOutBias},
        Said{"add_bias_linear", kOutBias | kMlpBias}, Said{"mlp_bias", kMlpBias}, Said{"use_bias", family.generalBias},
        Said{"bias", family.generalBias}, Said{"enable_bias", kLayerBias}, Said{"lm_head_bias", kHeadBias}};
    unsigned bits = f.flag("no_bias", true) ? family.bias : kLayerBias;
    for (const Said& stated : said) {
        if (f.has(stated.field))
            bits = f.flag(stated.field, false) ? bits | stated.bits : bits & ~stated.bits;
    }
    return bits;
}

/// What is in the published model and not in the Transformer, or the other way round.
struct Difference {
    unsigned bit;
    Leftover what;
    Count (*parameters)(const model::Transformer&); ///< of the model less those counted
};

Count normSize(const model::Transformer& m)
{
    return m.norm == model::Norm::Layer ? 2 * Count{m.hidden} : Count{m.hidden};
}

Count norms(const model::Transformer& m)
{
    const model::LayerModules modules = layerModules(m);
    const int all = modules.mamba + modules.attention + modules.ffn.dense + modules.ffn.moe;
    return (m.parallelBlock ? Count{m.layers} : Count{all}) + 1;
}

Count attending(const model::Transformer& m)
{
    return layerModules(m).attention;
}

constexpr std::array kDifferences{
    Difference{
        kPostNorms, Leftover::PostNorms, [](const model::Transformer& m) { return Count{2} * m.layers * normSize(m); }},
    Difference{kWideQkNorm, Leftover::WideQkNorm,
        [](const model::Transformer& m) {
            return m.qkNorm ? attending(m) * (m.heads + m.kvHeads - 2) * m.headDim : Count{0};
        }},
    Difference{kBareQkNorm, Leftover::BareQkNorm,
        [](const model::Transformer& m) { return m.qkNorm ? Count{-2} * attending(m) * m.headDim : Count{0}; }},
    Difference{kBareNorm, Leftover::BareNorm, [](const model::Transformer& m) { return -norms(m) * m.hidden; }},
    Difference{
        kNoNormWeights, Leftover::NoNormWeights, [](const model::Transformer& m) { return -norms(m) * normSize(m); }},
    Difference{kPairedNorms, Leftover::PairedNorms,
        [](const model::Transformer& m) { return m.parallelBlock ? m.layers * normSize(m) : Count{0}; }},
    Difference{kSinks, Leftover::Sinks, [](const model::Transformer& m) { return attending(m) * m.heads; }},
    Difference{kOutputGate, Leftover::OutputGate,
        [](const model::Transformer& m) {
            const int local = m.standIn ? m.standIn->layers : 0;
            return Count{m.layers - local} * m.hidden * m.heads * m.headDim;
        }},
    Difference{kSharedGate, Leftover::SharedGate,
        [](const model::Transformer& m) {
            return m.moe && m.moe->sharedExperts > 0 ? Count{layerModules(m).ffn.moe} * m.hidden : Count{0};
        }},
};

constexpr std::array kBiasDifferences{
    Difference{kQkvBias, Leftover::QkvBias,
        [](const model::Transformer& m) {
            return m.mla ? attending(m) * (m.mla->queryRank + m.mla->kvRank + m.mla->ropeHeadDim)
                         : attending(m) * (m.heads + 2 * m.kvHeads) * m.headDim;
        }},
    Difference{kOutBias, Leftover::OutBias, [](const model::Transformer& m) { return attending(m) * m.hidden; }},
    Difference{kMlpBias, Leftover::MlpBias,
        [](const model::Transformer& m) {
            const Count dense = (m.gatedMlp ? 2 : 1) * Count{m.ffnHidden} + m.hidden;
            const Count moe = m.moe ? m.moe->experts * ((m.gatedMlp ? 2 : 1) * Count{m.moe->expertFfn} + m.hidden) : 0;
            return layerModules(m).ffn.dense * dense + layerModules(m).ffn.moe * moe;
        }},
    Difference{kHeadBias, Leftover::HeadBias, [](const model::Transformer& m) { return Count{m.vocabulary}; }},
};

void tell(const Difference& difference, ImportedModel& result)
{
    const Count extra = difference.parameters(result.model);
    if (extra == 0)
        return;
    const double share = static_cast<double>(std::abs(extra)) / static_cast<double>(parameters(result.model).total);
    result.simplified.emplace_back(LeftoverParameters{difference.what, extra, share});
}

/// False for sizes that no plan takes, whose counts would overflow.
bool canBeCounted(const model::Transformer& m)
{
    const double experts = m.moe
        ? (double(m.moe->experts) + m.moe->sharedExperts) * std::max(m.moe->expertFfn, m.moe->sharedExpertFfn)
        : 0;
    const double mixer =
        m.mamba2 ? (m.hidden + m.mamba2->kernel + 1.0) * (3 * innerWidth(*m.mamba2) + convolvedWidth(*m.mamba2)) : 0;
    const double layer = m.hidden * (4.0 * m.heads * m.headDim + 3.0 * (m.ffnHidden + experts)) + mixer;
    return (double(m.layers) + m.multiTokenPredictionDepth) * layer + 2.0 * m.vocabulary * m.hidden < 1e16;
}

/// Biases as a Transformer knows them: everywhere, on the QKV projection, or nowhere.
unsigned setBiases(unsigned bits, model::Transformer& m)
{
    if (!m.mla && (bits & kLayerBias) == kLayerBias) {
        m.linearBias = true;
        return bits & ~kLayerBias;
    }
    m.qkvBias = !m.mla && (bits & kQkvBias) != 0;
    return m.qkvBias ? bits & ~kQkvBias : bits;
}

void readEmbeddings(Fields& f, const Family& family, ImportedModel& result)
{
    model::Transformer& m = result.model;
    m.embeddingNorm = family.embeddingNorm;
    m.position = family.position;
    const bool alibi = f.flag("alibi", false) || (!family.alibiWithout.empty() && !f.has(family.alibiWithout));
    if (alibi)
        m.position = model::Position::Alibi;
    if (m.position == model::Position::Learned)
        m.maxPositions = f.number("max_position_embeddings") + family.positionOffset;
    if (f.has("max_position_embeddings") || f.isPart())
        result.longestSequence = f.number("max_position_embeddings", 0, false);
    if (const int width = f.number("word_embed_proj_dim", m.hidden, false); width != m.hidden)
        f.fail("word_embed_proj_dim", std::to_string(width),
            "the hidden size: embeddings of another width cannot be represented yet");
    if (!f.has("tie_word_embeddings"))
        f.note("tie_word_embeddings", family.tied ? "true" : "false");
    m.tiedEmbeddings = f.flag("tie_word_embeddings", family.tied);
}

} // namespace

void readShape(Fields& f, const Family& family, const StandInFamily* standIn, ImportedModel& result)
{
    model::Transformer& m = result.model;
    m.norm = family.norm;
    m.layers = f.number("num_hidden_layers");
    m.hidden = f.number("hidden_size");
    m.vocabulary = f.number("vocab_size");
    m.parallelBlock = f.flag("use_parallel_residual", family.parallel);
    readAttention(f, family, m);
    readFfn(f, family, result);
    if (!standIn)
        readWindow(f, family, result);
    readEmbeddings(f, family, result);
    if (f.has("attention_chunk_size"))
        result.simplified.emplace_back(ChunksAsFullAttention{true});
    const Json* const dropout = f.find("resid_pdrop");
    m.dropout = dropout && dropout->is_number() && dropout->get<double>() > 0;
    m.multiTokenPredictionDepth = f.number("num_nextn_predict_layers", 0, false);
    const unsigned biases = setBiases(biasesOf(f, family), m);
    if (!f.errors().empty() || !canBeCounted(m))
        return;
    if (standIn)
        readStandIn(f, *standIn, result);
    if (family.stateSpace)
        readStateSpace(f, result);
    if (!f.errors().empty() || !canBeCounted(m))
        return;
    const bool single =
        f.number("num_ln_in_parallel_attn", f.flag("new_decoder_architecture", false) ? 2 : 1, false) == 1; // Falcon
    const unsigned leftovers = family.leftovers | (family.multiQuery && !single ? kPairedNorms : 0U);
    for (const Difference& difference : kDifferences) {
        if (leftovers & difference.bit)
            tell(difference, result);
    }
    for (const Difference& difference : kBiasDifferences) {
        if (biases & difference.bit)
            tell(difference, result);
    }
}

} // namespace stratoplan::exchange::huggingface
