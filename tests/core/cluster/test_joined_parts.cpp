// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cluster/fabric.h"
#include "core/cluster/joined_parts.h"
#include "core/cluster/network_shapes.h"
#include "tests/core/fixtures.h"
#include "tests/registry.h"

#include <QTest>

using namespace stratoplan;
using namespace stratoplan::cluster;

namespace {

/// Two groups of four nodes, each below switches of its own of those tiers.
Cluster apart(SwitchTier first, SwitchTier second)
{
    Cluster cluster = fixtures::cluster(4);
    cluster.nodes.push_back(cluster.nodes.front());
    cluster.nodes.back().id = "others";
    const Link cable = cluster.nodes.front().nic;
    const auto add = [&](const std::string& nodes, const std::string& stem, SwitchTier top) {
        std::string below = nodes;
        for (const SwitchTier tier : {SwitchTier::Leaf, SwitchTier::Spine, SwitchTier::Core})
            if (tier <= top) {
                const std::string id = stem + std::to_string(int(tier));
                cluster.switches.push_back({id, id, tier, 32, tier == top ? 1 : 2});
                cluster.connections.push_back({below, id, cable, 32});
                below = id;
            }
    };
    add("nodes", "a", first);
    add("others", "b", second);
    return cluster;
}

} // namespace

class TestJoinedParts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theLowerEndGoesToTheHigher_data()
    {
        QTest::addColumn<int>("first");
        QTest::addColumn<int>("second");
        QTest::addColumn<QString>("link");
        QTest::newRow("leaf, leaf") << 0 << 0 << "b0 a0 new";
        QTest::newRow("leaf, spine") << 0 << 1 << "b1 a0";
        QTest::newRow("spine, leaf") << 1 << 0 << "b0 a1";
        QTest::newRow("spine, spine") << 1 << 1 << "b1 a1 new";
        QTest::newRow("core, leaf") << 2 << 0 << "b0 a2";
        QTest::newRow("core, core") << 2 << 2 << "";
    }
    void theLowerEndGoesToTheHigher()
    {
        QFETCH(const int, first);
        QFETCH(const int, second);
        constexpr std::array kTiers{SwitchTier::Leaf, SwitchTier::Spine, SwitchTier::Core};
        const Cluster cluster = apart(kTiers[std::size_t(first)], kTiers[std::size_t(second)]);
        QVERIFY(!gaps(cluster).empty());
        const auto joined = joinedParts(cluster, "others");
        QTEST(joined ? QString::fromStdString(joined->far + ' ' + joined->near + (joined->isByNew ? " new" : ""))
                     : QString(""),
            "link");
        if (!joined)
            return;
        QVERIFY(gaps(joined->cluster).empty());
        for (const SwitchGroup& group : joined->cluster.switches) {
            int cables = 0;
            for (const Connection& c : joined->cluster.connections)
                cables += c.from == group.id || c.to == group.id ? c.cables : 0;
            QVERIFY2(cables <= group.ports * group.count, group.id.c_str());
        }
        QCOMPARE(joined->cluster.connections.back().cables, 32);
        QVERIFY(!joinedParts(joined->cluster, "others"));
    }

    void nothingWithoutTwoParts()
    {
        Cluster cluster = apart(SwitchTier::Leaf, SwitchTier::Leaf);
        QVERIFY(!joinedParts(cluster, "nodes"));
        cluster.connections.pop_back(); // of the others, which have no switch then
        QVERIFY(!joinedParts(cluster, "others"));
        QVERIFY(!joinedParts(Cluster{}, "others"));
    }

    /// Leaves become as many as hold the cables, and no more.
    void noMoreSwitchesThanItTakes()
    {
        Cluster cluster = apart(SwitchTier::Leaf, SwitchTier::Leaf);
        for (SwitchGroup& group : cluster.switches) {
            group.ports = 12;
            group.count = 3; // 36 ports, of which nodes take 32
        }
        const auto joined = joinedParts(cluster, "others");
        QVERIFY(joined && joined->isByNew);
        QCOMPARE(joined->cluster.switches[0].count, 6); // 64 cables
        QCOMPARE(joined->cluster.switches[1].count, 6);
        QCOMPARE(joined->cluster.switches[2].count, 1); // 64 ports
        QCOMPARE(joined->cluster.switches[2].ports, 64);
    }

    /// Where each rail is a group of switches of its own, none stays apart.
    void allHighestSwitchesAreLinked()
    {
        Cluster cluster = apart(SwitchTier::Leaf, SwitchTier::Leaf);
        const Link cable = cluster.nodes.front().nic;
        cluster.connections.back().cables = 16;
        cluster.switches.push_back({"rail", "Rail", SwitchTier::Leaf, 32, 1});
        cluster.connections.push_back({"others", "rail", cable, 16});
        const auto joined = joinedParts(cluster, "others");
        QVERIFY(joined && gaps(joined->cluster).empty());
        for (const char* lower : {"a0", "b0", "rail"})
            QVERIFY2(std::ranges::any_of(joined->cluster.connections,
                         [&](const Connection& c) { return c.from == lower && c.to == "spine"; }),
                lower);
    }

    void whatAPlanMayNotHoldIsNotDrawn()
    {
        Cluster cluster = apart(SwitchTier::Leaf, SwitchTier::Leaf);
        for (Connection& c : cluster.connections)
            c.cables = 100'000'000;
        QVERIFY(!joinedParts(cluster, "others"));
    }

    /// Rails are in blocks: as many more switches as keep these alike.
    void blocksStayAlike()
    {
        Cluster cluster = *wired(fixtures::cluster(32), NetworkShape::RailOptimised);
        for (SwitchGroup& group : cluster.switches)
            group.ports = 32; // all taken by nodes
        cluster.nodes.push_back(cluster.nodes.front());
        cluster.nodes.back().id = "others";
        cluster.switches.push_back({"b", "B", SwitchTier::Leaf, 512, 1});
        cluster.connections.push_back({"others", "b", cluster.nodes.front().nic, 256});
        const auto joined = joinedParts(cluster, "others");
        QVERIFY(joined && gaps(joined->cluster).empty());
        for (const SwitchGroup& group : joined->cluster.switches)
            QVERIFY2(group.blocks == 0 || group.count % group.blocks == 0, group.id.c_str());
    }
};

STRATOPLAN_TEST(TestJoinedParts)
#include "test_joined_parts.moc"
