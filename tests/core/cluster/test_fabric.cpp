// SPDX-License-Identifier: GPL-3.0-or-later
// What drawn cables carry and join, to the last one.
#include "core/cluster/fabric.h"
#include "tests/core/random_count.h"
#include "tests/registry.h"

#include <QTest>

#include <limits>
#include <random>

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

double uplinkRate(const Cluster& c)
{
    return uplinksOfNode(c).value() / 1e9;
}

Cluster randomDrawing(std::mt19937& random)
{
    const auto upTo = [&](int most) { return int(random() % unsigned(most + 1)); };
    Cluster c{"random", {}, {}, {}};
    for (int i = 0; i <= upTo(2); ++i)
        c.nodes.push_back(nodes(("nodes" + std::to_string(i)).c_str(), 1 + upTo(7)));
    for (int i = 0; i <= upTo(2); ++i)
        c.switches.push_back({"leaf" + std::to_string(i), "Leaf", SwitchTier::Leaf, 64, 1 + upTo(3)});
    for (int i = 0; i < upTo(2); ++i)
        c.switches.push_back({"spine" + std::to_string(i), "Spine", SwitchTier::Spine, 64, 1 + upTo(2)});
    for (const SwitchGroup& s : c.switches) {
        for (const NodeGroup& n : c.nodes)
            if (s.tier == SwitchTier::Leaf && upTo(2) > 0)
                c.connections.push_back({n.id, s.id, cable(upTo(1) ? 25 : 12.5), 1 + upTo(70)});
        for (const SwitchGroup& below : c.switches)
            if (s.tier == SwitchTier::Spine && below.tier == SwitchTier::Leaf && upTo(2) > 0)
                c.connections.push_back({below.id, s.id, cable(25), upTo(40)});
    }
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

    /// Four cables of the NIC's rate and four of half of it; a faster cable than the NIC is as fast as the NIC.
    void slowCablesCarryLess()
    {
        Cluster c = drawn(64);
        c.connections.push_back({"leaf", "nodes", cable(12.5), 64});
        QCOMPARE(nodeRate(c), 4 * 20.0 + 4 * 10.0);
        QCOMPARE(nodePorts(c, c.nodes.front()).count, 6.0); // as many of the fastest
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

    /// By hand: A reaches the first leaf alone, with one uplink for its ten nodes; B the second, too, with three.
    void unlikeLeavesAreSharedAsWellAsCanBe()
    {
        Cluster c{"test", {nodes("A", 10), nodes("B", 10)}, {}, {}};
        c.switches = {{"one", "One", SwitchTier::Leaf, 64, 1}, {"two", "Two", SwitchTier::Leaf, 64, 1},
            {"spine", "Spine", SwitchTier::Spine, 64, 1}};
        c.connections = {{"A", "one", cable(25), 10}, {"B", "one", cable(25), 10}, {"B", "two", cable(25), 10},
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

    /// Two leaves that all nodes reach are one block; two with nodes of their own are two.
    void leavesOfTheSameNodesAreOneBlock()
    {
        Cluster c = drawn(64);
        QCOMPARE(leafUnits(c), 1);
        c.switches.push_back({"rail", "Rail", SwitchTier::Leaf, 64, 1});
        c.connections.push_back({"nodes", "rail", cable(25), 64});
        QCOMPARE(leafUnits(c), 1);
        c.nodes.push_back(nodes("more", 2));
        c.connections.push_back({"more", "rail", cable(25), 16});
        QCOMPARE(leafUnits(c), 1); // the rail reaches all
        c.connections.front().cables = 8; // not of all its nodes
        c.connections.back().to = "leaf";
        QCOMPARE(leafUnits(c), 2);
        QCOMPARE(leafUnits(drawn(128, 4)), 4);
    }

    void cablesThatAreMissingAreNamed()
    {
        const auto only = [](const Cluster& c) { return gaps(c).size() == 1 ? gaps(c).front() : Gap{}; };
        QVERIFY(gaps(drawn(128)).empty());
        QCOMPARE(only(drawn(1)), (Gap{GapKind::Nodes, "nodes", 1, 16, 8}));
        QVERIFY(gaps(drawn(16)).empty());
        QCOMPARE(only(drawn(128, 2)), (Gap{GapKind::Switches, "leaf", 0, 2, 64}));
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
            const Cluster c = randomDrawing(random);
            for (std::size_t k = 0; k < c.connections.size(); ++k) {
                Cluster fewer = c;
                if (--fewer.connections[k].cables < 0)
                    continue;
                if (!gaps(c).empty() || !gaps(fewer).empty())
                    continue; // what is left apart is not there
                for (const NodeGroup& group : c.nodes)
                    QVERIFY(nodePorts(fewer, group).bandwidth <= nodePorts(c, group).bandwidth);
                if (leafUnits(c) > 1 && uplinksOfNode(fewer).value() < std::numeric_limits<double>::infinity()) {
                    QVERIFY2(uplinksOfNode(fewer) <= uplinksOfNode(c), qPrintable(QString::number(i)));
                    ++compared;
                }
            }
        }
        QVERIFY(compared > 0);
    }
};

STRATOPLAN_TEST(TestFabric)
#include "test_fabric.moc"
