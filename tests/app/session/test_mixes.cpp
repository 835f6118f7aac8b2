// SPDX-License-Identifier: GPL-3.0-or-later
// Which nodes to use, found beside the window: the answer is that of the core, it can be stopped and overtaken, and a
// mix becomes the plan's by one edit.
#include "app/session/project_document.h"
#include "tests/app/mix_plans.h"

#include <QSignalSpy>

#include <atomic>

using namespace stratoplan;
using namespace stratoplan::session;

namespace {

MixRequestPointer request(const plan::Project& project, search::MixOptions options = {})
{
    return std::make_shared<const MixRequest>(mixRequest(project, std::move(options)));
}

MixPicturePointer lastOf(const QSignalSpy& told)
{
    return told.isEmpty() ? nullptr : told.last().at(0).value<MixPicturePointer>();
}

bool ended(const MixWorker& worker)
{
    return QTest::qWaitFor([&] { return !worker.isRunning(); }, test::kPatience);
}

} // namespace

class TestMixes : public test::GuiTest {
    Q_OBJECT

private Q_SLOTS:
    void theAnswerIsThatOfTheCore()
    {
        MixWorker worker(test::quickMixes());
        QSignalSpy told(&worker, &MixWorker::pictureChanged);
        const MixRequestPointer asked = request(test::unlikeProject(), {.everyCount = true, .prices = {1, 3}});
        worker.start(asked);
        QVERIFY(worker.isRunning() && ended(worker));
        std::int64_t decided = 0;
        for (const auto& signal : told) {
            const auto picture = signal.at(0).value<MixPicturePointer>();
            QCOMPARE(picture->request, asked);
            QVERIFY(picture->decided >= decided);
            decided = picture->decided;
        }
        const SearchRequest each = test::narrowed(asked->each);
        const search::MixResult alone = searchMixes(each.plan, each.space, asked->mixes, each.options);
        const MixPicturePointer last = lastOf(told);
        QVERIFY(last->hasEnded() && last->result->proven);
        QVERIFY(alone.front.size() > 1);
        QCOMPARE(last->result->front, alone.front);
        QCOMPARE(*last->front, alone.front);
        QCOMPARE(last->decided, alone.mixes);
    }

    /// What is found on the way, too.
    void whatIsFoundBeforeAStopIsTold()
    {
        MixWorker worker(test::endlessMixes());
        QSignalSpy told(&worker, &MixWorker::pictureChanged);
        worker.start(request(test::unlikeProject()));
        QTRY_VERIFY_WITH_TIMEOUT(lastOf(told) && !lastOf(told)->front->empty(), test::kPatience);
        QVERIFY(worker.isRunning() && !lastOf(told)->hasEnded());
        worker.stop();
        QVERIFY(ended(worker));
        QVERIFY(lastOf(told)->result && !lastOf(told)->result->proven && !lastOf(told)->front->empty());
    }

    void theNewestRequestIsAnswered()
    {
        MixWorker worker(test::endlessMixes());
        QSignalSpy told(&worker, &MixWorker::pictureChanged);
        worker.start(request(test::unlikeProject()));
        QTRY_VERIFY_WITH_TIMEOUT(!told.isEmpty(), test::kPatience);
        const MixRequestPointer second = request(test::unlikeProject(), {.prices = {2, 1}});
        worker.start(second);
        told.clear();
        QTRY_VERIFY_WITH_TIMEOUT(!told.isEmpty(), test::kPatience);
        worker.stop();
        QVERIFY(ended(worker));
        for (const auto& signal : told)
            QCOMPARE(signal.at(0).value<MixPicturePointer>()->request, second);
        worker.start(second);
        worker.forget();
        told.clear();
        QVERIFY(!worker.isRunning() && !told.wait(200));
    }

