// SPDX-License-Identifier: GPL-3.0-or-later
// What a search goes through: every legal strategy of a space is a leaf of its tree, every bound on the way to a leaf
// lies below it, and what is best of all leaves is what the search finds.
#include "core/pipeline/program.h"
#include "core/pricing/limits.h"
#include "core/pricing/priced_pass.h"
#include "tests/core/random_count.h"
#include "tests/core/search/drawn_spaces.h"
#include "tests/registry.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

using namespace stratoplan::catalog;
using namespace stratoplan::model;
using namespace stratoplan::parallel;
using namespace stratoplan::pipeline;
using namespace stratoplan::plan;
using namespace stratoplan::pricing;
using namespace stratoplan::search;
using namespace stratoplan::space;
using namespace stratoplan::units;
using namespace stratoplan::searchtest;
using namespace stratoplan::test;

namespace {

/// Bounds of the step, from the top of the tree down.
struct StepBounds {
    double products = 0, sequence = 0, experts = 0, pieces = 0, microBatch = 0, pipeline = 0;
    double anySplit = 0; ///< of the pipeline, whichever the split
    double busiest = 0; ///< stage of an uneven split
    double simulated = 0; ///< of the simulated step alone
    [[nodiscard]] std::array<double, 8> all() const
    {
        return {products, sequence, experts, pieces, microBatch, pipeline, anySplit, busiest};
    }
};

std::vector<SplitPick> splitPipelines(const SpaceTree& tree, int pp, int microBatches, PipelineKind kind)
{
    std::vector<SplitPick> all;
    for (std::int64_t i = 0; i < tree.splitPipelines(pp, microBatches, kind); ++i)
        all.push_back(tree.splitPipeline(pp, microBatches, kind, i));
    return all;
}

bool isDivided(const Strategy& s)
{
    return s.tensorPartition == TensorPartition::SpatialTemporal;
}

/// What bounds of ways to divide layers in space and time are asked of.
PricedDivision undivided(PricingContext& pricing, Strategy s)
{
    return pricing.division(asMegatron(std::move(s)));
}

/// The step by the pieces of a micro-batch, without and with what is repeated: that of the busiest stage, in whichever
/// number of chunks makes it least busy.
std::pair<double, double> stepsOfPieces(
    PricingContext& pricing, int leastRanks, Strategy s, const std::vector<SplitPick>& pipelines)
{
    std::pair<double, double> steps(INFINITY, INFINITY);
    for (const SplitPick& pick : pipelines) {
        pick.applyTo(s);
        const PricedDivision own = undivided(pricing, s);
        Strategy bare = s;
        bare.recompute = Recompute::None;
        PieceSeconds experts =
            isDivided(s) ? undivided(pricing, bare).dividedPieces(leastRanks) : own.expertPieces(leastRanks);
        const PieceSeconds all = isDivided(s) ? own.dividedPieces(leastRanks) : own.leastPieces(leastRanks);
        if (s.pp > 1 && s.vocabularyPlacement != VocabularyPlacement::Ends)
            experts.embedding = experts.head = {};
        const auto step = [&](const PieceSeconds& pieces) {
            Seconds longest{};
            for (const StageShare& share : stageShares(own.plan()))
                longest = std::max(longest,
                    share * pieces
                        - (runsPairs(pick.pipeline.schedule) ? pieces.moePairable * share.moeLayers : Seconds{}));
            return own.stepOfStage(shape(pick.pipeline.schedule) == PipelineShape::TwoWay ? longest / 2 : longest)
                .value();
        };
        steps = {std::min(steps.first, step(experts)), std::min(steps.second, step(all))};
    }
    return steps;
}

using LeastShares = std::map<std::pair<int, int>, std::vector<ChunkShares>>; ///< by stages and chunks

/// What each chunk does at the least in any of the uneven splits.
const std::vector<ChunkShares>& leastShares(
    const Plan& plan, const SpaceTree& tree, LeastShares& known, int pp, int chunks)
{
    const auto [at, isNew] = known.try_emplace({pp, chunks});
    for (const std::vector<int>& layers : tree.unevenSplits(pp, chunks)) {
        const std::vector<ChunkShares> stages = loopShares(plan.model, layers, chunks);
        at->second.resize(stages.size(), ChunkShares(std::size_t(chunks), {1000, 1000, 1000, 1000, 1000}));
        for (std::size_t i = 0; i < stages.size() && isNew; ++i) {
            for (std::size_t c = 0; c < stages[i].size(); ++c) {
                StageShare& least = at->second[i][c];
                const StageShare& own = stages[i][c];
                least = {std::min(least.denseLayers, own.denseLayers), std::min(least.moeLayers, own.moeLayers),
                    std::min(least.lookUps, own.lookUps), std::min(least.predictions, own.predictions),
                    std::min(least.predictionModules, own.predictionModules)};
            }
        }
    }
    return at->second;
}

/// Visits every strategy of the tree with the bounds of its path.
template <class Visit>
class LeafWalk {
public:
    LeafWalk(const Plan& plan, const SpaceTree& tree, PricingContext& pricing, Visit visit)
        : m_plan(plan)
        , m_tree(tree)
        , m_pricing(pricing)
        , m_visit(visit)
    {
    }

