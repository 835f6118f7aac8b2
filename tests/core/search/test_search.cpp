// SPDX-License-Identifier: GPL-3.0-or-later
// The exact search against pricing everything: value, optimal strategies and front, element by element, on thousands of
// random plans; no rule and no number of threads changes an answer; and what is known when it is stopped.
#include "core/estimate/estimate.h"
#include "core/narration/spaces.h"
#include "core/search/search.h"
#include "core/search/why.h"
#include "tests/core/random_count.h"
#include "tests/core/search/drawn_spaces.h"
#include "tests/registry.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

using namespace stratoplan::cluster;
using namespace stratoplan::estimate;
using namespace stratoplan::model;
using namespace stratoplan::narration;
using namespace stratoplan::parallel;
using namespace stratoplan::plan;
using namespace stratoplan::search;
using namespace stratoplan::units;
using namespace stratoplan::searchtest;
using namespace stratoplan::test;

namespace {

std::int64_t decided(const SearchResult& result)
{
    return std::accumulate(result.pruned.begin(), result.pruned.end(), result.evaluated);
}

bool sameAnswer(const SearchResult& a, const SearchResult& b)
{
    return a.front == b.front && a.best == b.best && a.space == b.space && a.proven && b.proven;
}

constexpr int kPlans = fewerSanitized(2000);

} // namespace

class TestSearch : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void prunedIsExhaustive();
    void streamedGradientsAreExhaustive();
    void narrowAttentionIsExhaustive();
    void simulatedIsExhaustive();
    void noRuleChangesTheAnswer();
    void noRuleChangesAnyObjective();
    void aNeighbourHasAnotherSplit();
    void threadsChangeNothing();
    void bestIsTheEndOfTheFront();
    void fewMicroBatchesOfManyChunks();
    void stopsWithWhatItHas();
    void stopsWhileItLaysOut();
    void saysWhatItCannotUse();
    void simulatesWhatItHas();
    void sparseAttentionIsExhaustive();
    void hybridsAreExhaustive();
    void answersBeforeTheSpaceIsCounted();
    void objectives();
};

void TestSearch::prunedIsExhaustive()
{
    RandomPlans random(1);
    random.divideOneIn(4);
    std::int64_t fits = 0;
    std::int64_t pruned = 0;
    std::int64_t uneven = 0;
    std::int64_t divided = 0, besideContext = 0;
    for (int i = 0; i < kPlans; ++i) {
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
        const auto divides = [](const FoundStrategy& found) {
            return found.strategy.tensorPartition == TensorPartition::SpatialTemporal;
        };
        divided += std::ranges::any_of(whole.front, divides);
        besideContext += std::ranges::any_of(
            whole.front, [&](const FoundStrategy& found) { return divides(found) && found.strategy.cp > 1; });
    }
    QVERIFY(fits > kPlans / 2 && fits < kPlans); // some plans fit nowhere
    QVERIFY(pruned > kPlans * 19 / 20);
    QVERIFY(uneven > kPlans / 20 || !drawsRareOnes());
    QVERIFY(divided > kPlans / 20);
    QVERIFY2(besideContext > kPlans / 200, qPrintable(QString::number(besideContext)));
}

/// Work that tensor parallelism does not divide, beside latent attention, and context parallelism by one method.
void TestSearch::sparseAttentionIsExhaustive()
{
    RandomPlans random(7);
    int divided = 0, context = 0;
    for (int i = 0; i < 60; ++i) {
        Drawn drawn = draw(random, 3000);
        stratoplan::model::Transformer& m = drawn.plan.model;
        m.mla = stratoplan::model::LatentAttention{
            .queryRank = 256, .kvRank = 128, .ropeHeadDim = 32, .nopeHeadDim = 64, .valueHeadDim = 64};
        m.dsa = stratoplan::model::SparseAttention{.indexHeads = 8, .indexHeadDim = 64, .topK = 256};
        m.slidingWindow.reset();
        drawn.plan.training.attention = AttentionKernel::Flash;
        drawn.plan.strategy.contextMethod = ContextMethod::AllGather;
        drawn.space.tensorPartitions = {TensorPartition::Megatron};
        const SearchResult fast = searched(drawn.plan, drawn.space, {});
        const SearchResult whole = searched(drawn.plan, drawn.space, {}, true);
        QVERIFY2(sameAnswer(fast, whole), qPrintable(QString::number(i)));
        for (const FoundStrategy& found : whole.front) {
            divided += found.strategy.tp > 1;
            context += found.strategy.cp > 1;
            QVERIFY(found.strategy.cp == 1 || found.strategy.contextMethod == ContextMethod::AllGather);
        }
    }
    QVERIFY(divided > 0 && context > 0);
}

