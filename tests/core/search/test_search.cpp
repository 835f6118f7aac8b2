// SPDX-License-Identifier: GPL-3.0-or-later
// The exact search against pricing everything: value, optimal strategies and front, element by element, on thousands of random
// plans; every bound below every leaf under it; no rule and no number of threads changes an answer.
#include "core/estimate/estimate.h"
#include "core/estimate/strategy_pricer.h"
#include "core/search/search.h"
#include "core/search/space_tree.h"
#include "tests/core/search/random_plans.h"

#include <QTest>

#include <numeric>

using namespace stratoplan;
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

/// Visits every strategy of the tree with the bounds of its path.
template <class Visit>
void eachLeaf(const SpaceTree& tree, StrategyPricer& pricer, Visit visit)
{
    static const GroupSpans nowhere;
    for (const Division& division : tree.divisions()) {
        Strategy s = division.degrees->strategy;
        s.microBatch = division.microBatch;
        pricer.choose(s, nowhere);
        const double divisionStep = pricer.divisionStep().value();
        const double divisionPeak = pricer.divisionPeak(division.leastInFlight).value();
        for (const PassPick pass : division.degrees->passes) {
            s.sequenceParallel = pass.sequenceParallel;
            s.recompute = pass.recompute;
            for (const PlacementPick& placement : division.degrees->placements) {
                s.rankOrder = placement.rankOrder;
                for (const PipelinePick& pipeline : *division.pipelines) {
                    s.schedule = pipeline.schedule;
                    s.vpp = pipeline.vpp;
                    s.zeroStage = s.zeroShards = 0;
                    pricer.choose(s, placement.groups.front());
                    const double bounds[] = {divisionStep, pricer.microBatchStep().value(), pricer.pipelineStep().value()};
                    for (const ShardingPick& sharding : division.degrees->shardings) {
                        s.zeroStage = sharding.stage;
                        s.zeroShards = sharding.shards;
                        visit(s, bounds, divisionPeak);
                    }
                }
            }
        }
    }
}

/// Points of a front by comparing all with all.
std::vector<std::pair<double, double>> naiveFront(const std::vector<std::pair<double, double>>& points)
{
    std::vector<std::pair<double, double>> front;
    for (const auto& [step, peak] : points) {
        const bool beaten = std::any_of(points.begin(), points.end(), [&](const auto& other) {
            return other.first <= step && other.second <= peak && (other.first < step || other.second < peak);
        });
        if (!beaten)
            front.emplace_back(step, peak);
    }
    std::sort(front.begin(), front.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
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
        const StrategyPricer pricer(drawn.plan);
        const std::int64_t leaves = SpaceTree(drawn.plan, drawn.space, pricer.topology()).leaves();
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
    void mergedRankOrdersArePricedAlike();
    void threadsChangeNothing();
    void bestIsTheEndOfTheFront();
    void stopsWithWhatItHas();
    void objectives();
};

void TestSearch::prunedIsExhaustive()
{
    RandomPlans random(1);
    std::int64_t fits = 0;
    std::int64_t pruned = 0;
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
    }
    QVERIFY(fits > 1000 && fits < 2000); // some plans fit nowhere
    QVERIFY(pruned > 1900);
}

