// SPDX-License-Identifier: GPL-3.0-or-later
// Oracles of V-shaped and two-way schedules, and of the ways in which a runtime times communication.
#include "core/pipeline/pipeline.h"
#include "core/pipeline/program.h"
#include "core/pipeline/shared_programs.h"
#include "core/pipeline/stage_profile.h"
#include "core/pipeline/timing_pass.h"
#include "tests/core/fixtures.h"
#include "tests/core/pipeline/reference_simulator.h"
#include "tests/registry.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <random>
#include <tuple>

using namespace stratoplan::parallel;
using namespace stratoplan::pipeline;
using namespace stratoplan::units;
using stratoplan::fixtures::close;

namespace {

constexpr std::array kTwoChunks{
    Schedule::ZbV, Schedule::VHalf, Schedule::VMin, Schedule::DualPipe, Schedule::DualPipeV};

/// `backward` is that of the input alone.
PipelineWork uniform(
    Schedule schedule, int p, int m, double forward, double backward, double weights, double transfer = 0)
{
    PipelineWork work{schedule, m, 1, {}};
    StageWork stage;
    stage.forward = Seconds(forward);
    stage.backward = Seconds(backward + weights);
    stage.weightGradient = Seconds(weights);
    stage.sendForward = stage.sendBackward = Seconds(transfer);
    work.stages.assign(static_cast<std::size_t>(p), stage);
    return work;
}

double idleOf(const PipelineWork& work, const Timeline& t)
{
    const StageWork& stage = work.stages.front();
    return t.step.value() - work.microBatches * (stage.forward + stage.backward).value();
}

int mostHeld(const Timeline& t)
{
    return *std::max_element(t.peakInFlight.begin(), t.peakInFlight.end());
}

/// Stages unlike each other, and the chunks of each too.
PipelineWork randomWork(std::mt19937& random)
{
    const auto pick = [&](int low, int high) { return std::uniform_int_distribution(low, high)(random); };
    const auto seconds = [&](double high) { return Seconds(std::uniform_real_distribution(0.05, 1.0)(random) * high); };
    PipelineWork work;
    work.schedule = kTwoChunks[static_cast<std::size_t>(pick(0, int(kTwoChunks.size()) - 1))];
    const bool two = work.schedule == Schedule::DualPipe;
    const bool dual = two || work.schedule == Schedule::DualPipeV;
    const int p = two ? 2 * pick(1, 3) : pick(1, 6);
    work.microBatches = dual ? 2 * p + 2 * pick(0, 4) : pick(1, 14);
    work.lookahead = dual ? 0 : std::max(0, pick(-3, 2));
    work.loss = seconds(std::array{0.0, 0.0, 0.5}[static_cast<std::size_t>(pick(0, 2))]);
    const double transfer = std::array{0.0, 0.05, 0.5, 3.0}[static_cast<std::size_t>(pick(0, 3))];
    const double traffic = std::array{0.0, 0.2, 0.7}[static_cast<std::size_t>(pick(0, 2))]; // share of the passes
    for (int i = 0; i < p; ++i) {
        StageWork sum;
        for (int chunk = 0; chunk < 2; ++chunk) {
            ChunkWork w;
            w.forward = seconds(1);
            w.backward = seconds(2);
            w.recompute = w.backward * 0.3;
            w.weightGradient = w.backward * std::uniform_real_distribution(0.0, 0.6)(random);
            w.sendForward = seconds(transfer);
            w.sendBackward = seconds(transfer);
            w.forwardTraffic = w.forward * traffic;
            w.backwardTraffic = (w.backward - w.weightGradient) * (traffic * 0.9);
            work.chunkWork.push_back(w);
            sum.forward += w.forward * (two ? 0.5 : 1);
            sum.backward += w.backward * (two ? 0.5 : 1);
            sum.forwardTraffic += w.forwardTraffic * (two ? 0.5 : 1);
            sum.backwardTraffic += w.backwardTraffic * (two ? 0.5 : 1);
        }
        sum.gradientSync = seconds(pick(0, 1) ? 3 : 0);
        sum.optimizer = seconds(0.2);
        work.stages.push_back(sum);
    }
    work.timing.onePort = pick(0, 1);
    return work;
}

double waited(const Timeline& t, int stage, Wait::Cause cause)
{
    double sum = 0;
    for (const Wait& wait : t.waits)
        if (wait.stage == stage && wait.cause == cause)
            sum += wait.duration.value();
    return sum;
}

PipelineWork timed(PipelineWork work, TransferPath path, bool lazy, SyncTime sync)
{
    work.timing = {path, lazy, sync};
    return work;
}

} // namespace

