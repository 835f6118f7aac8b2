// SPDX-License-Identifier: GPL-3.0-or-later
// Groups of nodes that a strategy leaves idle change nothing, however they are cabled: neither for an estimate nor for
// a search, which prices strategies of several numbers of nodes.
#include "core/cluster/fabric.h"
#include "core/cluster/used_part.h"
#include "core/estimate/estimate.h"
#include "core/search/found_plan.h"
#include "core/search/sample.h"
#include "tests/core/random_count.h"
#include "tests/core/search/drawn_spaces.h"
#include "tests/registry.h"

#include <QTest>

using namespace stratoplan::cluster;
using namespace stratoplan::parallel;
using namespace stratoplan::plan;
using namespace stratoplan::search;
using namespace stratoplan::searchtest;
using namespace stratoplan::space;
using namespace stratoplan::test;
using namespace stratoplan::units;

namespace {

/// Two to four groups of a node or two below leaves of their own, or that of the group before, below one spine.
void drawNetwork(Cluster& cluster, RandomPlans& random)
{
    const NodeGroup like = cluster.nodes.front();
    cluster.nodes.clear();
    cluster.connections.clear();
    cluster.switches = {{"spine", "Spine", SwitchTier::Spine, 64, 1}};
    const int groups = random.oneIn(8) ? 7 : 2 + random.number(3); // more machines than are kept
    for (int i = 0; i < groups; ++i) {
        NodeGroup group = like;
        group.id = group.name = "nodes-" + std::to_string(i);
        group.count = 1 + random.number(2);
        if (i == 0 || random.number(3) > 0) {
            const std::string leaf = "leaf-" + std::to_string(i);
            cluster.switches.push_back({leaf, leaf, SwitchTier::Leaf, 64, 1});
            Link uplink = group.nic;
            uplink.bandwidth = group.nic.bandwidth * random.real(0.05, 2);
            cluster.connections.push_back({leaf, "spine", uplink, 1 + random.number(3)});
        }
        // At times fewer than the group has ports for, or none of some node, which is then told of where it is used.
        const int cables =
            random.oneIn(6) ? random.number(group.count) : group.count * (random.oneIn(2) ? group.nicsPerNode : 1);
        cluster.connections.push_back({group.id, cluster.switches.back().id, group.nic, cables});
        cluster.nodes.push_back(group);
    }
}

/// Half of them with slower nodes behind the first ones, which may stay idle or not.
Drawn drawIdle(RandomPlans& random, std::int64_t most)
{
    for (;;) {
        Drawn drawn = draw(random, most);
        drawNetwork(drawn.plan.cluster, random);
        if (Accelerator& last = drawn.plan.cluster.nodes.back().accelerator; random.oneIn(2)) {
            for (const auto precision : stratoplan::model::kPrecisions)
                last.peak[precision] *= 0.5;
            last.memory *= random.real(0.3, 1.5);
        }
        drawn.space.leaveIdle = true;
        drawn.plan.strategy = {};
        if (hasErrors(check(drawn.plan, {.remedies = false})))
            continue;
        const std::int64_t leaves = SpaceTree(drawn.plan, drawn.space, topology(drawn.plan.cluster)).leaves();
        if (leaves > 0 && leaves <= most)
            return drawn;
    }
}

Seconds stepOf(const Plan& plan)
{
    const auto answer = stratoplan::estimate::estimate(plan, {.remedies = false, .range = false});
    if (!answer)
        for (const Problem& problem : answer.error())
            qWarning("%s %s", std::string(key(problem.code)).c_str(), problem.where.c_str());
    return answer ? answer->step : Seconds{};
}

std::pair<double, double> rangeOf(const Plan& plan)
{
    const auto answer = stratoplan::estimate::estimate(plan, {.remedies = false});
    return answer ? std::pair(answer->stepLow.value(), answer->stepHigh.value()) : std::pair(0.0, 0.0);
}

bool hasErrorsOf(const Plan& plan)
{
    return hasErrors(check(plan, {.remedies = false}));
}

} // namespace

