// SPDX-License-Identifier: GPL-3.0-or-later
// A cluster lowered to levels, and collectives on them against closed forms.
#include "core/cluster/cluster_edits.h"
#include "core/cluster/collectives.h"
#include "core/cluster/cuts.h"
#include "core/cluster/fabric.h"
#include "tests/registry.h"

#include <QTest>
#include <cmath>
#include <rapidcheck.h>
#include <set>

using namespace stratoplan::cluster;
using namespace stratoplan::units;

namespace {

Link link(const char* name, double bandwidth, double sustained, double latency)
{
    Link l;
    l.name = name;
    l.bandwidth = BytesPerSecond(bandwidth);
    l.sustained = sustained;
    l.latency = Seconds(latency);
    return l;
}

NodeGroup dgx(int count)
{
    NodeGroup g;
    g.id = "nodes";
    g.name = "DGX A100";
    g.acceleratorsPerNode = 8;
    g.scaleUp = link("NVLink 3", 300e9, 0.8, 2e-6);
    g.scaleUpDomain = 8;
    g.nic = link("InfiniBand HDR", 25e9, 0.9, 5e-6);
    g.nicsPerNode = 8;
    g.count = count;
    return g;
}

/// 16 nodes below two leaf switches; `uplinks` cables of 200 Gb/s up from all leaves together.
Cluster leafSpine(int uplinks)
{
    Cluster c;
    c.nodes = {dgx(16)};
    c.switches = {{"leaf", "Leaf", SwitchTier::Leaf, 128, 2}, {"spine", "Spine", SwitchTier::Spine, 128, 1}};
    c.connections = {
        {"nodes", "leaf", link("HDR", 25e9, 0.9, 5e-6), 128}, {"leaf", "spine", link("HDR", 25e9, 0.9, 5e-6), uplinks}};
    return c;
}

Topology twoLevels(int nodes)
{
    Cluster c;
    c.nodes = {dgx(nodes)};
    return topology(c);
}

Topology flat(int size, double bandwidth, double latency)
{
    return {{{"link", size, BytesPerSecond(bandwidth), Seconds(latency), 1}}, size};
}

Span anySpan(const Topology& machine)
{
    const int inside = 1 << *rc::gen::inRange(0, 4);
    const int domains = *rc::gen::inRange(1, machine.accelerators / 8 + 1);
    return {inside * domains, inside, 8 / inside};
}

bool close(Seconds a, Seconds b)
{
    return std::abs(a.value() - b.value()) <= 1e-12 * std::max(std::abs(a.value()), std::abs(b.value()));
}

using Places = std::vector<std::size_t>;

/// Behind a group of no nodes.
Cluster spineAlone()
{
    Cluster c;
    c.nodes.push_back(dgx(0));
    c.switches.push_back({"spine", "Spine", SwitchTier::Spine, 128, 1});
    return c;
}

/// With nodes of its own, whose NICs are of this rate.
void addLeaf(Cluster& c, int count, int uplinks, double rate = 1)
{
    const std::string place = std::to_string(c.nodes.size());
    c.nodes.push_back(dgx(count));
    c.nodes.back().id = "nodes" + place;
    c.nodes.back().nic.bandwidth *= rate;
    const Link nic = c.nodes.back().nic;
    c.switches.push_back({"leaf" + place, "Leaf", SwitchTier::Leaf, 128, 1});
    c.connections.push_back({c.nodes.back().id, "leaf" + place, nic, count * 8});
    c.connections.push_back({"leaf" + place, "spine", nic, uplinks});
}

} // namespace

