// SPDX-License-Identifier: GPL-3.0-or-later
// A vocabulary divided over the stages of a pipeline (Yeung et al., 2411.05288): what is shared out stays the same in
// sum.
#include "core/cost/machine.h"
#include "core/cost/memory.h"
#include "core/estimate/estimate.h"
#include "core/estimate/memory_timeline.h"
#include "core/parallel/placement.h"
#include "core/pricing/priced_stages.h"
#include "tests/core/fixtures.h"
#include "tests/registry.h"

#include <QTest>

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
using enum VocabularyPlacement;

namespace {

constexpr std::array kDivided{Vocab1, Vocab2, Interlaced};

/// One replica, a pipeline of `pp` stages of four layers each, and a vocabulary that needs no padding either way.
Plan piped(VocabularyPlacement placement, int pp = 8, int perNode = 8)
{
    Plan plan = fixtures::small();
    plan.model = fixtures::gpt(4 * pp, 2048, 16, 131072, 1024);
    plan.model.tiedEmbeddings = false;
    plan.cluster = fixtures::cluster(pp / perNode, perNode);
    plan.strategy = {};
    plan.strategy.pp = pp;
    plan.strategy.vocabularyPlacement = placement;
    plan.training.globalBatch = 64;
    return plan;
}

Estimate estimated(const Plan& plan)
{
    const auto answer = estimate(plan);
    return answer ? *answer : Estimate{};
}

double flops(const Pass& pass)
{
    double sum = 0;
    for (const Operator& op : pass.operators)
        sum += op.flops.value();
    return sum;
}

/// FLOPs of embedding and head of one micro-batch on all stages, and the parameters of all stages.
std::pair<double, double> sums(const Plan& plan)
{
    const Workload w = lower(plan);
    double work = 0;
    double parameters = 0;
    for (const StageLayout& stage : w.stages) {
        work += lookUps(plan, stage) * (flops(w.embeddingForward) + flops(w.embeddingBackward));
        work += predictions(plan, stage) * (flops(w.headForward) + flops(w.headBackward));
        parameters += stage.parameters;
    }
    return {work, parameters};
}

double held(const Plan& plan, int stage, std::string_view name)
{
    for (const LedgerItem& item : memoryLedger(plan, lower(plan), stage))
        if (item.name == name)
            return item.bytes.value();
    return 0;
}

} // namespace

