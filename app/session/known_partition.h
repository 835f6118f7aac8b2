// SPDX-License-Identifier: GPL-3.0-or-later
// Plans that are priced ahead by the dozen: of large groups their best partitions would take minutes to find.
#pragma once

#include "core/plan/plan.h"

namespace stratoplan::session {

/// Gives a plan whose best partition takes long to find the one that is known of another strategy, where it divides the
/// same layer over as many ranks. False: there is none, and the plan is not to be priced ahead.
[[nodiscard]] bool takeKnownPartition(plan::Plan& plan, const parallel::Strategy& known);

/// The strategy with the best partition of its layers, where that takes long to find; as it is otherwise.
[[nodiscard]] parallel::Strategy withKnownPartition(const plan::Plan& plan);

} // namespace stratoplan::session
