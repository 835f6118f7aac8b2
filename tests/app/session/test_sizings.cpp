// SPDX-License-Identifier: GPL-3.0-or-later
// The size of a run, found beside the window: the answers are those of the core, one kind of nodes after the other; it
// can be stopped and overtaken; what is found becomes the plan's by one edit.
#include "app/session/project_document.h"
#include "tests/app/sizing_plans.h"

#include <QSignalSpy>

#include <atomic>

using namespace stratoplan;
using namespace stratoplan::session;

namespace {

using State = SizedKind::State;

SizingRequestPointer request(const plan::Project& project, SizingQuestion question = {1, {{{}, 0}, {"dgx-h100", 0}}})
{
    return std::make_shared<const SizingRequest>(
        sizingRequest(project, catalog::shippedCatalog(), std::move(question)));
}

SizingPicturePointer lastOf(const QSignalSpy& told)
{
    return told.isEmpty() ? nullptr : told.last().at(0).value<SizingPicturePointer>();
}

bool ended(const SizingWorker& worker)
{
    return QTest::qWaitFor([&] { return !worker.isRunning(); }, test::kPatience);
}

} // namespace

class TestSizings : public test::GuiTest {
    Q_OBJECT

private Q_SLOTS:
    void theAnswersAreThoseOfTheCore()
    {
        const SizingFunctions functions = test::quickSizes();
        SizingWorker worker(functions);
        QSignalSpy told(&worker, &SizingWorker::pictureChanged);
        const SizingRequestPointer asked = request(test::sizingProject());
        QCOMPARE(asked->kinds.size(), std::size_t(2));
        worker.start(asked);
        QVERIFY(worker.isRunning() && ended(worker));
        double share = 0;
        for (const auto& signal : told) {
            const auto picture = signal.at(0).value<SizingPicturePointer>();
            QCOMPARE(picture->request, asked);
            double now = 0;
            for (const SizedKind& kind : picture->kinds)
                now += kind.share;
            QVERIFY(now >= share);
            share = now;
        }
        const SizingPicturePointer last = lastOf(told);
        QVERIFY(last->hasEnded && !last->isStopped);
        QCOMPARE(share, 2.0);
        for (std::size_t i = 0; i < 2; ++i) {
            const auto alone = functions.size(asked->kinds[i], asked->question.days, {}, {});
            const auto& answer = last->kinds[i].answer;
            QVERIFY(alone && answer && last->kinds[i].state == State::Ended);
            QVERIFY(answer->plan == alone->plan && answer->capacity == alone->capacity);
            QVERIFY(answer->isMet == (answer->capacity.days.mid <= 1));
            QVERIFY(answer->isProven == alone->isProven);
        }
    }

    /// What is found before a stop is told, and what was not looked at.
    void aStopTellsWhatIsKnown()
    {
        SizingWorker worker(test::endlessSizes());
        QSignalSpy told(&worker, &SizingWorker::pictureChanged);
        worker.start(request(test::sizingProject()));
        QTRY_VERIFY_WITH_TIMEOUT(lastOf(told) && lastOf(told)->kinds.front().answer, test::kPatience);
        QVERIFY(worker.isRunning() && !lastOf(told)->hasEnded);
        QVERIFY(lastOf(told)->kinds.front().state == State::Searching);
        QVERIFY(lastOf(told)->kinds.back().state == State::Waiting);
        worker.stop();
        QVERIFY(ended(worker));
        QVERIFY(lastOf(told)->hasEnded && lastOf(told)->isStopped && lastOf(told)->kinds.front().answer);
        QVERIFY(lastOf(told)->kinds.back().state == State::Skipped);
    }

    /// That no strategy fits is known only of what was looked at to the end.
    void aStopBeforeAnythingIsFoundIsToldAsOne()
    {
        SizingFunctions functions = test::quickSizes();
        functions.size = [](const SizingKind&, double, const std::stop_token& stop,
                             const sizing::SizingProgressCallback&) -> std::optional<sizing::SizingAnswer> {
            while (!stop.stop_requested())
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            return std::nullopt;
        };
        SizingWorker worker(std::move(functions));
        QSignalSpy told(&worker, &SizingWorker::pictureChanged);
        worker.start(request(test::sizingProject()));
        QTRY_VERIFY_WITH_TIMEOUT(!told.isEmpty(), test::kPatience);
        worker.stop();
        QVERIFY(ended(worker));
        QVERIFY(lastOf(told)->isStopped && lastOf(told)->kinds.front().state == State::Stopped);
        QVERIFY(!lastOf(told)->kinds.front().answer);
    }

