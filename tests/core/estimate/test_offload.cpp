// SPDX-License-Identifier: GPL-3.0-or-later
// Host memory as a second tier: what leaves the accelerator, what travelling and updating there cost, and when it does
// not fit.
#include "core/cost/communication.h"
#include "core/cost/host_memory.h"
#include "core/cost/memory.h"
#include "core/estimate/estimate.h"
#include "core/estimate/memory_timeline.h"
#include "core/plan/search_space.h"
#include "core/pricing/pricing_context.h"
#include "core/pricing/stage_cost.h"
#include "tests/core/fixtures.h"
#include "tests/registry.h"

#include <QTest>

#include <array>
#include <cmath>

using namespace stratoplan::catalog;
using namespace stratoplan::cluster;
using namespace stratoplan::cost;
using namespace stratoplan::estimate;
using namespace stratoplan::parallel;
using namespace stratoplan::pipeline;
using namespace stratoplan::plan;
using namespace stratoplan::pricing;
using namespace stratoplan::units;
using namespace stratoplan::workload;
using stratoplan::fixtures::near;

namespace {

Plan withHost(Offload offload, double linkGigabytes = 50, int pp = 1)
{
    Plan plan = fixtures::small();
    NodeGroup& node = plan.cluster.nodes.front();
    node.hostMemory = Bytes(1024 * kGiB);
    node.hostMemoryBandwidth = BytesPerSecond(400e9);
    node.hostLink = BytesPerSecond(linkGigabytes * 1e9);
    plan.strategy.pp = pp;
    plan.strategy.dp = 8 / pp;
    plan.strategy.microBatch = 2;
    plan.strategy.offload = offload;
    return plan;
}

Estimate estimated(const Plan& plan)
{
    return estimate(plan, {.remedies = false, .range = false}).value();
}

double kept(const Plan& plan)
{
    return keptActivations(lower(plan).dense.activations, plan.strategy.recompute).value();
}

} // namespace

