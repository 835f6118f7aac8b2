// SPDX-License-Identifier: GPL-3.0-or-later
// The exact search against pricing everything: value, optimal strategies and front, element by element, on thousands of
// random plans; every bound below every leaf under it; no rule and no number of threads changes an answer.
#include "core/estimate/estimate.h"
#include "core/narration/spaces.h"
#include "core/pipeline/program.h"
#include "core/pricing/limits.h"
#include "core/pricing/priced_pass.h"
#include "core/pricing/pricing_context.h"
#include "core/search/search.h"
#include "core/search/why.h"
#include "core/space/space_tree.h"
#include "tests/core/search/random_plans.h"
#include "tests/registry.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

using namespace stratoplan::catalog;
using namespace stratoplan::cluster;
using namespace stratoplan::estimate;
using namespace stratoplan::model;
using namespace stratoplan::narration;
using namespace stratoplan::parallel;
using namespace stratoplan::pipeline;
using namespace stratoplan::plan;
using namespace stratoplan::pricing;
using namespace stratoplan::search;
using namespace stratoplan::space;
using namespace stratoplan::units;
using namespace stratoplan::searchtest;

namespace {

constexpr std::int64_t kMostLeaves = 20'000; // of a random space that is priced whole
constexpr double kRounding = 1e-12;

SearchResult searched(const Plan& plan, const SearchSpace& space, SearchOptions options, bool exhaustive = false)
{
    options.exhaustive = exhaustive;
    if (options.threads == 0)
        options.threads = 1;
    return search(plan, space, options);
}

std::int64_t decided(const SearchResult& result)
{
    return std::accumulate(result.pruned.begin(), result.pruned.end(), result.evaluated);
}

bool sameAnswer(const SearchResult& a, const SearchResult& b)
{
    return a.front == b.front && a.best == b.best && a.space == b.space && a.proven && b.proven;
}

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

/// The step by the pieces of a micro-batch, without and with what is repeated: that of the busiest stage, in whichever
/// number of chunks makes it least busy.
std::pair<double, double> stepsOfPieces(
    PricingContext& pricing, int leastRanks, Strategy s, const std::vector<SplitPick>& pipelines)
{
    std::pair<double, double> steps(INFINITY, INFINITY);
    for (const SplitPick& pick : pipelines) {
        pick.applyTo(s);
        const PricedDivision own = pricing.division(s);
        PieceSeconds experts = own.expertPieces(leastRanks);
        const PieceSeconds all = own.leastPieces(leastRanks);
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
void eachLeaf(const Plan& plan, const SpaceTree& tree, PricingContext& pricing, Visit visit)
{
    LeastShares least;
    for (const Division& division : tree.divisions()) {
        Strategy s = division.strategy();
        StepBounds bounds;
        bounds.products = pricing.division(s).stepOfSequences(pricing.productSeconds() / (double(s.tp) * s.cp)).value();
        for (const int b : tree.microBatches(division)) {
            s = division.strategy();
            s.microBatch = b;
            const PricedDivision own = pricing.division(s);
            bounds.sequence =
                own.stepOfSequences(own.sequenceSeconds(tree.leastRanks(), tree.dividesVocabulary(s.pp))).value();
            for (const ExpertPick experts : tree.experts(division)) {
                const Degrees degrees = tree.degrees(division, experts);
                s = degrees.strategy;
                s.microBatch = b;
                const std::vector<PlacementPick> placements = tree.placements(degrees, false);
                for (const PassPick pass : degrees.passes) {
                    const std::vector<SplitPick> pipelines =
                        splitPipelines(tree, s.pp, plan.training.globalBatch / s.dp / b, pass.kind());
                    pass.applyTo(s);
                    s.timingPass = false;
                    s.stageLayers.clear();
                    Strategy kept = s; // of first layers no bound but that of the pipeline sees what is repeated
                    if (pass.firstLayers)
                        recomputeAll(kept, Recompute::None);
                    const auto [withoutRepeats, all] = stepsOfPieces(pricing, tree.leastRanks(), kept, pipelines);
                    bounds.experts = withoutRepeats;
                    bounds.pieces = all;
                    for (const int count : pass.firstLayers ? tree.firstLayers(s.pp) : std::vector{0}) {
                        for (const PlacementPick& placement : placements) {
                            s.rankOrder = placement.orders.front();
                            for (const SplitPick& pipeline : pipelines) {
                                pipeline.applyTo(s);
                                s.zeroStage = s.zeroShards = 0;
                                if (count > 0)
                                    recomputeAll(s, Recompute::None);
                                bounds.microBatch = PricedPass(pricing.division(s), placement.groups.front())
                                                        .microBatchStep(runsPairs(pipeline.pipeline.schedule))
                                                        .value();
                                if (count > 0)
                                    recomputeFirst(s, plan.model.layers, count);
                                const PricedPass placed(pricing.division(s), placement.groups.front());
                                const PricedPipeline unsharded = placed.unsharded();
                                bounds.pipeline = unsharded.step(PipelineTime::ClosedForm).value();
                                bounds.simulated = unsharded.step(PipelineTime::Bound).value();
                                bounds.anySplit = bounds.busiest = 0;
                                if (pipeline.layers != nullptr) {
                                    const PieceSeconds pieces = placed.pieces();
                                    for (const StageShare& share :
                                        wholeStages(loopShares(plan.model, *pipeline.layers, s.vpp)))
                                        bounds.busiest = std::max(
                                            bounds.busiest, placed.division().stepOfStage(share * pieces).value());
                                    bounds.anySplit = placed.unsharded(leastShares(plan, tree, least, s.pp, s.vpp))
                                                          .step(PipelineTime::ClosedForm)
                                                          .value();
                                }
                                for (const ShardingPick& sharding : degrees.shardings) {
                                    s.zeroStage = sharding.stage;
                                    s.zeroShards = sharding.shards;
                                    visit(s, bounds);
                                }
                            }
                        }
                    }
                }
            }
        }
    }
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

/// The peak of a strategy by what a sequence, the states of its layers and its stages need at the least, whoever shares
/// the states out. `stages`: what these hold at the least; none: what they hold.
double leastPeak(PricingContext& pricing, Strategy s, const std::vector<StageShare>& stages = {})
{
    s.zeroShards = 0;
    const PricedDivision own = pricing.division(s);
    const SequenceBytes way = own.sequenceBytes();
    const LayerStates states = own.layerStates();
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

/// A random plan with a space small enough to price whole.
struct Drawn {
    Plan plan;
    SearchSpace space;
};

Drawn draw(RandomPlans& random, std::int64_t most = kMostLeaves)
{
    for (;;) {
        Drawn drawn{random.plan(), {}};
        drawn.space = random.space(drawn.plan);
        const PricingContext pricing(drawn.plan, shippedCatalog());
        const std::int64_t leaves = SpaceTree(drawn.plan, drawn.space, pricing.topology()).leaves();
        if (leaves > 0 && leaves <= most)
            return drawn;
    }
}

} // namespace

class TestSearch : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void prunedIsExhaustive();
    void simulatedIsExhaustive();
    void boundsHold();
    void frontIsTheNaiveFront();
    void noRuleChangesTheAnswer();
    void noRuleChangesAnyObjective();
    void spaceHoldsEveryLegalStrategy();
    void sharesOfLoopsAreThoseOfTheirStages();
    void unevenStagesTakeLess();
    void aNeighbourHasAnotherSplit();
    void threadsChangeNothing();
    void bestIsTheEndOfTheFront();
    void stopsWithWhatItHas();
    void stopsWhileItLaysOut();
    void saysWhatItCannotUse();
    void simulatesWhatItHas();
    void answersBeforeTheSpaceIsCounted();
    void objectives();
};

void TestSearch::prunedIsExhaustive()
{
    RandomPlans random(1);
    std::int64_t fits = 0;
    std::int64_t pruned = 0;
    std::int64_t uneven = 0;
    for (int i = 0; i < 2000; ++i) {
        const Drawn drawn = draw(random, 6000);
        const SearchResult fast = searched(drawn.plan, drawn.space, {});
        const SearchResult whole = searched(drawn.plan, drawn.space, {}, true);
        QVERIFY2(sameAnswer(fast, whole), qPrintable(QString::number(i)));
        QCOMPARE(whole.evaluated, whole.space);
        QCOMPARE(decided(fast), fast.space);
        QCOMPARE(fast.unvisited, 0);
        fits += !whole.front.empty();
        pruned += fast.evaluated < whole.evaluated;
        uneven += std::ranges::any_of(
            whole.front, [](const FoundStrategy& one) { return !one.strategy.stageLayers.empty(); });
    }
    QVERIFY(fits > 1000 && fits < 2000); // some plans fit nowhere
    QVERIFY(pruned > 1900);
    QVERIFY(uneven > 100);
}

void TestSearch::simulatedIsExhaustive()
{
    RandomPlans random(2);
    SearchOptions options;
    options.mode = SearchMode::Simulated;
    for (int i = 0; i < 2000; ++i) {
        const Drawn drawn = draw(random, 2000);
        const SearchResult fast = searched(drawn.plan, drawn.space, options);
        const SearchResult whole = searched(drawn.plan, drawn.space, options, true);
        QVERIFY2(sameAnswer(fast, whole), qPrintable(QString::number(i)));
        QCOMPARE(decided(fast), fast.space);
        if (fast.best) { // what an estimate says of the same strategy
            Plan plan = drawn.plan;
            plan.strategy = fast.best->strategy;
            const auto e = estimate(plan, {.remedies = false, .range = false});
            QVERIFY(e && e->step == fast.best->step && e->fits);
            QVERIFY(std::abs(e->memory.peak / fast.best->peak - 1) < kRounding);
        }
    }
}

// In one piece: one arrangement, and all that is asked of it.
void TestSearch::boundsHold()
{
    RandomPlans random(3);
    std::int64_t leaves = 0, uneven = 0;
    for (int i = 0; i < 300; ++i) {
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
    QVERIFY(leaves > 100'000);
    QVERIFY(uneven > 5'000);
}

void TestSearch::frontIsTheNaiveFront()
{
    RandomPlans random(4);
    for (int i = 0; i < 60; ++i) {
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

void TestSearch::noRuleChangesTheAnswer()
{
    RandomPlans random(5);
    std::int64_t withAll = 0;
    std::array<std::int64_t, kPruneRules> priced{};
    for (int i = 0; i < 200; ++i) {
        const Drawn drawn = draw(random, 4000);
        for (const SearchMode mode : {SearchMode::ClosedForm, SearchMode::Simulated}) {
            if (mode == SearchMode::Simulated && i % 10 != 0)
                continue;
            SearchOptions options;
            options.mode = mode;
            const SearchResult all = searched(drawn.plan, drawn.space, options);
            withAll += mode == SearchMode::ClosedForm ? all.evaluated : 0;
            for (std::size_t rule = 0; rule < kPruneRules; ++rule) {
                options.off = {PruneRule(rule)};
                const SearchResult without = searched(drawn.plan, drawn.space, options);
                QVERIFY2(sameAnswer(all, without), key(PruneRule(rule)).data());
                QCOMPARE(without.pruned[rule], 0);
                priced[rule] += mode == SearchMode::ClosedForm ? without.evaluated : 0;
            }
        }
    }
    for (const PruneRule rule : {PruneRule::OutOfMemory, PruneRule::PipelineBound, PruneRule::SameClosedForm,
             PruneRule::SamePlacement, PruneRule::MoreRecomputation})
        QVERIFY2(priced[std::size_t(rule)] > withAll, key(rule).data()); // drops something that no other does
}

// Every combination of values one by one, over ranges wider than the space.
void TestSearch::noRuleChangesAnyObjective()
{
    RandomPlans random(15);
    std::int64_t dropped = 0;
    for (int i = 0; i < 60; ++i) {
        Drawn drawn = draw(random, i % 3 == 0 ? 1000 : 4000);
        drawn.space.leaveIdle = true;
        for (const Objective objective : {Objective::TokensPerCost, Objective::TokensPerEnergy, Objective::Deadline,
                 Objective::SmallestCluster, Objective::Robust}) {
            SearchOptions options;
            options.mode = i % 3 == 0 ? SearchMode::Simulated : SearchMode::ClosedForm;
            options.objective = objective;
            if (objective == Objective::Deadline) {
                const SearchResult fastest = searched(drawn.plan, drawn.space, {});
                options.longestStep = fastest.best ? fastest.best->step * 1.5 : Seconds(1);
            }
            const SearchResult all = searched(drawn.plan, drawn.space, options);
            dropped += all.pruned[std::size_t(PruneRule::Objective)];
            for (std::size_t rule = 0; rule < kPruneRules; ++rule) {
                options.off = {PruneRule(rule)};
                const SearchResult without = searched(drawn.plan, drawn.space, options);
                QVERIFY2(sameAnswer(all, without), key(PruneRule(rule)).data());
                QCOMPARE(without.pruned[rule], 0);
            }
        }
    }
    QVERIFY(dropped > 10'000);
}

void TestSearch::spaceHoldsEveryLegalStrategy()
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
        SearchSpace space = defaultSpace();
        space.rankOrders = {Strategy{}.rankOrder};
        if (!experts)
            space.recomputedLayers = {0, 100, {}};
        space.firstStageFewer = {-1, 1, {}};
        space.lastStageFewer.only = {0, 1};
        std::set<std::vector<int>> expected;
        const auto numbers = [](const Strategy& s) {
            std::vector all{s.tp, s.cp, s.pp, s.dp, s.ep, s.etp, s.microBatch, s.vpp, int(s.schedule), s.zeroStage,
                s.zeroShards, int(s.sequenceParallel), int(s.recompute)};
            all.insert(all.end(), s.recomputedLayers.begin(), s.recomputedLayers.end());
            all.push_back(-1);
            all.insert(all.end(), s.stageLayers.begin(), s.stageLayers.end());
            return all;
        };
        Plan scratch = plan;
        Strategy& s = scratch.strategy;
        const auto tryShardings = [&] {
            const int replicas = s.dp * s.cp, ofExperts = experts ? s.tp / s.etp * replicas / s.ep : 1;
            for (s.zeroStage = 0; s.zeroStage <= 3; ++s.zeroStage) {
                for (const int shards : {0, 4}) { // all, and a node's
                    s.zeroShards = shards;
                    const bool shared = std::max(replicas, ofExperts) > 1;
                    if (shards > 0 && (s.zeroStage == 0 || shards >= std::max(replicas, ofExperts)))
                        continue;
                    if ((s.zeroStage == 0 || shared) && canSchedule(s.schedule, s.pp, s.vpp, microBatches(scratch))
                        && !hasErrors(check(scratch, {.remedies = false})) && notEstimable(scratch).empty())
                        expected.insert(numbers(s));
                }
            }
        };
        const auto tryPasses = [&] {
            for (const bool sequenceParallel : {false, true})
                for (const Recompute recompute : {Recompute::None, Recompute::Selective, Recompute::Full}) {
                    s.sequenceParallel = sequenceParallel;
                    s.recompute = recompute;
                    if (sequenceParallel && s.tp == 1)
                        continue;
                    tryShardings();
                    const std::vector<int> even = stageLayers(s, plan.model.layers);
                    for (const std::vector<int>& split : splitsBetween(plan.model.layers, s.pp, s.vpp)) {
                        const int first = even.front() - split.front(), last = even.back() - split.back();
                        if (s.pp == 1 || shape(s.schedule) != PipelineShape::Loop || std::abs(first) > 1 || last < 0
                            || last > 1 || (first == 0 && last == 0))
                            continue;
                        s.stageLayers = split;
                        tryShardings();
                        s.stageLayers.clear();
                    }
                    for (int count = 1; recompute == Recompute::Full && !experts && count < plan.model.layers;
                         ++count) {
                        const std::vector<int> held = stageLayers(s, plan.model.layers);
                        if (count >= *std::max_element(held.begin(), held.end()))
                            continue;
                        for (const int own : held)
                            s.recomputedLayers.push_back(std::min(own, count));
                        tryShardings();
                        s.recomputedLayers.clear();
                    }
                }
        };
        const auto tryPipelines = [&] {
            for (s.microBatch = 1; s.microBatch <= 8; ++s.microBatch) {
                if (microBatches(scratch) == 0)
                    continue;
                for (s.vpp = 1; s.vpp <= 4; ++s.vpp) {
                    for (int i = 0; !key(static_cast<Schedule>(i)).empty(); ++i) {
                        s.schedule = static_cast<Schedule>(i);
                        const bool twin =
                            s.vpp == 1 && (s.schedule == Schedule::Interleaved || s.schedule == Schedule::BreadthFirst);
                        const bool natural =
                            s.vpp == 1 || 4 % (s.vpp * s.pp) == 0 || 5 % (s.vpp * s.pp) == 0 || 6 % (s.vpp * s.pp) == 0;
                        if (!twin && natural && (s.pp > 1 || (s.schedule == Schedule::OneFOneB && s.vpp == 1)))
                            tryPasses();
                    }
                }
            }
        };
        for (s.tp = 1; s.tp <= 8; ++s.tp)
            for (s.cp = 1; s.cp <= 8; ++s.cp)
                for (s.pp = 1; s.pp <= 8; ++s.pp)
                    for (s.dp = 1; s.dp <= 8; ++s.dp)
                        for (s.etp = 1; s.etp <= (experts ? 8 : 1); ++s.etp)
                            for (s.ep = 1; s.ep <= (experts ? 4 : 1); ++s.ep)
                                if (rankCount(s) == 8)
                                    tryPipelines();
        std::set<std::vector<int>> found;
        PricingContext pricing(plan, shippedCatalog());
        const SpaceTree tree(plan, space, pricing.topology());
        eachLeaf(plan, tree, pricing,
            [&](const Strategy& leaf, const StepBounds&) { QVERIFY(found.insert(numbers(leaf)).second); });
        QVERIFY(expected.size() > 1000);
        QCOMPARE(std::int64_t(found.size()), tree.leaves());
        QVERIFY(found == expected);
    }
}

void TestSearch::sharesOfLoopsAreThoseOfTheirStages()
{
    RandomPlans random(11);
    for (int i = 0; i < 300; ++i) {
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
// In one piece: one arrangement, and all that is asked of it.
void TestSearch::unevenStagesTakeLess()
{
    Plan plan = fixtures::small();
    plan.model = fixtures::gpt(12, 1024, 8, 128'000, 4096);
    plan.cluster = fixtures::cluster(1, 4);
    plan.training.globalBatch = 32;
    SearchSpace space = defaultSpace();
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

void TestSearch::aNeighbourHasAnotherSplit()
{
    Plan plan = fixtures::small();
    plan.model = fixtures::gpt(12, 1024, 1, 4096,
        4097); // one head, sequences of odd length, a prime number of them: only the pipeline divides it
    plan.cluster = fixtures::cluster(1, 4);
    plan.training.globalBatch = 7;
    plan.training.sequenceLength = 4097;
    plan.strategy = {};
    plan.strategy.pp = 4;
    plan.strategy.stageLayers = {1, 1, 1, 9};
    const SearchOptions options{.mode = SearchMode::Simulated, .threads = 1};
    const auto nearest =
        why(plan, defaultSpace(), options, plan.strategy, plan.training.precision, std::nullopt).nearest;
    QVERIFY(nearest && nearest->found.strategy.stageLayers.empty());
    QCOMPARE(describe(nearest->changes), std::string("layers spread evenly"));
}

void TestSearch::threadsChangeNothing()
{
    RandomPlans random(7);
    for (int i = 0; i < 60; ++i) {
        const Drawn drawn = draw(random);
        SearchOptions options;
        const SearchResult one = searched(drawn.plan, drawn.space, options);
        for (const int threads : {2, 3, 8}) {
            options.threads = threads;
            const SearchResult many = searched(drawn.plan, drawn.space, options);
            QVERIFY(sameAnswer(one, many));
            QCOMPARE(many.evaluated, one.evaluated);
            QVERIFY(many.pruned == one.pruned);
        }
    }
    // Of a size that many rounds and every thread have a part in.
    const Plan plan = fixtures::gpt3();
    SearchSpace space = defaultSpace();
    space.vocabularyPlacements = {VocabularyPlacement::Ends, VocabularyPlacement::Vocab1};
    space.firstStageFewer = space.lastStageFewer = {-1, 1, {}};
    const SearchResult one = searched(plan, space, {});
    for (const int threads : {2, 5, 2, 5}) {
        const SearchResult many = searched(plan, space, {.threads = threads});
        QVERIFY(sameAnswer(one, many));
        QCOMPARE(many.evaluated, one.evaluated);
        QVERIFY(many.pruned == one.pruned);
    }
}

void TestSearch::bestIsTheEndOfTheFront()
{
    RandomPlans random(8);
    for (int i = 0; i < 200; ++i) {
        const Drawn drawn = draw(random);
        SearchOptions options;
        const SearchResult front = searched(drawn.plan, drawn.space, options);
        options.keep = FrontKind::Best;
        const SearchResult best = searched(drawn.plan, drawn.space, options);
        QVERIFY(best.best == front.best);
        QVERIFY(best.evaluated <= front.evaluated);
        std::vector<FoundStrategy> end;
        for (const FoundStrategy& one : front.front)
            if (one.value == front.best->value)
                end.push_back(one);
        QVERIFY(best.front == end);
    }
}

void TestSearch::stopsWithWhatItHas()
{
    const Plan plan = fixtures::gpt3();
    std::stop_source stop;
    int reports = 0;
    const SearchResult partial =
        search(plan, defaultSpace(), {.threads = 1}, stop.get_token(), [&](const SearchProgress& progress) {
            QVERIFY(progress.space == 0 || progress.decided <= progress.space);
            if (++reports == 5)
                stop.request_stop();
        });
    QVERIFY(!partial.proven);
    QVERIFY(partial.unvisited > 0);
    QCOMPARE(decided(partial) + partial.unvisited, partial.space);
    QVERIFY(partial.gap >= 0 && partial.gap <= 1);
    const SearchResult whole = search(plan, defaultSpace(), {.threads = 1});
    QVERIFY(whole.proven);
    QCOMPARE(whole.gap, 0);
    if (partial.best) // the gap says how much better the rest can be
        QVERIFY(whole.best->value >= partial.best->value * (1 - partial.gap) * (1 - kRounding));
    std::stop_source before;
    before.request_stop();
    const SearchResult nothing = search(plan, defaultSpace(), {.threads = 1}, before.get_token());
    QVERIFY(!nothing.proven && !nothing.best);
    QCOMPARE(nothing.evaluated, 0);
    for (const PruneRule rule :
        {PruneRule::DivisionBound, PruneRule::OutOfMemory}) // no division was opened, not even the usual ones
        QCOMPARE(nothing.pruned[static_cast<std::size_t>(rule)], 0);
}

// What a search in closed form has found before the simulated one is an answer, simulated; here before its divisions
// are counted. A division may have splits without number: neither laying it out nor what is known of its splits
// concludes anything once it is to stop.
void TestSearch::stopsWhileItLaysOut()
{
    Plan plan = fixtures::small();
    plan.model.layers = 120;
    SearchSpace space = defaultSpace();
    space.firstStageFewer = space.lastStageFewer = {-200, 200, {}};
    std::stop_source stop;
    stop.request_stop();
    const SearchResult before = search(plan, space, {.threads = 1}, stop.get_token());
    QVERIFY(!before.counted && !before.proven && !before.best && before.evaluated == 0);
    QCOMPARE(before.space, 0);
    std::stop_source later;
    const SearchResult some =
        search(plan, space, {.threads = 1}, later.get_token(), [&](const SearchProgress&) { later.request_stop(); });
    QVERIFY(!some.proven && some.unvisited > 0);
    QCOMPARE(decided(some) + some.unvisited, some.space);
}

void TestSearch::saysWhatItCannotUse()
{
    const Plan plan = fixtures::small(); // on 8 accelerators
    SearchSpace space = defaultSpace();
    space.zeroShards = {0, 5, 2, 8, 3, 16};
    QCOMPARE(searched(plan, space, {}).unusedShards, (std::vector{3, 5, 16}));
    space.zeroShards = {0, 4};
    QVERIFY(searched(plan, space, {}).unusedShards.empty());
    QVERIFY(searched(plan, defaultSpace(), {}).unusedShards.empty());
}

void TestSearch::simulatesWhatItHas()
{
    const Plan plan = fixtures::gpt3();
    for (const FrontKind keep : {FrontKind::Best, FrontKind::Whole}) {
        std::stop_source stop;
        const SearchOptions options{.mode = SearchMode::Simulated, .keep = keep, .threads = 1};
        const SearchResult partial =
            search(plan, *namedSpace("whole", plan), options, stop.get_token(), [&](const SearchProgress& progress) {
                QVERIFY(progress.preliminary || stop.stop_requested());
                if (progress.best)
                    stop.request_stop();
            });
        QVERIFY(!partial.proven && !partial.counted);
        QVERIFY(partial.best);
        Plan found = plan;
        found.strategy = partial.best->strategy;
        found.training.precision = partial.best->precision;
        const auto e = estimate(found, {.remedies = false, .range = false});
        QVERIFY(e && e->step == partial.best->step && e->fits);
    }
    QVERIFY(search(plan, defaultSpace(), {.threads = 1}).counted);
}

// A first answer does not wait for the divisions of fewer accelerators.
void TestSearch::answersBeforeTheSpaceIsCounted()
{
    const Plan plan = fixtures::gpt3();
    const SearchSpace space = *namedSpace("whole", plan);
    std::stop_source stop;
    std::int64_t counted = -1;
    const SearchResult partial = search(
        plan, space, {.keep = FrontKind::Best, .threads = 1}, stop.get_token(), [&](const SearchProgress& progress) {
            if (progress.best && counted < 0) {
                counted = progress.space;
                stop.request_stop();
            }
        });
    QCOMPARE(counted, 0);
    QVERIFY(partial.best && !partial.proven);
    QCOMPARE(partial.gap, 1.0);
    QCOMPARE(decided(partial) + partial.unvisited, partial.space);
}

void TestSearch::objectives()
{
    RandomPlans random(9);
    int fewer = 0;
    for (int i = 0; i < 150; ++i) {
        Drawn drawn = draw(random, 4000);
        drawn.space.leaveIdle = true;
        for (const Objective objective : {Objective::TokensPerCost, Objective::TokensPerEnergy, Objective::Robust,
                 Objective::SmallestCluster, Objective::Deadline}) {
            SearchOptions options;
            options.objective = objective;
            options.headroom = 0.1;
            if (objective == Objective::Deadline) {
                const SearchResult fastest = searched(drawn.plan, drawn.space, {});
                options.longestStep = fastest.best ? fastest.best->step * 1.5 : Seconds(1);
            }
            options.mode = i % 5 == 0 ? SearchMode::Simulated : SearchMode::ClosedForm;
            const SearchResult fast = searched(drawn.plan, drawn.space, options);
            const SearchResult whole = searched(drawn.plan, drawn.space, options, true);
            QVERIFY2(sameAnswer(fast, whole), key(objective).data());
            QCOMPARE(whole.evaluated, whole.space);
            const double capacity = smallestMemory(drawn.plan.cluster).value();
            for (const FoundStrategy& one : fast.front) {
                QVERIFY(one.peak.value() <= 0.9 * capacity);
                QVERIFY(objective != Objective::Deadline || one.step <= options.longestStep);
            }
            fewer += fast.best && rankCount(fast.best->strategy) < acceleratorCount(drawn.plan.cluster);
        }
    }
    QVERIFY(fewer > 100);
}

STRATOPLAN_TEST(TestSearch)
#include "test_search.moc"
