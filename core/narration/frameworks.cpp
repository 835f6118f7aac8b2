// SPDX-License-Identifier: Apache-2.0
#include "core/narration/frameworks.h"

#include "core/parallel/rank_order.h"
#include "core/units/sentence.h"

#include <array>

namespace stratoplan::narration {
namespace {

struct RuleWords {
    catalog::FrameworkRule rule{};
    std::string_view became; ///< of strategies, after their number
    std::string_view found; ///< of a plan
};

/// By FrameworkRule.
constexpr std::array<RuleWords, catalog::kFrameworkRules> kRules{{
    {catalog::FrameworkRule::TensorPartition, "divide tensors in a way it does not have", "the {partition} partition"},
    {catalog::FrameworkRule::StageTp, "give stages a TP of their own", "TP by stage"},
    {catalog::FrameworkRule::StageRecompute, "recompute stages unlike", "recomputation by stage"},
    {catalog::FrameworkRule::Precision, "train in a precision it does not have", "precision {precision}"},
    {catalog::FrameworkRule::Optimizer, "train with an optimizer it does not have", "the optimizer {optimizer}"},
    {catalog::FrameworkRule::Attention, "run attention in a format it does not have", "attention {attention}"},
    {catalog::FrameworkRule::LayerTypes, "have layers it does not have", "{layer_type}"},
    {catalog::FrameworkRule::ContextMethod, "divide sequences by a method it does not have", "CP {cp} by {method}"},
    {catalog::FrameworkRule::ContextWithPipeline, "divide sequences in a pipeline", "CP {cp} with PP {pp}"},
    {catalog::FrameworkRule::KvHeads, "divide KV heads over more ranks than it can",
        "{kv} KV heads over TP {tp} and CP {cp}"},
    {catalog::FrameworkRule::SequenceLength, "divide the sequence into parts that are not whole",
        "a sequence of {tokens} over TP {tp} and CP {cp}"},
    {catalog::FrameworkRule::ExpertTp, "have a TP of the experts that it does not run",
        "expert TP {etp} with EP {ep} beside TP {tp}"},
    {catalog::FrameworkRule::ZeroStage, "have a ZeRO stage that it does not run with these degrees",
        "ZeRO-{zero} with TP {tp}, CP {cp} and PP {pp}"},
    {catalog::FrameworkRule::ZeroWithPipeline, "shard gradients or parameters in a pipeline",
        "ZeRO-{zero} with TP {tp}, CP {cp} and PP {pp}"},
    {catalog::FrameworkRule::ZeroShards, "share states out in groups that it cannot form",
        "ZeRO-{zero} in groups of {shards} replicas"},
    {catalog::FrameworkRule::OrderOfRanks, "order ranks as it cannot", "rank order {order}"},
    {catalog::FrameworkRule::SequenceParallel, "have TP with or without sequence parallelism as it cannot",
        "TP {tp} {with} sequence parallelism"},
    {catalog::FrameworkRule::RecomputedLayers, "recompute some layers of a stage as it cannot",
        "some layers of a stage recomputed in full"},
    {catalog::FrameworkRule::Offload, "offload what it cannot", "offload {offload}"},
    {catalog::FrameworkRule::VocabularyPlacement, "divide the vocabulary over the stages",
        "vocabulary placement {vocabulary}"},
    {catalog::FrameworkRule::Schedule, "have a schedule that it does not run", "schedule {schedule}"},
    {catalog::FrameworkRule::TimingPass, "have been through the timing pass", "the timing pass"},
    {catalog::FrameworkRule::StageLayers, "spread layers over stages as it cannot", "{layers} layers over PP {pp}"},
}};

constexpr bool isInOrder()
{
    for (std::size_t i = 0; i < kRules.size(); ++i)
        if (kRules[i].rule != catalog::FrameworkRule(i))
            return false;
    return true;
}
static_assert(isInOrder());

std::string orderText(const parallel::RankOrder& order)
{
    std::string text;
    for (const parallel::Axis axis : order)
        text += (text.empty() ? "" : ", ") + std::string(key(axis));
    return text;
}

std::string wordOf(const catalog::FrameworkSubject& subject, std::string_view name)
{
    const parallel::Strategy& s = subject.strategy;
    const std::array<std::pair<std::string_view, int>, 9> numbers{
        {{"tp", s.tp}, {"cp", s.cp}, {"pp", s.pp}, {"ep", s.ep}, {"etp", s.etp}, {"zero", s.zeroStage},
            {"shards", s.zeroShards}, {"kv", subject.kvHeads}, {"layers", subject.layers}}};
    for (const auto& [known, number] : numbers)
        if (known == name)
            return std::to_string(number);
    const std::array<std::pair<std::string_view, std::string_view>, 10> keys{
        {{"partition", key(s.tensorPartition)}, {"precision", key(subject.precision)}, {"method", key(s.contextMethod)},
            {"optimizer", title(subject.optimizer)}, {"attention", key(subject.attention)},
            {"layer_type",
                subject.hasMamba2                ? "Mamba-2 layers"
                    : subject.hasSparseAttention ? "sparse attention"
                                                 : ""},
            {"offload", key(s.offload)}, {"vocabulary", key(s.vocabularyPlacement)}, {"schedule", key(s.schedule)},
            {"with", s.sequenceParallel ? "with" : "without"}}};
    for (const auto& [known, word] : keys)
        if (known == name)
            return std::string(word);
    return name == "tokens" ? std::to_string(subject.sequenceLength) : orderText(s.rankOrder);
}

} // namespace

std::string_view describe(catalog::FrameworkRule rule)
{
    return kRules[std::size_t(rule)].became;
}

std::string foundBy(const catalog::FrameworkObjection& objection)
{
    const bool uneven = objection.rule == catalog::FrameworkRule::StageLayers && !objection.found.evenLayers;
    return filled(uneven ? "{layers} layers over PP {pp}, spread unevenly" : kRules[std::size_t(objection.rule)].found,
        [&](std::string_view name) { return Word{wordOf(objection.found, name)}; });
}

std::string describe(const catalog::FrameworkObjection& objection)
{
    return asSentence(filled("{found}: {framework} {limit}; {remedy}.",
        {{"found", {foundBy(objection)}}, {"framework", {std::string(catalog::title(objection.framework))}},
            {"limit", {std::string(objection.limit)}}, {"remedy", {std::string(objection.remedy)}}}));
}

} // namespace stratoplan::narration
