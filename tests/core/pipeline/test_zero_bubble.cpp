// SPDX-License-Identifier: GPL-3.0-or-later
// ZB-auto: zero bubble programs made for the durations of a pipeline, within a limit of micro-batches in memory.
#include "core/pipeline/pipeline.h"
#include "core/pipeline/program.h"
#include "tests/registry.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

using namespace stratoplan::parallel;
using namespace stratoplan::pipeline;
using namespace stratoplan::units;

namespace {

PipelineWork randomWork(std::mt19937& random, int p, int m, double spread)
{
    std::uniform_real_distribution<double> unit(0, 1);
    const auto about = [&](double middle) { return Seconds(middle * (1 + spread * unit(random))); };
    const double backward = 0.7 + 0.6 * unit(random);
    const double weights = 0.4 + 0.7 * unit(random);
    const double transfer = 0.1 * unit(random);
    PipelineWork work{Schedule::ZbAuto, m, 1, {}};
    for (int i = 0; i < p; ++i) {
        StageWork stage;
        stage.forward = about(1);
        stage.weightGradient = about(weights);
        stage.backward = about(backward) + stage.weightGradient;
        stage.sendForward = stage.sendBackward = Seconds(transfer);
        work.stages.push_back(stage);
    }
    return work;
}

double seconds(PipelineWork work, std::vector<StageProgram> order)
{
    work.order = std::move(order);
    return simulateMakespan(work).value();
}

/// Forward passes less weight gradients, at most.
int mostHeld(const StageProgram& program)
{
    int held = 0;
    int most = 0;
    for (const PipelineStep& step : program) {
        held += step.kind == PassKind::Forward ? 1 : step.kind == PassKind::WeightGradient ? -1 : 0;
        most = std::max(most, held);
    }
    return most;
}

/// Every order of a stage's passes that holds at most `limit` micro-batches.
std::vector<StageProgram> allPrograms(int m, int limit)
{
    std::vector<StageProgram> all;
    StageProgram program;
    const auto extend = [&](auto&& self, int f, int b, int w) -> void {
        if (w == m) {
            all.push_back(program);
            return;
        }
        const auto with = [&](PassKind kind, int microBatch, int nextF, int nextB, int nextW) {
            program.push_back({kind, 0, microBatch});
            self(self, nextF, nextB, nextW);
            program.pop_back();
        };
        if (f < m && f - w < limit)
            with(PassKind::Forward, f, f + 1, b, w);
        if (b < f)
            with(PassKind::InputGradient, b, f, b + 1, w);
        if (w < b)
            with(PassKind::WeightGradient, w, f, b, w + 1);
    };
    extend(extend, 0, 0, 0);
    return all;
}

} // namespace

