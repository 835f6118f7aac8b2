// SPDX-License-Identifier: Apache-2.0
// Inside of the search: which values of a space are legal together.
#pragma once

#include "core/plan/problem.h"
#include "core/space/space_framework.h"
#include "core/space/space_picks.h"

#include <array>
#include <map>

namespace stratoplan::space {

/// Drops the choices that the target framework has a rule against; `count` is given each with the first rule.
template <class Pick, class Objection, class Count>
void keepRunnable(std::vector<Pick>& picks, Objection objectionOf, Count count)
{
    std::erase_if(picks, [&](const Pick& pick) {
        const std::size_t objection = objectionOf(pick);
        count(pick, objection);
        return objection < catalog::kFrameworkRules;
    });
}

/// Choices that the target framework has, and how many each of its rules leaves.
template <class Pick>
struct Choices {
    std::vector<Pick> picks;
    Survivors left{};
};

/// The rules of check() fall into groups of dimensions that are legal or not whatever the others are: TP, CP and
/// sequence parallelism divide the model; EP and expert TP the experts and the replicas; shard groups the replicas;
/// stages and chunks the layers. Each is asked in a strategy that has nothing else.
class SpaceRules {
public:
    explicit SpaceRules(const plan::Plan& plan)
        : m_scratch(plan)
    {
        m_scratch.cluster.switches.clear(); // the drawing plays no part, and takes time
        m_scratch.cluster.connections.clear();
    }

    /// A strategy of so many micro-batches of one sequence on each replica.
    bool allow(const parallel::Strategy& strategy, int microBatches = 1)
    {
        m_scratch.training.globalBatch = strategy.dp * microBatches;
        m_scratch.strategy = strategy;
        return !hasErrors(check(m_scratch, {.remedies = false}));
    }

    bool allowTensor(int tp, parallel::TensorPartition partition)
    {
        const auto [known, isNew] = m_tensor.try_emplace({tp, partition}, false);
        if (isNew) {
            parallel::Strategy s;
            s.tp = tp;
            s.tensorPartition = partition;
            known->second = allow(s);
        }
        return known->second;
    }

    /// The first rule of a scope that the framework has against the strategy; kFrameworkRules: none. Precondition: it
    /// is legal.
    std::size_t objection(const parallel::Strategy& strategy, plan::TargetFramework framework, catalog::RuleScope scope)
    {
        m_scratch.strategy = strategy;
        return firstObjection(m_scratch, framework, scope);
    }

    /// Micro-batches beyond what canSchedule() asks play no part.
    bool allowPipeline(int pp, PipelinePick pick, parallel::VocabularyPlacement placement)
    {
        const auto [known, isNew] = m_pipelines.try_emplace({pp, int(pick.schedule), pick.vpp, int(placement)}, false);
        if (isNew) {
            parallel::Strategy s;
            s.pp = pp;
            s.vocabularyPlacement = placement;
            s.schedule = pick.schedule;
            s.vpp = pick.vpp;
            known->second = allow(s, 4 * pp);
        }
        return known->second;
    }

private:
    plan::Plan m_scratch;
    std::map<std::pair<int, parallel::TensorPartition>, bool> m_tensor;
    std::map<std::array<int, 4>, bool> m_pipelines;
};

} // namespace stratoplan::space
