// SPDX-License-Identifier: Apache-2.0
#include "core/sensitivity/sweep.h"

#include "core/pricing/limits.h"
#include "core/search/found_plan.h"
#include "core/search/search.h"
#include "core/sensitivity/parallel.h"

#include <algorithm>
#include <cmath>

namespace stratoplan::sensitivity {
namespace {

/// What is wrong with the plan whatever its strategy.
Problems faultsOfSearch(const plan::Plan& plan)
{
    plan::Plan neutral = plan;
    neutral.strategy = {};
    Problems problems = check(neutral, {.remedies = false});
    return hasErrors(problems) ? problems : pricing::notEstimable(neutral);
}

void replan(SweepPoint& point, Case& given, const SweepOptions& options, const std::stop_token& stop)
{
    point.problems = faultsOfSearch(given.plan);
    if (hasErrors(point.problems))
        return;
    const search::SearchResult found = search::search(given.plan, *options.space,
        {.objective = options.objective, .keep = search::FrontKind::Best, .threads = options.threads}, stop);
    if (found.best)
        given.plan = planWith(std::move(given.plan), *found.best);
    point.isDone = found.best.has_value();
}

void priceInto(SweepPoint& point, const Case& given, const std::stop_token& stop)
{
    point.strategy = given.plan.strategy;
    auto estimate = priced(given.plan, stop);
    if (estimate)
        point.outcome = outcomeOf(given, *estimate);
    else
        point.problems = std::move(estimate.error());
}

std::vector<SweepPoint> gridOf(const Axis& x, const std::optional<Axis>& y)
{
    std::vector<SweepPoint> points;
    for (const double atX : x.values)
        for (const double atY : y ? y->values : std::vector<double>{0}) {
            points.emplace_back();
            points.back().x = atX;
            points.back().y = atY;
        }
    return points;
}

} // namespace

std::vector<double> spaced(const Input& input, double from, double to, int count)
{
    std::vector<double> values;
    for (int i = 0; i < count; ++i) {
        const double value = from + (to - from) * i / (count - 1);
        values.push_back(input.isWhole ? std::round(value) : value);
    }
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
}

std::vector<double> usualValues(const Input& input)
{
    constexpr int kValues = 9;
    if (!(input.value > 0))
        return spaced(input, input.least, std::min(input.most, 0.2), kValues);
    const double low = input.isUncertain() ? input.low : std::max(input.least, input.value / 2);
    const double high = input.isUncertain() ? input.high : std::min(input.most, input.value * 2);
    std::vector<double> values;
    for (int i = 0; i < kValues; ++i) {
        const double value = low * std::pow(high / low, double(i) / (kValues - 1));
        values.push_back(input.isWhole ? std::max(input.least, std::round(value)) : value);
    }
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
}

std::vector<SweepPoint> sweep(const Case& given, const Axis& x, const std::optional<Axis>& y,
    const SweepOptions& options, const std::stop_token& stop)
{
    std::vector<SweepPoint> points = gridOf(x, y);
    const auto caseAt = [&](const SweepPoint& point) {
        Case at = withValue(given, x.input.key, point.x);
        return y ? withValue(std::move(at), y->input.key, point.y) : at;
    };
    const auto visit = [&](SweepPoint& point) {
        Case at = caseAt(point);
        if (options.space)
            replan(point, at, options, stop);
        if (!options.space || point.isDone)
            priceInto(point, at, stop);
        point.isDone = !stop.stop_requested();
    };
    // A search has threads of its own.
    detail::Parallel work(options.space ? 1 : options.threads, stop, options.progress);
    work.expect(points.size());
    work.each(points.size(), [&](std::size_t i) { visit(points[i]); });
    return points;
}

} // namespace stratoplan::sensitivity