class TestSchedules : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyPassRunsOnce();
    void zbVNeverIdles();
    void blocksIdleAndHoldAsPublished();
    void dualPipes();
    void agreesWithReference();
    void busyPlusIdleIsTheStep();
    void onePortSendsOneAfterTheOther();
    void pairsHideEachOthersTraffic();
    void profilesAddUpToTheStep();
    void inFlightIsReached();
    void closedFormIsALowerBound();
    void steadyStateIsExact();
    void criticalPathIsAChain();
    void gradientSyncInTheLastBackwardPass();
    void asynchronousReductionsHideBehindChunks();
    void runtimesOfTransfers_data();
    void runtimesOfTransfers();
    void removedConstraintsNeverLengthen();
    void theTimingPassSaysWhatItRemoves();
    void theStepsOfThePassAddUp();
    void aBlindPlannerPicksTheWorst();
    void ownOrders();
};

void TestSchedules::everyPassRunsOnce()
{
    for (const Schedule schedule : kTwoChunks) {
        for (int p = 1; p <= 9; ++p) {
            for (int m = 1; m <= 3 * p + 9; ++m) {
                if (!canSchedule(schedule, p, 2, m))
                    continue;
                const auto programs = stagePrograms(schedule, p, 2, m);
                QCOMPARE(programs.size(), static_cast<std::size_t>(p));
                for (const StageProgram& program : programs) {
                    std::map<std::tuple<int, int>, int>
                        state; // of chunk and micro-batch: forward, input gradient, weight gradient run
                    for (const PipelineStep& step : program) {
                        int& at = state[{step.chunk, step.microBatch}];
                        const int before = step.kind == PassKind::Forward ? 0
                            : step.kind == PassKind::WeightGradient       ? 2
                                                                          : 1;
                        QCOMPARE(at, before);
                        at = step.kind == PassKind::Backward ? 3 : before + 1;
                    }
                    QCOMPARE(state.size(), static_cast<std::size_t>(schedule == Schedule::DualPipe ? m : 2 * m));
                    QVERIFY(std::all_of(state.begin(), state.end(), [](const auto& s) { return s.second == 3; }));
                }
                PipelineWork listed = uniform(schedule, p, m, 1, 1, 1);
                listed.order = programs; // an order of one's own is run to see whether it ends
                QVERIFY(runsThrough(listed));
            }
        }
    }
    QVERIFY(!canSchedule(Schedule::DualPipe, 3, 2, 12));
    QVERIFY(!canSchedule(Schedule::DualPipe, 4, 2, 9));
    QVERIFY(!canSchedule(Schedule::DualPipe, 4, 2, 6));
    QVERIFY(!canSchedule(Schedule::DualPipeV, 4, 2, 7));
}

// Qi et al., 2405.15362: no bubble where F = B = W, with the activations of 1F1B.
void TestSchedules::zbVNeverIdles()
{
    for (int p : {1, 2, 3, 4, 5, 8, 16}) {
        for (int m : {2 * p, 2 * p + 1, 5 * p}) {
            const PipelineWork work = uniform(Schedule::ZbV, p, m, 1, 1, 1);
            const Timeline t = simulate(work);
            QVERIFY(close(idleOf(work, t), 0));
            QCOMPARE(mostHeld(t), p);
            for (const Seconds idle : t.idle)
                QVERIFY(close(idle.value(), 0));
        }
    }
}

// The same paper: of the bubble of 1F1B, (p - 1)(F + B + W), V-Half leaves about a half and V-Min two thirds, with
// about a half and a third of its activations.
void TestSchedules::blocksIdleAndHoldAsPublished()
{
    for (int p : {4, 5, 6, 8, 9, 16, 32}) {
        for (int m : {2 * p, 5 * p, 20 * p}) {
            for (const auto& [schedule, share, activations] :
                {std::tuple{Schedule::VHalf, 0.5, 0.5}, {Schedule::VMin, 2 / 3.0, 1 / 3.0}}) {
                const PipelineWork work = uniform(schedule, p, m, 1, 1, 1);
                const Timeline t = simulate(work);
                QVERIFY(std::abs(idleOf(work, t) - share * 3 * (p - 1)) <= 3.0); // a pass or two of each kind: O(1)
                QVERIFY(mostHeld(t) >= activations * p);
                QVERIFY(mostHeld(t) <= activations * p + 2);
            }
        }
    }
}

