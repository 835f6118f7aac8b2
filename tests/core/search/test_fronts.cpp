// SPDX-License-Identifier: GPL-3.0-or-later
// The front of step, peak memory and accelerators, and those of any two measures, against pricing everything and
// comparing all with all.
#include "core/cost/machine.h"
#include "core/search/pair_fronts.h"
#include "core/search/search.h"
#include "core/space/space_tree.h"
#include "tests/core/random_count.h"
#include "tests/core/search/random_plans.h"
#include "tests/registry.h"

#include <QTest>

#include <algorithm>
#include <set>

using namespace stratoplan::catalog;
using namespace stratoplan::cluster;
using namespace stratoplan::cost;
using namespace stratoplan::parallel;
using namespace stratoplan::plan;
using namespace stratoplan::search;
using namespace stratoplan::space;
using namespace stratoplan::units;
using namespace stratoplan::searchtest;
using namespace stratoplan::test;

namespace {

struct Drawn {
    Plan plan;
    SearchSpace space;
};

/// Of several nodes, some of which may stay idle.
Drawn draw(RandomPlans& random, std::int64_t most)
{
    for (;;) {
        Drawn drawn{random.plan(), {}};
        drawn.space = random.space(drawn.plan);
        drawn.space.leaveIdle = true;
        const std::int64_t leaves =
            SpaceTree(drawn.plan, drawn.space, machine(drawn.plan, shippedCatalog()).topology).leaves();
        if (leaves > 0 && leaves <= most && drawn.plan.cluster.nodes.front().count > 1)
            return drawn;
    }
}

SearchResult searched(const Drawn& drawn, SearchOptions options, bool exhaustive = false)
{
    options.threads = options.threads == 0 ? 1 : options.threads;
    options.exhaustive = exhaustive;
    return search(drawn.plan, drawn.space, options);
}

using Point = std::array<double, 3>;

Point pointOf(const FoundStrategy& found)
{
    return {found.step.value(), found.peak.value(), double(rankCount(found.strategy))};
}

bool dominates(const Point& a, const Point& b)
{
    return a[0] <= b[0] && a[1] <= b[1] && a[2] <= b[2] && a != b;
}

/// The best front of each number of accelerators by itself, then all against all.
std::set<Point> naiveFront(const Drawn& drawn, SearchOptions options)
{
    options.byAccelerators = false;
    std::vector<Point> all;
    const int most = acceleratorCount(drawn.plan.cluster),
              perNode = drawn.plan.cluster.nodes.front().acceleratorsPerNode;
    for (int ranks = perNode; ranks <= most; ranks += perNode) {
        Drawn one = drawn;
        one.space.accelerators = IntChoice::just(ranks);
        if (!drawn.space.accelerators.allows(ranks))
            continue;
        for (const FoundStrategy& found : searched(one, options, true).front)
            all.push_back(pointOf(found));
    }
    std::set<Point> front;
    for (const Point& point : all)
        if (std::none_of(all.begin(), all.end(), [&](const Point& other) { return dominates(other, point); }))
            front.insert(point);
    return front;
}

} // namespace

class TestFronts : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void prunedIsExhaustive();
    void isTheNaiveFront();
    void noRuleAndNoThreadChangesIt();
    void holdsTheFrontsOfOtherObjectives();
    void pairsAreComparedOneByOne();
};

void TestFronts::prunedIsExhaustive()
{
    RandomPlans random(31);
    int several = 0;
    std::int64_t pruned = 0;
    for (int i = 0; i < fewerSanitized(600); ++i) {
        const Drawn drawn = draw(random, i % 5 == 0 ? 1500 : 4000);
        SearchOptions options{
            .mode = i % 5 == 0 ? SearchMode::Simulated : SearchMode::ClosedForm, .byAccelerators = true};
        const SearchResult fast = searched(drawn, options);
        const SearchResult whole = searched(drawn, options, true);
        QVERIFY2(fast.byAccelerators == whole.byAccelerators, qPrintable(QString::number(i)));
        QVERIFY(fast.front == whole.front && fast.best == whole.best && fast.proven && whole.proven);
        options.byAccelerators = false;
        QVERIFY(searched(drawn, options).front == fast.front);
        std::set<int> ranks;
        for (const FoundStrategy& found : fast.byAccelerators)
            ranks.insert(rankCount(found.strategy));
        several += ranks.size() > 1;
        pruned += fast.evaluated < whole.evaluated;
    }
    QVERIFY(several > fewerSanitized(100));
    QVERIFY(pruned > fewerSanitized(500));
}

