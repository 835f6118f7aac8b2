// SPDX-License-Identifier: GPL-3.0-or-later
// What an element that fails leaves of a cluster.
#include "core/cluster/element_changes.h"
#include "core/cluster/fabric.h"
#include "tests/core/fixtures.h"
#include "tests/registry.h"

#include <QTest>

using namespace stratoplan::cluster;
using namespace stratoplan::units;

namespace {

/// 16 nodes below two leaves of their own, or two rails, and two spines; one to one.
Cluster drawn(int blocksOfLeaves = 0)
{
    Cluster c = stratoplan::fixtures::cluster(16);
    c.switches = {
        {"leaf", "Leaf", SwitchTier::Leaf, 128, 2, blocksOfLeaves}, {"spine", "Spine", SwitchTier::Spine, 64, 2}};
    c.connections = {{"nodes", "leaf", c.nodes[0].nic, 128}, {"leaf", "spine", c.nodes[0].nic, 128}};
    return c;
}

const Cluster* after(const std::vector<ChangedCluster>& changes, ElementChange change)
{
    const auto it = std::ranges::find(changes, change, &ChangedCluster::change);
    return it == changes.end() ? nullptr : &it->cluster;
}

} // namespace

class TestElementChanges : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aNodeTakesItsCablesAlong()
    {
        const auto changes = changesOfElement(drawn(), "nodes");
        const Cluster* const left = after(changes, ElementChange::NodeFails);
        QVERIFY(left);
        QCOMPARE(left->nodes[0].count, 15);
        QCOMPARE(left->connections[0].cables, 120);
        QCOMPARE(left->connections[1].cables, 128);
        QVERIFY(gaps(*left).empty());
        // Of one node nothing is left.
        QVERIFY(!after(changesOfElement(stratoplan::fixtures::cluster(1), "nodes"), ElementChange::NodeFails));
    }

    void aNicLeavesTheOthersOfItsNode()
    {
        const auto inDrawing = changesOfElement(drawn(), "nodes");
        const Cluster* const cabled = after(inDrawing, ElementChange::NicFails);
        QVERIFY(cabled);
        QCOMPARE(cabled->connections[0].cables, 127);
        QCOMPARE(nodePorts(*cabled, cabled->nodes[0]).count, 7.0);

        const auto without = changesOfElement(stratoplan::fixtures::cluster(4), "nodes");
        const Cluster* const split = after(without, ElementChange::NicFails);
        QVERIFY(split);
        QCOMPARE(split->nodes.size(), std::size_t{2});
        QCOMPARE(split->nodes[0].count, 3);
        QCOMPARE(split->nodes[1].count, 1);
        QCOMPARE(split->nodes[1].nicsPerNode, 7);
        QVERIFY(split->nodes[1].id != "nodes");
        QCOMPARE(acceleratorCount(*split), 32);
        const auto again = changesOfElement(*split, "nodes");
        const Cluster* const twice = after(again, ElementChange::NicFails);
        QVERIFY(twice && twice->nodes[1].id != twice->nodes[2].id);
    }

    void aLeafTakesItsNodesAlong()
    {
        const auto changes = changesOfElement(drawn(), "leaf");
        const Cluster* const left = after(changes, ElementChange::SwitchFails);
        QVERIFY(left);
        QCOMPARE(left->nodes[0].count, 8);
        QCOMPARE(left->switches[0].count, 1);
        QCOMPARE(left->connections[0].cables, 64);
        QCOMPARE(left->connections[1].cables, 64);
        QVERIFY(gaps(*left).empty());
    }

    void aRailLeavesItsNodesTheOther()
    {
        const Cluster rails = drawn(1);
        const auto changes = changesOfElement(rails, "leaf");
        const Cluster* const left = after(changes, ElementChange::SwitchFails);
        QVERIFY(left);
        QCOMPARE(left->nodes[0].count, 16);
        QCOMPARE(left->connections[0].cables, 64);
        QCOMPARE(nodePorts(*left, left->nodes[0]).count, 4.0);
        QVERIFY(gaps(*left).empty());
    }

    void aSpineTakesItsUplinksAlong()
    {
        const auto changes = changesOfElement(drawn(), "spine");
        const Cluster* const left = after(changes, ElementChange::SwitchFails);
        QVERIFY(left);
        QCOMPARE(left->nodes[0].count, 16);
        QCOMPARE(left->switches[1].count, 1);
        QCOMPARE(left->connections[1].cables, 64);
        QVERIFY(gaps(*left).empty());
        QCOMPARE(topology(*left).levels.size(), std::size_t{3}); // 2:1 now
        Cluster one = drawn();
        one.switches[1].count = 1;
        QVERIFY(changesOfElement(one, "spine").empty());
    }

    void cablesBreakOrCarryTwice()
    {
        const auto changes = changesOfConnection(drawn(), 0);
        QCOMPARE(changes.size(), std::size_t{2});
        QCOMPARE(after(changes, ElementChange::CableBreaks)->connections[0].cables, 127);
        const Cluster* const faster = after(changes, ElementChange::TwiceNetwork);
        QCOMPARE(nodePorts(*faster, faster->nodes[0]).bandwidth, nodePorts(drawn(), drawn().nodes[0]).bandwidth * 2.0);
        QCOMPARE(faster->connections[1], drawn().connections[1]);
        QVERIFY(changesOfConnection(drawn(), 2).empty());
        QVERIFY(changesOfElement(drawn(), "nobody").empty());
    }
};

STRATOPLAN_TEST(TestElementChanges)
#include "test_element_changes.moc"
