// SPDX-License-Identifier: GPL-3.0-or-later
// Oracles of pipeline schedules: published closed forms, conservation, precedence, and agreement with a second
// simulator on random pipelines.
#include "core/pipeline/alternating.h"
#include "core/pipeline/pipeline.h"
#include "core/pipeline/program.h"
#include "tests/core/fixtures.h"
#include "tests/core/pipeline/random_chunks.h"
#include "tests/core/pipeline/reference_simulator.h"
#include "tests/registry.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <random>

using namespace stratoplan::parallel;
using namespace stratoplan::pipeline;
using namespace stratoplan::units;
using stratoplan::fixtures::close;

namespace {

constexpr double kTolerance = 1e-9;

bool notAbove(double a, double b)
{
    return a <= b + kTolerance * std::max(1.0, std::abs(b));
}

PipelineWork uniform(Schedule schedule, int p, int v, int m, double forward, double backward, double transfer = 0)
{
    PipelineWork work{schedule, m, v, {}};
    StageWork stage;
    stage.forward = Seconds(forward);
    stage.backward = Seconds(backward);
    stage.sendForward = Seconds(transfer);
    stage.sendBackward = Seconds(transfer);
    work.stages.assign(static_cast<std::size_t>(p), stage);
    return work;
}

PipelineWork randomWork(std::mt19937& random)
{
    const auto pick = [&](int low, int high) { return std::uniform_int_distribution(low, high)(random); };
    const auto seconds = [&](double high) { return Seconds(std::uniform_real_distribution(0.05, 1.0)(random) * high); };
    PipelineWork work;
    const std::array schedules{Schedule::GPipe, Schedule::OneFOneB, Schedule::Interleaved, Schedule::EagerOneFOneB,
        Schedule::BreadthFirst, Schedule::ZbH1, Schedule::ZbH2};
    work.schedule = schedules[static_cast<std::size_t>(pick(0, int(schedules.size()) - 1))];
    const int p = pick(1, 6);
    const bool chunks = work.schedule == Schedule::Interleaved || work.schedule == Schedule::BreadthFirst;
    work.chunks = chunks ? pick(1, 4) : 1;
    work.microBatches = work.schedule == Schedule::Interleaved && work.chunks > 1 ? p * pick(1, 3) : pick(1, 12);
    const double transfer = std::array{0.0, 0.05, 0.5, 3.0}[static_cast<std::size_t>(pick(0, 3))];
    const double reshard = std::array{0.0, 0.0, 0.1, 3.0}[static_cast<std::size_t>(pick(0, 3))];
    for (int i = 0; i < p; ++i) {
        StageWork stage;
        stage.forward = seconds(1);
        stage.backward = seconds(2);
        stage.recompute = stage.backward * 0.3;
        stage.weightGradient = stage.backward * std::uniform_real_distribution(0.0, 0.6)(random);
        stage.sendForward = seconds(transfer);
        stage.sendBackward = seconds(transfer);
        stage.gradientSync = seconds(pick(0, 1) ? 3 : 0);
        stage.optimizer = seconds(0.2);
        stage.parameterGather = seconds(pick(0, 1));
        stage.reshardForward = reshard > 0 ? seconds(reshard) : Seconds{};
        stage.reshardBackward = reshard > 0 ? seconds(reshard) : Seconds{};
        work.stages.push_back(stage);
    }
    work.lookahead = std::max(0, pick(-3, 3));
    work.loss = seconds(std::array{0.0, 0.0, 0.0, 0.5, 4.0}[static_cast<std::size_t>(pick(0, 4))]);
    work.timing.onePort = pick(0, 1);
    if (work.chunks > 1 && pick(0, 1))
        makeChunksUnlike(work, random);
    return work;
}

const Slice* find(const Timeline& timeline, SliceKind kind, int stage, int chunk, int microBatch)
{
    const auto it = std::find_if(timeline.slices.begin(), timeline.slices.end(), [&](const Slice& s) {
        return s.kind == kind && s.stage == stage && s.chunk == chunk && s.microBatch == microBatch;
    });
    return it == timeline.slices.end() ? nullptr : &*it;
}

bool isCompute(SliceKind kind)
{
    return kind != SliceKind::SendForward && kind != SliceKind::SendBackward && kind != SliceKind::ReshardForward
        && kind != SliceKind::ReshardBackward;
}

} // namespace

