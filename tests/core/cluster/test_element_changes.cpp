// SPDX-License-Identifier: GPL-3.0-or-later
// What an element that fails leaves of a cluster.
#include "core/cluster/element_changes.h"
#include "core/cluster/fabric.h"
#include "core/cluster/network_shapes.h"
#include "tests/core/fixtures.h"
#include "tests/registry.h"

#include <QTest>

using namespace stratoplan::cluster;
using namespace stratoplan::units;

namespace {

/// 16 nodes below two leaves and two spines; one to one.
Cluster drawn()
{
    Cluster c = stratoplan::fixtures::cluster(16);
    c.switches = {{"leaf", "Leaf", SwitchTier::Leaf, 128, 2}, {"spine", "Spine", SwitchTier::Spine, 64, 2}};
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

    /// Half of the nodes hang on a leaf of their own: the others keep their cables.
    void nodesOfUnlikeLeavesKeepTheirCables()
    {
        Cluster c = stratoplan::fixtures::cluster(16);
        c.nodes[0].nicsPerNode = 1;
        c.switches = {{"a", "A", SwitchTier::Leaf, 64, 1}, {"b", "B", SwitchTier::Leaf, 64, 1},
            {"spine", "Spine", SwitchTier::Spine, 64, 1}};
        c.connections = {{"nodes", "a", c.nodes[0].nic, 8}, {"nodes", "b", c.nodes[0].nic, 8},
            {"a", "spine", c.nodes[0].nic, 8}, {"b", "spine", c.nodes[0].nic, 8}};
        QVERIFY(gaps(c).empty());
        const auto changes = changesOfElement(c, "nodes");
        const Cluster* const left = after(changes, ElementChange::NodeFails);
        QVERIFY(left);
        QCOMPARE(left->connections[0].cables + left->connections[1].cables, 15);
        QVERIFY(gaps(*left).empty());
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

    /// Nothing else joins the nodes: they are cut off, which is no silence.
    void theOnlyLeafCutsAllOff()
    {
        const Cluster c = *wired(stratoplan::fixtures::cluster(4), NetworkShape::FatTree);
        const auto changes = changesOfElement(c, "leaf");
        const Cluster* const left = after(changes, ElementChange::SwitchFails);
        QVERIFY(left);
        QCOMPARE(left->nodes[0].count, 4);
        QVERIFY(!gaps(*left).empty());
    }

    /// Cables of two kinds to the same leaves are one way.
    void cablesOfTwoKindsAreOneWay()
    {
        Cluster c = drawn();
        c.connections[0].cables = 64;
        c.connections.push_back(c.connections[0]);
        const auto changes = changesOfElement(c, "leaf");
        const Cluster* const left = after(changes, ElementChange::SwitchFails);
        QVERIFY(left);
        QCOMPARE(left->nodes[0].count, 8);
        QCOMPARE(left->connections[0].cables, 32);
        QCOMPARE(left->connections[2].cables, 32);
    }

    void aRailLeavesItsNodesTheOthers()
    {
        for (const int nodes : {16, 1024}) {
            const Cluster rails = *wired(stratoplan::fixtures::cluster(nodes), NetworkShape::RailOptimised);
            const int blocks = rails.switches[0].blocks;
            const auto changes = changesOfElement(rails, "leaf");
            const Cluster* const left = after(changes, ElementChange::SwitchFails);
            QVERIFY(left);
            QCOMPARE(left->nodes[0].count, nodes);
            QCOMPARE(left->switches[0].count, 7 * blocks); // in each block, as all wait for the one that lacks it
            QCOMPARE(nodePorts(*left, left->nodes[0]).count, 7.0);
            QVERIFY(gaps(*left).empty());
            QCOMPARE(topology(*left).levels.size(), std::size_t{2});
        }
    }

    /// What one node does not reach on its own, others of its block pass on.
    void railsAreNotApartForACable()
    {
        Cluster rails = *wired(stratoplan::fixtures::cluster(1024), NetworkShape::RailOptimised);
        rails.connections[1].cables /= 4; // blocks are 4:1 apart
        const Topology before = topology(rails);
        const auto changes = changesOfElement(rails, "nodes");
        const Cluster* const left = after(changes, ElementChange::NicFails);
        QVERIFY(left && gaps(*left).empty());
        const Topology now = topology(*left);
        QCOMPARE(now.levels.size(), before.levels.size());
        for (std::size_t i = 0; i < now.levels.size(); ++i)
            QCOMPARE(now.levels[i].size, before.levels[i].size);

        Cluster only = *wired(stratoplan::fixtures::cluster(32), NetworkShape::RailOptimised);
        only.switches.pop_back();
        only.connections.pop_back();
        QVERIFY(gaps(only).empty());
        for (int missing = 1; missing < 32; ++missing) {
            --only.connections[0].cables;
            QVERIFY(gaps(only).empty());
        }
        --only.connections[0].cables; // all nodes may lack one, each another
        QVERIFY(!gaps(only).empty());
    }

    /// A domain over several nodes stays one.
    void racksOfOneDomainStayWhole()
    {
        Cluster c = stratoplan::fixtures::cluster(36, 4);
        c.nodes[0].scaleUpDomain = 72;
        const auto changes = changesOfElement(c, "nodes");
        const Cluster* const left = after(changes, ElementChange::NicFails);
        QVERIFY(left);
        QCOMPARE(topology(*left).levels[0].size, 72);
        QVERIFY(topology(*left).levels[1].bandwidth < topology(c).levels[1].bandwidth);
    }

    /// Two planes of leaves: nodes keep what the other one gives them.
    void planesStandInForOneAnother()
    {
        Cluster c = stratoplan::fixtures::cluster(16);
        c.switches = {{"a", "A", SwitchTier::Leaf, 64, 2}, {"b", "B", SwitchTier::Leaf, 64, 2},
            {"spine", "Spine", SwitchTier::Spine, 64, 2}};
        const Link& nic = c.nodes[0].nic;
        c.connections = {
            {"nodes", "a", nic, 64}, {"nodes", "b", nic, 64}, {"a", "spine", nic, 64}, {"b", "spine", nic, 64}};
        const auto changes = changesOfElement(c, "a");
        const Cluster* const left = after(changes, ElementChange::SwitchFails);
        QVERIFY(left);
        QCOMPARE(left->nodes[0].count, 16);
        QCOMPARE(left->connections[0].cables, 32);
        QCOMPARE(left->connections[1].cables, 64);
    }

    void groupsBelowOneLeafLoseItsShare()
    {
        Cluster c = drawn();
        c.nodes[0].count = 15;
        c.connections[0].cables = 120;
        c.nodes.push_back(c.nodes[0]);
        c.nodes[1].id = "odd";
        c.nodes[1].count = 1;
        c.connections.push_back({"odd", "leaf", c.nodes[0].nic, 8});
        const auto changes = changesOfElement(c, "leaf");
        const Cluster* const left = after(changes, ElementChange::SwitchFails);
        QVERIFY(left);
        QCOMPARE(acceleratorCount(*left) / 8, 7);
    }

    void ofPodsTheOneThatLacksASpineSetsThePace()
    {
        const Cluster pods = *wired(stratoplan::fixtures::cluster(1024), NetworkShape::RailOptimised);
        const auto changes = changesOfElement(pods, "spine");
        const Cluster* const left = after(changes, ElementChange::SwitchFails);
        QVERIFY(left && gaps(*left).empty());
        const int inPod = pods.switches[1].count / pods.switches[1].blocks;
        QCOMPARE(left->connections[1].cables, pods.connections[1].cables * (inPod - 1) / inPod);
    }

    /// Where a failure is of what others lack already, it makes nothing faster.
    void failuresAddUp()
    {
        const auto first = changesOfElement(drawn(), "nodes");
        const Cluster& lacking = *after(first, ElementChange::NicFails);
        const auto second = changesOfElement(lacking, "nodes");
        const Cluster& both = *after(second, ElementChange::NodeFails);
        QCOMPARE(nodePorts(both, both.nodes[0]).count, 7.0);
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
        const auto last = changesOfElement(one, "spine");
        QVERIFY(!gaps(*after(last, ElementChange::SwitchFails)).empty()); // nothing joins the leaves
    }

    void cablesBreakOrCarryTwice()
    {
        const auto changes = changesOfConnection(drawn(), 0);
        QCOMPARE(changes.size(), std::size_t{2});
        QCOMPARE(after(changes, ElementChange::CableBreaks)->connections[0].cables, 127);
        const Cluster* const faster = after(changes, ElementChange::TwiceNetwork);
        QCOMPARE(nodePorts(*faster, faster->nodes[0]).bandwidth, nodePorts(drawn(), drawn().nodes[0]).bandwidth * 2.0);
        QCOMPARE(faster->connections[1], drawn().connections[1]);
        QVERIFY(faster->connections[0].link.id != drawn().connections[0].link.id); // not what the catalogue has
        QVERIFY(changesOfConnection(drawn(), 2).empty());
        QVERIFY(changesOfElement(drawn(), "nobody").empty());
    }

    /// Two racks of a kind: twice the links of one of them alone is of no use while the other is waited for.
    void likeElementsAreFasterTogether()
    {
        Cluster racks = drawn();
        racks.nodes.push_back(racks.nodes[0]);
        racks.nodes[1].id = "nodes-2";
        racks.nodes[1].name = "Others";
        racks.nodes[1].rack = "Rack 2";
        racks.connections.push_back({"nodes-2", "leaf", racks.nodes[0].nic, 128});
        const std::vector<FasterLinks> all = fasterLinks(racks);
        QCOMPARE(all.size(), std::size_t{3});
        QCOMPARE(all[0].places, (std::vector<std::size_t>{0, 1}));
        QVERIFY(all[0].areNodes && all[0].changed.change == ElementChange::TwiceScaleUp);
        for (const NodeGroup& nodes : all[0].changed.cluster.nodes)
            QCOMPARE(nodes.scaleUp.bandwidth, racks.nodes[0].scaleUp.bandwidth * 2.0);
        QCOMPARE(all[1].places, (std::vector<std::size_t>{0, 2}));
        QVERIFY(!all[1].areNodes && all[1].changed.change == ElementChange::TwiceNetwork);
        for (const NodeGroup& nodes : all[1].changed.cluster.nodes)
            QCOMPARE(nodes.nic.bandwidth, racks.nodes[0].nic.bandwidth * 2.0);
        QCOMPARE(all[1].changed.cluster.connections[1], racks.connections[1]);
        QCOMPARE(all[2].places, std::vector<std::size_t>{1});

        racks.nodes[1].scaleUp.bandwidth *= 2.0; // unlike ones each by itself
        QCOMPARE(fasterLinks(racks).size(), std::size_t{5});
        QCOMPARE(fasterLinks(racks)[0].changed, changesOfElement(racks, "nodes")[2]);
        QCOMPARE(fasterLinks(racks)[2].changed, changesOfConnection(racks, 0)[1]);
    }

    /// Racks with a leaf each, and nodes of two rails, whichever end of a cable is stated first.
    void likeElementsBelowLikeSwitchesAreFasterTogether()
    {
        Cluster racks = drawn();
        racks.switches[0].count = 1;
        racks.nodes.push_back(racks.nodes[0]);
        racks.nodes[1].id = "nodes-2";
        racks.switches.push_back(racks.switches[0]);
        racks.switches[2].id = "leaf-2";
        const Link& nic = racks.nodes[0].nic;
        racks.connections.push_back({"leaf-2", "nodes-2", nic, 128});
        racks.connections.push_back({"spine", "leaf-2", nic, 128});
        const std::vector<std::vector<std::size_t>> together{{0, 2}, {1, 3}};
        const auto cables = [](const Cluster& cluster) {
            std::vector<std::vector<std::size_t>> places;
            for (const FasterLinks& like : fasterLinks(cluster))
                if (!like.areNodes)
                    places.push_back(like.places);
            return places;
        };
        QCOMPARE(cables(racks), together);
        racks.connections[0].to = "leaf-2"; // each rack on the leaf of the other: the same racks
        racks.connections[2].from = "leaf";
        QCOMPARE(cables(racks), together);

        Cluster rails = drawn();
        rails.switches.push_back(rails.switches[0]);
        rails.switches[2].id = "leaf-2";
        rails.connections[0].cables = 64;
        rails.connections.push_back({"leaf-2", "nodes", nic, 64});
        QCOMPARE(cables(rails), (std::vector<std::vector<std::size_t>>{{0, 2}, {1}}));
        for (const FasterLinks& like : fasterLinks(rails))
            if (!like.areNodes && like.places.size() == 2)
                QCOMPARE(nodePorts(like.changed.cluster, like.changed.cluster.nodes[0]).bandwidth,
                    nodePorts(rails, rails.nodes[0]).bandwidth * 2.0);

        racks.connections[3].link.bandwidth *= 0.5; // of another kind
        QCOMPARE(cables(racks), (std::vector<std::vector<std::size_t>>{{0, 2}, {1}, {3}}));
        racks.nodes[1].nicsPerNode = 4; // of unlike nodes
        QCOMPARE(cables(racks).size(), std::size_t{4});
    }

    /// Several bundles of the same nodes do not make their ports faster twice.
    void eachPortIsTwiceAsFastOnce()
    {
        Cluster c = drawn();
        c.nodes.push_back(c.nodes[0]);
        c.nodes[1].id = "others";
        c.connections.push_back({"others", "leaf", c.nodes[0].nic, 64});
        c.connections.push_back({"others", "leaf", c.nodes[0].nic, 64});
        int both = 0;
        for (const FasterLinks& like : fasterLinks(c)) {
            if (like.areNodes || like.places.front() != 0)
                continue;
            QCOMPARE(like.places, (std::vector<std::size_t>{0, 2, 3}));
            for (const NodeGroup& nodes : like.changed.cluster.nodes)
                QCOMPARE(nodes.nic.bandwidth, c.nodes[0].nic.bandwidth * 2.0);
            for (const std::size_t place : like.places)
                QCOMPARE(
                    like.changed.cluster.connections[place].link.bandwidth, c.connections[place].link.bandwidth * 2.0);
            ++both;
        }
        QCOMPARE(both, 1);
    }
};

STRATOPLAN_TEST(TestElementChanges)
#include "test_element_changes.moc"
