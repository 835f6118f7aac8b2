// SPDX-License-Identifier: GPL-3.0-or-later
// Plans that are priced ahead by the dozen: of large groups their best partitions would take minutes to find.
#pragma once

#include "core/plan/plan.h"

#include <stop_token>

namespace stratoplan::session {

/// Gives a plan whose best partition takes long to find the one that is known of another plan, where both divide the
/// same operators, of the same sizes, over as many ranks, with the same context parallelism. Links, memory and
/// recomputation may differ: it need not be the best then. False: there is none, and the plan is not to be priced
/// ahead. Precondition: `known` can be priced.
[[nodiscard]] bool takeKnownPartition(plan::Plan& plan, const plan::Plan& known);

/// The plan with the best partition of its layers, where that takes long to find; as it is otherwise, or where it is
/// asked to stop.
[[nodiscard]] plan::Plan withKnownPartition(plan::Plan plan, const std::stop_token& stop = {});

} // namespace stratoplan::session
