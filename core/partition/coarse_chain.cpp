// SPDX-License-Identifier: Apache-2.0
#include "core/partition/coarse_chain.h"

#include <map>

namespace stratoplan::partition {
namespace {

/// Numbers that two states have in common where no bound tells them apart.
class ShapeKey {
public:
    ShapeKey(const State& state, const Layouts& layouts)
        : m_layouts(layouts)
    {
        for (const int wanted : state.wants)
            take(layouts.shape(wanted));
        for (const Sums& sums : state.gives)
            take(sums);
        take(state.makes);
    }
    using Numbers = std::array<std::int32_t, 20>;
    [[nodiscard]] const Numbers& numbers() const { return m_numbers; }

private:
    void take(int number) { m_numbers[m_count++] = number; }
    void take(const Sums& sums)
    {
        const LevelCounts counts = countsOf(sums.bits, m_layouts.levels());
        take(m_layouts.shape(sums.layout));
        take(m_layouts.hasLevels() ? (counts[0] << 8 | counts[1]) << 8 | counts[2] : int(sums.bits));
        for (int way = 0; way < 3; ++way)
            take(way < sums.ways ? m_layouts.shape(sums.scattered[std::size_t(way)]) : -1);
    }
    const Layouts& m_layouts;
    Numbers m_numbers{};
    std::size_t m_count = 0;
};

} // namespace

CoarseChain::CoarseChain(const std::vector<std::vector<State>>& states, LayerSteps& steps, const KnownDivisions& known)
    : m_weighing(known)
    , m_count(int(states.size()))
    , m_before(states.size() + 1)
    , m_after(states.size() + 1)
{
    for (const std::vector<State>& all : states)
        sort(all, steps.layouts());
    m_before.front().assign(m_kinds.front().size(), Bound{});
    m_after.back() = m_before.front();
    for (int place = 0; place < m_count; ++place)
        boundNext(place, steps);
    for (int place = m_count; place-- > 0;)
        boundBefore(place, steps);
}

void CoarseChain::sort(const std::vector<State>& states, const Layouts& layouts)
{
    std::map<ShapeKey::Numbers, std::int16_t> known;
    std::vector<std::int16_t> kindOf;
    std::vector<Kind> kinds;
    for (const State& state : states) {
        const auto [kind, isNew] = known.try_emplace(ShapeKey(state, layouts).numbers(), std::int16_t(kinds.size()));
        if (isNew)
            kinds.push_back({&state, unbounded()});
        Bound alone;
        m_weighing.add(alone, state);
        m_weighing.lower(kinds[std::size_t(kind->second)].least, alone);
        kindOf.push_back(kind->second);
    }
    m_kindOf.push_back(std::move(kindOf));
    m_kinds.push_back(std::move(kinds));
}

void CoarseChain::boundNext(int place, LayerSteps& steps)
{
    const std::vector<Kind>& senders = m_kinds[at(place)];
    const std::vector<Kind>& receivers = m_kinds[at((place + 1) % m_count)];
    std::vector<Bound>& next = m_before[at(place + 1)];
    next.assign(receivers.size(), unbounded());
    for (std::size_t a = 0; a < senders.size(); ++a) {
        Bound here = m_before[at(place)][a];
        m_weighing.add(here, senders[a].least);
        for (std::size_t b = 0; b < receivers.size(); ++b) {
            if (m_weighing.isNoLess(here, 0, next[b]))
                continue;
            Bound there = here;
            m_weighing.add(there, steps.least(place, *senders[a].first, place + 1, *receivers[b].first));
            m_weighing.lower(next[b], there);
        }
    }
}

void CoarseChain::boundBefore(int place, LayerSteps& steps)
{
    const std::vector<Kind>& senders = m_kinds[at(place)];
    const std::vector<Kind>& receivers = m_kinds[at((place + 1) % m_count)];
    std::vector<Bound>& after = m_after[at(place)];
    after.assign(senders.size(), unbounded());
    for (std::size_t b = 0; b < receivers.size(); ++b) {
        Bound there = m_after[at(place + 1)][b];
        if (place + 1 < m_count) // else the first operator again, which is counted there
            m_weighing.add(there, receivers[b].least);
        for (std::size_t a = 0; a < senders.size(); ++a) {
            if (m_weighing.isNoLess(there, 0, after[a]))
                continue;
            Bound here = there;
            m_weighing.add(here, steps.least(place, *senders[a].first, place + 1, *receivers[b].first));
            m_weighing.lower(after[a], here);
        }
    }
}

} // namespace stratoplan::partition
