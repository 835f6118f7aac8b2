// SPDX-License-Identifier: GPL-3.0-or-later
// What drawn cables carry and join, to the last one.
#include "core/cluster/cuts.h"
#include "core/cluster/fabric.h"
#include "tests/core/random_count.h"
#include "tests/core/random_drawing.h"
#include "tests/registry.h"

#include <QTest>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

using namespace stratoplan::cluster;
using namespace stratoplan::units;

namespace {

Link cable(double gbPerSecond)
{
    return {"cable", "cable", LinkKind::InfiniBand, BytesPerSecond(gbPerSecond * 1e9), 0.8, Seconds(5e-6), "test"};
}

NodeGroup nodes(const char* id, int count)
{
    NodeGroup group;
    group.id = group.name = id;
    group.scaleUp = cable(300);
    group.nic = cable(25);
    group.count = count;
    return group;
}

/// 16 nodes of eight NICs below `leaves` leaf switches and `spines` spines.
Cluster drawn(int cables, int leaves = 1, int uplinks = 0, int spines = 1)
{
    Cluster c{"test", {nodes("nodes", 16)}, {{"leaf", "Leaf", SwitchTier::Leaf, 256, leaves}}, {}};
    c.connections = {{"nodes", "leaf", cable(25), cables}};
    if (uplinks > 0) {
        c.switches.push_back({"spine", "Spine", SwitchTier::Spine, 256, spines});
        c.connections.push_back({"leaf", "spine", cable(25), uplinks});
    }
    return c;
}

double nodeRate(const Cluster& c)
{
    return nodePorts(c, c.nodes.front()).bandwidth.value() / 1e9;
}

/// What a node can send out of any run that switches reach, of no limit where all do.
double uplinkRate(const Cluster& c)
{
    double least = std::numeric_limits<double>::infinity();
    for (const Cut& cut : cuts(c))
        least = std::min(least, cut.tier ? cut.ofAccelerator.value() * 8 / 1e9 : least);
    return least;
}

std::vector<double> sizes(const Cluster& c)
{
    std::vector<double> all;
    for (const Cut& cut : cuts(c))
        all.push_back(cut.accelerators);
    return all;
}

/// 16 nodes: rails of four leaves for each half of them, and pods of two spines for each, below a core switch.
Cluster podsOfRails(int core)
{
    Cluster c{"pods", {nodes("nodes", 16)}, {}, {}};
    c.switches = {{"leaf", "Leaf", SwitchTier::Leaf, 64, 8, 2}, {"spine", "Spine", SwitchTier::Spine, 64, 4, 2},
        {"core", "Core", SwitchTier::Core, 256, 1}};
    c.connections = {
        {"nodes", "leaf", cable(25), 128}, {"leaf", "spine", cable(25), 64}, {"spine", "core", cable(25), core}};
    return c;
}

} // namespace

