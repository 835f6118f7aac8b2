// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/strategy_recipes.h"

#include "core/plan/problem.h"
#include "widgets/presentation/numbers.h"
#include "widgets/presentation/translate.h"

#include <QStringList>
#include <algorithm>

namespace stratoplan::widgets {

namespace {

/// Largest degree that divides the heads and the cluster and stays in the scale-up domain.
int nodeTensorParallel(const plan::Plan& plan, int accelerators)
{
    int domain = accelerators;
    for (const cluster::NodeGroup& group : plan.cluster.nodes)
        domain = std::min(domain, group.scaleUpDomain);
    for (int t = std::min(domain, plan.model.heads); t > 1; --t) {
        if (plan.model.heads % t == 0 && accelerators % t == 0)
            return t;
    }
    return 1;
}

/// Smallest depth at which weights and gradients (6 bytes per parameter) and the sharded optimizer state (12) leave
/// 40 % of the memory to activations.
int pipelineDepth(const plan::Plan& plan, int accelerators, int t)
{
    double memory = plan.cluster.nodes.front().accelerator.memory.value();
    for (const cluster::NodeGroup& group : plan.cluster.nodes)
        memory = std::min(memory, group.accelerator.memory.value());
    const double weights = static_cast<double>(parameters(plan.model).total);
    for (int p = 1; p <= plan.model.layers; ++p) {
        const int ranks = t * p;
        if (plan.model.layers % p != 0 || accelerators % ranks != 0)
            continue;
        const double perParameter = 6 + 12.0 * ranks / accelerators;
        if (weights / ranks * perParameter <= 0.6 * memory)
            return p;
    }
    return 1;
}

parallel::Strategy dataParallel(const plan::Plan& plan, int dp, int zeroStage)
{
    parallel::Strategy s;
    s.dp = dp;
    s.zeroStage = zeroStage;
    s.recompute = plan.strategy.recompute;
    s.rankOrder = plan.strategy.rankOrder;
    return s;
}

parallel::Strategy threeD(const plan::Plan& plan, int accelerators, int t, int p)
{
    parallel::Strategy s = dataParallel(plan, std::max(1, accelerators / (t * p)), 1);
    s.tp = t;
    s.pp = p;
    s.sequenceParallel = t > 1;
    return s;
}

parallel::Strategy interleaved(const plan::Plan& plan, parallel::Strategy s)
{
    const int perStage = plan.model.layers / std::max(1, s.pp);
    for (const int v : {4, 3, 2}) {
        if (perStage % v == 0) {
            s.vpp = v;
            s.schedule = parallel::Schedule::Interleaved;
            break;
        }
    }
    return s;
}

QString detailOf(const parallel::Strategy& s)
{
    QStringList parts;
    if (s.tp > 1)
        parts << QStringLiteral("TP ") + groupedNumber(s.tp);
    if (s.pp > 1)
        parts << QStringLiteral("PP ") + groupedNumber(s.pp);
    parts << QStringLiteral("DP ") + groupedNumber(s.dp);
    if (s.vpp > 1)
        parts << QStringLiteral("VPP ") + groupedNumber(s.vpp);
    if (s.zeroStage == 3)
        parts << QStringLiteral("ZeRO-3");
    return parts.join(QStringLiteral(" · "));
}

} // namespace

std::vector<StrategyRecipe> strategyRecipes(const plan::Plan& plan)
{
    const int accelerators = acceleratorCount(plan.cluster);
    if (accelerators < 1 || plan.model.layers < 1 || plan.model.heads < 1)
        return {};
    const int t = nodeTensorParallel(plan, accelerators);
    const parallel::Strategy deep = threeD(plan, accelerators, t, pipelineDepth(plan, accelerators, t));
    std::vector<StrategyRecipe> all{
        {tr("Data parallel"), {}, tr("The model fits on one accelerator: only gradients travel."),
            dataParallel(plan, accelerators, 1)},
        {tr("Fully sharded (FSDP)"), {},
            tr("Weights are gathered layer by layer: simple, and good while the network is fast."),
            dataParallel(plan, accelerators, 3)},
        {tr("Tensor in the node"), {}, tr("Layers are cut over the fast links of a node, replicas over the network."),
            threeD(plan, accelerators, t, 1)},
        {tr("Tensor, pipeline, data"), {},
            tr("Megatron's way for large models: stages over the network, layers cut in the node."), deep},
        {tr("Interleaved pipeline"), {},
            tr("As above with several chunks per stage: a smaller bubble for more traffic."), interleaved(plan, deep)},
    };
    std::vector<StrategyRecipe> result;
    for (StrategyRecipe& recipe : all) {
        plan::Plan candidate = plan;
        candidate.strategy = recipe.strategy;
        const bool known = std::ranges::find(result, recipe.strategy, &StrategyRecipe::strategy) != result.end();
        if (known || hasErrors(check(candidate, {.remedies = false})))
            continue;
        recipe.detail = detailOf(recipe.strategy);
        result.push_back(std::move(recipe));
    }
    return result;
}

} // namespace stratoplan::widgets