// DeepSeek's table: (p/2 - 1)(F&B + B - 3W) idle with B whole and F&B = F + B, p + 1 micro-batches held. Exact for
// equal passes; where they differ the order is as good or better.
void TestSchedules::dualPipes()
{
    for (int p : {2, 4, 6, 8, 16}) {
        for (int m : {2 * p, 2 * p + 2, 5 * p}) {
            for (const auto& [f, b, w] : {std::tuple{1.0, 1.0, 1.0}, {1.0, 1.2, 0.8}, {1.0, 1.3, 0.5}}) {
                const PipelineWork two = uniform(Schedule::DualPipe, p, m, f, b, w);
                const Timeline t = simulate(two);
                const double published = (p / 2 - 1) * (f + 2 * (b + w) - 3 * w);
                QVERIFY(idleOf(two, t) <= published + 1e-9);
                if (b == w)
                    QVERIFY(close(idleOf(two, t), published));
                QCOMPARE(mostHeld(t), p + 1);
                // Cut in half: p virtual stages on p / 2, each as long as a stage of the two-way pipeline.
                const PipelineWork half = uniform(Schedule::DualPipeV, p / 2, m, 2 * f, 2 * b, 2 * w);
                const Timeline v = simulate(half);
                QVERIFY(idleOf(half, v) <= published + 1e-9);
                if (b == w)
                    QVERIFY(close(idleOf(half, v), published));
            }
        }
    }
}

void TestSchedules::agreesWithReference()
{
    std::mt19937 random(31);
    for (int n = 0; n < 400; ++n) {
        const PipelineWork work = randomWork(random);
        const reference::Result expected = reference::simulateChunks(work);
        const Timeline t = simulate(work);
        QVERIFY(close(t.makespan.value(), expected.makespan));
        QVERIFY(close(t.step.value(), staggersSteps(work.schedule) ? expected.longestStage : expected.makespan));
        QCOMPARE(t.step, simulateMakespan(work)); // by the other engine
    }
}

void TestSchedules::busyPlusIdleIsTheStep()
{
    std::mt19937 random(32);
    constexpr std::array kPaths{TransferPath::Links, TransferPath::Queue, TransferPath::Stream};
    constexpr std::array kSyncs{SyncTime::AfterPasses, SyncTime::LastBackward, SyncTime::Asynchronous};
    for (int n = 0; n < 300; ++n) {
        PipelineWork work = randomWork(random);
        work.timing = {
            kPaths[static_cast<std::size_t>(n % 3)], n % 2 == 0, kSyncs[static_cast<std::size_t>(n / 3 % 3)]};
        const Timeline t = simulate(work);
        const std::vector<Seconds> saved = savedInPairs(work);
        for (std::size_t i = 0; i < work.stages.size(); ++i) {
            const StageWork& w = work.stages[i];
            const double passes = work.microBatches * (w.forward + w.backward).value() - saved[i].value();
            const double least = passes + w.optimizer.value();
            if (work.timing.sync == SyncTime::Asynchronous) // as far as passes do not hide it
                QVERIFY(
                    t.busy[i].value() >= least - 1e-9 && t.busy[i].value() <= least + w.gradientSync.value() + 1e-9);
            else
                QVERIFY(close(t.busy[i].value(), least + w.gradientSync.value()));
            QVERIFY(close((t.busy[i] + t.idle[i]).value(), t.step.value()));
            double waits = 0;
            for (const Wait& wait : t.waits)
                waits += wait.stage == int(i) ? wait.duration.value() : 0;
            QVERIFY(close(waits, t.idle[i].value()));
        }
    }
}

