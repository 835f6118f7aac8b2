// SPDX-License-Identifier: Apache-2.0
#include "core/audit/settings.h"

#include "core/audit/tables.h"
#include "core/cluster/cluster.h"
#include "core/units/named.h"
#include "core/units/text.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace stratoplan::audit {
namespace {

constexpr NameTable<Setting, 12> kSettings{{
    {Setting::SequenceParallel, "sequence_parallel"},
    {Setting::DistributedOptimizer, "distributed_optimizer"},
    {Setting::OverlapGradientReduction, "overlap_grad_reduce"},
    {Setting::OverlapParameterGather, "overlap_param_gather"},
    {Setting::OverlapTensorParallel, "tp_comm_overlap"},
    {Setting::FusedAttention, "fused_attention"},
    {Setting::LessRecomputation, "less_recomputation"},
    {Setting::TensorParallelInDomain, "tp_in_domain"},
    {Setting::MaxConnections, "max_connections"},
    {Setting::GradientFusion, "gradient_fusion"},
    {Setting::CheckForNan, "check_for_nan"},
    {Setting::Timers, "timers"},
}};

struct SettingEntry {
    Setting setting{};
    std::string argument, recommended, source;
};

const std::vector<SettingEntry>& settingTable()
{
    static const std::vector<SettingEntry> table = [] {
        std::vector<SettingEntry> entries;
        const nlohmann::json json = nlohmann::json::parse(tableText("settings.json"));
        for (const nlohmann::json& entry : json.at("settings"))
            entries.push_back({valueIn(kSettings, entry.at("id").get<std::string>()).value(), entry.at("argument"),
                entry.at("recommended"), entry.at("source")});
        return entries;
    }();
    return table;
}

bool isBefore(const plan::Plan& plan, std::string_view generation)
{
    return std::ranges::none_of(plan.cluster.nodes,
        [&](const cluster::NodeGroup& nodes) { return containsWords(nodes.accelerator.name, generation); });
}

bool isNvidia(const plan::Plan& plan)
{
    return std::ranges::all_of(plan.cluster.nodes,
        [](const cluster::NodeGroup& nodes) { return containsWords(nodes.accelerator.vendor, "nvidia"); });
}

class SettingJudge {
public:
    SettingJudge(const plan::Plan& plan, const estimate::Estimate& estimate, const StatedSettings& stated,
        const catalog::Catalog& catalog)
        : m_plan(plan)
        , m_estimate(estimate)
        , m_stated(stated)
        , m_catalog(catalog)
    {
    }

    std::optional<SettingFinding> judge(const SettingEntry& entry) const
    {
        SettingFinding finding{entry.setting, entry.argument, {}, entry.recommended, entry.source};
        const auto it = m_stated.find(entry.argument);
        const std::optional<std::string> stated =
            it == m_stated.end() ? std::nullopt : std::optional<std::string>(it->second);
        if (!applies(entry.setting) || !differs(entry, stated, finding))
            return std::nullopt;
        if (stated)
            finding.found = *stated;
        return finding;
    }

private:
    [[nodiscard]] bool applies(Setting setting) const
    {
        const parallel::Strategy& s = m_plan.strategy;
        const bool replicates = s.dp * s.cp > 1;
        switch (setting) {
        case Setting::SequenceParallel:
        case Setting::OverlapTensorParallel:
            return s.tp > 1 && s.tensorPartition == parallel::TensorPartition::Megatron;
        case Setting::DistributedOptimizer:
        case Setting::OverlapGradientReduction:
        case Setting::OverlapParameterGather:
            return replicates;
        case Setting::MaxConnections:
            return (s.tp > 1 || s.cp > 1) && isNvidia(m_plan) && isBefore(m_plan, "B200") && isBefore(m_plan, "B300");
        default:
            return true;
        }
    }

    /// From what is stated, else from the plan. Fills in what the plan says, and amounts.
    bool differs(const SettingEntry& entry, const std::optional<std::string>& stated, SettingFinding& finding) const
    {
        const parallel::Strategy& s = m_plan.strategy;
        switch (entry.setting) {
        case Setting::SequenceParallel:
            finding.found = "False";
            return stated ? *stated == "False" : !s.sequenceParallel;
        case Setting::DistributedOptimizer:
            finding.found = "False";
            return stated ? *stated == "False" : s.zeroStage == 0;
        case Setting::FusedAttention:
            finding.found = "False";
            return !isFlash(m_plan.training.attention);
        case Setting::LessRecomputation:
            return hasRoom(finding);
        case Setting::TensorParallelInDomain:
            return leavesDomain(finding);
        case Setting::OverlapParameterGather:
            return s.zeroStage > 0 && stated && *stated != entry.recommended;
        case Setting::Timers:
            return stated && *stated != entry.recommended && *stated != "1";
        default:
            return stated && *stated != entry.recommended;
        }
    }

    [[nodiscard]] bool hasRoom(SettingFinding& finding) const
    {
        const parallel::Strategy& s = m_plan.strategy;
        const bool isFull = s.recompute == parallel::Recompute::Full && !mixesRecompute(s);
        if (!isFull || !m_estimate.fits)
            return false;
        finding.found = "full";
        for (const parallel::Recompute less : {parallel::Recompute::None, parallel::Recompute::Selective}) {
            plan::Plan then = m_plan;
            recomputeAll(then.strategy, less);
            const auto answer =
                estimate::estimate(then, {.remedies = false, .waits = false, .range = false, .catalog = &m_catalog});
            if (!answer || !answer->fits || answer->step >= m_estimate.step)
                continue;
            finding.recommended = std::string(key(less));
            finding.amount = (m_estimate.step - answer->step).value();
            return true;
        }
        return false;
    }

    [[nodiscard]] bool leavesDomain(SettingFinding& finding) const
    {
        const int domain = smallestIsland(m_plan.cluster);
        finding.found = std::to_string(m_plan.strategy.tp);
        finding.recommended = std::to_string(domain);
        finding.amount = domain;
        return domain > 1 && m_plan.strategy.tp > domain;
    }

    const plan::Plan& m_plan;
    const estimate::Estimate& m_estimate;
    const StatedSettings& m_stated;
    const catalog::Catalog& m_catalog;
};

} // namespace

std::string_view key(Setting setting)
{
    return nameIn(kSettings, setting);
}

std::vector<SettingFinding> differingSettings(const plan::Plan& plan, const estimate::Estimate& estimate,
    const StatedSettings& stated, const catalog::Catalog& catalog)
{
    const SettingJudge judge(plan, estimate, stated, catalog);
    std::vector<SettingFinding> findings;
    for (const SettingEntry& entry : settingTable())
        if (auto finding = judge.judge(entry))
            findings.push_back(std::move(*finding));
    return findings;
}

} // namespace stratoplan::audit
