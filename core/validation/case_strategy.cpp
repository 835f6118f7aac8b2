// SPDX-License-Identifier: Apache-2.0
#include "core/units/text.h"
#include "core/validation/case_rules.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>
#include <span>

namespace stratoplan::validation {
namespace {

/// What a source means by certain words.
template <class T>
struct Word {
    std::string_view words;
    T meaning;
};
template <class T>
Word(const char*, T) -> Word<T>;

/// The meaning of the first of `words` that stand in `text`.
template <class T>
std::optional<T> namedIn(std::string_view text, std::span<const Word<T>> words)
{
    const auto found =
        std::ranges::find_if(words, [&](const Word<T>& word) { return containsWords(text, word.words); });
    return found == words.end() ? std::nullopt : std::optional(found->meaning);
}

/// The schedule the source names; nothing for a name that nobody knows.
std::optional<parallel::Schedule> namedSchedule(const std::string& text)
{
    static constexpr std::array kWords{
        Word{"non-interleaved", parallel::Schedule::OneFOneB},
        Word{"without interleaving", parallel::Schedule::OneFOneB},
        Word{"no VPP", parallel::Schedule::OneFOneB},
        Word{"GPipe", parallel::Schedule::GPipe},
        Word{"ZB-1p", parallel::Schedule::ZbAuto},
        Word{"ZB-H1", parallel::Schedule::ZbH1},
        Word{"ZB-2p", parallel::Schedule::ZbAuto},
        Word{"ZB-H2", parallel::Schedule::ZbH2},
        Word{"ZB-V", parallel::Schedule::ZbV},
        Word{"ZBV", parallel::Schedule::ZbV},
        Word{"V-Half", parallel::Schedule::VHalf},
        Word{"V-Min", parallel::Schedule::VMin},
        Word{"DualPipeV", parallel::Schedule::DualPipeV},
        Word{"DualPipe", parallel::Schedule::DualPipe},
        Word{"eager", parallel::Schedule::EagerOneFOneB},
        Word{"breadth", parallel::Schedule::BreadthFirst},
        Word{"zero bubble", parallel::Schedule::ZbH1},
        Word{"interleav", parallel::Schedule::Interleaved},
        Word{"VPP", parallel::Schedule::Interleaved},
        Word{"virtual", parallel::Schedule::Interleaved},
        Word{"1F1B-I", parallel::Schedule::Interleaved},
        Word{"1F1B", parallel::Schedule::OneFOneB},
        Word{"PipeDream-Flush", parallel::Schedule::OneFOneB},
    };
    if (const auto exact = parallel::scheduleFromKey(text))
        return exact;
    return namedIn<parallel::Schedule>(text, kWords);
}

parallel::Schedule caseSchedule(const CaseRecord& r, const parallel::Strategy& s, Filled& filled)
{
    const std::string& text = r.schedule;
    // 1F1B over several chunks per stage is the interleaved schedule, the interleaved one over a single chunk is 1F1B.
    const auto chunked = [&](parallel::Schedule schedule) {
        const bool plain = schedule == parallel::Schedule::OneFOneB || schedule == parallel::Schedule::Interleaved;
        return !plain ? schedule : s.vpp > 1 ? parallel::Schedule::Interleaved : parallel::Schedule::OneFOneB;
    };
    const auto named = namedSchedule(text);
    if (!named) {
        const parallel::Schedule rule = chunked(parallel::Schedule::OneFOneB);
        filled.add("parallel.schedule", std::string(key(rule)) + (text == "none" ? std::string() : unknown(text)));
        return rule;
    }
    return chunked(*named);
}

/// Sources name what they do with the vocabulary with the schedule.
parallel::VocabularyPlacement casePlacement(const CaseRecord& r, Filled& filled)
{
    if (containsWords(r.schedule, "interlaced"))
        return parallel::VocabularyPlacement::Interlaced;
    if (!containsWords(r.schedule, "vocabulary parallelism"))
        return parallel::VocabularyPlacement::Ends;
    const bool second = containsWords(r.schedule, "alg. 2");
    if (!second && !containsWords(r.schedule, "alg. 1"))
        filled.add("parallel.schedule vocabulary parallelism", std::string(key(parallel::VocabularyPlacement::Vocab1)));
    return second ? parallel::VocabularyPlacement::Vocab2 : parallel::VocabularyPlacement::Vocab1;
}

/// Layer redistribution as the launcher of 2411.05288 sets it: by FLOPs, the last stage has as few layers as still
/// bring it to the mean, and the others share the rest, those further down the spare ones.
std::vector<int> redistributedLayers(const CaseRecord& r, const model::Transformer& model, int stages)
{
    if (stages == 1)
        return {};
    const double head =
        headForwardFlops(model, *r.sequenceLength) / layerForwardFlops(model, 0, *r.sequenceLength); // in layers
    const int last = std::max(0, int(std::ceil((model.layers + head) / stages - head)));
    std::vector<int> layers =
        parallel::balancedStageLayers(model.layers - last, std::vector<double>(std::size_t(stages) - 1));
    layers.push_back(last);
    return layers;
}

/// As remarks state them: "layers per stage [9, 9, 8, 6]". Nothing where that is not of these stages and layers.
std::vector<int> statedStageLayers(const CaseRecord& r, const model::Transformer& model, int stages)
{
    constexpr std::string_view kBegin = "layers per stage [";
    const std::size_t begin = r.notes.find(kBegin);
    if (begin == std::string::npos)
        return {};
    std::vector<int> layers;
    bool isClosed = false;
    const char* const end = r.notes.data() + r.notes.size();
    for (const char* at = r.notes.data() + begin + kBegin.size(); !isClosed && int(layers.size()) < stages; ++at) {
        while (at != end && *at == ' ')
            ++at;
        const auto [next, fault] = std::from_chars(at, end, layers.emplace_back());
        if (fault != std::errc() || layers.back() < 0 || next == end || (*next != ',' && *next != ']'))
            return {};
        at = next;
        isClosed = *at == ']';
    }
    const std::int64_t all = std::accumulate(layers.begin(), layers.end(), std::int64_t{0});
    return isClosed && int(layers.size()) == stages && all == model.layers ? layers : std::vector<int>();
}

/// Words that begin with a no: "none (DDP)", "no activation recomputation", "false".
bool denies(const std::string& words)
{
    const std::string_view first = std::string_view(words).substr(0, words.find_first_of(" ,;("));
    return std::ranges::any_of(std::array{"no", "none", "not", "false", "off", "without", "disabled"},
        [&](std::string_view word) { return first.size() == word.size() && containsWords(first, word); });
}

/// What the wrapper's name says; nothing where it says nothing.
std::optional<int> wrapperStage(const std::string& text)
{
    static constexpr std::array kWords{
        Word{"NO_SHARD", 0},
        Word{"SHARD_GRAD_OP", 2},
        Word{"ZeRO-3", 3},
        Word{"ZeRO3", 3},
        Word{"ZeRO 3", 3},
        Word{"ZeRO-2", 2},
        Word{"ZeRO2", 2},
        Word{"ZeRO 2", 2},
        Word{"ZeRO-1", 1},
        Word{"ZeRO1", 1},
        Word{"ZeRO 1", 1},
        Word{"FSDP", 3},
        Word{"HSDP", 3},
        Word{"FULL_SHARD", 3},
        Word{"HYBRID_SHARD", 3},
        Word{"fully", 3},
        Word{"true", 3},
        Word{"DDP", 0},
    };
    if (denies(text))
        return 0;
    return namedIn<int>(text, kWords);
}

int caseZeroStage(const CaseRecord& r, Filled& filled)
{
    if (r.zeroStage)
        return *r.zeroStage;
    const std::optional<int> wrapped = wrapperStage(r.fsdp);
    if (wrapped.value_or(0) > 0)
        return *wrapped;
    // Alpa's name for dividing gradients and optimizer states over the replicas.
    if (containsWords(r.overlap, "prefer_reduce_scatter"))
        return 2;
    if (r.distributedOptimizer)
        return *r.distributedOptimizer ? 1 : 0;
    const int usual =
        containsWords(r.framework, "Megatron-Bridge") ? 1 : 0; // all its recipes use the distributed optimizer
    if (!wrapped || usual > 0)
        filled.add("parallel.zero_stage", std::to_string(usual) + (wrapped ? std::string() : unknown(r.fsdp)));
    return usual;
}

/// The group named in "shard group 8", else the node that hybrid sharding stays in, where it divides the replicas; 0 =
/// all of them.
int caseShards(const CaseRecord& r, const parallel::Strategy& s)
{
    const bool hybrid = containsWords(r.fsdp, "HSDP") || containsWords(r.fsdp, "HYBRID_SHARD");
    const int within = hybrid ? r.gpusPerNode.value_or(8) / s.tp : 0;
    const int shards =
        numberAfter(r.fsdp, "shard group").value_or(numberAfter(r.overlap, "shard group").value_or(within));
    return shards > 0 && s.dp * s.cp % shards == 0 ? shards : 0;
}

parallel::Recompute caseRecompute(const CaseRecord& r, Filled& filled)
{
    // What is named with "selective" says which part of it, whatever other words do.
    static constexpr std::array kWords{
        Word{"selective", parallel::Recompute::Selective},
        Word{"full", parallel::Recompute::Full},
        Word{"uniform", parallel::Recompute::Full},
        Word{"block", parallel::Recompute::Full},
        Word{"core", parallel::Recompute::Selective},
        Word{"attn", parallel::Recompute::Selective},
        Word{"moe_act", parallel::Recompute::Selective},
        Word{"norm", parallel::Recompute::Selective},
        Word{"per-op", parallel::Recompute::Selective},
        Word{"mla_up", parallel::Recompute::Selective},
        Word{"layer", parallel::Recompute::Full},
        Word{"checkpoint", parallel::Recompute::Full},
        Word{"true", parallel::Recompute::Full},
    };
    if (denies(r.recompute))
        return parallel::Recompute::None;
    if (const auto named = namedIn<parallel::Recompute>(r.recompute, kWords))
        return *named;
    filled.add("training.recompute", std::string("none").append(unknown(r.recompute)));
    return parallel::Recompute::None;
}

/// Chunks per stage where the source names none, before any are chosen: a schedule that is called interleaved has two
/// where they divide the layers.
int usualChunks(const CaseRecord& r, int layers, int stages)
{
    if (stages < 2 || layers % stages != 0 || namedSchedule(r.schedule) != parallel::Schedule::Interleaved)
        return 1;
    const int perStage = layers / stages;
    return perStage % 2 == 0 ? 2 : perStage;
}

/// A degree that stands open takes what the others leave of the accelerators: replicas, else tensor ranks of a node,
/// else stages.
void closeDegrees(const CaseRecord& r, parallel::Strategy& s, Filled& filled)
{
    const std::int64_t total =
        r.totalGpus ? *r.totalGpus : std::int64_t{r.nodes.value_or(0)} * r.gpusPerNode.value_or(8);
    const std::int64_t product =
        std::int64_t{r.tp.value_or(1)} * r.pp.value_or(1) * r.cp.value_or(1) * r.dp.value_or(1);
    std::int64_t left = total > 0 && product <= total && total % product == 0 ? total / product : 1;
    if (!r.dp) {
        s.dp = filled(r.dp, "parallel.dp", int(left));
        left = 1;
    }
    if (!r.tp) {
        const int node = r.gpusPerNode.value_or(8);
        int share = 1;
        while (left % (2 * share) == 0 && 2 * share <= (r.pp ? left : node) && node % (2 * share) == 0)
            share *= 2;
        s.tp = filled(r.tp, "parallel.tp", share);
        left /= share;
    }
    if (!r.pp)
        s.pp = filled(r.pp, "parallel.pp", int(left));
    const std::int64_t ranks = std::int64_t{s.tp} * s.pp * s.cp * s.dp;
    if (total > 0 && ranks != total)
        filled.add("hardware.total_gpus used", std::to_string(ranks));
}

/// The degrees of a case. Their product, and with it every later product of counts, stays exact.
tl::expected<void, std::string> caseDegrees(
    const CaseRecord& r, const model::Transformer& model, parallel::Strategy& s, Filled& filled)
{
    s.tp = r.tp.value_or(1);
    s.pp = r.pp.value_or(1);
    s.dp = r.dp.value_or(1);
    s.cp = filled(r.cp, "parallel.cp", 1);
    const std::int64_t group = std::int64_t{s.tp} * s.pp * s.cp; // at most 1e18
    if (group > kMaxCaseRanks)
        return tl::unexpected("parallel.tp x pp x cp asks for " + std::to_string(group)
            + " accelerators, expected at most " + std::to_string(kMaxCaseRanks));
    if (group * s.dp > kMaxCaseRanks)
        return tl::unexpected("parallel.tp x pp x cp x dp asks for " + std::to_string(group * s.dp)
            + " accelerators, expected at most " + std::to_string(kMaxCaseRanks));
    closeDegrees(r, s, filled);
    s.ep = model.moe ? filled(r.ep, "parallel.ep", 1) : 1;
    // Expert tensor parallelism follows the attention's unless the source says otherwise.
    s.etp = model.moe && !containsWords(r.overlap, "expert tensor parallel 1") && s.dp * s.cp % s.ep == 0 ? s.tp : 1;
    s.vpp = filled(r.vpp, "parallel.vpp", usualChunks(r, model.layers, s.pp));
    for (const auto& [words, method] : {std::pair("all-to-all", parallel::ContextMethod::Ulysses),
             std::pair("ulysses", parallel::ContextMethod::Ulysses),
             std::pair("all-gather", parallel::ContextMethod::AllGather)})
        if (s.cp > 1
            && (containsWords(r.overlap, std::string("cp ") + words)
                || containsWords(r.overlap, std::string("cp uses ") + words)))
            s.contextMethod = method;
    return {};
}

} // namespace

std::string unknown(const std::string& words)
{
    return words.empty() ? std::string() : std::string(", as \"").append(shortened(words)).append("\" is not known");
}

model::Precision casePrecision(const CaseRecord& r, const cluster::Accelerator& accelerator, Filled& filled)
{
    // Narrow formats first: in "bf16 + fp8 linear" the products decide. Longer names before those they hold:
    // "bfloat16", "float16".
    static constexpr std::array kWords{
        Word{"nvfp4", model::Precision::Nvfp4},
        Word{"mxfp8", model::Precision::Mxfp8},
        Word{"fp8-mx", model::Precision::Mxfp8},
        Word{"mx 32", model::Precision::Mxfp8},
        Word{"fp8", model::Precision::Fp8},
        Word{"int8", model::Precision::Int8},
        Word{"float8", model::Precision::Fp8},
        Word{"fp16", model::Precision::Fp16},
        Word{"bf16", model::Precision::Bf16},
        Word{"bfloat16", model::Precision::Bf16},
        Word{"float16", model::Precision::Fp16},
        Word{"tf32", model::Precision::Tf32},
        Word{"fp32", model::Precision::Fp32},
        Word{"float32", model::Precision::Fp32},
    };
    if (const auto named = namedIn<model::Precision>(r.precision, kWords))
        return *named;
    const model::Precision usual =
        accelerator.peak[model::Precision::Bf16].value() > 0 ? model::Precision::Bf16 : model::Precision::Fp16;
    filled.add("training.precision", std::string(key(usual)) + unknown(r.precision));
    return usual;
}

tl::expected<parallel::Strategy, std::string> caseStrategy(
    const CaseRecord& r, const plan::SoftwareProfile& software, const model::Transformer& model, Filled& filled)
{
    parallel::Strategy s;
    if (const auto degrees = caseDegrees(r, model, s, filled); !degrees)
        return tl::unexpected(degrees.error());
    s.zeroStage = caseZeroStage(r, filled);
    s.zeroShards = caseShards(r, s);
    const bool modern =
        containsWords(software.id, "megatron-core") || software.id == "nemo" || software.id == "mindspeed";
    s.sequenceParallel = s.tp > 1 && filled(r.sequenceParallel, "parallel.sequence_parallel", modern);
    s.recompute = caseRecompute(r, filled);
    s.schedule = caseSchedule(r, s, filled);
    // Both were made for the measured passes, within the memory of p and of 2 p micro-batches.
    s.inFlightLimit = containsWords(r.schedule, "ZB-1p") ? s.pp : containsWords(r.schedule, "ZB-2p") ? 2 * s.pp : 0;
    s.vocabularyPlacement = casePlacement(r, filled);
    s.stageLayers = statedStageLayers(r, model, s.pp);
    if (s.stageLayers.empty() && containsWords(r.schedule, "layer redistribution"))
        s.stageLayers = redistributedLayers(r, model, s.pp);
    return s;
}

} // namespace stratoplan::validation