class TestPipeline : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void publishedMakespans_data();
    void publishedMakespans();
    void zeroBubbleConvention();
    void zeroBubbles();
    void breadthFirstIsGPipeInChunks();
    void eagerHidesTransfers();
    void delayedGradientSync();
    void transfersOfUniformStages();
    void ordersAgreeWithTextbook();
    void agreesWithReference();
    void slicesKeepPrecedence();
    void busyPlusIdleIsTheMakespan();
    void waitsNameTheirCause();
    void recomputationPrecedesBackward();
    void slowLinksCarryOneTransferAtATime();
    void inFlightIsReached();
    void lookaheadHoldsMoreAndCostsNothing();
    void closedFormIsALowerBound();
    void steadyStateIsExact();
    void longPipelinesSettle();
    void beyondWhatIsSimulatedTheStepIsABound();
    void roundsAreTheEvents();
    void moreBandwidthNeverHurts();
    void criticalStageSetsThePace();
};

// T = (m + p - 1)(F + B) for GPipe and 1F1B; interleaved adds a bubble of (p - 1)/v micro-batches
// (Narayanan et al., 2104.04473, section 2.2).
void TestPipeline::publishedMakespans_data()
{
    QTest::addColumn<int>("p");
    QTest::addColumn<int>("v");
    QTest::addColumn<int>("groups");
    for (int p : {1, 2, 3, 4, 8, 16})
        for (int v : {1, 2, 3, 4})
            for (int groups : {1, 2, 5})
                QTest::addRow("p=%d v=%d m=%d", p, v, p * groups) << p << v << groups;
}

void TestPipeline::publishedMakespans()
{
    QFETCH(int, p);
    QFETCH(int, v);
    QFETCH(int, groups);
    const int m = p * groups;
    for (const auto& [forward, backward] : {std::pair{1.0, 2.0}, {1.0, 1.0}, {0.7, 2.9}, {2.0, 1.0}}) {
        const double ideal = m * (forward + backward);
        for (Schedule schedule : {Schedule::GPipe, Schedule::OneFOneB}) {
            const Timeline t = simulate(uniform(schedule, p, v, m, forward, backward));
            QVERIFY(close(t.makespan.value(), (m + p - 1) * (forward + backward)));
            QVERIFY(close(t.bubbleFraction, (p - 1.0) / (m + p - 1)));
            QVERIFY(close(pipelineSeconds(uniform(schedule, p, v, m, forward, backward)).value(), t.makespan.value()));
        }
        const PipelineWork work = uniform(Schedule::Interleaved, p, v, m, forward, backward);
        const Timeline t = simulate(work);
        QVERIFY(close(t.makespan.value() / ideal - 1, (p - 1.0) / (v * m)));
        QVERIFY(close(t.bubbleFraction, (p - 1.0) / (v * m + p - 1)));
        QVERIFY(close(pipelineSeconds(work).value(), t.makespan.value()));
    }
}

// 1F1B row of the zero-bubble and DualPipe tables: (p - 1)(F + B) idle per stage with W inside B, p in flight.
void TestPipeline::zeroBubbleConvention()
{
    const Timeline t = simulate(uniform(Schedule::OneFOneB, 8, 1, 20, 1, 2));
    for (Seconds idle : t.idle)
        QVERIFY(close(idle.value(), 7 * 3.0));
    QCOMPARE(t.peakInFlight.front(), 8);
}

// Idle seconds of a stage (Qi et al., 2401.10241, table 2, with B the gradient of the input): ZB-H1 (p - 1)(F + B - W)
// with p micro-batches held, ZB-H2 (p - 1)(F + B - 2W), not below zero, with 2p - 1. They hold where a weight gradient
// takes no longer than that of the input.
void TestPipeline::zeroBubbles()
{
    for (int p : {1, 2, 3, 4, 8}) {
        for (int m : {2 * p, 2 * p + 1, 5 * p}) {
            for (const auto& [f, b, w] :
                {std::tuple{1.0, 1.0, 1.0}, {1.0, 1.2, 0.8}, {1.0, 1.4, 0.6}, {1.0, 1.0, 0.5}, {2.0, 2.2, 1.9}}) {
                for (const Schedule schedule : {Schedule::ZbH1, Schedule::ZbH2}) {
                    PipelineWork work = uniform(schedule, p, 1, m, f, b + w);
                    for (StageWork& stage : work.stages)
                        stage.weightGradient = Seconds(w);
                    const Timeline t = simulate(work);
                    const double idle = std::max(0.0, (p - 1) * (f + b - (schedule == Schedule::ZbH1 ? 1 : 2) * w));
                    QVERIFY(close(t.step.value(), m * (f + b + w) + idle));
                    QVERIFY(close(t.idle.front().value(), idle));
                    QVERIFY(close(pipelineSeconds(work).value(), t.step.value()));
                    for (const int held : t.peakInFlight)
                        QCOMPARE(held, schedule == Schedule::ZbH1 ? p : 2 * p - 1);
                }
            }
        }
    }
}

