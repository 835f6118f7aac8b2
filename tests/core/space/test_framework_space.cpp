// SPDX-License-Identifier: GPL-3.0-or-later
// A space with a target framework against the same space filtered strategy by strategy: as sets, in its counts by rule,
// and in the answers of searches.
#include "core/cost/machine.h"
#include "core/narration/frameworks.h"
#include "core/narration/spaces.h"
#include "core/search/search.h"
#include "core/search/why.h"
#include "core/space/empty_space.h"
#include "core/space/space_tree.h"
#include "tests/core/random_count.h"
#include "tests/core/search/drawn_spaces.h"
#include "tests/registry.h"

#include <QTest>

#include <numeric>
#include <set>

using namespace stratoplan::catalog;
using namespace stratoplan::cluster;
using namespace stratoplan::cost;
using namespace stratoplan::model;
using namespace stratoplan::narration;
using namespace stratoplan::parallel;
using namespace stratoplan::plan;
using namespace stratoplan::search;
using namespace stratoplan::space;
using namespace stratoplan::searchtest;
using namespace stratoplan::test;

namespace {

constexpr std::array kReal{TargetFramework::MegatronCore, TargetFramework::DeepSpeed, TargetFramework::TorchTitan};

struct Before {
    bool operator()(const Strategy& a, const Strategy& b) const
    {
        return comesBefore({a, Precision::Bf16, 0, {}, {}}, {b, Precision::Bf16, 0, {}, {}});
    }
};
using Strategies = std::set<Strategy, Before>;

/// Every strategy of a space, one by one.
template <class Visit>
void eachStrategy(const Plan& plan, const SpaceTree& tree, Visit visit)
{
    for (const Division& division : tree.divisions()) {
        for (const ExpertPick experts : tree.experts(division)) {
            const Degrees degrees = tree.degrees(division, experts);
            for (const int size : tree.microBatches(division)) {
                const int microBatches = plan.training.globalBatch / division.dp / size;
                for (const PassPick& pass : degrees.passes) {
                    for (std::int64_t i = 0; i < tree.splitPipelines(division.pp, microBatches, pass.kind()); ++i) {
                        for (const int count : pass.firstLayers ? tree.firstLayers(division.pp) : std::vector{0}) {
                            Strategy s = degrees.strategy;
                            s.microBatch = size;
                            tree.splitPipeline(division.pp, microBatches, pass.kind(), i).applyTo(s);
                            pass.applyTo(s);
                            if (count > 0)
                                recomputeFirst(s, tree.layers(), count);
                            for (const RankOrder& order : degrees.orders) {
                                for (const ShardingPick& sharding : degrees.shardings) {
                                    s.rankOrder = order;
                                    s.zeroStage = sharding.stage;
                                    s.zeroShards = sharding.shards;
                                    visit(s);
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

Strategies strategiesOf(const Plan& plan, const SpaceTree& tree)
{
    Strategies all;
    eachStrategy(plan, tree, [&](const Strategy& s) { all.insert(s); });
    return all;
}

} // namespace

class TestFrameworkSpace : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void isTheFilteredSpace();
    void prunedIsExhaustive();
    void precisionsThatItLacksAreCounted();
    void saysWhatLeavesNothing();
    void saysWhyAStrategyIsOut();
};

// In one piece: one filter gives both the strategies and the counts that the tree is held against.
void TestFrameworkSpace::isTheFilteredSpace()
{
    RandomPlans random(21);
    std::array<std::array<std::int64_t, kFrameworkRules>, kReal.size()> all{};
    std::int64_t left = 0;
    for (int i = 0; i < (drawsRareOnes() ? 120 : fewerSanitized(120)); ++i) { // until every rule has taken some
        Drawn drawn = draw(random, 20'000);
        if (i % 2 == 0) // more often than drawn
            drawn.space.contextMethods = {ContextMethod::Ring, ContextMethod::AllGather, ContextMethod::Ulysses};
        if (i % 4 == 0 && !drawn.plan.model.dsa)
            drawn.plan.model.slidingWindow = 128;
        const Topology topology = machine(drawn.plan, shippedCatalog()).topology;
        const SpaceTree free(drawn.plan, drawn.space, topology);
        QCOMPARE(std::accumulate(free.taken().begin(), free.taken().end(), std::int64_t{0}), 0);
        if (free.leaves() > 100'000)
            continue;
        for (std::size_t f = 0; f < kReal.size(); ++f) {
            Strategies expected;
            FrameworkCounts taken{};
            Plan scratch = drawn.plan;
            eachStrategy(drawn.plan, free, [&](const Strategy& s) {
                scratch.strategy = s;
                const auto broken = objections(scratch, kReal[f]);
                const auto ofStrategy = std::find_if(
                    broken.begin(), broken.end(), [](const auto& one) { return scope(one.rule) != RuleScope::Recipe; });
                if (ofStrategy == broken.end())
                    expected.insert(s);
                else
                    ++taken[std::size_t(ofStrategy->rule)];
            });
            SearchSpace space = drawn.space;
            space.framework = kReal[f];
            const SpaceTree tree(drawn.plan, space, topology);
            QCOMPARE(tree.leaves(), std::int64_t(expected.size()));
            QVERIFY2(strategiesOf(drawn.plan, tree) == expected, qPrintable(QString::number(i)));
            for (std::size_t rule = 0; rule < kFrameworkRules; ++rule) {
                QVERIFY2(tree.taken()[rule] == taken[rule],
                    qPrintable(QString("%1 of %2: %3, not %4")
                                   .arg(key(FrameworkRule(rule)).data(), title(kReal[f]).data())
                                   .arg(tree.taken()[rule])
                                   .arg(taken[rule])));
                all[f][rule] += taken[rule];
            }
            left += tree.leaves();
        }
    }
    QVERIFY(left > fewerSanitized(10'000));
    for (std::size_t f = 0; f < kReal.size() && drawsRareOnes(); ++f)
        for (std::size_t rule = 0; rule < kFrameworkRules; ++rule) {
            const RuleScope of = scope(FrameworkRule(rule));
            const bool inSpaces = of != RuleScope::Stages && of != RuleScope::Recipe
                && !(kReal[f] == TargetFramework::MegatronCore
                    && FrameworkRule(rule) == FrameworkRule::RecomputedLayers); // spaces give all stages one number
            if (inSpaces && !limit(kReal[f], FrameworkRule(rule)).limit.empty())
                QVERIFY2(all[f][rule] > 0,
                    qPrintable(QString("%1 of %2").arg(key(FrameworkRule(rule)).data(), title(kReal[f]).data())));
        }
}

void TestFrameworkSpace::prunedIsExhaustive()
{
    RandomPlans random(22);
    std::int64_t found = 0;
    for (int i = 0; i < fewerSanitized(200); ++i) {
        Drawn drawn = draw(random, 4000);
        drawn.space.framework = kReal[std::size_t(i) % kReal.size()];
        SearchOptions options;
        options.threads = 1;
        options.mode = i % 4 == 0 ? SearchMode::Simulated : SearchMode::ClosedForm;
        const SearchResult fast = search(drawn.plan, drawn.space, options);
        options.exhaustive = true;
        const SearchResult whole = search(drawn.plan, drawn.space, options);
        QVERIFY(fast.proven && whole.proven && fast.front == whole.front && fast.best == whole.best
            && fast.taken == whole.taken);
        QCOMPARE(fast.space, whole.evaluated);
        Plan scratch = drawn.plan;
        for (const FoundStrategy& one : fast.front) {
            scratch.strategy = one.strategy;
            QVERIFY(objections(scratch, drawn.space.framework).empty());
            ++found;
        }
    }
    QVERIFY(found > fewerSanitized(200));
}

void TestFrameworkSpace::precisionsThatItLacksAreCounted()
{
    Plan plan = fixtures::small();
    plan.training.precision = Precision::Fp32;
    SearchSpace space = fixtures::megatronSpace();
    space.rankOrders = {Strategy{}.rankOrder};
    space.precisions = {Precision::Fp32, Precision::Fp16};
    const SearchResult any = search(plan, space, {.threads = 1});
    space.framework = TargetFramework::TorchTitan;
    const SearchResult titan = search(plan, space, {.threads = 1});
    QCOMPARE(titan.taken[std::size_t(FrameworkRule::Precision)], any.space / 2);
    QCOMPARE(titan.space + std::accumulate(titan.taken.begin(), titan.taken.end(), std::int64_t{0}), any.space);
    QVERIFY(titan.best && titan.best->precision == Precision::Fp32);
    space.precisions = {Precision::Fp16};
    const SearchResult none = search(plan, space, {.threads = 1});
    QVERIFY(none.proven && none.counted && none.space == 0 && !none.best);
    // What is against both precisions is counted under its own name, once for each that it has.
    space.precisions = {Precision::Fp32, Precision::Bf16};
    plan.training.optimizer = Optimizer::Sgd;
    const SearchResult sgd = search(plan, space, {.threads = 1});
    QCOMPARE(sgd.taken[std::size_t(FrameworkRule::Optimizer)], any.space);
    QCOMPARE(sgd.taken[std::size_t(FrameworkRule::Precision)], 0);
    QCOMPARE(std::accumulate(sgd.taken.begin(), sgd.taken.end(), std::int64_t{0}), any.space);
}

void TestFrameworkSpace::saysWhatLeavesNothing()
{
    Plan plan = fixtures::small();
    SearchSpace space = fixtures::megatronSpace();
    space.pp.only = {2, 4};
    space.schedules = {Schedule::GPipe};
    space.framework = TargetFramework::MegatronCore;
    const auto reasons = whyEmpty(plan, space, {});
    const auto of = [&](const char* dimension) {
        const auto found = std::find_if(
            reasons.begin(), reasons.end(), [&](const EmptyReason& one) { return describe(one).part == dimension; });
        return found == reasons.end() ? std::string() : describe(*found).reason;
    };
    QCOMPARE(of("framework"), "Megatron-Core 0.20 runs 1F1B and interleaving alone");
    QVERIFY(!of("schedule").empty());
    QVERIFY(!of("pipeline parallelism").empty());
    plan.training.precision = Precision::Fp16;
    space.framework = TargetFramework::TorchTitan;
    const auto ofPrecision = whyEmpty(plan, space, {});
    QCOMPARE(ofPrecision.size(), std::size_t(1));
    QCOMPARE(describe(ofPrecision.front()).part, "framework");
    QCOMPARE(describe(ofPrecision.front()).reason,
        "Precision fp16: torchtitan 0.2 trains in FP32, BF16, FP8 or MXFP8; use bf16.");
    plan.training.optimizer = Optimizer::Sgd; // which no other precision mends
    space.precisions = {Precision::Fp16, Precision::Bf16};
    const auto ofOptimizer = whyEmpty(plan, space, {});
    QCOMPARE(ofOptimizer.size(), std::size_t(1));
    QCOMPARE(describe(ofOptimizer.front()).reason,
        "The optimizer SGD: torchtitan 0.2 trains with Adam and AdamW alone; use adam.");
}

void TestFrameworkSpace::saysWhyAStrategyIsOut()
{
    Plan plan = fixtures::small();
    SearchSpace space = fixtures::megatronSpace();
    space.framework = TargetFramework::DeepSpeed;
    const SearchOptions options{.mode = SearchMode::Simulated, .threads = 1};
    const SearchResult result = search(plan, space, options);
    Strategy asked;
    asked.pp = 2;
    asked.dp = 4;
    asked.zeroStage = 2;
    const Why told = why(plan, space, options, asked, plan.training.precision, result.best);
    QCOMPARE(told.binding, Binding::Framework);
    QCOMPARE(told.objections.size(), std::size_t(1));
    QCOMPARE(describe(told.objections.front()),
        "ZeRO-2 with TP 1, CP 1 and PP 2: DeepSpeed 0.19 runs pipelines with ZeRO-0 and 1 alone; use ZeRO-1, or PP 1.");
    QVERIFY(told.nearest);
    Plan nearest = plan;
    nearest.strategy = told.nearest->found.strategy;
    QVERIFY(objections(nearest, space.framework).empty());
    asked.tp = asked.dp = 2;
    asked.sequenceParallel = true; // two rules are broken, and no one change mends both: one after the other leads out
    const Why both = why(plan, space, options, asked, plan.training.precision, result.best);
    QCOMPARE(both.objections.size(), std::size_t(2));
    QVERIFY(both.nearest && both.nearest->changes.size() >= 2);
    nearest.strategy = both.nearest->found.strategy;
    QVERIFY(objections(nearest, space.framework).empty());
    asked.sequenceParallel = false;
    asked.tp = 1;
    asked.dp = 4;
    asked.zeroStage = 1;
    QVERIFY(why(plan, space, options, asked, plan.training.precision, result.best).binding != Binding::Framework);
}

STRATOPLAN_TEST(TestFrameworkSpace)
#include "test_framework_space.moc"