/// One port for both directions is never faster, as fast where nothing is sent, and slower where both directions are
/// busy.
void TestSchedules::onePortSendsOneAfterTheOther()
{
    std::mt19937 random(36);
    int slower = 0;
    for (int n = 0; n < 300; ++n) {
        PipelineWork work = randomWork(random);
        work.timing.onePort = false;
        const double links = simulateMakespan(work).value();
        work.timing.onePort = true;
        const double port = simulateMakespan(work).value();
        QVERIFY(port >= links * (1 - 1e-12));
        slower += port > links * (1 + 1e-9);
    }
    QVERIFY2(slower > 50, qPrintable(QString::number(slower)));
    // Each stage in the middle sends an activation and a gradient per micro-batch, two seconds each: on one port four,
    // on links fewer.
    PipelineWork work = uniform(Schedule::GPipe, 4, 400, 1, 1, 0, 2);
    work.order.assign(4, {});
    const auto ahead = stagePrograms(Schedule::EagerOneFOneB, 20, 1, 400);
    for (std::size_t i = 0; i < 4;
         ++i) // eight passes from stage to stage, so that both directions are busy all the time
        work.order[i] = ahead[7 + 4 * i];
    const auto perMicroBatch = [&] { return simulateMakespan(work).value() / 400; };
    QVERIFY(perMicroBatch() < 3);
    work.timing.onePort = true;
    QVERIFY(perMicroBatch() >= 4);
}

/// DualPipe: a pair takes what both compute when their traffic fits behind the other's computation.
void TestSchedules::pairsHideEachOthersTraffic()
{
    for (const int p : {2, 4, 8}) {
        const int m = 4 * p;
        PipelineWork work = uniform(Schedule::DualPipe, p, m, 3, 4, 2);
        for (StageWork& stage : work.stages) {
            stage.forwardTraffic = Seconds(1);
            stage.backwardTraffic = Seconds(1.5);
        }
        PipelineWork none = work;
        for (StageWork& stage : none.stages)
            stage.forwardTraffic = stage.backwardTraffic = Seconds(0);
        const std::vector<StageProgram> programs = programsOf(work);
        for (std::size_t i = 0; i < work.stages.size(); ++i) {
            const auto pairs =
                std::count_if(programs[i].begin(), programs[i].end(), [](const PipelineStep& s) { return s.withNext; });
            // Some of the pairs run whole backward passes, whose weight gradients hide as much.
            QVERIFY(close(savedInPairs(work)[i].value(), 2.5 * double(pairs)));
            QVERIFY(pairs > 0 && pairs <= m);
            QCOMPARE(savedInPairs(none)[i].value(), 0.0);
        }
        const double saved = simulateMakespan(none).value() - simulateMakespan(work).value();
        QVERIFY(saved > 0 && saved <= 2.5 * m + 1e-9);
        QVERIFY(close(simulate(work).step.value(), simulateMakespan(work).value()));
    }
    // Nothing to compute, nothing to hide behind: what is left is the longer traffic.
    PipelineWork work = uniform(Schedule::DualPipe, 2, 8, 1, 2, 0);
    for (StageWork& stage : work.stages) {
        stage.forwardTraffic = Seconds(1);
        stage.backwardTraffic = Seconds(2);
    }
    QCOMPARE(savedInPairs(work)[0].value(), 0.0);
}

/// The profile of a stage is its step; reductions and transfers are those of the work.
void TestSchedules::profilesAddUpToTheStep()
{
    std::mt19937 random(37);
    for (int n = 0; n < 200; ++n) {
        PipelineWork work = randomWork(random);
        work.timing = {static_cast<TransferPath>(n % 3), n % 2 == 0, static_cast<SyncTime>(n / 3 % 3)};
        const Timeline t = simulate(work);
        const std::vector<StageProfile> profiles = stageProfiles(work, t);
        QCOMPARE(profiles.size(), work.stages.size());
        double sent = 0;
        for (std::size_t i = 0; i < profiles.size(); ++i) {
            const StageProfile& p = profiles[i];
            const StageWork& w = work.stages[i];
            QVERIFY(close((p.forward + p.backward + p.recompute + p.weightGradient + savedInPairs(work)[i]).value(),
                work.microBatches * (w.forward + w.backward).value()));
            QVERIFY(close((p.forward + p.backward + p.recompute + p.weightGradient + p.gradientSyncExposed + p.optimizer
                              + p.idle())
                              .value(),
                t.step.value()));
            QVERIFY(p.gradientSyncExposed.value() <= w.gradientSync.value() + 1e-9);
            if (work.timing.sync != SyncTime::Asynchronous)
                QVERIFY(close(p.gradientSyncExposed.value(), w.gradientSync.value()));
            sent += p.transfers.value();
        }
        double drawn = 0;
        for (const Slice& slice : t.slices)
            drawn += slice.kind == SliceKind::SendForward || slice.kind == SliceKind::SendBackward
                ? double(slice.duration)
                : 0;
        QVERIFY(std::abs(sent - drawn) <= 1e-5 * std::max(1.0, sent));
    }
}