// Filling and draining takes a v-th of a stage, and every micro-batch is held until its chunk comes back (Lamy-Poirier,
// 2211.05953).
void TestPipeline::breadthFirstIsGPipeInChunks()
{
    for (int p : {2, 4, 8}) {
        for (int v : {1, 2, 3}) {
            const int m = 2 * p + 1; // no multiple of p is asked for
            const PipelineWork work = uniform(Schedule::BreadthFirst, p, v, m, 1, 2);
            const Timeline t = simulate(work);
            QVERIFY(close(t.makespan.value(), m * 3.0 + (p - 1) * 3.0 / v));
            QVERIFY(close(pipelineSeconds(work).value(), t.makespan.value()));
            QCOMPARE(t.peakInFlight.front(), m);
            QCOMPARE(lossesInFlight(Schedule::BreadthFirst, m).atLoss, m);
        }
    }
}

// Independent full-duplex links, overlap-friendly 1F1B: T = (m + p - 1)(f + b) + 2 (p - 1) c, whatever m; twice as many
// in flight.
void TestPipeline::eagerHidesTransfers()
{
    const double c = 0.1;
    for (int p : {2, 3, 4, 6, 8}) {
        for (int groups : {2, 3, 4}) {
            const int m = p * groups;
            const Timeline t = simulate(uniform(Schedule::EagerOneFOneB, p, 1, m, 1, 2, c));
            QVERIFY(close(t.makespan.value(), (m + p - 1) * 3.0 + 2 * (p - 1) * c));
            for (int i = 0; i < p; ++i)
                QCOMPARE(t.peakInFlight[static_cast<std::size_t>(i)], std::min(m, 2 * (p - i) - 1));
        }
    }
}

// A gradient synchronisation outside the last backward pass costs A once, T = (m + p - 1)(f + b) + A; stages that
// drain early hide theirs, so unequal ones cost max over stages of what the drain does not hide.
void TestPipeline::delayedGradientSync()
{
    for (int p : {2, 4, 8}) {
        for (int m : {4, 8, 32}) {
            PipelineWork work = uniform(Schedule::OneFOneB, p, 1, m, 1, 2);
            const double bare = (m + p - 1) * 3.0;
            for (StageWork& stage : work.stages)
                stage.gradientSync = Seconds(1.7);
            QVERIFY(close(simulate(work).makespan.value(), bare + 1.7));
            QVERIFY(close(pipelineSeconds(work).value(), bare + 1.7));
            double exposed = 0;
            for (int i = 0; i < p; ++i) {
                const double sync = 4.5 * i;
                work.stages[static_cast<std::size_t>(i)].gradientSync = Seconds(sync);
                exposed = std::max(exposed, sync - 2.0 * i);
            }
            QVERIFY(close(simulate(work).makespan.value(), bare + exposed));
            QVERIFY(close(pipelineSeconds(work).value(), bare + exposed));
        }
    }
}

// Independent full-duplex links, eager 1F1B, m >= 2p, p | m: T = (m + p - 1)(f + b) + (2 (p - 1) m / p + 2 (p - 2)) c,
// for p > 2; GPipe pays the fill and the drain only, 2 (p - 1) c.
void TestPipeline::transfersOfUniformStages()
{
    const double c = 0.1;
    for (int p : {3, 4, 6, 8}) {
        for (int groups : {2, 3, 4}) {
            const int m = p * groups;
            const double bare = (m + p - 1) * 3.0;
            const double transfers = 2.0 * (p - 1) * groups + 2 * (p - 2);
            QVERIFY(
                close(simulate(uniform(Schedule::OneFOneB, p, 1, m, 1, 2, c)).makespan.value(), bare + transfers * c));
            const PipelineWork gpipe = uniform(Schedule::GPipe, p, 1, m, 1, 2, c);
            QVERIFY(close(simulate(gpipe).makespan.value(), bare + 2 * (p - 1) * c));
            QVERIFY(close(pipelineSeconds(gpipe).value(), bare + 2 * (p - 1) * c));
        }
    }
}