    void run()
    {
        for (const Division& division : m_tree.divisions()) {
            m_strategy = division.strategy();
            m_bounds = {};
            const double ranks = double(division.tp) * division.cp;
            m_bounds.products =
                m_pricing.division(m_strategy).stepOfSequences(m_pricing.productSeconds() / ranks).value();
            for (const int b : m_tree.microBatches(division))
                visitMicroBatch(division, b);
        }
    }

private:
    void visitMicroBatch(const Division& division, int microBatch)
    {
        m_strategy = division.strategy();
        m_strategy.microBatch = microBatch;
        const PricedDivision own = m_pricing.division(m_strategy);
        const bool anyVocabulary = m_tree.dividesVocabulary(m_strategy.pp);
        Seconds sequence = own.sequenceSeconds(m_tree.leastRanks(), anyVocabulary);
        if (m_tree.dividesLayers(division.tp, division.cp))
            sequence = std::min(sequence, own.dividedSequenceSeconds(m_tree.leastRanks(), anyVocabulary));
        m_bounds.sequence = own.stepOfSequences(sequence).value();
        for (const ExpertPick experts : m_tree.experts(division)) {
            const Degrees degrees = m_tree.degrees(division, experts);
            m_strategy = degrees.strategy;
            m_strategy.microBatch = microBatch;
            const std::vector<PlacementPick> placements = degrees.placements(m_tree.topology(), false);
            for (const PassPick& pass : degrees.passes)
                visitPass(degrees, placements, pass);
        }
    }

    void visitPass(const Degrees& degrees, const std::vector<PlacementPick>& placements, const PassPick& pass)
    {
        const int microBatches = m_plan.training.globalBatch / m_strategy.dp / m_strategy.microBatch;
        const std::vector<SplitPick> pipelines = splitPipelines(m_tree, m_strategy.pp, microBatches, pass.kind());
        pass.applyTo(m_strategy);
        m_strategy.timingPass = false;
        m_strategy.stageLayers.clear();
        Strategy kept = m_strategy; // of first layers no bound but that of the pipeline sees what is repeated
        if (pass.firstLayers)
            recomputeAll(kept, Recompute::None);
        std::tie(m_bounds.experts, m_bounds.pieces) = stepsOfPieces(m_pricing, m_tree.leastRanks(), kept, pipelines);
        for (const int count : pass.firstLayers ? m_tree.firstLayers(m_strategy.pp) : std::vector{0}) {
            for (const PlacementPick& placement : placements) {
                m_strategy.rankOrder = placement.orders.front();
                for (const SplitPick& pipeline : pipelines)
                    visitPipeline(degrees, placement, pipeline, count);
            }
        }
    }