void TestSearch::simulatedIsExhaustive()
{
    RandomPlans random(2);
    SearchOptions options;
    options.mode = SearchMode::Simulated;
    for (int i = 0; i < 300; ++i) {
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

void TestSearch::boundsHold()
{
    RandomPlans random(3);
    std::int64_t leaves = 0;
    for (int i = 0; i < 300; ++i) {
        const Drawn drawn = draw(random, 4000);
        StrategyPricer bounds(drawn.plan);
        StrategyPricer leaf(drawn.plan);
        const SpaceTree tree(drawn.plan, drawn.space, leaf.topology());
        std::int64_t visited = 0;
        Plan scratch = drawn.plan;
        eachLeaf(tree, bounds, [&](const Strategy& s, const double (&steps)[3], double peak) {
            ++visited;
            const auto closed = leaf.price(s, PipelineTime::ClosedForm);
            QVERIFY(closed);
            for (const double step : steps)
                QVERIFY2(step * (1 - kRounding) <= closed->step.value(), qPrintable(QString("%1 > %2").arg(step, 0, 'g', 17).arg(closed->step.value(), 0, 'g', 17)));
            QVERIFY2(peak * (1 - kRounding) <= closed->peak.value(), qPrintable(QString("%1 > %2").arg(peak).arg(closed->peak.value())));
            if (visited % 16 == 0) {
                QVERIFY(closed->step <= leaf.price(s, PipelineTime::Simulated)->step);
                scratch.strategy = s;
                QVERIFY(!hasErrors(check(scratch, {.remedies = false})));
            }
        });
        QCOMPARE(visited, tree.leaves());
        leaves += visited;
    }
    QVERIFY(leaves > 100'000);
}

void TestSearch::frontIsTheNaiveFront()
{
    RandomPlans random(4);
    for (int i = 0; i < 60; ++i) {
        const Drawn drawn = draw(random, 2000);
        StrategyPricer bounds(drawn.plan);
        StrategyPricer leaf(drawn.plan);
        std::vector<std::pair<double, double>> points;
        eachLeaf(SpaceTree(drawn.plan, drawn.space, leaf.topology()), bounds, [&](const Strategy& s, const double (&)[3], double) {
            if (const auto price = leaf.price(s, PipelineTime::ClosedForm); price->fits)
                points.emplace_back(price->step.value(), price->peak.value());
        });
        std::vector<std::pair<double, double>> found;
        for (const FoundStrategy& one : searched(drawn.plan, drawn.space, {}).front)
            found.emplace_back(one.step.value(), one.peak.value());
        QCOMPARE(found, naiveFront(points));
    }
}

void TestSearch::noRuleChangesTheAnswer()
{
    RandomPlans random(5);
    for (int i = 0; i < 200; ++i) {
        const Drawn drawn = draw(random, 4000);
        for (const SearchMode mode : {SearchMode::ClosedForm, SearchMode::Simulated}) {
            if (mode == SearchMode::Simulated && i % 10 != 0)
                continue;
            SearchOptions options;
            options.mode = mode;
            const SearchResult all = searched(drawn.plan, drawn.space, options);
            for (std::size_t rule = 0; rule < kPruneRules; ++rule) {
                options.off = {PruneRule(rule)};
                const SearchResult without = searched(drawn.plan, drawn.space, options);
                QVERIFY2(sameAnswer(all, without), key(PruneRule(rule)).data());
                QCOMPARE(without.pruned[rule], 0);
                QVERIFY(without.evaluated >= all.evaluated || mode == SearchMode::Simulated);
            }
        }
    }
}

// All 120 rank orders by themselves give the points of the classes.
void TestSearch::mergedRankOrdersArePricedAlike()
{
    RandomPlans random(6);
    for (int i = 0; i < 40; ++i) {
        const Drawn drawn = draw(random, 1000);
        SearchOptions options;
        const SearchResult merged = searched(drawn.plan, drawn.space, options);
        options.mergeRankOrders = false;
        const SearchResult all = searched(drawn.plan, drawn.space, options, true);
        const auto points = [](const SearchResult& result) {
            std::vector<std::pair<double, double>> values;
            for (const FoundStrategy& one : result.front)
                values.emplace_back(one.step.value(), one.peak.value());
            values.erase(std::unique(values.begin(), values.end()), values.end());
            return values;
        };
        QCOMPARE(points(all), points(merged));
        QVERIFY(all.space >= merged.space);
    }
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
    const SearchResult partial = search(plan, defaultSpace(), {.threads = 1}, stop.get_token(), [&](const SearchProgress& progress) {
        QVERIFY(progress.decided <= progress.space);
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
}

void TestSearch::objectives()
{
    RandomPlans random(9);
    int fewer = 0;
    for (int i = 0; i < 150; ++i) {
        Drawn drawn = draw(random, 4000);
        drawn.space.leaveIdle = true;
        for (const Objective objective : {Objective::TokensPerCost, Objective::TokensPerEnergy, Objective::Robust, Objective::SmallestCluster, Objective::Deadline}) {
            SearchOptions options;
            options.objective = objective;
            options.headroom = 0.1;
            if (objective == Objective::Deadline) {
                const SearchResult fastest = searched(drawn.plan, drawn.space, {});
                options.longestStep = fastest.best ? fastest.best->step * 1.5 : Seconds(1);
            }
            const SearchResult fast = searched(drawn.plan, drawn.space, options);
            const SearchResult whole = searched(drawn.plan, drawn.space, options, true);
            QVERIFY2(sameAnswer(fast, whole), key(objective).data());
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

QTEST_APPLESS_MAIN(TestSearch)
#include "test_search.moc"
