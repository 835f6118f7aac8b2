// SPDX-License-Identifier: Apache-2.0
#include "core/sensitivity/tornado.h"

#include "core/sensitivity/likeness.h"
#include "core/sensitivity/parallel.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stratoplan::sensitivity {
namespace {

Outcome never()
{
    Outcome outcome;
    outcome.values.fill(std::numeric_limits<double>::infinity());
    outcome.fill = std::numeric_limits<double>::infinity();
    return outcome;
}

double squared(double value)
{
    return value * value;
}

} // namespace

Reach reachOf(const Bar& bar, Measure measure, double base)
{
    const double a = bar.low.at(measure), b = bar.high.at(measure);
    return {std::min({a, b, base}), std::max({a, b, base})};
}

bool hasEffect(const Bar& bar, const Outcome& base)
{
    return std::ranges::any_of(kMeasures, [&](Measure measure) {
        return base.knows(measure)
            && (bar.low.at(measure) != base.at(measure) || bar.high.at(measure) != base.at(measure));
    });
}

std::vector<Bar> byEffect(std::vector<Bar> bars, Measure measure, const Outcome& base)
{
    const auto width = [&](const Bar& bar) { return reachOf(bar, measure, base.at(measure)).width(); };
    std::erase_if(bars, [&](const Bar& bar) { return !base.knows(measure) || !(width(bar) > 0); });
    std::ranges::stable_sort(bars, std::greater(), width);
    return bars;
}

Case with(Case changed, const Values& values)
{
    for (const auto& [key, value] : values)
        changed = withValue(std::move(changed), key, value);
    return changed;
}

Outcome outcomeWith(const Case& given, const Values& values, const std::stop_token& stop)
{
    const Case changed = with(given, values);
    const auto estimate = priced(changed.plan, stop);
    return estimate ? outcomeOf(changed, *estimate) : never();
}

std::vector<Bar> tornado(const Case& given, const std::vector<Input>& inputs, detail::Parallel& work)
{
    std::vector<Bar> bars(inputs.size());
    const bool isDone = work.each(2 * inputs.size(), [&](std::size_t i) {
        const Input& input = inputs[i / 2];
        const bool isLow = i % 2 == 0;
        (isLow ? bars[i / 2].low : bars[i / 2].high) =
            outcomeWith(given, {{input.key, isLow ? input.low : input.high}}, work.stop());
    });
    if (!isDone)
        return {};
    for (std::size_t i = 0; i < bars.size(); ++i)
        bars[i].input = inputs[i];
    return bars;
}

double narrowing(const std::vector<Bar>& bars, Acts acts, Measure measure, double base, double low, double high)
{
    double under = 0, over = 0;
    for (const Bar& bar : bars)
        if (const Reach reach = reachOf(bar, measure, base);
            !bar.input.isStated && bar.input.acts == acts && reach.low > 0 && std::isfinite(reach.high)) {
            under += squared(std::log(reach.low / base));
            over += squared(std::log(reach.high / base));
        }
    const double explained = std::sqrt(under) + std::sqrt(over), measured = std::log(high / low);
    return explained > 0 && low > 0 ? std::min(1.0, std::sqrt(kShared) * measured / explained) : 1;
}

} // namespace stratoplan::sensitivity