void TestPipeline::ordersAgreeWithTextbook()
{
    std::mt19937 random(11);
    for (int n = 0; n < 300; ++n) {
        const PipelineWork work = randomWork(random);
        const int p = static_cast<int>(work.stages.size());
        const auto programs = stagePrograms(work.schedule, p, work.chunks, work.microBatches, work.lookahead);
        for (int i = 0; i < p; ++i) {
            const auto expected = reference::program(work, i);
            const StageProgram& program = programs[static_cast<std::size_t>(i)];
            QCOMPARE(program.size(), expected.size());
            for (std::size_t k = 0; k < program.size(); ++k) {
                const char letter = program[k].kind == PassKind::Forward ? 'F'
                    : program[k].kind == PassKind::WeightGradient        ? 'W'
                                                                         : 'B';
                QCOMPARE(letter, expected[k].kind);
                QCOMPARE(program[k].chunk * p + i, expected[k].virtualStage);
                QCOMPARE(program[k].microBatch, expected[k].microBatch);
            }
        }
    }
}

// In one piece: each kind of slice has its place in the same answer of the reference.
void TestPipeline::agreesWithReference()
{
    std::mt19937 random(12);
    for (int n = 0; n < 400; ++n) {
        const PipelineWork work = randomWork(random);
        const int p = static_cast<int>(work.stages.size());
        const reference::Result expected = reference::simulate(work);
        const Timeline t = simulate(work);
        QVERIFY(close(t.makespan.value(), expected.makespan));
        QVERIFY(close(t.step.value(), staggersSteps(work.schedule) ? expected.longestStage : expected.makespan));
        QCOMPARE(t.step, simulateMakespan(work));
        for (const Slice& s : t.slices) {
            const int virtualStage = s.chunk * p + s.stage;
            double start = 0;
            switch (s.kind) {
            case SliceKind::Forward:
                start = expected.start.at({'F', virtualStage, s.microBatch});
                break;
            case SliceKind::Recompute:
                start = expected.start.at({'B', virtualStage, s.microBatch});
                break;
            case SliceKind::SendForward:
                start = expected.start.at({'f', virtualStage, s.microBatch});
                break;
            case SliceKind::SendBackward:
                start = expected.start.at({'b', virtualStage, s.microBatch});
                break;
            case SliceKind::WeightGradient:
                start = expected.start.at({'W', virtualStage, s.microBatch});
                break;
            case SliceKind::GradientSync:
                start = expected.lastPass[static_cast<std::size_t>(s.stage)];
                break;
            case SliceKind::ReshardForward:
                start = expected.start.at({'g', virtualStage - 1, s.microBatch});
                break;
            case SliceKind::ReshardBackward:
                start = expected.start.at({'h', virtualStage + 1, s.microBatch});
                break;
            case SliceKind::Backward:
            case SliceKind::Optimizer:
            case SliceKind::ParameterGather:
                continue; // follow a slice that is compared
            }
            QVERIFY(std::abs(s.start - start) < 1e-5 * std::max(1.0, start));
        }
    }
}

void TestPipeline::slicesKeepPrecedence()
{
    std::mt19937 random(13);
    for (int n = 0; n < 60; ++n) {
        const PipelineWork work = randomWork(random);
        const Timeline t = simulate(work);
        const float slack = 1e-5F * static_cast<float>(t.makespan.value());
        const int last = t.stages * t.chunks - 1;
        int passes = 0;
        for (const Slice& s : t.slices) {
            if (s.kind != SliceKind::Forward && s.kind != SliceKind::Backward)
                continue;
            ++passes;
            const bool forward = s.kind == SliceKind::Forward;
            const int virtualStage = s.chunk * t.stages + s.stage;
            if (!forward)
                QVERIFY(find(t, SliceKind::Forward, s.stage, s.chunk, s.microBatch)->start < s.start);
            const int from = forward ? virtualStage - 1 : virtualStage + 1;
            if (from < 0 || from > last)
                continue;
            const Slice* input = find(t, s.kind, from % t.stages, from / t.stages, s.microBatch);
            QVERIFY(input);
            const StageWork& w = work.stages[static_cast<std::size_t>(from % t.stages)];
            const double transfer =
                (forward ? w.sendForward + w.reshardForward : w.sendBackward + w.reshardBackward).value();
            // A backward pass starts with its recomputation.
            const bool unlike = !work.chunkWork.empty();
            const ChunkWork& own = unlike ? work.chunkWork[static_cast<std::size_t>(s.stage * t.chunks + s.chunk)]
                                          : work.stages[static_cast<std::size_t>(s.stage)];
            const double backward =
                (own.backward - (splitsBackward(work.schedule) ? own.weightGradient : Seconds{})).value();
            const double begins =
                forward ? s.start : s.start - std::min(own.recompute.value(), backward) / (unlike ? 1 : t.chunks);
            QVERIFY(begins >= input->start + input->duration + transfer - slack);
        }
        QCOMPARE(passes, 2 * t.stages * t.microBatches * t.chunks);
        QVERIFY(std::is_sorted(t.slices.begin(), t.slices.end(),
            [](const Slice& a, const Slice& b) { return std::pair(a.stage, a.start) < std::pair(b.stage, b.start); }));
    }
}

