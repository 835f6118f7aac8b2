// SPDX-License-Identifier: Apache-2.0
#include "core/sensitivity/break_even.h"

#include "core/sensitivity/tornado.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stratoplan::sensitivity {
namespace {

/// Positive where the other plan is better. Where neither runs, neither is.
double advantage(const BreakEven::Sides& sides)
{
    return sides.first == sides.other ? 0 : sides.first - sides.other;
}

/// The two ends closed in on where the sign of `function` changes from that of `low`.
double halved(const std::function<double(double)>& function, double low, double high, bool isWhole)
{
    const bool isPositive = function(low) > 0;
    constexpr int kMostHalvings = 200;
    for (int i = 0; i < kMostHalvings; ++i) {
        const double middle = isWhole ? std::floor((low + high) / 2) : low + (high - low) / 2;
        if (middle <= low || middle >= high)
            break;
        ((function(middle) > 0) == isPositive ? low : high) = middle;
    }
    return high;
}

} // namespace

std::vector<Crossing> crossings(const std::function<double(double)>& function, double low, double high, bool isWhole)
{
    constexpr int kBrackets = 16;
    std::vector<Crossing> found;
    double from = low;
    bool isPositive = function(low) > 0;
    for (int i = 1; i <= kBrackets; ++i) {
        double to = i == kBrackets ? high : low + (high - low) * i / kBrackets;
        to = isWhole ? std::round(to) : to;
        if (to <= from)
            continue;
        if ((function(to) > 0) != isPositive) {
            found.push_back({halved(function, from, to, isWhole), isPositive});
            isPositive = !isPositive;
        }
        from = to;
    }
    return found;
}

BreakEven breakEven(const Case& first, const Case& other, const Input& input, Measure measure, double low, double high,
    const std::stop_token& stop)
{
    const auto valueOf = [&](const Case& given, double value) {
        const Outcome outcome = outcomeWith(given, {{input.key, value}}, stop);
        const bool runs = outcome.fits() || measure == Measure::Peak;
        return runs && outcome.knows(measure) ? outcome.at(measure) : std::numeric_limits<double>::infinity();
    };
    const auto sidesAt = [&](double value) { return BreakEven::Sides{valueOf(first, value), valueOf(other, value)}; };
    BreakEven result{input.key, measure, low, high, sidesAt(low), sidesAt(high), {}, false};
    const auto function = [&](double value) { return stop.stop_requested() ? 0 : advantage(sidesAt(value)); };
    for (const Crossing& crossing : crossings(function, low, high, input.isWhole))
        result.places.push_back({crossing.value, !crossing.isFromAbove, sidesAt(crossing.value)});
    result.isStopped = stop.stop_requested();
    if (result.isStopped)
        result.places.clear();
    return result;
}

} // namespace stratoplan::sensitivity
