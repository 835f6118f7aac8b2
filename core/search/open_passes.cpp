// SPDX-License-Identifier: Apache-2.0
#include "core/search/open_passes.h"

#include <algorithm>
#include <array>
#include <optional>

namespace stratoplan::search {
namespace {

/// Of one division of the experts.
class PassJudge {
public:
    PassJudge(ExploredPlan& plan, const Opening& opening, int placeOfExperts)
        : m_plan(plan)
        , m_opening(opening)
        , m_placeOfExperts(placeOfExperts)
        , m_experts(plan.tree.experts(*opening.node().division)[std::size_t(placeOfExperts)])
        , m_degrees(plan.tree.degrees(*opening.node().division, m_experts))
        , m_strategy(m_degrees.strategy)
        , m_bounds(opening.uses(PruneRule::DivisionBound))
        , m_hasLimit(opening.uses(PruneRule::OutOfMemory))
    {
        m_strategy.microBatch = opening.node().microBatch;
        m_pieces = &plan.steps.pieces(m_strategy);
        m_ways = plan.peaks.ways(m_strategy);
    }

    [[nodiscard]] int passes() const { return int(m_degrees.passes.size()); }
    [[nodiscard]] JudgedNode judged(int pass);

private:
    /// What ways to run a micro-batch of one kind have in common.
    struct OfKind {
        const LeanPipelines* lean = nullptr;
        std::int64_t strategies = 0; ///< of each way
        std::array<std::optional<double>, kUnrepeatedWays> unrepeated{}; ///< bounds
    };

    [[nodiscard]] OfKind& ofKind(space::PipelineKind kind);
    [[nodiscard]] const std::vector<pricing::LayerStates>& states();
    [[nodiscard]] double unrepeatedBound(const space::PassPick& pick, OfKind& ofKind) const;
    [[nodiscard]] double bound(const space::PassPick& pick, const OfKind& ofKind, int firstLayers) const;
    [[nodiscard]] double boundOfPieces(
        const space::PassPick& pick, const LeanPipelines& lean, const pricing::PieceSeconds& pieces) const;
    [[nodiscard]] JudgedNode judgedByPieces(Node below, const space::PassPick& pick, OfKind& ofKind);
    [[nodiscard]] JudgedNode judgedExactly(Node below, const space::PassPick& pick, const OfKind& ofKind) const;

    /// In space and time: as it is best for what else is held.
    [[nodiscard]] bool isDivided() const { return pricing::dividesLayers(m_strategy); }
    [[nodiscard]] std::optional<PruneRule> againstBound(const Node& below) const
    {
        return m_opening.against(PruneRule::DivisionBound, below.bound, below.peak);
    }
    [[nodiscard]] bool hasNoRoom(const Node& below) const
    {
        return m_hasLimit && below.peak > m_plan.valuation.mostBytes();
    }

