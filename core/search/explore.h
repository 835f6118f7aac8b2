// SPDX-License-Identifier: Apache-2.0
// Inside of the search: walks through the subtree of one division of the ranks and prices what no rule drops.
#pragma once

#include "core/estimate/strategy_pricer.h"
#include "core/search/search.h"
#include "core/search/space_tree.h"
#include "core/search/valuation.h"

namespace stratoplan {

/// What exploring subtrees came to.
struct Explored {
    Front found;
    std::int64_t evaluated = 0;
    PruneCounts pruned{};
    bool whole = true; ///< false: stopped
};

/// One per thread and tree.
class Explorer {
public:
    Explorer(const Plan& plan, const SpaceTree& tree, const SearchOptions& options);

    /// The least seconds that computing one sequence takes at a TP and CP, by place of the micro-batch among all of the tree.
    [[nodiscard]] std::vector<Seconds> leastOfSequences(int tp, int cp);
    /// Bound of all values below a division, from the seconds of one sequence.
    [[nodiscard]] double bound(const Division& division, const std::vector<Seconds>& ofSequences);

    /// `known`: what was found before.
    [[nodiscard]] Explored explore(const Division& division, const std::vector<Seconds>& ofSequences, const Front& known, SearchMode mode, const std::stop_token& stop);

    /// One strategy at its simulated step; nothing if it does not fit or misses the deadline.
    [[nodiscard]] std::optional<FoundStrategy> simulated(const Strategy& strategy);

private:
    /// A pipeline, and the shardings that may be tried with it.
    struct Open {
        PipelinePick pipeline;
        struct Sharding {
            ShardingPick pick;
            std::size_t groups = 0;
            double peak = 0;
        };
        std::vector<Sharding> shardings;
        double leastPeak = 0;
    };
    /// A strategy that waits for its simulation.
    struct Waiting {
        double closedForm = 0;
        double peak = 0;
        Strategy strategy;
    };
    /// What is settled while exploring, and what came of it.
    struct Subtree {
        const Division& division;
        const Degrees& degrees;
        const Front& known;
        SearchMode mode;
        const std::stop_token& stop;
        Strategy strategy;
        Explored& result;
        std::vector<Waiting>& waiting;
        const std::vector<PipelinePick>* pipelines = nullptr;
        std::vector<PlacementPick> placements{}; ///< found when they are needed
        std::vector<PlacementPick> single{}; ///< of every order by itself, where classes are not to be relied on
    };

    void drop(Subtree& at, PruneRule rule, std::size_t strategies);
    /// A micro-batch of a division, with the bound of what is below it.
    struct Sized {
        int size = 1;
        double bound = 0;
    };
    [[nodiscard]] std::vector<Sized> sizes(const Division& division, const std::vector<Seconds>& ofSequences);
    /// Bound of all peaks with these degrees and a micro-batch.
    [[nodiscard]] double leastPeak(const Strategy& degrees, int size);
    [[nodiscard]] double leastInFlight(int pp, int microBatches);
    void exploreMicroBatch(Subtree& at, int size);
    void explorePasses(Subtree& at);
    void openPipelines(Subtree& at);
    void dropSameClosedForm(Subtree& at);
    void explorePlacements(Subtree& at);
    void explorePlacement(Subtree& at, const PlacementPick& placement);
    void explorePipeline(Subtree& at, const PlacementPick& placement, const Open& open);
    void exploreLeaf(Subtree& at, const PlacementPick& placement, const Open::Sharding& sharding);
    void simulateWaiting(Subtree& at);
    void record(Subtree& at, Seconds step, double peak, const Strategy& strategy);
    [[nodiscard]] bool uses(PruneRule rule) const { return m_uses[static_cast<std::size_t>(rule)]; }
    /// Whether nothing of at least this value and peak is wanted. Counts the strategies if so.
    bool loses(Subtree& at, PruneRule rule, double value, double peak, std::size_t strategies);
    [[nodiscard]] double valueBound(Seconds step, const Strategy& strategy) const { return m_valuation.bound(step, strategy); }

    const SpaceTree& m_tree;
    const SearchOptions& m_options;
    StrategyPricer m_pricer;
    Valuation m_valuation;
    int m_globalBatch = 1;
    double m_limit = 0; ///< bytes
    std::array<bool, kPruneRules> m_uses{};
    std::vector<Open> m_open;
    std::map<std::pair<int, int>, double> m_leastInFlight; ///< by stages and micro-batches
};

} // namespace stratoplan