/// Layers that do not all have the same modules, with and without experts.
void TestSearch::hybridsAreExhaustive()
{
    RandomPlans random(11);
    int divided = 0, context = 0, experts = 0;
    for (int i = 0; i < 60; ++i) {
        Drawn drawn = draw(random, 3000);
        stratoplan::model::Transformer& m = drawn.plan.model;
        const bool alike = i % 2 == 0;
        m.multiTokenPredictionDepth = 0;
        m.mamba2 = stratoplan::model::Mamba2{
            .layers = m.layers / 2, .ffnLayers = {}, .heads = i % 3 == 0 ? 24 : 16, .groups = i % 5 == 0 ? 2 : 8};
        if (!alike)
            m.mamba2->ffnLayers = m.layers / 4;
        if (m.moe && !alike) {
            m.moe->leadingDenseLayers = 0;
            m.moe->layerInterval = 1;
        }
        drawn.space.tensorPartitions = {TensorPartition::Megatron};
        const SearchResult fast = searched(drawn.plan, drawn.space, {});
        const SearchResult whole = searched(drawn.plan, drawn.space, {}, true);
        QVERIFY2(sameAnswer(fast, whole), qPrintable(QString::number(i)));
        for (const FoundStrategy& found : whole.front) {
            divided += found.strategy.tp > 1;
            context += found.strategy.cp > 1;
            experts += found.strategy.ep > 1;
        }
    }
    QVERIFY(divided > 0 && context > 0 && experts > 0);
}

/// Gradients on their way to a host hide behind passes that take longer: a longer layer may cost nothing.
void TestSearch::streamedGradientsAreExhaustive()
{
    RandomPlans random(11);
    random.divideOneIn(1);
    const int plans = fewerSanitized(400);
    std::int64_t waits = 0;
    for (int i = 0; i < plans; ++i) {
        Drawn drawn = draw(random, 3000);
        NodeGroup& node = drawn.plan.cluster.nodes.front();
        node.hostMemory = Bytes(4096 * kGiB);
        node.hostMemoryBandwidth = BytesPerSecond(1e12);
        node.hostLink = BytesPerSecond(1e9 * std::exp2(i % 6)); // gradients outlast their passes, or nearly do not
        drawn.plan.training.software.offloadStreamsGradients = true;
        drawn.plan.training.software.dpOverlap = i % 2 == 0 ? 0 : 0.5;
        drawn.space.offloads = {Offload::Optimizer};
        drawn.space.zeroStages = {0, 2};
        const SearchResult fast = searched(drawn.plan, drawn.space, {});
        QVERIFY2(sameAnswer(fast, searched(drawn.plan, drawn.space, {}, true)), qPrintable(QString::number(i)));
        if (!fast.best)
            continue;
        Plan plan = drawn.plan;
        plan.strategy = fast.best->strategy;
        const double step = estimate(plan, {.remedies = false, .range = false})->step.value();
        plan.training.software.offloadStreamsGradients = false;
        waits += step > estimate(plan, {.remedies = false, .range = false})->step.value() * 1.01;
    }
    QVERIFY2(waits > plans / 20, qPrintable(QString::number(waits)));
}

/// Context ranks exchange half as much one way, and hold unlike blocks; casts are repeated with what they feed.
void TestSearch::narrowAttentionIsExhaustive()
{
    RandomPlans random(31);
    random.divideOneIn(2);
    int found = 0, context = 0, rings = 0;
    for (int i = 0; i < fewerSanitized(300); ++i) {
        Drawn drawn = draw(random, 3000);
        Plan& plan = drawn.plan;
        plan.training.attention = AttentionKernel::FlashFp8;
        plan.training.precision = Precision::Fp8;
        drawn.space.precisions.clear();
        for (NodeGroup& node : plan.cluster.nodes) {
            for (const Precision p : {Precision::Fp8, Precision::Mxfp8})
                node.accelerator.peak[p] = node.accelerator.peak[Precision::Bf16] * 2;
            node.accelerator.exponentials = FlopsPerSecond(2.4e12);
        }
        plan.model.slidingWindow.reset();
        plan.training.documentLength.reset();
        if (hasErrors(check(plan, {.remedies = false})))
            continue;
        const SearchResult whole = searched(plan, drawn.space, {}, true);
        QVERIFY2(sameAnswer(searched(plan, drawn.space, {}), whole), qPrintable(QString::number(i)));
        found += !whole.front.empty();
        context += std::ranges::any_of(whole.front, [](const FoundStrategy& one) { return one.strategy.cp > 1; });
        rings += std::ranges::any_of(whole.front, [](const FoundStrategy& one) {
            return one.strategy.cp > 1 && one.strategy.contextMethod == ContextMethod::Ring;
        });
    }
    QVERIFY2(found > fewerSanitized(60), qPrintable(QString::number(found)));
    QVERIFY2((context > fewerSanitized(20) && rings > fewerSanitized(5)) || !drawsRareOnes(),
        qPrintable(QString("%1 %2").arg(context).arg(rings)));
}

