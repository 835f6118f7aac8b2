// SPDX-License-Identifier: Apache-2.0
// The arguments of Megatron-LM that shape a model.
#include "core/launch/draft.h"

#include <algorithm>

namespace stratoplan::launch {
namespace {

void addAttention(Draft& draft, const plan::Plan& plan)
{
    const model::Transformer& m = plan.model;
    draft.number("--num-attention-heads", m.heads);
    if (m.mla || m.headDim > 0)
        draft.number("--kv-channels", m.mla ? m.mla->nopeHeadDim : m.headDim);
    if (!m.mla && m.kvHeads < m.heads) {
        draft.flag("--group-query-attention");
        draft.number("--num-query-groups", m.kvHeads);
    }
    if (m.mla) {
        draft.flag("--multi-latent-attention");
        if (m.mla->queryRank > 0)
            draft.number("--q-lora-rank", m.mla->queryRank);
        draft.number("--kv-lora-rank", m.mla->kvRank);
        draft.number("--qk-head-dim", m.mla->nopeHeadDim);
        draft.number("--qk-pos-emb-head-dim", m.mla->ropeHeadDim);
        draft.number("--v-head-dim", m.mla->valueHeadDim);
    }
    draft.flag("--qk-layernorm", m.qkNorm || m.mla); // latent attention has norms of what it compresses
    if (m.dsa) {
        draft.text("--experimental-attention-variant", "dsa");
        draft.number("--dsa-indexer-n-heads", m.dsa->indexHeads);
        draft.number("--dsa-indexer-head-dim", m.dsa->indexHeadDim);
        draft.number("--dsa-indexer-topk", m.dsa->topK);
    }
    if (m.slidingWindow && !m.standIn) {
        draft.text("--window-size", '(' + std::to_string(*m.slidingWindow - 1) + ",0)"); // beside the token itself
        if (m.slidingWindowInterval > 1)
            draft.text("--window-attn-skip-freq", std::to_string(m.slidingWindowInterval));
    }
}

void addPositions(Draft& draft, const plan::Plan& plan)
{
    const model::Transformer& m = plan.model;
    const int sequence = plan.training.sequenceLength;
    draft.number("--max-position-embeddings",
        m.position == model::Position::Learned ? std::max(m.maxPositions, sequence) : sequence);
    if (m.position == model::Position::Rotary) {
        draft.text("--position-embedding-type", "rope");
        if (m.mla) {
            draft.text("--rope-type", "rope"); // latent attention takes another one by itself, and fuses it alone
            draft.flag("--no-rope-fusion");
        }
        draft.leave(Blank::RotaryBase, "--rotary-base");
    } else if (m.position == model::Position::Learned)
        draft.text("--position-embedding-type", "learned_absolute");
    else {
        draft.text("--position-embedding-type", "none");
        draft.remark(Gap::Parts, "ALiBi", "--position-embedding-type none");
    }
}

/// "1", or a list of Python with a number for each layer: "([0]*3+[1]*58)".
std::string layerFrequency(const model::Transformer& m)
{
    std::string runs;
    int run = 0;
    for (int layer = 0; layer < m.layers; ++layer) {
        ++run;
        const bool moe = isMoeLayer(m, layer);
        if (layer + 1 < m.layers && isMoeLayer(m, layer + 1) == moe)
            continue;
        if (runs.empty() && run == m.layers)
            return "1";
        runs += std::string(runs.empty() ? "(" : "+") + (moe ? "[1]*" : "[0]*") + std::to_string(run);
        run = 0;
    }
    return runs + ')';
}

void addExperts(Draft& draft, const plan::Plan& plan)
{
    const model::MixtureOfExperts& moe = *plan.model.moe;
    const plan::SoftwareProfile& software = plan.training.software;
    const int width = moe.expertFfn > 0 ? moe.expertFfn : plan.model.ffnHidden;
    draft.number("--num-experts", moe.experts);
    draft.text("--moe-layer-freq", layerFrequency(plan.model));
    draft.number("--moe-router-topk", moe.topK);
    draft.number("--moe-ffn-hidden-size", width);
    if (moe.sharedExperts > 0) {
        const int each = moe.sharedExpertFfn > 0 ? moe.sharedExpertFfn : width;
        draft.number("--moe-shared-expert-intermediate-size", std::int64_t{moe.sharedExperts} * each);
    }
    if (moe.capacityFactor > 0)
        draft.set("--moe-expert-capacity-factor", moe.capacityFactor);
    if (moe.routerBias) {
        draft.text("--moe-router-score-function", "sigmoid"); // the bias is read with it
        draft.flag("--moe-router-enable-expert-bias");
    }
    draft.flag("--moe-grouped-gemm");
    const bool once = software.dispatchOnce && plan.strategy.ep > 1;
    draft.text("--moe-token-dispatcher-type", once ? "flex" : "alltoall");
    if (once)
        draft.text("--moe-flex-dispatcher-backend", "deepep");
}

void addMamba(Draft& draft, const model::Mamba2& mamba)
{
    draft.number("--mamba-num-heads", mamba.heads);
    draft.number("--mamba-head-dim", mamba.headDim);
    draft.number("--mamba-state-dim", mamba.stateDim);
    draft.number("--mamba-num-groups", mamba.groups);
    draft.fill(Blank::LayerPattern, "--hybrid-layer-pattern");
    draft.remark(Gap::LayerOrder, "Mamba-2", "--hybrid-layer-pattern " + placeholder(Blank::LayerPattern));
}

void addPartRemarks(Draft& draft, const model::Transformer& m)
{
    if (m.parallelBlock)
        draft.remark(Gap::Parts, "parallel_block");
    if (m.embeddingNorm)
        draft.remark(Gap::Parts, "embedding_norm");
    if (m.standIn)
        draft.remark(Gap::StandIn, m.standIn->kind);
}

} // namespace

void addModel(Draft& draft, const plan::Plan& plan)
{
    const model::Transformer& m = plan.model;
    draft.number("--num-layers", m.layers);
    draft.number("--hidden-size", m.hidden);
    draft.number("--ffn-hidden-size", m.ffnHidden);
    addAttention(draft, plan);
    draft.number("--seq-length", plan.training.sequenceLength);
    addPositions(draft, plan);
    draft.number("--vocab-size", m.vocabulary);
    draft.text("--normalization", m.norm == model::Norm::Rms ? "RMSNorm" : "LayerNorm");
    draft.flag("--swiglu", m.gatedMlp);
    draft.flag("--untie-embeddings-and-output-weights", !m.tiedEmbeddings);
    draft.flag("--disable-bias-linear", !m.linearBias);
    draft.flag("--add-qkv-bias", m.qkvBias && !m.linearBias);
    draft.set("--attention-dropout", m.dropout ? 0.1 : 0.0);
    draft.set("--hidden-dropout", m.dropout ? 0.1 : 0.0);
    if (hasExperts(plan))
        addExperts(draft, plan);
    if (m.multiTokenPredictionDepth > 0)
        draft.number("--mtp-num-layers", m.multiTokenPredictionDepth);
    if (m.mamba2)
        addMamba(draft, *m.mamba2);
    addPartRemarks(draft, m);
}

} // namespace stratoplan::launch
