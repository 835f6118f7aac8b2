// SPDX-License-Identifier: GPL-3.0-or-later
// Which algorithm a collective takes by its size and span, as NCCL would choose, and what each takes.
#include "core/cluster/collectives.h"
#include "tests/registry.h"

#include <QTest>
#include <cmath>
#include <rapidcheck.h>

using namespace stratoplan::cluster;
using namespace stratoplan::units;

namespace {

constexpr double kPort = 22.5e9, kHop = 5e-6, kInside = 240e9, kInsideHop = 2e-6;

/// Nodes of 8 accelerators below two leaves and a spine, one to one.
Cluster fabricOf(int nodes)
{
    Link inside, port;
    inside.name = "NVLink";
    inside.bandwidth = BytesPerSecond(300e9);
    inside.latency = Seconds(kInsideHop);
    port.name = "HDR";
    port.bandwidth = BytesPerSecond(25e9);
    port.sustained = 0.9;
    port.latency = Seconds(kHop);
    NodeGroup group;
    group.id = "nodes";
    group.scaleUp = inside;
    group.nic = port;
    group.count = nodes;
    Cluster c;
    c.nodes = {group};
    c.switches = {
        {"leaf", "Leaf", SwitchTier::Leaf, 8 * nodes, 2}, {"spine", "Spine", SwitchTier::Spine, 8 * nodes, 1}};
    c.connections = {{"nodes", "leaf", port, 8 * nodes}, {"leaf", "spine", port, 8 * nodes}};
    return c;
}

Cluster reducing(Cluster c)
{
    for (SwitchGroup& group : c.switches)
        group.reduces = true;
    return c;
}

Span anySpan(const Topology& machine)
{
    const int inside = 1 << *rc::gen::inRange(0, 4);
    const int domains = *rc::gen::inRange(1, machine.accelerators / 8 + 1);
    return {inside * domains, inside, 8 / inside};
}

Bytes anyBytes()
{
    return Bytes(std::pow(10.0, *rc::gen::inRange(0, 110) / 10.0));
}

} // namespace

