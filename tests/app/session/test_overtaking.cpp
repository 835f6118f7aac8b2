// SPDX-License-Identifier: GPL-3.0-or-later
// Work that takes long: a newer plan stops it at once, and nobody waits for it. Also run under ThreadSanitizer.
#include "app/session/workspace.h"
#include "tests/app/gui_test.h"

#include <QSignalSpy>
#include <QTest>

#include <atomic>
#include <thread>

using namespace stratoplan::catalog;
using namespace stratoplan::parallel;
using namespace stratoplan::plan;
using namespace stratoplan::session;
using namespace stratoplan::test;
using namespace std::chrono_literals;
using stratoplan::estimate::PartitionOptions;

namespace {

constexpr int kEndless = 1; ///< the micro-batch of plans whose estimate does not end by itself

/// OPT-175B over so many tensor-parallel ranks.
PlanPointer planOver(int ranks, int microBatch = 4)
{
    Plan plan = exampleDocument("opt-175b-spatial-temporal").project.plan;
    plan.cluster.nodes.front().count = 16;
    plan.strategy.tp = ranks;
    plan.strategy.pp = 1;
    plan.strategy.dp = 64 / ranks;
    plan.training.globalBatch = 64;
    plan.strategy.microBatch = microBatch;
    return std::make_shared<const Plan>(plan);
}

void waitUntilStopped(const std::stop_token& stop)
{
    while (!stop.stop_requested())
        std::this_thread::sleep_for(1ms);
}

/// The core's, but for estimates that do not end.
PlannerFunctions endlessFunctions(std::atomic<int>& begun)
{
    PlannerFunctions functions = quickFunctions();
    functions.estimate = [core = functions.estimate, &begun](
                             const Plan& plan, const std::stop_token& stop) -> EstimateResult {
        ++begun;
        if (plan.strategy.microBatch == kEndless)
            waitUntilStopped(stop);
        return core(plan, stop);
    };
    functions.zones = [](const Plan&, const std::stop_token&) { return StrategyZones(); };
    functions.improvements = [](const Plan&, const std::stop_token&) { return std::vector<Improvement>(); };
    return functions;
}

} // namespace