    /// `firstLayers`: of each stage that are recomputed; 0: as the pass has it.
    void visitPipeline(
        const Degrees& degrees, const PlacementPick& placement, const SplitPick& pipeline, int firstLayers)
    {
        pipeline.applyTo(m_strategy);
        m_strategy.zeroStage = m_strategy.zeroShards = 0;
        if (firstLayers > 0)
            recomputeAll(m_strategy, Recompute::None);
        m_bounds.microBatch = PricedPass(m_pricing.division(m_strategy), placement.groups.front())
                                  .microBatchStep(runsPairs(pipeline.pipeline.schedule))
                                  .value();
        if (firstLayers > 0)
            recomputeFirst(m_strategy, m_plan.model.layers, firstLayers);
        if (isDivided(m_strategy)) // as what else is held allows: nothing is shared below a pass
            return visitShardings(degrees);
        const PricedPass placed(m_pricing.division(m_strategy), placement.groups.front());
        const PricedPipeline unsharded = placed.unsharded();
        m_bounds.pipeline = unsharded.step(PipelineTime::ClosedForm).value();
        m_bounds.simulated = unsharded.step(PipelineTime::Bound).value();
        m_bounds.anySplit = m_bounds.busiest = 0;
        if (pipeline.layers != nullptr)
            boundSplit(placed, *pipeline.layers);
        visitShardings(degrees);
    }

    void visitShardings(const Degrees& degrees)
    {
        if (isDivided(m_strategy))
            m_bounds.microBatch = m_bounds.pipeline = m_bounds.simulated = m_bounds.anySplit = m_bounds.busiest = 0;
        for (const ShardingPick& sharding : degrees.shardings) {
            m_strategy.zeroStage = sharding.stage;
            m_strategy.zeroShards = sharding.shards;
            m_visit(m_strategy, m_bounds);
        }
    }

    void boundSplit(const PricedPass& placed, const std::vector<int>& layers)
    {
        const PieceSeconds pieces = placed.pieces();
        for (const StageShare& share : wholeStages(loopShares(m_plan.model, layers, m_strategy.vpp)))
            m_bounds.busiest = std::max(m_bounds.busiest, placed.division().stepOfStage(share * pieces).value());
        m_bounds.anySplit = placed.unsharded(leastShares(m_plan, m_tree, m_least, m_strategy.pp, m_strategy.vpp))
                                .step(PipelineTime::ClosedForm)
                                .value();
    }

    const Plan& m_plan;
    const SpaceTree& m_tree;
    PricingContext& m_pricing;
    Visit m_visit;
    LeastShares m_least;
    Strategy m_strategy;
    StepBounds m_bounds;
};

template <class Visit>
void eachLeaf(const Plan& plan, const SpaceTree& tree, PricingContext& pricing, Visit visit)
{
    LeafWalk<Visit>(plan, tree, pricing, visit).run();
}

/// The layers of stages in every way that leaves those between the first and the last even, spare ones in their middle,
/// and chunks of a stage alike.
std::vector<std::vector<int>> splitsBetween(int layers, int stages, int chunks)
{
    std::vector<std::vector<int>> splits;
    for (int first = 0; first <= layers; ++first) {
        for (int last = 0; first + last <= layers; ++last) {
            const int between = stages - 2, left = layers - first - last;
            const bool alike = chunks == 1
                || (first % chunks == 0 && last % chunks == 0 && (between == 0 || left % (between * chunks) == 0));
            if (!alike || (between == 0 && left > 0) || left < between * chunks)
                continue;
            std::vector<int> split{first};
            for (int i = 0; i < between; ++i) {
                const int spare = left % between, begin = (between - spare) / 2;
                split.push_back(left / between + int(i >= begin && i < begin + spare));
            }
            split.push_back(last);
            splits.push_back(split);
        }
    }
    return splits;
}

std::vector<int> numbersOf(const Strategy& s)
{
    std::vector all{s.tp, s.cp, s.pp, s.dp, s.ep, s.etp, s.microBatch, s.vpp, int(s.schedule), s.zeroStage,
        s.zeroShards, int(s.sequenceParallel), int(s.recompute)};
    all.insert(all.end(), s.recomputedLayers.begin(), s.recomputedLayers.end());
    all.push_back(-1);
    all.insert(all.end(), s.stageLayers.begin(), s.stageLayers.end());
    return all;
}

/// Every combination of values one by one, over ranges wider than the space: of 8 accelerators in nodes of 4, and of a
/// model of 4 layers, in splits whose ends differ by at most one from the even one.
class LegalStrategies {
public:
    explicit LegalStrategies(const Plan& plan)
        : m_scratch(plan)
        , m_layers(plan.model.layers)
        , m_experts(plan.model.moe.has_value())
    {
    }