class TestCluster : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void keysAreUnlike()
    {
        std::set<std::string_view> keys;
        for (int i = 0; i <= static_cast<int>(LinkKind::Other); ++i)
            QVERIFY(!key(static_cast<LinkKind>(i)).empty() && keys.insert(key(static_cast<LinkKind>(i))).second);
        for (const SwitchTier tier : {SwitchTier::Leaf, SwitchTier::Spine, SwitchTier::Core})
            QVERIFY(!key(tier).empty() && keys.insert(key(tier)).second);
    }

    void countsWhatIsThere()
    {
        Cluster c;
        QCOMPARE(acceleratorCount(c), 0);
        c.nodes = {dgx(128), dgx(2)};
        c.nodes[1].acceleratorsPerNode = 4;
        QCOMPARE(acceleratorCount(c), 1032);
        QCOMPARE(nodeCount(c), 130);
        c.nodes[1].count = -3;
        QCOMPARE(acceleratorCount(c), 1024);
    }

    void levelsOfAPlainCluster()
    {
        const Topology t = twoLevels(128);
        QCOMPARE(t.accelerators, 1024);
        QCOMPARE(t.levels.size(), std::size_t{2});
        QCOMPARE(t.levels[0].name, "NVLink 3");
        QCOMPARE(t.levels[0].size, 8);
        QCOMPARE(t.levels[0].bandwidth.value(), 240e9);
        QCOMPARE(t.levels[1].name, "InfiniBand HDR");
        QCOMPARE(t.levels[1].size, 1024);
        QCOMPARE(t.levels[1].bandwidth.value(), 8 * 22.5e9);
        QCOMPARE(t.levels[1].latency.value(), 5e-6);
    }

    void oneDomainHasNoNetwork()
    {
        QCOMPARE(twoLevels(1).levels.size(), std::size_t{1});
        QVERIFY(topology(Cluster{}).levels.empty());
    }

    void aDomainMaySpanNodes()
    {
        Cluster c;
        c.nodes = {dgx(36)};
        c.nodes[0].acceleratorsPerNode = 4;
        c.nodes[0].nicsPerNode = 4;
        c.nodes[0].scaleUpDomain = 72;
        const Topology t = topology(c);
        QCOMPARE(t.levels[0].size, 72);
        QCOMPARE(t.levels[1].bandwidth.value(), 72 * 22.5e9);
    }

    void unlikeNodesTakeTheSlowestOfEach()
    {
        Cluster c;
        c.nodes = {dgx(4), dgx(4)};
        c.nodes[1].scaleUpDomain = 4;
        c.nodes[1].scaleUp.bandwidth = BytesPerSecond(600e9);
        c.nodes[1].nicsPerNode = 1;
        c.nodes[1].nic.latency = Seconds(20e-6);
        const Topology t = topology(c);
        QCOMPARE(t.levels[0].size, 4);
        QCOMPARE(t.levels[0].bandwidth.value(), 240e9);
        QCOMPARE(t.levels[1].bandwidth.value(), 22.5e9 / 2);
        QCOMPARE(t.levels[1].latency.value(), 20e-6);
    }

    void oversubscribedLeavesAreALevel()
    {
        QCOMPARE(uplinkShare(leafSpine(128), SwitchTier::Leaf), 1.0);
        QCOMPARE(uplinkShare(leafSpine(256), SwitchTier::Leaf), 1.0);
        QCOMPARE(uplinkShare(leafSpine(32), SwitchTier::Leaf), 0.25);
        QCOMPARE(uplinkShare(leafSpine(0), SwitchTier::Leaf), 0.0);
        // Of nodes with faster NICs than others, in their own terms.
        Cluster unlike = leafSpine(128);
        NodeGroup slow = unlike.nodes.front();
        slow.id = "slow";
        slow.nic.bandwidth *= 0.5;
        unlike.nodes.push_back(slow);
        for (std::size_t i : {0, 1})
            unlike.connections.push_back(unlike.connections[i]);
        unlike.connections[2].from = "slow";
        unlike.connections[1].cables = unlike.connections[3].cables = 64;
        QVERIFY(uplinkShare(unlike, SwitchTier::Leaf) < 0.75);
        QCOMPARE(leastUplinked(leafSpine(32), SwitchTier::Leaf), Places{}); // it is that of all
        QCOMPARE(leastUplinked(leafSpine(128), SwitchTier::Leaf), Places{});
        QCOMPARE(topology(leafSpine(128)).levels.size(), std::size_t{2});
        const Topology t = topology(leafSpine(32));
        QCOMPARE(t.levels.size(), std::size_t{3});
        QCOMPARE(t.levels[1].size, 64);
        QCOMPARE(t.levels[2].size, 128);
        QCOMPARE(t.levels[2].bandwidth.value(), 8 * 8 * 22.5e9 / 4);
    }

    void theLeastUplinkedNodesAreTold()
    {
        Cluster c = spineAlone();
        const auto least = [&] { return leastUplinked(c, SwitchTier::Leaf); };
        addLeaf(c, 8, 64);
        addLeaf(c, 8, 16);
        addLeaf(c, 4, 1);
        QCOMPARE(uplinkShare(c, SwitchTier::Leaf), 1 / 32.0);
        QCOMPARE(least(), Places{3});
        addLeaf(c, 4, 1, 0.5); // as little, in its own terms
        QCOMPARE(uplinkShare(c, SwitchTier::Leaf), 1 / 32.0);
        QCOMPARE(least(), (Places{3, 4}));
        c.connections[5].cables = c.connections[7].cables = 32;
        QCOMPARE(uplinkShare(c, SwitchTier::Leaf), 0.25);
        QCOMPARE(least(), Places{2});
        c.connections[3].cables = 64;
        QCOMPARE(least(), Places{});
    }

    /// Those that could send more lose most.
    void nodesShareTheUplinksOfTheirLeaf()
    {
        Cluster c = spineAlone();
        addLeaf(c, 8, 4);
        addLeaf(c, 4, 0);
        addLeaf(c, 4, 0, 0.5);
        addLeaf(c, 4, 8);
        c.connections[2].to = c.connections[4].to = "leaf1";
        QCOMPARE(leastUplinked(c, SwitchTier::Leaf), (Places{1, 2}));
        c.nodes[3].nic = c.connections[4].link = c.nodes[1].nic;
        QCOMPARE(leastUplinked(c, SwitchTier::Leaf), (Places{1, 2, 3}));
    }

    void crossingOversubscribedLeavesIsSlower()
    {
        const Topology t = topology(leafSpine(32));
        const Span below{.size = 64, .inside = 8, .outer = {{{64}}}};
        const Span across{.size = 128, .inside = 8, .outer = {{{64}}}};
        QCOMPARE(uplinkBandwidth(t, below).value(), 180e9);
        QCOMPARE(uplinkBandwidth(t, across).value(), 180e9);
        const Span everyRank{.size = 16, .inside = 1, .sharingUplink = 8, .outer = {{{8, 8}}}};
        QCOMPARE(uplinkBandwidth(t, everyRank).value(), 22.5e9);
        // Eight domains under the leaf talk to the other leaf in pairs: their uplinks hold a quarter of that.
        const Span pairs{.size = 2, .inside = 1, .sharingUplink = 8, .outer = {{{1, 64}}}};
        QCOMPARE(uplinkBandwidth(t, pairs).value(), 22.5e9 / 4);
    }

    void oneRankDrivesItsOwnPort()
    {
        const Topology eight = twoLevels(4);
        QCOMPARE(uplinkBandwidth(eight, {.size = 4, .inside = 1, .sharingUplink = 1}).value(), 22.5e9);
        Cluster one;
        one.nodes = {dgx(4)};
        one.nodes[0].nicsPerNode = 1;
        QCOMPARE(uplinkBandwidth(topology(one), {.size = 4, .inside = 1, .sharingUplink = 1}).value(), 22.5e9);
        QCOMPARE(uplinkBandwidth(topology(one), {.size = 4, .inside = 1, .sharingUplink = 8}).value(), 22.5e9 / 8);
    }

    /// Of a leaf for each node half the uplinks still carry what a rank alone sends; all eight of a node get half.
    void aRankAloneHasAWholeUplink()
    {
        Cluster c = leafSpine(64);
        c.switches.front().count = 16;
        const Topology t = topology(c);
        QCOMPARE(t.levels.size(), std::size_t{2});
        QCOMPARE(uplinkBandwidth(t, {.size = 4, .inside = 1, .sharingUplink = 1}).value(), 22.5e9);
        QCOMPARE(uplinkBandwidth(t, {.size = 128, .inside = 8, .sharingUplink = 1}).value(), 4 * 22.5e9);
    }

    /// Two domains of a node that PCIe joins: a level that what leaves the node does not go over.
    void domainsOfANodeMayBeJoined()
    {
        Cluster c;
        c.nodes = {dgx(4)};
        c.nodes[0].scaleUpDomain = 2;
        c.nodes[0].inNode = link("PCIe", 32e9, 0.5, 3e-6);
        const Topology t = topology(c);
        QCOMPARE(t.levels.size(), std::size_t{3});
        QCOMPARE(t.levels[1].size, 8);
        QCOMPARE(t.levels[1].bandwidth.value(), 2 * 16e9);
        QVERIFY(t.levels[1].isBypassed);
        QCOMPARE(smallestIsland(c), 8);
        const Span inNode{.size = 8, .inside = 2}, perNode{.size = 4, .inside = 1, .outer = {{{1, 8}}}};
        QVERIFY(crosses(t, inNode, 1));
        QVERIFY(!crosses(t, perNode, 1));
        QCOMPARE(uplinkBandwidth(t, perNode).value(), 22.5e9);
    }

    void aGroupOfOneCostsNothing()
    {
        const Topology t = twoLevels(4);
        const Span one{};
        QCOMPARE(allGather(t, one, Bytes(1e9)).value(), 0.0);
        QCOMPARE(reduceScatter(t, one, Bytes(1e9)).value(), 0.0);
        QCOMPARE(allReduce(t, one, Bytes(1e9)).value(), 0.0);
        QCOMPARE(allReduce(t, one, Bytes(1e9), CollectiveAlgorithm::InSwitch).value(), 0.0);
        QCOMPARE(allToAll(t, one, Bytes(1e9)).value(), 0.0);
        QCOMPARE(pointToPoint(t, one, Bytes(1e9)).value(), 0.0);
    }

    void closedFormsInsideADomain()
    {
        const Topology t = flat(8, 100e9, 1e-6);
        const Span all{.size = 8, .inside = 8};
        const Bytes s(800e6);
        QCOMPARE(allGather(t, all, s).value(), 7e-6 + 7e-3);
        QCOMPARE(reduceScatter(t, all, s).value(), 7e-6 + 7e-3);
        QCOMPARE(allReduce(t, all, s, CollectiveAlgorithm::Ring).value(), 14e-6 + 14e-3);
        QCOMPARE(allReduce(t, all, s, CollectiveAlgorithm::DoubleTree).value(), 6e-6 + 16e-3);
        QCOMPARE(allReduce(t, all, s, CollectiveAlgorithm::InSwitch).value(), 2e-6 + 8e-3);
        QCOMPARE(allToAll(t, all, s).value(), 7e-6 + 7e-3);
        QCOMPARE(pointToPoint(t, all, s).value(), 1e-6 + 8e-3);
    }

    void ringOnTwoRanksMovesTheWholeTensor()
    {
        const Topology t = flat(2, 1e9, 0);
        QCOMPARE(allReduce(t, {.size = 2, .inside = 2}, Bytes(1e9)).value(), 1.0);
    }

    void busBandwidthIdentities()
    {
        QVERIFY(rc::check("algorithm bandwidth times the bus factor is the link", [] {
            const int n = *rc::gen::inRange(2, 513);
            const Topology t = flat(n, 200e9, 0);
            const Span all{.size = n, .inside = n};
            const double share = double(n - 1) / n;
            const auto busbw = [&](Seconds time, double factor) { return 1e9 / time.value() * factor / 200e9; };
            RC_ASSERT(std::abs(busbw(allReduce(t, all, Bytes(1e9), CollectiveAlgorithm::Ring), 2 * share) - 1) < 1e-12);
            RC_ASSERT(std::abs(busbw(allGather(t, all, Bytes(1e9)), share) - 1) < 1e-12);
            RC_ASSERT(std::abs(busbw(reduceScatter(t, all, Bytes(1e9)), share) - 1) < 1e-12);
            RC_ASSERT(std::abs(busbw(allToAll(t, all, Bytes(1e9)), share) - 1) < 1e-12);
        }));
    }

    void allReduceIsReduceScatterAndAllGather()
    {
        QVERIFY(rc::check("ring and hierarchical", [] {
            const Topology t = twoLevels(64);
            const Span span = anySpan(t);
            const Bytes bytes(std::pow(10.0, *rc::gen::inRange(0, 11)));
            for (const auto algorithm : {CollectiveAlgorithm::Ring, CollectiveAlgorithm::Hierarchical}) {
                const Seconds parts = reduceScatter(t, span, bytes, algorithm) + allGather(t, span, bytes, algorithm);
                RC_ASSERT(close(allReduce(t, span, bytes, algorithm), parts));
            }
            RC_ASSERT(allReduce(t, span, bytes) <= allReduce(t, span, bytes, CollectiveAlgorithm::Ring));
        }));
    }

    void ringsLeaveADomainOverOneHop()
    {
        const Topology t = twoLevels(4);
        const Span all{.size = 32, .inside = 8};
        const double crossings = 4.0 / 32, hop = 5e-6 * crossings + 2e-6 * (1 - crossings);
        const Seconds ring = allGather(t, all, Bytes(1e9), CollectiveAlgorithm::Ring);
        QVERIFY(close(ring, Seconds(31 * hop + 31.0 / 32 * 1e9 / 180e9)));
        const Span alone{.size = 4, .inside = 1}; // of each domain: all hops cross
        QVERIFY(close(allGather(t, alone, Bytes(1e9)), Seconds(3 * 5e-6 + 0.75 * 1e9 / 22.5e9)));
    }

    void hierarchicalMovesOneShareThroughTheNetwork()
    {
        // 4 nodes of 8, whole nodes: RS and AG inside over S, all-reduce of S/8 between nodes on each of 8 ports.
        const Topology t = twoLevels(4);
        const Span all{.size = 32, .inside = 8};
        const double s = 1e9;
        const double inner = 7 * 2e-6 + 7.0 / 8 * s / 240e9;
        const double outer = 3 * 5e-6 + 3.0 / 4 * (s / 8) / 22.5e9;
        QCOMPARE(allReduce(t, all, Bytes(s), CollectiveAlgorithm::Hierarchical).value(), 2 * (inner + outer));
    }

    void manyRanksPreferTheTreeForSmallTensors()
    {
        const Topology t = twoLevels(128);
        const Span all{.size = 1024, .inside = 8};
        QCOMPARE(
            allReduce(t, all, Bytes(8)).value(), allReduce(t, all, Bytes(8), CollectiveAlgorithm::DoubleTree).value());
    }

    void neverFasterWithLessBandwidthOrMoreBytes()
    {
        QVERIFY(rc::check("monotone", [] {
            Cluster c;
            c.nodes = {dgx(64)};
            const Topology fast = topology(c);
            c.nodes[0].nic.bandwidth *= 0.5;
            const Topology slow = topology(c);
            const Span span = anySpan(fast);
            const Bytes bytes(*rc::gen::inRange(1, 1000000000));
            RC_ASSERT(allReduce(slow, span, bytes) >= allReduce(fast, span, bytes));
            RC_ASSERT(allGather(slow, span, bytes) >= allGather(fast, span, bytes));
            RC_ASSERT(allToAll(slow, span, bytes) >= allToAll(fast, span, bytes));
            RC_ASSERT(pointToPoint(slow, span, bytes) >= pointToPoint(fast, span, bytes));
            RC_ASSERT(allReduce(fast, span, bytes * 2.0) >= allReduce(fast, span, bytes));
        }));
    }

    /// However the drawing runs, and whoever edits it, the same cables follow.
    void cablesFollowThePortsBelowThem()
    {
        Cluster c = leafSpine(9);
        c.connections[0].cables = 9;
        scaleUplinks(c, "nodes", 4, 1);
        QCOMPARE(c.connections[0].cables, 3); // 2 would leave ports without a cable
        QCOMPARE(c.connections[1].cables, 9);
        scaleUplinks(c, "leaf", 2, 4);
        QCOMPARE(c.connections[0].cables, 3); // below the leaves nothing changed
        QCOMPARE(c.connections[1].cables, 18);
        std::swap(c.connections[0].from, c.connections[0].to);
        scaleUplinks(c, "nodes", 1, 4);
        QCOMPARE(c.connections[0].cables, 12);
        scaleUplinks(c, "nodes", 1000, 1);
        QCOMPARE(c.connections[0].cables, 1);
        scaleUplinks(c, "nodes", 0, 5);
        scaleUplinks(c, "spine", 1, 5);
        QCOMPARE(c.connections[0].cables, 1);
        QCOMPARE(c.connections[1].cables, 18);
    }

    /// Leaves that every node reaches stay so, with more ports; blocks of leaves grow with those of spines.
    void railsGrowAsRails()
    {
        Cluster c{"rails", {dgx(16)}, {{"leaf", "Leaf", SwitchTier::Leaf, 16, 8, 1}}, {}};
        c.connections = {{"nodes", "leaf", link("HDR", 25e9, 0.9, 5e-6), 128}};
        QVERIFY(gaps(c).empty());
        setNodeCount(c, 0, 32);
        QCOMPARE(c.switches[0].count, 8);
        QCOMPARE(c.switches[0].ports, 32);
        QVERIFY(gaps(c).empty());

        c.nodes = {dgx(16)};
        c.switches = {{"leaf", "Leaf", SwitchTier::Leaf, 64, 4, 2}, {"spine", "Spine", SwitchTier::Spine, 64, 2, 2},
            {"core", "Core", SwitchTier::Core, 1024, 1}};
        c.connections = {{"nodes", "leaf", link("HDR", 25e9, 0.9, 5e-6), 128},
            {"leaf", "spine", link("HDR", 25e9, 0.9, 5e-6), 128}, {"spine", "core", link("HDR", 25e9, 0.9, 5e-6), 64}};
        QVERIFY(gaps(c).empty());
        setNodeCount(c, 0, 17);
        QCOMPARE(c.switches[0].blocks % c.switches[1].blocks, 0);
        QCOMPARE(c.switches[0].count / c.switches[0].blocks, 2);
        QVERIFY(gaps(c).empty());
    }

    void scaledCablesFitThePorts()
    {
        QVERIFY(rc::check("fit", [] {
            const int nodes = *rc::gen::inRange(1, 5000);
            const int nics = *rc::gen::inRange(1, 17);
            Cluster c = leafSpine(1);
            c.connections[0].cables = *rc::gen::inRange(1, nodes * nics + 1);
            const int after = *rc::gen::inRange(1, 5000);
            scaleUplinks(c, "nodes", nodes, after);
            RC_ASSERT(c.connections[0].cables >= 1);
            RC_ASSERT(c.connections[0].cables <= after * nics);
        }));
    }

    void allToAllIsLimitedByThePortsOfTheNode()
    {
        const Topology t = twoLevels(4);
        const double local = 1e9;
        const double outside = 8 * local * 24 / 32 / 180e9;
        QCOMPARE(allToAll(t, {.size = 32, .inside = 8}, Bytes(local)).value(), 31 * 5e-6 + outside);
    }
};

STRATOPLAN_TEST(TestCluster)
#include "test_cluster.moc"
