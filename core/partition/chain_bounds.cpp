// SPDX-License-Identifier: Apache-2.0
#include "core/partition/chain_bounds.h"

#include "core/partition/descent.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace stratoplan::partition {
namespace {

/// Of an operator's states, those that a first answer is made of.
constexpr std::size_t kFewOf = 16, kFewest = 12;

} // namespace

ChainBounds::ChainBounds(
    const Block& block, const std::vector<std::vector<State>>& states, LayerSteps& steps, KnownDivisions& known)
    : m_block(block)
    , m_states(states)
    , m_steps(steps)
    , m_known(known)
    , m_weighing(known)
    , m_count(block.size())
    , m_left(std::size_t(m_count) + 1)
{
    weigh();
    boundByShape();
    if (m_areBeaten || known.isStopped())
        return;
    if (known.goal().front || known.best().empty()) {
        leaveAllButFew();
        boundAlongChain();
        descendFromChain();
    }
    if (known.weighAroundCapacity())
        boundByShape();
    leaveByShape();
    boundAlongChain();
    if (known.goal().within.empty()) // else what is asked for is limited already
        descendFromChain();
    m_allLeft = m_left;
    m_allBefore = m_before;
    m_areBeaten = std::ranges::all_of(m_allBefore.back(), [&](const Bound& end) { return known.isBeaten(end, 0); });
}

void ChainBounds::boundByShape()
{
    m_coarse.emplace(m_states, m_steps, m_known);
    const Bound least = m_coarse->least();
    for (std::size_t w = 0; w < weights(); ++w)
        m_leastSums.push_back(m_known.leastSum(w, least.least[w]));
    m_areBeaten = m_known.isBeaten(least, 0);
}

double ChainBounds::leastCost() const
{
    Bound least = unbounded();
    for (const Bound& end : m_allBefore.back())
        m_weighing.lower(least, end);
    return m_known.leastCost(least);
}

Bound ChainBounds::through(int place, std::size_t i) const
{
    Bound bound = before(place, i);
    addAlone(bound, place, i);
    return bound;
}

std::optional<Step> ChainBounds::stepAsked(int place, std::size_t a, std::size_t b)
{
    Bound rest = through(place, a);
    addAlone(rest, place + 1, b);
    add(rest, m_after[std::size_t(place) + 1][b]);
    Bound least = rest;
    m_weighing.add(least, m_coarse->step(place, left(place)[a], left(place + 1)[b]));
    if (m_known.isBeaten(least, working(place, a)))
        return std::nullopt;
    const Step exact = step(place, a, place + 1, b);
    m_weighing.add(rest, exact);
    return m_known.isBeaten(rest, working(place, a)) ? std::nullopt : std::optional(exact);
}

/// The operator at the end is the first one again, which is counted there.
void ChainBounds::addAlone(Bound& bound, int place, std::int16_t state) const
{
    if (place == m_count)
        return;
    m_weighing.add(bound, statesAt(place)[std::size_t(state)]);
    m_weighing.add(bound, m_coarse->beside(place, state));
}

void ChainBounds::weigh()
{
    double seconds = 0, bytes = 0, working = 0;
    const MemoryForm form = m_known.goal().memory.empty() ? MemoryForm{} : m_known.goal().memory.front();
    for (const std::vector<State>& states : m_states) {
        double leastSeconds = kInfinity, leastBytes = kInfinity, leastWorking = kInfinity;
        for (const State& s : states) {
            leastSeconds = std::min(leastSeconds, s.seconds);
            leastBytes = std::min(leastBytes, form.layers(s.parameters, s.kept, s.remade));
            leastWorking = std::min(leastWorking, s.working);
        }
        working = std::max(working, leastWorking);
        seconds += leastSeconds;
        bytes += leastBytes;
    }
    m_known.weighBetween(seconds, bytes);
    m_known.expectWorking(working);
}

/// Of a whole with this state, as its shapes have it.
Bound ChainBounds::ofShape(int place, std::int16_t state) const
{
    Bound bound = m_coarse->before(place, state);
    addAlone(bound, place, state);
    add(bound, m_coarse->after(place, state));
    return bound;
}