    /// What the core knows by then is not proven.
    void whatIsStoppedProvesNothing()
    {
        const SizingRequestPointer asked = request(test::sizingProject());
        std::stop_source stop;
        const auto answer = test::quickSizes().size(
            asked->kinds.front(), 1, stop.get_token(), [&](const sizing::SizingProgress& progress) {
                if (progress.best)
                    stop.request_stop();
            });
        QVERIFY(answer && !answer->isProven);
    }

    void theNewestRequestIsAnswered()
    {
        SizingWorker worker(test::endlessSizes());
        QSignalSpy told(&worker, &SizingWorker::pictureChanged);
        worker.start(request(test::sizingProject()));
        QTRY_VERIFY_WITH_TIMEOUT(!told.isEmpty(), test::kPatience);
        const SizingRequestPointer second = request(test::sizingProject(), {2, {{{}, 3}}});
        worker.start(second);
        told.clear();
        QTRY_VERIFY_WITH_TIMEOUT(!told.isEmpty(), test::kPatience);
        worker.stop();
        QVERIFY(ended(worker));
        for (const auto& signal : told)
            QCOMPARE(signal.at(0).value<SizingPicturePointer>()->request, second);
        worker.start(second);
        worker.forget();
        told.clear();
        QVERIFY(!worker.isRunning() && !told.wait(200));
    }

    /// One that waits for another to end, which heeds no stop.
    void aRequestIsStoppedBeforeItBegins()
    {
        std::atomic<bool> isHeld = true, isBegun = false;
        SizingFunctions functions = test::quickSizes();
        functions.size = [&](const SizingKind&, double, const std::stop_token&,
                             const sizing::SizingProgressCallback&) -> std::optional<sizing::SizingAnswer> {
            isBegun = true;
            while (isHeld)
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            return std::nullopt;
        };
        SizingWorker worker(std::move(functions));
        QSignalSpy told(&worker, &SizingWorker::pictureChanged);
        worker.start(request(test::sizingProject()));
        QTRY_VERIFY_WITH_TIMEOUT(isBegun, test::kPatience);
        const SizingRequestPointer second = request(test::sizingProject(), {2, {{{}, 0}}});
        worker.start(second);
        worker.stop();
        QVERIFY(!worker.isRunning());
        QCOMPARE(lastOf(told)->request, second);
        QVERIFY(lastOf(told)->hasEnded && lastOf(told)->kinds.front().state == State::Skipped);
        told.clear();
        isHeld = false;
        QVERIFY(!told.wait(100));
    }

    void aPlanThatCannotBeSearchedSaysWhy()
    {
        plan::Project project = test::sizingProject();
        project.plan.training.globalBatch = 0;
        SizingWorker worker(test::quickSizes());
        QSignalSpy told(&worker, &SizingWorker::pictureChanged);
        worker.start(request(project));
        QVERIFY(ended(worker));
        for (const SizedKind& kind : lastOf(told)->kinds)
            QVERIFY(!kind.faults.empty() && !kind.answer && kind.state == State::Ended);
    }

    /// One node needs none, but more of them are looked at.
    void nodesWithoutANetworkAreRefused()
    {
        plan::Project project = test::sizingProject();
        project.plan.cluster.nodes.front().nic.bandwidth = BytesPerSecond{};
        const SizingRequestPointer asked = request(project, {1, {{{}, 0}}});
        QVERIFY(!coreSizingFunctions().faults(asked->kinds.front().each).empty());
    }

