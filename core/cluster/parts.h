// SPDX-License-Identifier: Apache-2.0
// Which switches of a drawing its cables join to one another.
#pragma once

#include "core/cluster/drawing.h"

#include <cstddef>
#include <vector>

namespace stratoplan::cluster {

/// A part is made of groups of switches that cables join. It is in one piece where each of its switches reaches every
/// other; cables within blocks alone leave it in as many pieces as there are blocks.
class Parts {
public:
    /// By cables between switches of tiers up to the highest alone. Refers to the cluster.
    explicit Parts(const Cluster& cluster, SwitchTier highest = SwitchTier::Core);

    /// Of the switches with that id; the number of groups where there are none.
    [[nodiscard]] std::size_t indexOf(std::string_view id) const;
    /// Whether there is such a group, of any switches, in these tiers.
    [[nodiscard]] bool has(std::size_t group) const;
    [[nodiscard]] std::size_t partOf(std::size_t group) const;
    /// Of the part that the group is in.
    [[nodiscard]] long long piecesOf(std::size_t group) const { return m_pieces[partOf(group)]; }
    /// Cables between two groups that join as much as their blocks allow: trees over what is not joined yet.
    [[nodiscard]] long long cablesToJoin(std::size_t a, std::size_t b) const;

private:
    /// Between two groups of unlike tiers, over all their connections.
    struct Link {
        std::size_t a = 0, b = 0;
        long long cables = 0;
    };

    [[nodiscard]] bool nodesReachAllOfABlock(const SwitchGroup& leaves) const;
    [[nodiscard]] std::vector<Link> linksOf(const Cluster& cluster) const;
    [[nodiscard]] long long joinedPieces(std::size_t a, std::size_t b) const;
    bool joinMore();
    bool joinOverAll(std::size_t group);

    const Cluster& m_cluster;
    SwitchTier m_highest;
    std::vector<Link> m_links;
    std::vector<std::vector<std::size_t>> m_linksOf; ///< by group
    std::vector<std::size_t> m_part;
    std::vector<long long> m_pieces; ///< of the part that a group stands for
};

/// Blocks of each group of switches: as they are drawn, or as many as cables of tiers up to theirs leave apart.
[[nodiscard]] std::vector<long long> blocksApart(const Cluster& cluster);

} // namespace stratoplan::cluster
