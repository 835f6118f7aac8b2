// SPDX-License-Identifier: Apache-2.0
#include "core/units/text.h"
#include "core/validation/case_rules.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace stratoplan {
namespace {

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

} // namespace

tl::unexpected<std::string> unknownWord(const char* field, const std::string& text, const char* known)
{
    return tl::unexpected(std::string(field) + ": found \"" + shortened(text) + "\", expected " + known + ", or null");
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

} // namespace stratoplan