class TestCollectiveChoice : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void recursionTakesFewRounds()
    {
        const Topology t = topology(fabricOf(64));
        const Span perNode{.size = 64, .inside = 1, .sharingUplink = 8};
        const Seconds small = allGather(t, perNode, Bytes(1e6), CollectiveAlgorithm::Recursive);
        QCOMPARE(small.value(), (6 + 64 / 5.0) * kHop + 63.0 / 64 * 1e6 / (0.75 * kPort));
        QVERIFY(small < allGather(t, perNode, Bytes(1e6), CollectiveAlgorithm::Ring));
        QCOMPARE(allGather(t, perNode, Bytes(1e6)).value(), small.value());
        QCOMPARE(reduceScatter(t, perNode, Bytes(1e6)).value(), small.value());
        // The ring has all of the bandwidth.
        QCOMPARE(allGather(t, perNode, Bytes(1e9)).value(), 63 * kHop + 63.0 / 64 * 1e9 / kPort);
        // NCCL has it for groups of one rank of each node alone, whatever joins the domains of a node.
        Cluster pcie = fabricOf(64);
        pcie.nodes[0].scaleUpDomain = 1;
        pcie.nodes[0].inNode = pcie.nodes[0].scaleUp;
        const Topology joined = topology(pcie);
        QVERIFY(joined.levels[1].isBypassed);
        const Span inNode{.size = 8, .inside = 1, .outer = {{{8}}}},
            apart{.size = 64, .inside = 1, .outer = {{{1, 8}}}};
        QCOMPARE(
            allGather(joined, inNode, Bytes(1e3)), allGather(joined, inNode, Bytes(1e3), CollectiveAlgorithm::Ring));
        QVERIFY(allGather(joined, apart, Bytes(1e3)) < allGather(joined, apart, Bytes(1e3), CollectiveAlgorithm::Ring));
        const Span whole{.size = 512, .inside = 8};
        QCOMPARE(allGather(t, whole, Bytes(1e3)).value(),
            std::min(allGather(t, whole, Bytes(1e3), CollectiveAlgorithm::Ring),
                allGather(t, whole, Bytes(1e3), CollectiveAlgorithm::Hierarchical))
                .value());
    }

    void switchesReduceWhereAllOnTheWayDo()
    {
        const Cluster plain = fabricOf(64);
        const Span perNode{.size = 64, .inside = 1, .sharingUplink = 8};
        const Topology t = topology(reducing(plain));
        QVERIFY(t.levels.back().reduces);
        QCOMPARE(allReduce(t, perNode, Bytes(1e9)).value(), 2 * kHop + 1e9 / kPort);
        const Span whole{.size = 512, .inside = 8};
        QCOMPARE(allReduce(t, whole, Bytes(1e9), CollectiveAlgorithm::InSwitch).value(),
            2 * (7 * kInsideHop + 7.0 / 8 * 1e9 / kInside) + 2 * kHop + 1e9 / (8 * kPort));
        // Many ranks on fast ports: a tree between nodes has no rings inside, and is faster still.
        QCOMPARE(allReduce(t, whole, Bytes(1e9)), allReduce(t, whole, Bytes(1e9), CollectiveAlgorithm::DoubleTree));
        // Inside a domain no switch of the network takes part.
        const Span inside{.size = 8, .inside = 8};
        QCOMPARE(allReduce(t, inside, Bytes(1e9)), allReduce(topology(plain), inside, Bytes(1e9)));

        Cluster half = reducing(plain);
        half.switches[1].reduces = false;
        QVERIFY(!topology(half).levels.back().reduces);
        QCOMPARE(allReduce(topology(half), perNode, Bytes(1e9)), allReduce(topology(plain), perNode, Bytes(1e9)));
        half.switches[1].count = 0; // takes no part
        QVERIFY(topology(half).levels.back().reduces);
        QVERIFY(!topology({"none drawn", plain.nodes, {}, {}}).levels.back().reduces);
    }

    void oversubscribedUplinksReduceToo()
    {
        Cluster c = reducing(fabricOf(64));
        c.connections[1].cables /= 4;
        const Topology t = topology(c);
        QVERIFY(t.levels.size() > 2 && t.levels.back().reduces);
        const Span across{.size = 64, .inside = 1, .sharingUplink = 8, .outer = {{{32, 8}}}};
        QVERIFY(allReduce(t, across, Bytes(1e9)) < allReduce(topology(fabricOf(64)), across, Bytes(1e9)));
    }

    void reductionInSwitchesNeverTakesLonger()
    {
        QVERIFY(rc::check("with it and without", [] {
            const Cluster plain = fabricOf(*rc::gen::inRange(2, 200));
            const Topology without = topology(plain), with = topology(reducing(plain));
            const Span span = anySpan(without);
            const Bytes bytes = anyBytes();
            RC_ASSERT(allReduce(with, span, bytes) <= allReduce(without, span, bytes));
            RC_ASSERT(allGather(with, span, bytes) == allGather(without, span, bytes));
        }));
    }

    void tokensAreGatheredInsideFirst()
    {
        const Topology t = topology(fabricOf(8));
        const Span all{.size = 64, .inside = 8};
        const auto outside = [](double bytes) { return 8 * bytes * 56 / 64 / (8 * kPort); };
        const auto hierarchical = [&](double bytes) {
            return 7 * kInsideHop + 7.0 / 8 * bytes / kInside + 7 * kHop + outside(bytes);
        };
        const double small = 1e5, large = 1e9;
        QCOMPARE(allToAll(t, all, Bytes(small), CollectiveAlgorithm::Hierarchical).value(), hierarchical(small));
        QCOMPARE(allToAll(t, all, Bytes(small)).value(), hierarchical(small));
        QCOMPARE(allToAll(t, all, Bytes(large)).value(), 63 * kHop + outside(large));
        const Span perNode{.size = 8, .inside = 1, .sharingUplink = 8};
        QCOMPARE(allToAll(t, perNode, Bytes(small)), allToAll(t, perNode, Bytes(small), CollectiveAlgorithm::Ring));
    }

    void theFastestIsNoSlowerThanAny()
    {
        QVERIFY(rc::check("each by itself", [] {
            const Topology t = topology(reducing(fabricOf(*rc::gen::inRange(2, 200))));
            const Span span = anySpan(t);
            const Bytes bytes = anyBytes();
            using A = CollectiveAlgorithm;
            for (const A algorithm : {A::Ring, A::Hierarchical}) {
                RC_ASSERT(allGather(t, span, bytes) <= allGather(t, span, bytes, algorithm));
                RC_ASSERT(allToAll(t, span, bytes) <= allToAll(t, span, bytes, algorithm));
            }
            if (span.inside == 1)
                RC_ASSERT(allGather(t, span, bytes) <= allGather(t, span, bytes, A::Recursive));
            if (span.size > span.inside) // of switches inside a domain the measured curves know
                RC_ASSERT(allReduce(t, span, bytes) <= allReduce(t, span, bytes, A::InSwitch));
            for (const A algorithm : {A::Ring, A::Hierarchical, A::DoubleTree})
                RC_ASSERT(allReduce(t, span, bytes) <= allReduce(t, span, bytes, algorithm));
            RC_ASSERT(allGather(t, span, bytes * 2.0) >= allGather(t, span, bytes));
            RC_ASSERT(allToAll(t, span, bytes * 2.0) >= allToAll(t, span, bytes));
        }));
    }
};

STRATOPLAN_TEST(TestCollectiveChoice)
#include "test_collective_choice.moc"