void TestSearch::simulatedIsExhaustive()
{
    RandomPlans random(2);
    random.divideOneIn(8);
    SearchOptions options;
    options.mode = SearchMode::Simulated;
    for (int i = 0; i < kPlans; ++i) {
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

void TestSearch::noRuleChangesTheAnswer()
{
    RandomPlans random(5);
    std::int64_t withAll = 0;
    std::array<std::int64_t, kPruneRules> priced{};
    for (int i = 0; i < fewerSanitized(200); ++i) {
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

void TestSearch::noRuleChangesAnyObjective()
{
    RandomPlans random(15);
    std::int64_t dropped = 0;
    for (int i = 0; i < fewerSanitized(60); ++i) {
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
    QVERIFY(dropped > fewerSanitized(10'000));
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
        why(plan, fixtures::megatronSpace(), options, plan.strategy, plan.training.precision, std::nullopt).nearest;
    QVERIFY(nearest && nearest->found.strategy.stageLayers.empty());
    QCOMPARE(describe(nearest->changes), std::string("layers spread evenly"));
}

void TestSearch::threadsChangeNothing()
{
    RandomPlans random(7);
    for (int i = 0; i < fewerSanitized(60); ++i) {
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
    SearchSpace space = fixtures::megatronSpace();
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
    for (int i = 0; i < fewerSanitized(200); ++i) {
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
        search(plan, fixtures::megatronSpace(), {.threads = 1}, stop.get_token(), [&](const SearchProgress& progress) {
            QVERIFY(progress.space == 0 || progress.decided <= progress.space);
            if (++reports == 5)
                stop.request_stop();
        });
    QVERIFY(!partial.proven);
    QVERIFY(partial.unvisited > 0);
    QCOMPARE(decided(partial) + partial.unvisited, partial.space);
    QVERIFY(partial.gap >= 0 && partial.gap <= 1);
    const SearchResult whole = search(plan, fixtures::megatronSpace(), {.threads = 1});
    QVERIFY(whole.proven);
    QCOMPARE(whole.gap, 0);
    if (partial.best) // the gap says how much better the rest can be
        QVERIFY(whole.best->value >= partial.best->value * (1 - partial.gap) * (1 - kRounding));
    std::stop_source before;
    before.request_stop();
    const SearchResult nothing = search(plan, fixtures::megatronSpace(), {.threads = 1}, before.get_token());
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
    SearchSpace space = fixtures::megatronSpace();
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
    SearchSpace space = fixtures::megatronSpace();
    space.zeroShards = {0, 5, 2, 8, 3, 16};
    QCOMPARE(searched(plan, space, {}).unusedShards, (std::vector{3, 5, 16}));
    space.zeroShards = {0, 4};
    QVERIFY(searched(plan, space, {}).unusedShards.empty());
    QVERIFY(searched(plan, fixtures::megatronSpace(), {}).unusedShards.empty());
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
    QVERIFY(search(plan, fixtures::megatronSpace(), {.threads = 1}).counted);
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

/// Where rounds of other chunks hide most of what is reduced, and there are fewer micro-batches than stages: what
/// layers repeat hides no more than it takes.
void TestSearch::fewMicroBatchesOfManyChunks()
{
    const stratoplan::catalog::Catalog& catalog = stratoplan::catalog::shippedCatalog();
    Plan plan;
    plan.model = catalog.model("gpt3-1.3b")->model;
    plan.cluster = catalog.cluster("aws-p3-64")->cluster;
    plan.training.precision = Precision::Fp16;
    plan.training.attention = AttentionKernel::Unfused;
    plan.strategy.pp = plan.strategy.dp = 8;
    SearchSpace space;
    space.tp.only = space.microBatch.only = {1, 2};
    space.cp = IntChoice::just(1);
    space.pp = {2, 16, {}};
    space.zeroStages = {0, 1};
    space.recomputes = {Recompute::Full};
    space.recomputedLayers = {1, 12, {}};
    space.schedules = {Schedule::BreadthFirst};
    space.evenLayers = true;
    space.rankOrders = {{Axis::Tp, Axis::Cp, Axis::Ep, Axis::Pp, Axis::Dp}};
    int few = 0;
    for (const char* software : {"torchtitan", "megatron-core-2025", "megatron-core-2024"})
        for (const int batch : {8, 16, 24, 32}) {
            plan.training.software = *catalog.softwareProfile(software);
            plan.training.globalBatch = batch;
            plan.training.sequenceLength = batch == 16 ? 1024 : 512;
            const SearchResult fast = searched(plan, space, {});
            QVERIFY2(sameAnswer(fast, searched(plan, space, {}, true)), software);
            few += fast.best && fast.best->strategy.vpp > 1;
        }
    QVERIFY2(few > 3, qPrintable(QString::number(few)));
}

void TestSearch::objectives()
{
    RandomPlans random(9);
    int fewer = 0;
    for (int i = 0; i < fewerSanitized(150); ++i) {
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
    QVERIFY(fewer > fewerSanitized(100));
}

STRATOPLAN_TEST(TestSearch)
#include "test_search.moc"
