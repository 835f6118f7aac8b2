// SPDX-License-Identifier: Apache-2.0
// The machines of a plan: one where all of its nodes are of one kind; else one for every set of kinds that the ranks of
// a pipeline stage lie on. A stage waits for its slowest ranks, so that of unlike kinds the lowest of each rate counts,
// for it and for no other stage. Groups of nodes that a strategy leaves idle send nothing: the others are as if those
// were not there.
#pragma once

#include "core/cluster/node_kinds.h"
#include "core/cluster/used_part.h"
#include "core/cost/machine.h"
#include "core/parallel/replica_kinds.h"

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace stratoplan::cost {

/// Where a stage runs.
struct StageMachine {
    Machine machine;
    Bytes memory{}; ///< of its smallest accelerator
    int number = 0; ///< of the machine, from 0 on
};

/// Finds each machine when it is asked for. One object serves one thread.
class Fleet {
public:
    /// Its strategy plays no part. Refers to the catalogue. As machine() otherwise.
    Fleet(const plan::Plan& plan, const catalog::Catalog& catalog);
    /// Of one machine, wherever a stage lies.
    explicit Fleet(const StageMachine& only);
    Fleet(const Fleet&) = delete;
    Fleet& operator=(const Fleet&) = delete;

    [[nodiscard]] bool isUnlike() const { return m_groups != nullptr && m_groups->kinds.areUnlike(); }
    /// As if every stage had ranks on every kind of node.
    [[nodiscard]] const StageMachine& whole();
    /// The same of the kinds and the groups that ranks of the strategy lie on: whole() where these are all, or where
    /// the others change nothing. Stays.
    [[nodiscard]] const StageMachine& whole(const parallel::Strategy& strategy);
    /// Stays.
    [[nodiscard]] const StageMachine& machineOf(const parallel::Strategy& strategy, int stage);
    /// The same of some replicas alone: at the rates of their own nodes, over the network that all replicas share.
    [[nodiscard]] const StageMachine& machineOf(
        const parallel::Strategy& strategy, int stage, const parallel::ReplicaKind& replicas);
    /// As if all of its ranks were on nodes of that kind, over the network that all share. Stays. Precondition: nodes
    /// are unlike, and some of its ranks lie on such.
    [[nodiscard]] const StageMachine& machineOfKind(const parallel::Strategy& strategy, int kind);
    /// The same over the network that nodes of that kind have alone.
    [[nodiscard]] const StageMachine& machineOfKindAlone(const parallel::Strategy& strategy, int kind);
    /// Those that wait for one another in every micro-batch are one kind, on the nodes of all.
    [[nodiscard]] std::vector<parallel::ReplicaKind> replicaKinds(
        const parallel::Strategy& strategy, const plan::SoftwareProfile& software) const;
    /// Each accelerator's share of its host's memory, on the nodes that have most.
    [[nodiscard]] Bytes mostHostCapacity() const;
    /// Peak rate at the training precision, the mean of the ranks of a strategy.
    [[nodiscard]] FlopsPerSecond meanPeak(const parallel::Strategy& strategy);

private:
    /// Kinds of nodes, and those that all replicas are of.
    using Kinds = std::pair<cluster::KindSet, cluster::KindSet>;
    struct Groups {
        plan::Plan plan; ///< its cluster and training
        cluster::NodeKinds kinds;
        cluster::KindSet allKinds;
        std::vector<bool> together; ///< cluster::hangTogether
        cluster::UsedNodes all;
        std::deque<StageMachine> machines; ///< unlike one another
        std::map<Kinds, std::map<cluster::UsedNodes, const StageMachine*>> ofKinds; ///< by the nodes in use
    };
    /// Of nodes of these kinds among those in use.
    [[nodiscard]] const StageMachine& machineOn(const Kinds& kinds, const cluster::UsedNodes& used);
    [[nodiscard]] StageMachine newMachine(const Kinds& kinds, const cluster::UsedNodes& used);
    [[nodiscard]] cluster::UsedNodes usedNodes(const parallel::Strategy& strategy) const;

    const catalog::Catalog* m_catalog; ///< null where there is one machine
    StageMachine m_only; ///< where nodes are of one group
    std::unique_ptr<Groups> m_groups; ///< null: nodes are of one group
};

} // namespace stratoplan::cost
