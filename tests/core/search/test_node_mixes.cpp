// SPDX-License-Identifier: GPL-3.0-or-later
// Which nodes of a cluster to use: the front against every mix searched by itself, every strategy
// priced.
#include "core/estimate/estimate.h"
#include "core/plan/problem.h"
#include "core/search/node_mixes.h"
#include "tests/core/random_count.h"
#include "tests/core/search/drawn_spaces.h"
#include "tests/registry.h"

#include <QTest>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>
#include <stop_token>
#include <thread>

using namespace stratoplan::cluster;
using namespace stratoplan::parallel;
using namespace stratoplan::plan;
using namespace stratoplan::search;
using namespace stratoplan::searchtest;
using namespace stratoplan::test;
using namespace stratoplan::units;

namespace {

NodeGroup nodes(const std::string& id, int count, double rate, double memory = 1)
{
    NodeGroup group = fixtures::cluster(count, 2).nodes.front();
    group.id = group.name = id;
    for (const auto precision : stratoplan::model::kPrecisions)
        group.accelerator.peak[precision] *= rate;
    group.accelerator.memoryBandwidth *= rate;
    group.accelerator.memory *= memory;
    return group;
}

Plan mixed(const std::vector<NodeGroup>& groups)
{
    Plan plan = fixtures::small();
    plan.model = fixtures::gpt(8, 1024, 16, 51200, 1024);
    plan.training.globalBatch = 24;
    plan.cluster.nodes = groups;
    plan.cluster.switches.clear();
    plan.cluster.connections.clear();
    plan.strategy = {};
    return plan;
}

SearchSpace smallSpace()
{
    SearchSpace space = fixtures::megatronSpace();
    space.zeroStages = {0, 1};
    space.recomputes = {Recompute::None, Recompute::Full};
    space.schedules = {Schedule::OneFOneB};
    space.rankOrders = {Strategy{}.rankOrder, {Axis::Tp, Axis::Cp, Axis::Ep, Axis::Pp, Axis::Dp}};
    return space;
}

/// Every mix by itself, nothing left out, and of all the front.
std::vector<FoundMix> bruteForce(const Plan& plan, const SearchSpace& space, const MixOptions& options)
{
    std::vector<FoundMix> all;
    for (const NodeMix& mix : mixesOf(plan.cluster, options)) {
        Plan one = plan;
        one.cluster = clusterOf(plan.cluster, mix);
        const SearchResult found = searched(one, space, {.keep = FrontKind::Best}, true);
        double perHour = 0;
        for (std::size_t i = 0; i < mix.groups.size(); ++i)
            perHour += (options.prices.empty() ? 1 : options.prices[mix.groups[i]]) * mix.counts[i]
                * plan.cluster.nodes[mix.groups[i]].acceleratorsPerNode;
        if (found.best)
            all.push_back({mix, *found.best, perHour, perHour * found.best->step.value() / 3600});
    }
    std::vector<FoundMix> front;
    for (const FoundMix& mix : all)
        if (std::ranges::none_of(all, [&](const FoundMix& other) {
                return other.best.step <= mix.best.step && other.perStep <= mix.perStep
                    && (other.best.step < mix.best.step || other.perStep < mix.perStep);
            }))
            front.push_back(mix);
    std::ranges::stable_sort(front, {}, [](const FoundMix& mix) { return mix.best.step; });
    return front;
}

std::vector<std::pair<double, double>> pointsOf(const std::vector<FoundMix>& front)
{
    std::set<std::pair<double, double>> points;
    for (const FoundMix& found : front)
        points.emplace(found.best.step.value(), found.perStep);
    return {points.begin(), points.end()};
}

} // namespace