class TestVocabulary : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void oneStageHasBothEndsAnyway()
    {
        Plan plan = piped(Ends, 1, 1);
        const Estimate ends = estimated(plan);
        QVERIFY(ends.step.value() > 0);
        for (const VocabularyPlacement placement : kDivided) {
            plan.strategy.vocabularyPlacement = placement;
            Estimate divided = estimated(plan);
            divided.strategy = ends.strategy;
            divided.settled = ends.settled;
            QVERIFY(divided == ends);
        }
    }

    void workAndParametersStayTheSame()
    {
        for (const int modules : {0, 2}) {
            Plan plan = piped(Ends);
            plan.model.multiTokenPredictionDepth = modules;
            const auto [work, parameters] = sums(plan);
            // Modules of prediction look tokens up on a stage without the table: they bring a copy.
            const double copy = modules > 0 ? 131072.0 * 2048 : 0;
            QVERIFY(work > 0);
            for (const VocabularyPlacement placement : kDivided) {
                plan.strategy.vocabularyPlacement = placement;
                QVERIFY(near(sums(plan).first, work));
                QVERIFY(near(sums(plan).second, parameters - copy));
            }
        }
        // A tied table is there twice on two ends, once in shares.
        Plan tied = piped(Ends);
        tied.model.tiedEmbeddings = true;
        const double twice = sums(tied).second;
        tied.strategy.vocabularyPlacement = Vocab1;
        QVERIFY(near(sums(tied).second, twice - 131072.0 * 2048));
        // Shares are even, and of even size.
        QCOMPARE(paddedVocabulary(50257, 1, 8), 50272);
        QCOMPARE(paddedVocabulary(50257, 2, 8), 50272);
        QCOMPARE(paddedVocabulary(50257, 1, 1), 50304);
    }

    void stagesAreBalanced()
    {
        const auto spread = [](const Estimate& e) {
            double least = INFINITY;
            double most = 0;
            for (const Breakdown& stage : e.stages) {
                const double own = (stage.forward + stage.backward).value();
                least = std::min(least, own);
                most = std::max(most, own);
            }
            return most / least;
        };
        QVERIFY(spread(estimated(piped(Ends))) > 1.5);
        for (const VocabularyPlacement placement : kDivided)
            QVERIFY(near(spread(estimated(piped(placement))), 1));
    }

    void tablesAndLogitsAreShared()
    {
        const Plan ends = piped(Ends);
        const double table = 131072.0 * 2048;
        for (const VocabularyPlacement placement : kDivided) {
            const Plan plan = piped(placement);
            for (const int stage : {0, 3, 7}) {
                const Workload w = lower(plan);
                const StageLayout& own = w.stages[std::size_t(stage)];
                QCOMPARE(own.embeddingParameters, table / 8 + (stage == 0 ? 1024.0 * 2048 : 0));
                QCOMPARE(own.headParameters, table / 8 + (stage == 7 ? 2.0 * 2048 : 0));
                QCOMPARE(held(plan, stage, "logits and loss"), held(ends, 7, "logits and loss") / 8);
            }
        }
        QCOMPARE(held(ends, 3, "logits and loss"), 0.0);
        // Large tables no longer fill the ends.
        QVERIFY(estimated(piped(Vocab1)).memory.peak < estimated(ends).memory.peak);
    }

    void moreMicroBatchesAreInFlight()
    {
        const Plan ends = piped(Ends);
        for (const auto& [placement, more] : {std::pair(Vocab1, 2), std::pair(Vocab2, 1), std::pair(Interlaced, 4)}) {
            const Plan plan = piped(placement);
            for (int stage = 0; stage < 8; ++stage)
                QCOMPARE(inFlight(plan.strategy, 64, stage), inFlight(ends.strategy, 64, stage) + more);
            QCOMPARE(inFlight(plan.strategy, 64, 0), 8.0 + more);
            QCOMPARE(inFlight(plan.strategy, 4, 0), 4.0);
            const Estimate e = estimated(plan);
            const Timeline timeline = simulate(e.pipeline);
            QCOMPARE(timeline.peakInFlight[0], 8 + more);
            // The curve over time has the same peak as the sum.
            QVERIFY(near(memoryTimeline(e.memory, timeline).peak().bytes.value(), e.memory.peak.value()));
        }
    }

    /// Communication of one micro-batch: the hidden state goes out, three statistics and a gradient come together; the
    /// embedding the other way round.
    void communicationByHand()
    {
        Plan plan = piped(Vocab1);
        plan.training.software.overlapContention = 0;
        const Machine m = machine(plan, shippedCatalog());
        const Span stages = span(plan.strategy, RankGroup::Pipeline, m.topology);
        const double hidden = 1024.0 * 2048;
        const auto reduce = [&](double bytes) { return allReduce(m.topology, stages, Bytes(bytes)).value(); };
        const auto cast = [&](double bytes) { return broadcast(m.topology, stages, Bytes(bytes)).value(); };
        const double statistics = 3 * reduce(1024 * 4);
        const double loss = cast(4 * hidden) + statistics + reduce(2 * hidden);
        const double embedding = reduce(2 * hidden) + cast(2 * hidden);
        const Estimate behind = estimated(plan);
        QVERIFY(near(behind.pipeline.loss.value(), loss));
        QVERIFY(behind.stages[7].exposed.pp < behind.stages[7].hidden.pp);
        const auto vocabulary = [](const Breakdown& stage, const Breakdown& ends) {
            return (stage.exposed.pp + stage.hidden.pp - ends.exposed.pp - ends.hidden.pp).value();
        };
        const Breakdown ends = estimated(piped(Ends)).stages[7];
        QVERIFY(near(vocabulary(behind.stages[7], ends), 64 * (loss + embedding)));
        plan.strategy.vocabularyPlacement = Interlaced;
        const Estimate together = estimated(plan);
        QCOMPARE(together.pipeline.loss.value(), 0.0);
        QVERIFY(near((together.stages[7].exposed.pp - ends.exposed.pp).value(),
            64 * (cast(2 * hidden) + statistics + reduce(2 * hidden) + embedding)));
    }

    /// What hides costs a share of the passes it hides behind, whatever its size, until it outlasts them.
    void collectivesHoldComputeUnits()
    {
        Plan plan = piped(Vocab1);
        const auto exposed = [&](double contention) {
            plan.training.software.overlapContention = contention;
            return estimated(plan).stages[3];
        };
        const Breakdown free = exposed(0);
        const Breakdown slowed = exposed(0.04);
        QVERIFY(near((slowed.exposed.pp - free.exposed.pp).value(), 0.04 * (free.forward + free.backward).value()));
        plan.cluster.nodes[0].scaleUp.bandwidth = BytesPerSecond(1e8);
        const Breakdown late = exposed(0);
        QVERIFY(late.exposed.pp.value() > 10 * free.exposed.pp.value());
        QVERIFY(late.hidden.pp < late.exposed.pp);
    }

    void dividingPaysWithALargeVocabulary()
    {
        // Inside a node all of them beat a last stage that does two stages' work; dividing a small vocabulary is no
        // use.
        const double ends = estimated(piped(Ends)).step.value();
        for (const VocabularyPlacement placement : kDivided)
            QVERIFY(estimated(piped(placement)).step.value() < 0.75 * ends);
        // Over a slow network stages that wait for one another lose against those that do not.
        Plan together = piped(Interlaced, 16, 2);
        Plan behind = piped(Vocab2, 16, 2);
        for (Plan* plan : {&together, &behind})
            plan->cluster.nodes[0].nic.bandwidth = BytesPerSecond(5e9);
        QVERIFY(estimated(behind).step < estimated(together).step);
    }

    /// A V has both ends on its first stage; divided, its stages are alike, and hold what the schedule holds with a
    /// longer life.
    void vShapedPipelinesDivideItToo()
    {
        for (const Schedule schedule : {Schedule::ZbV, Schedule::VHalf}) {
            Plan plan = piped(Ends);
            plan.strategy.schedule = schedule;
            const auto [work, parameters] = sums(plan);
            const Estimate ends = estimated(plan);
            plan.strategy.vocabularyPlacement = Vocab1;
            const Estimate divided = estimated(plan);
            QVERIFY(near(sums(plan).first, work));
            QVERIFY(near(sums(plan).second, parameters));
            QVERIFY(divided.step < ends.step);
            const auto own = [&](int i) {
                return (divided.stages[std::size_t(i)].forward + divided.stages[std::size_t(i)].backward).value();
            };
            QVERIFY(near(own(0), own(7)) && near(own(0), own(3)));
            QVERIFY(inFlight(plan.strategy, 64, 0) > inFlight(schedule, 8, 2, 64, 0));
        }
    }

    void correctionsAreTraffic()
    {
        const auto bytes = [](VocabularyPlacement placement) {
            const Plan plan = piped(placement);
            const Workload w = lower(plan);
            double sum = 0;
            for (const Pass* pass : {&w.headForward, &w.headBackward})
                for (const Operator& op : pass->operators)
                    sum += op.kind == OperatorKind::Streaming ? op.traffic.value() / logits(plan, w) : 0;
            return sum;
        };
        const double plain = bytes(Ends);
        QVERIFY(near(bytes(Interlaced), plain));
        QVERIFY(near(bytes(Vocab1), plain + 8)); // the softmax is read and written once more in FP32
        QVERIFY(near(bytes(Vocab2), plain + 8 + 6)); // and narrowed for the product before the correction
    }

    /// In a V the collectives hide behind both chunks of a stage.
    void bothChunksOfAVHideTheTraffic()
    {
        bool exposed = false;
        bool needed = false; // the last chunk alone would not have hidden it
        for (double gigabytes = 25; gigabytes > 0.01; gigabytes *= 0.8) {
            Plan plan = piped(Vocab1, 4, 1);
            plan.strategy.schedule = Schedule::ZbV;
            plan.training.software.p2pExposed = 0;
            plan.cluster.nodes.front().nic.bandwidth = BytesPerSecond(gigabytes * 1e9);
            const Machine m = machine(plan, shippedCatalog());
            const Deployment deployment(plan, m);
            Fleet fleet(plan, shippedCatalog());
            const PricedStages priced = priceStages(plan, fleet);
            const auto layouts = placeChunks(plan);
            const double contention = plan.training.software.overlapContention;
            const MicroBatchCost& micro = priced.micro;
            const Seconds traffic =
                (micro.headForward.hidden.pp + micro.headBackward.hidden.pp) * predictions(plan, layouts[1][1])
                + (micro.embeddingForward.hidden.pp + micro.embeddingBackward.hidden.pp) * lookUps(plan, layouts[1][1]);
            const std::vector<StagePasses> chunks = chunkCosts(deployment, micro, priced.workload, layouts[1], 1);
            const Seconds beyond = std::max(Seconds{}, traffic - window(chunks[0]) - window(chunks[1]));
            const Seconds backward = chunks[1].backward.window() + chunks[1].recompute.window();
            QVERIFY(near(chunks[1].backward.exposed.pp.value(), (backward * contention + beyond).value()));
            exposed = exposed || beyond > Seconds{};
            needed = needed || (beyond == Seconds{} && traffic > window(chunks[1]));
        }
        QVERIFY(exposed && needed);
    }

    /// The two ends of a V share a stage, and a tied table is there once, chunk by chunk too.
    void aTiedTableOfAVIsThereOnce()
    {
        for (const bool tied : {false, true}) {
            for (const Schedule schedule : {Schedule::ZbV, Schedule::VHalf, Schedule::DualPipeV, Schedule::DualPipe}) {
                Plan plan = piped(Ends, 4, 4);
                plan.model.tiedEmbeddings = tied;
                plan.strategy.schedule = schedule;
                const Workload w = lower(plan);
                auto layouts = placeChunks(plan);
                for (std::size_t stage = 0; stage < layouts.size(); ++stage) {
                    double sum = 0;
                    for (StageLayout& chunk : layouts[stage]) {
                        countParameters(plan, w, chunk);
                        sum += chunk.parameters;
                    }
                    if (schedule != Schedule::DualPipe) // which holds the ends twice
                        QCOMPARE(sum, w.stages[stage].parameters);
                }
            }
        }
    }

    /// Sharded parameters are gathered by chunk: a tied table costs a V no more than an untied one's first half does.
    void aTiedTableOfAVIsGatheredOnce()
    {
        const auto traffic = [](bool tied) {
            Plan plan = piped(Ends, 4, 4);
            plan.model.tiedEmbeddings = tied;
            plan.strategy.schedule = Schedule::ZbV;
            plan.cluster = fixtures::cluster(4, 4);
            plan.strategy.dp = 4;
            plan.strategy.zeroStage = 3;
            plan.training.software.shardsEachMicroBatch = true;
            Seconds sum{};
            Fleet fleet(plan, shippedCatalog());
            const StagePasses stage = priceStages(plan, fleet).costs[0].passes;
            for (const PassCost* pass : {&stage.forward, &stage.backward})
                sum += pass->exposed.dp + pass->hidden.dp;
            return sum;
        };
        const Seconds once = traffic(true);
        const Seconds twice = traffic(false);
        QVERIFY(once > Seconds{} && once < twice * 0.75); // tables are most of what this small model gathers
    }
};

STRATOPLAN_TEST(TestVocabulary)
#include "test_vocabulary.moc"
