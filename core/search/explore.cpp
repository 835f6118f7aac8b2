// SPDX-License-Identifier: Apache-2.0
#include "core/search/explore.h"

#include "core/pipeline/program.h"
#include "core/search/explore_leaves.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stratoplan {
namespace {

constexpr double kRounding = 1e-12; // of sums in another order
const GroupSpans kNowhere; // where groups lie plays no part

/// Of stages that share the vocabulary: what each has of it is left out.
PieceSeconds withoutEnds(PieceSeconds pieces)
{
    pieces.embedding = pieces.head = Seconds{};
    return pieces;
}

} // namespace

Explorer::Explorer(const Plan& plan, const SpaceTree& tree, const SearchOptions& options)
    : m_tree(tree)
    , m_options(options)
    , m_pricer(plan)
    , m_valuation(plan, options)
    , m_globalBatch(plan.training.globalBatch)
    , m_layers(plan.model.layers)
{
    for (std::size_t i = 0; i < kPruneRules; ++i)
        m_uses[i] = !options.exhaustive && !options.off.contains(PruneRule(i));
}

Node Explorer::root(const Division& division)
{
    Node node{&division};
    node.leaves = division.leaves;
    if (!uses(PruneRule::DivisionBound))
        return node;
    const Strategy s = division.strategy();
    m_pricer.choose(s, kNowhere);
    if (m_products < 0)
        m_products = m_pricer.productSeconds().value();
    node.bound = m_valuation.bound(m_pricer.stepOfSequences(Seconds(m_products / (double(s.tp) * s.cp))), s);
    return node;
}

Explored Explorer::open(const Node& node, const Front& known, SearchMode mode, const std::stop_token& stop)
{
    Explored result{{}, Front(m_options.keep), 0, {}, true};
    Subtree at{node, known, mode, stop, result};
    if (node.microBatch == 0)
        openDivision(at);
    else if (node.pass < 0)
        openMicroBatch(at);
    else
        Leaves(*this, at).open();
    return result;
}

void Explorer::openDivision(Subtree& at)
{
    const Division& division = *at.node.division;
    Strategy s = division.strategy();
    for (const int size : m_tree.microBatches(division)) {
        s.microBatch = size;
        Node below{&division, size};
        below.leaves = m_tree.leaves(division, size);
        if (uses(PruneRule::OutOfMemory)) {
            // Activations alone on the first stage: they are in proportion to the tokens of a micro-batch.
            const double held = leastLayersHeld(s) * size;
            if (held * leastActivation(s).value() * (1 - kRounding) > m_valuation.mostBytes()) {
                drop(at, PruneRule::OutOfMemory, below.leaves);
                continue;
            }
        }
        if (uses(PruneRule::DivisionBound)) {
            Pieces& known = pieces(s);
            m_pricer.choose(s, kNowhere);
            if (known.ofSequence < Seconds{})
                known.ofSequence = m_pricer.sequenceSeconds(m_tree.leastRanks(), m_tree.dividesVocabulary(s.pp));
            below.bound = std::max(at.node.bound, m_valuation.bound(m_pricer.stepOfSequences(known.ofSequence), s));
            if (!at.known.beats(below.bound, 0))
                below.bound = std::max(below.bound, microBatchBound(s, division));
            if (m_options.keep == FrontKind::Best && loses(at, PruneRule::DivisionBound, below.bound, 0, below.leaves))
                continue;
        }
        at.result.below.push_back(below);
    }
}

Explorer::Pieces& Explorer::pieces(const Strategy& s)
{
    const auto [known, isNew] = m_pieces.try_emplace({s.tp, s.cp, int(s.contextMethod), s.microBatch, int(s.pp > 1)});
    if (isNew) {
        known->second.ofExperts.resize(m_tree.expertPicks() * 2);
        known->second.ofPasses.resize(m_tree.expertPicks());
    }
    return known->second;
}

/// Whether where the tensor ranks lie can make the expert groups smaller (see seconds(Collective)): then replicas count, which
/// divisions of one row of pieces have different numbers of.
bool Explorer::dependsOnReplicas(const Strategy& s)
{
    return s.etp < s.tp && s.ep > s.dp * s.cp;
}

