// SPDX-License-Identifier: Apache-2.0
#include "core/validation/case_plan.h"

#include "core/units/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

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

tl::unexpected<std::string> unknownWord(const char* field, const std::string& text, const char* known)
{
    return tl::unexpected(std::string(field) + ": found \"" + shortened(text) + "\", expected " + known + ", or null");
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

tl::expected<Precision, std::string> casePrecision(const CaseRecord& r, Filled& filled)
{
    struct Word {
        std::string_view words;
        Precision precision;
    };
    // Narrow formats first: in "bf16 + fp8 linear" the products decide. Longer names before those they hold: "bfloat16", "float16".
    static constexpr std::array kWords{
        Word{"nvfp4", Precision::Nvfp4},
        Word{"mxfp8", Precision::Mxfp8},
        Word{"fp8-mx", Precision::Mxfp8},
        Word{"mx 32", Precision::Mxfp8},
        Word{"fp8", Precision::Fp8},
        Word{"float8", Precision::Fp8},
        Word{"fp16", Precision::Fp16},
        Word{"bf16", Precision::Bf16},
        Word{"bfloat16", Precision::Bf16},
        Word{"float16", Precision::Fp16},
        Word{"tf32", Precision::Tf32},
        Word{"fp32", Precision::Fp32},
        Word{"float32", Precision::Fp32},
    };
    if (r.precision.empty()) {
        filled.add("training.precision", std::string("bf16"));
        return Precision::Bf16;
    }
    for (const Word& word : kWords)
        if (containsWords(r.precision, word.words))
            return word.precision;
    return unknownWord("training.precision", r.precision, "fp32, tf32, fp16, bf16, fp8, mxfp8 or nvfp4");
}

/// The schedule the source names; nothing for a name that nobody knows.
std::optional<Schedule> namedSchedule(const std::string& text)
{
    struct Word {
        std::string_view words;
        Schedule schedule;
    };
    static constexpr std::array kWords{
        Word{"GPipe", Schedule::GPipe},
        Word{"ZB-1p", Schedule::ZbAuto},
        Word{"ZB-H1", Schedule::ZbH1},
        Word{"ZB-2p", Schedule::ZbAuto},
        Word{"ZB-H2", Schedule::ZbH2},
        Word{"ZB-V", Schedule::ZbV},
        Word{"ZBV", Schedule::ZbV},
        Word{"V-Half", Schedule::VHalf},
        Word{"V-Min", Schedule::VMin},
        Word{"DualPipeV", Schedule::DualPipeV},
        Word{"DualPipe", Schedule::DualPipe},
        Word{"eager", Schedule::EagerOneFOneB},
        Word{"breadth", Schedule::BreadthFirst},
        Word{"interleaved", Schedule::Interleaved},
        Word{"1F1B-I", Schedule::Interleaved},
        Word{"1F1B", Schedule::OneFOneB},
        Word{"PipeDream-Flush", Schedule::OneFOneB},
    };
    if (const auto exact = scheduleFromKey(text))
        return exact;
    for (const Word& word : kWords)
        if (containsWords(text, word.words))
            return word.schedule;
    return std::nullopt;
}

tl::expected<Schedule, std::string> caseSchedule(const CaseRecord& r, const Strategy& s, Filled& filled)
{
    const std::string& text = r.schedule;
    // 1F1B over several chunks per stage is the interleaved schedule, the interleaved one over a single chunk is 1F1B.
    const auto chunked = [&](Schedule schedule) {
        const bool plain = schedule == Schedule::OneFOneB || schedule == Schedule::Interleaved;
        return !plain ? schedule : s.vpp > 1 ? Schedule::Interleaved : Schedule::OneFOneB;
    };
    if (text.empty() || (text == "none" && s.pp == 1)) {
        const Schedule rule = chunked(Schedule::OneFOneB);
        filled.add("parallel.schedule", std::string(key(rule)));
        return rule;
    }
    const auto named = namedSchedule(text);
    if (!named)
        return unknownWord("parallel.schedule", text, "a schedule such as GPipe, 1F1B, interleaved 1F1B or ZB-H1");
    return chunked(*named);
}

/// Sources name what they do with the vocabulary with the schedule.
VocabularyPlacement casePlacement(const CaseRecord& r, Filled& filled)
{
    if (containsWords(r.schedule, "interlaced"))
        return VocabularyPlacement::Interlaced;
    if (!containsWords(r.schedule, "vocabulary parallelism"))
        return VocabularyPlacement::Ends;
    const bool second = containsWords(r.schedule, "alg. 2");
    if (!second && !containsWords(r.schedule, "alg. 1"))
        filled.add("parallel.schedule vocabulary parallelism", std::string(key(VocabularyPlacement::Vocab1)));
    return second ? VocabularyPlacement::Vocab2 : VocabularyPlacement::Vocab1;
}

/// Layer redistribution as the launcher of 2411.05288 sets it: by FLOPs, the last stage has as few layers as still bring it to the
/// mean, and the others share the rest, those further down the spare ones.
std::vector<int> redistributedLayers(const CaseRecord& r, const Transformer& model, int stages)
{
    if (stages == 1)
        return {};
    const double head = headForwardFlops(model, *r.sequenceLength) / layerForwardFlops(model, 0, *r.sequenceLength); // in layers
    const int last = std::max(0, int(std::ceil((model.layers + head) / stages - head)));
    std::vector<int> layers = balancedStageLayers(model.layers - last, std::vector<double>(std::size_t(stages) - 1));
    layers.push_back(last);
    return layers;
}

tl::expected<int, std::string> caseZeroStage(const CaseRecord& r, Filled& filled)
{
    if (r.zeroStage)
        return *r.zeroStage;
    const auto says = [&](std::string_view words) { return containsWords(r.fsdp, words); };
    const bool unsharded = r.fsdp.empty() || says("none") || says("NO_SHARD") || says("DDP");
    if (says("SHARD_GRAD_OP"))
        return 2;
    // Alpa's name for dividing gradients and optimizer states over the replicas.
    if (containsWords(r.overlap, "prefer_reduce_scatter"))
        return 2;
    if (!unsharded && (says("FSDP") || says("FULL_SHARD") || says("HYBRID_SHARD")))
        return 3;
    if (!unsharded)
        return unknownWord("parallel.fsdp", r.fsdp, "FSDP, FSDP2, FULL_SHARD, SHARD_GRAD_OP or none");
    if (r.distributedOptimizer)
        return *r.distributedOptimizer ? 1 : 0;
    const int usual = containsWords(r.framework, "Megatron-Bridge") ? 1 : 0; // all its recipes use the distributed optimizer
    if (r.fsdp.empty() || usual > 0)
        filled.add("parallel.zero_stage", usual);
    return usual;
}

/// The group named in "shard group 8", where it divides the replicas; 0 = all of them.
int caseShards(const CaseRecord& r, const Strategy& s)
{
    constexpr std::string_view kWords = "shard group ";
    const std::size_t at = r.overlap.find(kWords);
    if (at == std::string::npos)
        return 0;
    int shards = 0;
    const char* first = r.overlap.data() + at + kWords.size();
    std::from_chars(first, r.overlap.data() + r.overlap.size(), shards);
    return shards > 0 && s.dp * s.cp % shards == 0 ? shards : 0;
}

tl::expected<Recompute, std::string> caseRecompute(const CaseRecord& r, Filled& filled)
{
    if (r.recompute.empty())
        filled.add("training.recompute", std::string("none"));
    if (r.recompute.empty() || containsWords(r.recompute, "none"))
        return Recompute::None;
    if (containsWords(r.recompute, "selective"))
        return Recompute::Selective;
    if (containsWords(r.recompute, "full"))
        return Recompute::Full;
    return unknownWord("training.recompute", r.recompute, "none, selective or full");
}

/// The degrees of a case. Their product, and with it every later product of counts, stays exact.
tl::expected<void, std::string> caseDegrees(const CaseRecord& r, const SoftwareProfile& software, const Transformer& model, Strategy& s, Filled& filled)
{
    s.tp = filled(r.tp, "parallel.tp", 1);
    s.pp = filled(r.pp, "parallel.pp", 1);
    s.cp = filled(r.cp, "parallel.cp", 1);
    const std::int64_t group = std::int64_t{s.tp} * s.pp * s.cp; // at most 1e18
    if (group > kMaxCaseRanks)
        return tl::unexpected(
            "parallel.tp x pp x cp asks for " + std::to_string(group) + " accelerators, expected at most " + std::to_string(kMaxCaseRanks));
    s.dp = filled(r.dp, "parallel.dp", static_cast<int>(std::max<std::int64_t>(1, r.totalGpus.value_or(0) / group)));
    if (group * s.dp > kMaxCaseRanks)
        return tl::unexpected("parallel.tp x pp x cp x dp asks for " + std::to_string(group * s.dp) + " accelerators, expected at most "
            + std::to_string(kMaxCaseRanks));
    s.ep = model.moe ? filled(r.ep, "parallel.ep", 1) : 1;
    // Expert tensor parallelism follows the attention's unless the source says otherwise.
    s.etp = model.moe && !containsWords(r.overlap, "expert tensor parallel 1") && s.dp * s.cp % s.ep == 0 ? s.tp : 1;
    // NeMo's recipes run one layer per virtual stage wherever they have a pipeline and the source names no other number.
    const bool chunked = software.id == "nemo" && s.pp > 1 && model.layers % s.pp == 0;
    s.vpp = filled(r.vpp, "parallel.vpp", chunked ? model.layers / s.pp : 1);
    return {};
}

tl::expected<Strategy, std::string> caseStrategy(
    const CaseRecord& r, const SoftwareProfile& software, const Transformer& model, Filled& filled)
{
    Strategy s;
    if (const auto degrees = caseDegrees(r, software, model, s, filled); !degrees)
        return tl::unexpected(degrees.error());
    const auto zero = caseZeroStage(r, filled);
    if (!zero)
        return tl::unexpected(zero.error());
    s.zeroStage = *zero;
    s.zeroShards = caseShards(r, s);
    const bool modern = containsWords(software.id, "megatron-core") || software.id == "nemo" || software.id == "mindspeed";
    s.sequenceParallel = s.tp > 1 && filled(r.sequenceParallel, "parallel.sequence_parallel", modern);
    const auto recompute = caseRecompute(r, filled);
    if (!recompute)
        return tl::unexpected(recompute.error());
    s.recompute = *recompute;
    const auto schedule = caseSchedule(r, s, filled);
    if (!schedule)
        return tl::unexpected(schedule.error());
    s.schedule = *schedule;
    // Both were made for the measured passes, within the memory of p and of 2 p micro-batches.
    s.inFlightLimit = containsWords(r.schedule, "ZB-1p") ? s.pp : containsWords(r.schedule, "ZB-2p") ? 2 * s.pp : 0;
    s.vocabularyPlacement = casePlacement(r, filled);
    if (containsWords(r.schedule, "layer redistribution"))
        s.stageLayers = redistributedLayers(r, model, s.pp);
    return s;
}

/// Batch of the plan. A global batch that d b does not divide ends in a smaller micro-batch: it is priced whole and scaled.
tl::expected<double, std::string> caseBatch(const CaseRecord& r, Plan& plan, Filled& filled)
{
    Strategy& s = plan.strategy;
    constexpr std::int64_t kMostSequences = 100000000;
    const bool memoryOnly = !r.stepSeconds && r.peakGib;
    if (!r.globalBatch && !(r.gradAccum && r.microBatch) && !memoryOnly)
        return tl::unexpected(std::string("training.global_batch is not stated"));
    // Memory alone depends on the micro-batch, and on no more of them than fill the pipeline.
    const std::int64_t product = std::int64_t{r.gradAccum.value_or(memoryOnly ? s.pp : 1)} * r.microBatch.value_or(1); // at most 1e16
    const std::int64_t derived = product > kMostSequences ? product : product * s.dp;
    const std::int64_t global = r.globalBatch ? *r.globalBatch : derived;
    if (!r.globalBatch)
        filled.add("training.global_batch", std::to_string(global));
    const std::int64_t perRank = std::max<std::int64_t>(1, global / s.dp);
    const std::int64_t accumulated = r.gradAccum ? std::max<std::int64_t>(1, perRank / *r.gradAccum) : 1;
    if (global > kMostSequences)
        return tl::unexpected(
            "training.global_batch is " + std::to_string(global) + ", expected at most " + std::to_string(kMostSequences));
    s.microBatch = filled(r.microBatch, "training.micro_batch", static_cast<int>(accumulated));
    const std::int64_t unit = std::int64_t{s.dp} * s.microBatch;
    const std::int64_t priced = (global + unit - 1) / unit * unit;
    if (priced > kMostSequences)
        return tl::unexpected(
            "dp x training.micro_batch is " + std::to_string(unit) + ", expected at most " + std::to_string(kMostSequences));
    plan.training.globalBatch = static_cast<int>(priced);
    if (priced != global)
        filled.add("training.global_batch priced", plan.training.globalBatch);
    return double(global) / double(priced);
}

} // namespace

