// SPDX-License-Identifier: Apache-2.0
#include "core/validation/case_plan.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stratoplan {
namespace {

bool contains(const std::string& text, std::string_view part)
{
    return text.find(part) != std::string::npos;
}

/// Vocabulary where the source is silent: GPT-2's, and the multilingual one of the BigScience stack.
int usualVocabulary(const SoftwareProfile& software)
{
    return contains(software.id, "megatron-deepspeed-2021") ? 250680 : 50257;
}

/// Stacks of 2019 to 2022 trained GPT with dropout and biases.
bool classicGpt(const CaseRecord& r, bool gated)
{
    return !gated && !contains(r.framework, "llm-foundry");
}

tl::expected<Transformer, std::string> caseModel(const CaseRecord& r, const SoftwareProfile& software, Filled& filled)
{
    for (const auto& [value, name] : {std::pair(r.layers, "layers"), std::pair(r.hidden, "hidden"), std::pair(r.sequenceLength, "seq_len")})
        if (!value || *value <= 0)
            return tl::unexpected(std::string("model.") + name + " is not stated");
    Transformer m;
    m.name = r.modelName;
    m.layers = *r.layers;
    m.hidden = *r.hidden;
    m.heads = filled(r.heads, "model.heads", std::max(1, m.hidden / 128));
    m.kvHeads = filled(r.kvHeads, "model.kv_heads", m.heads);
    if (!r.headDim && m.hidden % m.heads != 0)
        return tl::unexpected(std::string("model.head_dim is not stated and heads do not divide the hidden size"));
    m.headDim = filled(r.headDim, "model.head_dim", m.hidden / m.heads);
    m.gatedMlp = filled(r.gatedMlp, "model.gated_mlp", false);
    m.ffnHidden = filled(r.ffnHidden, "model.ffn_hidden", 4 * m.hidden);
    m.vocabulary = filled(r.vocabulary, "model.vocab", usualVocabulary(software));
    const bool classic = classicGpt(r, m.gatedMlp);
    m.tiedEmbeddings = filled(r.tiedEmbeddings, "model.tied_embeddings", !m.gatedMlp);
    m.linearBias = classic;
    // Megatron's defaults, which stacks kept until flash attention replaced its softmax.
    m.dropout = classic
        && (!software.flashAttention || contains(r.version, "2020") || contains(r.version, "2021") || contains(r.version, "2022"));
    m.norm = m.gatedMlp ? Norm::Rms : Norm::Layer;
    m.position = m.gatedMlp ? Position::Rotary : Position::Learned;
    m.maxPositions = m.gatedMlp ? 0 : *r.sequenceLength;
    if (r.modelKind == "moe") {
        if (!r.experts || !r.topK)
            return tl::unexpected(std::string("model.experts or model.top_k is not stated"));
        MixtureOfExperts moe;
        moe.experts = *r.experts;
        moe.topK = *r.topK;
        moe.expertFfn = filled(r.moeFfn, "model.moe_ffn", m.ffnHidden);
        moe.sharedExperts = filled(r.sharedExperts, "model.shared_experts", 0);
        moe.leadingDenseLayers = filled(r.denseLayers, "model.dense_layers", 0);
        m.moe = moe;
    }
    if (contains(r.attention, "MLA")) {
        LatentAttention mla; // the ranks of DeepSeek-V2, the only ones printed in the remark
        mla.queryRank = contains(r.attention, "q_lora 1536") ? 1536 : 0;
        m.mla = mla;
    } else if (contains(r.attention, "sliding window (128)")) {
        m.slidingWindow = 128;
        m.slidingWindowInterval = 2;
    }
    return m;
}

Precision casePrecision(const CaseRecord& r, Filled& filled)
{
    const std::string& text = r.precision;
    if (contains(text, "nvfp4"))
        return Precision::Nvfp4;
    if (contains(text, "mxfp8") || contains(text, "fp8-mx") || contains(text, "mx 32"))
        return Precision::Mxfp8;
    if (contains(text, "fp8") || contains(text, "float8"))
        return Precision::Fp8;
    if (contains(text, "fp16"))
        return Precision::Fp16;
    if (contains(text, "fp32"))
        return contains(text, "bf16") ? Precision::Bf16 : Precision::Fp32;
    if (text.empty())
        filled.add("training.precision", std::string("bf16"));
    return Precision::Bf16;
}

tl::expected<void, std::string> caseSchedule(const CaseRecord& r, Strategy& s)
{
    const std::string& text = r.schedule;
    for (const std::string_view special : {"vocabulary parallelism", "interlaced", "layer redistribution"})
        if (contains(text, special))
            return tl::unexpected("schedule \"" + text + "\" is not modelled yet");
    s.schedule = s.vpp > 1 || contains(text, "interleaved") || contains(text, "1F1B-I") ? Schedule::Interleaved : Schedule::OneFOneB;
    if (contains(text, "GPipe"))
        s.schedule = Schedule::GPipe;
    if (contains(text, "ZB-1p") || contains(text, "ZB-H1"))
        s.schedule = Schedule::ZbH1;
    if (contains(text, "ZB-2p") || contains(text, "ZB-H2"))
        s.schedule = Schedule::ZbH2;
    if (contains(text, "ZB-V") || contains(text, "ZBV"))
        s.schedule = Schedule::ZbV;
    if (contains(text, "V-Half"))
        s.schedule = Schedule::VHalf;
    if (s.schedule == Schedule::Interleaved && s.vpp == 1)
        s.schedule = Schedule::OneFOneB;
    return {};
}

int caseZeroStage(const CaseRecord& r, Filled& filled)
{
    if (r.zeroStage)
        return *r.zeroStage;
    if (contains(r.fsdp, "FSDP") || contains(r.fsdp, "FULL_SHARD"))
        return 3;
    if (!r.distributedOptimizer && r.fsdp.empty())
        filled.add("parallel.zero_stage", 0);
    return r.distributedOptimizer.value_or(false) ? 1 : 0;
}

Recompute caseRecompute(const CaseRecord& r, Filled& filled)
{
    if (contains(r.recompute, "selective"))
        return Recompute::Selective;
    if (contains(r.recompute, "full"))
        return Recompute::Full;
    if (r.recompute.empty())
        filled.add("training.recompute", std::string("none"));
    return Recompute::None;
}

tl::expected<Strategy, std::string> caseStrategy(const CaseRecord& r, const SoftwareProfile& software, const Transformer& model, Filled& filled)
{
    Strategy s;
    s.tp = filled(r.tp, "parallel.tp", 1);
    s.pp = filled(r.pp, "parallel.pp", 1);
    s.cp = filled(r.cp, "parallel.cp", 1);
    if (s.tp < 1 || s.pp < 1 || s.cp < 1)
        return tl::unexpected(std::string("parallel.tp, pp and cp must be at least 1"));
    const int total = r.totalGpus.value_or(0);
    s.dp = filled(r.dp, "parallel.dp", std::max(1, total / (s.tp * s.pp * s.cp)));
    s.ep = model.moe ? filled(r.ep, "parallel.ep", 1) : 1;
    // Expert tensor parallelism follows the attention's unless the source says otherwise.
    s.etp = model.moe && !contains(r.overlap, "expert tensor parallel 1") && s.dp * s.cp % s.ep == 0 ? s.tp : 1;
    s.vpp = filled(r.vpp, "parallel.vpp", 1);
    s.zeroStage = caseZeroStage(r, filled);
    const bool modern = contains(software.id, "megatron-core") || software.id == "nemo" || software.id == "mindspeed";
    s.sequenceParallel = s.tp > 1 && filled(r.sequenceParallel, "parallel.sequence_parallel", modern);
    s.recompute = caseRecompute(r, filled);
    if (const auto schedule = caseSchedule(r, s); !schedule)
        return tl::unexpected(schedule.error());
    return s;
}

/// Batch of the plan. A global batch that d b does not divide ends in a smaller micro-batch: it is priced whole and scaled.
tl::expected<double, std::string> caseBatch(const CaseRecord& r, Plan& plan, Filled& filled)
{
    Strategy& s = plan.strategy;
    if (!r.globalBatch && !(r.gradAccum && r.microBatch))
        return tl::unexpected(std::string("training.global_batch is not stated"));
    const int global = filled(r.globalBatch, "training.global_batch", r.gradAccum.value_or(1) * r.microBatch.value_or(1) * s.dp);
    if (global < 1)
        return tl::unexpected(std::string("training.global_batch must be at least 1"));
    const int perRank = std::max(1, global / s.dp);
    const int accumulated = r.gradAccum.value_or(0) > 0 ? std::max(1, perRank / *r.gradAccum) : 1;
    s.microBatch = std::max(1, filled(r.microBatch, "training.micro_batch", accumulated));
    const int unit = s.dp * s.microBatch;
    plan.training.globalBatch = (global + unit - 1) / unit * unit;
    if (plan.training.globalBatch != global)
        filled.add("training.global_batch priced", plan.training.globalBatch);
    return double(global) / plan.training.globalBatch;
}

} // namespace