class TestOffload : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// What leaves the accelerator is on the host: layers' activations of every micro-batch in flight, but for two
    /// layers' buffers.
    void activationsMoveToTheHost()
    {
        for (const int pp : {1, 2, 4}) {
            for (const Recompute recompute : {Recompute::None, Recompute::Selective, Recompute::Full}) {
                Plan plan = withHost(Offload::None, 50, pp);
                plan.strategy.recompute = recompute;
                const Estimate stays = estimated(plan);
                plan.strategy.offload = Offload::Activations;
                const Estimate away = estimated(plan);
                const double layer = kept(plan);
                for (int i = 0; i < pp; ++i) {
                    const double layers = 8.0 / pp;
                    const double inFlight = pp - i;
                    const StageMemory& here = away.memory.stages[std::size_t(i)];
                    const StageMemory& before = stays.memory.stages[std::size_t(i)];
                    QVERIFY(near((before.activations - here.activations).value(), layer * layers * inFlight));
                    const double buffers = layer * std::min(2.0, layers);
                    QVERIFY(near(before.byLifetime.pass.value() + buffers, here.byLifetime.pass.value()));
                    QVERIFY(near(before.byLifetime.step.value(), here.byLifetime.step.value()));
                    const Peak most = peak(here.byLifetime, here.inFlight, {});
                    QVERIFY(near(here.total().value(), (here.byLifetime.step + most.activations + most.above).value()));
                }
                QVERIFY(near(away.memory.hostPeak.value(), layer * 8.0 / pp * pp));
                QCOMPARE(away.memory.hostCapacity.value(), 256.0 * kGiB);
                QVERIFY(near(memoryTimeline(away.memory, simulate(away.pipeline)).peak().bytes.value(),
                    away.memory.peak.value()));
            }
        }
    }

    /// A link that keeps up costs nothing; a slow one what the transfers last longer than the passes of their layer.
    void slowLinksHoldThePassesUp()
    {
        const Estimate stays = estimated(withHost(Offload::None));
        QVERIFY(near(estimated(withHost(Offload::Activations, 1e6)).step.value(), stays.step.value()));
        double before = 0;
        for (const double gigabytes : {400.0, 50.0, 10.0, 2.0, 0.5}) {
            const Plan plan = withHost(Offload::Activations, gigabytes);
            const Estimate away = estimated(plan);
            const double travel = kept(plan) / (gigabytes * 1e9);
            const double layers = 8;
            const double batches = 64.0 / 8 / 2;
            const Machine m = machine(plan, shippedCatalog());
            const Deployment deployment(plan, m);
            Plan none = plan;
            none.strategy.offload = Offload::None;
            const MicroBatchCost cost = microBatchCost(Deployment(none, m), lower(none));
            const double waits = std::max(0.0, travel - cost.dense.forward.total().value())
                + std::max(0.0, travel - (cost.dense.backward.total() + cost.dense.recompute.total()).value());
            const double stretched = stretch(plan, m);
            QVERIFY(near(away.pipeline.stages[0].forward.value() + away.pipeline.stages[0].backward.value(),
                stays.pipeline.stages[0].forward.value() + stays.pipeline.stages[0].backward.value()
                    + waits * layers * stretched));
            QVERIFY(away.step.value() >= before * (1 - 1e-12));
            QVERIFY(away.step.value() <= stays.step.value() + waits * layers * batches * stretched + 1e-9);
            QVERIFY(near(away.breakdown.total().value(), away.step.value()));
            before = away.step.value();
        }
        QVERIFY(before > 2 * stays.step.value());
    }

    /// The states leave; the update takes as long as the slowest of gradients down, update on the host and weights up.
    void theOptimizerRunsOnTheHost()
    {
        for (const int zero : {0, 1, 3}) {
            Plan plan = withHost(Offload::None);
            plan.strategy.zeroStage = zero;
            const Estimate stays = estimated(plan);
            plan.strategy.offload = Offload::Optimizer;
            const Estimate away = estimated(plan);
            const double states = stays.memory.stages[0].optimizer.value();
            QVERIFY(states > 0);
            QCOMPARE(away.memory.stages[0].optimizer.value(), 0.0);
            QVERIFY(near(away.memory.hostPeak.value(), states));
            const double parameters = states / plan.training.software.optimizerStateBytes; // this rank's share
            const SoftwareProfile& software = plan.training.software;
            const double update = parameters * software.optimizerBytes / (400e9 / 4);
            const double gradients = parameters * (plan.training.fp32Gradients ? 4 : 2) / 50e9;
            const double expected =
                std::max({update, gradients, parameters * 2 / 50e9}) + software.optimizerFixed.value();
            QVERIFY(
                std::abs(optimizerSeconds(plan, machine(plan, shippedCatalog()), {parameters}).value() / expected - 1)
                < 1e-9);
            QVERIFY(away.breakdown.optimizer > stays.breakdown.optimizer);
            QVERIFY(near(
                away.breakdown.optimizer.value(), expected + software.shardBroadcast.value() * (zero > 0 ? 8 : 0)));
        }
    }

    /// ZeRO-Offload: gradients go to the host as they are made where each rank has its own share of them.
    void gradientsAreStreamedToTheHost()
    {
        for (const int zero : {0, 1, 2, 3})
            for (const bool streams : {false, true}) {
                Plan plan = withHost(Offload::Optimizer);
                plan.strategy.zeroStage = zero;
                plan.training.software.offloadStreamsGradients = streams;
                plan.training.software.bucketParameters = 1e7;
                const StageMemory stage = estimated(plan).memory.stages[0];
                const bool gone = streams && zero >= 2;
                QCOMPARE(stage.gradients == Bytes{}, gone);
                plan.training.software.bucketParameters = 2e7;
                QCOMPARE(estimated(plan).memory.stages[0].buffers.value() - stage.buffers.value(), gone ? 2e7 : 0.0);
                const Machine m = machine(plan, shippedCatalog());
                const auto waits = [&](double gigabytes) {
                    return gradientWait(plan, m, {gigabytes / 2 * 1e9}, Seconds(0.03), 4).value();
                };
                QVERIFY(near(waits(2), gone ? 4 * (0.04 - 0.03) : 0)); // 2 GB at 50 GB/s
                QCOMPARE(waits(1), 0.0);
            }
        Plan away = withHost(Offload::Optimizer);
        away.strategy.zeroStage = 2;
        const double states = estimated(away).memory.hostPeak.value();
        const double parameters = states / away.training.software.optimizerStateBytes; // of the rank's share
        away.training.software.offloadStreamsGradients = true;
        QVERIFY(near(estimated(away).memory.hostPeak.value(), states + 2 * parameters));
        Plan alone = withHost(Offload::Optimizer);
        alone.training.software.offloadStreamsGradients = true;
        alone.strategy.dp = 1;
        QCOMPARE(estimated(alone).memory.stages[0].gradients.value(), 0.0);
    }

    /// What a slow link adds to a step: in every micro-batch all gradients of the rank but those behind its backward
    /// pass, recomputation included.
    void backwardPassesWaitForTheirGradients()
    {
        for (const Recompute recompute : {Recompute::None, Recompute::Full}) {
            const auto of = [&](double gigabytes) {
                Plan plan = withHost(Offload::Optimizer, gigabytes);
                plan.cluster.nodes.front().hostMemoryBandwidth = BytesPerSecond(1e9); // slower than any of the links
                plan.training.software.offloadStreamsGradients = true;
                plan.strategy.dp = 1;
                plan.strategy.recompute = recompute;
                return plan;
            };
            const Plan slow = of(2);
            const Estimate fast = estimated(of(1e6)), waits = estimated(slow);
            const double streamed = fast.memory.hostPeak.value() / (slow.training.software.optimizerStateBytes + 2) * 2;
            const double stretched = stretch(slow, machine(slow, shippedCatalog()));
            const double wait =
                streamed / 2e9 * stretched - fast.pipeline.stages[0].backward.value(); // which holds what is repeated
            QVERIFY(wait > 0);
            QVERIFY(near(waits.step.value() - fast.step.value(), wait * microBatches(slow)));
        }
    }

    /// As its paper has it (arXiv 2101.06840, section 6.2.1): 13 billion parameters on one V100 of 32 GB.
    void thirteenBillionFitOneV100()
    {
        Plan plan;
        plan.model = fixtures::gpt(40, 5120, 40, 50257, 2048);
        plan.cluster.nodes = {shippedCatalog().node("dgx1-v100-32")->node};
        plan.cluster.nodes.front().acceleratorsPerNode = 1;
        plan.training = fixtures::small().training;
        plan.training.software = *shippedCatalog().softwareProfile("deepspeed");
        plan.training.precision = stratoplan::model::Precision::Fp16;
        plan.training.fp32Gradients = plan.training.software.gradientsInFp32;
        plan.training.sequenceLength = 1024;
        plan.training.globalBatch = 4;
        plan.strategy = {.zeroStage = 2};
        plan.strategy.recompute = Recompute::Full;
        QVERIFY(!estimated(plan).fits);
        plan.strategy.offload = Offload::Optimizer;
        QVERIFY(estimated(plan).fits);
        plan.training.software.offloadStreamsGradients = false;
        QVERIFY(!estimated(plan).fits);
    }

    /// Or the plan itself would not be among the strategies that are searched.
    void theDefaultSpaceHasThePlansOffload()
    {
        QVERIFY(*namedSpace("default", withHost(Offload::None)) == defaultSpace());
        QVERIFY(namedSpace("default", withHost(Offload::Optimizer))->offloads
            == (std::vector{Offload::None, Offload::Optimizer}));
    }

    void fullHostsAreToldOf()
    {
        Plan plan = withHost(Offload::Activations);
        const double needed = estimated(plan).memory.hostPeak.value();
        for (const double share : {0.99, 1.01}) {
            plan.cluster.nodes.front().hostMemory = Bytes(needed * share * 4);
            const Estimate e = estimated(plan);
            QCOMPARE(e.fits, share > 1);
            const bool told = std::any_of(e.problems.begin(), e.problems.end(),
                [](const Problem& p) { return p.code == ProblemCode::OutOfHostMemory; });
            QCOMPARE(told, share < 1);
            PricingContext pricing(plan, shippedCatalog());
            QCOMPARE(price(pricing, plan.strategy, PipelineTime::ClosedForm)->fits, e.fits);
        }
    }

    /// Where weight gradients run apart they need the activations once more: three transfers behind as many passes.
    void weightGradientsApartNeedThemAgain()
    {
        for (const double gigabytes : {1e6, 4.0, 0.5}) {
            const auto busy = [&](Schedule schedule, Offload offload) {
                Plan plan = withHost(offload, gigabytes, 4);
                plan.strategy.schedule = schedule;
                plan.training.software.p2pExposed = 0;
                const StageWork stage = estimated(plan).pipeline.stages[1];
                return std::array{stage.forward.value(), stage.backward.value(), stage.weightGradient.value()};
            };
            const Plan plan = withHost(Offload::Activations, gigabytes, 4);
            const double stretched = stretch(plan, machine(plan, shippedCatalog()));
            const double travel = kept(plan) / (gigabytes * 1e9) * 2 * stretched; // of two layers
            const auto waits = [&](double window) { return std::max(0.0, travel - window); };
            const auto stays = busy(Schedule::ZbH1, Offload::None);
            const auto away = busy(Schedule::ZbH1, Offload::Activations);
            QVERIFY(near(away[1], stays[1] + waits(stays[1] - stays[2]) + waits(stays[2])));
            const auto together = busy(Schedule::OneFOneB, Offload::Activations);
            QVERIFY(near(together[1], stays[1] + waits(stays[1])));
            QCOMPARE(away[2], stays[2]);
        }
    }

    /// A host that nobody described is no host of any size or speed.
    void unknownHostsAreNotGuessed()
    {
        const auto refusal = [](const Plan& plan) { return estimate(plan).error().front(); };
        for (const Offload offload : {Offload::Activations, Offload::Optimizer}) {
            Plan plan = withHost(offload, 0);
            QVERIFY(refusal(plan).other == "host_link_gb_s");
            plan = withHost(offload);
            plan.cluster.nodes.front().hostMemory = {};
            QVERIFY(refusal(plan).other == "host_memory_gib");
            plan = withHost(offload);
            plan.cluster.nodes.front().hostMemoryBandwidth = {};
            if (offload == Offload::Optimizer)
                QVERIFY(refusal(plan).other == "host_memory_bandwidth_gb_s");
            else
                QVERIFY(estimate(plan).has_value());
        }
    }

    /// A plan that does not fit is offered to offload, with what that costs.
    void offloadIsARemedy()
    {
        Plan plan = withHost(Offload::None);
        plan.strategy.recompute = Recompute::Full;
        plan.strategy.zeroStage = 3;
        plan.strategy.microBatch = 1;
        const Bytes whole = estimated(plan).memory.peak;
        plan.cluster.nodes.front().accelerator.memory = whole * 0.97;
        const auto answer = estimate(plan, {.range = false});
        QVERIFY(answer && !answer->fits);
        bool offered = false;
        for (const Remedy& remedy : answer->problems.front().remedies)
            offered = offered || remedy.strategy.offload != Offload::None;
        QVERIFY(offered);
    }
};

STRATOPLAN_TEST(TestOffload)
#include "test_offload.moc"
