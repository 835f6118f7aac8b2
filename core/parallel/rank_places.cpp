// SPDX-License-Identifier: Apache-2.0
#include "core/parallel/rank_places.h"

namespace stratoplan::parallel {

GroupPlaces::GroupPlaces(const Strategy& strategy, RankGroup group)
    : m_size(groupSize(strategy, group))
{
    if (group != RankGroup::Expert && group != RankGroup::ExpertData) {
        m_runs = runsOf(strategy, group);
        return;
    }
    // An EP degree need not divide either run of the pool, only both together.
    m_runs = expertPool(strategy);
    if ((group == RankGroup::Expert) == expertsAreOutside(strategy))
        m_step = std::max(1, sizeOf(m_runs) / m_size);
}

int GroupPlaces::along(int rank) const
{
    return rank / m_runs.inner.stride % m_runs.inner.size
        + m_runs.inner.size * (rank / m_runs.outer.stride % m_runs.outer.size);
}

int GroupPlaces::placeOf(int rank) const
{
    return along(rank) / m_step % m_size;
}

std::vector<int> GroupPlaces::groupOf(int rank) const
{
    const int from = along(rank);
    const auto offset = [&](int at) {
        return at % m_runs.inner.size * m_runs.inner.stride + at / m_runs.inner.size * m_runs.outer.stride;
    };
    std::vector<int> ranks;
    for (int place = 0; place < m_size; ++place)
        ranks.push_back(rank + offset(from + (place - placeOf(rank)) * m_step) - offset(from));
    return ranks;
}

} // namespace stratoplan::parallel