void TestPipeline::busyPlusIdleIsTheMakespan()
{
    std::mt19937 random(14);
    for (int n = 0; n < 300; ++n) {
        const PipelineWork work = randomWork(random);
        const Timeline t = simulate(work);
        double idle = 0;
        for (std::size_t i = 0; i < work.stages.size(); ++i) {
            const StageWork& w = work.stages[i];
            double drawn = 0;
            float free = 0;
            for (const Slice& s : t.slices) {
                if (s.stage != static_cast<int>(i) || !isCompute(s.kind))
                    continue;
                QVERIFY(s.start >= free - 1e-5F * static_cast<float>(t.makespan.value())); // one thing at a time
                free = s.start + s.duration;
                drawn += static_cast<double>(s.duration);
            }
            double waits = 0;
            for (const Wait& wait : t.waits)
                if (wait.stage == static_cast<int>(i))
                    waits += wait.duration.value();
            QVERIFY(close(t.busy[i].value(),
                work.microBatches * (w.forward + w.backward).value()
                    + (w.gradientSync + w.optimizer + w.parameterGather).value()));
            QVERIFY(close((t.busy[i] + t.idle[i]).value(), t.step.value()));
            QVERIFY(close(waits, t.idle[i].value()));
            QVERIFY(std::abs(drawn - t.busy[i].value()) < 1e-5 * t.busy[i].value());
            idle += t.idle[i].value();
        }
        QVERIFY(close(t.bubbleFraction, idle / (t.step.value() * t.stages)));
    }
}

void TestPipeline::waitsNameTheirCause()
{
    const Timeline t = simulate(uniform(Schedule::OneFOneB, 4, 1, 8, 1, 2));
    const auto seconds = [&](int stage, Wait::Cause cause) {
        double sum = 0;
        for (const Wait& wait : t.waits)
            if (wait.stage == stage && wait.cause == cause)
                sum += wait.duration.value();
        return sum;
    };
    for (int i = 0; i < 4; ++i) {
        QVERIFY(close(seconds(i, Wait::Cause::WarmUp), i)); // i forward passes upstream
        QVERIFY(close(seconds(i, Wait::Cause::CoolDown), 2.0 * i)); // i backward passes upstream
        QVERIFY(close(seconds(i, Wait::Cause::Activation) + seconds(i, Wait::Cause::Gradient), 3.0 * (3 - i)));
    }
    QVERIFY(seconds(0, Wait::Cause::Gradient) > 0);
    QVERIFY(close(seconds(3, Wait::Cause::Gradient), 0));

    // A slow first stage starves the second: it waits for activations, never for gradients.
    PipelineWork starved = uniform(Schedule::OneFOneB, 2, 1, 6, 1, 1);
    starved.stages[0].forward = Seconds(5);
    const Timeline s = simulate(starved);
    QVERIFY(std::any_of(s.waits.begin(), s.waits.end(),
        [](const Wait& w) { return w.stage == 1 && w.cause == Wait::Cause::Activation; }));
    QVERIFY(std::none_of(s.waits.begin(), s.waits.end(),
        [](const Wait& w) { return w.stage == 1 && w.cause == Wait::Cause::Gradient; }));
}

void TestPipeline::recomputationPrecedesBackward()
{
    PipelineWork work = uniform(Schedule::Interleaved, 2, 2, 4, 1, 3);
    for (StageWork& stage : work.stages)
        stage.recompute = Seconds(1);
    const Timeline t = simulate(work);
    for (int stage : {0, 1}) {
        for (int chunk : {0, 1}) {
            const Slice* recompute = find(t, SliceKind::Recompute, stage, chunk, 2);
            const Slice* backward = find(t, SliceKind::Backward, stage, chunk, 2);
            QVERIFY(recompute && backward);
            QCOMPARE(recompute->duration, 0.5F);
            QCOMPARE(backward->duration, 1.0F);
            QCOMPARE(recompute->start + recompute->duration, backward->start);
        }
    }
    QVERIFY(!find(simulate(uniform(Schedule::OneFOneB, 2, 1, 4, 1, 3)), SliceKind::Recompute, 0, 0, 0));
}