tl::expected<CasePlan, std::string> casePlan(const CaseRecord& r, const Catalog& catalog)
{
    Filled filled;
    CasePlan result;
    Plan& plan = result.plan;
    plan.name = r.id;
    Training& training = plan.training;
    training.software = caseSoftware(r, catalog, filled);
    auto model = caseModel(r, training.software, filled);
    if (!model)
        return tl::unexpected(model.error());
    plan.model = std::move(*model);
    auto cluster = caseCluster(r, catalog, filled);
    if (!cluster)
        return tl::unexpected(cluster.error());
    plan.cluster = std::move(*cluster);
    auto strategy = caseStrategy(r, training.software, plan.model, filled);
    if (!strategy)
        return tl::unexpected(strategy.error());
    plan.strategy = std::move(*strategy);
    training.sequenceLength = *r.sequenceLength;
    training.precision = casePrecision(r, filled);
    training.attention = filled(r.flashAttention, "training.flash_attention", training.software.flashAttention) ? AttentionKernel::Flash
                                                                                                              : AttentionKernel::Unfused;
    // FP16 runs reduce 16-bit gradients; PyTorch FSDP in PURE mode reduces in BF16.
    training.fp32Gradients
        = training.precision != Precision::Fp16 && !contains(r.overlap, "PURE") && training.software.gradientsInFp32;
    if (contains(r.precision, "fp32 grad"))
        training.fp32Gradients = true;
    const auto scale = caseBatch(r, plan, filled);
    if (!scale)
        return tl::unexpected(scale.error());
    result.batchScale = *scale;
    result.filled = filled.take();
    return result;
}

} // namespace stratoplan
