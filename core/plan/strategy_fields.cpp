// SPDX-License-Identifier: Apache-2.0
#include "core/plan/strategy_fields.h"

#include <algorithm>
#include <set>

namespace stratoplan {

namespace {

constexpr int kMaxMicroBatch = 64;

std::set<int> powersOfTwo(int limit)
{
    std::set<int> values;
    for (long long v = 1; v <= limit; v *= 2)
        values.insert(static_cast<int>(v));
    return values;
}

void addDivisors(std::set<int>& values, int of, int limit)
{
    for (int d = 1; d <= limit && static_cast<long long>(d) * d <= of; ++d) {
        if (of % d != 0)
            continue;
        values.insert(d);
        if (of / d <= limit)
            values.insert(of / d);
    }
}

/// Divisors of `of` up to `limit` that also divide `cluster`.
void addCommonDivisors(std::set<int>& values, int of, int cluster, int limit)
{
    std::set<int> divisors;
    addDivisors(divisors, of, limit);
    for (const int d : divisors) {
        if (cluster % d == 0)
            values.insert(d);
    }
}

std::set<int> tensorValues(const Plan& plan, int cluster)
{
    const int limit = std::max(1, std::min(plan.model.heads, cluster));
    std::set<int> values = powersOfTwo(limit);
    addCommonDivisors(values, plan.model.heads, cluster, limit);
    return values;
}

std::set<int> pipelineValues(const Plan& plan, int cluster)
{
    const int limit = std::max(1, std::min(plan.model.layers, cluster));
    std::set<int> values = powersOfTwo(limit);
    addCommonDivisors(values, plan.model.layers, cluster, limit);
    return values;
}

std::set<int> dataValues(const Plan& plan, int cluster)
{
    const int limit = std::max(1, std::min(cluster, plan.training.globalBatch));
    std::set<int> values = powersOfTwo(limit);
    addDivisors(values, cluster, limit);
    return values;
}

std::set<int> contextValues(const Plan& plan, int cluster)
{
    // Load balancing cuts the sequence into 2 c pieces.
    const int limit = std::max(1, std::min(cluster, plan.training.sequenceLength / 2));
    std::set<int> values;
    for (const int c : powersOfTwo(limit)) {
        if (c == 1 || (cluster % c == 0 && plan.training.sequenceLength % (2 * c) == 0))
            values.insert(c);
    }
    return values;
}

std::set<int> expertValues(const Plan& plan, int cluster)
{
    std::set<int> values{1};
    if (plan.model.moe)
        addDivisors(values, plan.model.moe->experts, cluster);
    return values;
}

/// Divisors of TP that cut the experts evenly.
std::set<int> expertTensorValues(const Plan& plan)
{
    std::set<int> values{1};
    if (plan.model.moe)
        addCommonDivisors(values, plan.strategy.tp, plan.model.moe->expertFfn, plan.strategy.tp);
    return values;
}

std::set<int> virtualValues(const Plan& plan)
{
    std::set<int> values{1};
    const int pp = std::max(1, plan.strategy.pp);
    if (pp > 1 && plan.model.layers % pp == 0)
        addDivisors(values, plan.model.layers / pp, plan.model.layers / pp);
    else if (pp > 1)
        values.merge(powersOfTwo((plan.model.layers + 2) / pp));
    return values;
}

std::set<int> microBatchValues(const Plan& plan)
{
    const int replicas = std::max(1, plan.strategy.dp);
    const int perReplica = std::max(1, plan.training.globalBatch / replicas);
    const int limit = std::min(kMaxMicroBatch, perReplica);
    std::set<int> values = powersOfTwo(limit);
    if (plan.training.globalBatch % replicas == 0)
        addDivisors(values, perReplica, limit);
    return values;
}

} // namespace

std::string_view key(StrategyField field)
{
    switch (field) {
    case StrategyField::Tp:
        return "tp";
    case StrategyField::Pp:
        return "pp";
    case StrategyField::Dp:
        return "dp";
    case StrategyField::Cp:
        return "cp";
    case StrategyField::Ep:
        return "ep";
    case StrategyField::Etp:
        return "etp";
    case StrategyField::Vpp:
        return "vpp";
    case StrategyField::MicroBatch:
        return "micro_batch";
    case StrategyField::ZeroStage:
        return "zero_stage";
    }
    return {};
}

int value(const Strategy& strategy, StrategyField field)
{
    switch (field) {
    case StrategyField::Tp:
        return strategy.tp;
    case StrategyField::Pp:
        return strategy.pp;
    case StrategyField::Dp:
        return strategy.dp;
    case StrategyField::Cp:
        return strategy.cp;
    case StrategyField::Ep:
        return strategy.ep;
    case StrategyField::Etp:
        return strategy.etp;
    case StrategyField::Vpp:
        return strategy.vpp;
    case StrategyField::MicroBatch:
        return strategy.microBatch;
    case StrategyField::ZeroStage:
        return strategy.zeroStage;
    }
    return 0;
}

std::vector<int> sliderValues(const Plan& plan, StrategyField field)
{
    const int cluster = std::max(1, acceleratorCount(plan.cluster));
    std::set<int> values;
    switch (field) {
    case StrategyField::Tp:
        values = tensorValues(plan, cluster);
        break;
    case StrategyField::Pp:
        values = pipelineValues(plan, cluster);
        break;
    case StrategyField::Dp:
        values = dataValues(plan, cluster);
        break;
    case StrategyField::Cp:
        values = contextValues(plan, cluster);
        break;
    case StrategyField::Ep:
        values = expertValues(plan, cluster);
        break;
    case StrategyField::Etp:
        values = expertTensorValues(plan);
        break;
    case StrategyField::Vpp:
        values = virtualValues(plan);
        break;
    case StrategyField::MicroBatch:
        values = microBatchValues(plan);
        break;
    case StrategyField::ZeroStage:
        values = {0, 1, 2, 3};
        break;
    }
    values.insert(value(plan.strategy, field));
    return {values.begin(), values.end()};
}

std::vector<int> shardValues(const Strategy& strategy)
{
    const int replicas = std::max(1, strategy.dp) * std::max(1, strategy.cp);
    std::set<int> values;
    addDivisors(values, replicas, replicas);
    return {values.begin(), values.end()};
}

Strategy withValue(const Plan& plan, StrategyField field, int newValue)
{
    Strategy s = plan.strategy;
    const auto fillCluster = [&] {
        const long long perReplica = static_cast<long long>(s.tp) * s.cp * s.pp;
        if (perReplica > 0)
            s.dp = static_cast<int>(std::max<long long>(1, acceleratorCount(plan.cluster) / perReplica));
    };
    switch (field) {
    case StrategyField::Tp:
        s.tp = newValue;
        s.stageTp.clear();
        fillCluster();
        break;
    case StrategyField::Pp:
        s.pp = newValue;
        if (newValue != plan.strategy.pp)
            makeStagesAlike(s);
        fillCluster();
        break;
    case StrategyField::Dp:
        s.dp = newValue;
        break;
    case StrategyField::Cp:
        s.cp = newValue;
        fillCluster();
        break;
    case StrategyField::Ep:
        s.ep = newValue;
        break;
    case StrategyField::Etp:
        s.etp = newValue;
        break;
    case StrategyField::Vpp:
        s.vpp = newValue;
        if (newValue > 1 && s.schedule == Schedule::OneFOneB)
            s.schedule = Schedule::Interleaved;
        else if (newValue == 1 && s.schedule == Schedule::Interleaved)
            s.schedule = Schedule::OneFOneB;
        break;
    case StrategyField::MicroBatch:
        s.microBatch = newValue;
        break;
    case StrategyField::ZeroStage:
        s.zeroStage = std::clamp(newValue, 0, 3);
        break;
    }
    return s;
}

} // namespace stratoplan
