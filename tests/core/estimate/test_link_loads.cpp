// SPDX-License-Identifier: GPL-3.0-or-later
// How long cables are in use in a step: nothing without groups that cross them, all that the breakdown has with them.
#include "core/cluster/network_shapes.h"
#include "core/estimate/link_loads.h"
#include "tests/core/fixtures.h"
#include "tests/registry.h"

#include <QTest>

using namespace stratoplan::cluster;
using namespace stratoplan::estimate;
using namespace stratoplan::parallel;
using namespace stratoplan::plan;
using namespace stratoplan::units;

namespace {

constexpr std::size_t kNodesToLeaves = 0, kLeavesToSpines = 1;

/// Under leaves of four nodes and spines.
Plan onTree(int tp, int pp, int dp)
{
    Plan plan = stratoplan::fixtures::small();
    plan.cluster = *wired(stratoplan::fixtures::cluster(16), NetworkShape::FatTree);
    plan.strategy = Strategy{};
    plan.strategy.tp = tp;
    plan.strategy.pp = pp;
    plan.strategy.dp = dp;
    plan.training.globalBatch = 8 * dp;
    return plan;
}

Estimate estimated(const Plan& plan)
{
    auto e = estimate(plan, {.remedies = false, .range = false});
    Q_ASSERT(e);
    return *e;
}

std::vector<RankGroup> groupsOf(const LinkLoad& load)
{
    std::vector<RankGroup> groups;
    for (const GroupSeconds& each : load.groups)
        groups.push_back(each.group);
    return groups;
}

Seconds all(const stratoplan::pricing::Breakdown& b, Seconds stratoplan::pricing::CommunicationSeconds::*axis)
{
    return b.exposed.*axis + b.hidden.*axis;
}

} // namespace

class TestLinkLoads : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void nothingCrossesWhatNoGroupLeaves()
    {
        const Plan plan = onTree(8, 1, 1); // inside one node
        const Estimate e = estimated(plan);
        QVERIFY(e.breakdown.exposed.tp > Seconds{});
        for (const LinkLoad& load : linkLoads(e, plan))
            QVERIFY(load == LinkLoad{});
        QVERIFY(!busiestLink(linkLoads(e, plan), plan.cluster));
    }

    /// Two nodes on one leaf: a rank and its replica have a NIC each, 25 GB/s of which 80 % are sustained. A ring of
    /// two: 2 lat + S/bw.
    void replicasUnderOneLeafTakeWhatTheirRingTakes()
    {
        Plan plan = onTree(8, 1, 2);
        plan.cluster = stratoplan::fixtures::cluster(2);
        plan.cluster.switches = {{"leaf", "Leaf", SwitchTier::Leaf, 64, 1}};
        stratoplan::fixtures::link(plan, "nodes", "leaf", 16);
        const Estimate e = estimated(plan);
        const LinkLoad load = linkLoad(e, plan, 0);
        QCOMPARE(groupsOf(load), std::vector{RankGroup::DataContext});
        const double ring = 2 * 10e-6 + e.gradients.front().value() / (25e9 * 0.8);
        QVERIFY(stratoplan::fixtures::near(load.busy.value(), ring));
        QVERIFY(stratoplan::fixtures::near(load.share, ring / e.step.value()));
        QVERIFY(!load.isBound); // one rank of each group in a node: it sends all the time
    }

    void groupsAddUpToTheBreakdown()
    {
        const Plan plan = onTree(8, 4, 4);
        const Estimate e = estimated(plan);
        const std::vector<LinkLoad> loads = linkLoads(e, plan);
        QCOMPARE(groupsOf(loads[kNodesToLeaves]), (std::vector{RankGroup::Pipeline, RankGroup::DataContext}));
        QCOMPARE(groupsOf(loads[kLeavesToSpines]), std::vector{RankGroup::Pipeline}); // replicas share a leaf
        using Axes = stratoplan::pricing::CommunicationSeconds;
        for (const LinkLoad& load : loads) {
            const auto& stage = e.stages[std::size_t(load.stage)];
            Seconds sum{};
            for (const GroupSeconds& each : load.groups) {
                QCOMPARE(each.seconds, all(stage, each.group == RankGroup::Pipeline ? &Axes::pp : &Axes::dp));
                sum += each.seconds;
            }
            QCOMPARE(load.busy, std::min(sum, e.step));
            QVERIFY(load.share > 0 && load.share <= 1);
        }
        QCOMPARE(busiestLink(loads, plan.cluster), std::optional{kNodesToLeaves});
    }

    /// Of a group with several ranks in a node, which also work there, the time is an upper bound.
    void workInsideNodesIsTold()
    {
        const Plan plan = onTree(4, 1, 8);
        const LinkLoad load = linkLoad(estimated(plan), plan, kNodesToLeaves);
        QCOMPARE(groupsOf(load), std::vector{RankGroup::DataContext});
        QVERIFY(load.isBound && load.groups.front().worksBelow);
    }

    /// Half of the stages run on each of two groups of nodes: the cables of each carry its own ones alone.
    void cablesCarryTheStagesOfTheirOwnNodes()
    {
        Plan plan = onTree(8, 4, 4);
        plan.cluster = stratoplan::fixtures::cluster(8);
        plan.cluster.nodes.push_back(plan.cluster.nodes.front());
        plan.cluster.nodes.back().id = "more";
        plan.cluster.switches = {{"leaf", "Leaf", SwitchTier::Leaf, 256, 1}};
        stratoplan::fixtures::link(plan, "nodes", "leaf", 64);
        stratoplan::fixtures::link(plan, "more", "leaf", 64);
        const std::vector<LinkLoad> loads = linkLoads(estimated(plan), plan);
        QVERIFY(loads[0].stage < 2 && loads[1].stage >= 2);
        QVERIFY(loads[0].busy > Seconds{} && loads[1].busy > Seconds{});
    }

    void ofLinksInUseAsLongTheThinnestIsNamed()
    {
        const Plan plan = onTree(8, 1, 16);
        std::vector<LinkLoad> loads = linkLoads(estimated(plan), plan);
        QCOMPARE(loads[0].busy, loads[1].busy); // all replicas cross both
        Cluster thin = plan.cluster;
        thin.connections[1].cables /= 2;
        QCOMPARE(busiestLink(loads, thin), std::optional{kLeavesToSpines});
        thin.connections[0].cables /= 4;
        QCOMPARE(busiestLink(loads, thin), std::optional{kNodesToLeaves});
    }
};

STRATOPLAN_TEST(TestLinkLoads)
#include "test_link_loads.moc"
