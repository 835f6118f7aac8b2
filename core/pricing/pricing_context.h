// SPDX-License-Identifier: Apache-2.0
// Prices many strategies of one plan. A micro-batch of a layer is priced once for all strategies that agree in the few
// degrees it depends on, and the stages of a pipeline once for all that agree in their split; what is left for each
// strategy is the end of its step, its states, and its pipeline. A strategy is priced in three values, each with the
// bounds that a search asks of it before it settles more:
//   division (priced_division.h) -> pass (priced_pass.h) -> pipeline (priced_pipeline.h)
#pragma once

#include "core/cost/fleet.h"
#include "core/pipeline/shared_programs.h"
#include "core/pricing/by_used_nodes.h"
#include "core/pricing/lowered_work.h"
#include "core/pricing/peak_pricer.h"
#include "core/pricing/plan_programmes.h"
#include "core/pricing/priced_division.h"
#include "core/pricing/split_numbers.h"
#include "core/pricing/unlike_prices.h"

#include <array>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace stratoplan::pricing {

/// Things that are used again for their storage once nobody else holds them.
template <class Thing>
class Spares {
public:
    template <class Make>
    [[nodiscard]] std::shared_ptr<Thing> take(Make make)
    {
        for (const std::shared_ptr<Thing>& thing : m_all)
            if (thing.use_count() == 1)
                return thing;
        return m_all.emplace_back(std::make_shared<Thing>(make()));
    }

private:
    std::vector<std::shared_ptr<Thing>> m_all;
};

using BestPartitionKey = Key<18 + 2 * cluster::kNumbersOfSpan + 2>;

/// What does not depend on the strategy, and what was found for some strategies and holds for others too, in bounded
/// memory. One object serves one thread, and outlives the values that it gives.
class PricingContext {
public:
    /// The strategy of `plan` plays no part. Refers to the catalogue.
    PricingContext(const plan::Plan& plan, const catalog::Catalog& catalog);
    /// The same, of pipelines that run on one machine alone.
    PricingContext(const plan::Plan& plan, const cost::StageMachine& machine);
    ~PricingContext();
    PricingContext(const PricingContext&) = delete;
    PricingContext& operator=(const PricingContext&) = delete;

    [[nodiscard]] PricedDivision division(const parallel::Strategy& strategy);
    /// On the topology; stays until another strategy is asked about.
    [[nodiscard]] const parallel::GroupSpans& groups(const parallel::Strategy& strategy);

    /// A bound for every strategy: matrix products of one sequence in the whole model, at the peak rate of one
    /// accelerator. TP, CP, EP and expert TP share the products out between their ranks: each has its share of the rows
    /// or columns, or, where they do not divide, more.
    [[nodiscard]] Seconds productSeconds();

    // Of a strategy that leaves open how it divides its layers in space and time.
    /// As lightestLayers() has it, its hidden state shared out as its sequence parallelism says.
    [[nodiscard]] PricedDivision lightest(const parallel::Strategy& strategy, Seconds layer);
    /// What a layer takes, experts included, whose operators are divided as fast as can be: at most that, which is
    /// sooner known, or exactly.
    [[nodiscard]] Seconds leastLayer(const parallel::Strategy& strategy);
    [[nodiscard]] Seconds fastestLayer(const parallel::Strategy& strategy);
    /// How its operators are best divided; null where no division fits, or where the best is in none of these corners:
    /// seconds of a layer beyond the fastest, and bytes at the peak. Stays until another strategy is asked about.
    [[nodiscard]] const std::vector<parallel::OperatorPartition>* fittingPartition(
        const parallel::Strategy& strategy, const std::vector<partition::Corner>& within);

    /// Of the nodes that the strategy uses: this one where the others change nothing, or nodes are unlike.
    [[nodiscard]] PricingContext& onUsedNodes(const parallel::Strategy& strategy);
    [[nodiscard]] const plan::Plan& plan() const { return m_plan; } ///< its strategy plays no part
    /// As if every stage had ranks on every kind of node.
    [[nodiscard]] const cost::Machine& machine() const { return m_machine; }
    [[nodiscard]] cost::Fleet& fleet() { return *m_fleet; }
    /// Null where all nodes are alike.
    [[nodiscard]] UnlikePrices* unlike() { return m_unlike.get(); }
    [[nodiscard]] const cluster::Topology& topology() const { return m_machine.topology; }
    [[nodiscard]] Bytes capacity() const { return m_capacity; } ///< of the smallest accelerator
    /// Of one accelerator, on the nodes that have most; 0 = not stated.
    [[nodiscard]] Bytes hostCapacity() const { return m_hostCapacity; }
    [[nodiscard]] Bytes reserve() const { return m_plan.training.software.reserve; }

private:
    friend class PricedDivision;
    friend class PricedPass;

    PricingContext(const plan::Plan& plan, std::unique_ptr<cost::Fleet> fleet);

