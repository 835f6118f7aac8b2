// SPDX-License-Identifier: Apache-2.0
#include "core/partition/known_divisions.h"

#include <algorithm>
#include <utility>

namespace stratoplan::partition {
namespace {

constexpr double kUnbounded = 1e300; // may be multiplied by a weight of nothing
/// Bounds add up in another order than what they bound.
constexpr double kRounding = 1 - 1e-12;
constexpr std::array kRates{0.7, 1.0, 1.4};

} // namespace

KnownDivisions::KnownDivisions(ProgrammeGoal goal, std::stop_token stop)
    : m_goal(std::move(goal))
    , m_stop(std::move(stop))
    , m_form(m_goal.memory.empty() ? MemoryForm{} : m_goal.memory.front())
    , m_within(kUnbounded)
{
    m_goal.front &= !m_goal.memory.empty();
    if (!m_goal.front && m_goal.capacity >= kUnbounded)
        m_goal.memory.clear(); // time alone counts
    updateAsked();
}

/// Weighed by what the form asks for each, its bytes are no less than those that are known.
bool isEmpty(const Corner& corner, const WeighedLeast& known, const MemoryForm& form, double working)
{
    const double room = corner.peak - form.fixed - form.ofBeside * working;
    if (room < 0)
        return true;
    double rate = 0;
    for (const auto& [ofForm, ofKnown] : {std::pair{form.ofParameter, known.ofParameter},
             std::pair{form.ofKept, known.ofKept}, std::pair{form.ofBeside, known.ofRemade}})
        if (ofKnown > 0)
            rate = std::max(rate, ofForm > 0 ? ofKnown / ofForm : kUnbounded);
    const double seconds = known.ofSeconds > 0 ? known.ofSeconds * corner.seconds : 0;
    return seconds + (rate > 0 ? rate * room : 0) <= known.least * kRounding;
}

WeighedLeast KnownDivisions::leastSum(std::size_t weight, double least) const
{
    const Weight& by = m_weights[weight];
    const double ofCost = by.isCost ? by.ofSeconds * m_goal.ofParameter : 0;
    return {by.ofSeconds, ofCost + by.ofMemory * m_form.ofParameter, by.ofMemory * m_form.ofKept,
        by.ofMemory * m_form.ofBeside, least};
}

void KnownDivisions::weighBetween(double seconds, double bytes)
{
    if (m_goal.memory.empty())
        return;
    m_weights = {{1, 0}, {0, 1}};
    if (!weighsCost())
        m_weights.push_back({1, 0, false});
    double share = 1.0 / 64;
    while (m_weights.size() < kMostWeights && share <= 256) {
        m_weights.push_back({1, share * seconds / std::max(1.0, bytes), weighsCost()});
        share *= m_goal.front ? 4 : 8; // of one capacity the rate is looked for (weighAroundCapacity())
    }
}

double KnownDivisions::leastTried(double rate) const
{
    double least = kUnbounded;
    for (const Tried& tried : m_tried)
        least = std::min(least, tried.seconds + rate * (tried.bytes - m_goal.capacity));
    return least;
}

/// The bound that a rate gives is that of the least; the best rate is one at which two of them are alike.
bool KnownDivisions::weighAroundCapacity()
{
    if (m_goal.memory.empty() || m_goal.front)
        return false;
    double best = 0;
    for (const Tried& fits : m_tried)
        for (const Tried& faster : m_tried)
            if (fits.fits && !faster.fits && fits.seconds > faster.seconds && fits.bytes < faster.bytes)
                if (const double rate = (fits.seconds - faster.seconds) / (faster.bytes - fits.bytes);
                    leastTried(rate) > leastTried(best))
                    best = rate;
    if (best <= 0)
        return false;
    m_weights = {{1, 0}, {0, 1}};
    if (!weighsCost())
        m_weights.push_back({1, 0, false});
    for (const double share : kRates)
        m_weights.push_back({1, share * best, weighsCost()});
    return true;
}

bool KnownDivisions::replaces(const Found& a, const Found& b) const
{
    const auto isNoMore = [this](const Found& x, const Found& y) {
        return x.cost <= y.cost * kSameCost && (x.peak <= y.peak || (!m_goal.front && x.cost * kSameCost < y.cost));
    };
    return isNoMore(a, b) && !(isNoMore(b, a) && comesBefore(b.division, a.division));
}

void KnownDivisions::add(const Division& division)
{
    const double most = peak(m_goal.memory, division), cost = m_goal.cost(division);
    if (!m_goal.memory.empty())
        m_tried.push_back({weighsCost() ? cost : division.seconds,
            m_form.fixed + m_form.layers(division.parameters, division.kept, division.remade)
                + m_form.ofBeside * division.working,
            most <= m_goal.capacity});
    if (most > m_goal.capacity)
        return;
    const Found added{division, cost, most};
    for (const Found& found : m_found)
        if (replaces(found, added))
            return;
    std::erase_if(m_found, [&](const Found& found) { return replaces(added, found); });
    m_found.insert(
        std::find_if(m_found.begin(), m_found.end(), [&](const Found& found) { return found.cost > cost; }), added);
    updateAsked();
}

void KnownDivisions::updateAsked()
{
    m_asked.clear();
    double peak = std::min(m_goal.capacity, kUnbounded);
    if (m_goal.front) {
        for (const Found& found : m_found) {
            m_asked.push_back({kUnbounded, found.cost, peak});
            peak = found.peak;
        }
        m_asked.push_back({kUnbounded, kUnbounded, peak});
        return;
    }
    const double most = std::min({m_within, m_goal.most, m_found.empty() ? kUnbounded : m_found.front().cost});
    for (const Corner& corner : m_goal.within) {
        if (!m_asked.empty() && m_asked.back().seconds >= most)
            break; // with a lower peak nothing is added
        m_asked.push_back({std::min(corner.seconds, most), most, std::min(corner.peak, peak)});
    }
    if (m_goal.within.empty())
        m_asked.push_back({most, most, peak});
}

double KnownDivisions::leastCost(const Bound& bound) const
{
    double most = 0;
    for (std::size_t i = 0; i < m_weights.size(); ++i)
        if (const Weight& by = m_weights[i]; by.ofSeconds > 0) // passes take no more than all
            most = std::max(most,
                (bound.least[i]
                    - (by.ofMemory > 0
                            ? by.ofMemory * (m_goal.capacity - m_form.fixed - m_form.ofBeside * m_leastWorking)
                            : 0))
                    / by.ofSeconds);
    return most;
}

void KnownDivisions::askWithin(double cost)
{
    m_within = cost;
    updateAsked();
}

bool KnownDivisions::isSettled() const
{
    return m_within >= kUnbounded || (!m_found.empty() && m_found.front().cost <= m_within);
}

double KnownDivisions::mostCost() const
{
    if (m_goal.within.empty())
        return m_goal.most;
    double parameters = 0;
    if (m_goal.ofParameter > 0)
        parameters = m_form.ofParameter > 0 ? (m_goal.capacity - m_form.fixed) / m_form.ofParameter : kUnbounded;
    return std::min(m_goal.most, m_goal.within.back().seconds + m_goal.ofParameter * std::max(0.0, parameters));
}

bool KnownDivisions::isBeaten(const Bound& bound, double working) const
{
    const auto allows = [&](const Asked& asked) {
        const double layers = asked.peak
            - (m_goal.memory.empty() ? 0 : m_form.fixed + m_form.ofBeside * std::max(working, m_leastWorking));
        for (std::size_t i = 0; i < m_weights.size(); ++i) {
            const Weight& by = m_weights[i];
            if (by.ofSeconds * (by.isCost ? asked.cost : asked.seconds) + by.ofMemory * layers
                <= bound.least[i] * kRounding)
                return false;
        }
        return true;
    };
    return std::none_of(m_asked.begin(), m_asked.end(), allows);
}

std::vector<Division> KnownDivisions::best() const
{
    std::vector<Division> divisions;
    for (const Found& found : m_found)
        divisions.push_back(found.division);
    return divisions;
}

} // namespace stratoplan::partition
