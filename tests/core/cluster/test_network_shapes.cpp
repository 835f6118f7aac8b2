// SPDX-License-Identifier: GPL-3.0-or-later
// Networks drawn for nodes: they join all of them one to one, within the ports of their switches.
#include "core/cluster/fabric.h"
#include "core/cluster/network_shapes.h"
#include "tests/core/fixtures.h"
#include "tests/registry.h"

#include <QTest>
#include <rapidcheck.h>

using namespace stratoplan;
using namespace stratoplan::cluster;

namespace {

Cluster nodesOf(int count, int nics)
{
    Cluster c = fixtures::cluster(count);
    c.nodes[0].nicsPerNode = nics;
    return c;
}

/// As many ranks at the same time as there are get through a level of the network as if none were drawn.
bool isOneToOne(const Cluster& drawn, const Cluster& bare)
{
    const Topology network = topology(drawn), free = topology(bare);
    return gaps(drawn).empty() && network.levels.size() == free.levels.size()
        && network.levels.back().bandwidth >= free.levels.back().bandwidth * (1 - 1e-9);
}

bool fitsItsPorts(const Cluster& drawn)
{
    return std::ranges::all_of(drawn.switches, [&](const SwitchGroup& group) {
        long long cables = 0;
        for (const Connection& c : drawn.connections)
            cables += endsAt(c, group.id) ? c.cables : 0;
        return cables <= (long long)(group.ports) * group.count;
    });
}

} // namespace

class TestNetworkShapes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// A scalable unit of DGX H100: 32 nodes, 8 rails.
    void railsOfAScalableUnit()
    {
        const auto c = wired(nodesOf(32, 8), NetworkShape::RailOptimised);
        QVERIFY(c);
        QCOMPARE(c->switches.size(), std::size_t{2});
        QCOMPARE(c->switches[0].count, 8);
        QCOMPARE(c->switches[0].blocks, 1);
        QCOMPARE(c->switches[1].count, 4);
        QCOMPARE(c->connections[0].cables, 256);
        QCOMPARE(c->connections[1].cables, 256);
        QVERIFY(isOneToOne(*c, nodesOf(32, 8)));
    }

    void aFatTreeHasFourNodesOnALeaf()
    {
        const auto c = wired(nodesOf(16, 8), NetworkShape::FatTree);
        QVERIFY(c);
        QCOMPARE(c->switches[0].count, 4);
        QCOMPARE(c->switches[0].blocks, 0);
        QCOMPARE(c->switches[1].count, 2);
        QVERIFY(isOneToOne(*c, nodesOf(16, 8)));
    }

    void oneSwitchHasRoomForFewNodes()
    {
        for (const NetworkShape shape : {NetworkShape::FatTree, NetworkShape::RailOptimised}) {
            const auto c = wired(nodesOf(8, 8), shape);
            QVERIFY(c && c->switches.size() == 1 && c->switches[0].count == 1);
            QVERIFY(isOneToOne(*c, nodesOf(8, 8)) && fitsItsPorts(*c));
        }
    }

    void manyNodesHavePodsBelowACore()
    {
        const auto c = wired(nodesOf(1024, 8), NetworkShape::RailOptimised);
        QVERIFY(c);
        QCOMPARE(c->switches.size(), std::size_t{3});
        QCOMPARE(c->switches[0].blocks, 32);
        QCOMPARE(c->switches[1].blocks, 8);
        QVERIFY(isOneToOne(*c, nodesOf(1024, 8)) && fitsItsPorts(*c));
    }

    /// Two racks of a scalable unit: the rails are those of all their nodes.
    void racksShareRails()
    {
        Cluster c = nodesOf(8, 8);
        c.nodes.push_back(c.nodes[0]);
        c.nodes[1].id = "rack-2";
        const auto drawn = wired(c, NetworkShape::RailOptimised);
        QVERIFY(drawn);
        QCOMPARE(drawn->switches.size(), std::size_t{2});
        QCOMPARE(drawn->switches[0].count, 8);
        QCOMPARE(drawn->connections.size(), std::size_t{3});
        QVERIFY(isOneToOne(*drawn, c) && fitsItsPorts(*drawn));
        c.nodes[1].count = 30; // more than a block
        const auto apart = wired(c, NetworkShape::RailOptimised);
        QVERIFY(apart);
        QCOMPARE(apart->switches.size(), std::size_t{3});
        QVERIFY(isOneToOne(*apart, c) && fitsItsPorts(*apart));
    }

    void unlikeNodesShareTheirSpines()
    {
        Cluster c = nodesOf(16, 8);
        c.nodes.push_back(c.nodes[0]);
        c.nodes[1].id = "spine"; // as the canvas would never call it, but a file may
        c.nodes[1].name = "others";
        c.nodes[1].nicsPerNode = 4;
        const auto drawn = wired(c, NetworkShape::FatTree);
        QVERIFY(drawn);
        QCOMPARE(drawn->switches.size(), std::size_t{3});
        QCOMPARE(drawn->switches.back().id, std::string("spine-2"));
        QCOMPARE(drawn->switches[0].name, "Leaf of " + c.nodes[0].name);
        QCOMPARE(drawn->switches[1].name, std::string("Leaf of others"));
        QVERIFY(gaps(*drawn).empty() && fitsItsPorts(*drawn));
        QCOMPARE(drawn->nodes, c.nodes);
        QCOMPARE(*wired(*drawn, NetworkShape::FatTree), *drawn);
        for (const std::string& name : {c.nodes[0].name, std::string()}) { // which tell nothing apart
            c.nodes[1].name = name;
            const auto byId = wired(c, NetworkShape::FatTree);
            QCOMPARE(byId->switches[0].name, "Leaf of " + c.nodes[0].id);
            QCOMPARE(byId->switches[1].name, std::string("Leaf of spine"));
        }
    }

    void nothingWithoutNodesOrNics()
    {
        QVERIFY(!wired({}, NetworkShape::FatTree));
        QVERIFY(!wired(nodesOf(4, 0), NetworkShape::FatTree));
        Cluster many = nodesOf(1000, 8);
        many.nodes.push_back(many.nodes[0]);
        many.nodes[1].id = "others";
        QVERIFY(!wired(many, NetworkShape::FatTree)); // unlike groups below a core
        for (const NetworkShape shape : {NetworkShape::FatTree, NetworkShape::RailOptimised}) {
            QVERIFY(wired(nodesOf(8192, 8), shape)); // 64 pods of 32 leaves
            QVERIFY(!wired(nodesOf(8193, 8), shape));
        }
        QVERIFY(!wired(nodesOf(100, 40), NetworkShape::RailOptimised)); // more rails than a pod has leaves
    }

    void anyNumberIsJoinedOneToOne()
    {
        QVERIFY(rc::check("one to one within the ports", [] {
            const Cluster bare = nodesOf(*rc::gen::inRange(2, 3000), *rc::gen::element(1, 2, 4, 8, 16));
            const NetworkShape shape = *rc::gen::element(NetworkShape::FatTree, NetworkShape::RailOptimised);
            const auto drawn = wired(bare, shape);
            RC_ASSERT(drawn.has_value());
            RC_ASSERT(fitsItsPorts(*drawn));
            RC_ASSERT(isOneToOne(*drawn, bare));
        }));
    }
};

STRATOPLAN_TEST(TestNetworkShapes)
#include "test_network_shapes.moc"
