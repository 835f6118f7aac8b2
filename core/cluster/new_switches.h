// SPDX-License-Identifier: Apache-2.0
// Switches that are drawn for a person: their names, ids and numbers.
#pragma once

#include "core/cluster/cluster.h"

namespace stratoplan::cluster {

/// Rounded up.
[[nodiscard]] constexpr long long over(long long whole, long long part)
{
    return (whole + part - 1) / part;
}

/// Named as their tier is ("Spine"), with an id that no element of the cluster has: "spine", "spine-2", …
[[nodiscard]] SwitchGroup newSwitches(const Cluster& cluster, SwitchTier tier, int ports, long long count);

} // namespace stratoplan::cluster
