// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cluster/collectives.h"
#include "core/cost/communication.h"
#include "core/cost/compute.h"
#include "core/cost/machine.h"
#include "core/cost/memory.h"
#include "tests/core/fixtures.h"
#include "tests/registry.h"

#include <QTest>

using namespace stratoplan::catalog;
using namespace stratoplan::cluster;
using namespace stratoplan::cost;
using namespace stratoplan::model;
using namespace stratoplan::parallel;
using namespace stratoplan::plan;
using namespace stratoplan::units;
using namespace stratoplan::workload;

namespace {

const FlopsPerSecond kRate(250e12);
const BytesPerSecond kMemory(1.5e12);

Seconds product(double m, double n, double k)
{
    return matmulSeconds(m, n, k, kRate, kMemory, 108);
}

/// Of strategies of 96 ranks, whose collectives take at least what LeastTimes has; how many.
int placesAboveTheLeast(const Topology& t)
{
    LeastTimes least(t);
    int compared = 0;
    Strategy s;
    s.ep = 2;
    for (const auto& [tp, cp, dp, pp] : {std::array{2, 3, 4, 4}, {6, 1, 16, 1}, {4, 2, 12, 1}, {3, 2, 2, 8}}) {
        s.tp = tp, s.cp = cp, s.dp = dp, s.pp = pp;
        std::ranges::sort(s.rankOrder);
        do { // of all orders, EP inside and outside of the replicas
            for (const RankGroup group : {RankGroup::Tensor, RankGroup::Context, RankGroup::Data,
                     RankGroup::DataContext, RankGroup::Expert, RankGroup::ExpertData})
                for (const auto kind : {CollectiveKind::AllReduce, CollectiveKind::AllGather, CollectiveKind::AllToAll})
                    for (const double bytes : {1e3, 1e9}) {
                        const Span place = span(s, group, t);
                        const Collective c{.kind = kind, .bytes = Bytes(bytes), .count = 1};
                        const double bound = least.timeOf(c, place.size, rankCount(s)).value();
                        if (bound > seconds(c, place, t).value() * (1 + 1e-12))
                            qFatal("%d of %d ranks in a domain of %d, %d in a node: %g, not %g", place.inside,
                                place.size, t.levels[0].size, ranksIn(place, 1), seconds(c, place, t).value(), bound);
                        compared += place.size > 1;
                    }
        } while (std::ranges::next_permutation(s.rankOrder).found);
    }
    return compared;
}

/// Four replicas of two stages that work in four chunks, without latencies; a second of passes hides a second.
Plan chunkedReplicas()
{
    Plan plan = fixtures::small();
    plan.strategy.dp = 4;
    plan.strategy.pp = 2;
    plan.strategy.vpp = 4;
    plan.strategy.schedule = Schedule::Interleaved;
    plan.cluster.nodes[0].scaleUp.latency = plan.cluster.nodes[0].nic.latency = Seconds(0);
    SoftwareProfile& software = plan.training.software;
    software.overlapContention = software.dpExposedFloor = 0;
    software.dpOverlap = 1;
    return plan;
}

} // namespace