void TestSchedules::inFlightIsReached()
{
    std::mt19937 random(33);
    for (int n = 0; n < 300; ++n) {
        const PipelineWork work = randomWork(random);
        const Timeline t = simulate(work);
        for (int i = 0; i < t.stages; ++i) {
            const double formula = inFlight(work.schedule, t.stages, 2, work.microBatches, i, work.lookahead);
            const double held = work.schedule == Schedule::DualPipe ? 2 * formula : formula;
            QCOMPARE(t.peakInFlight[static_cast<std::size_t>(i)], static_cast<int>(std::ceil(held - 1e-12)));
        }
    }
}

void TestSchedules::closedFormIsALowerBound()
{
    std::mt19937 random(34);
    int tight = 0;
    SharedPrograms shared;
    const int cases = 6000;
    for (int n = 0; n < cases; ++n) {
        PipelineWork work = randomWork(random);
        work.timing = {static_cast<TransferPath>(n % 3), n % 2 == 0, static_cast<SyncTime>(n / 3 % 3)};
        const double bound = pipelineSeconds(work).value();
        const double simulated = simulateMakespan(work).value();
        QVERIFY(bound <= simulated * (1 + 1e-9));
        tight += bound >= 0.9 * simulated;
        // Whoever looks at many pipelines finds their programs once: nothing else changes.
        QVERIFY(makespan(work, &shared).seconds == makespan(work).seconds);
        QVERIFY(stepBound(work, &shared) == stepBound(work));
    }
    QVERIFY2(tight > cases / 5, qPrintable(QString::number(tight)));
}

void TestSchedules::steadyStateIsExact()
{
    std::mt19937 random(35);
    int settled = 0;
    const int cases = 120;
    for (int n = 0; n < cases; ++n) {
        PipelineWork work = randomWork(random);
        const int p = int(work.stages.size());
        work.microBatches = 2 * p * (14 + n % 10);
        work.timing.path = n % 3 == 0 ? TransferPath::Queue : TransferPath::Links;
        const double whole = simulate(work).step.value();
        if (const auto steady = steadyMakespan(work)) {
            ++settled;
            QVERIFY2(std::abs(steady->value() / whole - 1) < 1e-9,
                qPrintable(QString("case %1: %2 %3").arg(n).arg(steady->value()).arg(whole)));
        }
    }
    QVERIFY2(settled > cases / 3, qPrintable(QString::number(settled)));
}

void TestSchedules::criticalPathIsAChain()
{
    std::mt19937 random(36);
    for (int n = 0; n < 100; ++n) {
        const PipelineWork work = randomWork(random);
        const Timeline t = simulate(work);
        QVERIFY(!t.criticalPath.empty());
        double length = 0;
        float end = -1;
        for (const std::int32_t id : t.criticalPath) {
            const Slice& slice = t.slices[static_cast<std::size_t>(id)];
            // Of a backward pass the last slice stands for both; a loss that other stages work on is no slice.
            if (end >= 0)
                QVERIFY(slice.start >= end - 1e-4F * t.makespan.value());
            end = slice.start + slice.duration;
            length += double(slice.duration);
        }
        QVERIFY(length <= t.makespan.value() * (1 + 1e-5));
        for (const Wait& wait : t.waits) {
            if (wait.endedBy < 0)
                continue;
            const Slice& slice = t.slices[static_cast<std::size_t>(wait.endedBy)];
            QVERIFY(slice.start + slice.duration
                >= (wait.start + wait.duration).value() - work.loss.value() - 1e-4 * t.makespan.value());
        }
    }
}

