// SPDX-License-Identifier: Apache-2.0
#include "core/partition/layer_doubling.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace stratoplan::partition {
namespace {

/// With its inputs kept, or handed over again where that costs less.
double costOf(const Step& step, const LayerWeights& weights)
{
    const double keep = weights.ofSeconds * step.seconds + weights.ofKept * step.kept;
    const double again = weights.ofSeconds * step.secondsAgain + weights.ofKept * step.keptAgain;
    return std::min(keep, again) + weights.ofRemade * step.remade;
}

double costOf(const State& state, const LayerWeights& weights)
{
    return weights.ofSeconds * state.seconds + weights.ofParameter * state.parameters + weights.ofKept * state.kept
        + weights.ofRemade * state.remade;
}

} // namespace

LayerDoubling::LayerDoubling(const Block& block, const std::vector<std::vector<State>>& states, LayerSteps& steps)
    : m_states(states)
    , m_end(block.size())
{
    for (const std::vector<State>& ways : states)
        m_leastWorking = std::max(m_leastWorking, std::ranges::min(ways, {}, &State::working).working);
    for (int place = 0; place < m_end; ++place)
        m_next.push_back(priced(place, place + 1, steps));
    for (const auto& [from, to] : steps.skips())
        m_skips.push_back(priced(from, to, steps));
}

LayerDoubling::Way LayerDoubling::priced(int from, int to, LayerSteps& steps) const
{
    Way way{from, to, {}};
    way.steps.reserve(statesAt(from).size() * statesAt(to).size());
    for (const State& sender : statesAt(from))
        for (const State& receiver : statesAt(to))
            way.steps.push_back(steps.between(from, sender, to, receiver));
    return way;
}

MinPlusMatrix LayerDoubling::layer(const LayerWeights& weights) const
{
    return segment(weights, 0, m_end);
}

/// Where the second way from a place leads, within a segment and other than that of the segment itself; else the next
/// place.
int LayerDoubling::endOfPart(int place, int first, int last) const
{
    for (const Way& skip : m_skips)
        if (skip.from == place && skip.to <= last && !(skip.from == first && skip.to == last))
            return skip.to;
    return place + 1;
}

/// With the states of its first operator, without those of its last.
MinPlusMatrix LayerDoubling::segment(const LayerWeights& weights, int first, int last) const
{
    std::optional<MinPlusMatrix> all;
    for (int place = first; place < last;) {
        const int end = endOfPart(place, first, last);
        MinPlusMatrix part = end > place + 1 ? segment(weights, place, end) : next(weights, m_next[std::size_t(place)]);
        all = all ? all->times(part) : std::move(part);
        place = end;
    }
    for (const Way& skip : m_skips)
        if (skip.from == first && skip.to == last)
            for (std::size_t a = 0, i = 0; a < all->rows(); ++a)
                for (std::size_t b = 0; b < all->columns(); ++b, ++i)
                    all->at(a, b) += costOf(skip.steps[i], weights);
    return *std::move(all);
}

MinPlusMatrix LayerDoubling::next(const LayerWeights& weights, const Way& way) const
{
    const std::vector<State>& senders = statesAt(way.from);
    MinPlusMatrix costs(senders.size(), statesAt(way.to).size());
    for (std::size_t a = 0, i = 0; a < costs.rows(); ++a) {
        const double sender = costOf(senders[a], weights);
        for (std::size_t b = 0; b < costs.columns(); ++b, ++i)
            costs.at(a, b) = sender + costOf(way.steps[i], weights);
    }
    return costs;
}

// Of a stage that fits, a form of memory says that the means over its layers of parameters, kept and remade bytes are
// at most `room` together, each at its rate: what one layer makes again and works with is at least the mean of what
// layers make again and what any needs to work. So at any rate above nothing the cost of these bytes less that of the
// room is no more than nothing, and the mean of both costs, which is no less than that of the cheapest cycle, bounds
// the mean cost. The bound is concave in the rate, and any rate gives one.
double leastMeanWithin(const LayerDoubling& layers, double ofParameter, const MemoryForm& form, double capacity)
{
    const double room = capacity - form.fixed - form.ofBeside * layers.leastWorking();
    if (room <= 0 || layers.layer({0, form.ofParameter, form.ofKept, form.ofBeside}).leastMean() > room)
        return kInfinity;
    const auto bound = [&](double rate) {
        const LayerWeights weights{1, ofParameter + rate * form.ofParameter, rate * form.ofKept, rate * form.ofBeside};
        return layers.layer(weights).leastMean() - rate * room;
    };
    const double unlimited = bound(0);
    double rate = unlimited / room, best = bound(rate);
    for (double factor = 16; factor > 1.02; factor = std::sqrt(factor))
        for (const double other : {rate * factor, rate / factor})
            if (const double found = bound(other); found > best) {
                best = found;
                rate = other;
            }
    return std::max(best, unlimited);
}

} // namespace stratoplan::partition