/// Of each operator those that look best in a whole: for a first answer, which leaves out many of the others.
void ChainBounds::leaveAllButFew()
{
    for (int place = 0; place < m_count; ++place) {
        std::vector<Bound> bounds;
        for (std::size_t i = 0; i < statesAt(place).size(); ++i)
            bounds.push_back(ofShape(place, std::int16_t(i)));
        Left all(bounds.size());
        std::iota(all.begin(), all.end(), std::int16_t(0));
        Left& few = m_left[std::size_t(place)];
        for (std::size_t w = 0; w < weights(); ++w) {
            const std::size_t count = std::min(all.size(), w == 0 ? std::max(kFewest, all.size() / kFewOf) : kFewest);
            std::partial_sort(
                all.begin(), all.begin() + std::ptrdiff_t(count), all.end(), [&](std::int16_t a, std::int16_t b) {
                    return bounds[std::size_t(a)].least[w] < bounds[std::size_t(b)].least[w];
                });
            few.insert(few.end(), all.begin(), all.begin() + std::ptrdiff_t(count));
        }
        std::sort(few.begin(), few.end());
        few.erase(std::unique(few.begin(), few.end()), few.end());
    }
    m_left.back() = m_left.front();
}

void ChainBounds::leaveByShape()
{
    for (int place = 0; place < m_count; ++place) {
        m_left[std::size_t(place)].clear();
        for (std::size_t i = 0; i < statesAt(place).size(); ++i)
            if (!m_known.isBeaten(ofShape(place, std::int16_t(i)), statesAt(place)[i].working))
                m_left[std::size_t(place)].push_back(std::int16_t(i));
    }
    m_left.back() = m_left.front();
}

/// The least before each state when the chain of operators counts alone.
void ChainBounds::boundAlongChain()
{
    m_before.assign(m_left.size(), {});
    m_before[0].assign(left(0).size(), Bound{});
    m_from.assign(m_left.size(), {});
    for (int place = 0; place < m_count; ++place)
        boundNext(place);
}

/// What is best along the chain is good altogether.
void ChainBounds::descendFromChain()
{
    for (std::size_t w = 0; w < weights() && !m_known.isStopped(); ++w)
        if (const std::optional<ChosenStates> chain = bestOfChain(w))
            descend(m_block, m_states, m_steps, w, *chain, m_known);
}

/// The least before and after each state when the chain of operators counts alone, without the residual's second
/// way and whatever state the layer ends in.
void ChainBounds::leaveAsked()
{
    m_left = m_allLeft;
    m_before = m_allBefore;
    m_after.assign(m_left.size(), {});
    m_after.back().assign(m_left.back().size(), Bound{});
    for (int place = m_count - 1; place >= 0; --place) {
        leaveBeaten(place + 1);
        boundBefore(place);
    }
    leaveBeaten(0);
    meetEnds();
}

/// What may lead on from a place, the best first: the others are soon seen to lead to nothing better.
std::vector<ChainBounds::Sender> ChainBounds::senders(int place) const
{
    std::vector<Sender> senders;
    for (std::size_t a = 0; a < left(place).size(); ++a) {
        Bound here = m_before[std::size_t(place)][a];
        addAlone(here, place, a);
        Bound through = here;
        add(through, coarseAfter(place, a));
        if (!m_known.isBeaten(through, state(place, a).working))
            senders.push_back({a, here});
    }
    std::sort(senders.begin(), senders.end(),
        [](const Sender& a, const Sender& b) { return a.here.least[0] < b.here.least[0]; });
    return senders;
}