    ExploredPlan& m_plan;
    const Opening& m_opening;
    int m_placeOfExperts;
    space::ExpertPick m_experts;
    space::Degrees m_degrees;
    parallel::Strategy m_strategy; ///< with the pass that is judged
    MicroBatchPieces* m_pieces = nullptr;
    std::span<const pricing::SequenceBytes> m_ways; ///< by way to run a micro-batch
    bool m_bounds, m_hasLimit;
    std::array<OfKind, space::kPipelineKinds> m_ofKind{};
    std::array<std::vector<pricing::LayerStates>, 4>
        m_states{}; ///< as Megatron divides layers, and in space and time; with the optimizer here, and on the host
};

JudgedNode PassJudge::judged(int pass)
{
    const space::PassPick& pick = m_degrees.passes[std::size_t(pass)];
    const Node& above = m_opening.node();
    OfKind& kind = ofKind(pick.kind());
    Node below{above.division, above.microBatch, m_placeOfExperts, pass, above.bound, above.peak};
    below.leaves = kind.strategies * m_plan.tree.ways(pick, m_strategy.pp);
    below.uneven = pick.uneven;
    below.dividesLayers = pick.partition == parallel::TensorPartition::SpatialTemporal;
    if (below.leaves == 0)
        return {below};
    pick.applyTo(m_strategy);
    const JudgedNode judged = judgedByPieces(below, pick, kind);
    return judged.droppedBy ? judged : judgedExactly(judged.node, pick, kind);
}

/// From the cheapest bound on.
JudgedNode PassJudge::judgedByPieces(Node below, const space::PassPick& pick, OfKind& ofKind)
{
    if (m_bounds) {
        below.bound = std::max(below.bound, unrepeatedBound(pick, ofKind));
        if (const auto rule = againstBound(below))
            return {below, rule};
    }
    if (m_hasLimit) {
        below.peak = std::max(below.peak, m_plan.peaks.ofPass(m_strategy, m_ways, *ofKind.lean, states()));
        if (hasNoRoom(below))
            return {below, PruneRule::OutOfMemory};
    }
    if (m_bounds) { // worth lowering
        below.bound = std::max(below.bound, bound(pick, ofKind, below.firstLayers));
        if (const auto rule = againstBound(below))
            return {below, rule};
    }
    return {below};
}

JudgedNode PassJudge::judgedExactly(Node below, const space::PassPick& pick, const OfKind& ofKind) const
{
    JudgedNode result{below};
    Node& node = result.node;
    const bool needsPeak = m_hasLimit || (m_bounds && m_plan.options.keep == FrontKind::Whole);
    if (needsPeak && pick.kind() != space::PipelineKind::Uneven && !isDivided()) {
        node.peak = std::max(node.peak, m_plan.peaks.ofLeanestSharding(m_strategy, m_degrees, *ofKind.lean));
        if (hasNoRoom(node))
            return {node, PruneRule::OutOfMemory};
    }
    if (pick.firstLayers && m_hasLimit) {
        node.firstLayers = m_plan.peaks.fewestLayers(m_strategy, m_degrees, *ofKind.lean);
        result.withoutRoom = ofKind.strategies * node.firstLayers;
        node.leaves -= result.withoutRoom;
        if (node.leaves == 0)
            return result;
        if (m_bounds)
            node.bound = std::max(node.bound, bound(pick, ofKind, node.firstLayers));
    }
    result.droppedBy = againstBound(node);
    return result;
}

PassJudge::OfKind& PassJudge::ofKind(space::PipelineKind kind)
{
    OfKind& known = m_ofKind[std::size_t(kind)];
    if (known.lean == nullptr) {
        known.lean = &m_plan.pipelines.lean(m_strategy, kind, m_opening.mode(), m_opening.stop());
        known.strategies = std::int64_t(m_degrees.leaves())
            * m_plan.tree.splitPipelines(m_strategy.pp, m_plan.microBatches(m_strategy), kind);
    }
    return known;
}

const std::vector<pricing::LayerStates>& PassJudge::states()
{
    std::vector<pricing::LayerStates>& known =
        m_states[std::size_t(isDivided()) * 2 + std::size_t(m_strategy.offload == parallel::Offload::Optimizer)];
    if (known.empty())
        known = m_plan.peaks.leanestStates(m_strategy, m_degrees);
    return known;
}

double PassJudge::unrepeatedBound(const space::PassPick& pick, OfKind& ofKind) const
{
    std::optional<double>& known = ofKind.unrepeated[unrepeatedWay(m_strategy)];
    if (!known)
        known = boundOfPieces(pick, *ofKind.lean, m_pieces->unrepeated(m_strategy, m_experts));
    return *known;
}

/// `firstLayers`: the place of the fewest that are recomputed, where the pass recomputes such.
/// The vocabulary is then at the ends.
double PassJudge::bound(const space::PassPick& pick, const OfKind& ofKind, int firstLayers) const
{
    const pricing::PieceSeconds pieces = m_pieces->ofPass(m_strategy, m_experts);
    if (!pick.firstLayers)
        return boundOfPieces(pick, *ofKind.lean, pieces);
    parallel::Strategy kept = m_strategy;
    kept.recompute = parallel::Recompute::None;
    const int count = m_plan.tree.firstLayers(m_strategy.pp)[std::size_t(firstLayers)];
    const Seconds busiest = ofKind.lean->busiest(m_pieces->ofPass(kept, m_experts), pieces, count);
    return m_plan.steps.ofStage(m_strategy, busiest);
}

/// Where stages share the vocabulary, their layers are the same.
double PassJudge::boundOfPieces(
    const space::PassPick& pick, const LeanPipelines& lean, const pricing::PieceSeconds& pieces) const
{
    const bool ends = pick.vocabulary == parallel::VocabularyPlacement::Ends;
    return m_plan.steps.ofStage(m_strategy, lean.busiest(ends ? pieces : withoutEnds(pieces)));
}

} // namespace

void openPasses(ExploredPlan& plan, Opening& opening)
{
    const int divisionsOfExperts = int(plan.tree.experts(*opening.node().division).size());
    for (int experts = 0; experts < divisionsOfExperts; ++experts) {
        if (opening.isStopped())
            return;
        PassJudge judge(plan, opening, experts);
        for (int pass = 0; pass < judge.passes(); ++pass)
            opening.settle(judge.judged(pass));
    }
}

} // namespace stratoplan::search
