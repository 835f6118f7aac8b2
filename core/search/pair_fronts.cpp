// SPDX-License-Identifier: Apache-2.0
#include "core/search/pair_fronts.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace stratoplan::search {

std::string_view key(FrontMeasure measure)
{
    switch (measure) {
    case FrontMeasure::Step:
        return "tokens_per_s";
    case FrontMeasure::Peak:
        return "peak_bytes";
    case FrontMeasure::Accelerators:
        return "accelerators";
    case FrontMeasure::AcceleratorTime:
        return "tokens_per_accelerator_s";
    }
    return {};
}

double measure(const FoundStrategy& found, FrontMeasure by)
{
    switch (by) {
    case FrontMeasure::Step:
        return found.step.value();
    case FrontMeasure::Peak:
        return found.peak.value();
    case FrontMeasure::Accelerators:
        return rankCount(found.strategy);
    case FrontMeasure::AcceleratorTime:
        return found.step.value() * rankCount(found.strategy);
    }
    return 0;
}

std::vector<std::size_t> pairFront(
    const std::vector<FoundStrategy>& strategies, FrontMeasure first, FrontMeasure second)
{
    std::vector<std::size_t> order(strategies.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto measures = [&](std::size_t place) {
        return std::pair(measure(strategies[place], first), measure(strategies[place], second));
    };
    std::stable_sort(
        order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return measures(a) < measures(b); });
    std::vector<std::size_t> front;
    double least = std::numeric_limits<double>::infinity(); // of the second measure
    for (const std::size_t place : order) {
        const bool equals = !front.empty() && measures(front.back()) == measures(place);
        if (!equals && !(measures(place).second < least))
            continue;
        least = measures(place).second;
        front.push_back(place);
    }
    return front;
}

} // namespace stratoplan::search