class TestNodeMixes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyMixIsListedOnce()
    {
        const Cluster two = mixed({nodes("a", 3, 1), nodes("b", 2, 2)}).cluster;
        // {a: 0, 1, 2, 3} by {b: 0, 1, 2}, without none, those of both in two orders
        QCOMPARE(mixesOf(two, {.everyCount = true}).size(), std::size_t(3 + 2 + 2 * 6));
        const std::vector<NodeMix> powers = mixesOf(mixed({nodes("a", 12, 1)}).cluster, {});
        std::vector<int> counts;
        for (const NodeMix& mix : powers)
            counts.push_back(mix.counts.front());
        QCOMPARE(counts, std::vector<int>({1, 2, 4, 8, 12}));
        // Twins are one group: 1 or 2 of the first, then 1 of the second beside both.
        Cluster twins = mixed({nodes("a", 2, 1), nodes("b", 1, 1)}).cluster;
        QCOMPARE(mixesOf(twins, {.everyCount = true}).size(), std::size_t(3));
        QCOMPARE(mixesOf(twins, {.everyCount = true, .prices = {1, 2}}).size(), std::size_t(2 + 1 + 2 * 2));
        twins.nodes[1].count = 0;
        QCOMPARE(mixesOf(twins, {}).size(), std::size_t(2));
    }

    void pricesAreOfAllGroupsOrOfNone()
    {
        Cluster three = mixed({nodes("a", 2, 1), nodes("b", 1, 2), nodes("c", 1, 3)}).cluster;
        using Groups = std::vector<std::size_t>;
        QCOMPARE(unpricedGroups(three, {}), Groups());
        QCOMPARE(unpricedGroups(three, {0, 0, 0}), Groups());
        QCOMPARE(unpricedGroups(three, {0, 2, 0}), Groups({0, 2}));
        QCOMPARE(unpricedGroups(three, {1, 2, 3}), Groups());
        three.nodes[2].count = 0;
        QCOMPARE(unpricedGroups(three, {1, 2, 0}), Groups());
        QVERIFY(isPrice(1e-9) && isPrice(kHighestPrice));
        QVERIFY(!isPrice(0) && !isPrice(-1) && !isPrice(1e12) && !isPrice(std::nan("")));
    }

    void ranksPayForWhatTheyLieOn()
    {
        Cluster cluster;
        cluster.nodes = {nodes("a", 2, 1), nodes("none", 0, 1), nodes("b", 3, 1)}; // of two accelerators each
        const MixOptions priced{.prices = {1.5, 7, 4}};
        QCOMPARE(pricePerHour(cluster, 0, priced), 0.0);
        QCOMPARE(pricePerHour(cluster, 3, priced), 4.5);
        QCOMPARE(pricePerHour(cluster, 5, priced), 10.0);
        QCOMPARE(pricePerHour(cluster, 99, priced), 30.0);
        QCOMPARE(pricePerHour(cluster, 5, {}), 5.0);
    }

    void alikeGroupsWithOtherCablesAreNoTwins()
    {
        Cluster cluster = mixed({nodes("a", 2, 1), nodes("b", 2, 1)}).cluster;
        cluster.switches = {{.id = "leaf", .name = "Leaf", .ports = 64}};
        const int nics = cluster.nodes[0].nicsPerNode;
        cluster.connections = {
            {"a", "leaf", cluster.nodes[0].nic, 2 * nics}, {"leaf", "b", cluster.nodes[1].nic, 2 * nics}};
        const std::size_t twins = mixesOf(cluster, {.everyCount = true}).size();
        QCOMPARE(twins, std::size_t(4));
        cluster.connections[1].cables = 1;
        QCOMPARE(mixesOf(cluster, {.everyCount = true}).size(), std::size_t(2 + 2 + 2 * 4));
    }

    void mixesAreCountedAsTheyAreListed()
    {
        RandomPlans random(17);
        std::size_t most = 0, kinds = 0, whole = 0, parted = 0;
        for (int round = 0; round < 200; ++round) {
            std::vector<NodeGroup> groups;
            for (int i = 1 + random.number(5); i > 0; --i)
                groups.push_back(nodes("n" + std::to_string(i), random.number(6), 1 + random.number(3)));
            const Cluster cluster = mixed(groups).cluster;
            const MixOptions options{.everyCount = random.oneIn(2)};
            const std::vector<NodeMix> all = mixesOf(cluster, options);
            QCOMPARE(mixCount(cluster, options), double(all.size()));
            const double every = mixCount(cluster, {.everyCount = true});
            QCOMPARE(triesEveryCount(cluster, options), double(all.size()) == every);
            ++(double(all.size()) == every ? whole : parted);
            std::set<std::pair<std::vector<std::size_t>, std::vector<int>>> each;
            for (const NodeMix& mix : all)
                each.emplace(mix.groups, mix.counts);
            QCOMPARE(each.size(), all.size());
            most = std::max(most, all.size());
            kinds += !all.empty() && all.back().groups.size() > 1;
        }
        QVERIFY(most > 100 && kinds > 20 && whole > 20 && parted > 20);
    }

    /// As many as listing them would take hours and days for.
    void manyMixesAreCounted()
    {
        std::vector<NodeGroup> alike, unlike, pairs;
        for (int i = 0; i < 2048; ++i)
            alike.push_back(nodes("a" + std::to_string(i), 3, 1));
        Cluster cluster = mixed(alike).cluster;
        cluster.switches = {{.id = "leaf", .name = "Leaf", .ports = 20'000}};
        for (const NodeGroup& group : cluster.nodes)
            cluster.connections.push_back({group.id, "leaf", group.nic, 3 * group.nicsPerNode});
        QCOMPARE(mixCount(cluster, {.everyCount = true}), 2048.0 * 3);
        QCOMPARE(mixesOf(cluster, {}).size(), std::size_t(2048 * 3));
        for (int i = 0; i < 128; ++i)
            pairs.push_back(nodes("p" + std::to_string(i), 1, 1 + i % 2));
        // Of a of one kind and b of the other (a + b)! / a! b! orders: over all up to n the binomial of 2 n + 2 over
        // n + 1, less one, and less none of both.
        double expected = 1;
        for (int i = 1; i <= 65; ++i)
            expected = expected * (65 + i) / i;
        QVERIFY(fixtures::near(mixCount(mixed(pairs).cluster, {}), expected - 2));
        for (int i = 0; i < 1000; ++i)
            unlike.push_back(nodes("u" + std::to_string(i), 8, 1 + i));
        QVERIFY(mixCount(mixed(unlike).cluster, {}) >= 1e18);
    }

    /// A narrower precision is faster than the peak of the plan's.
    void otherPrecisionsHaveOtherBounds()
    {
        Plan plan = mixed({nodes("a", 1, 1), nodes("b", 2, 1)});
        for (NodeGroup& group : plan.cluster.nodes)
            group.accelerator.peak[stratoplan::model::Precision::Fp8] =
                group.accelerator.peak[stratoplan::model::Precision::Bf16] * (group.id == "b" ? 30 : 1);
        SearchSpace space = smallSpace();
        space.precisions = {stratoplan::model::Precision::Bf16, stratoplan::model::Precision::Fp8};
        for (const std::vector<double>& prices : {std::vector<double>{}, {1, 5}, {5, 1}}) {
            const MixOptions options{.everyCount = true, .prices = prices};
            QCOMPARE(pointsOf(searchMixes(plan, space, options).front), pointsOf(bruteForce(plan, space, options)));
        }
    }

    void cablesFollowTheNodes()
    {
        Cluster cluster = fixtures::cluster(4, 2);
        cluster.nodes.push_back(nodes("others", 2, 2));
        cluster.switches = {{.id = "leaf", .name = "Leaf", .ports = 64}};
        cluster.connections = {{cluster.nodes[0].id, "leaf", cluster.nodes[0].nic, 4 * cluster.nodes[0].nicsPerNode},
            {"others", "leaf", cluster.nodes[1].nic, 2 * cluster.nodes[1].nicsPerNode}};
        const Cluster less = clusterOf(cluster, {{1, 0}, {1, 2}});
        QCOMPARE(less.nodes.size(), std::size_t(2));
        QCOMPARE(less.nodes[0].id, std::string("others"));
        QCOMPARE(less.connections[0].cables, 2 * cluster.nodes[0].nicsPerNode);
        QCOMPARE(less.connections[1].cables, cluster.nodes[1].nicsPerNode);
        const Cluster one = clusterOf(cluster, {{0}, {4}});
        QCOMPARE(one.nodes.size(), std::size_t(1));
        QCOMPARE(one.connections.size(), std::size_t(1));
        QCOMPARE(one.connections[0], cluster.connections[0]);
    }

    void theFrontIsThatOfBruteForce()
    {
        RandomPlans random(91);
        std::int64_t leftOut = 0, mixes = 0, several = 0, someNodes = 0, otherOrder = 0;
        for (int round = 0; round < fewerSanitized(24); ++round) {
            const Plan plan = mixed({nodes("a", 1 + random.number(2), 1, random.real(0.2, 1)),
                nodes("b", 1 + random.number(2), random.real(0.5, 4), random.real(0.2, 1))});
            MixOptions options{.everyCount = true};
            if (!random.oneIn(3))
                options.prices = {random.real(0.5, 2), random.real(0.5, 6)};
            const SearchSpace space = smallSpace();
            const MixResult found = searchMixes(plan, space, options);
            const MixResult whole = searchMixes(plan, space, options, {.exhaustive = true});
            QVERIFY(found.proven && whole.proven);
            QCOMPARE(found.searched + found.leftOut, found.mixes);
            QCOMPARE(whole.searched, whole.mixes);
            const auto expected = pointsOf(bruteForce(plan, space, options));
            QCOMPARE(pointsOf(found.front), expected);
            QCOMPARE(pointsOf(whole.front), expected);
            QVERIFY(std::ranges::is_sorted(found.front, {}, [](const FoundMix& mix) { return mix.best.step; }));
            leftOut += found.leftOut;
            mixes += found.mixes;
            several += found.front.size() > 1;
            for (const FoundMix& mix : found.front) {
                someNodes += mix.mix.groups.size() == 1;
                otherOrder += mix.mix.groups.size() == 2 && mix.mix.groups[0] == 1;
            }
        }
        QVERIFY2(!drawsRareOnes() || (leftOut > 0 && several > 3 && someNodes > 3),
            qPrintable(QStringLiteral("%1 of %2 left out, %3 fronts, %4, %5")
                           .arg(leftOut)
                           .arg(mixes)
                           .arg(several)
                           .arg(someNodes)
                           .arg(otherOrder)));
    }

    /// Before the first mix is decided, simulated as it will be; and what is found does not depend on that.
    void whatIsKnownOfAMixIsTold()
    {
        const Plan plan = mixed({nodes("a", 2, 1), nodes("b", 2, 2)});
        const SearchOptions options{.mode = SearchMode::Simulated};
        std::vector<FoundMix> early;
        const MixResult result =
            searchMixes(plan, smallSpace(), {.everyCount = true}, options, {}, [&](const MixProgress& progress) {
                if (progress.decided == 0 && early.empty())
                    early = progress.front;
                for (const FoundMix& known : progress.front)
                    QCOMPARE(std::ranges::count(progress.front, known.mix, &FoundMix::mix), 1);
            });
        QVERIFY(result.proven && result.mixes > 1);
        QCOMPARE(early.size(), std::size_t(1));
        const auto answer = stratoplan::estimate::estimate(planWith(plan, early.front()), {.remedies = false});
        QVERIFY(answer && answer->fits);
        QVERIFY(std::abs(answer->step.value() / early.front().best.step.value() - 1) < 1e-9);
        QVERIFY(result.front.front().best.step <= early.front().best.step);
        QCOMPARE(result.front, searchMixes(plan, smallSpace(), {.everyCount = true}, options).front);
    }

    /// A strategy on fewer accelerators is one of a smaller mix, at its price.
    void noMixLeavesNodesIdle()
    {
        const Plan plan = mixed({nodes("a", 3, 1), nodes("b", 1, 2)});
        SearchSpace space = smallSpace();
        const auto expected = pointsOf(searchMixes(plan, space, {.everyCount = true}).front);
        space.leaveIdle = true;
        const MixResult result = searchMixes(plan, space, {.everyCount = true});
        QCOMPARE(pointsOf(result.front), expected);
        for (const FoundMix& found : result.front) {
            int accelerators = 0;
            for (std::size_t i = 0; i < found.mix.groups.size(); ++i)
                accelerators += found.mix.counts[i] * plan.cluster.nodes[found.mix.groups[i]].acceleratorsPerNode;
            QCOMPARE(rankCount(found.best.strategy), accelerators);
        }
    }

    void aSearchStopsAtAStepOfNoUse()
    {
        const Plan plan = mixed({nodes("a", 2, 1)});
        const SearchOptions options{.keep = FrontKind::Best};
        const SearchResult best = searched(plan, smallSpace(), options);
        QVERIFY(best.best);
        SearchOptions limited = options;
        limited.longestOfUse = best.best->step;
        QCOMPARE(searched(plan, smallSpace(), limited).best, best.best);
        limited.longestOfUse = best.best->step * 0.999;
        const SearchResult none = searched(plan, smallSpace(), limited);
        QVERIFY(none.proven && !none.best);
    }

    void aListOfMixesStops()
    {
        std::vector<NodeGroup> unlike;
        for (int i = 0; i < 24; ++i)
            unlike.push_back(nodes("u" + std::to_string(i), 8, 1 + i));
        const Plan plan = mixed(unlike); // more than anyone lists
        std::stop_source stop;
        std::jthread stopper([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            stop.request_stop();
        });
        QVERIFY(double(mixesOf(plan.cluster, {}, stop.get_token()).size()) < mixCount(plan.cluster, {}));
    }

    void aSearchOfMixesStops()
    {
        std::stop_source stop;
        stop.request_stop();
        const MixResult result =
            searchMixes(mixed({nodes("a", 2, 1), nodes("b", 2, 2)}), smallSpace(), {}, {}, stop.get_token());
        QVERIFY(!result.proven && result.mixes == 0 && result.front.empty());
    }
};

STRATOPLAN_TEST(TestNodeMixes)
#include "test_node_mixes.moc"
