// SPDX-License-Identifier: Apache-2.0
// Strategies whose stages run on unlike nodes, for searches: bounds of their steps, and layers for their stages. Prices
// of pipelines that run on one kind of node alone are known for many strategies, and each stage is one of theirs.
#pragma once

#include "core/cost/fleet.h"
#include "core/parallel/replica_kinds.h"
#include "core/parallel/strategy.h"
#include "core/pipeline/shared_programs.h"
#include "core/pricing/priced_pipeline.h"

#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace stratoplan::pricing {

class PricingContext;

class UnlikePrices {
public:
    /// Refers to it: every stage waits there for the slowest of all nodes.
    explicit UnlikePrices(PricingContext& whole);
    ~UnlikePrices();

    /// Pipelines, one for each of these kinds of replicas, which have all, of which the slowest has a closed form and a
    /// bound that are at most the step of priceUnlike(): each stage on its nodes, transfers that wait for the links of
    /// their sender alone, and a ZB-auto without a limit as if it had room. Precondition: all stages have the TP of the
    /// strategy, and its layers are not divided in space and time.
    [[nodiscard]] std::vector<PricedPipeline> leastPipelines(
        const parallel::Strategy& strategy, const std::vector<parallel::ReplicaKind>& replicas);

    /// What a micro-batch takes where each stage runs: a layer, the mean of the model's, and the ends of the model.
    struct StageSeconds {
        std::vector<double> layer, embedding, head;
    };
    /// Of stages that wait for the slowest of all their ranks. Nothing where all stages run on the same kinds of nodes.
    [[nodiscard]] std::optional<StageSeconds> stageSeconds(const parallel::Strategy& strategy);
    /// Layers of each stage that make the slowest of them as fast as can be; none where the strategy has layers of its
    /// own, where those are even, or where a stage and its mirror image share them (two-way schedules). Of stages that
    /// are as fast the later ones get the spare layers: they hold fewer micro-batches.
    [[nodiscard]] static std::vector<int> balancedLayers(
        const parallel::Strategy& strategy, int layers, const StageSeconds& seconds);

    /// Replicas of one kind, and what passes of a micro-batch take them.
    struct ReplicaSeconds {
        parallel::ReplicaKind kind;
        StageSeconds stages;
    };
    /// Whatever ZeRO shards. Nothing where replicas run alike, or exchange tokens of experts.
    [[nodiscard]] std::vector<ReplicaSeconds> replicaSeconds(const parallel::Strategy& strategy);
    /// Micro-batches of each replica that let the slowest of them be through as soon as can be, by those times: the
    /// pipeline is filled once, and goes at the pace of its slowest stage. None where those are even, too few for the
    /// schedule, or where ZeRO makes replicas wait for one another in every micro-batch.
    [[nodiscard]] std::vector<int> balancedBatch(
        const parallel::Strategy& strategy, const std::vector<ReplicaSeconds>& replicas) const;

private:
    /// Before contexts are asked for: no value refers to them.
    void forgetTooMany();
    /// Of a stage there, stretched by domains of so many accelerators as all stages are.
    [[nodiscard]] PricingContext& contextOn(const cost::StageMachine& machine, int domain);
    [[nodiscard]] StageSeconds secondsOf(const parallel::Strategy& strategy, const parallel::ReplicaKind& replicas);

    PricingContext& m_whole;
    pipeline::SharedPrograms m_programs;
    std::map<std::pair<int, int>, std::unique_ptr<PricingContext>> m_contexts; ///< by the machine's number, and domain
};

/// Other layers of each stage, or even ones; of a strategy that recomputes the first so many of every stage in full,
/// these stay so many, or all where a stage has fewer.
void setStageLayers(parallel::Strategy& strategy, std::vector<int> stageLayers, int layers);
/// The strategy as a search has it: on unlike nodes with such layers; as it is where none are.
[[nodiscard]] parallel::Strategy withBalancedLayers(PricingContext& context, parallel::Strategy strategy);
/// The same with such micro-batches of its replicas.
[[nodiscard]] parallel::Strategy withBalancedBatch(PricingContext& context, parallel::Strategy strategy);
/// The same with both.
[[nodiscard]] parallel::Strategy balanced(PricingContext& context, parallel::Strategy strategy);

} // namespace stratoplan::pricing
