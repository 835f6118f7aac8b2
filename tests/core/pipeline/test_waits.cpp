// SPDX-License-Identifier: GPL-3.0-or-later
// What the causes of waits stand for: the idle time that goes when they take no time, found by simulating without them.
#include "core/pipeline/pipeline.h"
#include "core/pipeline/program.h"
#include "tests/core/fixtures.h"
#include "tests/registry.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <random>

using namespace stratoplan::parallel;
using namespace stratoplan::pipeline;
using namespace stratoplan::units;
using stratoplan::fixtures::close;

namespace {

/// Unlike stages under a schedule and a runtime of any kind.
PipelineWork randomWork(std::mt19937& random)
{
    constexpr std::array kSchedules{Schedule::OneFOneB, Schedule::GPipe, Schedule::EagerOneFOneB, Schedule::Interleaved,
        Schedule::ZbH1, Schedule::ZbH2, Schedule::ZbV, Schedule::VHalf, Schedule::DualPipe, Schedule::DualPipeV};
    const auto pick = [&](int low, int high) { return std::uniform_int_distribution(low, high)(random); };
    const auto seconds = [&](double high) { return Seconds(std::uniform_real_distribution(0.05, 1.0)(random) * high); };
    PipelineWork work;
    work.schedule = kSchedules[std::size_t(pick(0, int(kSchedules.size()) - 1))];
    work.chunks = work.schedule == Schedule::Interleaved ? 2 : 1;
    const int p = 2 * pick(1, 3);
    work.microBatches = p * pick(2, 5);
    const double transfer = std::array{0.0, 0.1, 0.5, 2.0}[std::size_t(pick(0, 3))];
    for (int i = 0; i < p; ++i) {
        StageWork stage;
        stage.forward = seconds(1);
        stage.backward = seconds(2);
        stage.weightGradient = stage.backward * 0.4;
        stage.sendForward = seconds(transfer);
        stage.sendBackward = seconds(transfer);
        stage.gradientSync = seconds(2);
        stage.optimizer = seconds(0.2);
        work.stages.push_back(stage);
    }
    work.timing = {
        static_cast<TransferPath>(pick(0, 2)), pick(0, 1) == 1, static_cast<SyncTime>(pick(0, 2)), pick(0, 1) == 1};
    work.order = programsOf(work);
    return work;
}

double waited(const Timeline& t, int stage, std::initializer_list<Wait::Cause> causes)
{
    double sum = 0;
    for (const Wait& wait : t.waits)
        if (wait.stage == stage && std::find(causes.begin(), causes.end(), wait.cause) != causes.end())
            sum += wait.duration.value();
    return sum;
}

/// Between the first pass of the stage and its last.
double idleInside(const Timeline& t, int stage)
{
    double sum = 0;
    for (const Wait& wait : t.waits)
        if (wait.stage == stage && wait.cause != Wait::Cause::WarmUp && wait.cause != Wait::Cause::CoolDown)
            sum += wait.duration.value();
    return sum;
}

PipelineWork withoutReductions(PipelineWork work)
{
    for (StageWork& stage : work.stages)
        stage.gradientSync = {};
    return work;
}

/// Neither a transfer nor a queue holds anybody up.
PipelineWork withFreeLinks(PipelineWork work)
{
    for (StageWork& stage : work.stages)
        stage.sendForward = stage.sendBackward = {};
    work.timing.path = TransferPath::Links;
    work.timing.lazy = false;
    return work;
}

} // namespace

class TestWaits : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void causesCostWhatGoesWithoutThem();
    void idleTimeThatMovesCostsNothing();
    void aWaitForATransferIsOne();
};

void TestWaits::causesCostWhatGoesWithoutThem()
{
    using enum Wait::Cause;
    std::mt19937 random(41);
    int reductions = 0;
    int links = 0;
    for (int n = 0; n < 600; ++n) {
        const PipelineWork work = randomWork(random);
        const Timeline t = simulate(work);
        const Timeline reduced = simulate(withoutReductions(work));
        const Timeline free = simulate(withFreeLinks(withoutReductions(work)));
        for (int i = 0; i < t.stages; ++i) {
            const double before = idleInside(t, i);
            const double sync = std::max(0.0, before - idleInside(reduced, i));
            const double rest = std::min({before, idleInside(reduced, i), idleInside(free, i)});
            QVERIFY(close(waited(t, i, {GradientSync}), work.timing.sync == SyncTime::LastBackward ? sync : 0));
            // Queues alone can cost more than queues and transfers together.
            const double others = waited(t, i, {Activation, Gradient});
            QVERIFY2(close(others, rest) || (others < rest && waited(t, i, {Queue}) > 0),
                qPrintable(QString("case %1, stage %2: %3, not %4").arg(n).arg(i).arg(others).arg(rest)));
            reductions += sync > 0.1;
            links += rest < before - sync - 0.1;
        }
    }
    QVERIFY2(reductions > 100 && links > 500, qPrintable(QString("%1 %2").arg(reductions).arg(links)));
}

/// The stage in the middle is the slow one: whatever links cost, it keeps the others waiting as long.
void TestWaits::idleTimeThatMovesCostsNothing()
{
    PipelineWork work;
    work.microBatches = 64;
    work.stages.assign(3, {});
    for (StageWork& stage : work.stages) {
        stage.forward = stage.backward = Seconds(1);
        stage.sendForward = stage.sendBackward = Seconds(0.5);
    }
    work.stages[1].forward = work.stages[1].backward = Seconds(4);
    const Timeline t = simulate(work);
    const Timeline free = simulate(withFreeLinks(work));
    for (const int stage : {0, 1, 2}) {
        const double transfers = waited(t, stage, {Wait::Cause::Transfer, Wait::Cause::Queue});
        QVERIFY(close(transfers, std::max(0.0, idleInside(t, stage) - idleInside(free, stage))));
        QVERIFY(transfers < 0.1 * idleInside(t, stage) + 5); // of some 380 s
    }
}

/// Nothing but a transfer lies between the two passes.
void TestWaits::aWaitForATransferIsOne()
{
    PipelineWork work;
    work.stages.assign(2, {});
    for (StageWork& stage : work.stages) {
        stage.forward = Seconds(1);
        stage.backward = Seconds(2);
        stage.sendForward = Seconds(0.25);
        stage.sendBackward = Seconds(0.5);
    }
    const Timeline t = simulate(work);
    QVERIFY(close(waited(t, 0, {Wait::Cause::Transfer}), 0.75));
    QVERIFY(close(waited(t, 0, {Wait::Cause::Gradient}), 3));
    QVERIFY(close(waited(t, 1, {Wait::Cause::WarmUp}), 1.25));
}

STRATOPLAN_TEST(TestWaits)
#include "test_waits.moc"
