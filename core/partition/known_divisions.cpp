// SPDX-License-Identifier: Apache-2.0
#include "core/partition/known_divisions.h"

#include <utility>

namespace stratoplan::partition {
namespace {

constexpr double kUnbounded = 1e300; // may be multiplied by a weight of nothing
/// Bounds add up in another order than what they bound.
constexpr double kRounding = 1 - 1e-12;
constexpr std::array kRates{0.7, 1.0, 1.4};

} // namespace

KnownDivisions::KnownDivisions(ProgrammeGoal goal)
    : m_goal(std::move(goal))
    , m_form(m_goal.memory.empty() ? MemoryForm{} : m_goal.memory.front())
    , m_within(kUnbounded)
{
    m_goal.front &= !m_goal.memory.empty();
    if (!m_goal.front && m_goal.capacity >= kUnbounded)
        m_goal.memory.clear(); // time alone counts
    updateCorners();
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
    return {by.ofSeconds, by.ofMemory * m_form.ofParameter, by.ofMemory * m_form.ofKept, by.ofMemory * m_form.ofBeside,
        least};
}

void KnownDivisions::weighBetween(double seconds, double bytes)
{
    if (m_goal.memory.empty())
        return;
    m_weights = {{1, 0}, {0, 1}};
    double share = 1.0 / 64;
    while (m_weights.size() < kMostWeights && share <= 256) {
        m_weights.push_back({1, share * seconds / std::max(1.0, bytes)});
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
    for (const double share : kRates)
        m_weights.push_back({1, share * best});
    return true;
}

void KnownDivisions::add(const Division& division)
{
    const double most = peak(m_goal.memory, division);
    if (!m_goal.memory.empty())
        m_tried.push_back({division.seconds,
            m_form.fixed + m_form.layers(division.parameters, division.kept, division.remade)
                + m_form.ofBeside * division.working,
            most <= m_goal.capacity});
    if (most > m_goal.capacity)
        return;
    const auto isNoWorse = [&](double seconds, double peak, double otherSeconds, double otherPeak) {
        return m_goal.front ? seconds <= otherSeconds && peak <= otherPeak
                            : std::pair(seconds, peak) <= std::pair(otherSeconds, otherPeak);
    };
    for (const Found& found : m_found)
        if (isNoWorse(found.division.seconds, found.peak, division.seconds, most))
            return;
    std::erase_if(m_found,
        [&](const Found& found) { return isNoWorse(division.seconds, most, found.division.seconds, found.peak); });
    m_found.insert(std::find_if(m_found.begin(), m_found.end(),
                       [&](const Found& found) { return found.division.seconds > division.seconds; }),
        {division, most});
    updateCorners();
}

void KnownDivisions::updateCorners()
{
    m_corners.clear();
    double peak = std::min(m_goal.capacity, kUnbounded);
    if (m_goal.front) {
        for (const Found& found : m_found) {
            m_corners.push_back({found.division.seconds, peak});
            peak = found.peak;
        }
        m_corners.push_back({kUnbounded, peak});
        return;
    }
    const double most = std::min(m_within, m_found.empty() ? kUnbounded : m_found.front().division.seconds);
    for (const Corner& corner : m_goal.within) {
        if (!m_corners.empty() && m_corners.back().seconds >= most)
            break; // with a lower peak nothing is added
        m_corners.push_back({std::min(corner.seconds, most), std::min(corner.peak, peak)});
    }
    if (m_goal.within.empty())
        m_corners.push_back({most, peak});
}

double KnownDivisions::leastSeconds(const Bound& bound) const
{
    double most = 0;
    for (std::size_t i = 0; i < m_weights.size(); ++i)
        if (const Weight& by = m_weights[i]; by.ofSeconds > 0)
            most = std::max(most,
                (bound.least[i]
                    - (by.ofMemory > 0
                            ? by.ofMemory * (m_goal.capacity - m_form.fixed - m_form.ofBeside * m_leastWorking)
                            : 0))
                    / by.ofSeconds);
    return most;
}

void KnownDivisions::askWithin(double seconds)
{
    m_within = seconds;
    updateCorners();
}

bool KnownDivisions::isSettled() const
{
    return m_within >= kUnbounded || (!m_found.empty() && m_found.front().division.seconds <= m_within);
}

bool KnownDivisions::isBeaten(const Bound& bound, double working) const
{
    const auto allows = [&](const Corner& corner) {
        const double layers = corner.peak
            - (m_goal.memory.empty() ? 0 : m_form.fixed + m_form.ofBeside * std::max(working, m_leastWorking));
        for (std::size_t i = 0; i < m_weights.size(); ++i)
            if (m_weights[i].ofSeconds * corner.seconds + m_weights[i].ofMemory * layers <= bound.least[i] * kRounding)
                return false;
        return true;
    };
    return std::none_of(m_corners.begin(), m_corners.end(), allows);
}

std::vector<Division> KnownDivisions::best() const
{
    std::vector<Division> divisions;
    for (const Found& found : m_found)
        divisions.push_back(found.division);
    return divisions;
}

} // namespace stratoplan::partition
