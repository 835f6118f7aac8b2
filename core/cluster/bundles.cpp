// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/bundles.h"

#include <algorithm>
#include <functional>

namespace stratoplan::cluster {

BytesPerSecond sumOfFewest(std::vector<Bundle> bundles, long long many)
{
    std::ranges::sort(bundles, std::ranges::greater{}, &Bundle::rate);
    BytesPerSecond sum{};
    long long cables = 0;
    for (std::size_t i = 0; i < bundles.size(); ++i) {
        // Those that carry at least a rate, by every rate there is.
        cables += bundles[i].cables;
        const BytesPerSecond next = i + 1 < bundles.size() ? bundles[i + 1].rate : BytesPerSecond{};
        sum += (bundles[i].rate - next) * double(cables / many);
    }
    return sum;
}

Alike mostAlike(std::vector<Bundle> bundles, long long many, long long atMost)
{
    std::ranges::sort(bundles, std::ranges::greater{}, &Bundle::rate);
    Alike most;
    long long cables = 0;
    for (const Bundle& bundle : bundles) {
        cables += bundle.cables;
        const long long each = std::min(atMost, cables / many);
        if (each > 0)
            most.fastest = std::max(most.fastest, bundle.rate);
        if (bundle.rate * double(each) > most.rate * double(most.cables)) {
            most.cables = each;
            most.rate = bundle.rate;
        }
    }
    return most;
}

long long Deal::cablesOf(long long from, long long to) const
{
    const auto overlap = [&](long long begin, long long end) {
        return std::max(0LL, std::min(end, to) - std::max(begin, from));
    };
    const long long last = first + more;
    return each * (to - from) + overlap(first, std::min(last, elements)) + overlap(0, last - elements);
}

std::vector<Deal> deal(const std::vector<long long>& cables, long long elements)
{
    std::vector<Deal> deals;
    long long next = 0;
    for (const long long all : cables) {
        deals.push_back({elements, all / elements, next, all % elements});
        next = (next + all) % elements;
    }
    return deals;
}

} // namespace stratoplan::cluster