    /// One that waits for another to end, which heeds no stop.
    void aSearchIsStoppedBeforeItBegins()
    {
        std::atomic<bool> isHeld = true, isBegun = false;
        MixFunctions functions = test::quickMixes();
        functions.search = [&](const MixRequest&, const std::stop_token&,
                               const std::function<void(const search::MixProgress&)>&) {
            isBegun = true;
            while (isHeld)
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            return search::MixResult{};
        };
        MixWorker worker(std::move(functions));
        QSignalSpy told(&worker, &MixWorker::pictureChanged);
        worker.start(request(test::unlikeProject()));
        QTRY_VERIFY_WITH_TIMEOUT(isBegun, test::kPatience);
        const MixRequestPointer second = request(test::unlikeProject(), {.everyCount = true});
        worker.start(second);
        worker.stop();
        QVERIFY(!worker.isRunning());
        QCOMPARE(told.size(), 1);
        QCOMPARE(lastOf(told)->request, second);
        QVERIFY(lastOf(told)->result && !lastOf(told)->result->proven);
        isHeld = false;
        QVERIFY(!told.wait(100));
    }

    void aPlanThatCannotBeSearchedSaysWhy()
    {
        plan::Project project = test::unlikeProject();
        project.plan.training.globalBatch = 0;
        MixWorker worker(test::quickMixes());
        QSignalSpy told(&worker, &MixWorker::pictureChanged);
        worker.start(request(project));
        QVERIFY(ended(worker));
        QVERIFY(!lastOf(told)->faults.empty() && !lastOf(told)->result && lastOf(told)->hasEnded());
    }

    /// By them it is known whether an answer is of the plan as it stands.
    void requestsHoldWhatTheAnswerDependsOn()
    {
        const plan::Project project = test::unlikeProject();
        const MixRequest asked = mixRequest(project, {});
        const auto isSameAfter = [&](const std::function<void(plan::Project&)>& change) {
            plan::Project other = project;
            change(other);
            return mixRequest(other, {}) == asked;
        };
        QVERIFY(isSameAfter([](plan::Project& p) { p.plan.strategy.tp = 2; }));
        QVERIFY(isSameAfter([](plan::Project& p) { p.plan.name = "another"; }));
        QVERIFY(isSameAfter([](plan::Project& p) { p.canvas.clear(); }));
        QVERIFY(isSameAfter([](plan::Project& p) { p.plan.cluster.nodes.front().rack = "Rack 1"; }));
        QVERIFY(isSameAfter([](plan::Project& p) { p.search.objective = plan::Objective::SmallestCluster; }));
        QVERIFY(!isSameAfter([](plan::Project& p) { p.plan.cluster.nodes.front().count = 3; }));
        QVERIFY(!isSameAfter([](plan::Project& p) { p.search.locks = {plan::Dimension::Pp}; }));
        QVERIFY(!isSameAfter([](plan::Project& p) { p.search.mode = plan::SearchMode::ClosedForm; }));
        QVERIFY(!isSameAfter([](plan::Project& p) { p.search.headroom = 0.1; }));
        QVERIFY(mixRequest(project, {.everyCount = true}) != asked);
        QVERIFY(mixRequest(project, {.prices = {1, 2}}) != asked);
    }

    void adoptionIsOneEdit()
    {
        ProjectDocument document(catalog::shippedCatalog());
        exchange::Document loaded;
        loaded.project = test::unlikeProject();
        document.load(std::move(loaded), {});
        const plan::Project before = document.project();
        search::FoundMix found;
        found.mix = {{1}, {2}};
        found.best.strategy.dp = 4;
        found.best.precision = model::Precision::Fp16;
        document.edit(mixAdoption(before, found), QStringLiteral("Use it"));
        QCOMPARE(document.undoStack().count(), 1);
        const plan::Plan& plan = document.plan();
        QCOMPARE(plan.cluster, clusterOf(before.plan.cluster, found.mix));
        QCOMPARE(plan.strategy, found.best.strategy);
        QCOMPARE(plan.training.precision, model::Precision::Fp16);
        QCOMPARE(document.project().canvas, (plan::CanvasPositions{{"new", {200, 0}}, {"leaf", {100, 200}}}));
        document.undo();
        QCOMPARE(document.project(), before);
    }
};

QTEST_GUILESS_MAIN(TestMixes)
#include "test_mixes.moc"
