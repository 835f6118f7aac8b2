// SPDX-License-Identifier: GPL-3.0-or-later
// Where ranks lie on a cluster, what colours them, and the grid of all accelerators of a group of nodes.
#include "widgets/presentation/node_grid.h"
#include "widgets/presentation/rank_map.h"

#include <QTest>

#include <set>

using namespace stratoplan;
using namespace stratoplan::widgets;

namespace {

/// Four nodes of eight, then two of four.
cluster::Cluster twoGroups()
{
    cluster::Cluster c;
    cluster::NodeGroup first;
    first.id = "first";
    first.count = 4;
    cluster::NodeGroup empty = first;
    empty.id = "empty";
    empty.count = 0;
    cluster::NodeGroup second = first;
    second.id = "second";
    second.count = 2;
    second.acceleratorsPerNode = 4;
    c.nodes = {first, empty, second};
    return c;
}

parallel::Strategy strategyOf(int tp, int pp, int dp)
{
    parallel::Strategy s;
    s.tp = tp;
    s.pp = pp;
    s.dp = dp;
    return s;
}

} // namespace

class TestRankMap : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void ranksTakeTheGroupsInTheirOrder()
    {
        const RankMap map(twoGroups(), strategyOf(4, 3, 3));
        QCOMPARE(map.firstRank("first"), std::optional(0));
        QCOMPARE(map.firstRank("second"), std::optional(32));
        QVERIFY(!map.firstRank("empty") && !map.firstRank("other"));
        QCOMPARE(map.ranks(), 36);
        QCOMPARE(map.place(parallel::Axis::Tp, 6), 2);
        QCOMPARE(map.place(parallel::Axis::Dp, 6), 1);
        QCOMPARE(map.place(parallel::Axis::Pp, 13), 1);
        QCOMPARE(map.place(parallel::Axis::Pp, 36), -1); // idle
        QCOMPARE(map.group(parallel::Axis::Pp, 13), (std::vector{1, 13, 25}));
        QCOMPARE(map.group(parallel::Axis::Tp, 6), (std::vector{4, 5, 6, 7}));
        QVERIFY(map.group(parallel::Axis::Tp, 36).empty());
    }

    /// A stage with a TP of its own keeps its devices.
    void stagesMayBeUnlike()
    {
        parallel::Strategy s = strategyOf(4, 2, 4);
        s.stageTp = {4, 8};
        const RankMap map(twoGroups(), s);
        QCOMPARE(map.size(parallel::Axis::Tp), 8);
        QCOMPARE(map.size(parallel::Axis::Dp), 4);
        QCOMPARE(map.group(parallel::Axis::Tp, 5), (std::vector{4, 5, 6, 7}));
        QCOMPARE(map.group(parallel::Axis::Tp, 21), (std::vector{16, 17, 18, 19, 20, 21, 22, 23}));
        QCOMPARE(map.group(parallel::Axis::Dp, 17), (std::vector{17, 25}));
        QCOMPARE(map.place(parallel::Axis::Pp, 21), 1);
    }

    void acceleratorsAreDescribed()
    {
        const RankMap map(twoGroups(), strategyOf(4, 1, 9));
        QCOMPARE(map.describe(33, 1, 4), QStringLiteral("Rank 33 · node 0, accelerator 1 · TP 1 · DP 8"));
        QCOMPARE(map.describe(36, 4, 4), QStringLiteral("Idle · node 1, accelerator 0"));
    }

    void placesAreToldApart()
    {
        for (const ThemeKind kind : {ThemeKind::Light, ThemeKind::Dark, ThemeKind::HighContrast}) {
            const Tokens& t = tokens(kind);
            for (const int places : {2, 8, 16, 64}) {
                std::set<QRgb> colours;
                for (int place = 0; place < places; ++place)
                    colours.insert(placeColour(t, place, places).rgb());
                QCOMPARE(colours.size(), std::size_t(places));
            }
            QVERIFY(loadColour(t, 0) != loadColour(t, 0.5) && loadColour(t, 0.5) != loadColour(t, 1));
            QCOMPARE(loadColour(t, 3), loadColour(t, 1));
        }
    }

    void everyAcceleratorHasACellOfItsOwn_data()
    {
        QTest::addColumn<int>("nodes");
        QTest::addColumn<int>("perNode");
        for (const auto& [nodes, perNode] : {std::pair(1, 8), {64, 8}, {7, 5}, {2048, 8}, {18, 4}, {1, 1}, {3, 72}})
            QTest::addRow("%d x %d", nodes, perNode) << nodes << perNode;
    }

    void everyAcceleratorHasACellOfItsOwn()
    {
        QFETCH(int, nodes);
        QFETCH(int, perNode);
        const QRectF room(0, 0, 144, 88);
        const NodeGrid grid(nodes, perNode, room.size());
        QVERIFY(grid.pitch() > 0 && room.adjusted(-1e-9, -1e-9, 1e-9, 1e-9).contains(grid.bounds()));
        for (int i = 0; i < grid.accelerators(); ++i) {
            QCOMPARE(grid.acceleratorAt(grid.cellRect(i).center()), i);
            QVERIFY(grid.nodeRect(i / perNode).contains(grid.cellRect(i)));
        }
        for (int node = 0; node < nodes; ++node) { // between nodes there is none
            QCOMPARE(grid.acceleratorAt(grid.titleRect(node).center()), -1);
            QVERIFY(!grid.nodeRect(node).intersects(grid.nodeRect((node + 1) % nodes)) || nodes == 1);
        }
        QCOMPARE(grid.acceleratorAt({-1, -1}), -1);
    }

    void theRoomIsUsed()
    {
        // 512 squares of that size and the gaps between nodes are most of the box.
        const NodeGrid grid(64, 8, {144, 88});
        QVERIFY(512 * grid.pitch() * grid.pitch() > 0.5 * 144 * 88);
    }

    void arrowsWalkOverAllNodes()
    {
        const NodeGrid grid(4, 8, {144, 88}); // two rows of two nodes, each four by two
        QCOMPARE(grid.neighbour(0, 1, 0), 1);
        QCOMPARE(grid.neighbour(0, 0, 1), 4);
        QCOMPARE(grid.neighbour(3, 1, 0), 8); // into the next node
        QCOMPARE(grid.neighbour(4, 0, 1), 16); // and that below
        QCOMPARE(grid.neighbour(0, -1, 0), 0);
        QCOMPARE(grid.neighbour(0, 0, -1), 0);
        QCOMPARE(grid.neighbour(31, 1, 0), 31);
        QCOMPARE(grid.neighbour(31, 0, 1), 31);
    }

    void onlyNodesInViewAreAskedFor()
    {
        const NodeGrid grid(2048, 8, {144, 88});
        const auto few = grid.nodesIn(grid.nodeRect(1000));
        QVERIFY(few.first <= 1000 && few.end > 1000 && few.end - few.first < 200);
        const auto all = grid.nodesIn(grid.bounds());
        QVERIFY(all.first == 0 && all.end == 2048);
        QVERIFY(grid.nodesIn({200, 200, 10, 10}).end == 0);
    }
};

QTEST_MAIN(TestRankMap)
#include "test_rank_map.moc"
