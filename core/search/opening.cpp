// SPDX-License-Identifier: Apache-2.0
#include "core/search/opening.h"

#include <algorithm>
#include <utility>

namespace stratoplan::search {

RulesInUse::RulesInUse(const SearchOptions& options, bool unlikeNodes)
{
    constexpr std::array kWhateverNodes{PruneRule::ClosedFormBound, PruneRule::Objective};
    for (std::size_t i = 0; i < kPruneRules; ++i)
        m_holds[i] = !options.exhaustive && !options.off.contains(PruneRule(i))
            && (!unlikeNodes || std::ranges::find(kWhateverNodes, PruneRule(i)) != kWhateverNodes.end());
}

Opening::Opening(const Node& node, const Front& known, plan::SearchMode mode, const std::stop_token& stop,
    const SearchOptions& options, const RulesInUse& rules)
    : m_node(node)
    , m_known(known)
    , m_mode(mode)
    , m_stop(stop)
    , m_options(options)
    , m_rules(rules)
    , m_limit(options.limitOfStep().value())
    , m_explored{{}, Front(options.keep), 0, {}, true}
{
}

bool Opening::beats(double value, double peak) const
{
    return m_known.beats(value, peak) || m_explored.found.beats(value, peak);
}

std::vector<double> Opening::knownPeaks(int most) const
{
    std::vector<double> peaks;
    const auto count = int(m_known.points().size());
    for (int i = 0; i < std::min(most, count); ++i)
        peaks.push_back(m_known.points()[std::size_t(count - 1 - i * count / std::min(most, count))].peak);
    return peaks;
}

std::optional<PruneRule> Opening::against(PruneRule rule, double value, double peak) const
{
    if (uses(PruneRule::Objective) && value * (1 - kSumRounding) > m_limit)
        return PruneRule::Objective;
    if (uses(rule) && beats(value, peak))
        return rule;
    return std::nullopt;
}

void Opening::settle(const JudgedNode& below)
{
    if (below.withoutRoom > 0)
        drop(PruneRule::OutOfMemory, below.withoutRoom);
    if (below.droppedBy)
        drop(*below.droppedBy, below.node.leaves);
    else if (below.node.leaves > 0)
        m_explored.below.push_back(below.node);
}

Explored Opening::explored() &&
{
    m_explored.whole = !isStopped();
    return std::move(m_explored);
}

} // namespace stratoplan::search
