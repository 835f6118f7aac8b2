// SPDX-License-Identifier: Apache-2.0
#include "core/partition/closed_bounds.h"

#include <algorithm>
#include <limits>

namespace stratoplan::partition {
namespace {

/// Each of a row, where another one with something more is less.
void lower(double* row, const double* other, double more, std::size_t count)
{
    for (std::size_t i = 0; i < count; ++i)
        row[i] = std::min(row[i], other[i] + more);
}

} // namespace

ClosedBounds::ClosedBounds(ChainBounds& chain, const LayerSteps& steps, const KnownDivisions& known)
    : m_chain(chain)
    , m_known(known)
    , m_weighing(known)
    , m_rows(chain.left(0).size())
    , m_skips(std::size_t(chain.end()) + 1)
    , m_skipTo(std::size_t(chain.end()), 0)
    , m_steps(std::size_t(chain.end()))
    , m_after(std::size_t(chain.end()) + 1)
    , m_afterAll(std::size_t(chain.end()) + 1)
{
    const int end = chain.end();
    for (const auto& [from, to] : steps.skips())
        if (from == 0 || to == end)
            m_skips[std::size_t(from == 0 ? to : from)].emplace_back(from, to);
        else
            m_skipTo[std::size_t(from)] = to;
    m_after.back().assign(m_weighing.weights() * m_rows * m_rows, kInfinity);
    for (std::size_t w = 0; w < m_weighing.weights(); ++w)
        for (std::size_t row = 0; row < m_rows; ++row)
            m_after.back()[at(w, end, row) + row] = 0;
    addSkips(end);
    leaveBeaten(end);
    for (int place = end; place-- > 0 && !known.isStopped();) {
        priceSteps(place);
        if (const int to = m_skipTo[std::size_t(place)]; to > 0)
            boundBeforeSkip(place, to);
        else
            boundBefore(place);
        addSkips(place);
        leaveBeaten(place);
    }
}

void ClosedBounds::priceSteps(int place)
{
    for (std::size_t a = 0; a < m_chain.left(place).size() && !m_known.isStopped(); ++a)
        for (std::size_t b = 0; b < m_chain.left(place + 1).size(); ++b)
            m_steps[std::size_t(place)].push_back(m_chain.stepAsked(place, a, b));
}

void ClosedBounds::boundBefore(int place)
{
    std::vector<double>& after = m_after[std::size_t(place)];
    const std::vector<double>& next = m_after[std::size_t(place) + 1];
    after.assign(m_weighing.weights() * m_chain.left(place).size() * m_rows, kInfinity);
    for (std::size_t b = 0; b < m_chain.left(place + 1).size() && !m_known.isStopped(); ++b) {
        Bound alone;
        m_chain.addAlone(alone, place + 1, b);
        for (std::size_t a = 0; a < m_chain.left(place).size(); ++a) {
            if (!step(place, a, b))
                continue;
            Bound there = alone;
            m_weighing.add(there, *step(place, a, b));
            for (std::size_t w = 0; w < m_weighing.weights(); ++w)
                lower(after.data() + at(w, place, a), next.data() + at(w, place + 1, b), there.least[w], m_rows);
        }
    }
}

std::vector<double> ClosedBounds::leastBetween(int from, int to)
{
    const std::size_t weights = m_weighing.weights(), senders = m_chain.left(from).size();
    std::vector<double> least(weights * senders * senders, kInfinity);
    for (std::size_t w = 0; w < weights; ++w)
        for (std::size_t i = 0; i < senders; ++i)
            least[(w * senders + i) * senders + i] = 0;
    for (int place = from; place < to; ++place) {
        const std::size_t here = m_chain.left(place).size(), there = m_chain.left(place + 1).size();
        std::vector<double> next(weights * there * senders, kInfinity);
        for (std::size_t b = 0; b < there && !m_known.isStopped(); ++b)
            for (std::size_t a = 0; a < here; ++a) {
                if (!step(place, a, b))
                    continue;
                Bound more;
                m_weighing.add(more, m_chain.state(place + 1, b));
                m_weighing.add(more, *step(place, a, b));
                for (std::size_t w = 0; w < weights; ++w)
                    lower(next.data() + (w * there + b) * senders, least.data() + (w * here + a) * senders,
                        more.least[w], senders);
            }
        least = std::move(next);
    }
    const std::size_t receivers = m_chain.left(to).size();
    for (std::size_t c = 0; c < receivers && !m_known.isStopped(); ++c)
        for (std::size_t q = 0; q < senders; ++q) {
            Bound more;
            m_weighing.add(more, m_chain.step(from, q, to, c));
            for (std::size_t w = 0; w < weights; ++w)
                least[(w * receivers + c) * senders + q] += more.least[w];
        }
    return least;
}

void ClosedBounds::boundBeforeSkip(int from, int to)
{
    const std::vector<double> between = leastBetween(from, to);
    const std::size_t senders = m_chain.left(from).size(), receivers = m_chain.left(to).size();
    std::vector<double>& after = m_after[std::size_t(from)];
    after.assign(m_weighing.weights() * senders * m_rows, kInfinity);
    for (std::size_t w = 0; w < m_weighing.weights(); ++w)
        for (std::size_t q = 0; q < senders && !m_known.isStopped(); ++q)
            for (std::size_t c = 0; c < receivers; ++c)
                lower(after.data() + at(w, from, q), m_after[std::size_t(to)].data() + at(w, to, c),
                    between[(w * receivers + c) * senders + q], m_rows);
}

void ClosedBounds::addSkips(int place)
{
    for (const std::pair<int, int>& way : skipsAt(place))
        for (std::size_t i = 0; i < m_chain.left(place).size() && !m_known.isStopped(); ++i)
            for (std::size_t row = 0; row < m_rows; ++row) {
                if (m_after[std::size_t(place)][at(0, place, i) + row] == kInfinity)
                    continue;
                Bound least;
                m_weighing.add(least, skip(way, row, place, i));
                for (std::size_t w = 0; w < m_weighing.weights(); ++w)
                    m_after[std::size_t(place)][at(w, place, i) + row] += least.least[w];
            }
}

/// Where the layer begins a row is a state.
void ClosedBounds::leaveBeaten(int place)
{
    std::vector<Bound>& all = m_afterAll[std::size_t(place)];
    all.assign(m_chain.left(place).size(), unbounded());
    for (std::size_t i = 0; i < all.size() && !m_known.isStopped(); ++i)
        for (std::size_t row = 0; row < m_rows; ++row) {
            Bound after, through = m_chain.through(place, i);
            for (std::size_t w = 0; w < m_weighing.weights(); ++w)
                after.least[w] = m_after[std::size_t(place)][at(w, place, i) + row];
            m_weighing.add(through, after);
            if ((place > 0 || i == row) && !m_known.isBeaten(through, m_chain.working(place, i)))
                m_weighing.lower(all[i], after);
            else
                for (std::size_t w = 0; w < m_weighing.weights(); ++w)
                    m_after[std::size_t(place)][at(w, place, i) + row] = kInfinity;
        }
}

bool ClosedBounds::isBeaten(const Division& part, std::size_t row, int last, std::size_t column) const
{
    Bound bound;
    for (std::size_t w = 0; w < m_weighing.weights(); ++w)
        bound.least[w] = m_after[std::size_t(last)][at(w, last, column) + row];
    m_weighing.add(bound, part.seconds, part.parameters, part.kept, part.remade);
    return m_known.isBeaten(bound, part.working);
}

bool ClosedBounds::isBeaten(const Division& part, int first, std::size_t state, int last, std::size_t column) const
{
    Bound bound = m_chain.before(first, state);
    m_weighing.add(bound, part.seconds, part.parameters, part.kept, part.remade);
    m_weighing.add(bound, m_afterAll[std::size_t(last)][column]);
    return m_known.isBeaten(bound, part.working);
}

double ClosedBounds::leastCost() const
{
    Bound least = unbounded();
    for (std::size_t row = 0; row < m_rows; ++row) {
        Bound whole = m_chain.through(0, row);
        m_weighing.add(whole, m_afterAll.front()[row]);
        m_weighing.lower(least, whole);
    }
    return m_known.leastCost(least);
}

} // namespace stratoplan::partition
