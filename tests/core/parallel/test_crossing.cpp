// SPDX-License-Identifier: GPL-3.0-or-later
// Which groups send over the cables of a drawn network.
#include "core/cluster/network_shapes.h"
#include "core/parallel/crossing.h"
#include "tests/core/fixtures.h"
#include "tests/registry.h"

#include <QTest>

using namespace stratoplan;
using namespace stratoplan::cluster;
using namespace stratoplan::parallel;

namespace {

constexpr std::size_t kNodesToLeaves = 0, kLeavesToSpines = 1, kSpinesToCore = 2;
using Groups = std::vector<RankGroup>;

/// A leaf for each group of so many nodes of eight, below one spine that all their cables reach.
Cluster leavesOf(const std::vector<int>& counts)
{
    Cluster c = fixtures::cluster(1);
    const NodeGroup one = c.nodes.front();
    c.nodes.clear();
    for (const int count : counts) {
        const std::string place = std::to_string(c.nodes.size());
        c.nodes.push_back(one);
        c.nodes.back().id = "nodes" + place;
        c.nodes.back().count = count;
        c.switches.push_back({"leaf" + place, "Leaf", SwitchTier::Leaf, 64, 1});
        c.connections.push_back({"nodes" + place, "leaf" + place, one.nic, 8 * count});
        c.connections.push_back({"leaf" + place, "spine", one.nic, 8 * count});
    }
    c.switches.push_back({"spine", "Spine", SwitchTier::Spine, 64, 1});
    return c;
}

} // namespace

class TestCrossing : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void unitsAreWhatIsBelow()
    {
        const Cluster tree = *wired(fixtures::cluster(16), NetworkShape::FatTree);
        QCOMPARE(acceleratorsBelow(tree, kNodesToLeaves), 8);
        QCOMPARE(acceleratorsBelow(tree, kLeavesToSpines), 32); // four nodes on a leaf
        const Cluster rails = *wired(fixtures::cluster(1024), NetworkShape::RailOptimised);
        QCOMPARE(acceleratorsBelow(rails, kLeavesToSpines), 256); // a block
        QCOMPARE(acceleratorsBelow(rails, kSpinesToCore), 1024); // a pod
        Cluster turned = tree;
        std::swap(turned.connections[1].from, turned.connections[1].to);
        QCOMPARE(acceleratorsBelow(turned, kLeavesToSpines), 32);
    }

    void nodesBelowAreThoseThatACableServes()
    {
        Cluster tree = *wired(fixtures::cluster(16), NetworkShape::FatTree);
        NodeGroup more = tree.nodes.front();
        more.id = "more";
        tree.nodes.push_back(more);
        tree.connections.push_back({"more", tree.connections[kNodesToLeaves].to, more.nic, 128});
        QCOMPARE(nodesBelow(tree, kNodesToLeaves), std::vector<std::size_t>{0});
        QCOMPARE(nodesBelow(tree, tree.connections.size() - 1), std::vector<std::size_t>{1});
        QCOMPARE(nodesBelow(tree, kLeavesToSpines), (std::vector<std::size_t>{0, 1}));
    }

    /// TP in a node, the replicas of a stage below a leaf, stages across them.
    void groupsCrossWhatTheyDoNotFitBelow()
    {
        const Cluster tree = *wired(fixtures::cluster(16), NetworkShape::FatTree);
        Strategy s;
        s.tp = 8;
        s.dp = 4;
        s.pp = 4;
        QCOMPARE(groupsAcross(s, tree, kNodesToLeaves), (Groups{RankGroup::Pipeline, RankGroup::DataContext}));
        QCOMPARE(groupsAcross(s, tree, kLeavesToSpines), Groups{RankGroup::Pipeline});
        s.tp = 16;
        s.dp = 2;
        QCOMPARE(groupsAcross(s, tree, kNodesToLeaves),
            (Groups{RankGroup::Tensor, RankGroup::Pipeline, RankGroup::DataContext}));
        QVERIFY(groupsAcross({}, tree, kNodesToLeaves).empty());
    }

    /// A leaf of two nodes behind one of a single node: pairs of nodes lie across both its ends.
    void unitsBeginWhereOthersEnd()
    {
        Cluster c = leavesOf({1, 2, 1});
        Strategy s;
        s.tp = 8;
        s.dp = 2;
        s.pp = 2;
        QCOMPARE(acceleratorsBelow(c, 3), 16);
        QCOMPARE(alignmentBelow(c, 3), 8);
        QCOMPARE(groupsAcross(s, c, 3), (Groups{RankGroup::Pipeline, RankGroup::DataContext}));
        c.switches[1].count = 3; // of nodes that three leaves share, none ends where a node does
        QCOMPARE(alignmentBelow(c, 3), 1);
        c.switches[1].count = 1;
        std::swap(c.nodes[0], c.nodes[1]);
        QCOMPARE(alignmentBelow(c, 3), 16);
        QCOMPARE(groupsAcross(s, c, 3), Groups{RankGroup::Pipeline});
    }

    /// A leaf of four nodes, one of three, and a spare one of two, below a spine.
    void nothingCrossesTheCablesOfIdleNodes()
    {
        Cluster c = leavesOf({4, 3, 2});
        const auto across = [&](const Strategy& s) {
            std::vector<Groups> all;
            for (std::size_t i = 0; i < c.connections.size(); ++i)
                all.push_back(groupsAcross(s, c, i));
            return all;
        };
        const Groups pp{RankGroup::Pipeline}, none;
        Strategy s;
        s.tp = 8;
        s.pp = 6;
        QCOMPARE(across(s), (std::vector<Groups>{pp, pp, pp, pp, none, none}));
        s.pp = 4; // all below the first leaf
        QCOMPARE(across(s), (std::vector<Groups>{pp, none, none, none, none, none}));
        s.pp = 8; // one is in use of the spare two
        QCOMPARE(across(s), (std::vector<Groups>{pp, pp, pp, pp, pp, pp}));
        c.connections[1].cables = 0;
        QCOMPARE(across(s).at(1), none);
    }

    void nothingIsBelowLooseSwitches()
    {
        Cluster c = fixtures::cluster(16);
        c.switches = {{"leaf", "Leaf", SwitchTier::Leaf, 64, 2}, {"spine", "Spine", SwitchTier::Spine, 64, 2}};
        c.connections = {{"leaf", "spine", c.nodes[0].nic, 8}};
        Strategy s;
        s.dp = 128;
        QCOMPARE(acceleratorsBelow(c, 0), 0);
        QVERIFY(groupsAcross(s, c, 0).empty());
    }
};

STRATOPLAN_TEST(TestCrossing)
#include "test_crossing.moc"