class TestIdleNodes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theyChangeNothing()
    {
        RandomPlans random(91);
        int idle = 0, changed = 0;
        for (int round = 0; round < fewerSanitized(60); ++round) {
            const Drawn drawn = drawIdle(random, 3000);
            SearchOptions options;
            options.mode = random.oneIn(3) ? SearchMode::Simulated : SearchMode::ClosedForm;
            options.keep = random.oneIn(2) ? FrontKind::Best : FrontKind::Whole;
            if (random.oneIn(3))
                options.objective = Objective::TokensPerCost;
            const SearchResult pruned = searched(drawn.plan, drawn.space, options);
            const SearchResult whole = searched(drawn.plan, drawn.space, options, true);
            QVERIFY2(pruned.front == whole.front, qPrintable(QString::number(round)));
            for (const FoundStrategy& found : whole.front) {
                Plan plan = planWith(drawn.plan, found);
                const Seconds step = stepOf(plan);
                if (options.mode == SearchMode::Simulated)
                    QCOMPARE(step.value(), found.step.value());
                const std::size_t used = usedGroups(plan.cluster, rankCount(found.strategy));
                if (used == plan.cluster.nodes.size())
                    continue;
                const auto [low, high] = rangeOf(plan);
                plan.cluster = usedPart(plan.cluster, used);
                QCOMPARE(stepOf(plan).value(), step.value());
                QCOMPARE(rangeOf(plan), std::pair(low, high));
                ++idle;
                changed += topology(plan.cluster).levels.size() != topology(drawn.plan.cluster).levels.size();
            }
        }
        QVERIFY2(!drawsRareOnes() || (idle > 20 && changed > 10),
            qPrintable(QStringLiteral("%1 idle, %2 changed").arg(idle).arg(changed)));
    }

    /// Whatever is wrong with the cables of idle nodes, used ones are as they are without them, and searches find all
    /// that they can do.
    void whatIsApartThereIsNoError()
    {
        RandomPlans random(92);
        int broken = 0, mended = 0;
        for (int round = 0; round < fewerSanitized(300); ++round) {
            Plan plan = random.plan();
            drawNetwork(plan.cluster, random);
            for (Connection& c : plan.cluster.connections)
                c.cables = random.oneIn(8) ? 0 : c.cables;
            plan.strategy = {};
            const int all = acceleratorCount(plan.cluster);
            const int joined = joinedAccelerators(plan.cluster);
            for (int ranks = 1; ranks <= all; ++ranks) {
                plan.strategy.dp = plan.training.globalBatch = ranks;
                Plan alone = plan;
                alone.cluster = usedPart(plan.cluster, usedGroups(plan.cluster, ranks));
                QCOMPARE(hasErrorsOf(plan), hasErrorsOf(alone));
                QCOMPARE(ranks <= joined, !hasErrorsOf(plan));
                broken += int(hasErrorsOf(plan));
                mended += int(!hasErrorsOf(plan) && !gaps(plan.cluster).empty());
            }
        }
        QVERIFY2(!drawsRareOnes() || (broken > 50 && mended > 50),
            qPrintable(QStringLiteral("%1 broken, %2 not").arg(broken).arg(mended)));
    }

    /// As much memory as the accelerators in use have is what divisions in space and time may fill.
    void memoryOfSparesLimitsNobody()
    {
        Plan plan = fixtures::small();
        plan.cluster = fixtures::cluster(1, 8);
        plan.strategy = {};
        plan.strategy.tp = 8;
        plan.strategy.tensorPartition = TensorPartition::SpatialTemporal;
        const Seconds alone = stepOf(plan);
        QVERIFY(alone > Seconds{});
        plan.cluster.nodes.push_back(plan.cluster.nodes.front());
        plan.cluster.nodes.back().id = "small";
        for (const double gib : {0.001, 1.0, 8.0}) {
            plan.cluster.nodes.back().accelerator.memory = Bytes(kGiB * gib);
            QCOMPARE(stepOf(plan).value(), alone.value());
        }
    }

    /// A torus that hosts do not fill is a slice of as many as there are ranks, whatever the hosts.
    void idleHostsOfATorusChangeNothing()
    {
        Plan plan = fixtures::small();
        plan.strategy = {};
        plan.strategy.tp = 4;
        plan.strategy.dp = 8;
        plan.training.globalBatch = 32;
        for (const TorusWrap wrap : kTorusWraps) {
            const auto step = [&](int hosts) {
                plan.cluster = fixtures::cluster(hosts, 4);
                plan.cluster.nodes.front().scaleUpDomain = 64;
                plan.cluster.nodes.front().torus = Torus{{4, 4, 4}, wrap};
                return stepOf(plan).value();
            };
            const double alone = step(8);
            QVERIFY(alone > 0);
            for (int hosts = 9; hosts <= 17; ++hosts)
                QCOMPARE(step(hosts), alone);
        }
    }

    /// A spare group with one cable, or more uplinks of a leaf whose nodes are idle, held up all others.
    void cablesOfSparesHoldNobodyUp()
    {
        Plan plan = fixtures::small();
        plan.cluster = fixtures::cluster(4, 4);
        const Link nic = plan.cluster.nodes.front().nic;
        const auto leaf = [](const char* id) { return SwitchGroup{id, id, SwitchTier::Leaf, 64, 1}; };
        const std::string first = plan.cluster.nodes.front().id;
        plan.cluster.switches = {leaf("leaf"), {"spine", "Spine", SwitchTier::Spine, 64, 1}};
        const int cables = 4 * plan.cluster.nodes.front().nicsPerNode;
        plan.cluster.connections = {{first, "leaf", nic, cables}, {"leaf", "spine", nic, cables}};
        plan.strategy = {};
        plan.strategy.dp = 16;
        plan.training.globalBatch = 32;
        const Seconds alone = stepOf(plan);
        QVERIFY(alone > Seconds{});
        NodeGroup spare = plan.cluster.nodes.front();
        spare.id = "spare";
        plan.cluster.nodes.push_back(spare);
        plan.cluster.switches.push_back(leaf("leaf of the spare ones"));
        plan.cluster.connections.push_back({"spare", "leaf of the spare ones", nic, cables});
        plan.cluster.connections.push_back({"leaf of the spare ones", "spine", nic, 0});
        for (const int uplinks : {0, 1, 2, 7}) {
            plan.cluster.connections.back().cables = uplinks;
            QCOMPARE(stepOf(plan).value(), alone.value());
        }
        plan.strategy.dp = 32; // where they are used they do
        plan.cluster.connections.back().cables = 1;
        const Seconds slow = stepOf(plan);
        plan.cluster.connections.back().cables = cables;
        QVERIFY(slow > stepOf(plan));
    }

    void usedPartsLeadToUsedNodes()
    {
        Cluster cluster = fixtures::cluster(2, 4);
        const Link nic = cluster.nodes.front().nic;
        cluster.nodes.push_back(cluster.nodes.front());
        cluster.nodes.back().id = "more";
        cluster.switches = {{"a", "", SwitchTier::Leaf, 64, 1}, {"b", "", SwitchTier::Leaf, 64, 1},
            {"spine", "", SwitchTier::Spine, 64, 1}, {"spine of b", "", SwitchTier::Spine, 64, 1}};
        cluster.connections = {{cluster.nodes.front().id, "a", nic, 2}, {"more", "b", nic, 2}, {"a", "spine", nic, 2},
            {"b", "spine", nic, 2}, {"b", "spine of b", nic, 2}};
        QCOMPARE(usedGroups(cluster, 1), std::size_t(1));
        QCOMPARE(usedGroups(cluster, 8), std::size_t(1));
        QCOMPARE(usedGroups(cluster, 9), std::size_t(2));
        QCOMPARE(usedGroups(cluster, 100), std::size_t(2));
        QCOMPARE(usedPart(cluster, 2), cluster);
        const Cluster used = usedPart(cluster, 1);
        Cluster left = cluster;
        left.nodes.pop_back();
        left.switches = {cluster.switches[0], cluster.switches[2]};
        left.connections = {cluster.connections[0], cluster.connections[2]};
        QCOMPARE(used, left);
    }
};

STRATOPLAN_TEST(TestIdleNodes)
#include "test_idle_nodes.moc"
