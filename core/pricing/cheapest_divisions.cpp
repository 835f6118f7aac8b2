// SPDX-License-Identifier: Apache-2.0
#include "core/pricing/cheapest_divisions.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace stratoplan::pricing {

const partition::Division* CheapestDivisions::at(int microBatches, double ofParameter)
{
    if (m_isEmpty)
        return nullptr;
    const auto [known, isNew] = m_known.try_emplace({microBatches, ofParameter});
    if (!isNew)
        return &known->second;
    m_programme.spread(microBatches);
    const Place place{1.0 / microBatches, ofParameter};
    partition::ProgrammeGoal goal;
    if (!m_memory.empty()) {
        goal.memory = m_memory;
        goal.capacity = m_capacity;
    }
    goal.ofParameter = ofParameter;
    const Region* cheapest = nullptr;
    for (const Region& region : m_regions) {
        const partition::Division division = m_programme.price(region.division.states, region.division.again);
        if (cheapest != nullptr && goal.cost(division) >= goal.most)
            continue;
        goal.most = goal.cost(division);
        known->second = division;
        cheapest = &region;
    }
    if (cheapest != nullptr && isBetween(place, cheapest->places))
        return &known->second;
    goal.most *= kSlightlyMore;
    const partition::ProgrammeAnswer answer = m_programme.solve(goal);
    if (answer.isStopped) {
        m_known.erase(known);
        return nullptr;
    }
    m_isEmpty = answer.best.empty();
    if (m_isEmpty)
        return nullptr;
    known->second = answer.best.front();
    regionOf(known->second).places.push_back(place);
    return &known->second;
}

/// Whether the places surround it: seen from there, no half of the plane is without one.
bool CheapestDivisions::isBetween(const Place& place, const std::vector<Place>& places)
{
    std::vector<double> directions;
    for (const Place& other : places)
        directions.push_back(std::atan2(other.ofParameter - place.ofParameter, other.share - place.share));
    std::ranges::sort(directions);
    if (directions.size() < 2)
        return false;
    double widest = directions.front() + 2 * std::numbers::pi - directions.back();
    for (std::size_t i = 1; i < directions.size(); ++i)
        widest = std::max(widest, directions[i] - directions[i - 1]);
    return widest <= std::numbers::pi;
}

CheapestDivisions::Region& CheapestDivisions::regionOf(const partition::Division& division)
{
    const auto known =
        std::ranges::find_if(m_regions, [&](const Region& region) { return isSame(region.division, division); });
    return known != m_regions.end() ? *known : m_regions.emplace_back(Region{division, {}});
}

} // namespace stratoplan::pricing
