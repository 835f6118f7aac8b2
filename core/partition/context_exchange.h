// SPDX-License-Identifier: Apache-2.0
// What the ranks of a group exchange with those of other pieces of the sequences for their attention: each of them with
// the rank in its place of every other group.
#pragma once

#include "core/partition/states.h"

namespace stratoplan::partition {

struct ContextExchange {
    PassPrices passes; ///< a ring's bytes from neighbours, others' to gather
    workload::ContextBlocks blocks; ///< that have come from other ranks, and their gradients
};

/// Shares of keys and values and of queries and outputs, the heads of the former cut into so many.
[[nodiscard]] workload::ContextTensors part(
    const workload::ContextTensors& whole, double ofKeys, double ofQueries, int cutsOfHeads);

/// A part of it. `held`: on a rank of the group, of all parts; `place`: of the group of context parallelism; attention
/// in seconds of either pass beside this part.
[[nodiscard]] ContextExchange contextExchange(const BlockContext& context, const workload::ContextTensors& held,
    const GroupPlace& place, Seconds attention, Seconds attentionBackward);

/// Blocks of other ranks that attention holds however a group of so many ranks divides it.
[[nodiscard]] workload::ContextBlocks leastContextBlocks(const BlockContext& context, int ranks);
/// Seconds that a micro-batch waits for all exchanges of a layer at the least, however a group of so many ranks divides
/// it: each of them holds no less than its share. Of a deployment whose groups have no places: wherever these are.
[[nodiscard]] Seconds leastContextExchange(
    const BlockContext& context, int ranks, const LeastCompute& compute, const cost::Deployment& deployment);

} // namespace stratoplan::partition
