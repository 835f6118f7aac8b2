// SPDX-License-Identifier: Apache-2.0
#include "core/catalog/framework_rules.h"

#include "core/catalog/framework_refusals.h"
#include "core/catalog/frameworks.h"
#include "core/parallel/rank_order.h"

#include <array>
#include <cctype>

namespace stratoplan {
namespace {

struct RuleWords {
    std::string_view key;
    std::string_view became;
    RuleScope scope;
};

/// By FrameworkRule.
constexpr std::array<RuleWords, kFrameworkRules> kRules{{
    {"tensor_partition", "divide tensors in a way it does not have", RuleScope::Stages},
    {"stage_tp", "give stages a TP of their own", RuleScope::Stages},
    {"stage_recompute", "recompute stages unlike", RuleScope::Stages},
    {"precision", "train in a precision it does not have", RuleScope::Precision},
    {"context_method", "divide sequences by a method it does not have", RuleScope::Division},
    {"context_with_pipeline", "divide sequences in a pipeline", RuleScope::Division},
    {"kv_heads", "divide KV heads over more ranks than it can", RuleScope::Division},
    {"sequence_length", "divide the sequence into parts that are not whole", RuleScope::Division},
    {"expert_tp", "have a TP of the experts that it does not run", RuleScope::Experts},
    {"zero_stage", "have a ZeRO stage that it does not run with these degrees", RuleScope::Sharding},
    {"zero_with_pipeline", "shard gradients or parameters in a pipeline", RuleScope::Sharding},
    {"zero_shards", "share states out in groups that it cannot form", RuleScope::Sharding},
    {"rank_order", "order ranks as it cannot", RuleScope::Order},
    {"sequence_parallel", "have TP with or without sequence parallelism as it cannot", RuleScope::Pass},
    {"recomputed_layers", "recompute some layers of a stage as it cannot", RuleScope::Pass},
    {"offload", "offload what it cannot", RuleScope::Pass},
    {"vocabulary_placement", "divide the vocabulary over the stages", RuleScope::Pass},
    {"schedule", "have a schedule that it does not run", RuleScope::Pipeline},
    {"timing_pass", "have been through the timing pass", RuleScope::Pipeline},
    {"stage_layers", "spread layers over stages as it cannot", RuleScope::Pipeline},
}};

std::string orderText(const RankOrder& order)
{
    std::string text;
    for (const Axis axis : order)
        text += (text.empty() ? "" : ", ") + std::string(key(axis));
    return text;
}

/// What of the plan breaks the rule.
// In one piece: a table, one answer for each rule.
std::string foundOf(FrameworkRule rule, const Plan& plan)
{
    const Strategy& s = plan.strategy;
    const auto number = [](int value) { return std::to_string(value); };
    switch (rule) {
    case FrameworkRule::TensorPartition:
        return "the " + std::string(key(s.tensorPartition)) + " partition";
    case FrameworkRule::StageTp:
        return "TP by stage";
    case FrameworkRule::StageRecompute:
        return "recomputation by stage";
    case FrameworkRule::Precision:
        return "precision " + std::string(key(plan.training.precision));
    case FrameworkRule::ContextMethod:
        return "CP " + number(s.cp) + " by " + std::string(key(s.contextMethod));
    case FrameworkRule::ContextWithPipeline:
        return "CP " + number(s.cp) + " with PP " + number(s.pp);
    case FrameworkRule::KvHeads:
        return number(plan.model.kvHeads) + " KV heads over TP " + number(s.tp) + " and CP " + number(s.cp);
    case FrameworkRule::SequenceLength:
        return "a sequence of " + number(plan.training.sequenceLength) + " over TP " + number(s.tp) + " and CP "
            + number(s.cp);
    case FrameworkRule::ExpertTp:
        return "expert TP " + number(s.etp) + " with EP " + number(s.ep) + " beside TP " + number(s.tp);
    case FrameworkRule::ZeroStage:
    case FrameworkRule::ZeroWithPipeline:
        return "ZeRO-" + number(s.zeroStage) + " with TP " + number(s.tp) + ", CP " + number(s.cp) + " and PP "
            + number(s.pp);
    case FrameworkRule::ZeroShards:
        return "ZeRO-" + number(s.zeroStage) + " in groups of " + number(s.zeroShards) + " replicas";
    case FrameworkRule::OrderOfRanks:
        return "rank order " + orderText(s.rankOrder);
    case FrameworkRule::SequenceParallel:
        return "TP " + number(s.tp) + (s.sequenceParallel ? " with" : " without") + " sequence parallelism";
    case FrameworkRule::RecomputedLayers:
        return "some layers of a stage recomputed in full";
    case FrameworkRule::Offload:
        return "offload " + std::string(key(s.offload));
    case FrameworkRule::VocabularyPlacement:
        return "vocabulary placement " + std::string(key(s.vocabularyPlacement));
    case FrameworkRule::Schedule:
        return "schedule " + std::string(key(s.schedule));
    case FrameworkRule::TimingPass:
        return "the timing pass";
    case FrameworkRule::StageLayers:
        return number(plan.model.layers) + " layers over PP " + number(s.pp)
            + (spreadsEvenly(plan) ? "" : ", spread unevenly");
    }
    return {};
}

const Framework& frameworkOf(TargetFramework framework)
{
    return shippedFrameworks()[std::size_t(framework)];
}

} // namespace

std::string_view title(TargetFramework framework)
{
    return frameworkOf(framework).title;
}

std::string_view key(FrameworkRule rule)
{
    return kRules[std::size_t(rule)].key;
}

std::string_view describe(FrameworkRule rule)
{
    return kRules[std::size_t(rule)].became;
}

RuleScope scope(FrameworkRule rule)
{
    return kRules[std::size_t(rule)].scope;
}

std::vector<FrameworkObjection> objections(const Plan& plan, TargetFramework framework)
{
    std::vector<FrameworkObjection> broken;
    for (const FrameworkEntry& entry : frameworkOf(framework).rules)
        if (entry.breaks(plan))
            broken.push_back(
                {framework, entry.rule, foundOf(entry.rule, plan), entry.limit, entry.remedy, entry.source});
    return broken;
}

std::size_t firstObjection(const Plan& plan, TargetFramework framework, RuleScope asked)
{
    for (const FrameworkEntry& entry : frameworkOf(framework).rules)
        if (scope(entry.rule) == asked && entry.breaks(plan))
            return std::size_t(entry.rule);
    return kFrameworkRules;
}

std::string describe(const FrameworkObjection& objection)
{
    std::string text = objection.found + ": " + std::string(title(objection.framework)) + ' '
        + std::string(objection.limit) + "; " + std::string(objection.remedy) + '.';
    text.front() = char(std::toupper(static_cast<unsigned char>(text.front())));
    return text;
}

FrameworkLimit limit(TargetFramework framework, FrameworkRule rule)
{
    for (const FrameworkEntry& entry : frameworkOf(framework).rules)
        if (entry.rule == rule)
            return {entry.limit, entry.source};
    return {};
}

} // namespace stratoplan
