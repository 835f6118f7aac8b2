// SPDX-License-Identifier: Apache-2.0
// Inside of the placement: the ranks of a group as runs of equal strides in the rank order.
#pragma once

#include "core/parallel/placement.h"

namespace stratoplan::parallel {

using Run = cluster::RankRun;

/// A group as nested runs, innermost first: context and data replicas are two runs when another axis lies between.
struct Runs {
    Run inner;
    Run outer;
};
[[nodiscard]] inline int sizeOf(const Runs& runs)
{
    return runs.inner.size * runs.outer.size;
}

/// Two runs, one in the other: a single one where the outer goes on where the inner ends.
[[nodiscard]] Runs joined(Run inner, Run outer);
[[nodiscard]] Run axisRun(const Strategy& strategy, Axis axis);
/// The first group of the kind.
[[nodiscard]] Runs runsOf(const Strategy& strategy, RankGroup group);
/// The replicas that share out ZeRO's states, or those that hold the same share.
[[nodiscard]] Runs shardRuns(const Strategy& strategy, Runs replicas, bool inner);

/// The ranks that share out the experts, one per expert TP group: the d c block, or the t c d block in steps of the
/// expert TP degree where that is smaller (MoE parallel folding, arXiv 2504.14960).
[[nodiscard]] Runs expertPool(const Strategy& strategy);
/// Experts are spread over the inner ranks of their pool, or over its outer ones if EP stands after both CP and DP.
[[nodiscard]] bool expertsAreOutside(const Strategy& strategy);

} // namespace stratoplan::parallel