class TestCost : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Blocks go from neighbour to neighbour, however small: no algorithm of an all-gather cuts the hops.
    void ringsOfAttentionStayRings()
    {
        const Topology t = machine(fixtures::gpt3(), shippedCatalog()).topology;
        const Span perNode{.size = 16, .inside = 1, .sharingUplink = 8};
        const stratoplan::workload::Collective ring{
            "ring", stratoplan::workload::CollectiveKind::RingExchange, Axis::Cp, Bytes(1e4)};
        QCOMPARE(seconds(ring, perNode, t), allGather(t, perNode, Bytes(16e4), CollectiveAlgorithm::Ring));
        QVERIFY(allGather(t, perNode, Bytes(16e4)) < seconds(ring, perNode, t));
    }

    /// Read once or twice, written row by row and column by column, scales beside them.
    void castsMoveWhatTheirKernelsReadAndWrite()
    {
        const auto bytes = [](const char* accelerator, Precision precision, bool current = false) {
            Plan plan = fixtures::small();
            plan.cluster.nodes[0].accelerator = *shippedCatalog().accelerator(accelerator);
            plan.training.precision = precision;
            plan.training.software.currentScaling = current;
            return machine(plan, shippedCatalog()).castBytes;
        };
        QCOMPARE(bytes("h100-sxm-80", Precision::Bf16), 0.0);
        QCOMPARE(bytes("h100-sxm-80", Precision::Fp8), 2.0 + 1 + 1);
        QCOMPARE(bytes("h100-sxm-80", Precision::Fp8, true), 2 * 2.0 + 1 + 1);
        QCOMPARE(bytes("b200-sxm-180", Precision::Fp8), 2.0 + 1);
        QCOMPARE(bytes("b200-sxm-180", Precision::Mxfp8), 2.0 + 2 * (1 + 1.0 / 32));
        QCOMPARE(bytes("b200-sxm-180", Precision::Nvfp4), 2 * 2.0 + 2 * (0.5 + 1.0 / 16));
        QCOMPARE(bytes("tpu-v5e", Precision::Int8), 0.0);
    }

    void productsPayForCastsAndForTheSumsTheyAddTo()
    {
        Plan plan = fixtures::small();
        plan.cluster.nodes[0].accelerator = *shippedCatalog().accelerator("h100-sxm-80");
        plan.training.precision = Precision::Fp8;
        SoftwareProfile& software = plan.training.software;
        Operator op;
        op.kind = OperatorKind::Matmul;
        op.m = op.n = op.k = 4096;
        op.flops = Flops(2 * op.m * op.n * op.k);
        op.narrow = true;
        const Machine m = machine(plan, shippedCatalog());
        const Seconds alone = seconds(op, m, software);
        op.cast = 1e9;
        QVERIFY(std::abs((seconds(op, m, software) - alone) / (Bytes(4e9) / m.memory) - 1) < 1e-9);
        op.narrow = false; // what stays in 16 bits is not cast
        const Seconds wide = seconds(op, m, software);
        op.cast = 0;
        QCOMPARE(seconds(op, m, software).value(), wide.value());
        const auto sum = [&](double accumulated, bool fp32) {
            software.gradientAccumulationBytes = accumulated;
            plan.training.fp32Gradients = fp32;
            return machine(plan, shippedCatalog()).gradientSumBytes;
        };
        QCOMPARE(sum(1, true), 8.0);
        QCOMPARE(sum(1, false), 4.0);
        QCOMPARE(sum(7, true), 0.0); // added up by a pass of its own
    }

    /// Beside its traffic; a product pays for its own kernel already.
    void kernelsAreLaunched()
    {
        Plan plan = fixtures::small();
        SoftwareProfile& software = plan.training.software;
        software.kernelLaunch = Seconds(4e-6);
        const Machine m = machine(plan, shippedCatalog());
        Operator copies;
        copies.kind = OperatorKind::Streaming;
        copies.traffic = Bytes(1e6);
        const double alone = seconds(copies, m, software).value();
        QCOMPARE(alone, 1e6 / m.memory.value());
        copies.launches = 3;
        QCOMPARE(seconds(copies, m, software).value(), alone + 3 * 4e-6);
        copies.share = 0.25; // of the layers
        QCOMPARE(seconds(copies, m, software).value(), (alone + 3 * 4e-6) / 4);
    }

    /// A product of few tokens takes as long as its sum travels.
    void fewTokensWaitForTheSumOfTheirGradients()
    {
        Operator op;
        op.kind = OperatorKind::Matmul;
        op.m = 7168;
        op.n = 4096;
        op.k = 64;
        op.flops = Flops(2 * op.m * op.n * op.k);
        op.weightGradient = true;
        const Plan plan = fixtures::small();
        Machine sums = machine(plan, shippedCatalog());
        const Seconds travel = Bytes(8 * op.m * op.n) / sums.memory;
        sums.gradientSumBytes = 8;
        QVERIFY(seconds(op, sums, plan.training.software) > travel);
        sums.gradientSumBytes = 0;
        QVERIFY(seconds(op, sums, plan.training.software) < 0.6 * travel);
    }

    /// ZeRO paper (1910.02054) figure 1: 7.5 B parameters, 64 ranks, K = 12: 120, 31.4, 16.6, 1.9 GB.
    void zeroTable()
    {
        const auto gigabytes = [](int stage) { return stateBytes(stage, 64, false).total() * 7.5; };
        QCOMPARE(gigabytes(0), 120.0);
        QCOMPARE(std::round(gigabytes(1) * 10) / 10, 31.4);
        QCOMPARE(std::round(gigabytes(2) * 10) / 10, 16.6);
        QCOMPARE(std::round(gigabytes(3) * 10) / 10, 1.9);
        QCOMPARE(stateBytes(0, 1, true).total(), 18.0);
    }

    /// Weights and optimizer states of Korthikanti et al.: 18 bytes x 12 L h^2 / (t p), GiB.
    void publishedStates()
    {
        const auto gib = [](double layers, double hidden, double tp, double pp) {
            return stateBytes(0, 1, true).total() * 12 * layers * hidden * hidden / (tp * pp) / kGiB;
        };
        QCOMPARE(gib(48, 6144, 8, 1), 45.5625);
        QCOMPARE(gib(96, 12288, 8, 8), 45.5625);
        QCOMPARE(gib(105, 20480, 8, 35), 31.640625);
        QCOMPARE(gib(128, 25600, 8, 64), 32.958984375);
    }

    void stageStatesFollowParameters()
    {
        const Plan plan = fixtures::gpt3();
        const Workload w = lower(plan);
        const StageBytes bytes = stageBytes(plan, w, 3);
        const double layers = 12 * (12.0 * 12288 * 12288) / 8;
        QVERIFY(std::abs(bytes.weights.value() / (2 * layers) - 1) < 1e-3); // biases and norms
        QCOMPARE(bytes.gradients.value(), 2 * bytes.weights.value());
        QCOMPARE(bytes.optimizer.value(), 6 * bytes.weights.value() / 16);
    }

    /// Mirrored stages of a pipeline that leaves its node are in two nodes, however many stages a node holds.
    void mirroredStagesAreInOneNodeOnlyWithTheWholePipeline()
    {
        const auto sync = [](int stages) {
            Plan plan = fixtures::gpt3();
            plan.strategy.tp = 2;
            plan.strategy.pp = stages;
            plan.strategy.dp = 1024 / (2 * stages);
            plan.strategy.schedule = Schedule::DualPipe;
            plan.strategy.rankOrder = {Axis::Tp, Axis::Pp, Axis::Cp, Axis::Ep, Axis::Dp};
            return mirrorSync(Deployment(plan, machine(plan, shippedCatalog())), 1e9, 0);
        };
        QVERIFY(sync(8) > 4 * sync(4));
        QVERIFY(sync(16) >= sync(8));
    }

    void longProductsReachTheSustainedRate()
    {
        const double ideal = 2 * 8192.0 * 8192 * 8192 / kRate.value();
        const double ratio = product(8192, 8192, 8192).value() / ideal;
        QVERIFY2(ratio > 1 && ratio < 1.08, qPrintable(QString::number(ratio)));
    }

    void thinProductsAreMemoryBound()
    {
        const double bytes = 2 * (16.0 * 8192 + 8192.0 * 8192 + 16.0 * 8192);
        const double ratio = product(16, 8192, 8192).value() / (bytes / kMemory.value());
        QVERIFY2(ratio >= 1 && ratio < 1.4, qPrintable(QString::number(ratio)));
    }

    void productsAreMonotonous()
    {
        for (double m = 128; m <= 8192; m *= 2)
            for (double k = 128; k <= 8192; k *= 2) {
                QVERIFY(product(2 * m, 4096, k) > product(m, 4096, k));
                QVERIFY(product(m, 4096, 2 * k) >= product(m, 4096, k));
            }
    }

    void fasterHardwareNeverCostsMore()
    {
        const Plan plan = fixtures::gpt3();
        const Workload w = lower(plan);
        const Machine slow = machine(plan, shippedCatalog());
        Machine fast = slow;
        fast.matmul *= 2;
        fast.memory *= 2;
        for (const Operator& op : w.dense.forward.operators)
            QVERIFY2(
                seconds(op, fast, plan.training.software) <= seconds(op, slow, plan.training.software), op.name.data());
    }

    void headDimensionsOffTheGridAreSlow()
    {
        Operator op;
        op.kind = OperatorKind::BatchedMatmul;
        op.flops = Flops(1e12);
        op.k = 128;
        const Machine m = machine(fixtures::gpt3(), shippedCatalog());
        const SoftwareProfile software;
        const Seconds aligned = seconds(op, m, software);
        op.k = 150;
        QVERIFY(seconds(op, m, software) > aligned * 5);
    }

    void gradientSyncOfOneReplicaIsFree()
    {
        Plan plan = fixtures::small();
        plan.strategy.dp = 1;
        plan.strategy.tp = 8;
        ReplicaWindows windows({Seconds(1), Seconds(1)});
        const Overlap sync = replicaTraffic({plan, machine(plan, shippedCatalog())}, 1e9, false, windows, 1).total();
        QCOMPARE(sync.exposed.value(), 0.0);
        QCOMPARE(sync.hidden.value(), 0.0);
    }

    /// Ring identities: ZeRO-1 in FP32 gradients and 16-bit parameters moves 3/4 of the FP32 all-reduce; ZeRO-1 with
    /// 16-bit gradients moves the same (Rajbhandari et al., arXiv 1910.02054, section 7).
    void zeroVolumes()
    {
        Plan plan = fixtures::small();
        plan.training.fp32Gradients = false;
        plan.cluster.nodes[0].scaleUp.latency = plan.cluster.nodes[0].nic.latency = Seconds(0);
        const Machine m = machine(plan, shippedCatalog());
        const auto exposed = [&](int zero) {
            plan.strategy.zeroStage = zero;
            ReplicaWindows none({});
            return replicaTraffic({plan, m}, 1e9, false, none, 1).total().exposed.value();
        };
        QVERIFY(std::abs(exposed(1) / exposed(0) - 1) < 1e-12);
        plan.training.fp32Gradients = true;
        QVERIFY(std::abs(exposed(1) / exposed(0) - 0.75) < 1e-12);
        plan.training.fp32Gradients = false;
        plan.strategy.zeroStage = 3;
        plan.training.software.fsdpHidden = 0;
        Windows windows{Seconds(1), Seconds(1)};
        const ShardTraffic traffic = shardTraffic({plan, m}, 1e9, false, windows);
        QVERIFY(std::abs((traffic.forward.exposed + traffic.backward.exposed).value() / exposed(0) - 1.5) < 1e-12);
    }

    /// 16-bit reduction of FP32 sums moves half of it, an FP8 gather half of one in 16 bits; the tables of embeddings
    /// and output projection are gathered in 16 bits all the same, and so is everything in MXFP8.
    void formatsBetweenReplicas()
    {
        Plan plan = fixtures::small();
        plan.cluster.nodes[0].scaleUp.latency = plan.cluster.nodes[0].nic.latency = Seconds(0);
        plan.training.software.fsdpHidden = 0;
        for (const Precision precision : {Precision::Fp8, Precision::Mxfp8})
            plan.cluster.nodes[0].accelerator.peak[precision] = FlopsPerSecond(624e12);
        const auto traffic = [&](int zero, double tables = 0) {
            plan.strategy.zeroStage = zero;
            ReplicaWindows none({});
            return replicaTraffic({plan, machine(plan, shippedCatalog())}, 1e9, false, none, 1, tables);
        };
        const auto shards = [&](bool tables) {
            plan.strategy.zeroStage = 3;
            Windows none;
            return shardTraffic({plan, machine(plan, shippedCatalog())}, 1e9, false, none, tables).forward.exposed;
        };
        const Seconds reduction = traffic(0).reduction.exposed, gather = traffic(1).gather.exposed;
        const Seconds sharded = shards(false);
        plan.training.narrowReduction = true;
        QVERIFY(fixtures::near(traffic(0).reduction.exposed / reduction, 0.5));
        plan.training.fp32Gradients = false; // in 16 bits already
        QVERIFY(fixtures::near(traffic(0).reduction.exposed / reduction, 0.5));
        plan.training.narrowGather = true;
        QVERIFY(fixtures::near(traffic(1).gather.exposed / gather, 1)); // nothing is in FP8
        plan.training.precision = Precision::Fp8;
        QVERIFY(fixtures::near(traffic(1).gather.exposed / gather, 0.5));
        QVERIFY(fixtures::near(traffic(1, 0.5e9).gather.exposed / gather, 0.75));
        QVERIFY(fixtures::near(shards(false) / sharded, 0.5));
        QVERIFY(fixtures::near(shards(true) / sharded, 1));
        plan.training.precision = Precision::Mxfp8;
        QVERIFY(fixtures::near(traffic(1).gather.exposed / gather, 1));
    }

    /// cuDNN 9 on H100, long sequences forward, FP8 over FP16: 438 of 413, 1,003 of 595 and 1,139 of 581 TFLOP/s at
    /// head dimensions 64, 128 and 256; FlashAttention-3: 613 of 497 and 1,008 of 648 (arXiv 2407.08608, figures 5 and
    /// 7). Nothing of it is fitted: the peaks of the products and of the exponentials say so.
    void narrowAttentionGainsWhatWasMeasured()
    {
        Plan plan = fixtures::small();
        plan.training.precision = Precision::Fp8;
        const auto gain = [&](const char* accelerator, double headDim) {
            plan.cluster.nodes[0].accelerator = *shippedCatalog().accelerator(accelerator);
            return narrowAttentionGain(headDim, machine(plan, shippedCatalog()));
        };
        QVERIFY(gain("h100-sxm-80", 64) > 438.0 / 413 && gain("h100-sxm-80", 64) < 613.0 / 497);
        QVERIFY(std::abs(gain("h100-sxm-80", 128) / (1003.0 / 595) - 1) < 0.03);
        QVERIFY(gain("h100-sxm-80", 128) > 1008.0 / 648);
        QVERIFY(std::abs(gain("h100-sxm-80", 256) / (1139.0 / 581) - 1) < 0.03);
        // Blackwell's exponentials take as long as its products in 16 bits; Blackwell Ultra has twice as many.
        QVERIFY(gain("b200-sxm-180", 128) < 1.2);
        QVERIFY(gain("b300-sxm-270", 128) > 1.6);
        QCOMPARE(gain("a100-sxm-80", 128), 1.0); // has no FP8
    }

    /// An optimizer that needs its share alone, and sums all the same: 2 + 1 parts where ZeRO-1 moves 1 + 1.
    void wholeReduction()
    {
        Plan plan = fixtures::small();
        plan.training.fp32Gradients = false;
        plan.cluster.nodes[0].scaleUp.latency = plan.cluster.nodes[0].nic.latency = Seconds(0);
        plan.strategy.zeroStage = 1;
        const auto exposed = [&] {
            ReplicaWindows none({});
            return replicaTraffic({plan, machine(plan, shippedCatalog())}, 1e9, false, none, 1).total().exposed;
        };
        const Seconds shares = exposed();
        plan.training.software.reducesWhole = true;
        QVERIFY(std::abs(exposed() / shares - 1.5) < 1e-12);
    }

    /// As many latencies as buckets, the last of which may be part of one; and the bytes of all.
    void bucketsHaveLatenciesOfTheirOwn()
    {
        Plan plan = fixtures::small();
        plan.strategy = Strategy{};
        plan.strategy.dp = 8;
        plan.cluster = fixtures::cluster(1);
        plan.cluster.nodes[0].scaleUp.kernels.clear();
        plan.cluster.nodes[0].scaleUp.latency = Seconds(1e-3); // beside which a tree is the slower one
        plan.training.fp32Gradients = false;
        const auto exposed = [&](double bucket) {
            plan.training.software.gradientBucket = Bytes(bucket);
            ReplicaWindows none({});
            return replicaTraffic({plan, machine(plan, shippedCatalog())}, 64e9, false, none, 1).total().exposed;
        };
        const Seconds whole = exposed(0), latencies(14e-3); // 2 (n - 1) of a ring
        QVERIFY(std::abs((exposed(32e9) - whole) / (latencies * 3.0) - 1) < 1e-9);
        QVERIFY(std::abs((exposed(51.2e9) - whole) / (latencies * 1.5) - 1) < 1e-9);
        QCOMPARE(exposed(128e9).value(), whole.value());
        QCOMPARE(exposed(1e12).value(), whole.value());
    }

    /// Megatron-Core's: so many parameters, or more by replicas; both ways, and only where it overlaps without a
    /// pipeline.
    void bucketsOfParametersAreReducedAndGathered()
    {
        Plan plan = fixtures::small();
        plan.strategy = Strategy{};
        plan.strategy.dp = 8;
        plan.strategy.zeroStage = 1;
        plan.cluster = fixtures::cluster(1);
        plan.cluster.nodes[0].scaleUp.kernels.clear();
        plan.cluster.nodes[0].scaleUp.latency = Seconds(1e-3);
        SoftwareProfile& software = plan.training.software;
        software.dpOverlap = 0.5;
        const auto exposed = [&](double parameters, double perReplica) {
            software.bucketParameters = parameters;
            software.bucketParametersPerReplica = perReplica;
            ReplicaWindows none({});
            return replicaTraffic({plan, machine(plan, shippedCatalog())}, 64e9, false, none, 1).total().exposed;
        };
        const Seconds whole = exposed(0, 1e6), latencies(14e-3); // n - 1 each way
        QVERIFY(std::abs((exposed(16e9, 1e9) - whole) / (latencies * 3.0) - 1) < 1e-9);
        QVERIFY(std::abs((exposed(16e9, 4e9) - whole) / latencies - 1) < 1e-9); // 32e9 for eight replicas
        QCOMPARE(exposed(1e12, 0).value(), whole.value());
        software.dpOverlap = 0;
        QCOMPARE(exposed(16e9, 1e9).value(), whole.value());
        software.dpOverlap = 0.5;
        plan.strategy.pp = 2; // of a pipeline the first stage alone has buckets
        plan.strategy.dp = 4;
        QCOMPARE(exposed(16e9, 1e9).value(), exposed(0, 0).value());
    }

    /// Interleaved, a chunk is reduced while the next one has its last round: 1/v of all alone at the end, or what the
    /// other rounds could not hide.
    void chunksAreReducedApart()
    {
        Plan plan = chunkedReplicas();
        const Machine m = machine(plan, shippedCatalog());
        int microBatches = 8;
        const auto exposed = [&](Seconds window) {
            ReplicaWindows windows({Seconds(0), window});
            const Overlap sync = replicaTraffic({plan, m}, 1e9, false, windows, microBatches).total();
            return sync.exposed.value();
        };
        const double all = exposed(Seconds(0));
        QCOMPARE(mostHiddenPasses(plan.strategy, plan.training.software, microBatches), 7.0 / 4);
        microBatches = 1; // of a round no more than there are
        plan.strategy.schedule = Schedule::BreadthFirst;
        QVERIFY(std::abs(exposed(Seconds(all / 2)) - all * 0.5) < 1e-9 * all);
        plan.strategy.timingPass = true; // the pipeline times the chunks itself
        QVERIFY(std::abs(exposed(Seconds(all / 2)) - all * 0.5) < 1e-9 * all);
        microBatches = 8;
        QVERIFY(std::abs(exposed(Seconds(all / 2)) - all * 0.5) < 1e-9 * all);
        plan.strategy.timingPass = false;
        for (const double share : {0.0, 0.01, 0.1, 0.3, 0.6, 0.9, 2.0, 10.0}) {
            const double chunk = all * share / 4;
            const double want = std::max({0.0, all / 4 - chunk, all - chunk * (3 * 2 + 1)});
            QVERIFY2(std::abs(exposed(Seconds(all * share)) - want) < 1e-9 * all, qPrintable(QString::number(share)));
        }
    }

    /// The timing pass moves reductions alone: what gathers parameters hides as it did.
    void chunksAreGatheredApart()
    {
        Plan plan = chunkedReplicas();
        plan.strategy.zeroStage = 1;
        const Machine m = machine(plan, shippedCatalog());
        const auto traffic = [&](Seconds window) {
            ReplicaWindows windows({window, window});
            return replicaTraffic({plan, m}, 1e9, false, windows, 8);
        };
        const Seconds gather = traffic({}).gather.exposed;
        for (const double share : {0.01, 0.1, 0.3, 0.6}) {
            plan.strategy.timingPass = false;
            const ReplicaTraffic apart = traffic(gather * share);
            plan.strategy.timingPass = true;
            const ReplicaTraffic timed = traffic(gather * share);
            QVERIFY(timed.gather == apart.gather);
            const double chunk = share / 4;
            const double want = std::max({0.0, 0.25 - chunk, 1 - chunk * 7});
            QVERIFY(std::abs(timed.gather.exposed / gather - want) < 1e-9);
            QVERIFY(timed.reduction.exposed > apart.reduction.exposed);
        }
    }

    /// No less than what any traffic hides for each second that a pass takes longer.
    void mostThatAPassHides()
    {
        Plan plan = chunkedReplicas();
        SoftwareProfile& software = plan.training.software;
        software.shardsEachMicroBatch = true;
        const Machine m = machine(plan, shippedCatalog());
        const Seconds pass(1e-4); // hides all the time
        for (const double overlap : {0.1, 0.3, 0.9}) // of ZeRO-2 the gather hides more, or the reductions
            for (const int zero : {0, 1, 2})
                for (const bool timed : {false, true}) {
                    software.dpOverlap = overlap;
                    plan.strategy.zeroStage = zero;
                    plan.strategy.timingPass = timed;
                    ReplicaWindows windows({pass, pass});
                    const ReplicaTraffic traffic = replicaTraffic({plan, m}, 1e12, false, windows, 8);
                    const double hidden = std::max(traffic.reduction.hidden, traffic.gather.hidden) / pass;
                    QVERIFY(std::abs(hidden / mostHiddenPasses(plan.strategy, software, 8) - 1) < 1e-9);
                }
        software.dpOverlap = 0;
        QCOMPARE(mostHiddenPasses(plan.strategy, software, 8), 0.0);
        plan.strategy.zeroStage = 3;
        software.fsdpHidden = 0.5;
        Windows windows{pass, pass};
        const ShardTraffic each = shardTraffic({plan, m}, 1e12, false, windows);
        QCOMPARE(8 * (each.forward.hidden / pass), mostHiddenPasses(plan.strategy, software, 8));
        QCOMPARE(8 * (each.backward.hidden / pass), mostHiddenPasses(plan.strategy, software, 8));
    }

    void hiddenCommunicationIsNeverLost()
    {
        Plan plan = fixtures::small();
        SoftwareProfile& software = plan.training.software;
        software.overlapContention = 0;
        software.dpOverlap = 0;
        const Machine m = machine(plan, shippedCatalog());
        ReplicaWindows none({});
        const Seconds all = replicaTraffic({plan, m}, 1e9, false, none, 1).total().exposed;
        software.dpOverlap = 0.8;
        for (const double window : {0.0, 0.001, 0.01, 1.0}) {
            ReplicaWindows windows({Seconds(window), Seconds(window)});
            const Overlap sync = replicaTraffic({plan, m}, 1e9, false, windows, 1).total();
            QVERIFY(std::abs((sync.exposed + sync.hidden) / all - 1) < 1e-12);
            QVERIFY(sync.exposed >= all * software.dpExposedFloor * (1 - 1e-12));
        }
    }

    /// Hybrid sharding on two nodes of four: states are divided by the group, the gather stays inside the node, and the
    /// sum over the copies crosses with a share of the gradients only.
    void hybridSharding()
    {
        Plan plan = fixtures::small();
        plan.strategy.zeroStage = 3;
        plan.training.software.fsdpHidden = 0;
        const auto states = [&](int shards) {
            plan.strategy.zeroShards = shards;
            const StageBytes s = stageBytes(plan, lower(plan), 0);
            return (s.weights + s.gradients + s.optimizer).value();
        };
        QCOMPARE(states(8), states(0));
        QCOMPARE(states(4), 2 * states(0));
        const auto traffic = [&](int shards) {
            plan.strategy.zeroShards = shards;
            Windows none;
            return shardTraffic({plan, machine(plan, shippedCatalog())}, 1e9, false, none);
        };
        QVERIFY(traffic(8).forward.exposed == traffic(0).forward.exposed);
        QVERIFY(traffic(4).forward.exposed < 0.5 * traffic(0).forward.exposed);
        const Machine m = machine(plan, shippedCatalog());
        plan.strategy.zeroShards = 4;
        const Bytes gradients(1e9 * 4);
        const Seconds across = allReduce(m.topology, {2, 1, 4}, gradients / 4.0);
        const Seconds inside =
            reduceScatter(m.topology, {4, 4, 1}, gradients) + allGather(m.topology, {4, 4, 1}, Bytes(2e9));
        QVERIFY(std::abs(traffic(4).backward.exposed / (across + inside) - 1) < 1e-12);
    }

    /// Dense parameters, then experts: as if they were one.
    void aLastChunkHidesOnce()
    {
        Plan plan = chunkedReplicas();
        plan.training.software.dpExposedFloor = 0.1;
        const Machine m = machine(plan, shippedCatalog());
        const auto hidden = [&](Seconds window, std::initializer_list<double> parameters) {
            ReplicaWindows windows({{}, window});
            Seconds sum{};
            for (const double one : parameters)
                sum += replicaTraffic({plan, m}, one, false, windows, 8).total().hidden;
            return sum;
        };
        ReplicaWindows none({});
        const Seconds all = replicaTraffic({plan, m}, 2e9, false, none, 8).total().exposed;
        for (const double share : {0.01, 0.1, 0.2, 0.3, 0.5, 1.0, 3.0})
            for (const double first : {0.1e9, 1e9, 1.9e9})
                QVERIFY2(std::abs(hidden(all * share, {first, 2e9 - first}) / hidden(all * share, {2e9}) - 1) < 1e-9,
                    qPrintable(QString::number(share)));
    }

    void aWindowHidesOnce()
    {
        Plan plan = fixtures::small();
        SoftwareProfile& software = plan.training.software;
        software.overlapContention = 0;
        software.dpOverlap = 0.8;
        software.dpExposedFloor = 0;
        plan.strategy.zeroStage = 0;
        const Machine m = machine(plan, shippedCatalog());
        ReplicaWindows windows({{}, Seconds(1e-3)});
        const Overlap first = replicaTraffic({plan, m}, 1e9, false, windows, 1).total();
        QVERIFY(std::abs(first.hidden.value() - 0.8e-3) < 1e-12);
        QCOMPARE(replicaTraffic({plan, m}, 1e9, false, windows, 1).total().hidden.value(), 0.0);
        plan.strategy.zeroStage = 3;
        Windows layer{Seconds(1e-3), Seconds(1e-3)};
        const ShardTraffic dense = shardTraffic({plan, m}, 1e9, false, layer);
        const ShardTraffic more = shardTraffic({plan, m}, 1e9, false, layer);
        QVERIFY(std::abs((dense.forward.hidden + more.forward.hidden).value() - 1e-3) < 1e-12);
    }

    /// Korthikanti et al., arXiv 2205.05198, section 4, in four bytes: activations, boundaries and gathers double,
    /// one-byte masks and the log-sum-exp do not.
    void singlePrecisionDoubles()
    {
        Plan plan = fixtures::small();
        plan.model.dropout = false;
        plan.training.attention = AttentionKernel::Unfused;
        const Workload half = lower(plan);
        plan.training.precision = Precision::Fp32;
        const Workload whole = lower(plan);
        QCOMPARE(whole.dense.activations.all().value(), 2 * half.dense.activations.all().value());
        QCOMPARE(whole.boundary.value(), 2 * half.boundary.value());
        for (std::size_t i = 0; i < half.dense.forward.collectives.size(); ++i)
            QCOMPARE(
                whole.dense.forward.collectives[i].bytes.value(), 2 * half.dense.forward.collectives[i].bytes.value());
    }

    void boundariesInsideANodeAreCheaper()
    {
        Plan plan = fixtures::small();
        plan.strategy.pp = 8;
        plan.strategy.dp = 1;
        const Machine m = machine(plan, shippedCatalog());
        const Bytes boundary(100e6);
        QVERIFY(boundarySeconds({plan, m}, boundary, 0)
            < boundarySeconds({plan, m}, boundary, 3)); // 4 accelerators per node
        QVERIFY(boundarySeconds({plan, m}, boundary, 4) == boundarySeconds({plan, m}, boundary, 0));
    }

    /// Wherever the ranks of a strategy lie, in nodes of several domains under leaves.
    void noPlaceTakesLessThanTheLeast()
    {
        const auto level = [](const char* name, int size, double gbPerSecond, double microseconds, double ports) {
            return TopologyLevel{name, size, BytesPerSecond(gbPerSecond * 1e9), Seconds(microseconds * 1e-6), ports};
        };
        int compared = 0;
        for (const double latency : {1.0, 20.0})
            for (const double inNode : {10.0, 1000.0})
                for (const auto& [domain, node] : {std::pair(2, 8), {3, 6}, {6, 12}, {1, 7}}) {
                    Topology t{{level("NVLink", domain, 300, 2, domain), level("PCIe", node, inNode, latency, domain),
                                   level("network", 4 * node, 200, 5, node), level("uplinks", 32 * node, 100, 4, 1)},
                        32 * node};
                    t.levels[1].isBypassed = true;
                    compared += placesAboveTheLeast(t);
                }
        QVERIFY2(compared > 100'000, qPrintable(QString::number(compared)));
    }

    void noPlaceOnATorusTakesLessThanTheLeast()
    {
        int compared = 0;
        for (const TorusWrap wrap : kTorusWraps)
            for (const std::vector<int>& axes :
                {std::vector{96}, {4, 24}, {6, 16}, {4, 4, 6}, {2, 3, 4, 4}, {3, 4}, {2, 2, 2}}) {
                Topology t{{{"ICI", 0, BytesPerSecond(300e9), Seconds(2e-6)},
                               {"network", 96, BytesPerSecond(100e9), Seconds(5e-6)}},
                    96};
                t.levels[0].torus = Torus{axes, wrap};
                t.levels[0].size = int(sizeOf(*t.levels[0].torus));
                compared += placesAboveTheLeast(t);
            }
        QVERIFY2(compared > 50'000, qPrintable(QString::number(compared)));
    }

    /// Not as if a node held all of it: what joins its domains is fast here, and the network slow.
    void whatNoNodeHoldsPaysForTheNetwork()
    {
        const auto level = [](const char* name, int size, double gbPerSecond) {
            return TopologyLevel{name, size, BytesPerSecond(gbPerSecond * 1e9), Seconds(1e-6), double(size)};
        };
        Topology t{{level("NVLink", 2, 300), level("PCIe", 8, 1000), level("network", 256, 10)}, 256};
        t.levels[1].isBypassed = true;
        LeastTimes least(t);
        const Collective gather{.kind = CollectiveKind::AllGather, .bytes = Bytes(1e9), .count = 1};
        for (const int size : {16, 32}) {
            Span place{size, 2, 1}; // of nodes that hold eight each
            const double inOneNode = seconds(gather, place, t).value();
            place.outer[0].ranks = 8;
            const double fastest = seconds(gather, place, t).value(), bound = least.timeOf(gather, size, size).value();
            QVERIFY(bound > 2 * inOneNode);
            QVERIFY2(
                std::abs(bound / fastest - 1) < 1e-9, qPrintable(QStringLiteral("%1, not %2").arg(bound).arg(fastest)));
        }
    }
};

STRATOPLAN_TEST(TestCost)
#include "test_cost.moc"