    std::set<std::vector<int>> all()
    {
        for (m_strategy.tp = 1; m_strategy.tp <= 8; ++m_strategy.tp)
            for (m_strategy.cp = 1; m_strategy.cp <= 8; ++m_strategy.cp)
                for (m_strategy.pp = 1; m_strategy.pp <= 8; ++m_strategy.pp)
                    for (m_strategy.dp = 1; m_strategy.dp <= 8; ++m_strategy.dp)
                        for (m_strategy.etp = 1; m_strategy.etp <= (m_experts ? 8 : 1); ++m_strategy.etp)
                            for (m_strategy.ep = 1; m_strategy.ep <= (m_experts ? 4 : 1); ++m_strategy.ep)
                                if (rankCount(m_strategy) == 8)
                                    tryPipelines();
        return std::move(m_found);
    }

private:
    void tryPipelines()
    {
        for (m_strategy.microBatch = 1; m_strategy.microBatch <= 8; ++m_strategy.microBatch) {
            if (microBatches(m_scratch) == 0)
                continue;
            for (m_strategy.vpp = 1; m_strategy.vpp <= 4; ++m_strategy.vpp) {
                for (int i = 0; !key(static_cast<Schedule>(i)).empty(); ++i) {
                    m_strategy.schedule = static_cast<Schedule>(i);
                    const bool twin = m_strategy.vpp == 1
                        && (m_strategy.schedule == Schedule::Interleaved
                            || m_strategy.schedule == Schedule::BreadthFirst);
                    const bool natural = m_strategy.vpp == 1 || 4 % (m_strategy.vpp * m_strategy.pp) == 0
                        || 5 % (m_strategy.vpp * m_strategy.pp) == 0 || 6 % (m_strategy.vpp * m_strategy.pp) == 0;
                    if (!twin && natural
                        && (m_strategy.pp > 1 || (m_strategy.schedule == Schedule::OneFOneB && m_strategy.vpp == 1)))
                        tryPasses();
                }
            }
        }
    }

    void tryPasses()
    {
        for (const bool sequenceParallel : {false, true}) {
            if (sequenceParallel && m_strategy.tp == 1)
                continue;
            for (const Recompute recompute : {Recompute::None, Recompute::Selective, Recompute::Full}) {
                m_strategy.sequenceParallel = sequenceParallel;
                m_strategy.recompute = recompute;
                tryShardings();
                trySplits();
                if (recompute == Recompute::Full && !m_experts)
                    tryFirstLayers();
            }
        }
    }

    void trySplits()
    {
        const std::vector<int> even = stageLayers(m_strategy, m_layers);
        for (const std::vector<int>& split : splitsBetween(m_layers, m_strategy.pp, m_strategy.vpp)) {
            const int first = even.front() - split.front(), last = even.back() - split.back();
            if (m_strategy.pp == 1 || shape(m_strategy.schedule) != PipelineShape::Loop || std::abs(first) > 1
                || last < 0 || last > 1 || (first == 0 && last == 0))
                continue;
            m_strategy.stageLayers = split;
            tryShardings();
            m_strategy.stageLayers.clear();
        }
    }

