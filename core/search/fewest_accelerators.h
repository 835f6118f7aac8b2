// SPDX-License-Identifier: Apache-2.0
// Inside of the search: where fewer accelerators are better whatever the value, a front holds strategies of the fewest alone, and
// nothing is measured against strategies that use more.
#pragma once

#include "core/search/search.h"

namespace stratoplan {

class FewestAccelerators {
public:
    explicit FewestAccelerators(const SearchOptions& options)
        : m_keep(options.keep)
        , m_matter(options.objective == Objective::Deadline || options.objective == Objective::SmallestCluster)
        , m_nothing(options.keep)
    {
    }

    [[nodiscard]] bool matter() const { return m_matter; }
    /// Whether the front has something of fewer ranks.
    [[nodiscard]] bool isBelow(const Front& front, int ranks) const { return ranksOf(front) > 0 && ranksOf(front) < ranks; }
    /// What strategies of so many ranks are measured against.
    [[nodiscard]] const Front& known(const Front& front, int ranks) const { return ranksOf(front) > ranks ? m_nothing : front; }
    /// `found`: all of so many ranks.
    void merge(Front& front, const Front& found, int ranks) const
    {
        if (found.empty() || isBelow(front, ranks))
            return;
        if (ranksOf(front) > ranks)
            front = Front(m_keep);
        front.merge(found);
    }

private:
    /// 0: there are none, or their number does not matter.
    [[nodiscard]] int ranksOf(const Front& front) const
    {
        return m_matter && !front.empty() ? rankCount(front.best().strategies.front().strategy) : 0;
    }

    FrontKind m_keep;
    bool m_matter;
    Front m_nothing;
};

} // namespace stratoplan
