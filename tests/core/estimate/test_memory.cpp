// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/memory.h"
#include "core/estimate/estimate.h"
#include "core/estimate/memory_timeline.h"
#include "core/exchange/document.h"
#include "core/narration/estimates.h"
#include "core/pricing/pricing_context.h"
#include "tests/core/fixtures.h"
#include "tests/registry.h"

#include <QTest>

#include <map>

using namespace stratoplan::catalog;
using namespace stratoplan::cost;
using namespace stratoplan::estimate;
using namespace stratoplan::exchange;
using namespace stratoplan::narration;
using namespace stratoplan::parallel;
using namespace stratoplan::pipeline;
using namespace stratoplan::plan;
using namespace stratoplan::pricing;
using namespace stratoplan::units;
using namespace stratoplan::workload;
using stratoplan::fixtures::near;

namespace {

/// Bytes of the item of that name; 0 if there is none.
double item(const MemoryLedger& ledger, std::string_view name)
{
    double bytes = 0;
    for (const LedgerItem& each : ledger)
        bytes += each.name == name ? each.bytes.value() : 0;
    return bytes;
}

Plan pipelined(Schedule schedule, int pp, int vpp, int microBatches)
{
    Plan plan = fixtures::small();
    plan.model = fixtures::gpt(24, 1024, 16, 32000, 1024);
    plan.cluster = fixtures::cluster(1, pp);
    plan.strategy.dp = 1;
    plan.strategy.pp = pp;
    plan.strategy.vpp = vpp;
    plan.strategy.schedule = schedule;
    plan.training.globalBatch = microBatches;
    return plan;
}

Estimate estimated(const Plan& plan)
{
    const auto answer = estimate(plan);
    return answer ? *answer : Estimate{};
}

MemoryTimeline over(const Estimate& e)
{
    return memoryTimeline(e.memory, simulate(e.pipeline));
}

void holdsWhatIsReported(const Plan& plan)
{
    const auto answer = estimate(plan, {.remedies = false, .range = false});
    QVERIFY(answer);
    const MemoryTimeline timeline = over(*answer);
    const Schedule schedule = plan.strategy.schedule;
    const bool isBound = schedule == Schedule::ZbAuto || (shape(schedule) == PipelineShape::V && !runsPairs(schedule));
    for (std::size_t i = 0; i < timeline.stages.size(); ++i) {
        const StageMemory& stage = answer->memory.stages[i];
        const StageMemoryCurve& curve = timeline.stages[i];
        const double reported = stage.total().value();
        const bool below = curve.peak.bytes.value() < reported
            && (schedule == Schedule::ZbAuto
                || reported - curve.peak.bytes.value() <= stage.byLifetime.microBatch.value());
        QVERIFY2((isBound && below) || near(curve.peak.bytes.value(), reported),
            qPrintable(QString("stage %1: %2 of %3").arg(i).arg(curve.peak.bytes.value()).arg(reported)));
        QVERIFY(near(curve.points.back().bytes.value(), stage.byLifetime.step.value()));
    }
}

} // namespace