    void tryFirstLayers()
    {
        const std::vector<int> held = stageLayers(m_strategy, m_layers);
        for (int count = 1; count < *std::max_element(held.begin(), held.end()); ++count) {
            for (const int own : held)
                m_strategy.recomputedLayers.push_back(std::min(own, count));
            tryShardings();
            m_strategy.recomputedLayers.clear();
        }
    }

    void tryShardings()
    {
        const int replicas = m_strategy.dp * m_strategy.cp,
                  ofExperts = m_experts ? m_strategy.tp / m_strategy.etp * replicas / m_strategy.ep : 1;
        for (m_strategy.zeroStage = 0; m_strategy.zeroStage <= 3; ++m_strategy.zeroStage) {
            for (const int shards : {0, 4}) { // all, and a node's
                m_strategy.zeroShards = shards;
                const bool shared = std::max(replicas, ofExperts) > 1;
                if (shards > 0 && (m_strategy.zeroStage == 0 || shards >= std::max(replicas, ofExperts)))
                    continue;
                if ((m_strategy.zeroStage == 0 || shared)
                    && canSchedule(m_strategy.schedule, m_strategy.pp, m_strategy.vpp, microBatches(m_scratch))
                    && !hasErrors(check(m_scratch, {.remedies = false})) && notEstimable(m_scratch).empty())
                    m_found.insert(numbersOf(m_strategy));
            }
        }
    }

    Plan m_scratch;
    Strategy& m_strategy = m_scratch.strategy;
    int m_layers;
    bool m_experts;
    std::set<std::vector<int>> m_found;
};

/// The peak of a strategy by what a sequence, the states of its layers and its stages need at the least, whoever shares
/// the states out. `stages`: what these hold at the least; none: what they hold.
double leastPeak(PricingContext& pricing, Strategy s, const std::vector<StageShare>& stages = {})
{
    s.zeroShards = 0;
    const PricedDivision own = undivided(pricing, s);
    const SequenceBytes way = isDivided(s) ? own.dividedSequenceBytes() : own.sequenceBytes();
    const LayerStates states = isDivided(s) ? own.dividedLayerStates() : own.layerStates();
    const std::vector<HeldLayers> held = stages.empty() ? heldLayers(own.plan()) : heldLayers(own.plan(), stages);
    return leastPeak({&way, 1}, {&states, 1}, held, s.microBatch, pricing.reserve(), pricing.hostCapacity()).value();
}

/// Points of a front by comparing all with all.
std::vector<std::pair<double, double>> naiveFront(const std::vector<std::pair<double, double>>& points)
{
    std::vector<std::pair<double, double>> front;
    for (const auto& point : points) {
        const bool beaten = std::any_of(points.begin(), points.end(), [&](const auto& other) {
            return other.first <= point.first && other.second <= point.second && other != point;
        });
        if (!beaten)
            front.push_back(point);
    }
    std::sort(front.begin(), front.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    front.erase(std::unique(front.begin(), front.end()), front.end()); // rank orders of one class
    return front;
}

} // namespace

class TestLeaves : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void boundsHold();
    void frontIsTheNaiveFront();
    void spaceHoldsEveryLegalStrategy();
    void sharesOfLoopsAreThoseOfTheirStages();
    void unevenStagesTakeLess();
};

