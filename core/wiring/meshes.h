// SPDX-License-Identifier: Apache-2.0
// Accelerators and the links between each two of them: which are joined, and how many links collectives use.
#pragma once

#include "core/wiring/described.h"

#include <vector>

namespace stratoplan::wiring {

using LinkMatrix = std::vector<std::vector<int>>; ///< links between each two, symmetric

/// The accelerators that links join, directly or over others, in the order of the first of each.
[[nodiscard]] std::vector<std::vector<int>> joinedSets(const LinkMatrix& links);

/// Undirected rings through all, no two over the same link: as many as the accelerator with the fewest links has room
/// for, or as many of them as a bounded search finds. Each uses two links of every accelerator. Two accelerators have
/// half a ring for each link.
[[nodiscard]] int linksOfRings(const LinkMatrix& links, const std::vector<int>& members);

/// `switched`: the numbers count links to switches that all share, not links for each pair alone, so that collectives
/// use the mean over the pairs of the accelerator with the fewest, rounded down to 1 or more.
[[nodiscard]] Domain domainOf(const LinkMatrix& links, const std::vector<int>& members, bool switched);

} // namespace stratoplan::wiring