class TestFabric : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void withoutADrawingAllNicsCarry()
    {
        Cluster c;
        c.nodes = {nodes("nodes", 16)};
        QVERIFY(!isDrawn(c));
        QCOMPARE(nodeRate(c), 8 * 20.0);
        QVERIFY(gaps(c).empty());
    }

    /// The node with the fewest sets the pace; cables beyond the NICs carry nothing, nor does a NIC without one.
    void nodesCarryWhatTheirCablesDo()
    {
        QCOMPARE(nodeRate(drawn(128)), 8 * 20.0);
        QCOMPARE(nodeRate(drawn(200)), 8 * 20.0);
        QCOMPARE(nodeRate(drawn(127)), 7 * 20.0);
        QCOMPARE(nodeRate(drawn(16)), 1 * 20.0);
        QCOMPARE(nodeRate(drawn(15)), 1 * 20.0); // of those that have one
        QCOMPARE(nodeRate(drawn(0)), 0.0);
        QCOMPARE(nodePorts(drawn(127), nodes("nodes", 16)).count, 7.0);
    }

    /// Four cables of the NIC's rate and four of half of it, or less; a faster cable than the NIC is as fast as the
    /// NIC.
    void slowCablesCarryLess()
    {
        Cluster c = drawn(64);
        c.connections.push_back({"leaf", "nodes", cable(12.5), 64});
        QCOMPARE(nodeRate(c), 8 * 10.0); // each of eight as slow as the slowest, or four alone
        c.connections[1].link = cable(10);
        QCOMPARE(nodeRate(c), 4 * 20.0);
        QCOMPARE(nodePorts(c, c.nodes.front()).count, 4.0);
        c.connections[1].link = cable(50);
        QCOMPARE(nodeRate(c), 8 * 20.0);
    }

    void uplinksAreSharedByTheNodes()
    {
        QCOMPARE(uplinkRate(drawn(128, 2, 128)), 8 * 20.0);
        QCOMPARE(uplinkRate(drawn(128, 2, 32)), 2 * 20.0);
        QCOMPARE(uplinkRate(drawn(64, 2, 32)), 2 * 20.0); // whatever the nodes could send
        QCOMPARE(uplinkRate(drawn(128)), std::numeric_limits<double>::infinity());
    }

    /// By hand: A reaches the first leaf alone, with one uplink for its ten nodes; some of B that, too, and all of B
    /// the second.
    void unlikeLeavesAreSharedAsWellAsCanBe()
    {
        Cluster c{"test", {nodes("A", 10), nodes("B", 10)}, {}, {}};
        c.switches = {{"one", "One", SwitchTier::Leaf, 64, 1}, {"two", "Two", SwitchTier::Leaf, 64, 1},
            {"spine", "Spine", SwitchTier::Spine, 64, 1}};
        c.connections = {{"A", "one", cable(25), 10}, {"B", "one", cable(25), 9}, {"B", "two", cable(25), 10},
            {"one", "spine", cable(25), 10}, {"two", "spine", cable(25), 30}};
        QCOMPARE(uplinkRate(c), 20.0); // of A: all ten of the first; B has the second's thirty
        c.connections[4].cables = 6;
        QCOMPARE(uplinkRate(c), 16 * 20.0 / 20); // both share all sixteen
    }

    /// What a node sends to a leaf goes no further than its cables carry it.
    void uplinksBeyondTheCablesCarryNothing()
    {
        Cluster c{"test", {nodes("nodes", 20)}, {}, {}};
        c.switches = {{"a", "A", SwitchTier::Leaf, 256, 2}, {"b", "B", SwitchTier::Leaf, 256, 2},
            {"spine", "Spine", SwitchTier::Spine, 512, 1}};
        c.connections = {{"nodes", "a", cable(25), 140}, {"nodes", "b", cable(25), 20}, {"a", "spine", cable(25), 10},
            {"b", "spine", cable(25), 200}};
        QCOMPARE(uplinkRate(c), (10 + 20) * 20.0 / 20);
    }

    /// Leaves that every node reaches need no uplinks; one that lacks a cable to any does.
    void leavesOfAllNodesAreNoCut()
    {
        Cluster c = drawn(64);
        QCOMPARE(sizes(c), std::vector<double>{0});
        QCOMPARE(sizes(drawn(128, 4)), (std::vector<double>{0, 32}));
        c.switches.push_back({"rail", "Rail", SwitchTier::Leaf, 64, 1});
        c.switches.push_back({"spine", "Spine", SwitchTier::Spine, 64, 1});
        c.connections.push_back({"nodes", "rail", cable(25), 64});
        c.connections.push_back({"leaf", "spine", cable(25), 2});
        c.connections.push_back({"rail", "spine", cable(25), 2});
        QCOMPARE(sizes(c), std::vector<double>{0});
        QCOMPARE(cuts(c).front().ofAccelerator.value() / 1e9 * 8, 8 * 20.0);
        c.connections[1].cables = 15;
        QCOMPARE(cuts(c).front().ofAccelerator.value() / 1e9 * 8, (64 + 2) * 20.0 / 16);
    }

    /// A rail of one cable to each node does not free the others from their uplinks.
    void aSmallRailCarriesNoMoreThanItsCables()
    {
        Cluster c = drawn(112, 4, 4);
        QCOMPARE(uplinkRate(c), 4 * 20.0 / 16);
        c.switches.push_back({"rail", "Rail", SwitchTier::Leaf, 64, 1});
        c.connections.push_back({"nodes", "rail", cable(25), 16});
        QCOMPARE(uplinkRate(c), (4 + 16) * 20.0 / 16);
    }

    /// Uplinks to switches that reach no one else lead nowhere.
    void uplinksThatLeadNowhereCarryNothing()
    {
        Cluster c{"test", {nodes("A", 8), nodes("B", 8)}, {}, {}};
        c.switches = {{"a", "A", SwitchTier::Leaf, 256, 1}, {"b", "B", SwitchTier::Leaf, 256, 1},
            {"x", "X", SwitchTier::Spine, 256, 1}, {"y", "Y", SwitchTier::Spine, 256, 1}};
        c.connections = {{"A", "a", cable(25), 64}, {"B", "b", cable(25), 64}, {"a", "x", cable(25), 63},
            {"a", "y", cable(25), 1}, {"b", "y", cable(25), 64}};
        QCOMPARE(uplinkRate(c), 20.0 / 8);
    }

    /// Blocks of rails reach all of their nodes; blocks of spines all of theirs, and the core what is in others.
    void blocksAreCuts()
    {
        QCOMPARE(sizes(podsOfRails(64)), (std::vector<double>{0, 64}));
        QCOMPARE(uplinkRate(podsOfRails(64)), 4 * 20.0);
        QCOMPARE(uplinkRate(podsOfRails(16)), 20.0);
        QCOMPARE(uplinkRate(podsOfRails(17)), 20.0); // of the pod with fewer
        QVERIFY(gaps(podsOfRails(16)).empty());
        QCOMPARE(gaps(podsOfRails(1)).size(), std::size_t{1});
        QCOMPARE(gaps(podsOfRails(1)).front(), (Gap{GapKind::Switches, "spine", 1, 2, 64}));
        Cluster c = podsOfRails(64);
        c.switches[0].blocks = 0; // a leaf for two nodes each
        QCOMPARE(sizes(c), (std::vector<double>{0, 16, 64}));
        c.switches[1].blocks = 0; // all spines for all
        QCOMPARE(sizes(c), (std::vector<double>{0, 16}));
        c.connections[1].cables = 32;
        QCOMPARE(uplinkRate(c), 2 * 20.0);
    }

    /// The leaf with the fewest uplinks sets the pace, unless there are as many for each node.
    void theWorstLeafCounts()
    {
        QCOMPARE(uplinkRate(drawn(128, 4, 7)), 20.0 / 4);
        QCOMPARE(uplinkRate(drawn(128, 4, 127)), 124 * 20.0 / 16);
        QCOMPARE(uplinkRate(drawn(128, 3, 128)), 8 * 20.0);
    }

    /// Spines that only the core joins send over it what leaves them: each reaches one of four leaves.
    void cablesThatJoinTheSwitchesArePriced()
    {
        Cluster c = drawn(128, 4, 4, 4);
        QCOMPARE(gaps(c).front(), (Gap{GapKind::Switches, "leaf", 4, 7, 32}));
        c.switches.push_back({"core", "Core", SwitchTier::Core, 64, 1});
        c.connections.push_back({"spine", "core", cable(25), 4});
        QVERIFY(gaps(c).empty());
        QCOMPARE(sizes(c), (std::vector<double>{0, 32}));
        QCOMPARE(uplinkRate(c), 4 * 20.0 / 16);
        c.connections.back().link = cable(0.025);
        QCOMPARE(uplinkRate(c), 4 * 0.02 / 16);
        c.connections[1].cables = 7; // which join them without the core
        QCOMPARE(uplinkRate(c), 4 * 20.0 / 16);
    }

    /// One more node has its share of the uplinks, not all of them.
    void aNodeMoreNeverHelps()
    {
        for (const int uplinks : {7, 16, 40, 127}) {
            Cluster c = drawn(128, 4, uplinks);
            const double before = uplinkRate(c);
            c.nodes.push_back(nodes("one", 1));
            c.connections.push_back({"one", "leaf", cable(25), 8});
            QVERIFY(uplinkRate(c) <= before);
        }
    }

    /// Eight ports of a node carry what eight cables do, whatever the leaves at the ends of eight more.
    void cablesBeyondTheNicsCarryNothing()
    {
        Cluster c = drawn(128, 4, 128);
        c.switches.push_back({"other", "Other", SwitchTier::Leaf, 256, 4});
        c.connections.push_back({"nodes", "other", cable(25), 128});
        c.connections.push_back({"other", "spine", cable(25), 128});
        QCOMPARE(uplinkRate(c), 8 * 20.0);
    }

    /// Two groups of two spines each over four leaves, eight cables over eight switches in all.
    void groupsJoinWhatOneAloneDoesNot()
    {
        Cluster c = drawn(128, 4, 4, 2);
        c.switches.push_back({"second", "Second", SwitchTier::Spine, 64, 2});
        QVERIFY(!gaps(c).empty());
        c.connections.push_back({"leaf", "second", cable(25), 3});
        QVERIFY(gaps(c).empty());
        c.connections.back().cables = 2;
        QVERIFY(!gaps(c).empty());
    }

    /// Over a leaf that lies lower than what it joins no way leads up and then down; those before it stay joined.
    void valleysHoldBackWhatLiesBehind()
    {
        Cluster c{"test", {nodes("A", 8), nodes("C", 8), nodes("B", 2)}, {}, {}};
        c.switches = {{"x", "X", SwitchTier::Spine, 512, 1}, {"y", "Y", SwitchTier::Spine, 512, 1},
            {"valley", "Valley", SwitchTier::Leaf, 64, 1}};
        c.connections = {{"A", "x", cable(25), 64}, {"C", "x", cable(25), 64}, {"B", "y", cable(25), 16},
            {"valley", "x", cable(25), 8}, {"valley", "y", cable(25), 8}};
        QCOMPARE(gaps(c).size(), std::size_t{1});
        QCOMPARE(gaps(c).front(), (Gap{GapKind::Part, "B", 0, 0, 128}));
        c.nodes = {nodes("A", 8), nodes("B", 8)};
        c.connections.erase(c.connections.begin() + 1);
        QCOMPARE(gaps(c).front(), (Gap{GapKind::Part, "B", 0, 0, 64}));
    }

    /// Storage under a leaf of its own trains nothing.
    void nodesThatTakeNoPartCountForNothing()
    {
        Cluster c = drawn(128, 1, 4);
        const std::vector<double> before = sizes(c);
        c.nodes.push_back(nodes("storage", 4));
        c.nodes.back().acceleratorsPerNode = 0;
        c.switches.push_back({"own", "Own", SwitchTier::Leaf, 64, 1});
        c.connections.push_back({"storage", "own", cable(25), 8});
        c.connections.push_back({"own", "spine", cable(25), 1});
        QCOMPARE(sizes(c), before);
    }

    /// Of more groups than sets can be looked through: two that share a leaf of one uplink.
    void theWorstSetOfManyGroupsIsFound()
    {
        Cluster c{"test", {}, {{"spine", "Spine", SwitchTier::Spine, 512, 1}}, {}};
        for (int i = 0; i < 30; ++i) {
            const std::string name = "n" + std::to_string(i), leaf = "l" + std::to_string(std::max(1, i));
            c.nodes.push_back(nodes(name.c_str(), 2));
            if (i != 1)
                c.switches.push_back({leaf, leaf, SwitchTier::Leaf, 64, 1});
            c.connections.push_back({name, leaf, cable(25), 16});
            if (i != 1)
                c.connections.push_back({leaf, "spine", cable(25), i == 0 ? 1 : 16});
        }
        QCOMPARE(uplinkRate(c), 20.0 / 4);
    }

    void cablesThatAreMissingAreNamed()
    {
        const auto only = [](const Cluster& c) { return gaps(c).size() == 1 ? gaps(c).front() : Gap{}; };
        QVERIFY(gaps(drawn(128)).empty());
        QCOMPARE(only(drawn(1)), (Gap{GapKind::Nodes, "nodes", 1, 16, 8}));
        QVERIFY(gaps(drawn(16)).empty());
        QCOMPARE(only(drawn(128, 2)), (Gap{GapKind::Switches, "leaf", 0, 2, 64}));
        Cluster unlinked = drawn(128, 2, 1, 3); // to the spines that are there
        unlinked.connections.pop_back();
        QCOMPARE(only(unlinked), (Gap{GapKind::Switches, "leaf", 0, 4, 64}));
        QCOMPARE(only(drawn(128, 2, 1)), (Gap{GapKind::Switches, "leaf", 1, 2, 64}));
        QVERIFY(gaps(drawn(128, 2, 2)).empty());
        QCOMPARE(only(drawn(128, 2, 2, 2)), (Gap{GapKind::Switches, "leaf", 2, 3, 64})); // a tree over four switches
        QVERIFY(gaps(drawn(128, 2, 3, 2)).empty());
        Cluster c = drawn(128);
        c.nodes.push_back(nodes("more", 2));
        QCOMPARE(only(c), (Gap{GapKind::Nodes, "more", 0, 2, 128}));
        c.switches.push_back({"apart", "Apart", SwitchTier::Leaf, 64, 1});
        c.connections.push_back({"more", "apart", cable(25), 16});
        QCOMPARE(only(c), (Gap{GapKind::Part, "more", 0, 0, 128}));
        c.connections.push_back({"apart", "leaf", cable(25), 1}); // which is no way up
        QCOMPARE(only(c), (Gap{GapKind::Part, "more", 0, 0, 128}));
        c.switches.back().tier = SwitchTier::Spine;
        c.connections.push_back({"apart", "leaf", cable(25), 1});
        QVERIFY(gaps(c).empty());
    }

    /// Nodes pass nothing on: two leaves that only they join are apart for the rest.
    void nodesJoinNoSwitches()
    {
        Cluster c{"test", {nodes("A", 2), nodes("both", 2), nodes("B", 2)}, {}, {}};
        c.switches = {{"one", "One", SwitchTier::Leaf, 64, 1}, {"two", "Two", SwitchTier::Leaf, 64, 1}};
        c.connections = {{"A", "one", cable(25), 8}, {"both", "one", cable(25), 8}, {"both", "two", cable(25), 8},
            {"B", "two", cable(25), 8}};
        QCOMPARE(gaps(c).size(), std::size_t{1});
        QCOMPARE(gaps(c).front(), (Gap{GapKind::Part, "B", 0, 0, 32}));
    }

    void oneDomainNeedsNoCables()
    {
        Cluster c = drawn(0);
        c.nodes.front().scaleUpDomain = 128;
        QVERIFY(gaps(c).empty());
    }

    void takingACableAwayNeverHelps()
    {
        std::mt19937 random(19);
        int compared = 0;
        for (int i = 0; i < stratoplan::test::fewerSanitized(2000); ++i) {
            const Cluster c = stratoplan::test::randomDrawing(random, nodes("nodes", 1), 8);
            for (std::size_t k = 0; k < c.connections.size(); ++k) {
                Cluster fewer = c;
                if (--fewer.connections[k].cables < 0)
                    continue;
                if (!gaps(c).empty() || !gaps(fewer).empty() || acceleratorCount(c) == 8)
                    continue; // what is left apart is not there
                for (const NodeGroup& group : c.nodes)
                    QVERIFY(nodePorts(fewer, group).bandwidth <= nodePorts(c, group).bandwidth);
                for (const Cut& cut : cuts(c)) // the same one, if it is still there
                    for (const Cut& rest : cuts(fewer))
                        if (rest.accelerators == cut.accelerators) {
                            QVERIFY2(
                                rest.ofAccelerator <= cut.ofAccelerator * (1 + 1e-12), qPrintable(QString::number(i)));
                            ++compared;
                        }
            }
        }
        QVERIFY(compared > 0);
    }
};

STRATOPLAN_TEST(TestFabric)
#include "test_fabric.moc"