    /// Layers divided in one way.
    struct Divided {
        std::shared_ptr<const DividedLayers> layers; ///< null: they cannot be
        int number = 0;
    };
    struct Best {
        std::vector<parallel::OperatorPartition> partitions;
        bool fits = false;
    };
    using MicroBatchKey = Key<WorkKey::kMost + 2 + 4 * cluster::kNumbersOfSpan>;
    using SplitKey = Key<6 + cluster::kNumbersOfSpan>;
    using StagesKey = Key<SplitKey::kMost + 4 * cluster::kNumbersOfSpan>;
    using UndividedKey = Key<WorkKey::kMost + 1>;
    /// A micro-batch as it is priced, and the pipelines it runs through.
    struct MicroBatch {
        const LoweredWork* lowered = nullptr;
        MicroBatchCost cost; ///< without ZeRO-3
        Remembered<StagesKey, PricedKinds> stages;
    };
    /// A micro-batch with undivided experts, every group at its best place.
    struct Undivided {
        const LoweredWork* lowered = nullptr;
        workload::LayerWork moe; ///< with room for what their exchange moves
        PieceSeconds pieces; ///< but for layers with experts
    };

    /// Every value gets its numbers from here; none is forgotten on the way to it.
    template <class Change>
    [[nodiscard]] std::shared_ptr<const SettledPlan> settle(const parallel::Strategy& strategy, Change change)
    {
        const std::shared_ptr<SettledPlan> settled = m_settled.take([this] { return SettledPlan{m_plan}; });
        settled->plan.strategy = strategy;
        change(settled->plan.strategy);
        derive(*settled);
        return settled;
    }
    void derive(SettledPlan& settled);
    [[nodiscard]] double stretchOf(const parallel::Strategy& strategy);
    void forgetTooMany();
    /// The stages of a pipeline as they are priced, and their micro-batch.
    struct Stages {
        const MicroBatchCost& cost;
        const StageKinds& split;
        const PricedKinds& priced;
    };
    [[nodiscard]] MicroBatch& microBatch(const cost::Deployment& deployment, const SettledPlan& settled);
    /// `least`: a loop of stages whose chunks each do so much, in place of those of the plan; may be null.
    [[nodiscard]] Stages stages(
        const cost::Deployment& deployment, const SettledPlan& settled, const std::vector<ChunkShares>* least);
    /// The layers of a strategy that divides them in space and time.
    void divide(SettledPlan& settled);
    /// Null: the best is in none of these corners, if there are any.
    [[nodiscard]] const Best* bestPartition(const SettledPlan& open, const std::vector<partition::Corner>& within);
    /// Exactly. memoryForms() say no less.
    [[nodiscard]] bool fits(const SettledPlan& open, const std::vector<parallel::OperatorPartition>& partitions);
    /// Its operators and what follows from them are open.
    [[nodiscard]] std::shared_ptr<SettledPlan> open(const parallel::Strategy& strategy);
    [[nodiscard]] const Undivided& undivided(const PricedDivision& division, int leastRanks);
    /// Experts see tokens, whether few sequences are divided by CP or more of them: each number is priced once.
    [[nodiscard]] const ExpertSeconds& products(const LoweredWork& work, const parallel::Strategy& strategy);

    plan::Plan m_plan; ///< without a drawing of its cluster
    std::unique_ptr<cost::Fleet> m_fleet;
    std::unique_ptr<UnlikePrices> m_unlike;
    ByUsedNodes<PricingContext> m_parts;
    const cost::Machine& m_machine; ///< of the fleet
    Bytes m_hostCapacity;
    cost::LeastTimes m_leastTimes; ///< on its topology
    Bytes m_capacity;
    model::LayerCounts m_layers; ///< of the whole model, prediction modules included
    Works m_works;
    PeakPricer m_peaks;
    pipeline::SharedPrograms m_programs;
    Remembered<UndividedKey, Undivided> m_undivided;
    Remembered<Key<5>, ExpertSeconds> m_products; ///< by TP, sequences and ranks that share them, EP and expert TP
    Remembered<MicroBatchKey, MicroBatch> m_microBatches;
    Remembered<SplitKey, StageKinds> m_splits;
    Key<16> m_placed; ///< degrees and order of ranks that `m_groups` are of
    parallel::GroupSpans m_groups; ///< asked for last
    Remembered<Key<1>, double> m_stretches; ///< by ranks
    Remembered<BestPartitionKey, Best> m_bestPartitions;
    PlanProgrammes m_programmes;
    std::unordered_map<std::string, Divided> m_divided; ///< by what they depend on of a strategy
    Remembered<Key<8>, Divided> m_lightest; ///< by what they depend on
    int m_lastDivision = 0;
    std::size_t m_stagesKept = 0;
    SplitNumbers m_splitNumbers; ///< of the splits that strategies give
    Spares<SettledPlan> m_settled;
    Spares<pipeline::PipelineWork> m_pipelines;
};

} // namespace stratoplan::pricing
