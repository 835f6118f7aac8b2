// SPDX-License-Identifier: GPL-3.0-or-later
// Where the ranks of a strategy lie on a cluster: ranks take the accelerators of the groups of nodes in their order.
// What of it is coloured along one axis, what belongs to a group, and what there is to say of an accelerator.
#pragma once

#include "core/cluster/cluster.h"
#include "core/parallel/rank_places.h"
#include "widgets/presentation/tokens.h"

#include <QString>

#include <array>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace stratoplan::widgets {

inline constexpr std::array kRankAxes{
    parallel::Axis::Tp, parallel::Axis::Cp, parallel::Axis::Ep, parallel::Axis::Pp, parallel::Axis::Dp};
/// "TP"; not translated.
[[nodiscard]] QString rankAxisName(parallel::Axis axis);
[[nodiscard]] parallel::RankGroup groupOf(parallel::Axis axis);

class RankMap {
public:
    RankMap(const cluster::Cluster& cluster, const parallel::Strategy& strategy);

    [[nodiscard]] int ranks() const { return m_ranks; }
    /// Of the first accelerator of a group of nodes; none where it takes no part, or is not of the cluster.
    [[nodiscard]] std::optional<int> firstRank(const std::string& nodes) const;
    /// Ranks along an axis; where stages are unlike, of the one with most.
    [[nodiscard]] int size(parallel::Axis axis) const;
    /// Of a rank on an axis, from 0 on; -1 beyond the ranks, where accelerators are idle.
    [[nodiscard]] int place(parallel::Axis axis, int rank) const;
    /// Ranks that a rank forms a group of an axis with, itself included; rising.
    [[nodiscard]] std::vector<int> group(parallel::Axis axis, int rank) const;
    /// "Rank 137 · node 18, accelerator 2 · TP 1 · PP 2 · DP 1", all from 0 on; axes of one rank are left out.
    [[nodiscard]] QString describe(int rank, int accelerator, int perNode) const;

private:
    /// All groups of one stage, by axis.
    using StagePlaces = std::vector<parallel::GroupPlaces>;
    /// Those that the rank is in.
    [[nodiscard]] const parallel::GroupPlaces& places(parallel::Axis axis, int rank) const;

    int m_ranks = 0;
    std::unordered_map<std::string, int> m_first;
    std::vector<StagePlaces> m_stages; ///< one where they are alike
};

/// Of a place on an axis with so many: hues of their own up to eight, a scale through all of them from there on.
[[nodiscard]] QColor placeColour(const Tokens& tokens, int place, int places);
/// Of cables that are in use for a share of the step: from hardly over half to all of it.
[[nodiscard]] QColor loadColour(const Tokens& tokens, double share);

} // namespace stratoplan::widgets