void ChainBounds::boundNext(int place)
{
    std::vector<Bound>& next = m_before[std::size_t(place) + 1];
    next.assign(left(place + 1).size(), unbounded());
    std::vector<Came>& from = m_from[std::size_t(place) + 1];
    from.assign(next.size(), Came{});
    const std::vector<Sender> all = senders(place);
    for (std::size_t b = 0; b < next.size() && !all.empty() && !m_known.isStopped(); ++b) {
        Bound rest = coarseAfter(place + 1, b);
        addAlone(rest, place + 1, b);
        const auto leastStep = [&](const Sender& sender) {
            return m_coarse->step(place, left(place)[sender.number], left(place + 1)[b]);
        };
        const auto offer = [&](const Sender& sender) {
            Bound there;
            if (!m_weighing.isLess(sender.here, leastStep(sender), next[b], there))
                return;
            add(there, rest);
            if (m_known.isBeaten(there, 0))
                return;
            there = sender.here;
            m_weighing.add(there, step(place, sender.number, place + 1, b));
            for (std::size_t w = 0; w < weights(); ++w)
                if (there.least[w] < next[b].least[w]) {
                    next[b].least[w] = there.least[w];
                    from[b][w] = std::int16_t(sender.number);
                }
        };
        offer(*std::ranges::min_element(
            all, {}, [&](const Sender& sender) { return sender.here.least[0] + leastStep(sender)[0]; }));
        for (const Sender& sender : all)
            offer(sender);
    }
}

/// The chain that is the least of a weighed sum.
std::optional<ChosenStates> ChainBounds::bestOfChain(std::size_t weight) const
{
    const std::vector<Bound>& ends = m_before.back();
    std::size_t i = std::size_t(std::min_element(ends.begin(), ends.end(), [&](const Bound& a, const Bound& b) {
        return a.least[weight] < b.least[weight];
    }) - ends.begin());
    if (ends.empty() || ends[i].least[weight] == kInfinity)
        return std::nullopt;
    ChosenStates chosen{};
    for (int place = m_count; place-- > 0;) {
        i = std::size_t(m_from[std::size_t(place) + 1][i][weight]);
        chosen[std::size_t(place)] = left(place)[i];
    }
    return chosen;
}

void ChainBounds::boundBefore(int place)
{
    std::vector<Bound>& after = m_after[std::size_t(place)];
    after.assign(left(place).size(), unbounded());
    std::vector<std::pair<Bound, std::size_t>> receivers;
    for (std::size_t b = 0; b < left(place + 1).size(); ++b) {
        receivers.emplace_back(m_after[std::size_t(place) + 1][b], b);
        addAlone(receivers.back().first, place + 1, b);
    }
    std::sort(receivers.begin(), receivers.end(),
        [](const auto& a, const auto& b) { return a.first.least[0] < b.first.least[0]; });
    Bound here;
    for (std::size_t a = 0; a < after.size() && !m_known.isStopped(); ++a) {
        const Bound before = through(place, a);
        for (const auto& [there, b] : receivers) {
            const double* const least = m_coarse->step(place, left(place)[a], left(place + 1)[b]);
            if (!m_weighing.isLess(there, least, after[a], here))
                continue;
            add(here, before);
            if (m_known.isBeaten(here, working(place, a)))
                continue;
            here = there;
            m_weighing.add(here, step(place, a, place + 1, b));
            m_weighing.lower(after[a], here);
        }
    }
}

void ChainBounds::keepOnly(int place, const std::vector<std::size_t>& kept)
{
    Left states;
    std::vector<Bound> before, after;
    for (const std::size_t i : kept) {
        states.push_back(left(place)[i]);
        before.push_back(m_before[std::size_t(place)][i]);
        after.push_back(m_after[std::size_t(place)][i]);
    }
    m_left[std::size_t(place)] = std::move(states);
    m_before[std::size_t(place)] = std::move(before);
    m_after[std::size_t(place)] = std::move(after);
}

void ChainBounds::leaveBeaten(int place)
{
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < left(place).size(); ++i) {
        Bound bound = through(place, i);
        add(bound, m_after[std::size_t(place)][i]);
        if (!m_known.isBeaten(bound, working(place, i)))
            kept.push_back(i);
    }
    keepOnly(place, kept);
}

/// The layer ends in a state that it can begin in.
void ChainBounds::meetEnds()
{
    for (const auto& [place, other] : {std::pair{0, m_count}, std::pair{m_count, 0}}) {
        std::vector<std::size_t> kept;
        for (std::size_t i = 0; i < left(place).size(); ++i)
            if (std::find(left(other).begin(), left(other).end(), left(place)[i]) != left(other).end())
                kept.push_back(i);
        keepOnly(place, kept);
    }
}

} // namespace stratoplan::partition