// Alpa: the reduction runs inside the executable of the last backward pass, so that those of all stages serialise in
// the drain: T = (m + p - 1)(f + b) + p A; delayed to the apply step, (m + p - 1)(f + b) + A. The difference is what
// stage 0 waited for.
void TestSchedules::gradientSyncInTheLastBackwardPass()
{
    const double sync = 1.7;
    for (int p : {2, 4, 8}) {
        for (int m : {4, 8, 16, 32}) {
            PipelineWork work = uniform(Schedule::OneFOneB, p, m, 1, 2, 0);
            for (StageWork& stage : work.stages)
                stage.gradientSync = Seconds(sync);
            const double bare = (m + p - 1) * 3.0;
            for (const TransferPath path : {TransferPath::Links, TransferPath::Queue, TransferPath::Stream}) {
                const Timeline original = simulate(timed(work, path, true, SyncTime::LastBackward));
                const Timeline delayed = simulate(timed(work, path, true, SyncTime::AfterPasses));
                QVERIFY(close(original.step.value(), bare + p * sync));
                QVERIFY(close(delayed.step.value(), bare + sync));
                QVERIFY(close(waited(original, 0, Wait::Cause::GradientSync), (p - 1) * sync));
                QVERIFY(close(waited(delayed, 0, Wait::Cause::GradientSync), 0));
                QVERIFY(close((original.step - delayed.step).value(), (original.idle[0] - delayed.idle[0]).value()));
            }
            QVERIFY(close(makespan(timed(work, TransferPath::Links, false, SyncTime::LastBackward)).seconds.value(),
                bare + p * sync));
        }
    }
}

// Two chunks per stage: the reduction of the second runs while the first is still in its backward passes.
void TestSchedules::asynchronousReductionsHideBehindChunks()
{
    PipelineWork work = uniform(Schedule::Interleaved, 4, 8, 1, 2, 0);
    work.chunks = 2;
    for (StageWork& stage : work.stages)
        stage.gradientSync = Seconds(2);
    const double after = simulate(work).step.value();
    work.timing.sync = SyncTime::Asynchronous;
    const Timeline beside = simulate(work);
    QVERIFY(close(beside.step.value(), after - 1)); // half of it is the first chunk's, which ends last
    QVERIFY(close(makespan(work).seconds.value(), beside.step.value()));
    QVERIFY(close(beside.busy[0].value(), 8 * 3.0 + 1));
}

// Transfers as in Zhuang et al., arXiv 2211.05322: T = (m + p - 1)(f + b) + K c for uniform 1F1B, m a multiple of p and
// at least 2p.
void TestSchedules::runtimesOfTransfers_data()
{
    QTest::addColumn<int>("p");
    for (int p : {2, 3, 4, 5, 6, 8})
        QTest::addRow("p=%d", p) << p;
}

void TestSchedules::runtimesOfTransfers()
{
    QFETCH(int, p);
    for (int m : {2 * p, 3 * p, 5 * p}) {
        for (const double ratio : {1.0, 1.5, 2.0, 3.0}) {
            if (p == 5 && ratio != 2)
                continue; // tabulated for b = 2f only
            const double c = 0.1;
            const PipelineWork work = uniform(Schedule::OneFOneB, p, m, 1, ratio, 0, c);
            const double bare = (m + p - 1) * (1 + ratio);
            const auto transfers = [&](TransferPath path, bool lazy) {
                return (simulate(timed(work, path, lazy, SyncTime::AfterPasses)).step.value() - bare) / c;
            };
            QVERIFY(close(transfers(TransferPath::Stream, true), p == 2 ? 2 * m : 4 * m + 4 * p - 13));
            QVERIFY(close(transfers(TransferPath::Queue, true), 2 * m + 2 * (p - 2)));
            QVERIFY(close(transfers(TransferPath::Queue, false), 2 * m + 2 * p - 6));
            if (p > 2)
                QVERIFY(close(transfers(TransferPath::Links, false), 2.0 * (p - 1) * m / p + 2 * (p - 2)));
            PipelineWork eager = work;
            eager.schedule = Schedule::EagerOneFOneB;
            QVERIFY(close((simulate(eager).step.value() - bare) / c, 2 * (p - 1)));
            QVERIFY(close(makespan(timed(work, TransferPath::Stream, true, SyncTime::AfterPasses)).seconds.value(),
                simulate(timed(work, TransferPath::Stream, true, SyncTime::AfterPasses)).step.value()));
        }
    }
}

