// SPDX-License-Identifier: Apache-2.0
// What the ranks of a group exchange with those of other pieces of the sequences for their attention: each of them with
// the rank in its place of every other group.
#pragma once

#include "core/partition/block.h"
#include "core/partition/layout.h"
#include "core/partition/pass_price.h"

namespace stratoplan::partition {

struct ContextExchange {
    PassPrices passes; ///< a ring's bytes from neighbours, others' to gather
    Bytes working{}; ///< that have come from other ranks, and their gradients
};

/// `held`: on a rank of the group; `place`: of the group of context parallelism; attention in seconds of either pass.
[[nodiscard]] ContextExchange contextExchange(const BlockContext& context, const workload::ContextTensors& held,
    const GroupPlace& place, Seconds attention, Seconds attentionBackward);

} // namespace stratoplan::partition