tl::expected<CasePlan, std::string> casePlan(const CaseRecord& r, const Catalog& catalog, const std::optional<SoftwareProfile>& software)
{
    Filled filled;
    CasePlan result;
    Plan& plan = result.plan;
    plan.name = r.id;
    Training& training = plan.training;
    training.software = software ? *software : caseSoftware(r, catalog, filled);
    auto model = caseModel(r, training.software, catalog, filled);
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
    const auto precision = casePrecision(r, filled);
    if (!precision)
        return tl::unexpected(precision.error());
    training.precision = *precision;
    training.attention = filled(r.flashAttention, "training.flash_attention", training.software.flashAttention) ? AttentionKernel::Flash
                                                                                                                : AttentionKernel::Unfused;
    // FP16 runs reduce 16-bit gradients; PyTorch FSDP in PURE mode reduces in BF16.
    training.fp32Gradients =
        training.precision != Precision::Fp16 && !containsWords(r.overlap, "PURE") && training.software.gradientsInFp32;
    if (containsWords(r.precision, "fp32 grad"))
        training.fp32Gradients = true;
    const auto scale = caseBatch(r, plan, filled);
    if (!scale)
        return tl::unexpected(scale.error());
    result.batchScale = *scale;
    result.filled = filled.take();
    result.filled.insert(result.filled.end(), r.filled.begin(), r.filled.end());
    return result;
}

} // namespace stratoplan
