// SPDX-License-Identifier: Apache-2.0
#include "core/search/fronts.h"

namespace stratoplan::search {

const Front& Fronts::known(int ranks)
{
    if (m_byAccelerators)
        return upTo(ranks);
    return fewestKnown() > ranks ? m_nothing : m_front;
}

/// A number that is new begins with what the next lower one has.
Front& Fronts::upTo(int ranks)
{
    const auto above = m_upTo.upper_bound(ranks);
    if (above != m_upTo.begin() && std::prev(above)->first == ranks)
        return std::prev(above)->second;
    return m_upTo.emplace_hint(above, ranks, above == m_upTo.begin() ? Front(m_kind) : std::prev(above)->second)
        ->second;
}

void Fronts::mergeInto(int ranks, const Front& found)
{
    m_byRanks.try_emplace(ranks, m_kind).first->second.merge(found);
    static_cast<void>(upTo(ranks));
    for (auto more = m_upTo.lower_bound(ranks); more != m_upTo.end(); ++more)
        for (const Front::Point& point : found.points())
            more->second.add({{}, {}, point.value, {}, Bytes(point.peak)}); // which strategies they are plays no part
}

void Fronts::merge(const Front& found, int ranks)
{
    if (found.empty() || areEnough(ranks))
        return;
    if (fewestKnown() > ranks)
        m_front = Front(m_kind);
    m_front.merge(found);
    if (m_byAccelerators)
        mergeInto(ranks, found);
}

void Fronts::add(FoundStrategy found)
{
    if (m_byAccelerators) {
        Front alone(m_kind);
        alone.add(found);
        mergeInto(rankCount(found.strategy), alone);
    }
    m_front.add(std::move(found));
}

std::vector<FoundStrategy> Fronts::strategiesByAccelerators() const
{
    std::vector<FoundStrategy> all;
    Front fewer(m_kind);
    for (const auto& [ranks, front] : m_byRanks) {
        for (const Front::Point& point : front.points())
            if (!fewer.reaches(point.value, point.peak))
                all.insert(all.end(), point.strategies.begin(), point.strategies.end());
        for (const Front::Point& point : front.points())
            fewer.add({{}, {}, point.value, {}, Bytes(point.peak)});
    }
    return all;
}

} // namespace stratoplan::search
