// SPDX-License-Identifier: Apache-2.0
// An estimate in the causes of a profile. Computation is divided by the kinds of its operators, exposed communication
// is that of the breakdown; what a pipeline waits is with its transfers, as a profile shows it; stragglers and waits
// for the host are idle time.
#pragma once

#include "core/audit/causes.h"
#include "core/estimate/estimate.h"

#include <vector>

namespace stratoplan::audit {

/// The stage that sets the pace.
[[nodiscard]] int pacingStage(const estimate::Estimate& estimate);
/// The stage of a rank; nothing where the order of ranks leaves it open, or the plan has no such rank.
[[nodiscard]] std::optional<int> stageOfRank(const parallel::Strategy& strategy, int rank);

/// Of one stage, which total the step. Precondition: the estimate is of the plan.
[[nodiscard]] CauseSeconds estimatedCauses(const plan::Plan& plan, const estimate::Estimate& estimate, int stage,
    const catalog::Catalog& catalog = catalog::shippedCatalog());

/// What a stage does over one simulated step, in order and without gaps: passes, communication after them, waits.
/// Communication inside of passes counts with them. Empty where a pipeline is too long to be drawn.
[[nodiscard]] std::vector<LaneSlice> estimatedLane(const estimate::Estimate& estimate, int stage);

} // namespace stratoplan::audit
