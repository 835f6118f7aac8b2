// SPDX-License-Identifier: Apache-2.0
#include "core/parallel/group_runs.h"

#include "core/parallel/rank_order.h"

#include <algorithm>
#include <numeric>

namespace stratoplan::parallel {

namespace {

int ranksAlong(const Strategy& s, Axis axis)
{
    return axis == Axis::Ep ? 1 : degree(s, axis); // EP takes no ranks of its own
}

std::size_t position(const Strategy& s, Axis axis)
{
    return static_cast<std::size_t>(std::find(s.rankOrder.begin(), s.rankOrder.end(), axis) - s.rankOrder.begin());
}

Runs dataContextRuns(const Strategy& s)
{
    const Run context = axisRun(s, Axis::Cp);
    const Run data = axisRun(s, Axis::Dp);
    return position(s, Axis::Cp) < position(s, Axis::Dp) ? joined(context, data) : joined(data, context);
}

/// The first `count` ranks of nested runs.
Runs innerPart(Runs runs, int count)
{
    const int inner = std::gcd(runs.inner.size, count);
    return joined({inner, runs.inner.stride},
        {std::max(1, count / inner), inner < runs.inner.size ? runs.inner.stride * inner : runs.outer.stride});
}

/// What remains when the first `count` ranks are one unit.
Runs outerPart(Runs runs, int count)
{
    const int inner = std::gcd(runs.inner.size, count);
    const int taken = std::max(1, count / inner);
    return joined({std::max(1, runs.inner.size / inner), runs.inner.stride * inner},
        {std::max(1, runs.outer.size / taken), runs.outer.stride * taken});
}

} // namespace

Runs joined(Run inner, Run outer)
{
    if (inner.size == 1)
        return {outer, {}};
    if (outer.size == 1)
        return {inner, {}};
    if (outer.stride == inner.stride * inner.size)
        return {{inner.size * outer.size, inner.stride}, {}};
    return {inner, outer};
}

Run axisRun(const Strategy& s, Axis axis)
{
    int stride = 1;
    for (const Axis inner : s.rankOrder) {
        if (inner == axis)
            break;
        stride *= std::max(1, ranksAlong(s, inner));
    }
    return {std::max(1, ranksAlong(s, axis)), stride};
}

Runs expertPool(const Strategy& s)
{
    const Runs data = dataContextRuns(s);
    const Run tensor = axisRun(s, Axis::Tp);
    if (s.etp >= s.tp)
        return data;
    if (data.outer.size == 1)
        return outerPart(joined(tensor, data.inner), s.etp);
    if (data.inner.stride == tensor.stride * tensor.size)
        return outerPart({{tensor.size * data.inner.size, tensor.stride}, data.outer}, s.etp);
    return data; // the two blocks do not touch: folding has no single stride, count the data block alone
}

bool expertsAreOutside(const Strategy& s)
{
    return position(s, Axis::Ep) > std::max(position(s, Axis::Dp), position(s, Axis::Cp));
}

Runs shardRuns(const Strategy& s, Runs replicas, bool inner)
{
    const int all = replicas.inner.size * replicas.outer.size;
    const int shards = s.zeroShards > 0 ? std::min(s.zeroShards, all) : all;
    return inner ? innerPart(replicas, shards) : outerPart(replicas, shards);
}

Runs runsOf(const Strategy& s, RankGroup group)
{
    switch (group) {
    case RankGroup::Tensor:
        return {axisRun(s, Axis::Tp), {}};
    case RankGroup::Context:
        return {axisRun(s, Axis::Cp), {}};
    case RankGroup::Pipeline:
        return {axisRun(s, Axis::Pp), {}};
    case RankGroup::Data:
        return {axisRun(s, Axis::Dp), {}};
    case RankGroup::DataContext:
        return dataContextRuns(s);
    case RankGroup::Expert:
    case RankGroup::ExpertData: {
        const Runs pool = expertPool(s);
        const int ranks = pool.inner.size * pool.outer.size;
        const int ep = std::clamp(s.ep, 1, ranks);
        const bool outside = expertsAreOutside(s);
        const bool inner = (group == RankGroup::Expert) != outside;
        const int count = outside ? ranks / ep : ep;
        return inner ? innerPart(pool, count) : outerPart(pool, count);
    }
    case RankGroup::Shards:
        return shardRuns(s, runsOf(s, RankGroup::DataContext), true);
    case RankGroup::ShardCopies:
        return shardRuns(s, runsOf(s, RankGroup::DataContext), false);
    case RankGroup::ExpertShards:
        return shardRuns(s, runsOf(s, RankGroup::ExpertData), true);
    case RankGroup::ExpertShardCopies:
        return shardRuns(s, runsOf(s, RankGroup::ExpertData), false);
    }
    return {};
}

} // namespace stratoplan::parallel
