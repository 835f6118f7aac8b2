// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/presentation/rank_map.h"

#include "core/cluster/accelerator_runs.h"
#include "widgets/presentation/numbers.h"
#include "widgets/presentation/translate.h"

#include <algorithm>
#include <span>

namespace stratoplan::widgets {

namespace {

constexpr std::array kHues{Mark::Weights, Mark::Activations, Mark::Buffers, Mark::Optimizer, Mark::Fits, Mark::Exposed,
    Mark::Dominated, Mark::Recompute};
constexpr std::array kScale{
    Mark::Recompute, Mark::Weights, Mark::Buffers, Mark::Fits, Mark::Dominated, Mark::Activations, Mark::Exposed};
constexpr std::array kLoadScale{Mark::Buffers, Mark::Dominated, Mark::Exposed};

/// On a scale of marks, 0-1.
QColor onScale(const Tokens& t, std::span<const Mark> scale, double share)
{
    const double at = std::clamp(share, 0.0, 1.0) * static_cast<double>(scale.size() - 1);
    const std::size_t low = std::min(static_cast<std::size_t>(at), scale.size() - 2);
    return blend(t.mark(scale[low + 1]), t.mark(scale[low]), at - static_cast<double>(low));
}

} // namespace

QString rankAxisName(parallel::Axis axis)
{
    const std::string_view key = parallel::key(axis);
    return QString::fromLatin1(key.data(), static_cast<qsizetype>(key.size())).toUpper();
}

parallel::RankGroup groupOf(parallel::Axis axis)
{
    switch (axis) {
    case parallel::Axis::Tp:
        return parallel::RankGroup::Tensor;
    case parallel::Axis::Cp:
        return parallel::RankGroup::Context;
    case parallel::Axis::Ep:
        return parallel::RankGroup::Expert;
    case parallel::Axis::Dp:
        return parallel::RankGroup::Data;
    case parallel::Axis::Pp:
        return parallel::RankGroup::Pipeline;
    }
    return parallel::RankGroup::Data;
}

RankMap::RankMap(const cluster::Cluster& cluster, const parallel::Strategy& strategy)
    : m_ranks(rankCount(strategy))
{
    const std::vector<cluster::AcceleratorRun> runs = acceleratorRuns(cluster);
    for (std::size_t i = 0; i < runs.size(); ++i)
        if (runs[i].count > 0)
            m_first.emplace(cluster.nodes[i].id, runs[i].first);
    for (int stage = 0; stage < (strategy.stageTp.empty() ? 1 : strategy.pp); ++stage) {
        StagePlaces& places = m_stages.emplace_back();
        for (const parallel::Axis axis : {parallel::Axis::Tp, parallel::Axis::Cp, parallel::Axis::Ep,
                 parallel::Axis::Dp, parallel::Axis::Pp}) // as they are numbered
            places.emplace_back(stageStrategy(strategy, stage), groupOf(axis));
    }
}

const parallel::GroupPlaces& RankMap::places(parallel::Axis axis, int rank) const
{
    const int stage = m_stages.size() == 1 ? 0 : m_stages.front()[std::size_t(parallel::Axis::Pp)].placeOf(rank);
    return m_stages[std::size_t(stage)][std::size_t(axis)];
}

int RankMap::size(parallel::Axis axis) const
{
    int most = 0;
    for (const StagePlaces& stage : m_stages)
        most = std::max(most, stage[std::size_t(axis)].size());
    return most;
}

std::optional<int> RankMap::firstRank(const std::string& nodes) const
{
    const auto it = m_first.find(nodes);
    return it == m_first.end() ? std::nullopt : std::optional(it->second);
}

int RankMap::place(parallel::Axis axis, int rank) const
{
    return rank >= 0 && rank < m_ranks ? places(axis, rank).placeOf(rank) : -1;
}

std::vector<int> RankMap::group(parallel::Axis axis, int rank) const
{
    if (rank < 0 || rank >= m_ranks)
        return {};
    std::vector<int> ranks = places(axis, rank).groupOf(rank);
    std::ranges::sort(ranks);
    return ranks;
}

QString RankMap::describe(int rank, int accelerator, int perNode) const
{
    const QString where =
        tr("node %1, accelerator %2").arg(groupedNumber(accelerator / perNode), groupedNumber(accelerator % perNode));
    if (rank < 0 || rank >= m_ranks)
        return tr("Idle · %1").arg(where);
    QString text = tr("Rank %1 · %2").arg(groupedNumber(rank), where);
    for (const parallel::Axis axis : kRankAxes)
        if (size(axis) > 1)
            text += tr(" · %1 %2").arg(rankAxisName(axis), groupedNumber(place(axis, rank)));
    return text;
}

QColor placeColour(const Tokens& t, int place, int places)
{
    if (places <= static_cast<int>(kHues.size()))
        return t.mark(kHues[static_cast<std::size_t>(std::max(0, place)) % kHues.size()]);
    return onScale(t, kScale, double(place) / (places - 1));
}

QColor loadColour(const Tokens& t, double share)
{
    return onScale(t, kLoadScale, share);
}

} // namespace stratoplan::widgets