class TestZeroBubble : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Every pass once, in order, within the limit; the step no longer than ZB-H1's or ZB-H2's, where the limit admits
    /// them.
    // In one piece: passes, limit and step are those of the same order.
    void keepsItsLimitAndBeatsTheOrdersByHand()
    {
        std::mt19937 random(3);
        int shorter = 0;
        const int cases = 300;
        for (int n = 0; n < cases; ++n) {
            const int p = 1 + n % 8;
            const int m =
                1 + int(random() % unsigned(std::min(30, 6 * (p + 1)))); // rules are chosen for pipelines that short
            PipelineWork work = randomWork(random, p, m, n % 2 ? 0.2 : 0);
            for (const int limit : {1, std::max(1, p / 2), p, 2 * p - 1, 2 * p, 3 * p}) {
                work.limit = limit;
                const std::vector<StageProgram> programs = programsOf(work);
                QCOMPARE(int(programs.size()), p);
                for (const StageProgram& program : programs) {
                    QVERIFY(mostHeld(program) <= limit);
                    std::array<int, 4> next{};
                    for (const PipelineStep& step : program) {
                        QCOMPARE(step.microBatch, next[std::size_t(step.kind)]++);
                        QVERIFY(next[std::size_t(PassKind::InputGradient)] <= next[std::size_t(PassKind::Forward)]);
                        QVERIFY(
                            next[std::size_t(PassKind::WeightGradient)] <= next[std::size_t(PassKind::InputGradient)]);
                    }
                    QCOMPARE(next, (std::array<int, 4>{m, 0, m, m}));
                }
                const double step = simulateMakespan(work).value();
                const Timeline timeline = simulate(work);
                QVERIFY(std::abs(timeline.step.value() - step) < 1e-9 * step);
                QVERIFY(*std::max_element(timeline.peakInFlight.begin(), timeline.peakInFlight.end()) <= limit);
                QVERIFY(pipelineSeconds(work).value() <= step * (1 + 1e-12));
                if (limit < p)
                    continue;
                QVERIFY(step <= seconds(work, stagePrograms(Schedule::ZbH1, p, 1, m)) * (1 + 1e-12));
                if (limit < 2 * p - 1)
                    continue;
                const double byHand = seconds(work, stagePrograms(Schedule::ZbH2, p, 1, m));
                QVERIFY(step <= byHand * (1 + 1e-12));
                shorter += step < byHand * (1 - 1e-6);
            }
        }
        QVERIFY2(shorter > cases / 2, qPrintable(QString::number(shorter)));
    }

    /// No bubble where all passes take alike and 2p micro-batches may be held; that of ZB-H1 with p of them.
    void uniformStagesHaveNoBubble()
    {
        for (const int p : {1, 2, 4, 8, 13}) {
            for (const int m : {2 * p, 5 * p + 1}) {
                PipelineWork work{Schedule::ZbAuto, m, 1, {}};
                StageWork stage;
                stage.forward = Seconds(1);
                stage.backward = Seconds(2);
                stage.weightGradient = Seconds(1);
                work.stages.assign(std::size_t(p), stage);
                QCOMPARE(simulateMakespan(work).value(), 3.0 * m);
                work.limit = p;
                QVERIFY(simulateMakespan(work).value() <= 3.0 * m + (p - 1) + 1e-9);
            }
        }
    }

    /// Against the best of all orders that two stages can run.
    void isCloseToTheBestOfAllOrders()
    {
        std::mt19937 random(5);
        int best = 0;
        int all = 0;
        double worst = 1;
        for (int n = 0; n < 40; ++n) {
            PipelineWork work = randomWork(random, 2, 3, n % 2 ? 0.3 : 0);
            for (const int limit : {2, 3}) {
                work.limit = limit;
                const std::vector<StageProgram> candidates = allPrograms(work.microBatches, limit);
                double optimum = 1e300;
                for (const StageProgram& first : candidates)
                    for (const StageProgram& second : candidates)
                        if (PipelineWork ordered = work; ordered.order = {first, second}, runsThrough(ordered))
                            optimum = std::min(optimum, simulateMakespan(ordered).value());
                const double own = simulateMakespan(work).value();
                QVERIFY(own >= optimum * (1 - 1e-12));
                worst = std::max(worst, own / optimum);
                best += own <= optimum * (1 + 1e-9);
                ++all;
            }
        }
        QVERIFY2(worst <= 1.05 && best > 0.8 * all,
            qPrintable(QString("worst %1, best in %2 of %3").arg(worst).arg(best).arg(all)));
    }

    /// More room for activations hardly ever costs time: the rules of a list scheduler are no search of all orders.
    void aLargerLimitIsHardlySlower()
    {
        std::mt19937 random(4);
        double worst = 0;
        int slower = 0;
        int pairs = 0;
        for (int n = 0; n < 120; ++n) {
            const int p = 4 + n % 7;
            PipelineWork work = randomWork(random, p, p + int(random() % unsigned(3 * p)), n % 2 ? 3 : 1);
            double least = 1e300;
            for (work.limit = 1; work.limit <= p + 4; ++work.limit) {
                const double step = simulateMakespan(work).value();
                pairs += work.limit > 1;
                slower += step > least * (1 + 1e-9);
                worst = std::max(worst, step / least - 1);
                least = std::min(least, step);
            }
        }
        QVERIFY2(worst < 0.015 && slower < 0.01 * pairs,
            qPrintable(QString("worst %1, %2 of %3").arg(worst).arg(slower).arg(pairs)));
    }

    /// Also where transfers wait in a queue or take the stream of the passes: those are ordered for the passes that
    /// run.
    void runsThroughHoweverTransfersGo()
    {
        std::mt19937 random(31);
        for (int i = 0; i < 100; ++i) {
            const int p = 2 + int(random() % 4);
            PipelineWork work = randomWork(random, p, 3 * p + int(random() % unsigned(3 * p)), 0.5);
            for (const TransferPath path : {TransferPath::Queue, TransferPath::Stream}) {
                for (const bool lazy : {false, true}) {
                    work.timing.path = path;
                    work.timing.lazy = lazy;
                    PipelineWork ordered = work;
                    ordered.order = programsOf(work);
                    QVERIFY(runsThrough(ordered));
                    QCOMPARE(simulateMakespan(work), simulateMakespan(ordered));
                }
            }
        }
    }

    /// The step of a long pipeline is that of the whole simulation.
    void longPipelinesSettle()
    {
        std::mt19937 random(11);
        int settled = 0;
        for (int n = 0; n < 60; ++n) {
            const int p = 2 + n % 5;
            PipelineWork work = randomWork(random, p, 150 + n, n % 2 ? 0.2 : 0);
            work.limit = n % 3 ? 2 * p : p;
            const auto steady = steadyMakespan(work);
            settled += steady.has_value();
            if (steady)
                QVERIFY(std::abs(steady->value() / simulate(work).step.value() - 1) < 1e-9);
        }
        QVERIFY2(settled > 30, qPrintable(QString::number(settled)));
    }

    /// Times without end have no best order: they get one all the same.
    void endlessTimesAreNoCrash()
    {
        std::mt19937 random(19);
        PipelineWork work = randomWork(random, 3, 6, 0);
        work.stages[1].sendForward = Seconds(INFINITY);
        QCOMPARE(programsOf(work), stagePrograms(Schedule::ZbH1, 3, 1, 6));
        work.stages.resize(1); // a single stage holds one micro-batch, whatever its limit
        work.limit = 8;
        QCOMPARE(inFlight(Schedule::ZbAuto, 1, 1, 16, 0, 0, 0.5, 8), 1.0);
    }

    /// The loss of divided vocabularies comes late: the stages run ahead meanwhile, if the limit lets them.
    void runsAheadOfALateLoss()
    {
        std::mt19937 random(13);
        PipelineWork work = randomWork(random, 4, 24, 0);
        work.loss = Seconds(2.5);
        work.lookahead = 3;
        work.limit = 11;
        const double ahead = simulateMakespan(work).value();
        work.lookahead = 0;
        work.limit = 4;
        QVERIFY(ahead < 0.9 * simulateMakespan(work).value());
    }
};

STRATOPLAN_TEST(TestZeroBubble)
#include "test_zero_bubble.moc"