// Links of their own are a subset of the constraints of any queue, and a delayed reduction one of a reduction inside:
// neither can lose. Sending earlier in one queue can.
void TestSchedules::removedConstraintsNeverLengthen()
{
    std::mt19937 random(37);
    int lost = 0;
    int won = 0;
    for (int n = 0; n < 200; ++n) {
        PipelineWork work = uniform(Schedule::OneFOneB, 2 + n % 5, 4 + n % 9, 1, 2, 0);
        std::uniform_real_distribution<double> seconds(0.2, 1.8);
        for (StageWork& stage : work.stages) {
            stage.forward *= seconds(random);
            stage.backward *= seconds(random);
            stage.sendForward = Seconds(0.3 * seconds(random));
            stage.sendBackward = Seconds(0.3 * seconds(random));
            stage.gradientSync = Seconds(seconds(random));
        }
        const auto step = [&](TransferPath path, bool lazy, SyncTime sync) {
            return simulate(timed(work, path, lazy, sync)).step.value();
        };
        for (const SyncTime sync : {SyncTime::AfterPasses, SyncTime::LastBackward}) {
            const double links = step(TransferPath::Links, false, sync);
            for (const TransferPath path : {TransferPath::Queue, TransferPath::Stream})
                for (const bool lazy : {true, false})
                    QVERIFY(links <= step(path, lazy, sync) * (1 + 1e-12));
        }
        for (const TransferPath path : {TransferPath::Links, TransferPath::Queue, TransferPath::Stream}) {
            const double inside = step(path, true, SyncTime::LastBackward);
            const double delayed = step(path, true, SyncTime::AfterPasses);
            QVERIFY(delayed <= inside * (1 + 1e-12));
            QVERIFY(step(path, true, SyncTime::Asynchronous) <= delayed * (1 + 1e-12));
        }
        const double gain = step(TransferPath::Queue, true, SyncTime::AfterPasses)
                / step(TransferPath::Queue, false, SyncTime::AfterPasses)
            - 1;
        lost += gain < -1e-9;
        won += gain > 1e-9;
    }
    QVERIFY(lost > 0);
    QVERIFY(won > 0);
}

// Uniform stages on Alpa's runtime: what stage 0 no longer waits for is what the step has lost, (p - 1) A and the
// transfers.
void TestSchedules::theTimingPassSaysWhatItRemoves()
{
    for (int p : {2, 4, 8}) {
        PipelineWork without =
            timed(uniform(Schedule::OneFOneB, p, 3 * p, 1, 2, 0), TransferPath::Stream, true, SyncTime::LastBackward);
        for (StageWork& stage : without.stages)
            stage.gradientSync = Seconds(1.7);
        PipelineWork with = without;
        with.timing = kPassedTiming;
        const TimingPass alone = timingPass(without, with);
        QVERIFY(close((alone.without() - alone.with()).value(), (p - 1) * 1.7));
        QVERIFY(close(alone.removed.waits[0][std::size_t(Wait::Cause::GradientSync)].value(), (p - 1) * 1.7));
        QCOMPARE(alone.steps.size(), std::size_t{5});
        QCOMPARE(alone.steps[1].step, TimingStep::DelayedSync);
        QVERIFY(close(alone.steps[1].seconds.value(), alone.with().value()));
        for (StageWork& stage : without.stages)
            stage.sendForward = stage.sendBackward = Seconds(0.1);
        with.stages = without.stages;
        const TimingPass both = timingPass(without, with);
        for (const WaitSeconds& stage : both.removed.waits) {
            double sum = 0;
            for (const Seconds cause : stage)
                sum += cause.value();
            // Every stage does as much with the pass as without, but for its own reduction, which is no wait.
            QVERIFY(close(sum, (both.without() - both.with()).value()));
        }
        QCOMPARE(both.without(), simulateMakespan(without));
        QCOMPARE(both.with(), simulateMakespan(with));
    }
    // A runtime that has all of it gains nothing.
    PipelineWork links = uniform(Schedule::OneFOneB, 4, 12, 1, 2, 0, 0.1);
    PipelineWork passed = links;
    passed.timing = kPassedTiming;
    QCOMPARE(timingPass(links, passed).gain(), 0.0);
}

