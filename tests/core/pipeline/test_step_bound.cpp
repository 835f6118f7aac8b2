// SPDX-License-Identifier: GPL-3.0-or-later
// The bound of a step against the simulation: never above it, never below the closed form, and met where stages are
// alike.
#include "core/pipeline/pipeline.h"
#include "tests/core/pipeline/random_chunks.h"
#include "tests/registry.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <random>
#include <string>

using namespace stratoplan::parallel;
using namespace stratoplan::pipeline;
using namespace stratoplan::units;

namespace {

constexpr std::array kSchedules{Schedule::GPipe, Schedule::OneFOneB, Schedule::Interleaved, Schedule::EagerOneFOneB,
    Schedule::BreadthFirst, Schedule::ZbH1, Schedule::ZbH2, Schedule::ZbAuto, Schedule::ZbV, Schedule::VHalf,
    Schedule::VMin, Schedule::DualPipe, Schedule::DualPipeV};

// In one piece: one pipeline, of which each number is drawn for those before it.
PipelineWork drawn(std::mt19937& random, int n)
{
    const auto number = [&](int below) { return std::uniform_int_distribution<int>(0, below - 1)(random); };
    const auto seconds = [&](double low, double high) {
        return Seconds(std::uniform_real_distribution<double>(low, high)(random));
    };
    PipelineWork work;
    work.schedule = kSchedules[std::size_t(n) % kSchedules.size()];
    const bool folded = shape(work.schedule) != PipelineShape::Loop;
    const int p = folded ? 2 * (1 + number(4)) : 1 + number(8);
    work.chunks = work.schedule == Schedule::Interleaved || work.schedule == Schedule::BreadthFirst ? 1 + number(3) : 1;
    const bool deep = runsPairs(work.schedule);
    work.microBatches = p * (deep ? 2 : 1) * (1 + number(deep ? 3 : 6));
    if (!folded && work.chunks == 1)
        work.microBatches = 1 + number(5 * p);
    work.limit = work.schedule == Schedule::ZbAuto && number(2) ? p + number(p) : 0;
    const double transfer = number(3) == 0 ? 0 : number(2) ? 0.05 : 0.6;
    const double reshard = !folded && number(3) == 0 ? 0.5 : 0;
    const double spread = number(4) == 0 ? 0 : 0.7;
    const auto pass = [&](double share) {
        ChunkWork w;
        w.forward = seconds(1 - spread, 1 + spread) * share;
        w.weightGradient = seconds(1 - spread, 1 + spread) * share;
        w.backward = w.weightGradient + seconds(1 - spread, 1 + spread) * share;
        w.sendForward = seconds(0, transfer);
        w.sendBackward = seconds(0, transfer);
        w.forwardTraffic = w.forward * 0.2;
        w.backwardTraffic = (w.backward - w.weightGradient) * 0.2;
        return w;
    };
    const bool chunks = folded && number(2);
    for (int i = 0; i < p; ++i) {
        work.stages.push_back({pass(1), seconds(0, 1), seconds(0, 1), seconds(0, 1)});
        if (reshard > 0) {
            work.stages.back().reshardForward = seconds(0, reshard);
            work.stages.back().reshardBackward = seconds(0, reshard);
        }
        if (!chunks)
            continue;
        const bool twoWay = shape(work.schedule) == PipelineShape::TwoWay;
        const bool mirrored = twoWay && i >= p / 2;
        for (int c = 0; c < 2; ++c) // a stage and its mirror image run the same chunks
            work.chunkWork.push_back(
                mirrored ? work.chunkWork[std::size_t(2 * (p - 1 - i) + 1 - c)] : pass(twoWay ? 1 : 0.5));
        const ChunkWork& a = work.chunkWork[work.chunkWork.size() - 2];
        const ChunkWork& b = work.chunkWork.back();
        const double share = twoWay ? 0.5 : 1;
        static_cast<ChunkWork&>(work.stages.back()) = {(a.forward + b.forward) * share,
            (a.backward + b.backward) * share, {}, (a.weightGradient + b.weightGradient) * share, a.sendForward,
            a.sendBackward, (a.forwardTraffic + b.forwardTraffic) * share,
            (a.backwardTraffic + b.backwardTraffic) * share};
    }
    if (number(3) == 0)
        work.timing = {static_cast<TransferPath>(number(3)), number(2) == 0, static_cast<SyncTime>(number(3)), false};
    work.timing.onePort = work.timing.path == TransferPath::Links && number(4) == 0;
    if (work.chunks > 1 && number(2))
        makeChunksUnlike(work, random);
    return work;
}

} // namespace

