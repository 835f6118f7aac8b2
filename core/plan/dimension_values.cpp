// SPDX-License-Identifier: Apache-2.0
#include "core/plan/dimension_values.h"

#include "core/plan/dimensions.h"

#include <algorithm>
#include <set>

namespace stratoplan::plan {
namespace {

constexpr int kMaxMicroBatch = 64;

int ranksOf(const Plan& plan)
{
    return std::max(1, acceleratorCount(plan.cluster));
}

std::vector<int> listed(const std::set<int>& values)
{
    return {values.begin(), values.end()};
}

std::set<int> powersOfTwo(int limit)
{
    std::set<int> values;
    for (long long v = 1; v <= limit; v *= 2)
        values.insert(static_cast<int>(v));
    return values;
}

void addDivisors(std::set<int>& values, int number, int limit)
{
    for (int d = 1; d <= limit && static_cast<long long>(d) * d <= number; ++d) {
        if (number % d != 0)
            continue;
        values.insert(d);
        if (number / d <= limit)
            values.insert(number / d);
    }
}

/// Divisors of `number` up to `limit` that also divide `cluster`.
void addCommonDivisors(std::set<int>& values, int number, int cluster, int limit)
{
    std::set<int> divisors;
    addDivisors(divisors, number, limit);
    for (const int d : divisors) {
        if (cluster % d == 0)
            values.insert(d);
    }
}

} // namespace

std::vector<int> tensorValues(const Plan& plan)
{
    const int cluster = ranksOf(plan);
    const int limit = std::max(1, std::min(plan.model.heads, cluster));
    std::set<int> values = powersOfTwo(limit);
    addCommonDivisors(values, plan.model.heads, cluster, limit);
    return listed(values);
}

std::vector<int> pipelineValues(const Plan& plan)
{
    const int cluster = ranksOf(plan);
    const int limit = std::max(1, std::min(plan.model.layers, cluster));
    std::set<int> values = powersOfTwo(limit);
    addCommonDivisors(values, plan.model.layers, cluster, limit);
    return listed(values);
}

std::vector<int> dataValues(const Plan& plan)
{
    const int cluster = ranksOf(plan);
    const int limit = std::max(1, std::min(cluster, plan.training.globalBatch));
    std::set<int> values = powersOfTwo(limit);
    addDivisors(values, cluster, limit);
    return listed(values);
}

std::vector<int> contextValues(const Plan& plan)
{
    const int cluster = ranksOf(plan);
    // Load balancing cuts the sequence into 2 c pieces.
    const int limit = std::max(1, std::min(cluster, plan.training.sequenceLength / 2));
    std::set<int> values;
    for (const int c : powersOfTwo(limit)) {
        if (c == 1 || (cluster % c == 0 && plan.training.sequenceLength % (2 * c) == 0))
            values.insert(c);
    }
    return listed(values);
}

std::vector<int> expertValues(const Plan& plan)
{
    const int cluster = ranksOf(plan);
    std::set<int> values{1};
    if (plan.model.moe)
        addDivisors(values, plan.model.moe->experts, cluster);
    return listed(values);
}

/// Divisors of TP that cut the experts evenly.
std::vector<int> expertTensorValues(const Plan& plan)
{
    std::set<int> values{1};
    if (plan.model.moe)
        addCommonDivisors(values, plan.strategy.tp, plan.model.moe->expertFfn, plan.strategy.tp);
    return listed(values);
}

std::vector<int> virtualValues(const Plan& plan)
{
    std::set<int> values{1};
    const int pp = std::max(1, plan.strategy.pp);
    if (pp > 1 && plan.model.layers % pp == 0)
        addDivisors(values, plan.model.layers / pp, plan.model.layers / pp);
    else if (pp > 1)
        values.merge(powersOfTwo((plan.model.layers + 2) / pp));
    return listed(values);
}

std::vector<int> microBatchValues(const Plan& plan)
{
    const int replicas = std::max(1, plan.strategy.dp);
    const int perReplica = std::max(1, plan.training.globalBatch / replicas);
    const int limit = std::min(kMaxMicroBatch, perReplica);
    std::set<int> values = powersOfTwo(limit);
    if (plan.training.globalBatch % replicas == 0)
        addDivisors(values, perReplica, limit);
    return listed(values);
}

std::vector<int> zeroStages(const Plan& /*plan*/)
{
    return {0, 1, 2, 3};
}

std::vector<int> shardValues(const parallel::Strategy& strategy)
{
    const int replicas = std::max(1, strategy.dp) * std::max(1, strategy.cp);
    std::set<int> values;
    addDivisors(values, replicas, replicas);
    return listed(values);
}

} // namespace stratoplan::plan