PieceSeconds Explorer::expertPieces(Pieces& pieces, const Strategy& s, ExpertPick experts)
{
    if (dependsOnReplicas(s)) {
        m_pricer.choose(s, kNowhere);
        return m_pricer.expertPieces(m_tree.leastRanks());
    }
    std::optional<PieceSeconds>& known = pieces.ofExperts[std::size_t(experts.number * 2 + int(s.sequenceParallel))];
    if (!known) {
        m_pricer.choose(s, kNowhere);
        known = m_pricer.expertPieces(m_tree.leastRanks());
    }
    return *known;
}

/// With the vocabulary at the ends.
PieceSeconds Explorer::passPieces(Pieces& pieces, Strategy s, ExpertPick experts)
{
    s.vocabularyPlacement = VocabularyPlacement::Ends;
    constexpr std::size_t kOffloads = 3;
    const auto find = [&] {
        m_pricer.choose(s, kNowhere);
        return m_pricer.leastPieces(m_tree.leastRanks());
    };
    if (dependsOnReplicas(s))
        return find();
    auto& ofExperts = pieces.ofPasses[std::size_t(experts.number)];
    ofExperts.resize(2 * kOffloads * kRecomputeKinds);
    std::optional<PieceSeconds>& known
        = ofExperts[(std::size_t(s.sequenceParallel) * kOffloads + std::size_t(s.offload)) * kRecomputeKinds + std::size_t(s.recompute)];
    if (!known)
        known = find();
    return *known;
}

/// The best of all divisions of the experts, with nothing repeated.
double Explorer::microBatchBound(const Strategy& strategy, const Division& division)
{
    Strategy s = strategy;
    Pieces& known = pieces(s);
    Seconds least(INFINITY);
    for (const ExpertPick experts : m_tree.experts(division)) {
        s.ep = experts.ep;
        s.etp = experts.etp;
        for (const bool sequenceParallel : {false, true}) {
            s.sequenceParallel = sequenceParallel;
            if (sequenceParallel && s.tp == 1)
                continue;
            const PieceSeconds ofExperts = expertPieces(known, s, experts);
            least = std::min(least, leanest(s, Vocabulary::Ends).busiest(ofExperts));
            if (m_tree.dividesVocabulary(s.pp))
                for (const Vocabulary divided : {Vocabulary::Divided, Vocabulary::Interlaced})
                    least = std::min(least, leanest(s, divided).busiest(withoutEnds(ofExperts)));
        }
    }
    m_pricer.choose(s, kNowhere);
    return m_valuation.bound(m_pricer.stepOfStage(least), s);
}

Seconds Explorer::Leanest::busiest(const PieceSeconds& pieces) const
{
    Seconds least(INFINITY);
    for (const Stages& one : stages) {
        Seconds most{};
        for (const StageShare& share : one.shares)
            most = std::max(most, share * pieces - (one.paired ? pieces.moePairable * share.moeLayers : Seconds{}));
        least = std::min(least, most / one.ways);
    }
    return least;
}

Bytes Explorer::leastActivation(const Strategy& s)
{
    const auto [known, isNew] = m_activations.try_emplace({s.tp, s.cp});
    if (isNew) {
        Strategy one = s;
        one.microBatch = 1;
        m_pricer.choose(one, kNowhere);
        known->second = m_pricer.leastActivation();
    }
    return known->second;
}