class TestStepBound : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void isBetweenTheClosedFormAndTheSimulation()
    {
        std::mt19937 random(61);
        std::map<std::string, std::array<double, 3>> means; // cases, shares of the simulated step: closed form, bound
        for (int n = 0; n < 13'000; ++n) {
            const PipelineWork work = drawn(random, n);
            const double closed = pipelineSeconds(work).value();
            const double bound = stepBound(work).value();
            const double simulated = simulateMakespan(work).value();
            QVERIFY2(bound <= simulated * (1 + 1e-9),
                qPrintable(QStringLiteral("case %1, %2: %3 > %4")
                               .arg(n)
                               .arg(QString::fromStdString(std::string(key(work.schedule))))
                               .arg(bound)
                               .arg(simulated)));
            QVERIFY(closed <= bound);
            auto& mean = means[std::string(key(work.schedule))];
            mean[0] += 1;
            mean[1] += closed / simulated;
            mean[2] += bound / simulated;
        }
        // A bound of nothing would pass the test above: this one is near, and nearer than the closed form.
        for (const auto& [schedule, mean] : means)
            QVERIFY2(mean[2] > 0.84 * mean[0] && mean[2] > mean[1] + 0.001 * mean[0],
                qPrintable(QStringLiteral("%1: %2 %3")
                               .arg(QString::fromStdString(schedule))
                               .arg(mean[1] / mean[0])
                               .arg(mean[2] / mean[0])));
        QVERIFY(means.at("1f1b")[2] > 0.98 * means.at("1f1b")[0]);
    }

    /// A pipeline of stages that differ by a layer, with as many micro-batches as stages: what the closed form leaves
    /// out is most.
    void isMetWhereStagesDifferByALayer()
    {
        for (const Schedule schedule : {Schedule::GPipe, Schedule::OneFOneB, Schedule::ZbH1}) {
            PipelineWork work;
            work.schedule = schedule;
            work.microBatches = 8;
            for (int i = 0; i < 8; ++i) {
                StageWork stage;
                stage.forward = Seconds(i < 4 ? 8 : 7);
                stage.backward = stage.forward * 2;
                stage.weightGradient = stage.forward;
                stage.sendForward = stage.sendBackward = Seconds(0.01);
                work.stages.push_back(stage);
            }
            const double simulated = simulateMakespan(work).value();
            QVERIFY(pipelineSeconds(work).value() < 0.99 * simulated);
            QVERIFY2(stepBound(work).value() > 0.997 * simulated,
                qPrintable(QString::number(stepBound(work).value() / simulated)));
        }
    }

    /// In 1F1B over uniform stages the round trips hold 2 (p - 1) m / p transfers, as simulated but for 2 (p - 2)
    /// (a closed form of the runtime of Alpa, arXiv 2201.12023).
    void roundTripsHoldTheirTransfers()
    {
        constexpr double c = 0.1;
        for (const int p : {2, 4, 8}) {
            PipelineWork work{Schedule::OneFOneB, 8 * p, 1, {}};
            StageWork stage;
            stage.forward = Seconds(1);
            stage.backward = Seconds(2);
            stage.sendForward = stage.sendBackward = Seconds(c);
            work.stages.assign(std::size_t(p), stage);
            const double passes = (9 * p - 1) * 3.0;
            QVERIFY(std::abs(stepBound(work).value() - (passes + 16 * (p - 1) * c)) < 1e-9);
            QVERIFY(std::abs(simulateMakespan(work).value() - (passes + (16 * (p - 1) + 2 * (p - 2)) * c)) < 1e-9);
        }
    }

    /// On one stream a transfer holds up both its stages, and a reduction inside the last backward pass all stages
    /// above.
    void streamsAndReductionsHoldUp()
    {
        PipelineWork work{Schedule::OneFOneB, 32, 1, {}};
        StageWork stage;
        stage.forward = Seconds(1);
        stage.backward = Seconds(2);
        stage.gradientSync = Seconds(5);
        work.stages.assign(4, stage);
        work.timing.sync = SyncTime::LastBackward;
        const double passes = 35 * 3.0;
        QVERIFY(std::abs(stepBound(work).value() - (passes + 4 * 5)) < 1e-9); // C2: p A
        QVERIFY(std::abs(simulateMakespan(work).value() - (passes + 4 * 5)) < 1e-9);
        work.timing = {TransferPath::Stream, true, SyncTime::AfterPasses};
        for (StageWork& own : work.stages)
            own.sendForward = own.sendBackward = Seconds(0.1);
        QVERIFY(stepBound(work).value() >= 32 * 3 + 3 + 5 + 4 * 31 * 0.1); // of a stage between two others
        QVERIFY(stepBound(work) <= simulateMakespan(work));
    }
};

STRATOPLAN_TEST(TestStepBound)
#include "test_step_bound.moc"
