// SPDX-License-Identifier: Apache-2.0
#include "core/pricing/divided_batch.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace stratoplan::pricing {
namespace {

/// In steps.
struct Shares {
    std::vector<std::int64_t> ofKind;
    std::int64_t left = 0; ///< steps that nobody has
};

std::int64_t leftOver(const std::vector<ReplicaPace>& kinds, const std::vector<std::int64_t>& shares, std::int64_t all)
{
    for (std::size_t k = 0; k < kinds.size(); ++k)
        all -= shares[k] * kinds[k].replicas;
    return all;
}

/// Whole steps that each kind has at the time at which parts of steps would let all be through: a little less than
/// the best shares. From the least on where some kind has fewer than that.
Shares firstShares(const std::vector<ReplicaPace>& kinds, std::int64_t steps, std::int64_t least, int multiple)
{
    double filled = double(steps) * multiple, rate = 0;
    for (const ReplicaPace& kind : kinds) {
        filled += kind.replicas * kind.fill / kind.pace;
        rate += kind.replicas / kind.pace;
    }
    Shares shares{std::vector<std::int64_t>(kinds.size(), least)};
    std::vector<std::int64_t> nearly = shares.ofKind;
    bool isBelow = true;
    for (std::size_t k = 0; k < kinds.size(); ++k) {
        nearly[k] = std::int64_t(std::floor((filled / rate - kinds[k].fill) / kinds[k].pace / multiple)) - 1;
        isBelow = isBelow && nearly[k] >= least;
    }
    if (isBelow)
        shares.ofKind = std::move(nearly);
    shares.left = leftOver(kinds, shares.ofKind, steps);
    return shares;
}

} // namespace

std::vector<ReplicaShare> dividedBatch(const std::vector<ReplicaPace>& kinds, std::int64_t microBatches, BatchStep step)
{
    if (kinds.empty() || microBatches % step.multiple != 0)
        return {};
    const std::int64_t least = (step.least + step.multiple - 1) / step.multiple;
    Shares shares = firstShares(kinds, microBatches / step.multiple, least, step.multiple);
    if (shares.left < 0)
        return {};
    std::vector<ReplicaShare> divided(kinds.size());
    while (shares.left > 0) {
        const auto after = [&](std::size_t k) {
            return kinds[k].fill + kinds[k].pace * double(shares.ofKind[k] + 1) * step.multiple;
        };
        std::size_t next = 0;
        for (std::size_t k = 1; k < kinds.size(); ++k)
            if (after(k) < after(next))
                next = k;
        if (shares.left < kinds[next].replicas) {
            divided[next].withMore = int(shares.left);
            break;
        }
        shares.left -= kinds[next].replicas;
        ++shares.ofKind[next];
    }
    for (std::size_t k = 0; k < kinds.size(); ++k)
        divided[k].microBatches = int(shares.ofKind[k]) * step.multiple;
    return divided;
}

} // namespace stratoplan::pricing
