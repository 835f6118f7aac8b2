// SPDX-License-Identifier: Apache-2.0
// Who waits for whom where nodes are unlike: judged by what their passes take, whatever they are built of.
#pragma once

#include "core/cost/fleet.h"
#include "core/plan/problem.h"
#include "core/pricing/priced_replicas.h"

#include <optional>
#include <stop_token>
#include <vector>

namespace stratoplan::estimate {

/// What is told of it, a warning (UnlikeNodes), of these what comes first: ranks of a stage that wait for slower ones
/// in every pass; replicas of unlike pace with as many micro-batches each; stages on unlike nodes with as many layers
/// each, or a slow one in each replica; of up to 16 kinds of nodes that are as quick all ranks that wait for the links
/// of some. Nothing where none wait, or layers or micro-batches are divided by hand. `priced`: the plan's, over the
/// fleet; `step`: theirs. Stopped: of no use.
[[nodiscard]] std::optional<plan::Problem> waitOnUnlikeNodes(const plan::Plan& plan,
    const std::vector<pricing::PricedReplicas>& priced, Seconds step, cost::Fleet& fleet,
    const std::stop_token& stop = {});

} // namespace stratoplan::estimate
