// SPDX-License-Identifier: Apache-2.0
// Inside of the search: opens one node of the search tree at a time. A node is a set of strategies: those of a
// division, of one of its micro-batches, or of one way to run that. Opening it drops what some rule drops, and gives
// the nodes below it, or, of the last kind, prices the strategies.
#pragma once

#include "core/pricing/pricing_context.h"
#include "core/search/search.h"
#include "core/search/valuation.h"
#include "core/space/space_tree.h"

#include <map>

namespace stratoplan {

inline constexpr double kSumRounding = 1e-12; ///< relative, of sums in another order

struct Node {
    const Division* division = nullptr;
    int microBatch = 0; ///< its size; 0: open
    int experts = -1, pass = -1; ///< places among those of the division; -1: open
    double bound = 0; ///< of the values of its strategies
    double peak = 0; ///< of their peaks
    std::int64_t leaves = 0; ///< strategies
    bool uneven = false; ///< of a pass that spreads layers unevenly
    int firstLayers =
        0; ///< of a pass that recomputes first layers: the place of the fewest that may fit, among those of the tree
    [[nodiscard]] bool hasPass() const { return pass >= 0; }
};

/// What opening nodes came to.
struct Explored {
    std::vector<Node> below; ///< what is left to open, in the order of the tree
    Front found;
    std::int64_t evaluated = 0;
    PruneCounts pruned{};
    bool whole = true; ///< false: stopped
};

/// One per thread and plan.
class Explorer {
public:
    Explorer(const Plan& plan, const SpaceTree& tree, const SearchOptions& options);

    /// The division as a node. Its bound is quick to find, and loose.
    [[nodiscard]] Node root(const Division& division);
    /// `known`: what was found before.
    [[nodiscard]] Explored open(const Node& node, const Front& known, SearchMode mode, const std::stop_token& stop);

    /// One strategy at its simulated step; nothing if it does not fit or misses the deadline.
    [[nodiscard]] std::optional<FoundStrategy> simulated(const Strategy& strategy);

private:
    /// What is settled while a node is opened, and what came of it.
    struct Subtree {
        const Node& node;
        const Front& known;
        SearchMode mode;
        const std::stop_token& stop;
        Explored& result;
    };
    /// Of the uneven splits of a loop of stages: what each has its busiest stages do; of these those that do no less
    /// than no other one's; and what every stage does in whichever split it does least.
    struct Splits {
        std::vector<std::vector<StageShare>> shares, leanest;
        std::vector<StageShare> least; ///< by stage
        std::vector<ChunkShares> leastChunks; ///< the same of each chunk
    };
    /// What all pipelines of one kind, of so many stages and micro-batches, have in common: of those that take part in
    /// the mode.
    struct Leanest {
        std::vector<PipelinePick> pipelines; ///< those that hold least in as many chunks
        struct Stages {
            std::vector<StageShare> shares;
            int ways = 1; ///< a micro-batch passes one of so many chunks of a stage
            bool paired = false; ///< passes run together and hide each other's expert traffic
        };
        std::vector<Stages> stages; ///< of each of them, or of each split
        std::vector<std::vector<HeldLayers>> held; ///< of each of them, in any split
        /// At least what the busiest stage takes for a micro-batch of such pieces.
        [[nodiscard]] Seconds busiest(const PieceSeconds& pieces) const;
        /// Where the first `count` layers of every stage are of the pieces that are repeated, and the others of those
        /// that are kept.
        [[nodiscard]] Seconds busiest(const PieceSeconds& kept, const PieceSeconds& repeated, int count) const;
    };
    /// Pieces of the micro-batches of one size and TP, CP and its method, each found when it is needed.
    struct Pieces {
        std::vector<std::optional<PieceSeconds>>
            ofExperts; ///< by experts, then sequence parallelism: without recomputation
        std::vector<std::vector<std::optional<PieceSeconds>>>
            ofPasses; ///< by experts, then sequence parallelism, offload and recomputation
        std::array<Seconds, 2> ofSequence{
            Seconds(-1), Seconds(-1)}; ///< of one stage, of several; below 0: not known yet
    };

    /// Sequences of one TP, CP and its method.
    struct Sequences {
        std::vector<SequenceBytes> ofWays; ///< with or without sequence parallelism, offloaded or not, repeated so
        std::vector<SequenceBytes> leanest; ///< of these
        int most = 0; ///< in a micro-batch, that there may be room for
    };

    class Leaves; ///< opens the last kind of node: explore_leaves.cpp