void TestPipeline::slowLinksCarryOneTransferAtATime()
{
    const Timeline t = simulate(uniform(Schedule::GPipe, 2, 1, 6, 1, 1, 4));
    for (int mb = 0; mb < 6; ++mb)
        QCOMPARE(find(t, SliceKind::SendForward, 0, 0, mb)->start, 1.0F + 4.0F * static_cast<float>(mb));
    // Fill 1, six transfers of 4, the last forward pass on the second stage, its backward passes; each gradient
    // leaves as the link frees: 1 + 24 + 1 + 1 + 24 + 1.
    QVERIFY(close(t.makespan.value(), 52));
}

void TestPipeline::inFlightIsReached()
{
    for (int p : {1, 2, 4, 7}) {
        for (int m : {1, 3, 7, 28}) {
            for (int i = 0; i < p; ++i) {
                QCOMPARE(inFlight(Schedule::OneFOneB, p, 1, m, i), static_cast<double>(std::min(m, p - i)));
                QCOMPARE(inFlight(Schedule::GPipe, p, 1, m, i), static_cast<double>(m));
            }
        }
        for (int v : {2, 3}) {
            const int m = 4 * p;
            QVERIFY(close(inFlight(Schedule::Interleaved, p, v, m, 0),
                p * (1 + (p - 1.0) / (p * v)))); // Korthikanti et al., equation 2
            for (int i = 0; i < p; ++i)
                QVERIFY(close(inFlight(Schedule::Interleaved, p, v, m, i), (2 * (p - i - 1) + (v - 1) * p + 1.0) / v));
        }
    }
    std::mt19937 random(15);
    for (int n = 0; n < 300; ++n) {
        const PipelineWork work = randomWork(random);
        const Timeline t = simulate(work);
        for (int i = 0; i < t.stages; ++i) {
            const double formula = inFlight(work.schedule, t.stages, work.chunks, work.microBatches, i, work.lookahead);
            QCOMPARE(t.peakInFlight[static_cast<std::size_t>(i)], static_cast<int>(std::ceil(formula - 1e-12)));
        }
    }
}

/// Uniform stages take as long as without, and hold one micro-batch more for each further pass; a loss that comes late
/// is waited for at both ends of the step alone.
void TestPipeline::lookaheadHoldsMoreAndCostsNothing()
{
    for (Schedule schedule : {Schedule::OneFOneB, Schedule::EagerOneFOneB, Schedule::ZbH1, Schedule::ZbH2}) {
        for (int lookahead : {1, 2, 5}) {
            PipelineWork work = uniform(schedule, 4, 1, 40, 1, 2);
            const Timeline plain = simulate(work);
            work.lookahead = lookahead;
            const Timeline ahead = simulate(work);
            QVERIFY(notAbove(ahead.makespan.value(), plain.makespan.value()));
            for (std::size_t i = 0; i < 4; ++i)
                QCOMPARE(ahead.peakInFlight[i], plain.peakInFlight[i] + lookahead);
        }
    }
    PipelineWork gpipe = uniform(Schedule::GPipe, 4, 1, 8, 1, 2);
    gpipe.lookahead = 2; // it runs all of them forward first, as ever
    QCOMPARE(simulate(gpipe), simulate(uniform(Schedule::GPipe, 4, 1, 8, 1, 2)));
    // A loss of two intervals: waited for 40 times, or before the first gradient and the last, with what little is left
    // to run there.
    PipelineWork late = uniform(Schedule::OneFOneB, 4, 1, 40, 1, 2);
    late.loss = Seconds(6);
    QVERIFY(close(simulateMakespan(late).value(), 3 * 3 + 40 * (1 + 6 + 2)));
    for (int lookahead : {2, 3, 5}) {
        late.lookahead = lookahead;
        QVERIFY(close(
            simulateMakespan(late).value(), 3 * 3 + 40 * 3 + (6 - lookahead * 1) + std::max(0, 6 - lookahead * 2)));
        QVERIFY(close(pipelineSeconds(late).value(), simulateMakespan(late).value()));
    }
}

void TestPipeline::closedFormIsALowerBound()
{
    std::mt19937 random(16);
    int tight = 0;
    int simples = 0;
    const int cases = 9000;
    for (int n = 0; n < cases; ++n) {
        const PipelineWork work = randomWork(random);
        const double bound = pipelineSeconds(work).value();
        const double simulated = simulateMakespan(work).value();
        QVERIFY2(notAbove(bound, simulated),
            qPrintable(QStringLiteral("case %1: %2 > %3").arg(n).arg(bound).arg(simulated)));
        const bool simple = work.chunkWork.empty() && std::ranges::all_of(work.stages, [](const StageWork& stage) {
            return stage.reshardForward == Seconds{};
        });
        simples += simple;
        tight += simple && close(bound, simulated);
    }
    // A bound of nothing would pass the test above; this one is attained often where chunks are alike and nothing is
    // resharded.
    QVERIFY2(
        tight > simples / 4 && simples > cases / 4, qPrintable(QStringLiteral("%1 of %2").arg(tight).arg(simples)));
}

