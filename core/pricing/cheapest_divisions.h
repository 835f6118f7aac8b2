// SPDX-License-Identifier: Apache-2.0
// Inside of the pricing: the cheapest divisions of a layer within a limit of memory, for whatever its parameters take
// at the end of the step and however many micro-batches share what is summed up there. The cost of a division is a
// straight line in both, so that one which is cheapest at several places is cheapest everywhere between them.
#pragma once

#include "core/partition/programme.h"

#include <map>
#include <utility>
#include <vector>

namespace stratoplan::pricing {

inline constexpr double kSlightlyMore = 1 + 1e-9; ///< of a cost, so that what is as cheap is found

[[nodiscard]] inline bool isSame(const partition::Division& a, const partition::Division& b)
{
    return a.states == b.states && a.again == b.again;
}

class CheapestDivisions {
public:
    /// Refers to it, and spreads it over the micro-batches that are asked about. Without forms memory is no limit.
    explicit CheapestDivisions(
        partition::Programme& programme, std::vector<partition::MemoryForm> memory = {}, double capacity = 0)
        : m_programme(programme)
        , m_memory(std::move(memory))
        , m_capacity(capacity)
    {
    }
    /// Null where none fits, and where the programme is asked to stop. `ofParameter`: seconds, as in ProgrammeGoal.
    /// Stays.
    [[nodiscard]] const partition::Division* at(int microBatches, double ofParameter);

private:
    struct Place {
        double share = 1; ///< that a micro-batch has of what is summed up
        double ofParameter = 0;
    };
    struct Region {
        partition::Division division; ///< its seconds are those of any place
        std::vector<Place> places; ///< where it is cheapest
    };
    [[nodiscard]] static bool isBetween(const Place& place, const std::vector<Place>& places);
    [[nodiscard]] Region& regionOf(const partition::Division& division);

    partition::Programme& m_programme;
    std::vector<partition::MemoryForm> m_memory;
    double m_capacity;
    bool m_isEmpty = false; ///< none fits
    std::map<std::pair<int, double>, partition::Division> m_known; ///< by micro-batches and what parameters take
    std::vector<Region> m_regions;
};

} // namespace stratoplan::pricing
