// SPDX-License-Identifier: Apache-2.0
#include "core/partition/coarse_chain.h"

#include <map>

namespace stratoplan::partition {
namespace {

/// Numbers that states have in common which no bound tells apart.
using ShapeKey = std::array<int, 5>;
ShapeKey shapeKey(const State& state, const Layouts& layouts)
{
    return {layouts.shape(state.wants[0]), layouts.shape(state.wants[1]), state.gives[0].kind, state.gives[1].kind,
        state.makes.kind};
}

} // namespace

CoarseChain::CoarseChain(const std::vector<std::vector<State>>& states, LayerSteps& steps, const KnownDivisions& known)
    : m_weighing(known)
    , m_count(int(states.size()))
    , m_steps(states.size())
    , m_before(states.size() + 1)
    , m_after(states.size() + 1)
{
    for (const std::vector<State>& all : states)
        sort(all, steps.layouts());
    for (const auto& [from, to] : steps.skips())
        if (from > 0 && to < m_count)
            boundSkip(from, to, steps);
    m_before.front().assign(m_kinds.front().size(), Bound{});
    m_after.back() = m_before.front();
    for (int place = 0; place < m_count; ++place) {
        priceSteps(place, steps);
        boundNext(place);
    }
    for (int place = m_count; place-- > 0;)
        boundBefore(place);
}

Bound CoarseChain::least() const
{
    Bound least = unbounded();
    for (std::size_t i = 0; i < kindsAt(0).size(); ++i) {
        Bound whole = kindsAt(0)[i].least;
        m_weighing.add(whole, kindsAt(0)[i].beside);
        m_weighing.add(whole, m_after.front()[i]);
        m_weighing.lower(least, whole);
    }
    return least;
}

void CoarseChain::sort(const std::vector<State>& states, const Layouts& layouts)
{
    std::map<ShapeKey, std::int16_t> known;
    std::vector<std::int16_t> kindOf;
    std::vector<Kind> kinds;
    for (const State& state : states) {
        const auto [kind, isNew] = known.try_emplace(shapeKey(state, layouts), std::int16_t(kinds.size()));
        if (isNew)
            kinds.push_back({&state, unbounded(), {}});
        Bound alone;
        m_weighing.add(alone, state);
        m_weighing.lower(kinds[std::size_t(kind->second)].least, alone);
        kindOf.push_back(kind->second);
    }
    m_kindOf.push_back(std::move(kindOf));
    m_kinds.push_back(std::move(kinds));
}

void CoarseChain::boundSkip(int from, int to, LayerSteps& steps)
{
    for (Kind& receiver : m_kinds[at(to)]) {
        if (m_weighing.isStopped())
            return;
        Bound least = unbounded();
        for (const Kind& sender : kindsAt(from)) {
            Bound step;
            m_weighing.add(step, steps.least(from, *sender.first, to, *receiver.first));
            m_weighing.lower(least, step);
        }
        m_weighing.add(receiver.beside, least);
    }
}

void CoarseChain::priceSteps(int place, LayerSteps& steps)
{
    const std::size_t weights = m_weighing.weights();
    m_steps[at(place)].resize(kindsAt(place).size() * kindsAt(place + 1).size() * weights);
    double* next = m_steps[at(place)].data();
    for (const Kind& sender : kindsAt(place)) {
        if (m_weighing.isStopped())
            return;
        for (const Kind& receiver : kindsAt(place + 1)) {
            m_weighing.weigh(steps.least(place, *sender.first, place + 1, *receiver.first), next);
            next += weights;
        }
    }
}

void CoarseChain::boundNext(int place)
{
    std::vector<Bound>& next = m_before[at(place + 1)];
    next.assign(kindsAt(place + 1).size(), unbounded());
    Bound there;
    for (std::size_t a = 0; a < kindsAt(place).size() && !m_weighing.isStopped(); ++a) {
        Bound here = m_before[at(place)][a];
        m_weighing.add(here, kindsAt(place)[a].least);
        m_weighing.add(here, kindsAt(place)[a].beside);
        for (std::size_t b = 0; b < next.size(); ++b)
            if (m_weighing.isLess(here, stepOf(place, a, b), next[b], there))
                m_weighing.lower(next[b], there);
    }
}

void CoarseChain::boundBefore(int place)
{
    std::vector<Bound>& after = m_after[at(place)];
    after.assign(kindsAt(place).size(), unbounded());
    std::vector<Bound> receivers = m_after[at(place + 1)];
    for (std::size_t b = 0; b < receivers.size() && place + 1 < m_count; ++b) {
        m_weighing.add(receivers[b], kindsAt(place + 1)[b].least); // the first operator is counted at the beginning
        m_weighing.add(receivers[b], kindsAt(place + 1)[b].beside);
    }
    Bound here;
    for (std::size_t a = 0; a < after.size() && !m_weighing.isStopped(); ++a)
        for (std::size_t b = 0; b < receivers.size(); ++b)
            if (m_weighing.isLess(receivers[b], stepOf(place, a, b), after[a], here))
                m_weighing.lower(after[a], here);
}

} // namespace stratoplan::partition