    /// By them it is known whether an answer is of the plan as it stands.
    void requestsHoldWhatTheAnswerDependsOn()
    {
        const plan::Project project = test::sizingProject();
        const SizingQuestion question{1, {{{}, 0}, {"dgx-h100", 0}}};
        const SizingRequestPointer asked = request(project, question);
        const auto isSameAfter = [&](const std::function<void(plan::Project&)>& change) {
            plan::Project other = project;
            change(other);
            return *request(other, question) == *asked;
        };
        QVERIFY(isSameAfter([](plan::Project& p) { p.plan.strategy.tp = 2; }));
        QVERIFY(isSameAfter([](plan::Project& p) { p.plan.name = "another"; }));
        QVERIFY(isSameAfter([](plan::Project& p) { p.plan.cluster.nodes.front().count = 3; }));
        QVERIFY(isSameAfter([](plan::Project& p) { p.plan.cluster.connections.clear(); }));
        QVERIFY(isSameAfter([](plan::Project& p) { p.search.objective = plan::Objective::SmallestCluster; }));
        QVERIFY(!isSameAfter([](plan::Project& p) { p.capacity.tokens *= 2; }));
        QVERIFY(!isSameAfter([](plan::Project& p) { p.capacity.pricePerAcceleratorHour = 3; }));
        QVERIFY(!isSameAfter([](plan::Project& p) { p.plan.cluster.nodes.front().accelerator.memory *= 2; }));
        QVERIFY(!isSameAfter([](plan::Project& p) { p.plan.training.globalBatch *= 2; }));
        QVERIFY(!isSameAfter([](plan::Project& p) { p.search.locks = {plan::Dimension::Pp}; }));
        QVERIFY(*request(project, {2, question.kinds}) != *asked);
        QVERIFY(*request(project, {1, {{{}, 4}, {"dgx-h100", 0}}}) != *asked);
        QCOMPARE(request(project, {1, {{"no such nodes", 0}}})->kinds.size(), std::size_t(0));
        QCOMPARE(request(plan::Project{}, {1, {{{}, 0}}})->kinds.size(), std::size_t(0));
    }

    /// A price that is stated for the plan's accelerators is not that of unlike ones.
    void pricesAreOfTheirAccelerators()
    {
        plan::Project project = test::sizingProject();
        project.capacity.prices = {{"nodes", 3}, {"others", 9}};
        const auto inputs = [&](const char* nodes, double price) {
            return sizingKind(project, catalog::shippedCatalog(), {nodes, price})->inputs;
        };
        QCOMPARE(inputs("", 0).prices, (std::map<std::string, double>{{"nodes", 3}}));
        QCOMPARE(inputs("", 5).prices, (std::map<std::string, double>{{"nodes", 5}}));
        QCOMPARE(inputs("dgx-h100", 0).prices, (std::map<std::string, double>{}));
        QCOMPARE(inputs("dgx-h100", 0).pricePerAcceleratorHour, 0.0);
        QCOMPARE(inputs("dgx-h100", 5).prices, (std::map<std::string, double>{{"nodes", 5}}));
    }

    void adoptionIsOneEdit()
    {
        ProjectDocument document(catalog::shippedCatalog());
        exchange::Document loaded;
        loaded.project = test::sizingProject();
        loaded.hasCapacity = true;
        document.load(std::move(loaded), {});
        const plan::Project before = document.project();
        const SizingRequestPointer asked = request(before, {1, {{"dgx-h100", 4}}});
        const auto found = test::quickSizes().size(asked->kinds.front(), 1, {}, {});
        QVERIFY(found);
        document.edit(sizingAdoption(before, asked->kinds.front(), *found), QStringLiteral("Use it"));
        QCOMPARE(document.undoStack().count(), 1);
        QCOMPARE(document.plan().name, before.plan.name);
        QCOMPARE(document.plan().cluster, found->plan.cluster);
        QCOMPARE(document.plan().strategy, found->plan.strategy);
        QCOMPARE(document.project().canvas, (plan::CanvasPositions{{"nodes", {10, 20}}})); // the switch is gone
        // What it costs in the document is what it was found to cost.
        const auto estimate = estimate::estimate(document.plan());
        QVERIFY(estimate);
        const capacity::Capacity run = capacity::capacity(document.plan(), *estimate, document.project().capacity);
        QVERIFY(fixtures::near(run.cost.mid, found->capacity.cost.mid) && run.isPriced);
        document.undo();
        QCOMPARE(document.project(), before);
    }
};

QTEST_GUILESS_MAIN(TestSizings)
#include "test_sizings.moc"