/// 1F1B holds least of what runs each stage's layers as one chunk, interleaving of what runs them as several: a stage of 1F1B holds
/// min(m, p - i) micro-batches, eager 1F1B, ZB-H1, ZB-H2 and GPipe no fewer, and breadth-first all of them. Both keep one prediction.
const Explorer::Leanest& Explorer::leanest(const Strategy& strategy, Vocabulary vocabulary)
{
    const int pp = strategy.pp, microBatches = m_globalBatch / strategy.dp / strategy.microBatch;
    const auto [known, isNew] = m_leanest.try_emplace({pp, microBatches, int(vocabulary)});
    Leanest& result = known->second;
    if (!isNew)
        return result;
    for (const PipelinePick& pick : m_tree.pipelines(pp, microBatches, vocabulary)) {
        PipelinePick lean = pick;
        lean.timingPass = false; // moves neither bytes in memory nor passes
        if (hasClosedForm(pick.schedule))
            lean.schedule = pick.vpp > 1 ? Schedule::Interleaved : Schedule::OneFOneB;
        if (std::find(result.pipelines.begin(), result.pipelines.end(), lean) == result.pipelines.end())
            result.pipelines.push_back(lean);
    }
    result.layersHeld = INFINITY;
    for (const PipelinePick& lean : result.pipelines) {
        Strategy s;
        s.pp = pp;
        s.vpp = lean.vpp;
        s.schedule = lean.schedule;
        if (vocabulary != Vocabulary::Ends)
            s.vocabularyPlacement = vocabulary == Vocabulary::Divided ? VocabularyPlacement::Vocab1 : VocabularyPlacement::Interlaced;
        const std::vector<int> chunks = chunkLayers(s, m_layers, 0);
        // Others share out activations between unlike chunks, or hold as many as there is room for.
        const double held = hasClosedForm(lean.schedule) ? inFlight(lean.schedule, pp, lean.vpp, microBatches, 0) : 0;
        result.layersHeld = std::min(result.layersHeld, held * std::accumulate(chunks.begin(), chunks.end(), 0));
        m_pricer.choose(s, kNowhere);
        result.stages.push_back({m_pricer.stageShares(), shape(lean.schedule) == PipelineShape::TwoWay ? 2 : 1, runsPairs(lean.schedule)});
    }
    return result;
}

/// However the vocabulary is placed: where it is divided, stages look further ahead and hold more.
double Explorer::leastLayersHeld(const Strategy& strategy)
{
    if (m_tree.offloadsActivations())
        return 0;
    double least = leanest(strategy, Vocabulary::Ends).layersHeld;
    if (m_tree.dividesVocabulary(strategy.pp))
        for (const Vocabulary divided : {Vocabulary::Divided, Vocabulary::Interlaced})
            least = std::min(least, leanest(strategy, divided).layersHeld);
    return least;
}

void Explorer::openMicroBatch(Subtree& at)
{
    const std::vector<ExpertPick>& experts = m_tree.experts(*at.node.division);
    for (int i = 0; i < int(experts.size()); ++i)
        openPasses(at, m_tree.degrees(*at.node.division, experts[std::size_t(i)]), i);
}

void Explorer::openPasses(Subtree& at, const Degrees& degrees, int place)
{
    if (at.stop.stop_requested()) {
        at.result.whole = false;
        return;
    }
    const ExpertPick experts = m_tree.experts(*at.node.division)[std::size_t(place)];
    Strategy s = degrees.strategy;
    s.microBatch = at.node.microBatch;
    Pieces& known = pieces(s);
    double unrepeated[kVocabularies][2] = {{-1, -1}, {-1, -1}, {-1, -1}}; // bounds, by sequence parallelism
    for (int pass = 0; pass < int(degrees.passes.size()); ++pass) {
        const PassPick& pick = degrees.passes[std::size_t(pass)];
        const Vocabulary kind = vocabulary(pick.vocabulary);
        const Leanest& lean = leanest(s, kind);
        const auto boundOf = [&](const PieceSeconds& one) {
            m_pricer.choose(s, kNowhere);
            return m_valuation.bound(m_pricer.stepOfStage(lean.busiest(one)), s);
        };
        const auto strategies = std::int64_t(degrees.leaves() * m_tree.pipelines(s.pp, m_globalBatch / s.dp / s.microBatch, kind).size());
        if (strategies == 0)
            continue;
        pick.applyTo(s);
        Node below{at.node.division, s.microBatch, place, pass, at.node.bound};
        below.leaves = strategies;
        if (uses(PruneRule::DivisionBound)) {
            // Where stages share the vocabulary, their layers are the same.
            const auto seen = [&](const PieceSeconds& pieces) { return kind == Vocabulary::Ends ? pieces : withoutEnds(pieces); };
            double& bound = unrepeated[std::size_t(kind)][std::size_t(s.sequenceParallel)];
            if (bound < 0)
                bound = boundOf(seen(expertPieces(known, s, experts)));
            below.bound = std::max(below.bound, bound);
            if (!at.known.beats(below.bound, 0)) // worth lowering
                below.bound = std::max(below.bound, boundOf(seen(passPieces(known, s, experts))));
            if (m_options.keep == FrontKind::Best && loses(at, PruneRule::DivisionBound, below.bound, 0, strategies))
                continue;
        }
        if (uses(PruneRule::OutOfMemory) || (uses(PruneRule::DivisionBound) && m_options.keep == FrontKind::Whole))
            below.peak = leanestPeak(s, degrees);
        if (uses(PruneRule::OutOfMemory) && below.peak > m_valuation.mostBytes()) {
            drop(at, PruneRule::OutOfMemory, strategies);
            continue;
        }
        if (!loses(at, PruneRule::DivisionBound, below.bound, below.peak, strategies))
            at.result.below.push_back(below);
    }
}

