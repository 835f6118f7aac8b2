// SPDX-License-Identifier: GPL-3.0-or-later
// Layers over stages, and ranks over nodes against a rank-by-rank enumeration.
#include "core/parallel/placement.h"
#include "core/units/named.h"
#include "tests/registry.h"

#include <QTest>
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <rapidcheck.h>
#include <set>

using namespace stratoplan::cluster;
using namespace stratoplan::parallel;
using namespace stratoplan::units;

namespace {

Strategy degrees(int tp, int cp, int dp, int pp, int ep = 1)
{
    Strategy s;
    s.tp = tp;
    s.cp = cp;
    s.dp = dp;
    s.pp = pp;
    s.ep = ep;
    return s;
}

/// Coordinates of a rank, innermost axis first.
std::map<Axis, int> coordinates(const Strategy& s, int rank)
{
    std::map<Axis, int> result;
    for (const Axis axis : s.rankOrder) {
        const int size = axis == Axis::Tp ? s.tp
            : axis == Axis::Cp            ? s.cp
            : axis == Axis::Dp            ? s.dp
            : axis == Axis::Pp            ? s.pp
                                          : 1;
        result[axis] = rank % size;
        rank /= size;
    }
    return result;
}

/// Most blocks that a group of the axis touches, found by listing all ranks.
int blocksByEnumeration(const Strategy& s, Axis axis, int block)
{
    std::map<std::vector<int>, std::set<int>> blocksOfGroup;
    for (int rank = 0; rank < rankCount(s); ++rank) {
        std::vector<int> group;
        for (const auto& [other, index] : coordinates(s, rank)) {
            if (other != axis)
                group.push_back(index);
        }
        blocksOfGroup[group].insert(rank / block);
    }
    std::size_t most = 0;
    for (const auto& [group, blocks] : blocksOfGroup)
        most = std::max(most, blocks.size());
    return static_cast<int>(most);
}

Strategy anyStrategy()
{
    const auto degree = [] { return *rc::gen::inRange(1, 7); };
    Strategy s = degrees(degree(), degree(), degree(), degree());
    const int shuffles = *rc::gen::inRange(0, 120);
    for (int i = 0; i < shuffles; ++i)
        std::next_permutation(s.rankOrder.begin(), s.rankOrder.end());
    return s;
}

} // namespace