/// What every step of the pass takes from a stage's waits and work is what the training step loses, and the steps add
/// up to the pass.
void TestSchedules::theStepsOfThePassAddUp()
{
    std::mt19937 random(39);
    int worse = 0;
    int hidden = 0;
    for (int n = 0; n < 100; ++n) {
        PipelineWork without = randomWork(random);
        without.timing = {n % 2 == 0 ? TransferPath::Queue : TransferPath::Stream, true,
            n % 3 == 0 ? SyncTime::AfterPasses : SyncTime::LastBackward};
        PipelineWork with = without;
        with.timing = kPassedTiming;
        const TimingPass pass = timingPass(without, with);
        QCOMPARE(pass.steps.size(), n % 3 == 0 ? std::size_t{4} : std::size_t{5});
        const auto removed = [](const StageSavings& savings, std::size_t stage) {
            Seconds sum = savings.work[stage];
            for (const Seconds cause : savings.waits[stage])
                sum += cause;
            return sum.value();
        };
        for (std::size_t stage = 0; stage < without.stages.size(); ++stage) {
            double all = 0;
            for (std::size_t k = 1; k < pass.steps.size(); ++k) {
                const double own = removed(pass.steps[k].removed, stage);
                QVERIFY(close(own, (pass.steps[k - 1].seconds - pass.steps[k].seconds).value()));
                worse += own < -1e-9;
                all += own;
            }
            QVERIFY(close(all, removed(pass.removed, stage)));
            QVERIFY(close(all, (pass.without() - pass.with()).value()));
            hidden += pass.removed.work[stage].value() > 1e-9;
        }
        for (std::size_t cause = 0; cause < kWaitCauses; ++cause) {
            double all = 0;
            for (std::size_t k = 1; k < pass.steps.size(); ++k)
                all += byCause(pass.steps[k].removed.waits)[cause].value();
            QVERIFY(close(all, byCause(pass.removed.waits)[cause].value()));
        }
    }
    QVERIFY(worse > 0 && hidden > 0);
}

// GPT2-XL on 8 GPUs at 150 TFLOP/s and 10 GB/s, global batch 64, micro-batch 2, FP32 gradients: a
// planner that leaves the reduction of gradients out picks the plan that is the worst of the four on Alpa's runtime.
void TestSchedules::aBlindPlannerPicksTheWorst()
{
    struct Case {
        int p, d, m;
        double blind, original, delayed;
    };
    constexpr std::array kCases{Case{1, 8, 4, 0.561, 1.651, 1.651}, Case{2, 4, 8, 0.631, 1.566, 1.098},
        Case{4, 2, 16, 0.666, 1.289, 0.822}, Case{8, 1, 32, 0.684, 0.684, 0.684}};
    std::array<std::vector<double>, 3> steps;
    for (const Case& c : kCases) {
        const double forward = (48 * 69.63e9 + 164.7e9) * 2 / 150e12 / c.p;
        PipelineWork work = uniform(Schedule::OneFOneB, c.p, c.m, forward, 2 * forward, 0);
        const double blind = makespan(work).seconds.value();
        for (StageWork& stage : work.stages)
            stage.gradientSync = Seconds(2.0 * (c.d - 1) / c.d * 4 * 1'557'611'200.0 / c.p / 10e9);
        const double original =
            makespan(timed(work, TransferPath::Stream, true, SyncTime::LastBackward)).seconds.value();
        const double delayed =
            makespan(timed(work, TransferPath::Links, false, SyncTime::Asynchronous)).seconds.value();
        QVERIFY(std::abs(blind - c.blind) < 6e-4);
        QVERIFY(std::abs(original - c.original) < 6e-4);
        QVERIFY(std::abs(delayed - c.delayed) < 6e-4);
        steps[0].push_back(blind);
        steps[1].push_back(original);
        steps[2].push_back(delayed);
    }
    const auto best = [](const std::vector<double>& s) { return std::min_element(s.begin(), s.end()) - s.begin(); };
    const auto worst = [](const std::vector<double>& s) { return std::max_element(s.begin(), s.end()) - s.begin(); };
    QCOMPARE(best(steps[0]), worst(steps[1])); // the blind choice
    QCOMPARE(best(steps[1]), 3);
    QCOMPARE(best(steps[2]), 3);
    QVERIFY(std::abs(steps[1][0] / steps[1][3] - 2.41) < 0.01);
}

void TestSchedules::ownOrders()
{
    PipelineWork work = uniform(Schedule::OneFOneB, 3, 6, 1, 2, 0, 0.1);
    const Timeline plain = simulate(work);
    work.order = stagePrograms(Schedule::OneFOneB, 3, 1, 6);
    QVERIFY(runsThrough(work));
    QCOMPARE(simulate(work), plain);
    QCOMPARE(makespan(work).seconds, plain.step);
    // The first stage waits for a gradient before it has sent what that comes from.
    std::rotate(work.order[0].begin(), work.order[0].begin() + 3, work.order[0].end());
    QVERIFY(!runsThrough(work));
}

STRATOPLAN_TEST(TestSchedules)
#include "test_schedules.moc"
