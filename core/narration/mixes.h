// SPDX-License-Identifier: Apache-2.0
// Which nodes of a cluster to use, told to people.
#pragma once

#include "core/search/node_mixes.h"

#include <string>
#include <string_view>

namespace stratoplan::narration {

/// "16 × DGX H100, 8 × DGX A100 80 GB": a mix of `cluster`, first stages first.
[[nodiscard]] std::string describe(const cluster::Cluster& cluster, const search::NodeMix& mix);
/// "Proven: 24 mixes of nodes, 14 searched (1,234 strategies), 10 left out as others are faster and cheaper than they
/// can be, in 3.21 s"
[[nodiscard]] std::string outcome(const search::MixResult& result);
inline constexpr std::string_view kNoMixFits = "No mix has a strategy that fits.";
/// What is proven of the mixes that are not shown, by the numbers of nodes that were tried.
[[nodiscard]] std::string_view otherMixes(bool everyCount);

} // namespace stratoplan::narration
