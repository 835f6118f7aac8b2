// SPDX-License-Identifier: Apache-2.0
#include "core/pricing/strategy_price.h"

#include "core/pricing/priced_pass.h"
#include "core/pricing/priced_replicas.h"
#include "core/pricing/pricing_context.h"

#include <cmath>

namespace stratoplan::pricing {

std::optional<StrategyPrice> price(PricingContext& ofAll, const parallel::Strategy& strategy, PipelineTime time)
{
    if (!strategy.stageTp.empty() || ofAll.fleet().isUnlike())
        return priceUnlike(ofAll.plan(), strategy, ofAll.fleet(), time);
    PricingContext& context = ofAll.onUsedNodes(strategy);
    const PricedDivision division = context.division(strategy);
    if (!division.settled().isPossible)
        return std::nullopt;
    const PricedPass pass(division, context.groups(strategy));
    const Seconds step = pass.pipeline().step(time);
    if (!std::isfinite(step.value()) || step.value() <= 0)
        return std::nullopt;
    const StrategyPeak most = pass.division().peak();
    const bool fits = most.bytes <= context.capacity() && most.host <= context.hostCapacity();
    return StrategyPrice{step, most.bytes, context.capacity(), most.stage, fits};
}

} // namespace stratoplan::pricing