class TestOvertaking : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void cleanup() { QCOMPARE(Warnings::instance().take(), QStringList()); }

    void aNewerPlanStopsTheEstimateOfAnOlderOne()
    {
        std::atomic<int> begun{0};
        BackgroundPlanner planner(endlessFunctions(begun));
        QSignalSpy estimates(&planner, &BackgroundPlanner::estimateReady);
        planner.request(planOver(4, kEndless), 1);
        QTRY_COMPARE(begun.load(), 1);
        planner.request(planOver(4, 2), 2);
        QTRY_COMPARE(estimates.size(), 1);
        QCOMPARE(estimates.front().front().toULongLong(), quint64(2));
        QVERIFY(estimates.front().back().value<EstimatePointer>()->has_value());
        QTRY_VERIFY(planner.isIdle());
        // So do plans that are pinned and compared with, and the end of it all.
        planner.requestPinned({planOver(4, kEndless)}, {nullptr});
        planner.requestCompared(planOver(4, kEndless));
        planner.request(planOver(4, kEndless), 3);
        QTRY_COMPARE(begun.load(), 5);
    }

    /// The best partition over many ranks, where the plan leaves it open.
    void anEstimateOfManyRanksIsStopped()
    {
        BackgroundPlanner planner;
        QSignalSpy estimates(&planner, &BackgroundPlanner::estimateReady);
        planner.request(planOver(64), 1);
        planner.request(planOver(4), 2);
        QTRY_COMPARE(estimates.size(), 1);
        QCOMPARE(estimates.front().front().toULongLong(), quint64(2));
        planner.request(planOver(64), 3); // and it goes with the window
    }

    /// A drag is not held back until the estimate of its first value is there.
    void aDragOvertakesALongEstimate()
    {
        std::atomic<int> begun{0};
        Workspace workspace(shippedCatalog(), endlessFunctions(begun));
        workspace.document().load(documentOf(*planOver(4, 2)), {});
        QTRY_VERIFY(workspace.isIdle());
        QSignalSpy estimates(&workspace, &Workspace::estimateChanged);
        workspace.editPlan(*planOver(4, kEndless), QStringLiteral("drag"), 1);
        workspace.editPlan(*planOver(4, 4), QStringLiteral("drag"), 1);
        QVERIFY(workspace.document().isHolding());
        QTRY_COMPARE(workspace.plan().strategy.microBatch, 4);
        QTRY_VERIFY(!workspace.isUpdating());
        QCOMPARE(workspace.estimatedPlan()->strategy.microBatch, 4);
        QCOMPARE(estimates.size(), 1);
    }

    /// Where every estimate takes longer than a drag waits at first, some come all the same.
    void aDragOfLongEstimatesNeverStarves()
    {
        std::atomic<bool> isLong{false};
        PlannerFunctions functions = quickFunctions();
        functions.estimate = [core = functions.estimate, &isLong](const Plan& plan, const std::stop_token& stop) {
            const auto end = std::chrono::steady_clock::now() + 700ms;
            while (isLong && !stop.stop_requested() && std::chrono::steady_clock::now() < end)
                std::this_thread::sleep_for(1ms);
            return core(plan, stop);
        };
        Workspace workspace(shippedCatalog(), functions);
        workspace.document().load(documentOf(*planOver(4, 1)), {});
        QTRY_VERIFY(workspace.isIdle());
        isLong = true;
        QSignalSpy estimates(&workspace, &Workspace::estimateChanged);
        QTimer drag;
        int events = 0;
        connect(&drag, &QTimer::timeout, &workspace,
            [&] { workspace.editPlan(*planOver(4, ++events % 2 + 1), QStringLiteral("drag"), 1); });
        drag.start(8ms);
        QTRY_VERIFY(estimates.size() >= 2);
    }

    void aNewerPlanStopsThePartitionOfAnOlderOne()
    {
        PartitionWorker worker;
        QSignalSpy progress(&worker, &PartitionWorker::progressed);
        QSignalSpy reports(&worker, &PartitionWorker::reported);
        worker.request(planOver(64));
        QTRY_VERIFY(!progress.empty());
        const PlanPointer newer = planOver(4);
        worker.request(newer);
        progress.clear();
        QTRY_VERIFY(!worker.isWorking());
        for (const QList<QVariant>& signal : reports)
            QCOMPARE(reportIn(signal)->plan, newer);
        QVERIFY(reportIn(reports.back())->result->has_value());
        double share = 0;
        for (const QList<QVariant>& signal : progress) { // of the newer one alone
            const auto next = signal.front().value<stratoplan::estimate::PartitionProgress>();
            QVERIFY(next.share >= share);
            share = next.share;
        }
        QCOMPARE(share, 1.0);
    }

    /// What is stopped is not known, and can be asked for again.
    void whatIsCancelledCanBeAskedAgain()
    {
        PartitionFunctions functions = corePartitionFunctions();
        std::atomic<int> begun{0}, ended{0};
        functions.partitions = [core = functions.partitions, &begun, &ended](
                                   const Plan& plan, const PartitionOptions& options) {
            if (++begun == 1)
                waitUntilStopped(options.stop);
            PartitionResult result = core(plan, options);
            ++ended;
            return result;
        };
        PartitionWorker worker(functions);
        QSignalSpy reports(&worker, &PartitionWorker::reported);
        worker.request(planOver(4));
        QTRY_COMPARE(begun.load(), 1);
        worker.forget();
        QVERIFY(!worker.isWorking());
        QTRY_COMPARE(ended.load(), 1);
        worker.request(planOver(4));
        QTRY_VERIFY(!worker.isWorking());
        QCOMPARE(begun.load(), 2);
        QVERIFY(reportIn(reports.back())->result->has_value());
    }

    /// A plan that differs in its partition alone asks the same.
    void theSameQuestionLetsTheWorkGoOn()
    {
        PartitionFunctions functions = corePartitionFunctions();
        std::atomic<int> begun{0};
        std::atomic<bool> mayEnd{false};
        functions.partitions = [core = functions.partitions, &begun, &mayEnd](
                                   const Plan& plan, const PartitionOptions& options) {
            ++begun;
            options.progress({stratoplan::estimate::PartitionPhase::Front, 0.0});
            while (!mayEnd && !options.stop.stop_requested())
                std::this_thread::sleep_for(1ms);
            return core(plan, options);
        };
        PartitionWorker worker(functions);
        QSignalSpy progress(&worker, &PartitionWorker::progressed);
        QSignalSpy reports(&worker, &PartitionWorker::reported);
        worker.request(planOver(4));
        QTRY_COMPARE(progress.size(), 1);
        Plan other = *planOver(4);
        other.strategy = asMegatron(other.strategy);
        const PlanPointer newer = std::make_shared<const Plan>(other);
        worker.request(newer);
        QCOMPARE(progress.size(), 2); // what is known of it is told again
        mayEnd = true;
        QTRY_VERIFY(!worker.isWorking());
        QVERIFY(progress.size() > 2);
        QCOMPARE(begun.load(), 1);
        for (const QList<QVariant>& signal : reports)
            QCOMPARE(reportIn(signal)->plan, newer);
        QVERIFY(reportIn(reports.back())->result->has_value());
    }

    void anAnswerThatIsCompleteIsKept()
    {
        PartitionFunctions functions = corePartitionFunctions();
        std::atomic<int> begun{0};
        functions.partitions = [core = functions.partitions, &begun](const Plan& plan, PartitionOptions options) {
            ++begun;
            waitUntilStopped(options.stop); // which comes too late
            options.stop = {};
            return core(plan, options);
        };
        PartitionWorker worker(functions);
        QSignalSpy reports(&worker, &PartitionWorker::reported);
        worker.request(planOver(4));
        QTRY_COMPARE(begun.load(), 1);
        worker.forget();
        worker.request(planOver(4));
        QTRY_VERIFY(!worker.isWorking());
        QCOMPARE(begun.load(), 1);
        QVERIFY(!lacksFront(reports));
    }

    /// What is cancelled then goes on where it was, and is what would have been found at once.
    void theBestIsToldBeforeItsFront()
    {
        std::atomic<bool> held{true};
        std::atomic<int> begun{0};
        PartitionWorker worker(heldBeforeTheFront(held, begun));
        QSignalSpy reports(&worker, &PartitionWorker::reported);
        worker.request(planOver(4));
        QTRY_COMPARE(reports.size(), 1);
        QVERIFY(worker.isWorking() && lacksFront(reports));
        const Plan same = *reportIn(reports.back())->plan;
        const PlanPointer named = withBestOf(*reportIn(reports.back()));
        worker.request(named); // it is known of this one, too
        QCOMPARE(reports.size(), 2);
        QCOMPARE(reportIn(reports.back())->plan, named);
        QVERIFY(worker.isWorking());

        worker.cancel();
        worker.request(named); // nor does what was cancelled begin by itself
        QTRY_VERIFY(!worker.isWorking());
        QCOMPARE(reports.size(), 3);
        QVERIFY(lacksFront(reports));
        QVERIFY(reportIn(reports.back())->planned && *reportIn(reports.back())->planned);
        QCOMPARE(begun.load(), 1);

        held = false;
        worker.resume(named);
        QTRY_VERIFY(!worker.isWorking());
        QCOMPARE(begun.load(), 2);
        QCOMPARE(reports.size(), 5);
        const PartitionReportPointer last = reportIn(reports.back());
        const auto whole = stratoplan::estimate::partitions(same);
        QVERIFY(whole && *last->result && (*last->result)->front.size() == whole->front.size());
        QCOMPARE((*last->result)->spent, (*reportIn(reports.front())->result)->spent);
    }

    void whatIsCancelledOfOnePlanIsFoundOfAnother()
    {
        std::atomic<bool> held{true};
        std::atomic<int> begun{0};
        PartitionWorker worker(heldBeforeTheFront(held, begun));
        QSignalSpy reports(&worker, &PartitionWorker::reported);
        worker.request(planOver(4));
        QTRY_COMPARE(reports.size(), 1);
        worker.cancel();
        QTest::qWait(50);
        QCOMPARE(reports.size(), 1); // nothing more of it
        held = false;
        worker.request(planOver(8));
        QTRY_VERIFY(!worker.isWorking());
        QVERIFY(!lacksFront(reports));
        worker.request(planOver(4));
        QTRY_VERIFY(!worker.isWorking());
        QVERIFY(!lacksFront(reports));
    }

