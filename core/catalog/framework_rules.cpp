// SPDX-License-Identifier: Apache-2.0
#include "core/catalog/framework_rules.h"

#include "core/catalog/framework_refusals.h"
#include "core/catalog/frameworks.h"

#include <array>

namespace stratoplan::catalog {
namespace {

struct RuleRow {
    std::string_view key;
    RuleScope scope;
};

/// By FrameworkRule.
constexpr std::array<RuleRow, kFrameworkRules> kRules{{
    {"tensor_partition", RuleScope::Pass},
    {"stage_tp", RuleScope::Stages},
    {"stage_recompute", RuleScope::Stages},
    {"precision", RuleScope::Recipe},
    {"optimizer", RuleScope::Recipe},
    {"attention", RuleScope::Recipe},
    {"layer_types", RuleScope::Recipe},
    {"context_method", RuleScope::Division},
    {"context_with_pipeline", RuleScope::Division},
    {"kv_heads", RuleScope::Division},
    {"sequence_length", RuleScope::Division},
    {"expert_tp", RuleScope::Experts},
    {"zero_stage", RuleScope::Sharding},
    {"zero_with_pipeline", RuleScope::Sharding},
    {"zero_shards", RuleScope::Sharding},
    {"rank_order", RuleScope::Order},
    {"sequence_parallel", RuleScope::Pass},
    {"recomputed_layers", RuleScope::Pass},
    {"offload", RuleScope::Pass},
    {"vocabulary_placement", RuleScope::Pass},
    {"schedule", RuleScope::Pipeline},
    {"timing_pass", RuleScope::Pipeline},
    {"stage_layers", RuleScope::Pipeline},
}};

FrameworkSubject subjectOf(const plan::Plan& plan)
{
    return {plan.strategy, plan.training.precision, plan.training.optimizer, plan.training.attention,
        plan.model.mamba2.has_value(), plan.model.dsa.has_value(), plan.model.kvHeads, plan.training.sequenceLength,
        plan.model.layers, spreadsEvenly(plan)};
}

const Framework& frameworkOf(plan::TargetFramework framework)
{
    return shippedFrameworks()[std::size_t(framework)];
}

} // namespace

std::string_view title(plan::TargetFramework framework)
{
    return frameworkOf(framework).title;
}

std::string_view key(FrameworkRule rule)
{
    return kRules[std::size_t(rule)].key;
}

RuleScope scope(FrameworkRule rule)
{
    return kRules[std::size_t(rule)].scope;
}

std::vector<FrameworkObjection> objections(const plan::Plan& plan, plan::TargetFramework framework)
{
    std::vector<FrameworkObjection> broken;
    for (const FrameworkEntry& entry : frameworkOf(framework).rules)
        if (entry.breaks(plan))
            broken.push_back({framework, entry.rule, subjectOf(plan), entry.limit, entry.remedy, entry.source});
    return broken;
}

std::size_t firstObjection(const plan::Plan& plan, plan::TargetFramework framework, RuleScope asked)
{
    for (const FrameworkEntry& entry : frameworkOf(framework).rules)
        if (scope(entry.rule) == asked && entry.breaks(plan))
            return std::size_t(entry.rule);
    return kFrameworkRules;
}

FrameworkLimit limit(plan::TargetFramework framework, FrameworkRule rule)
{
    for (const FrameworkEntry& entry : frameworkOf(framework).rules)
        if (entry.rule == rule)
            return {entry.limit, entry.source};
    return {};
}

} // namespace stratoplan::catalog
