// SPDX-License-Identifier: Apache-2.0
// Inside of the search: what has been found, and what strategies of so many accelerators are measured against. As a
// rule that is one front. Where fewer accelerators are better whatever the value, the front holds strategies of the
// fewest alone, and nothing is measured against those that use more. Where the front of step, peak memory and
// accelerators is asked for, there is one for each number of accelerators in use, and a strategy is measured against
// those of its number and of fewer: what is beaten by one of them is beaten in all three.
#pragma once

#include "core/search/search.h"

#include <map>

namespace stratoplan::search {

class Fronts {
public:
    explicit Fronts(const SearchOptions& options)
        : m_kind(options.keep)
        , m_fewest(
              options.objective == plan::Objective::Deadline || options.objective == plan::Objective::SmallestCluster)
        , m_byAccelerators(options.byAccelerators)
        , m_front(options.keep)
        , m_nothing(options.keep)
    {
    }

    [[nodiscard]] bool fewestMatter() const { return m_fewest; }
    [[nodiscard]] bool byAccelerators() const { return m_byAccelerators; }
    [[nodiscard]] bool empty() const { return m_front.empty(); }
    /// Whether something of fewer ranks is known where the fewest are looked for.
    [[nodiscard]] bool areEnough(int ranks) const { return fewestKnown() > 0 && fewestKnown() < ranks; }
    /// What strategies of so many ranks are measured against; stays until more is merged. Changes nothing that it has
    /// given before.
    [[nodiscard]] const Front& known(int ranks);
    /// `found`: all of so many ranks.
    void merge(const Front& found, int ranks);
    void add(FoundStrategy found);

    /// Of whatever number of accelerators: by rising peak.
    [[nodiscard]] std::vector<FoundStrategy> strategies() const { return m_front.strategies(); }
    [[nodiscard]] const FoundStrategy& best() const
    {
        return m_front.best().strategies.front();
    } ///< precondition: not empty
    /// One for each number of accelerators, where asked for: all that none of as few is no worse than, and better in
    /// something. By rising number, then rising peak.
    [[nodiscard]] std::vector<FoundStrategy> strategiesByAccelerators() const;

private:
    /// 0: there are none, or their number does not matter.
    [[nodiscard]] int fewestKnown() const { return m_fewest && !empty() ? rankCount(best().strategy) : 0; }
    [[nodiscard]] Front& upTo(int ranks);
    void mergeInto(int ranks, const Front& found);

    FrontKind m_kind;
    bool m_fewest, m_byAccelerators;
    Front m_front; ///< of all
    Front m_nothing;
    std::map<int, Front> m_byRanks; ///< of strategies that use so many
    std::map<int, Front> m_upTo; ///< values and peaks of those and of fewer
};

} // namespace stratoplan::search
