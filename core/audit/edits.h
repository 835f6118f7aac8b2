// SPDX-License-Identifier: Apache-2.0
// Which single edits of a plan shorten its step most, by estimates of every neighbouring plan.
#pragma once

#include "core/estimate/estimate.h"
#include "core/space/neighbours.h"

#include <optional>
#include <stop_token>
#include <vector>

namespace stratoplan::audit {

struct PlanEdit {
    std::optional<space::StrategyChange> change; ///< of the strategy; without one fused attention in place of unfused
    plan::Plan plan; ///< edited
    Seconds step{}; ///< estimated
    Seconds gain{}; ///< estimated step of the plan as it is, less that
    bool operator==(const PlanEdit&) const = default;
};

/// At most so many that fit and are faster by a thousandth at least, the best of each dimension, the greatest gain
/// first. Those of a plan that does not fit are what makes it fit.
[[nodiscard]] std::vector<PlanEdit> bestEdits(const plan::Plan& plan, const estimate::Estimate& estimate,
    std::size_t count = 3, const catalog::Catalog& catalog = catalog::shippedCatalog(),
    const std::stop_token& stop = {});

} // namespace stratoplan::audit