    void openDivision(Subtree& at);
    void openMicroBatch(Subtree& at);
    void openPasses(Subtree& at, const Degrees& degrees, int experts);
    [[nodiscard]] Pieces& pieces(const Strategy& strategy);
    [[nodiscard]] static bool dependsOnReplicas(const Strategy& strategy);
    [[nodiscard]] PieceSeconds expertPieces(Pieces& pieces, const Strategy& strategy, ExpertPick experts);
    [[nodiscard]] PieceSeconds passPieces(Pieces& pieces, Strategy strategy, ExpertPick experts);
    [[nodiscard]] double microBatchBound(const Strategy& strategy, const Division& division);
    [[nodiscard]] const Sequences& sequences(const Strategy& strategy);
    [[nodiscard]] double leastPeak(const Strategy& strategy);
    [[nodiscard]] double leastPeak(const Leanest& pipelines, std::span<const SequenceBytes> ways,
        std::span<const LayerStates> states, int microBatch) const;
    [[nodiscard]] double leastBytes(std::span<const SequenceBytes> ways, std::span<const LayerStates> states,
        std::span<const HeldLayers> stages, int sequences) const;
    [[nodiscard]] std::vector<int> leanestStages(const Degrees& degrees) const;
    [[nodiscard]] std::vector<LayerStates> leanestStates(Strategy strategy, const Degrees& degrees);
    [[nodiscard]] Seconds sequenceSeconds(const Strategy& strategy);
    [[nodiscard]] Seconds leastSequence(Strategy strategy);
    [[nodiscard]] const Leanest& leanest(const Strategy& strategy, PipelineKind kind);
    void addEven(const Strategy& strategy, Leanest& result);
    void addUneven(const Strategy& strategy, Leanest& result);
    [[nodiscard]] const Splits& splits(int pp, int chunks);
    /// More than any accelerator has where the host has no room for what is offloaded.
    [[nodiscard]] double fittingPeak(const Strategy& strategy);
    /// `firstLayers`: of every stage are recomputed; 0: as the strategy says.
    [[nodiscard]] double leanestPeak(Strategy strategy, const Degrees& degrees, PipelineKind kind, int firstLayers = 0);
    [[nodiscard]] int fewestLayers(const Strategy& strategy, const Degrees& degrees);
    /// Of a way to run a micro-batch, as far as its activations go.
    [[nodiscard]] static std::size_t wayNumber(const Strategy& strategy);
    /// Of stages that share the vocabulary: what each has of it is left out.
    [[nodiscard]] static PieceSeconds withoutEnds(PieceSeconds pieces);

    /// Of its division and experts, in classes.
    [[nodiscard]] const std::vector<PlacementPick>& placements(const Node& node, const Degrees& degrees);

    [[nodiscard]] static bool stops(Subtree& at);
    void drop(Subtree& at, PruneRule rule, std::int64_t strategies) const;
    [[nodiscard]] bool uses(PruneRule rule) const { return m_uses[static_cast<std::size_t>(rule)]; }
    /// Whether nothing of at least this value and peak is wanted. Counts the strategies if so.
    bool loses(Subtree& at, PruneRule rule, double value, double peak, std::int64_t strategies) const;
    void record(Subtree& at, Seconds step, double peak, const Strategy& strategy);

    const SpaceTree& m_tree;
    const SearchOptions& m_options;
    SearchMode m_mode = SearchMode::ClosedForm; ///< of the node that is open
    std::stop_token m_stop; ///< of the search that the node is of
    PricingContext m_pricing;
    Valuation m_valuation;
    bool m_flattens; ///< an optimizer of ZeRO-1 or 2 needs copies of gradients that ZeRO-0 does not
    Transformer m_model;
    int m_globalBatch = 1, m_denseLayers = 0, m_moeLayers = 0;
    std::array<bool, kPruneRules> m_uses{};
    double m_products = -1; ///< seconds of one sequence's on one rank; below 0: not known yet
    std::map<std::array<int, 4>, Pieces> m_pieces; ///< by TP, CP, its method and micro-batch
    std::map<std::array<int, 3>, Sequences> m_sequences; ///< by TP, CP and its method
    std::map<std::array<int, 4>, Seconds>
        m_leastSequences; ///< by TP, CP, its method, and whether there are several stages
    std::map<std::array<int, 4>, Leanest> m_leanest; ///< by SearchMode, stages, micro-batches and PipelineKind
    std::map<std::pair<int, int>, Splits> m_splits; ///< that are not even, by stages and chunks
    std::map<std::pair<const Division*, int>, std::vector<PlacementPick>> m_placements; ///< by division and experts
};

} // namespace stratoplan
