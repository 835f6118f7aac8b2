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

/// A straight line that touches a concave function, and is nowhere below it.
struct Tangent {
    double at = 0, value = 0, slope = 0;
    [[nodiscard]] double operator()(double x) const { return value + slope * (x - at); }
};

/// Where both have the same value.
double meeting(const Tangent& a, const Tangent& b)
{
    return (a(0) - b(0)) / (b.slope - a.slope);
}

/// The highest value of a concave function of straight pieces, from zero on, where it is no less than nothing and which
/// falls by no more than `fall` for each unit. Where a few tangents do not lead to it, a little less; less still where
/// it is asked to stop.
double highest(const std::function<double(double)>& function, double fall, const std::stop_token& stop,
    const std::function<void(double share)>& progress)
{
    constexpr int kMostTangents = 16;
    constexpr double kStep = 1e-6, kNear = 1e-6;
    const double start = function(0);
    if (stop.stop_requested())
        return start;
    double best = start, x = start / fall;
    Tangent rising{0, start, (function(kStep * x) - start) / (kStep * x)};
    std::optional<Tangent> falling;
    for (int tried = 0; tried < kMostTangents && rising.slope > 0 && !stop.stop_requested(); ++tried) {
        if (progress)
            progress(double(tried) / kMostTangents);
        if (falling && rising(x) <= best * (1 + kNear))
            break;
        Tangent next{x, function(x)};
        if (stop.stop_requested())
            break;
        next.slope = (function(x * (1 + kStep)) - next.value) / (x * kStep);
        best = std::max(best, next.value);
        if (next.slope > 0)
            rising = next;
        else
            falling = next;
        x = falling ? meeting(rising, *falling) : 4 * x;
    }
    return best;
}

} // namespace

std::size_t stepCount(const std::vector<std::vector<State>>& states, const LayerSteps& steps)
{
    const auto between = [&](std::size_t from, std::size_t to) {
        return states[from].size() * states[to % states.size()].size();
    };
    std::size_t count = 0;
    for (std::size_t place = 0; place < states.size(); ++place)
        count += between(place, place + 1);
    for (const auto& [from, to] : steps.skips())
        count += between(std::size_t(from), std::size_t(to));
    return count;
}

LayerDoubling::LayerDoubling(
    const Block& block, const std::vector<std::vector<State>>& states, LayerSteps& steps, const std::stop_token& stop)
    : m_states(states)
    , m_stop(stop)
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
    for (const State& sender : statesAt(from)) {
        if (m_stop.stop_requested())
            break;
        for (const State& receiver : statesAt(to))
            way.steps.push_back(steps.between(from, sender, to, receiver));
    }
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
    const auto nothing = [&] { return MinPlusMatrix(statesAt(first).size(), statesAt(last).size()); };
    std::optional<MinPlusMatrix> all;
    for (int place = first; place < last;) {
        if (m_stop.stop_requested()) // steps may be missing
            return nothing();
        const int end = endOfPart(place, first, last);
        MinPlusMatrix part = end > place + 1 ? segment(weights, place, end) : next(weights, m_next[std::size_t(place)]);
        if (m_stop.stop_requested())
            return nothing();
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
// at most `room` together, each at its rate: what the fullest layer makes again and works with is at least the mean of
// what layers make again and what any needs to work. So, at any price of a byte, what these bytes cost less what the
// room costs is no more than nothing. The mean of that and of the cost, which is no less than the least mean of any
// cycle, bounds the mean cost. Each price gives a bound, and bounds are concave in the price.
double leastMeanWithin(const LayerDoubling& layers, double ofParameter, const MemoryForm& form, double capacity,
    const std::function<void(double share)>& progress)
{
    const double room = capacity - form.fixed - form.ofBeside * layers.leastWorking();
    constexpr double kSumRounding = 1 + 1e-9;
    const LayerWeights bytes{0, form.ofParameter, form.ofKept, form.ofBeside};
    const auto leastMean = [&](const LayerWeights& weights) {
        const MinPlusMatrix costs = layers.layer(weights);
        return layers.stop().stop_requested() ? 0 : costs.leastMean(); // which takes as long as a product
    };
    if (room <= 0 || leastMean(bytes) > room * kSumRounding)
        return kInfinity;
    const auto bound = [&](double price) {
        const LayerWeights weights{
            1, ofParameter + price * form.ofParameter, price * form.ofKept, price * form.ofBeside};
        return leastMean(weights) - price * room;
    };
    return highest(bound, room, layers.stop(), progress);
}

} // namespace stratoplan::partition
