// SPDX-License-Identifier: Apache-2.0
// Which nodes of a cluster to use: how many of each, which take the first ranks and so the first stages, at what price.
// Every mix is a cluster by itself, whose best strategy a search finds. A mix is left out where what is known is faster
// and cheaper than it could be at the peak of all its accelerators, and is searched no further than a step at which it
// would be: the answer is that of searching every mix (arXiv 2502.13480, section 4, prices each of them).
#pragma once

#include "core/search/search.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

namespace stratoplan::search {

/// Nodes that ranks take in this order.
struct NodeMix {
    std::vector<std::size_t> groups; ///< of the cluster, by place
    std::vector<int> counts; ///< of nodes of each, >= 1
    bool operator==(const NodeMix&) const = default;
};

struct MixOptions {
    bool everyCount = false; ///< else all nodes of a group, and powers of two
    std::vector<double> prices{}; ///< of an accelerator-hour, by group of nodes; empty: 1 for all
    bool operator==(const MixOptions&) const = default;
};

/// Of an accelerator-hour, in any currency.
inline constexpr double kHighestPrice = 1e9;
[[nodiscard]] inline bool isPrice(double price)
{
    return price > 0 && price <= kHighestPrice;
}
/// Groups that take part and have no price, by place, where others have one. `prices`: by group of nodes, 0 for none.
[[nodiscard]] std::vector<std::size_t> unpricedGroups(
    const cluster::Cluster& cluster, const std::vector<double>& prices);

/// Whoever asks for more is to be told so: each is searched.
inline constexpr int kMostMixes = 100'000;

/// How many mixesOf() lists, without listing them: at once for thousands of groups, too. Exact below 2^53; where groups
/// are of more than 20 kinds at least 1e18.
[[nodiscard]] double mixCount(const cluster::Cluster& cluster, const MixOptions& options);

/// Whether mixesOf() lists every number of nodes of every group.
[[nodiscard]] bool triesEveryCount(const cluster::Cluster& cluster, const MixOptions& options);

/// All mixes, each once: of groups of one kind and price, with like cables, the first is used first, and in one order.
/// Stopped: some of them.
[[nodiscard]] std::vector<NodeMix> mixesOf(
    const cluster::Cluster& cluster, const MixOptions& options, const std::stop_token& stop = {});

/// The cluster with these nodes alone; cables follow, switches stay.
[[nodiscard]] cluster::Cluster clusterOf(const cluster::Cluster& cluster, const NodeMix& mix);

struct FoundMix {
    NodeMix mix;
    FoundStrategy best;
    double perHour = 0; ///< price of its accelerators
    double perStep = 0; ///< the same for the time of a step
    bool operator==(const FoundMix&) const = default;
};

/// Price of an hour of the accelerators of a cluster that so many ranks lie on; of others it has none.
[[nodiscard]] double pricePerHour(const cluster::Cluster& cluster, int ranks, const MixOptions& options);

/// The plan with the nodes, the strategy and the precision of a mix of its cluster.
[[nodiscard]] plan::Plan planWith(plan::Plan plan, const FoundMix& found);

struct MixResult {
    bool proven = false; ///< nothing better is left
    std::int64_t mixes = 0;
    std::int64_t leftOut = 0; ///< by their bounds
    std::int64_t searched = 0;
    std::int64_t strategies = 0; ///< of the spaces that were searched
    double seconds = 0;
    std::vector<FoundMix>
        front; ///< by rising step: none of the others is as fast and as cheap. Of equal ones the first
};

struct MixProgress {
    std::int64_t mixes = 0, decided = 0;
    double next = 0; ///< share of the next that is decided
    const std::vector<FoundMix>& front; ///< with the best so far of the mix that is searched
};

/// `options`: of the search of each mix, its objective the throughput. No mix leaves nodes idle, whatever the space
/// says. Exhaustive: without bounds. Precondition: as of search(); a price for each group, or none; no more than
/// kMostMixes.
[[nodiscard]] MixResult searchMixes(const plan::Plan& plan, const plan::SearchSpace& space, const MixOptions& mixes,
    SearchOptions options = {}, const std::stop_token& stop = {},
    const std::function<void(const MixProgress&)>& progress = {});

} // namespace stratoplan::search
