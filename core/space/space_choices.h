// SPDX-License-Identifier: Apache-2.0
// Inside of a search space: what is picked of a division but for its pipeline: the ways to run a micro-batch, to divide
// the experts, to share out states and to order the axes. Each depends on a few of the degrees alone, so that divisions
// share what is found.
#pragma once

#include "core/space/space_rules.h"
#include "core/space/space_scope.h"

#include <set>

namespace stratoplan::space {

class SpaceChoices {
public:
    struct Passes {
        std::vector<PassPick> picks;
        std::array<int, kPipelineKinds> ofKind{}; ///< how many
        std::array<Survivors, kPipelineKinds> left{}; ///< of those before the framework is asked
    };
    struct Experts {
        std::vector<ExpertPick> picks;
        std::vector<std::pair<ExpertPick, std::size_t>>
            objected; ///< that the framework does not run, each with the first rule
    };

    SpaceChoices(const SpaceScope& scope, SpaceRules& rules)
        : m_scope(scope)
        , m_rules(rules)
    {
    }

    // What has been found, or is found now.
    const Passes& addPasses(const Division& division);
    const Experts& addExperts(const Division& division);
    const Choices<ShardingPick>& addShardings(const Division& division, ExpertPick experts);
    const Choices<parallel::RankOrder>& addOrders(const parallel::Strategy& strategy);
    // What has been found.
    [[nodiscard]] const Passes& passes(const Division& division) const { return m_passes.at(passKey(division)); }
    [[nodiscard]] const Experts& experts(const Division& division) const { return m_experts.at(expertKey(division)); }
    [[nodiscard]] const Choices<ShardingPick>& shardings(const Division& division, ExpertPick experts) const
    {
        return m_shardings.at(shardingKey(division, experts));
    }
    [[nodiscard]] const Choices<parallel::RankOrder>& orders(const parallel::Strategy& strategy) const
    {
        return m_orders.at(orderKey(strategy));
    }
    /// Of the groups that the space lists to share out states, those that no replicas so far can form; by rising
    /// number.
    [[nodiscard]] std::vector<int> unusedShards() const;

private:
    using PassKey = std::array<int, 4>;
    [[nodiscard]] static PassKey passKey(const Division& d)
    {
        return {d.tp, d.cp, int(d.contextMethod), int(d.pp > 1)};
    }
    using ExpertKey = std::array<int, 2>;
    [[nodiscard]] static ExpertKey expertKey(const Division& d) { return {d.tp, d.dp * d.cp}; }
    using ShardingKey = std::array<int,
        5>; ///< replicas of layers and of experts; where a framework is asked also CP, and whether there are TP and PP
    [[nodiscard]] ShardingKey shardingKey(const Division& division, ExpertPick experts) const;
    [[nodiscard]] unsigned orderKey(const parallel::Strategy& strategy)
        const; ///< the axes in use; where a framework is asked also where experts lie

    [[nodiscard]] std::vector<PassPick> findPasses(const Division& division);
    void addPartition(const Division& division, PassPick pass, std::vector<PassPick>& picks);
    void addWays(PassPick pass,
        std::vector<PassPick>& picks) const; ///< with all layers of a stage recomputed, and with the first ones
    [[nodiscard]] Experts findExperts(const Division& division);
    [[nodiscard]] std::vector<ShardingPick> findShardings(int replicas, int replicasOfExperts);
    [[nodiscard]] std::vector<int> findShardGroups(int replicas, int replicasOfExperts);
    [[nodiscard]] bool isListedShards(int shards) const;
    // Drop choices that the target framework does not run, and count what each of its rules leaves.
    void askFramework(const Division& division, Passes& passes);
    void askFramework(parallel::Strategy strategy, Choices<ShardingPick>& shardings);
    void askFramework(parallel::Strategy strategy, Choices<parallel::RankOrder>& orders);

    const SpaceScope& m_scope;
    SpaceRules& m_rules;
    std::map<PassKey, Passes> m_passes;
    std::map<ExpertKey, Experts> m_experts;
    std::map<std::array<int, 2>, int> m_expertNumbers; ///< by EP and expert TP
    std::map<ShardingKey, Choices<ShardingPick>> m_shardings;
    std::map<unsigned, Choices<parallel::RankOrder>> m_orders;
    std::set<int> m_usedShards; ///< of those listed
};

} // namespace stratoplan::space
