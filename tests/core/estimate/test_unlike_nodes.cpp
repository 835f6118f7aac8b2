// SPDX-License-Identifier: GPL-3.0-or-later
// Clusters of unlike nodes: each stage goes at the pace of those it runs on, and has their memory.
#include "core/cluster/collectives.h"
#include "core/cluster/cuts.h"
#include "core/cluster/node_kinds.h"
#include "core/cost/fleet.h"
#include "core/estimate/estimate.h"
#include "core/narration/estimates.h"
#include "core/narration/problems.h"
#include "core/parallel/placement.h"
#include "core/pricing/priced_stages.h"
#include "core/pricing/pricing_context.h"
#include "core/pricing/strategy_price.h"
#include "tests/core/fixtures.h"
#include "tests/registry.h"

#include <QTest>

#include <cmath>
#include <numeric>
#include <random>
#include <set>

using namespace stratoplan::catalog;
using namespace stratoplan::cluster;
using namespace stratoplan::cost;
using namespace stratoplan::estimate;
using namespace stratoplan::narration;
using namespace stratoplan::parallel;
using namespace stratoplan::plan;
using namespace stratoplan::pricing;
using namespace stratoplan::units;

namespace {

/// `rate` times as fast as those of the fixtures, with so many times their memory.
NodeGroup nodesOf(const char* id, int count, double rate, double memory = 1)
{
    NodeGroup group = fixtures::cluster(count, 4).nodes.front();
    group.id = group.name = id;
    group.accelerator.id = group.accelerator.name = std::string(id) + " accelerator";
    for (const auto precision : stratoplan::model::kPrecisions)
        group.accelerator.peak[precision] *= rate;
    group.accelerator.memoryBandwidth *= rate;
    group.accelerator.memory *= memory;
    return group;
}

/// Four stages of TP 2 and DP 2 on four nodes of four.
Plan piped(const std::vector<NodeGroup>& nodes)
{
    Plan plan = fixtures::small();
    plan.model = fixtures::gpt(16, 2048, 16, 51200, 1024);
    plan.model.tiedEmbeddings = false;
    plan.cluster.nodes = nodes;
    plan.training.globalBatch = 32;
    plan.strategy = {};
    plan.strategy.tp = 2;
    plan.strategy.pp = 4;
    plan.strategy.dp = 2;
    return plan;
}

Estimate estimated(const Plan& plan)
{
    const auto answer = estimate(plan, {.remedies = false, .range = false});
    if (!answer)
        qFatal("no estimate");
    return *answer;
}

/// Of each rate and size the worse one.
NodeGroup worseOf(NodeGroup a, const NodeGroup& b)
{
    for (const auto precision : stratoplan::model::kPrecisions)
        a.accelerator.peak[precision] = std::min(a.accelerator.peak[precision], b.accelerator.peak[precision]);
    a.accelerator.memory = std::min(a.accelerator.memory, b.accelerator.memory);
    a.accelerator.memoryBandwidth = std::min(a.accelerator.memoryBandwidth, b.accelerator.memoryBandwidth);
    a.nic.bandwidth = std::min(a.nic.bandwidth, b.nic.bandwidth);
    return a;
}

const Problem* unlikeNodes(const Plan& plan, ProblemCause cause)
{
    static std::vector<Problem> problems;
    const auto answer = estimate(plan, {.range = false});
    problems = answer ? answer->problems : answer.error();
    if (!answer)
        qFatal("%s", describe(problems.front()).c_str());
    const auto found = std::ranges::find_if(
        problems, [&](const Problem& p) { return p.code == ProblemCode::UnlikeNodes && p.cause == cause; });
    return found == problems.end() ? nullptr : &*found;
}

} // namespace

