// SPDX-License-Identifier: Apache-2.0
// Whether the nodes of a group fill the tori that their scale-up domains are.
#pragma once

#include "core/cluster/cluster.h"

#include <optional>
#include <vector>

namespace stratoplan::cluster {

/// What would fill a torus that the nodes of a group do not.
struct UnfilledTorus {
    long long nodes = 0; ///< the next number that fills tori of its shape, or a slice of it
    long long fewer = 0; ///< the next lower one, of three quarters of the nodes or more; 0 = none
    std::vector<int> axes; ///< of the torus that all nodes there are fill, once or, where pods are smaller, as few
                           ///< times as that takes; empty: none
};

/// Nothing where they fill it, once or several times, or a slice that the hardware closes, as it does those of a pod
/// whose axes all close (TorusWrap::CubesOf4, AxesOf16); nor where there is no torus, or none of the domain's size.
[[nodiscard]] std::optional<UnfilledTorus> unfilledTorus(const NodeGroup& group);

} // namespace stratoplan::cluster