void TestFronts::isTheNaiveFront()
{
    RandomPlans random(32);
    for (int i = 0; i < fewerSanitized(60); ++i) {
        const Drawn drawn = draw(random, 3000);
        const SearchOptions options{.byAccelerators = true};
        std::set<Point> found;
        for (const FoundStrategy& one : searched(drawn, options).byAccelerators)
            found.insert(pointOf(one));
        QCOMPARE(found, naiveFront(drawn, options));
    }
}

void TestFronts::noRuleAndNoThreadChangesIt()
{
    RandomPlans random(33);
    for (int i = 0; i < fewerSanitized(40); ++i) {
        const Drawn drawn = draw(random, 3000);
        SearchOptions options{
            .mode = i % 4 == 0 ? SearchMode::Simulated : SearchMode::ClosedForm, .byAccelerators = true};
        const SearchResult all = searched(drawn, options);
        for (std::size_t rule = 0; rule < kPruneRules; ++rule) {
            options.off = {PruneRule(rule)};
            QVERIFY2(searched(drawn, options).byAccelerators == all.byAccelerators, key(PruneRule(rule)).data());
        }
        options.off.clear();
        options.threads = 3;
        const SearchResult parallel = searched(drawn, options);
        QVERIFY(parallel.byAccelerators == all.byAccelerators && parallel.pruned == all.pruned);
    }
}

void TestFronts::holdsTheFrontsOfOtherObjectives()
{
    RandomPlans random(34);
    for (int i = 0; i < fewerSanitized(100); ++i) {
        const Drawn drawn = draw(random, 3000);
        const SearchOptions byCost{.objective = Objective::TokensPerCost};
        const SearchResult cost = searched(drawn, byCost);
        SearchOptions options = byCost;
        options.byAccelerators = true;
        const SearchResult all = searched(drawn, options);
        QCOMPARE(all.best.has_value(), cost.best.has_value());
        if (!cost.best)
            continue;
        QCOMPARE(all.best->value, cost.best->value);
        QCOMPARE(all.best->peak.value(), cost.best->peak.value());
        std::set<std::pair<double, double>> expected, derived, told;
        for (const FoundStrategy& one : cost.front)
            expected.emplace(one.value, one.peak.value());
        for (const FoundStrategy& one : all.front)
            told.emplace(one.value, one.peak.value());
        for (const std::size_t place : pairFront(all.byAccelerators, FrontMeasure::AcceleratorTime, FrontMeasure::Peak))
            derived.emplace(measure(all.byAccelerators[place], FrontMeasure::AcceleratorTime),
                all.byAccelerators[place].peak.value());
        QCOMPARE(derived, expected);
        QCOMPARE(told, expected);
    }
}

void TestFronts::pairsAreComparedOneByOne()
{
    RandomPlans random(35);
    for (int i = 0; i < fewerSanitized(200); ++i) {
        std::vector<FoundStrategy> strategies;
        for (int j = random.number(30); j > 0; --j) {
            FoundStrategy found;
            found.strategy.dp = 1 + random.number(4);
            found.step = Seconds(1 + random.number(4));
            found.peak = Bytes(1 + random.number(4));
            strategies.push_back(found);
        }
        for (const auto& [first, second] : kFrontPairs) {
            std::vector<std::size_t> expected;
            for (std::size_t a = 0; a < strategies.size(); ++a) {
                const auto beaten = [&, first = first, second = second](const FoundStrategy& b) {
                    const double x = measure(b, first) - measure(strategies[a], first),
                                 y = measure(b, second) - measure(strategies[a], second);
                    return x <= 0 && y <= 0 && (x < 0 || y < 0);
                };
                if (std::none_of(strategies.begin(), strategies.end(), beaten))
                    expected.push_back(a);
            }
            std::vector<std::size_t> found = pairFront(strategies, first, second);
            for (std::size_t k = 1; k < found.size(); ++k)
                QVERIFY(measure(strategies[found[k - 1]], first) <= measure(strategies[found[k]], first));
            std::sort(found.begin(), found.end());
            QCOMPARE(found, expected);
        }
    }
}

STRATOPLAN_TEST(TestFronts)
#include "test_fronts.moc"