class TestUnlikeNodes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Host memory is of offload alone: without it the range is that of like nodes.
    void hostsThatNobodyUsesWidenNothing()
    {
        Plan plan = piped({nodesOf("a", 2, 1), nodesOf("a", 2, 1)});
        plan.cluster.nodes[1].id = "b";
        plan.cluster.nodes[0].hostMemory = plan.cluster.nodes[1].hostMemory = Bytes(2e12);
        const auto like = estimate(plan);
        plan.cluster.nodes[1].hostMemory = Bytes{};
        QVERIFY(NodeKinds(plan.cluster).areUnlike());
        const auto unlike = estimate(plan);
        QVERIFY(like && unlike);
        QCOMPARE(unlike->stepLow, like->stepLow);
        QCOMPARE(unlike->stepHigh, like->stepHigh);
        const auto saysSo = [&plan] {
            const auto answer = estimate(plan);
            return answer
                && std::ranges::count(answer->extrapolates, ExtrapolationCode::UnlikeNodes, &Extrapolation::code) > 0;
        };
        QVERIFY(!saysSo());
        plan.cluster.nodes[1].accelerator.memoryBandwidth *= 0.9;
        QVERIFY(saysSo());
    }

    void groupsOfOneKindAreOne()
    {
        const Plan whole = piped({nodesOf("nodes", 4, 1)});
        Plan parts = piped({nodesOf("nodes", 1, 1), nodesOf("nodes", 3, 1)});
        parts.cluster.nodes[1].id = "others";
        QVERIFY(!NodeKinds(parts.cluster).areUnlike());
        const Estimate a = estimated(whole), b = estimated(parts);
        QCOMPARE(a.step.value(), b.step.value());
        QCOMPARE(a.mfu, b.mfu);
        QVERIFY(!unlikeNodes(parts, ProblemCause::None) && !unlikeNodes(parts, ProblemCause::AsManyLayers));
    }

    /// All ranks of all stages in all orders, one by one.
    void stagesHaveTheirRanks()
    {
        Strategy s;
        int seen = 0, without = 0;
        for (const auto& [tp, cp, dp, pp] : {std::array{2, 1, 3, 4}, {1, 2, 2, 6}, {4, 1, 1, 3}, {2, 2, 2, 1}}) {
            s.tp = tp, s.cp = cp, s.dp = dp, s.pp = pp;
            std::ranges::sort(s.rankOrder);
            do {
                int stride = 1;
                for (const Axis axis : s.rankOrder) {
                    if (axis == Axis::Pp)
                        break;
                    stride *= axis == Axis::Tp ? tp : axis == Axis::Cp ? cp : axis == Axis::Dp ? dp : 1;
                }
                for (int first = 0; first < 30; first += 3)
                    for (const int count : {0, 1, 2, 5, 40})
                        for (int stage = 0; stage < pp; ++stage) {
                            bool any = false;
                            for (int rank = first; rank < std::min(first + count, rankCount(s)); ++rank)
                                any = any || rank / stride % pp == stage;
                            QCOMPARE(stageHasRanks(s, stage, first, count), any);
                            ++(any ? seen : without);
                        }
            } while (std::ranges::next_permutation(s.rankOrder).found);
        }
        QVERIFY(seen > 1000 && without > 1000);
    }

    void eachStageGoesAtThePaceOfItsNodes()
    {
        const NodeGroup slow = nodesOf("slow", 2, 1), fast = nodesOf("fast", 2, 2);
        const Estimate mixed = estimated(piped({slow, fast}));
        NodeGroup allSlow = slow, allFast = fast;
        allSlow.count = allFast.count = 4;
        const Estimate slower = estimated(piped({allSlow})), faster = estimated(piped({allFast}));
        for (const std::size_t stage : {0U, 1U})
            QCOMPARE(mixed.stages[stage].forward.value(), slower.stages[stage].forward.value());
        for (const std::size_t stage : {2U, 3U})
            QCOMPARE(mixed.stages[stage].backward.value(), faster.stages[stage].backward.value());
        QVERIFY(mixed.stages[2].forward < mixed.stages[1].forward);
        QVERIFY(faster.step < mixed.step && mixed.step < slower.step);
        QVERIFY(mixed.stages[3].bubble > mixed.stages[0].bubble); // which waits
        // Model FLOPs over what all could do.
        QVERIFY(fixtures::near(mixed.mfu * mixed.step.value() * 1.5, slower.mfu * slower.step.value()));
        for (const Breakdown& stage : mixed.stages)
            QVERIFY(fixtures::near(stage.total().value(), mixed.step.value()));
    }

    /// Whatever the order of the axes but PP last, every stage has ranks of every kind here: the worst of each kind.
    void stagesOnSeveralKindsWaitForTheSlowest()
    {
        const NodeGroup slow = nodesOf("slow", 2, 0.5, 2);
        NodeGroup narrow = nodesOf("narrow", 2, 1);
        narrow.nic.bandwidth *= 0.1;
        Plan plan = piped({slow, narrow});
        plan.strategy.rankOrder = {Axis::Pp, Axis::Dp, Axis::Tp, Axis::Cp, Axis::Ep}; // TP over both
        NodeGroup worst = worseOf(slow, narrow);
        worst.count = 4;
        Plan alike = plan;
        alike.cluster.nodes = {worst};
        const Estimate a = estimated(plan), b = estimated(alike);
        QCOMPARE(a.step.value(), b.step.value());
        QCOMPARE(a.memory.peak.value(), b.memory.peak.value());
        QCOMPARE(a.memory.capacity.value(), b.memory.capacity.value());
        const Problem* told = unlikeNodes(plan, ProblemCause::None);
        QVERIFY(told && told->severity == Severity::Warning);
        QCOMPARE(told->found, 4.0);
        QCOMPARE(told->detail, std::string("slow, narrow"));
        QVERIFY(!told->remedies.empty());
        QCOMPARE(told->remedies.front().edit, EditKind::UsualRankOrder);
    }

    /// On as many ranks as one kind has, the others play no part.
    void whatIsNotUsedIsNotWaitedFor()
    {
        Plan plan = piped({nodesOf("fast", 4, 2), nodesOf("slow", 4, 0.1)});
        const Estimate some = estimated(plan);
        plan.cluster.nodes.pop_back();
        QCOMPARE(some.breakdown.forward.value(), estimated(plan).breakdown.forward.value());
        QCOMPARE(some.mfu, estimated(plan).mfu);
    }

    /// Nodes behind all ranks, whatever their rates and domains, while no network is drawn.
    void nodesBehindAllRanksChangeNothing()
    {
        NodeGroup single = nodesOf("single", 1, 0.5, 0.5);
        single.acceleratorsPerNode = single.scaleUpDomain = 1;
        single.nic.bandwidth *= 0.25;
        single.scaleUp.bandwidth *= 0.25;
        Plan rack = piped({nodesOf("tray", 16, 1)});
        rack.cluster.nodes[0].scaleUpDomain = 64;
        rack.strategy = {};
        rack.strategy.tp = rack.strategy.dp = 8;
        Plan stages = piped({nodesOf("fast", 2, 2), nodesOf("slow", 2, 1)});
        Plan replicas = stages;
        replicas.strategy.rankOrder = {Axis::Tp, Axis::Cp, Axis::Ep, Axis::Pp, Axis::Dp};
        Plan divided = rack;
        divided.strategy.tensorPartition = TensorPartition::SpatialTemporal;
        for (Plan plan : {rack, stages, replicas, divided}) {
            plan.training.software.scaleJitter = 0.02;
            const Estimate alone = estimated(plan);
            QVERIFY(alone.step.value() > 0);
            plan.cluster.nodes.push_back(single);
            const Estimate beside = estimated(plan);
            QCOMPARE(beside.step, alone.step);
            QCOMPARE(beside.memory.peak, alone.memory.peak);
            QCOMPARE(beside.memory.capacity, alone.memory.capacity);
            QVERIFY(std::ranges::count(beside.problems, ProblemCode::TensorParallelLeavesNode, &Problem::code) == 0);
        }
        rack.cluster.nodes.push_back(single);
        rack.cluster.nodes[1].count = 8;
        rack.strategy.dp = 9;
        rack.training.globalBatch = 36;
        const std::vector<Problem> problems = check(rack);
        const auto leaves = std::ranges::find(problems, ProblemCode::TensorParallelLeavesNode, &Problem::code);
        QVERIFY(leaves != problems.end());
        QCOMPARE(leaves->limit, 1.0);
    }

    void eachStageHasTheMemoryOfItsNodes()
    {
        Plan plan = piped({nodesOf("small", 2, 1, 0.25), nodesOf("large", 2, 1)});
        const Estimate e = estimated(plan);
        QCOMPARE(e.memory.stages[0].capacity.value(), 20 * kGiB);
        QCOMPARE(e.memory.stages[3].capacity.value(), 80 * kGiB);
        QCOMPARE(e.memory.peakStage, 0); // it fills most of what it has
        QCOMPARE(e.memory.capacity.value(), 20 * kGiB);
        // What fits none of the small ones fits where the large ones hold the stages that need more.
        std::swap(plan.cluster.nodes[0], plan.cluster.nodes[1]);
        plan.cluster.nodes[1].accelerator.memory = e.memory.stages[0].total() * 0.95;
        QVERIFY(estimated(plan).fits);
        PricingContext pricing(plan, shippedCatalog());
        QVERIFY(price(pricing, plan.strategy, PipelineTime::Simulated)->fits);
        std::swap(plan.cluster.nodes[0], plan.cluster.nodes[1]);
        const Estimate over = estimated(plan);
        QVERIFY(!over.fits);
        QCOMPARE(over.problems.front().code, ProblemCode::OutOfMemory);
        QCOMPARE(over.problems.front().stage, 0);
    }

    void boundariesWaitForTheSlowerEnd()
    {
        const NodeGroup fast = nodesOf("fast", 2, 1);
        NodeGroup narrow = nodesOf("narrow", 2, 1);
        narrow.nic.bandwidth *= 0.5;
        const auto transfers = [](const Plan& plan) {
            std::vector<double> seconds;
            for (const StageBoundary& boundary : estimated(plan).boundaries) {
                if (boundary.down.transfer != boundary.up.transfer)
                    qFatal("unlike both ways");
                seconds.push_back(boundary.down.transfer.value());
            }
            return seconds;
        };
        NodeGroup allFast = fast, allNarrow = narrow;
        allFast.count = allNarrow.count = 4;
        const std::vector<double> mixed = transfers(piped({fast, narrow})), quick = transfers(piped({allFast})),
                                  slow = transfers(piped({allNarrow}));
        QCOMPARE(mixed, (std::vector{quick[0], slow[1], slow[2]}));
        QVERIFY(quick[1] < slow[1]);
        // Of two stages in one domain, as both kinds have them, that meet on unlike nodes.
        Plan inside = piped({nodesOf("a", 1, 1), nodesOf("b", 1, 2)});
        inside.strategy.tp = 2, inside.strategy.dp = 1;
        const std::vector<double> three = transfers(inside);
        QCOMPARE(three[0], three[2]);
        QVERIFY(three[0] < three[1]);
    }

    /// Faster nodes in any place never make the step longer, whatever the schedule.
    void fasterNodesNeverHurt()
    {
        std::mt19937 random(5);
        for (const Schedule schedule : {Schedule::GPipe, Schedule::OneFOneB, Schedule::Interleaved, Schedule::ZbH1,
                 Schedule::ZbV, Schedule::DualPipe, Schedule::DualPipeV})
            for (int round = 0; round < 4; ++round) {
                std::vector<NodeGroup> nodes;
                for (int i = 0; i < 4; ++i)
                    nodes.push_back(
                        nodesOf(("group " + std::to_string(i)).c_str(), 1, 0.5 + double(random() % 100) / 50));
                Plan plan = piped(nodes);
                plan.strategy.schedule = schedule;
                plan.strategy.vpp = schedule == Schedule::Interleaved ? 2 : 1;
                const Seconds before = estimated(plan).step;
                const std::size_t which = random() % 4;
                NodeGroup& quicker = plan.cluster.nodes[which];
                for (const auto precision : stratoplan::model::kPrecisions)
                    quicker.accelerator.peak[precision] *= 1.5;
                QVERIFY(estimated(plan).step <= before * (1 + 1e-12));
            }
    }

    /// As price() and the search have it.
    void thePriceIsThatOfTheEstimate()
    {
        Plan plan = piped({nodesOf("slow", 3, 1, 0.5), nodesOf("fast", 1, 3)});
        for (const Schedule schedule : {Schedule::OneFOneB, Schedule::ZbAuto, Schedule::ZbV}) {
            plan.strategy.schedule = schedule;
            PricingContext pricing(plan, shippedCatalog());
            const auto priced = price(pricing, plan.strategy, PipelineTime::Simulated);
            const Estimate e = estimated(plan);
            QVERIFY(priced);
            QCOMPARE(priced->step.value(), e.step.value());
            QCOMPARE(priced->peak.value(), e.memory.peak.value());
            QCOMPARE(priced->capacity.value(), e.memory.capacity.value());
        }
    }

    void evenLayersOnUnlikeAcceleratorsAreTold()
    {
        Plan plan = piped({nodesOf("slow", 2, 1), nodesOf("fast", 2, 2)});
        const Problem* told = unlikeNodes(plan, ProblemCause::AsManyLayers);
        QVERIFY(told);
        QCOMPARE(told->detail, std::string("slow, fast"));
        plan.strategy.stageLayers = {3, 3, 5, 5};
        QVERIFY(!unlikeNodes(plan, ProblemCause::AsManyLayers));
        QVERIFY(estimated(plan).step < estimated(piped({nodesOf("slow", 2, 1), nodesOf("fast", 2, 2)})).step);
        // NICs and memory alone do not make layers longer.
        plan.strategy.stageLayers.clear();
        plan.cluster.nodes[1].accelerator = plan.cluster.nodes[0].accelerator;
        plan.cluster.nodes[1].nic.bandwidth *= 2;
        plan.cluster.nodes[1].accelerator.memory *= 2;
        QVERIFY(!unlikeNodes(plan, ProblemCause::AsManyLayers));
    }

    /// A stage on two kinds of nodes, and one on the slower kind alone, for which all replicas wait: the batch divided
    /// otherwise would not help.
    void layersAreToldWhereAllReplicasWaitForOneStage()
    {
        Plan plan = piped({nodesOf("fast", 3, 2), nodesOf("slow", 3, 1)});
        plan.model.layers = 12;
        plan.strategy.pp = 3;
        plan.strategy.dp = 4;
        QVERIFY(!unlikeNodes(plan, ProblemCause::AsManyMicroBatches));
        QVERIFY(unlikeNodes(plan, ProblemCause::AsManyLayers));
        const auto answer = estimate(plan, {.range = false});
        const auto told = std::ranges::find(answer->problems, ProblemCode::UnlikeNodes, &Problem::code);
        QVERIFY(told != answer->problems.end() && !told->remedies.empty());
        const Remedy& remedy = told->remedies.front();
        QCOMPARE(remedy.edit, EditKind::LayersBySpeed);
        QCOMPARE(estimated(mended(plan, remedy)).step / answer->step - 1, remedy.gain->slower);
        QVERIFY(remedy.gain->slower < -0.01);
        for (int most = 9; most < 16; ++most) {
            Plan divided = plan;
            divided.strategy.replicaMicroBatches = {most, most, 16 - most, 16 - most};
            QVERIFY(estimated(divided).step > answer->step);
        }
        // Where one replica alone has the slower nodes, it is the batch.
        plan.cluster.nodes[0].count = 5;
        plan.cluster.nodes[1].count = 1;
        QVERIFY(unlikeNodes(plan, ProblemCause::AsManyMicroBatches));
    }

    /// Replicas wait for others of as fast accelerators whose links are slower, and for stages that hold more layers.
    void whatReplicasWaitForIsMoreThanAccelerators()
    {
        const auto batchHelps = [](const Plan& plan) {
            const auto answer = estimate(plan, {.range = false});
            const auto told = std::ranges::find(answer->problems, ProblemCode::UnlikeNodes, &Problem::code);
            return told != answer->problems.end() && told->cause == ProblemCause::AsManyMicroBatches
                && std::ranges::find(told->remedies, EditKind::BatchBySpeed, &Remedy::edit) != told->remedies.end();
        };
        NodeGroup narrow = nodesOf("narrow", 2, 1);
        narrow.scaleUp.bandwidth *= 0.02;
        Plan plan = piped({nodesOf("wide", 2, 1), narrow});
        plan.strategy.rankOrder = {Axis::Tp, Axis::Cp, Axis::Ep, Axis::Pp, Axis::Dp};
        QVERIFY(batchHelps(plan));
        plan.strategy.pp = 1;
        plan.strategy.dp = 8;
        QVERIFY(batchHelps(plan));
        plan = piped({nodesOf("fast", 1, 2), nodesOf("slow", 3, 1)});
        plan.strategy.pp = 2;
        plan.strategy.dp = 4;
        QVERIFY(unlikeNodes(plan, ProblemCause::EveryReplica)); // for the second stage, or for both
        plan.strategy.stageLayers = {12, 4};
        QVERIFY(batchHelps(plan));
    }

    /// Slower links outweigh a layer more on faster ones: 26 layers on a narrow stage take longer than 27 on a wide
    /// one.
    void slowerLinksAreWaitedForWhateverTheLayers()
    {
        NodeGroup narrow = nodesOf("narrow", 1, 1);
        narrow.scaleUp.bandwidth *= 0.02;
        NodeGroup wide = nodesOf("wide", 5, 1);
        wide.acceleratorsPerNode = narrow.acceleratorsPerNode = wide.scaleUpDomain = narrow.scaleUpDomain = 2;
        Plan plan = piped({wide, narrow});
        plan.strategy.pp = 3;
        plan.strategy.rankOrder = {Axis::Tp, Axis::Cp, Axis::Ep, Axis::Pp, Axis::Dp};
        QCOMPARE(plan.model.layers % plan.strategy.pp, 1);
        for (const int place : {3, 4, 5}) { // of the second replica's stages
            plan.cluster.nodes = {wide, narrow, wide};
            plan.cluster.nodes[0].count = place;
            plan.cluster.nodes[2].count = 5 - place;
            plan.cluster.nodes[2].id = "wide-2";
            if (place == 5)
                plan.cluster.nodes.pop_back();
            const Problem* told = unlikeNodes(plan, ProblemCause::AsManyMicroBatches);
            QVERIFY(told);
            QCOMPARE(told->found, 1.0);
            QVERIFY(std::ranges::find(told->remedies, EditKind::BatchBySpeed, &Remedy::edit) != told->remedies.end());
        }
    }

    /// Nodes of half the size, with half the NICs, are as quick where TP stays within them.
    void smallerNodesAreNotWaitedFor()
    {
        const NodeGroup whole = nodesOf("whole", 2, 1);
        NodeGroup half = nodesOf("half", 4, 1);
        half.acceleratorsPerNode /= 2;
        half.scaleUpDomain /= 2;
        half.nicsPerNode = std::max(1, half.nicsPerNode / 2);
        Plan plan = piped({whole, half});
        plan.strategy.rankOrder = {Axis::Tp, Axis::Cp, Axis::Ep, Axis::Pp, Axis::Dp};
        QVERIFY(NodeKinds(plan.cluster).areUnlike());
        const std::vector<Problem> problems = estimated(plan).problems;
        QCOMPARE(std::ranges::count(problems, ProblemCode::UnlikeNodes, &Problem::code), 0);
    }

    /// Nodes that are as quick, but for links that all ranks share.
    void slowLinksAreToldOf()
    {
        NodeGroup few = nodesOf("few", 1, 1);
        few.nicsPerNode = 1;
        Plan plan = piped({nodesOf("many", 3, 1), few});
        plan.strategy.pp = 1;
        plan.strategy.dp = 8;
        for (const int zero : {1, 3}) {
            plan.strategy.zeroStage = zero;
            const Problem* told = unlikeNodes(plan, ProblemCause::SlowLinks);
            QVERIFY(told);
            QCOMPARE(told->detail, std::string("few"));
            QCOMPARE(told->other, std::string("many"));
            QCOMPARE(told->where, std::string("/cluster/nodes/1/nics_per_node"));
            Plan all = plan;
            all.cluster.nodes.pop_back();
            all.cluster.nodes.front().count = 4;
            QVERIFY(fixtures::near(told->limit, 1 - estimated(all).step / estimated(plan).step));
        }
        plan.cluster.nodes[0].name = plan.cluster.nodes[1].name = "DGX";
        QVERIFY(describe(*unlikeNodes(plan, ProblemCause::SlowLinks))
                    .starts_with("All ranks wait for the links of few: with those of many a step takes "));
        plan.strategy = {};
        plan.strategy.tp = 4; // two nodes that send each other little
        plan.strategy.pp = 2;
        plan.cluster.nodes.front().count = 1;
        plan.cluster.nodes[1].nicsPerNode = 3;
        plan.training.globalBatch = 512;
        QVERIFY(!unlikeNodes(plan, ProblemCause::SlowLinks));
    }

    void slowLinksAreNotTheNetworkAlone()
    {
        Plan plan = piped({nodesOf("many", 3, 1), nodesOf("slow inside", 1, 1)});
        plan.strategy.pp = 1;
        plan.cluster.nodes[1].scaleUp.bandwidth *= 0.01;
        plan.strategy.tp = 1; // gradients cross them
        plan.strategy.dp = 16;
        plan.strategy.zeroStage = 1;
        QVERIFY(unlikeNodes(plan, ProblemCause::SlowLinks));
        QCOMPARE(unlikeNodes(plan, ProblemCause::SlowLinks)->where, std::string("/cluster/nodes/1/scale_up"));
        // Slower hosts are no links of theirs.
        plan.cluster.nodes[1] = nodesOf("slow host", 1, 1);
        for (NodeGroup& nodes : plan.cluster.nodes) {
            nodes.hostMemory = Bytes(4e12);
            nodes.hostLink = BytesPerSecond(25e9);
            nodes.hostMemoryBandwidth = BytesPerSecond(200e9);
        }
        plan.cluster.nodes[1].hostLink *= 0.1;
        plan.strategy.offload = Offload::Optimizer;
        QVERIFY(!unlikeNodes(plan, ProblemCause::SlowLinks));
    }

    /// The first stage of one replica on faster nodes, all other stages on slow ones: nothing is gained by them.
    void fastNodesThatShortenNothingAreToldOf()
    {
        Plan plan = piped({nodesOf("fast", 1, 2), nodesOf("slow", 3, 1)});
        plan.strategy.tp = 4;
        plan.strategy.pp = 2;
        const Problem* told = unlikeNodes(plan, ProblemCause::EveryReplica);
        QVERIFY(told);
        QCOMPARE(told->detail, std::string("fast, slow"));
        Plan slow = plan;
        slow.cluster.nodes = {nodesOf("slow", 4, 1)};
        QVERIFY(estimated(plan).step > estimated(slow).step * 0.99);
        plan.cluster.nodes[0].accelerator = plan.cluster.nodes[1].accelerator;
        plan.cluster.nodes[0].accelerator.memory *= 2;
        QVERIFY(!unlikeNodes(plan, ProblemCause::EveryReplica));
    }

    /// Of kinds that are as quick the one that lies there.
    void thoseAreNamedThatLieThere()
    {
        NodeGroup second = nodesOf("second", 1, 1);
        second.accelerator.memory *= 2;
        Plan plan = piped({nodesOf("first", 2, 1), second, nodesOf("slow", 1, 0.5)});
        plan.strategy.pp = 2;
        plan.strategy.dp = 4; // the second stage on the second and the slow nodes
        const Problem* told = unlikeNodes(plan, ProblemCause::AsManyMicroBatches);
        QVERIFY(told);
        QCOMPARE(told->detail, std::string("second, slow"));
        plan.strategy.tp = 8;
        plan.strategy.dp = 1;
        told = unlikeNodes(plan, ProblemCause::None);
        QVERIFY(told);
        QCOMPARE(told->detail, std::string("second, slow"));
        plan.strategy.tp = 4;
        plan.strategy.pp = 4; // each stage on a node of its own
        told = unlikeNodes(plan, ProblemCause::AsManyLayers);
        QVERIFY(told);
        QCOMPARE(told->detail, std::string("first, slow"));
    }

    /// Nodes that differ in what takes no time.
    void whatIsAsQuickIsNotWaitedFor()
    {
        for (const int what : {0, 1, 2, 3, 4, 5}) {
            NodeGroup other = nodesOf("other", 3, 1);
            other.accelerator.watts += what == 0 ? 50 : 0;
            other.accelerator.memory *= what == 1 ? 1.2 : 1;
            other.accelerator.name += what == 3 ? " again" : "";
            other.scaleUp.name += what == 4 ? " again" : "";
            other.nic.bandwidth *= what == 5 ? 2 : 1;
            other.nic.sustained *= what == 5 ? 0.5 : 1;
            Plan plan = piped({nodesOf("one", 1, 1), other});
            plan.cluster.nodes[1].hostMemory = what == 2 ? Bytes(4e12) : plan.cluster.nodes[0].hostMemory;
            QVERIFY(NodeKinds(plan.cluster).areUnlike());
            for (const auto& [pp, dp] : {std::pair{4, 2}, {2, 4}, {1, 8}}) {
                plan.strategy.pp = pp, plan.strategy.dp = dp;
                for (const int zero : {0, pp == 1 ? 3 : 1}) {
                    plan.strategy.zeroStage = zero;
                    const std::vector<Problem> problems = estimated(plan).problems;
                    QCOMPARE(std::ranges::count(problems, ProblemCode::UnlikeNodes, &Problem::code), 0);
                }
            }
        }
    }

    /// Where the fast nodes have no room for all layers that their speed asks for, they are offered those they have.
    void layersBySpeedAreOfferedAsFarAsTheyFit()
    {
        const auto offered = [](const Plan& plan) {
            std::vector<int> layers;
            const auto answer = estimate(plan, {.range = false});
            for (const Problem& problem : answer->problems)
                if (problem.cause == ProblemCause::AsManyLayers && !problem.remedies.empty())
                    layers = problem.remedies.front().strategy.stageLayers;
            return layers;
        };
        Plan plan = piped({nodesOf("slow", 2, 1), nodesOf("fast", 2, 4)});
        Plan balanced = plan;
        balanced.strategy.stageLayers = offered(plan);
        QCOMPARE(balanced.strategy.stageLayers.size(), std::size_t(4));
        const Memory held = estimated(balanced).memory;
        plan.cluster.nodes[1].accelerator.memory = std::max(held.stages[2].total(), held.stages[3].total()) * 0.999;
        const std::vector<int> fewer = offered(plan);
        QVERIFY(fewer.size() == 4 && fewer != balanced.strategy.stageLayers);
        Plan part = plan;
        part.strategy.stageLayers = fewer;
        QVERIFY(estimated(part).fits && estimated(part).step < estimated(plan).step);
        QCOMPARE(std::accumulate(fewer.begin(), fewer.end(), 0), plan.model.layers);
    }

    /// Nodes under one leaf that ranks leave idle: as if as many were not drawn, with what the others have of cables
    /// that are spread evenly, in one connection or several.
    void idleNodesUnderALeafChangeNothing()
    {
        Plan plan = piped({nodesOf("first", 2, 1), nodesOf("last", 2, 1)});
        Cluster& c = plan.cluster;
        const Link nic = c.nodes[0].nic;
        const int nics = c.nodes[0].nicsPerNode;
        c.switches = {{"a", "a", SwitchTier::Leaf, 512, 1}, {"b", "b", SwitchTier::Leaf, 512, 1},
            {"spine", "spine", SwitchTier::Spine, 512, 1}};
        const auto stepWith = [&](int nodes, const std::vector<int>& cables) {
            c.nodes[1].count = nodes;
            c.connections = {
                {"first", "a", nic, 2 * nics}, {"a", "spine", nic, nics}, {"b", "spine", nic, std::max(1, nics / 2)}};
            for (const int count : cables)
                c.connections.push_back({"last", "b", nic, count});
            return estimated(plan).step;
        };
        for (const int dp : {2, 4, 1}) {
            plan.strategy.dp = dp, plan.strategy.pp = 8 / dp;
            for (const int nodes : {3, 4, 5, 8})
                for (const int cables : {nodes * nics, nodes * nics - 1, nodes + 1, nodes, 2}) {
                    const int ofUsed = cables / nodes * 2 + std::min(2, cables % nodes);
                    QCOMPARE(stepWith(nodes, {cables}).value(), stepWith(2, {ofUsed}).value());
                    QCOMPARE(stepWith(nodes, std::vector<int>(std::size_t(cables), 1)).value(),
                        stepWith(2, {ofUsed}).value());
                }
        }
    }

    /// Of four nodes, two that are used: their cables are two thirds slow ones, in whatever order these are drawn, and
    /// to two leaves.
    void idleNodesKeepTheirCables()
    {
        Plan plan = piped({nodesOf("first", 2, 1), nodesOf("last", 2, 1)});
        plan.cluster.nodes[0].nicsPerNode = plan.cluster.nodes[1].nicsPerNode = 8;
        Cluster& c = plan.cluster;
        const Link fast = c.nodes[0].nic;
        Link slow = fast;
        slow.bandwidth *= 0.25;
        c.switches = {{"a", "a", SwitchTier::Leaf, 512, 1}, {"b", "b", SwitchTier::Leaf, 512, 1},
            {"spine", "spine", SwitchTier::Spine, 512, 1}};
        const auto stepWith = [&](int nodes, std::vector<Connection> lines) {
            c.nodes[1].count = nodes;
            c.connections = {{"first", "a", fast, 16}, {"a", "spine", fast, 8}, {"b", "spine", fast, 8}};
            c.connections.insert(c.connections.end(), lines.begin(), lines.end());
            return estimated(plan).step.value();
        };
        for (const int dp : {2, 4}) {
            plan.strategy.dp = dp, plan.strategy.pp = 8 / dp;
            const double two = stepWith(2, {{"last", "b", fast, 4}, {"last", "b", slow, 8}});
            QCOMPARE(stepWith(4, {{"last", "b", fast, 8}, {"last", "b", slow, 16}}), two);
            QCOMPARE(stepWith(4, {{"last", "b", slow, 16}, {"last", "b", fast, 8}}), two);
            QVERIFY(stepWith(2, {{"last", "b", fast, 12}}) < two);
            const double apart = stepWith(2, {{"last", "a", fast, 4}, {"last", "b", fast, 8}});
            QCOMPARE(stepWith(4, {{"last", "a", fast, 8}, {"last", "b", fast, 16}}), apart);
        }
    }

    void exponentialsCountWhereAttentionIsNarrow()
    {
        Plan plan = piped({nodesOf("old", 2, 1), nodesOf("new", 2, 1)});
        for (NodeGroup& nodes : plan.cluster.nodes)
            nodes.accelerator.peak[stratoplan::model::Precision::Fp8] = FlopsPerSecond(2e15);
        plan.cluster.nodes[0].accelerator.exponentials = FlopsPerSecond(7.8e11);
        plan.cluster.nodes[1].accelerator.exponentials = FlopsPerSecond(7.8e12);
        plan.model = fixtures::gpt(16, 2048, 16, 51200, 8192);
        plan.model.tiedEmbeddings = false;
        plan.training.sequenceLength = 8192;
        QVERIFY(!unlikeNodes(plan, ProblemCause::AsManyLayers));
        plan.training.precision = stratoplan::model::Precision::Fp8;
        QVERIFY(!unlikeNodes(plan, ProblemCause::AsManyLayers));
        plan.training.attention = AttentionKernel::FlashFp8;
        QVERIFY(unlikeNodes(plan, ProblemCause::AsManyLayers));
    }

    void whatIsToldIsWorthReading()
    {
        Plan plan = piped({nodesOf("slow", 2, 1), nodesOf("fast", 2, 2)});
        QCOMPARE(describe(*unlikeNodes(plan, ProblemCause::AsManyLayers)),
            std::string("Stages on unlike nodes (slow, fast) have as many layers each, and the faster ones wait: "
                        "layers by speed may take less (stratoplan-cli split)."));
        QCOMPARE(describeStageNodes(plan), std::string("stages 0–1 on slow, stages 2–3 on fast"));
        plan.cluster.nodes[0].count = 1;
        plan.cluster.nodes[1].count = 3;
        plan.strategy.pp = 2;
        plan.strategy.dp = 4;
        QCOMPARE(describe(*unlikeNodes(plan, ProblemCause::AsManyMicroBatches)),
            std::string("Replicas on unlike nodes (slow, fast) run as many micro-batches each, and the faster ones "
                        "wait: a batch by speed may take less."));
        plan.strategy.rankOrder = {Axis::Dp, Axis::Tp, Axis::Cp, Axis::Ep, Axis::Pp};
        QCOMPARE(describe(*unlikeNodes(plan, ProblemCause::None)),
            std::string("Ranks of 1 of 2 stages lie on unlike nodes (slow, fast) and wait for the slowest: let stages "
                        "end where the nodes of a kind do, with PP last in the order of ranks."));
        QCOMPARE(describeStageNodes(plan), std::string("stage 0 on slow and fast, stage 1 on fast"));
        QCOMPARE(estimated(plan).stageNodes, (std::vector<std::vector<std::string>>{{"slow", "fast"}, {"fast"}}));
        plan.strategy.pp = 1;
        plan.strategy.dp = 8;
        QCOMPARE(describe(*unlikeNodes(plan, ProblemCause::OneStage)),
            std::string("All ranks wait for the slowest of unlike nodes (slow, fast): stages that each lie "
                        "on nodes of one kind would not."));
        plan.cluster.nodes[1].name = "slow"; // then by their ids
        QCOMPARE(unlikeNodes(plan, ProblemCause::OneStage)->detail, std::string("slow, fast"));
        plan.cluster.nodes[0].accelerator.vendor = "NVIDIA";
        plan.cluster.nodes[1].accelerator.vendor = "AMD";
        const std::vector<Problem> problems = check(plan);
        QVERIFY(hasErrors(problems));
        QCOMPARE(describe(problems.front()),
            std::string("fast accelerator and slow accelerator are of unlike vendors, and no library of collectives "
                        "joins them: plan each by itself."));
    }

    void partsOfOnesOwnHaveNoVendor()
    {
        Plan plan = piped({nodesOf("slow", 2, 1), nodesOf("fast", 2, 2)});
        plan.cluster.nodes[0].accelerator.vendor = "NVIDIA";
        plan.cluster.nodes[1].accelerator.vendor.clear();
        QVERIFY(!hasErrors(check(plan)));
    }

    /// Two kinds under one leaf: each over its own NICs. Under two leaves with few uplinks: the slower kind takes as
    /// much of the spine as its NICs carry, the faster one what is left.
    void sharedUplinksAreSharedByAll()
    {
        Cluster cluster = fixtures::cluster(4, 4);
        cluster.nodes.push_back(cluster.nodes.front());
        cluster.nodes[1].id = "narrow";
        cluster.nodes[1].nic.bandwidth *= 0.25; // 4 x 5 GB/s sustained, 5 each; the others 20
        cluster.switches = {{"leaves", "Leaf", SwitchTier::Leaf, 64, 4}, {"spines", "Spine", SwitchTier::Spine, 64, 1}};
        const Link& nic = cluster.nodes[0].nic;
        cluster.connections = {
            {"nodes", "leaves", nic, 16}, {"narrow", "leaves", nic, 16}, {"leaves", "spines", nic, 32}};
        const auto rate = [&](const std::vector<std::size_t>& groups) {
            const Topology t = topology(cluster, groups);
            double least = INFINITY; // of each accelerator, out of any unit
            for (std::size_t level = 1; level < t.levels.size(); ++level)
                least = std::min(least, t.levels[level].bandwidth.value() / t.levels[level - 1].size);
            return least;
        };
        QVERIFY(fixtures::near(rate({0}), 20e9));
        QVERIFY(fixtures::near(rate({1}), 5e9));
        QVERIFY(fixtures::near(rate({0, 1}), 5e9));
        // 16 uplinks of 20 GB/s for 16 accelerators of each kind: 320 in all, of which the narrow take 80.
        cluster.connections[2].cables = 16;
        QVERIFY(fixtures::near(rate({1}), 5e9));
        QVERIFY2(fixtures::near(rate({0}), 15e9), qPrintable(QString::number(rate({0}))));
        cluster.connections[1].cables = 4; // leaves the others no more
        QVERIFY(fixtures::near(rate({0}), 15e9));
        cluster.connections[1].cables = 16;
        // With 4 all share alike.
        cluster.connections[2].cables = 4;
        QVERIFY(fixtures::near(rate({0}), 2.5e9));
        QVERIFY(fixtures::near(rate({1}), 2.5e9));
    }

    /// A node whose own domain is all of it joins such parts as those of other nodes over its own links.
    void wholeNodesJoinTheirPartsThemselves()
    {
        Cluster cluster = fixtures::cluster(1, 4);
        cluster.nodes.push_back(cluster.nodes.front());
        cluster.nodes[1].id = "pairs";
        cluster.nodes[1].scaleUpDomain = 2;
        cluster.nodes[1].inNode =
            Link{"pcie", "PCIe", LinkKind::Pcie, BytesPerSecond(32e9), 0.8, Seconds(10e-6), "test"};
        QCOMPARE(smallestDomain(cluster), 2);
        QCOMPARE(smallestIsland(cluster), 4);
        const Topology t = topology(cluster);
        QCOMPARE(t.levels.size(), std::size_t(3));
        QVERIFY(t.levels[1].isBypassed);
        QCOMPARE(t.levels[1].name, std::string("PCIe"));
    }
};

STRATOPLAN_TEST(TestUnlikeNodes)
#include "test_unlike_nodes.moc"