private:
    /// The last report, of a plan whose layers can be divided.
    static bool lacksFront(const QSignalSpy& reports) { return reportIn(reports.back())->result->value().lacksFront(); }

    static PartitionReportPointer reportIn(const QList<QVariant>& signal)
    {
        return signal.front().value<PartitionReportPointer>();
    }
    static PlanPointer withBestOf(const PartitionReport& report)
    {
        Plan plan = *report.plan;
        plan.strategy = spatialTemporal(plan.strategy, (*report.result)->best.strategy.operatorPartitions);
        return std::make_shared<const Plan>(plan);
    }
    static PartitionFunctions heldBeforeTheFront(const std::atomic<bool>& held, std::atomic<int>& begun)
    {
        PartitionFunctions functions = corePartitionFunctions();
        functions.partitions = [core = functions.partitions, &held, &begun](
                                   const Plan& plan, PartitionOptions options) {
            ++begun;
            options.bestKnown = [&held, stop = options.stop, tell = options.bestKnown](const auto& best) {
                tell(best);
                while (held && !stop.stop_requested())
                    std::this_thread::sleep_for(1ms);
            };
            return core(plan, options);
        };
        return functions;
    }
    static stratoplan::exchange::Document documentOf(const Plan& plan)
    {
        stratoplan::exchange::Document document = exampleDocument();
        document.project.plan = plan;
        return document;
    }
};

int main(int argc, char** argv)
{
    failOnWarnings();
    QCoreApplication app(argc, argv);
    TestOvertaking test;
    return QTest::qExec(&test, argc, argv);
}

#include "test_overtaking.moc"