/// Over all replicas ZeRO-2 holds least of what gathers no weights, and ZeRO-3 of what does (see NoRoom).
double Explorer::leanestPeak(Strategy s, const Degrees& degrees)
{
    int most = -1; // up to ZeRO-2
    bool gathers = false;
    for (const ShardingPick& pick : degrees.shardings) {
        gathers = gathers || pick.stage == 3;
        if (pick.stage < 3)
            most = std::max(most, pick.stage);
    }
    double least = INFINITY;
    for (const PipelinePick& lean : leanest(s, vocabulary(s.vocabularyPlacement)).pipelines) {
        s.schedule = lean.schedule;
        s.vpp = lean.vpp;
        s.inFlightLimit = 1; // of ZB-auto, at the least
        for (const int stage : {3, most}) {
            if (stage == 3 ? !gathers : stage < 0)
                continue;
            s.zeroStage = stage;
            m_pricer.choose(s, kNowhere);
            least = std::min(least, fittingPeak() * (1 - kRounding));
            // One that fits is enough to know that there is room.
            if (m_options.keep == FrontKind::Best && least <= m_valuation.mostBytes())
                return 0;
        }
    }
    return least;
}

/// Of the chosen strategy; more than any accelerator has where the host has no room for what is offloaded.
double Explorer::fittingPeak()
{
    const StrategyPeak peak = m_pricer.peak();
    return peak.host <= m_pricer.hostCapacity() ? peak.bytes.value() : INFINITY;
}

void Explorer::drop(Subtree& at, PruneRule rule, std::int64_t strategies) const
{
    at.result.pruned[static_cast<std::size_t>(rule)] += strategies;
}

bool Explorer::loses(Subtree& at, PruneRule rule, double value, double peak, std::int64_t strategies) const
{
    if (uses(PruneRule::Objective) && m_options.objective == Objective::Deadline && value * (1 - kRounding) > m_options.longestStep.value()) {
        drop(at, PruneRule::Objective, strategies);
        return true;
    }
    if (!uses(rule) || !(at.known.beats(value, peak) || at.result.found.beats(value, peak)))
        return false;
    drop(at, rule, strategies);
    return true;
}

const std::vector<PlacementPick>& Explorer::placements(const Node& node, const Degrees& degrees)
{
    constexpr std::size_t kMostPlacements = 256;
    if (m_placements.size() > kMostPlacements)
        m_placements.clear();
    const auto [known, isNew] = m_placements.try_emplace({node.division, node.experts});
    if (isNew)
        known->second = m_tree.placements(degrees);
    return known->second;
}

std::optional<FoundStrategy> Explorer::simulated(const Strategy& strategy)
{
    const auto price = m_pricer.price(strategy, PipelineTime::Simulated);
    if (!price || !m_valuation.wants(price->step, price->peak.value()))
        return std::nullopt;
    return FoundStrategy{strategy, m_valuation.precision(), m_valuation.value(price->step, strategy), price->step, price->peak};
}

void Explorer::record(Subtree& at, Seconds step, double peak, const Strategy& strategy)
{
    if (!m_valuation.wants(step, peak))
        return;
    const double value = m_valuation.value(step, strategy);
    if (!at.known.beats(value, peak) && !at.result.found.beats(value, peak))
        at.result.found.add({strategy, m_valuation.precision(), value, step, Bytes(peak)});
}

} // namespace stratoplan