class TestParallel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Whatever the schedule, no stage has more than its share rounded up; the first stage of a V, with both ends, has
    /// the fewest.
    void evenSplitsAreEven()
    {
        for (const Schedule schedule : {Schedule::OneFOneB, Schedule::ZbV, Schedule::VHalf, Schedule::DualPipe}) {
            for (int p = 1; p <= 12; ++p) {
                for (int layers = p; layers <= 5 * p; ++layers) {
                    Strategy s;
                    s.pp = p;
                    s.schedule = schedule;
                    const std::vector<int> split = stageLayers(s, layers);
                    QCOMPARE(std::accumulate(split.begin(), split.end(), 0), layers);
                    QVERIFY(*std::max_element(split.begin(), split.end()) <= (layers + p - 1) / p);
                    QVERIFY(*std::min_element(split.begin(), split.end()) >= 0);
                    if (schedule == Schedule::ZbV)
                        QCOMPARE(split.front(), *std::min_element(split.begin(), split.end()));
                }
            }
        }
    }

    void keysGoBothWays()
    {
        for (int i = 0; i <= static_cast<int>(Schedule::DualPipeV); ++i)
            QCOMPARE(scheduleFromKey(key(static_cast<Schedule>(i))), std::optional(static_cast<Schedule>(i)));
        for (const auto value : {Recompute::None, Recompute::Selective, Recompute::Full})
            QCOMPARE(recomputeFromKey(key(value)), std::optional(value));
        for (const auto value : {TensorPartition::Megatron, TensorPartition::SpatialTemporal})
            QCOMPARE(fromKey<TensorPartition>(key(value)), std::optional(value));
        for (const auto value : {ContextMethod::Ring, ContextMethod::AllGather, ContextMethod::Ulysses})
            QCOMPARE(fromKey<ContextMethod>(key(value)), std::optional(value));
        for (const auto value : {Offload::None, Offload::Activations, Offload::Optimizer})
            QCOMPARE(fromKey<Offload>(key(value)), std::optional(value));
        for (const auto value : {VocabularyPlacement::Ends, VocabularyPlacement::Vocab1, VocabularyPlacement::Vocab2,
                 VocabularyPlacement::Interlaced})
            QCOMPARE(fromKey<VocabularyPlacement>(key(value)), std::optional(value));
        for (const auto value : {Axis::Tp, Axis::Cp, Axis::Ep, Axis::Dp, Axis::Pp})
            QCOMPARE(axisFromKey(key(value)), std::optional(value));
        QCOMPARE(key(Schedule::ZbH1), "zb-h1");
        QCOMPARE(scheduleFromKey("2f2b"), std::nullopt);
    }

    void dividedVocabulariesLookAhead()
    {
        Strategy s = degrees(1, 1, 1, 8);
        const auto of = [&](VocabularyPlacement placement, int pp) {
            s.vocabularyPlacement = placement;
            s.pp = pp;
            return std::pair(vocabularyStages(s), vocabularyLookahead(s));
        };
        QCOMPARE(of(VocabularyPlacement::Ends, 8), std::pair(1, 0));
        QCOMPARE(of(VocabularyPlacement::Vocab1, 8), std::pair(8, 2));
        QCOMPARE(of(VocabularyPlacement::Vocab2, 8), std::pair(8, 1));
        QCOMPARE(of(VocabularyPlacement::Interlaced, 8), std::pair(8, 4));
        QCOMPARE(of(VocabularyPlacement::Interlaced, 7), std::pair(7, 3));
        for (const auto placement :
            {VocabularyPlacement::Vocab1, VocabularyPlacement::Vocab2, VocabularyPlacement::Interlaced})
            QCOMPARE(of(placement, 1), std::pair(1, 0));
    }

    /// Against every split: the busiest stage, then the second busiest, …, have as little as can be.
    void balancedLayersAreTheBestOfAllSplits()
    {
        std::mt19937 random(5);
        std::uniform_real_distribution<double> work(0, 4);
        for (int n = 0; n < 200; ++n) {
            const int stages = 1 + n % 4;
            const int layers = int(random() % 9);
            std::vector<double> beside(static_cast<std::size_t>(stages));
            for (double& each : beside)
                each = work(random);
            const auto loads = [&](const std::vector<int>& split) {
                std::vector<double> sums(beside);
                for (std::size_t i = 0; i < sums.size(); ++i)
                    sums[i] += split[i];
                std::sort(sums.rbegin(), sums.rend());
                return sums;
            };
            std::vector<double> best{INFINITY};
            std::vector<int> split(static_cast<std::size_t>(stages));
            const auto place = [&](auto& self, std::size_t stage, int left) -> void {
                split[stage] = left;
                if (stage + 1 == split.size())
                    best = std::min(best, loads(split));
                else
                    for (split[stage] = 0; split[stage] <= left; ++split[stage])
                        self(self, stage + 1, left - split[stage]);
            };
            place(place, 0, layers);
            const std::vector<int> balanced = balancedStageLayers(layers, beside);
            QCOMPARE(std::accumulate(balanced.begin(), balanced.end(), 0), layers);
            const std::vector<double> found = loads(balanced);
            for (std::size_t i = 0; i < found.size(); ++i)
                QVERIFY(std::abs(found[i] - best[i]) < 1e-12);
        }
        QCOMPARE(balancedStageLayers(30, std::vector<double>(7)), (std::vector{4, 4, 4, 4, 4, 5, 5}));
        QCOMPARE(balancedStageLayers(5, {}), std::vector<int>{});
    }

    void spareLayersGoToTheMiddle()
    {
        using Layers = std::vector<int>;
        QCOMPARE(stageLayers(degrees(1, 1, 1, 8), 96), Layers(8, 12));
        QCOMPARE(stageLayers(degrees(1, 1, 1, 4), 10), (Layers{2, 3, 3, 2}));
        QCOMPARE(stageLayers(degrees(1, 1, 1, 1), 48), Layers{48});
        // Llama 3 405B: 126 layers over 16 stages, one less on the first and the last.
        Layers llama(16, 8);
        llama.front() = llama.back() = 7;
        QCOMPARE(stageLayers(degrees(1, 1, 1, 16), 126), llama);
        Strategy handmade = degrees(1, 1, 1, 2);
        handmade.stageLayers = {5, 7};
        QCOMPARE(stageLayers(handmade, 12), (Layers{5, 7}));
    }

    void chunksHoldTheLayersOfTheirStage()
    {
        Strategy s = degrees(1, 1, 1, 16);
        s.vpp = 8;
        using Layers = std::vector<int>;
        QCOMPARE(chunkLayers(s, 126, 0), (Layers{0, 1, 1, 1, 1, 1, 1, 1}));
        QCOMPARE(chunkLayers(s, 126, 7), Layers(8, 1));
        QCOMPARE(chunkLayers(s, 126, 15), (Layers{1, 1, 1, 1, 1, 1, 1, 0}));
        QVERIFY(rc::check("stages and chunks add up", [] {
            Strategy any = degrees(1, 1, 1, *rc::gen::inRange(1, 20));
            any.vpp = *rc::gen::inRange(1, 6);
            const int layers = *rc::gen::inRange(1, 200);
            const Layers stages = stageLayers(any, layers);
            RC_ASSERT(std::accumulate(stages.begin(), stages.end(), 0) == layers);
            RC_ASSERT(
                *std::max_element(stages.begin(), stages.end()) - *std::min_element(stages.begin(), stages.end()) <= 1);
            RC_ASSERT(
                stages.front() == *std::min_element(stages.begin(), stages.end()) || any.pp <= layers % any.pp + 1);
            for (int i = 0; i < any.pp; ++i) {
                const Layers chunks = chunkLayers(any, layers, i);
                RC_ASSERT(static_cast<int>(chunks.size()) == any.vpp);
                RC_ASSERT(std::accumulate(chunks.begin(), chunks.end(), 0) == stages[static_cast<std::size_t>(i)]);
            }
        }));
    }

    void placementOfTheUsualOrder()
    {
        const Strategy s = degrees(8, 1, 16, 8); // 1,024 ranks
        QCOMPARE(groupSize(s, RankGroup::Tensor), 8);
        QCOMPARE(ranksInside(s, RankGroup::Tensor, 8), 8);
        QCOMPARE(ranksInside(s, RankGroup::Data, 8), 1);
        QCOMPARE(ranksInside(s, RankGroup::Data, 16), 2); // every eighth rank
        QCOMPARE(ranksInside(s, RankGroup::Pipeline, 8), 1);
        QCOMPARE(ranksInside(s, RankGroup::Pipeline, 128), 1);
        QCOMPARE(ranksInside(s, RankGroup::Pipeline, 256), 2);
        QCOMPARE(ranksInside(degrees(2, 1, 64, 1), RankGroup::Data, 8), 4);
        QCOMPARE(ranksInside(degrees(16, 1, 2, 1), RankGroup::Tensor, 8), 8);
        QCOMPARE(ranksInside(degrees(2, 1, 2, 2), RankGroup::Pipeline, 8), 2);
        // TP 6 on nodes of 8: some groups lie across two nodes.
        QCOMPARE(ranksInside(degrees(6, 1, 4, 1), RankGroup::Tensor, 8), 3);
    }

    void placementAgreesWithEnumeration()
    {
        QVERIFY(rc::check("blocks touched by the worst group", [] {
            const Strategy s = anyStrategy();
            const int block = *rc::gen::element(1, 2, 4, 6, 8, 16, 72);
            for (const auto& [axis, group] :
                {std::pair(Axis::Tp, RankGroup::Tensor), std::pair(Axis::Cp, RankGroup::Context),
                    std::pair(Axis::Dp, RankGroup::Data), std::pair(Axis::Pp, RankGroup::Pipeline)}) {
                const int blocks = blocksByEnumeration(s, axis, block);
                RC_ASSERT(ranksInside(s, group, block) == (groupSize(s, group) + blocks - 1) / blocks);
            }
        }));
    }

    void expertsLiveOnDataAndContextRanks()
    {
        Strategy s = degrees(2, 2, 16, 1, 8); // cp is inner: the d c block has 32 ranks, stride 2
        s.etp = 2;
        QCOMPARE(groupSize(s, RankGroup::Expert), 8);
        QCOMPARE(ranksInside(s, RankGroup::Expert, 8), 4); // every second rank
        QCOMPARE(groupSize(s, RankGroup::DataContext), 32);
        QCOMPARE(groupSize(s, RankGroup::ExpertData), 4);
        QCOMPARE(ranksInside(s, RankGroup::ExpertData, 8), 1);
        Strategy outer = s;
        outer.rankOrder = {Axis::Tp, Axis::Cp, Axis::Dp, Axis::Ep, Axis::Pp};
        QCOMPARE(ranksInside(outer, RankGroup::Expert, 8), 1); // every eighth
        QCOMPARE(ranksInside(outer, RankGroup::Expert, 16), 2);
        QCOMPARE(ranksInside(outer, RankGroup::ExpertData, 8), 4);
    }

    /// MoE parallel folding: experts without TP take the tensor ranks as well.
    void foldedExpertsFillTheNode()
    {
        Strategy s = degrees(2, 1, 32, 1, 8);
        s.etp = 1;
        QCOMPARE(groupSize(s, RankGroup::Expert), 8);
        QCOMPARE(ranksInside(s, RankGroup::Expert, 8), 8);
        QCOMPARE(groupSize(s, RankGroup::ExpertData), 8); // 64 ranks over EP 8
        QCOMPARE(groupSize(s, RankGroup::DataContext), 32);
    }

    void expertGroupsMultiplyToTheReplicas()
    {
        QVERIFY(rc::check("e times replicas of an expert is d c, wherever the axes stand", [] {
            Strategy s = anyStrategy();
            s.etp = s.tp;
            s.cp = 1 << *rc::gen::inRange(0, 3);
            s.dp = 1 << *rc::gen::inRange(0, 6);
            s.ep = 1 << *rc::gen::inRange(0, 9);
            s.ep = std::min(s.ep, s.cp * s.dp);
            RC_ASSERT(groupSize(s, RankGroup::Expert) == s.ep);
            RC_ASSERT(groupSize(s, RankGroup::Expert) * groupSize(s, RankGroup::ExpertData)
                == groupSize(s, RankGroup::DataContext));
            for (const int block : {1, 8, 64}) {
                const int inside = ranksInside(s, RankGroup::Expert, block);
                RC_ASSERT(inside >= 1);
                RC_ASSERT(inside <= std::min(block, s.ep));
            }
        }));
    }

    void spansCountTheGroupsOnAnUplink()
    {
        const Topology machine{{{"NVLink", 8, BytesPerSecond(1), {}, 1}, {"IB", 512, BytesPerSecond(1), {}, 8},
                                   {"leaf", 1024, BytesPerSecond(1), {}, 8}},
            1024};
        const Strategy s = degrees(4, 1, 32, 8);
        const Span dp = span(s, RankGroup::DataContext, machine);
        QCOMPARE(dp.size, 32);
        QCOMPARE(dp.inside, 2);
        QCOMPARE(dp.sharingUplink, 4);
        QCOMPARE(dp.outer[0].ranks, 32);
        const Span pp = span(s, RankGroup::Pipeline, machine);
        QCOMPARE(pp.inside, 1);
        QCOMPARE(pp.sharingUplink, 8);
        QCOMPARE(pp.outer[0].ranks, 4);
        QCOMPARE(pp.outer[0].sharing, 128);
        const Span tp = span(s, RankGroup::Tensor, machine);
        QCOMPARE(tp.inside, 4);
        QCOMPARE(tp.size, 4);
        // A lone rank on a large node shares its port with nobody.
        QCOMPARE(span(degrees(1, 1, 1, 1), RankGroup::Data, machine).sharingUplink, 1);
    }

    /// A group of all ranks shares its links with none, and no unit of a level has fewer of its ranks than those in it.
    void unitsHoldNoFewerRanksThanTheirParts()
    {
        for (int leaves = 2; leaves <= 16; ++leaves) {
            const Topology t{
                {{"NVLink", 2, BytesPerSecond(1), {}, 1}, {"PCIe", 8, BytesPerSecond(1), {}, 2, false, true},
                    {"IB", 128 / leaves, BytesPerSecond(1), {}, 8, 128 % leaves != 0},
                    {"leaf uplinks", 128, BytesPerSecond(1), {}, 8}},
                128};
            for (const int tp : {1, 2, 4, 8, 16, 32})
                for (const RankGroup group : {RankGroup::Tensor, RankGroup::DataContext}) {
                    const Span placed = span(degrees(tp, 1, 128 / tp, 1), group, t);
                    for (std::size_t level = 1; level < t.levels.size(); ++level)
                        QVERIFY(ranksIn(placed, level) >= ranksIn(placed, level - 1));
                    if (placed.size == 128)
                        QCOMPARE(sharing(placed, 2), 1.0);
                }
        }
    }

    /// By the order of ranks: what is whole axes of the torus in one order shares the links of one in another.
    void groupsLieOnAxesOfATorus()
    {
        Topology machine{{{"ICI", 64, BytesPerSecond(1), {}, 1}, {"DCN", 256, BytesPerSecond(1), {}, 16}}, 256};
        machine.levels[0].torus = Torus{{4, 4, 4}, TorusWrap::CubesOf4};
        const auto boxOfGroup = [&](const Strategy& s, RankGroup group) { return span(s, group, machine).box.axes; };
        using Axes = std::array<AxisRun, kMostTorusAxes>;
        const AxisRun one{1, 1, false}, whole{4, 1, true}, none{};
        Strategy s = degrees(4, 1, 64, 1); // over four such domains
        QCOMPARE(span(s, RankGroup::DataContext, machine).inside, 16);
        QVERIFY((boxOfGroup(s, RankGroup::Tensor) == Axes{whole, one, one, none}));
        QVERIFY((boxOfGroup(s, RankGroup::DataContext) == Axes{one, whole, whole, none}));
        s = degrees(2, 1, 128, 1);
        QVERIFY((boxOfGroup(s, RankGroup::Tensor) == Axes{{{2, 1, false}, one, one, none}}));
        QVERIFY((boxOfGroup(s, RankGroup::DataContext) == Axes{{{2, 2, true}, whole, whole, none}}));
        s.rankOrder = {Axis::Dp, Axis::Cp, Axis::Ep, Axis::Tp, Axis::Pp};
        QCOMPARE(span(s, RankGroup::Tensor, machine).inside, 1); // in two domains
        QVERIFY((boxOfGroup(s, RankGroup::Tensor) == Axes{one, one, one, none}));
        s = degrees(8, 1, 32, 1);
        QVERIFY((boxOfGroup(s, RankGroup::Tensor) == Axes{{whole, {2, 1, false}, one, none}}));
        s = degrees(5, 1, 1, 1); // fills no box
        QVERIFY((boxOfGroup(s, RankGroup::Tensor) == lineOf(5).axes));
    }

    /// All groups placed at once lie where each lies by itself.
    void groupsTogetherAreGroupsAlone()
    {
        const Topology machine{{{"NVLink", 8, BytesPerSecond(1), {}, 1}, {"IB", 512, BytesPerSecond(1), {}, 8}}, 512};
        QVERIFY(rc::check([&] {
            Strategy s = anyStrategy();
            s.etp = 1 << *rc::gen::inRange(0, 2);
            s.cp = 1 << *rc::gen::inRange(0, 3);
            s.ep = 1 << *rc::gen::inRange(0, 5);
            s.zeroShards = *rc::gen::element(0, 0, 1, 2, 4, 8);
            const GroupSpans groups(s, machine);
            for (std::size_t i = 0; i < kRankGroups; ++i) {
                const Span alone = span(s, RankGroup(i), machine);
                RC_ASSERT(groups[RankGroup(i)] == (alone.size > 1 ? alone : Span{}));
            }
        }));
    }
};

STRATOPLAN_TEST(TestParallel)
#include "test_parallel.moc"
