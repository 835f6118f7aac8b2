// SPDX-License-Identifier: GPL-3.0-or-later
// Which rank stands where: groups divide the ranks, and lie as the placement that is priced counts them.
#include "core/parallel/rank_places.h"
#include "tests/registry.h"

#include <QTest>

#include <algorithm>
#include <set>

using namespace stratoplan::parallel;

namespace {

constexpr std::array kGroups{RankGroup::Tensor, RankGroup::Context, RankGroup::Expert, RankGroup::Pipeline,
    RankGroup::Data, RankGroup::DataContext, RankGroup::ExpertData};
constexpr int kNode = 8;

Strategy strategyOf(int tp, int cp, int dp, int pp, int ep, int etp = 1)
{
    Strategy s;
    s.tp = tp;
    s.cp = cp;
    s.dp = dp;
    s.pp = pp;
    s.ep = ep;
    s.etp = etp;
    return s;
}

/// Of all groups the nodes that the one in most of them touches.
int nodesTouched(const GroupPlaces& places, int ranks)
{
    std::size_t most = 0;
    for (int rank = 0; rank < ranks; ++rank) {
        std::set<int> nodes;
        for (const int each : places.groupOf(rank))
            nodes.insert(each / kNode);
        most = std::max(most, nodes.size());
    }
    return static_cast<int>(most);
}

} // namespace

class TestRankPlaces : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void groupsDivideTheRanks_data()
    {
        QTest::addColumn<int>("tp");
        QTest::addColumn<int>("cp");
        QTest::addColumn<int>("dp");
        QTest::addColumn<int>("pp");
        QTest::addColumn<int>("ep");
        QTest::addColumn<int>("etp");
        QTest::addRow("dense") << 4 << 2 << 4 << 4 << 1 << 1;
        QTest::addRow("experts") << 4 << 2 << 4 << 2 << 8 << 4;
        QTest::addRow("folded experts") << 4 << 1 << 8 << 2 << 16 << 1;
        QTest::addRow("experts over parts of two axes") << 2 << 6 << 2 << 2 << 4 << 2;
        QTest::addRow("odd degrees") << 3 << 1 << 5 << 2 << 5 << 3;
    }

    void groupsDivideTheRanks()
    {
        QFETCH(int, tp);
        QFETCH(int, cp);
        QFETCH(int, dp);
        QFETCH(int, pp);
        QFETCH(int, ep);
        QFETCH(int, etp);
        Strategy s = strategyOf(tp, cp, dp, pp, ep, etp);
        std::vector<Axis> order{Axis::Tp, Axis::Cp, Axis::Ep, Axis::Dp, Axis::Pp};
        std::ranges::sort(order);
        do {
            s.rankOrder = order;
            for (const RankGroup group : kGroups) {
                const GroupPlaces places(s, group);
                QCOMPARE(places.size(), groupSize(s, group));
                for (int rank = 0; rank < rankCount(s); ++rank) {
                    const std::vector<int> ranks = places.groupOf(rank);
                    QCOMPARE(std::set<int>(ranks.begin(), ranks.end()).size(), std::size_t(places.size()));
                    QVERIFY(ranks[std::size_t(places.placeOf(rank))] == rank);
                    for (const int each : ranks) // the same group from wherever one looks
                        QVERIFY(each >= 0 && each < rankCount(s) && places.groupOf(each) == ranks);
                }
            }
            // Folding over blocks that do not touch is counted as if over replicas alone.
        } while (etp >= tp && std::ranges::next_permutation(order).found);
    }

    /// What is priced and what is shown are one mapping.
    void groupsTouchAsManyNodesAsThePlacementCounts()
    {
        for (const Strategy& s : {strategyOf(2, 2, 8, 4, 4), strategyOf(8, 1, 8, 2, 4), strategyOf(16, 1, 4, 2, 1),
                 strategyOf(4, 2, 4, 4, 8, 4), strategyOf(1, 4, 16, 2, 16)})
            for (const RankGroup group : kGroups) {
                const GroupPlaces places(s, group);
                const int touched = nodesTouched(places, rankCount(s));
                QCOMPARE(ranksInside(s, group, kNode), (places.size() + touched - 1) / touched);
            }
    }

    void placesOnThePipelineAreStages()
    {
        const Strategy s = strategyOf(4, 1, 4, 4, 1);
        const GroupPlaces stages(s, RankGroup::Pipeline);
        for (int rank = 0; rank < rankCount(s); ++rank)
            for (int stage = 0; stage < s.pp; ++stage)
                QCOMPARE(stageHasRanks(s, stage, rank, 1), stages.placeOf(rank) == stage);
    }
};

STRATOPLAN_TEST(TestRankPlaces)
#include "test_rank_places.moc"
