// SPDX-License-Identifier: Apache-2.0
#include "core/sensitivity/likeness.h"

#include "core/estimate/range.h"

#include <algorithm>
#include <cmath>

namespace stratoplan::sensitivity {
namespace {

constexpr double kHalfAt = 3; ///< squared distance at which half of what is shared is left
constexpr double kFullyApart = 0.1; ///< share of a step

std::vector<double> partsOf(const pricing::Breakdown& b)
{

    return {b.forward.value(), b.backward.value(), b.recompute.value(), b.optimizer.value(), b.bubble.value(),
        b.other.value(), b.exposed.total().value()};
}

} // namespace

double correlationAt(double squaredDistance)
{
    return kShared / (1 + squaredDistance / kHalfAt);
}

double spentApart(const pricing::Breakdown& a, const pricing::Breakdown& b)
{
    const std::vector<double> ofA = partsOf(a), ofB = partsOf(b);
    double apart = 0, all = 0;
    for (std::size_t i = 0; i < ofA.size(); ++i) {
        apart += std::abs(ofA[i] - ofB[i]);
        all += ofA[i] + ofB[i];
    }
    return all > 0 ? std::min(1.0, apart / all) : 0;
}

double likeness(const plan::Plan& a, const estimate::Estimate& ofA, const plan::Plan& b, const estimate::Estimate& ofB)
{
    if (a.training.software.id != b.training.software.id)
        return 0;
    const double apart = std::min(1.0, spentApart(ofA.breakdown, ofB.breakdown) / kFullyApart);
    const double ownShare = (1 - kShared) * apart * apart; // of the variance
    return (1 - ownShare) * correlationAt(estimate::squaredDistance(a, b)) / kShared;
}

} // namespace stratoplan::sensitivity