class TestMemory : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// ZB-auto with an open limit holds as many micro-batches as its memory has room for, and tells the search the
    /// same.
    void openLimitsFillTheMemory()
    {
        Plan plan = pipelined(Schedule::ZbAuto, 4, 1, 16);
        plan.model = fixtures::gpt(24, 4096, 32, 32000, 2048);
        Bytes& memory = plan.cluster.nodes.front().accelerator.memory;
        memory = Bytes(1000 * kGiB);
        for (int limit = 8; limit >= 1; --limit) {
            plan.strategy.inFlightLimit = limit;
            memory = estimated(plan).memory.peak;
            plan.strategy.inFlightLimit = 0;
            const Estimate open = estimated(plan);
            QCOMPARE(open.pipeline.limit, limit);
            QVERIFY(open.fits);
            QCOMPARE(open.strategy, plan.strategy);
            QVERIFY(over(open).peak().bytes <= open.memory.peak);
            PricingContext pricing(plan, shippedCatalog());
            const auto priced = price(pricing, plan.strategy, PipelineTime::Simulated);
            QVERIFY(priced && near(priced->step.value(), open.step.value())
                && near(priced->peak.value(), open.memory.peak.value()));
        }
        memory = memory * 0.5; // room for none: as many as there are stages, and it says that it does not fit
        QCOMPARE(estimated(plan).pipeline.limit, 4);
        QVERIFY(!estimated(plan).fits);
    }

    /// Bytes a token of one GPT layer keeps: 34 h + 5 a s (Korthikanti et al., 2205.05198, table 2), tensor by tensor.
    void tensorsOfALayer()
    {
        Plan plan = fixtures::small();
        plan.training.attention = AttentionKernel::Unfused;
        const Workload w = lower(plan);
        const MemoryLedger ledger = memoryLedger(plan, w, 0);
        const double tokens = w.tokens * 8; // eight layers
        const double h = 1024;
        QCOMPARE(item(ledger, "norm inputs and residuals"), tokens * 4 * h);
        QCOMPARE(item(ledger, "norm outputs"), tokens * 4 * h);
        QCOMPARE(item(ledger, "queries, keys and values"), tokens * 6 * h);
        QCOMPARE(item(ledger, "attention output"), tokens * 2 * h);
        QCOMPARE(item(ledger, "attention scores"), tokens * 5 * 16 * 1024);
        QCOMPARE(item(ledger, "FFN intermediates"), tokens * 16 * h);
        QCOMPARE(item(ledger, "dropout masks"), tokens * 2 * h + w.tokens * h); // and that of the embedding
        QCOMPARE(item(ledger, "first moments"), 4 * w.stages[0].parameters);
        QCOMPARE(item(ledger, "second moments"), 4 * w.stages[0].parameters);
        QCOMPARE(item(ledger, "master weights"), 4 * w.stages[0].parameters);
        QCOMPARE(item(ledger, "softmax statistics"), 0.0);
        plan.training.attention = AttentionKernel::Flash;
        QCOMPARE(item(memoryLedger(plan, lower(plan), 0), "softmax statistics"), tokens * 16 * 4);
        plan.strategy.recompute = Recompute::Full;
        const MemoryLedger recomputed = memoryLedger(plan, lower(plan), 0);
        QCOMPARE(item(recomputed, "layer inputs"), tokens * 2 * h);
        QVERIFY(item(recomputed, "recomputed layer and its gradients") > 0);
        QCOMPARE(item(recomputed, "FFN intermediates"), 0.0);
    }

    /// An optimizer of ZeRO-1 or 2 that flattens gradients holds them once more, by shard, and two buckets of them at
    /// most; no other does.
    void flattenedGradientsAreHeldTwice()
    {
        Plan plan = fixtures::small();
        plan.training.fp32Gradients = false;
        plan.strategy.tp = 1;
        plan.strategy.dp = 8;
        plan.training.software.flatGradientBytes = 2;
        plan.training.software.reduceBuckets = Bytes(1e15);
        const auto held = [&](int stage, const char* name) {
            plan.strategy.zeroStage = stage;
            return item(memoryLedger(plan, lower(plan), 0), name);
        };
        const double parameters = lower(plan).stages[0].parameters;
        for (const int stage : {1, 2}) {
            QCOMPARE(held(stage, "gradients in one piece"), parameters * 2 / 8);
            QCOMPARE(held(stage, "reduction buckets"), parameters * 4); // of as many gradients as there are
        }
        plan.training.software.reduceBuckets = Bytes(1e6);
        QCOMPARE(held(1, "reduction buckets"), 1e6);
        for (const int stage : {0, 3})
            QCOMPARE(held(stage, "gradients in one piece") + held(stage, "reduction buckets"), 0.0);
        plan.strategy.offload = Offload::Optimizer;
        QCOMPARE(held(1, "gradients in one piece") + held(1, "reduction buckets"), 0.0);
    }

    void categoriesAreSumsOfTheLedger()
    {
        for (const Plan& plan : {fixtures::gpt3(), fixtures::small(), pipelined(Schedule::OneFOneB, 4, 1, 8),
                 pipelined(Schedule::GPipe, 4, 1, 8)}) {
            const Workload w = lower(plan);
            const Estimate e = estimated(plan);
            for (std::size_t stage = 0; stage < w.stages.size(); ++stage) {
                const double flight =
                    inFlight(plan.strategy.schedule, plan.strategy.pp, plan.strategy.vpp, w.microBatches, int(stage));
                std::map<MemoryCategory, double> whole;
                double activations = 0;
                for (const LedgerItem& each : memoryLedger(plan, w, int(stage))) {
                    QVERIFY(each.bytes.value() > 0);
                    if (each.lifetime == Lifetime::MicroBatch)
                        activations += each.bytes.value() * flight;
                    else if (each.lifetime == Lifetime::Step)
                        whole[each.category] += each.bytes.value();
                }
                const StageMemory& m = e.memory.stages[stage];
                QVERIFY(near(m.weights.value(), whole[MemoryCategory::Weights]));
                QVERIFY(near(m.gradients.value(), whole[MemoryCategory::Gradients]));
                QVERIFY(near(m.optimizer.value(), whole[MemoryCategory::Optimizer]));
                QVERIFY(near(m.reserve.value(), whole[MemoryCategory::Reserve]));
                QVERIFY(near(m.activations.value(), activations));
                QVERIFY(m.buffers.value() >= whole[MemoryCategory::Buffers]);
            }
        }
    }

    /// In flight on a stage at the peak: 1F1B p - i, GPipe m, interleaved (2 (p-i-1) + (v-1) p + 1) / v.
    void curvesReachTheReportedPeak_data()
    {
        QTest::addColumn<Schedule>("schedule");
        QTest::addColumn<int>("chunks");
        QTest::addColumn<int>("microBatches");
        QTest::newRow("1F1B") << Schedule::OneFOneB << 1 << 16;
        QTest::newRow("1F1B, few") << Schedule::OneFOneB << 1 << 2;
        QTest::newRow("GPipe") << Schedule::GPipe << 1 << 8;
        QTest::newRow("interleaved") << Schedule::Interleaved << 3 << 16;
        QTest::newRow("interleaved, few") << Schedule::Interleaved << 3 << 4;
    }

    void curvesReachTheReportedPeak()
    {
        QFETCH(Schedule, schedule);
        QFETCH(int, chunks);
        QFETCH(int, microBatches);
        for (const Recompute recompute : {Recompute::None, Recompute::Full}) {
            for (const double logitBytes : {0.01, 60.0}) { // the last stage peaks in a backward pass, or at its loss
                Plan plan = pipelined(schedule, 4, chunks, microBatches);
                plan.strategy.recompute = recompute;
                plan.training.software.logitBytes = logitBytes;
                const Estimate e = estimated(plan);
                const MemoryTimeline timeline = over(e);
                QCOMPARE(timeline.stages.size(), std::size_t(4));
                for (int i = 0; i < 4; ++i) {
                    const MemoryPeak& peak = timeline.stages[std::size_t(i)].peak;
                    QVERIFY(near(peak.bytes.value(), e.memory.stages[std::size_t(i)].total().value()));
                    QCOMPARE(peak.moment, e.memory.stages[std::size_t(i)].moment);
                    const double flight = schedule == Schedule::GPipe ? microBatches
                        : schedule == Schedule::OneFOneB              ? std::min(microBatches, 4 - i)
                                                         : std::min(microBatches * 3, 2 * (3 - i) + 2 * 4 + 1) / 3.0;
                    QVERIFY2(near(peak.inFlight, flight),
                        qPrintable(QString("stage %1: %2 of %3").arg(i).arg(peak.inFlight).arg(flight)));
                }
                QCOMPARE(timeline.stages[3].peak.moment, logitBytes > 1 ? PeakMoment::Loss : PeakMoment::Backward);
                QVERIFY(near(timeline.peak().bytes.value(), e.memory.peak.value()));
            }
        }
    }

    /// A stage holds in time what is reported of it, and gives all of it back. An order made for durations may hold
    /// less than its limit, and of a V with unlike chunks the most may be held in a forward pass, which needs less
    /// beside it than a backward pass.
    void everySchedulesCurveReachesTheReportedPeak_data()
    {
        QTest::addColumn<Schedule>("schedule");
        for (int i = 0; !key(static_cast<Schedule>(i)).empty(); ++i)
            QTest::newRow(std::string(key(static_cast<Schedule>(i))).c_str()) << static_cast<Schedule>(i);
    }

    void everySchedulesCurveReachesTheReportedPeak()
    {
        QFETCH(Schedule, schedule);
        const int chunks = effectiveChunks(schedule, 3) == 3 ? 3 : 1;
        for (const int microBatches : {8, 12, 32, 60}) {
            for (const Recompute recompute : {Recompute::None, Recompute::Full}) {
                for (const int layers : {24, 23, 21}) { // of these a V has chunks unlike each other
                    if (chunks == 3 && layers != 24)
                        continue;
                    Plan plan = pipelined(schedule, 4, chunks, microBatches);
                    plan.model.layers = layers;
                    plan.strategy.recompute = recompute;
                    holdsWhatIsReported(plan);
                }
            }
        }
    }

    /// Expert traffic that hides behind another pass shortens passes; none of them is lost.
    void pairedPassesGiveTheirMemoryBack()
    {
        Plan plan = parseDocument(findExample("deepseek-v3-2048-h800")->text, shippedCatalog())->project.plan;
        for (const Schedule schedule : {Schedule::DualPipe, Schedule::DualPipeV}) {
            for (const int depth : {0, 1, 3}) {
                plan.strategy.schedule = schedule;
                plan.model.multiTokenPredictionDepth = depth;
                holdsWhatIsReported(plan);
            }
        }
    }

    void curvesStartAndEndAtWhatStays()
    {
        const Plan plan = pipelined(Schedule::Interleaved, 4, 3, 8);
        const Estimate e = estimated(plan);
        const MemoryTimeline timeline = over(e);
        QCOMPARE(timeline.makespan, simulate(e.pipeline).makespan);
        for (std::size_t i = 0; i < timeline.stages.size(); ++i) {
            const StageMemoryCurve& curve = timeline.stages[i];
            const Bytes stays = e.memory.stages[i].byLifetime.step;
            QCOMPARE(curve.points.front().at, Seconds{});
            QVERIFY(near(curve.points.back().bytes.value(), stays.value()));
            for (std::size_t k = 1; k < curve.points.size(); ++k) {
                QVERIFY(curve.points[k - 1].at < curve.points[k].at);
                QVERIFY(curve.points[k].bytes != curve.points[k - 1].bytes);
                QVERIFY(curve.points[k].bytes.value() >= stays.value() * (1 - 1e-12));
                QVERIFY(curve.points[k].bytes <= curve.peak.bytes * (1 + 1e-9));
            }
            QVERIFY(near(heldAt(timeline, int(i), curve.peak.at).value(), curve.peak.bytes.value()));
            QVERIFY(near(heldAt(timeline, int(i), timeline.makespan).value(), stays.value()));
        }
        // Nothing has reached the last stage yet.
        QVERIFY(near(heldAt(timeline, 3, Seconds{}).value(), e.memory.stages[3].byLifetime.step.value()));
    }

    void peaksAreNamed()
    {
        const Plan plan = pipelined(Schedule::OneFOneB, 4, 1, 8);
        const MemoryTimeline timeline = over(estimated(plan));
        const MemoryPeak& first = timeline.stages[0].peak;
        QCOMPARE(first.microBatch, 0); // four forward passes, then the first backward pass
        QCOMPARE(describeMoment(first, 1), std::string("in the backward pass of micro-batch 0"));
        QCOMPARE(describeMoment(first, 3), std::string("in the backward pass of micro-batch 0, chunk 0"));
        QVERIFY(memoryPeak(estimated(plan)) == timeline.peak());
    }

    /// One stage of FP16 parameters: a step so short of activations that widening the gradients for the optimizer needs
    /// most.
    void theOptimizerMayNeedMost()
    {
        Plan plan = fixtures::small();
        plan.training.fp32Gradients = false;
        plan.training.sequenceLength = 8;
        plan.training.globalBatch = 8;
        const Estimate e = estimated(plan);
        const StageMemory& m = e.memory.stages[0];
        QCOMPARE(m.moment, PeakMoment::Optimizer);
        QCOMPARE(m.activations.value(), 0.0);
        QVERIFY(near(m.buffers.value(), 4 * lower(plan).stages[0].parameters));
        const MemoryTimeline timeline = over(e);
        QVERIFY(near(timeline.peak().bytes.value(), e.memory.peak.value()));
        QCOMPARE(timeline.peak().microBatch, -1);
        QCOMPARE(describeMoment(timeline.peak(), 1), std::string("while the optimizer runs"));
    }

    /// GPipe keeps the softmax of every micro-batch until its backward pass.
    void waitingPredictionsAreHeld()
    {
        const Plan one = pipelined(Schedule::OneFOneB, 4, 1, 8);
        const Plan all = pipelined(Schedule::GPipe, 4, 1, 8);
        const Estimate a = estimated(one);
        const Estimate b = estimated(all);
        const LifetimeBytes& by = b.memory.stages[3].byLifetime;
        QVERIFY(near(by.prediction.value(), 4 * logits(all, lower(all))));
        QVERIFY(near((b.memory.stages[3].total() - a.memory.stages[3].total()).value(),
            (7 * (by.microBatch + by.prediction)).value()));
    }

    /// What a collective puts its answer in: the whole input of a column product; keys and values of the other context
    /// ranks.
    void collectivesNeedBuffers()
    {
        Plan plan = fixtures::small();
        plan.training.attention = AttentionKernel::Flash;
        plan.strategy.tp = 2;
        plan.strategy.dp = 1;
        plan.strategy.cp = 4;
        const double tokens = 1024.0 / 4;
        const double whole = tokens * 1024 * 2;
        const double keysAndValues = whole; // half of the heads, keys and values
        const auto of = [&](const char* name) { return item(memoryLedger(plan, lower(plan), 0), name); };
        QCOMPARE(of("gathered input of a product"), 0.0);
        plan.strategy.sequenceParallel = true;
        QCOMPARE(of("gathered input of a product"), whole);
        QCOMPARE(of("keys and values of other ranks"), 2 * keysAndValues); // one block in use, the next on its way
        plan.strategy.contextMethod = ContextMethod::AllGather;
        QCOMPARE(of("keys and values of other ranks"), 4 * keysAndValues);
        QCOMPARE(of("gradients of keys and values of other ranks"), 4 * keysAndValues);
        plan.strategy.cp = 1;
        QCOMPARE(of("keys and values of other ranks"), 0.0);
    }

    void nothingIsGatheredFromOneRank()
    {
        Plan plan = fixtures::small();
        plan.cluster = fixtures::cluster(1);
        plan.strategy = Strategy{};
        plan.strategy.tp = 8;
        plan.strategy.zeroStage = 3;
        QCOMPARE(item(memoryLedger(plan, lower(plan), 0), "gathered weights"), 0.0);
        plan.strategy.tp = 4;
        plan.strategy.dp = 2;
        QVERIFY(item(memoryLedger(plan, lower(plan), 0), "gathered weights") > 0);
    }

    void predictionModulesCostMemory()
    {
        Plan plan = pipelined(Schedule::OneFOneB, 4, 1, 8);
        const Estimate without = estimated(plan);
        plan.model.multiTokenPredictionDepth = 1;
        const Estimate with = estimated(plan);
        QVERIFY(with.step > without.step);
        QVERIFY(with.memory.stages[3].total() > without.memory.stages[3].total());
        QCOMPARE(with.memory.stages[0], without.memory.stages[0]);
        QVERIFY(item(memoryLedger(plan, lower(plan), 3), "prediction module inputs") > 0);
        QVERIFY(near(over(with).peak().bytes.value(), with.memory.peak.value()));
    }
};

STRATOPLAN_TEST(TestMemory)
#include "test_memory.moc"