// In one piece: it asks the same of every leaf, of which what is counted on the way proves that there are enough.
void TestLeaves::boundsHold()
{
    RandomPlans random(3);
    std::int64_t leaves = 0, uneven = 0;
    for (int i = 0; i < fewerSanitized(300); ++i) {
        const Drawn drawn = draw(random, 4000);
        PricingContext bounds(drawn.plan, shippedCatalog());
        PricingContext leaf(drawn.plan, shippedCatalog());
        const SpaceTree tree(drawn.plan, drawn.space, leaf.topology());
        std::int64_t visited = 0;
        LeastShares least;
        Plan scratch = drawn.plan;
        eachLeaf(drawn.plan, tree, bounds, [&](const Strategy& s, const StepBounds& steps) {
            ++visited;
            const auto closed = price(leaf, s, PipelineTime::ClosedForm);
            QVERIFY(closed);
            for (const double step : steps.all())
                QVERIFY2(step * (1 - kRounding) <= closed->step.value(),
                    qPrintable(QString("%1 > %2").arg(step, 0, 'g', 17).arg(closed->step.value(), 0, 'g', 17)));
            scratch.strategy = s;
            if (const double peak = leastPeak(bounds, s); std::isfinite(peak))
                QVERIFY2(peak * (1 - kRounding) <= closed->peak.value(),
                    qPrintable(QString("%1 > %2").arg(peak, 0, 'g', 17).arg(closed->peak.value(), 0, 'g', 17)));
            else
                QVERIFY(!closed->fits);
            if (!s.stageLayers.empty()) {
                ++uneven;
                const double peak =
                    leastPeak(bounds, s, wholeStages(leastShares(drawn.plan, tree, least, s.pp, s.vpp)));
                QVERIFY(!closed->fits || peak * (1 - kRounding) <= closed->peak.value());
            }
            QVERIFY(!hasErrors(check(scratch, {.remedies = false})));
            if (visited % 16 == 0) {
                const Seconds step = price(leaf, s, PipelineTime::Simulated)->step;
                QVERIFY(closed->step <= step);
                QVERIFY(steps.simulated * (1 - kRounding) <= step.value());
                QVERIFY(price(leaf, s, PipelineTime::Bound)->step.value() * (1 - kRounding) <= step.value());
            }
        });
        QCOMPARE(visited, tree.leaves());
        leaves += visited;
    }
    QVERIFY(leaves > fewerSanitized(100'000));
    QVERIFY(uneven > fewerSanitized(5'000));
}

void TestLeaves::frontIsTheNaiveFront()
{
    RandomPlans random(4);
    for (int i = 0; i < fewerSanitized(60); ++i) {
        const Drawn drawn = draw(random, 2000);
        PricingContext bounds(drawn.plan, shippedCatalog());
        PricingContext leaf(drawn.plan, shippedCatalog());
        std::vector<std::pair<double, double>> points;
        eachLeaf(drawn.plan, SpaceTree(drawn.plan, drawn.space, leaf.topology(), Schedules::WithClosedForm), bounds,
            [&](const Strategy& s, const StepBounds&) {
                if (const auto priced = price(leaf, s, PipelineTime::ClosedForm); priced->fits)
                    points.emplace_back(priced->step.value(), priced->peak.value());
            });
        std::vector<std::pair<double, double>> found;
        for (const FoundStrategy& one : searched(drawn.plan, drawn.space, {}).front)
            found.emplace_back(one.step.value(), one.peak.value());
        found.erase(std::unique(found.begin(), found.end()), found.end());
        QCOMPARE(found, naiveFront(points));
    }
}

void TestLeaves::spaceHoldsEveryLegalStrategy()
{
    for (const bool experts : {false, true}) {
        Plan plan = fixtures::small();
        plan.training.globalBatch = 8;
        plan.model.layers = 4;
        if (experts) {
            plan.model.moe = MixtureOfExperts{};
            plan.model.moe->experts = 4;
            plan.model.moe->expertFfn = 1024;
        }
        SearchSpace space = fixtures::megatronSpace();
        space.rankOrders = {Strategy{}.rankOrder};
        if (!experts)
            space.recomputedLayers = {0, 100, {}};
        space.firstStageFewer = {-1, 1, {}};
        space.lastStageFewer.only = {0, 1};
        const std::set<std::vector<int>> expected = LegalStrategies(plan).all();
        std::set<std::vector<int>> found;
        PricingContext pricing(plan, shippedCatalog());
        const SpaceTree tree(plan, space, pricing.topology());
        eachLeaf(plan, tree, pricing,
            [&](const Strategy& leaf, const StepBounds&) { QVERIFY(found.insert(numbersOf(leaf)).second); });
        QVERIFY(expected.size() > 1000);
        QCOMPARE(std::int64_t(found.size()), tree.leaves());
        QVERIFY(found == expected);
    }
}

void TestLeaves::sharesOfLoopsAreThoseOfTheirStages()
{
    RandomPlans random(11);
    for (int i = 0; i < fewerSanitized(300); ++i) {
        Plan plan = random.plan();
        Strategy& s = plan.strategy;
        s.vpp = 1 + random.number(3);
        s.schedule = s.vpp > 1 ? Schedule::Interleaved : Schedule::OneFOneB;
        s.pp = 2 + random.number(3);
        s.stageLayers.assign(std::size_t(s.pp), 0);
        for (int layer = 0; layer < plan.model.layers; ++layer)
            ++s.stageLayers[std::size_t(random.number(s.pp))];
        const std::vector<StageShare> shares = wholeStages(loopShares(plan.model, s.stageLayers, s.vpp));
        QCOMPARE(int(shares.size()), s.pp);
        QVERIFY(busiest(shares) == stageShares(plan));
    }
}

// A model whose output projection is worth some layers is fastest where the last stage has fewer of them; in the family
// of splits that the space names nothing is faster, and nothing as fast is left out.
// In one piece: one plan and its space, asked with the splits free, compared one by one, and locked.
void TestLeaves::unevenStagesTakeLess()
{
    Plan plan = fixtures::small();
    plan.model = fixtures::gpt(12, 1024, 8, 128'000, 4096);
    plan.cluster = fixtures::cluster(1, 4);
    plan.training.globalBatch = 32;
    SearchSpace space = fixtures::megatronSpace();
    space.tp = space.cp = space.dp = IntChoice::just(1);
    space.pp = IntChoice::just(4);
    space.vpp = space.microBatch = IntChoice::just(1);
    space.schedules = {Schedule::OneFOneB};
    space.recomputes = {Recompute::None};
    space.zeroStages = {0};
    space.rankOrders = {Strategy{}.rankOrder};
    for (const SearchMode mode : {SearchMode::ClosedForm, SearchMode::Simulated}) {
        const SearchResult even = searched(plan, space, {.mode = mode});
        SearchSpace free = space;
        free.firstStageFewer = free.lastStageFewer = {-100, 100, {}};
        const SearchResult best = searched(plan, free, {.mode = mode});
        QVERIFY(even.best && best.best && best.best->value < 0.9 * even.best->value);
        QVERIFY(best.best->strategy.stageLayers.back() < 3);
        PricingContext pricing(plan, shippedCatalog());
        Strategy s = even.best->strategy;
        std::vector<std::pair<double, double>> points;
        const std::vector<std::vector<int>> splits = splitsBetween(12, 4, 1); // the even one among them
        for (const std::vector<int>& split : splits) {
            s.stageLayers = split;
            const auto priced =
                price(pricing, s, mode == SearchMode::Simulated ? PipelineTime::Simulated : PipelineTime::ClosedForm);
            if (priced->fits)
                points.emplace_back(priced->step.value(), priced->peak.value());
        }
        QCOMPARE(best.space, std::int64_t(splits.size()));
        std::vector<std::pair<double, double>> found;
        for (const FoundStrategy& one : best.front)
            found.emplace_back(one.step.value(), one.peak.value());
        found.erase(std::unique(found.begin(), found.end()), found.end());
        QCOMPARE(found, naiveFront(points));
    }
    space.firstStageFewer = IntChoice::just(0);
    space.lastStageFewer = IntChoice::just(2); // locked: the even split is not among them
    const SearchResult locked = searched(plan, space, {});
    QCOMPARE(locked.space, 1);
    QVERIFY(locked.best->strategy.stageLayers == (std::vector{3, 4, 4, 1}));
}

STRATOPLAN_TEST(TestLeaves)
#include "test_leaves.moc"