// What settles is settled: the makespan from the steady state is that of the whole simulation, whatever the stages.
void TestPipeline::steadyStateIsExact()
{
    std::mt19937 random(23);
    std::uniform_real_distribution<double> seconds(0.5, 1.5);
    int settled = 0;
    const int cases = 400;
    for (int n = 0; n < cases; ++n) {
        const int p = 2 + n % 7;
        const int v = 1 + n % 3;
        const std::array plain{Schedule::OneFOneB, Schedule::EagerOneFOneB, Schedule::ZbH1, Schedule::ZbH2};
        PipelineWork work{
            v > 1 ? Schedule::Interleaved : plain[static_cast<std::size_t>(n / 3 % 4)], p * (12 + n % 40), v, {}};
        for (int i = 0; i < p; ++i) {
            const double transfer = n % 5 == 0 ? 3 : 0.05; // a slow link backs up for ever
            work.stages.push_back(
                {{Seconds(seconds(random)), Seconds(2 * seconds(random)), {}, Seconds(0.5 * seconds(random)),
                     Seconds(transfer * seconds(random)), Seconds(transfer * seconds(random))},
                    Seconds(seconds(random)), Seconds(0.1)});
        }
        work.lookahead = n % 4;
        work.loss = Seconds(n % 7 < 3 ? 0 : n % 11);
        if (v > 1 && n % 8 < 5)
            makeChunksUnlike(work, random);
        const double whole = simulate(work).step.value();
        if (const auto steady = steadyMakespan(work)) {
            ++settled;
            QVERIFY2(std::abs(steady->value() / whole - 1) < 1e-9,
                qPrintable(QString("case %1: %2 %3").arg(n).arg(steady->value()).arg(whole)));
        }
        QVERIFY(std::abs(makespan(work).seconds.value() / whole - 1) < 1e-9);
    }
    QVERIFY2(settled > cases / 2, qPrintable(QString::number(settled)));
    QVERIFY(!steadyMakespan(uniform(Schedule::GPipe, 4, 1, 100, 1, 2)));
    QVERIFY(!steadyMakespan(uniform(Schedule::OneFOneB, 1, 1, 100, 1, 2)));
    QVERIFY(!steadyMakespan(uniform(Schedule::OneFOneB, 4, 1, 8, 1, 2))); // too short for a shorter one
    // (m + (p - 1) / v) (F + B)
    const PipelineWork long64 = uniform(Schedule::Interleaved, 64, 4, 64 * 10'000, 1, 2);
    QVERIFY(close(makespan(long64).seconds.value(), (64 * 10'000 + 63.0 / 4) * 3));
}

void TestPipeline::longPipelinesSettle()
{
    std::mt19937 random(24);
    std::uniform_real_distribution<double> seconds(0.5, 1.5);
    // Long pipelines of unlike stages and slow links: what a few hundred micro-batches tell is what all of them take.
    // Equal stages with transfers repeat only every p micro-batches.
    for (const Schedule schedule :
        {Schedule::OneFOneB, Schedule::Interleaved, Schedule::EagerOneFOneB, Schedule::VMin}) {
        for (const bool unlike : {false, true}) {
            const bool rounds = schedule != Schedule::VMin;
            PipelineWork work = uniform(schedule, 16, rounds ? 4 : 2, rounds ? 16 * 300 : 1700, 1, 2);
            for (StageWork& stage : work.stages) {
                stage.forward *= unlike ? seconds(random) : 1;
                stage.sendForward = stage.sendBackward = Seconds(0.3);
            }
            const Makespan found = makespan(work);
            const auto whole =
                rounds ? detail::alternatingStep(work, detail::Leap::Never)->seconds : simulate(work).step.value();
            QVERIFY(!found.bound);
            QVERIFY2(std::abs(found.seconds.value() / whole - 1) < 1e-11,
                qPrintable(QString("%1 %2").arg(found.seconds.value(), 0, 'g', 17).arg(whole, 0, 'g', 17)));
            if (rounds)
                QVERIFY2(
                    steadyMakespan(work), qPrintable(QString("schedule %1, unlike %2").arg(int(schedule)).arg(unlike)));
        }
    }
}

void TestPipeline::beyondWhatIsSimulatedTheStepIsABound()
{
    // Where a link is slower than what it joins they drift apart for ever. Beyond what is simulated the step is a
    // bound, and says so; as long as it is simulated more micro-batches take longer.
    PipelineWork slow = uniform(Schedule::OneFOneB, 16, 1, 1000, 1, 2);
    slow.stages[7].sendForward = Seconds(3.5);
    double before = 0;
    for (const int m : {1000, int(kSimulatedPasses) / 16 - 1, int(kSimulatedPasses) / 16}) {
        slow.microBatches = m;
        const Makespan found = makespan(slow);
        QVERIFY(!isTooLong(slow) && !found.bound);
        QVERIFY(found.seconds.value() > before && found.seconds >= stepBound(slow));
        before = found.seconds.value();
    }
    slow.microBatches = int(kSimulatedPasses) / 16 + 1;
    QVERIFY(isTooLong(slow));
    if (const Makespan found = makespan(slow); found.bound)
        QCOMPARE(found.seconds, stepBound(slow));
    else
        QVERIFY(found.seconds.value() > before);
}

// Rounds of a systolic array, against the event graph.
void TestPipeline::roundsAreTheEvents()
{
    std::mt19937 random(29);
    std::uniform_real_distribution<double> seconds(0.5, 1.5);
    int leapt = 0;
    for (int n = 0; n < 600; ++n) {
        const int p = 2 + n % 7;
        const int v = 1 + n % 3;
        const Schedule schedule = v > 1 ? Schedule::Interleaved
            : n % 2 == 0                ? Schedule::OneFOneB
                                        : Schedule::EagerOneFOneB;
        PipelineWork work{schedule, v > 1 ? p * (1 + n % 11) : 1 + n % 60, v, {}};
        for (int i = 0; i < p; ++i) {
            const double transfer = n % 5 == 0 ? 3 : 0.05;
            work.stages.push_back({{Seconds(seconds(random)), Seconds(2 * seconds(random)), {}, {},
                                       Seconds(transfer * seconds(random)), Seconds(transfer * seconds(random))},
                Seconds(seconds(random)), Seconds(0.1)});
        }
        work.lookahead = n / 7 % 4;
        work.loss = Seconds(n % 4 < 2 ? 0 : n % 11);
        work.timing.onePort = n % 8 < 3;
        if (v > 1 && n % 13 < 8)
            makeChunksUnlike(work, random);
        QVERIFY(detail::alternates(work));
        const double events = simulate(work).step.value();
        const auto rounds = detail::alternatingStep(work, detail::Leap::Never);
        QVERIFY(rounds && !rounds->leapt);
        QVERIFY2(rounds->seconds == events,
            qPrintable(QString("case %1: %2 %3").arg(n).arg(rounds->seconds, 0, 'g', 17).arg(events, 0, 'g', 17)));
        const auto leap = detail::alternatingStep(work, detail::Leap::Long);
        QVERIFY(std::abs(leap->seconds / events - 1) < 1e-12);
        leapt += leap->leapt;
        QVERIFY(!detail::alternatingStep(work, detail::Leap::Never, double(work.microBatches) * v - 1));
    }
    QVERIFY2(leapt > 60, qPrintable(QString::number(leapt)));
}

// Fixed orders are longest paths: a shorter transfer removes nothing and lengthens nothing.
void TestPipeline::moreBandwidthNeverHurts()
{
    std::mt19937 random(17);
    for (int n = 0; n < 500; ++n) {
        PipelineWork work = randomWork(random);
        const double before = simulateMakespan(work).value();
        const double closedBefore = pipelineSeconds(work).value();
        for (StageWork& stage : work.stages) {
            stage.sendForward *= 0.5;
            stage.sendBackward *= 0.5;
        }
        QVERIFY(notAbove(simulateMakespan(work).value(), before));
        QVERIFY(notAbove(pipelineSeconds(work).value(), closedBefore));
    }
}

void TestPipeline::criticalStageSetsThePace()
{
    for (int slow = 0; slow < 5; ++slow) {
        PipelineWork work = uniform(Schedule::OneFOneB, 5, 1, 40, 1, 2);
        work.stages[static_cast<std::size_t>(slow)].backward = Seconds(3);
        int critical = -1;
        const Seconds closed = pipelineSeconds(work, &critical);
        QCOMPARE(critical, slow);
        const double fillAndDrain = slow * (1.0 + 2.0);
        QVERIFY(close(closed.value(), fillAndDrain + 40 * 4.0));
    }
}

STRATOPLAN_TEST(TestPipeline)
#include "test_pipeline.moc"
