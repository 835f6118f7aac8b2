// SPDX-License-Identifier: Apache-2.0
#include "core/search/front.h"

#include "core/plan/dimensions.h"

#include <algorithm>
#include <tuple>

namespace stratoplan::search {
namespace {

constexpr double kValueRounding = 1e-12;

auto orderOf(const FoundStrategy& f)
{
    const parallel::Strategy& s = f.strategy;
    const int schedule = s.schedule == parallel::Schedule::OneFOneB ? -1 : int(s.schedule);
    return std::tuple(int(f.precision), rankCount(s), s.tp, s.cp, s.pp, s.ep, s.etp, int(s.contextMethod), s.microBatch,
        s.vpp, schedule, s.zeroStage, s.zeroShards, s.sequenceParallel, int(s.recompute), s.timingPass,
        s.inFlightLimit);
}

} // namespace

bool comesBefore(const FoundStrategy& a, const FoundStrategy& b)
{
    const auto ofA = orderOf(a);
    const auto ofB = orderOf(b);
    if (ofA != ofB)
        return ofA < ofB;
    for (const plan::DimensionRow& row : plan::dimensions()) {
        const int ofFirst = number(row.id, a.strategy), ofSecond = number(row.id, b.strategy);
        if (ofFirst != ofSecond)
            return ofFirst < ofSecond;
    }
    const auto listsOf = [](const parallel::Strategy& s) {
        return std::tie(s.stageLayers, s.stageRecompute, s.recomputedLayers, s.stageTp, s.rankOrder);
    };
    return listsOf(a.strategy) < listsOf(b.strategy);
}

bool Front::beats(double value, double peak) const
{
    if (m_points.empty())
        return false;
    const double limit = value * (1 - kValueRounding);
    if (m_kind == FrontKind::Best)
        return m_points.back().value < limit;
    // Values fall as peaks rise: the last point that needs no more memory has the least value of those.
    const auto above = std::upper_bound(
        m_points.begin(), m_points.end(), peak, [](double p, const Point& point) { return p < point.peak; });
    return above != m_points.begin() && std::prev(above)->value < limit;
}

bool Front::reaches(double value, double peak) const
{
    const auto above = std::upper_bound(
        m_points.begin(), m_points.end(), peak, [](double p, const Point& point) { return p < point.peak; });
    return above != m_points.begin() && std::prev(above)->value <= value;
}

bool Front::add(FoundStrategy found)
{
    const double value = found.value;
    const double peak = found.peak.value();
    if (m_kind == FrontKind::Best && !m_points.empty()) {
        const Point& best = m_points.front();
        if (std::tie(best.value, best.peak) < std::tie(value, peak))
            return false;
        if (best.value != value || best.peak != peak)
            m_points.clear();
    }
    const auto atPeak = std::lower_bound(
        m_points.begin(), m_points.end(), peak, [](const Point& point, double p) { return point.peak < p; });
    if (atPeak != m_points.begin() && std::prev(atPeak)->value <= value)
        return false;
    if (atPeak != m_points.end() && atPeak->peak == peak && atPeak->value <= value) {
        if (atPeak->value < value)
            return false;
        auto& equals = atPeak->strategies;
        const auto place = std::lower_bound(equals.begin(), equals.end(), found, comesBefore);
        const bool isNew = place == equals.end() || comesBefore(found, *place);
        if (isNew)
            equals.insert(place, std::move(found));
        return isNew;
    }
    const auto end = std::find_if(atPeak, m_points.end(), [&](const Point& point) { return point.value < value; });
    const auto place = m_points.erase(atPeak, end);
    m_points.insert(place, Point{value, peak, {std::move(found)}});
    return true;
}

std::vector<FoundStrategy> Front::strategies() const
{
    std::vector<FoundStrategy> all;
    for (const Point& point : m_points)
        all.insert(all.end(), point.strategies.begin(), point.strategies.end());
    return all;
}

void Front::merge(const Front& other)
{
    for (const Point& point : other.m_points)
        for (const FoundStrategy& found : point.strategies)
            add(found);
}

} // namespace stratoplan::search
