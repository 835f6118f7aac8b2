// SPDX-License-Identifier: GPL-3.0-or-later
// The planner and the workspace under load: slow work, thousands of edits, a search going on. Also run under
// ThreadSanitizer.
#include "app/session/workspace.h"
#include "core/plan/dimensions.h"
#include "tests/app/gui_test.h"

#include <QSignalSpy>
#include <QTest>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <thread>

using namespace stratoplan::catalog;
using namespace stratoplan::estimate;
using namespace stratoplan::exchange;
using namespace stratoplan::model;
using namespace stratoplan::parallel;
using namespace stratoplan::pipeline;
using namespace stratoplan::plan;
using namespace stratoplan::search;
using namespace stratoplan::session;
using namespace stratoplan::units;
using namespace stratoplan::widgets;
using namespace stratoplan::test;
using namespace std::chrono_literals;

namespace {

#if defined(__SANITIZE_THREAD__)
constexpr int kEvents = 4000;
#else
constexpr int kEvents = 10000;
#endif

/// An estimate that says which plan it answers: its step is the plan's micro-batch in seconds.
Estimate answerTo(const Plan& plan)
{
    Estimate estimate;
    estimate.step = Seconds(plan.strategy.microBatch);
    estimate.strategy = plan.strategy;
    return estimate;
}

/// Work that takes as long as a test wants, and counts how often it is done.
struct SlowWork {
    std::chrono::microseconds estimateTime{0};
    std::atomic<int> estimates{0};
    std::atomic<int> timelines{0};
    std::atomic<int> searches{0};
    std::atomic<int> searchesStopped{0};
    std::atomic<int> rescores{0};
    std::atomic<int> whys{0};
    std::atomic<bool> searchEnds{false};

    /// Finds a strategy of micro-batch 4 at once, and again until it may end.
    // In one piece: the functions of one search, which count their calls together.
    SearchFunctions searching()
    {
        return {
            .faults = [](const SearchRequest&) { return std::vector<Problem>(); },
            .search =
                [this](
                    const SearchRequest& request, const std::stop_token& stop, const SearchProgressCallback& progress) {
                    ++searches;
                    SearchProgress p;
                    p.space = 1'000'000;
                    p.best = found(request);
                    p.front = {*p.best};
                    p.gap = 0.5;
                    while (!stop.stop_requested() && !searchEnds) {
                        p.decided = ++p.evaluated;
                        progress(p);
                        std::this_thread::sleep_for(200us);
                    }
                    SearchResult result;
                    result.proven = !stop.stop_requested();
                    result.space = p.space;
                    result.front = p.front;
                    result.best = p.best;
                    if (!result.proven)
                        ++searchesStopped;
                    return result;
                },
            .rescore =
                [this](const SearchRequest& request, const std::vector<FoundStrategy>& strategies,
                    const std::stop_token&) {
                    ++rescores;
                    RescoreResult result;
                    for (FoundStrategy one : strategies) {
                        one.step = Seconds(request.plan.training.globalBatch);
                        one.value = one.step.value();
                        result.front.push_back(one);
                    }
                    return result;
                },
            .sample =
                [](const SearchRequest& request, const std::stop_token&, const SampleCallback& priced) {
                    priced(std::vector{
                        SampledStrategy{request.plan.strategy, Precision::Bf16, Seconds(9), Bytes(9), true}});
                },
            .why =
                [this](const SearchRequest&, const FoundStrategy&, const FoundStrategy&, const std::stop_token&) {
                    ++whys;
                    return Why();
                },
        };
    }

    static FoundStrategy found(const SearchRequest& request)
    {
        FoundStrategy result;
        result.strategy.microBatch = 4;
        result.step = Seconds(request.plan.training.globalBatch);
        result.value = result.step.value();
        result.peak = Bytes(1);
        return result;
    }

    PlannerFunctions functions()
    {
        return {
            .estimate = [this](const Plan& plan, const std::stop_token&) -> EstimateResult {
                ++estimates;
                std::this_thread::sleep_for(estimateTime);
                return answerTo(plan);
            },
            .timeline = [this](const Estimate& estimate) -> TimelinePointer {
                ++timelines;
                Timeline timeline;
                timeline.stages = 1;
                timeline.makespan = estimate.step;
                return ganttStep(timeline);
            },
            .zones =
                [](const Plan& plan, const std::stop_token&) {
                    return StrategyZones{{Dimension::MicroBatch, {{plan.strategy.microBatch, Zone::Green, {}}}}};
                },
            .improvements = [](const Plan&, const std::stop_token&) { return std::vector<Improvement>(); },
            .searching = searching(),
        };
    }
};

Plan planWith(int microBatch)
{
    Plan plan;
    plan.strategy.microBatch = microBatch;
    return plan;
}

Document documentWith(int microBatch)
{
    Document document;
    document.project.plan = planWith(microBatch);
    return document;
}

int answered(const EstimatePointer& estimate)
{
    return static_cast<int>((*estimate)->step.value());
}

} // namespace

class TestPlanner : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void cleanup() { QCOMPARE(Warnings::instance().take(), QStringList()); }

    void onlyTheLastPlanIsCompared()
    {
        SlowWork work;
        work.estimateTime = 2ms;
        BackgroundPlanner planner(work.functions());
        QSignalSpy ready(&planner, &BackgroundPlanner::comparedReady);
        PlanPointer last;
        for (int i = 1; i <= 50; ++i) {
            last = std::make_shared<const Plan>(planWith(i));
            planner.requestCompared(last);
            QVERIFY(!planner.isIdle());
        }
        QTRY_VERIFY(planner.isIdle());
        QCOMPARE(ready.size(), 1);
        const auto compared = ready.first().first().value<ComparedStepPointer>();
        QCOMPARE(compared->plan, last);
        QCOMPARE(answered(compared->estimate), 50);
        QVERIFY(compared->step);
        // Nothing to compare with any more: what was under way is not told.
        planner.requestCompared(last);
        planner.requestCompared(nullptr);
        QVERIFY(planner.isIdle());
        QTest::qWait(20);
        QCOMPARE(ready.size(), 1);
    }

    void latestWins()
    {
        SlowWork work;
        work.estimateTime = 3ms;
        BackgroundPlanner planner(work.functions());
        std::vector<quint64> delivered;
        quint64 requested = 0;
        connect(
            &planner, &BackgroundPlanner::estimateReady, this, [&](quint64 revision, const EstimatePointer& estimate) {
                QCOMPARE(revision, requested); // never one that is overtaken
                QCOMPARE(answered(estimate), static_cast<int>(revision));
                delivered.push_back(revision);
            });
        for (int i = 1; i <= 300; ++i) {
            requested = static_cast<quint64>(i);
            planner.request(std::make_shared<const Plan>(planWith(i)), requested);
            if (i % 50 == 0)
                QTest::qWait(10);
        }
        QTRY_VERIFY(!planner.isEstimating());
        QVERIFY(!delivered.empty());
        QCOMPARE(delivered.back(), quint64(300));
        QVERIFY(std::is_sorted(delivered.begin(), delivered.end()));
        QVERIFY2(work.estimates < 100, "overtaken requests must not all be worked on");
    }

    /// Whoever reads plan and estimate together gets two of one kind, also while the next answer is on its way.
    void anEstimateKeepsItsPlan()
    {
        SlowWork work;
        work.estimateTime = 30ms;
        Workspace workspace(shippedCatalog(), work.functions());
        QVERIFY(!workspace.estimatedPlan());
        workspace.document().load(documentWith(1), {});
        int answers = 0;
        connect(&workspace, &Workspace::estimateChanged, this, [&] {
            QCOMPARE(workspace.estimatedPlan()->strategy.microBatch, answered(workspace.estimate()));
            ++answers;
        });
        QTRY_COMPARE(answers, 1);
        workspace.editPlan(planWith(2), QStringLiteral("micro-batch"));
        QCOMPARE(workspace.plan().strategy.microBatch, 2);
        QCOMPARE(workspace.estimatedPlan()->strategy.microBatch, 1);
        QTRY_COMPARE(answers, 2);
        QCOMPARE(workspace.estimatedPlan()->strategy.microBatch, 2);
        workspace.document().load(documentWith(3), {});
        QVERIFY(!workspace.estimate() && !workspace.estimatedPlan()); // nothing of the document before
        QTRY_COMPARE(answers, 3);
    }

    void theBestIsOfThePlanAsItStands()
    {
        SlowWork work;
        Workspace workspace(shippedCatalog(), work.functions());
        QSignalSpy outdated(&workspace.search(), &PlanSearch::outdated);
        workspace.document().load(documentWith(1), {});
        QTRY_VERIFY(workspace.search().best());
        work.searchEnds = true;
        QTRY_VERIFY(workspace.isIdle());
        outdated.clear();
        Plan plan = planWith(2);
        workspace.editPlan(plan, QStringLiteral("micro-batch")); // varied by the search itself
        QVERIFY(workspace.search().best());
        QCOMPARE(outdated.count(), 0);
        work.searchEnds = false;
        plan.training.globalBatch = 4096;
        workspace.editPlan(plan, QStringLiteral("batch"));
        QVERIFY(!workspace.search().best());
        QCOMPARE(outdated.count(), 1);
        QTRY_VERIFY(workspace.search().best());
        work.searchEnds = true;
    }

    /// Thousands of slider events while a search runs: every picture answers the plan in the document, the last one the
    /// last event, and no timeline or zones of another plan ever come.
    void sliderStorm()
    {
        SlowWork work;
        work.estimateTime = 300us;
        Workspace workspace(shippedCatalog(), work.functions());
        workspace.document().load(documentWith(0), {});
        int pictures = 0;
        const auto current = [&] { return workspace.plan().strategy.microBatch; };
        connect(&workspace, &Workspace::estimateChanged, this, [&] {
            ++pictures;
            QCOMPARE(answered(workspace.estimate()), current());
        });
        connect(&workspace, &Workspace::timelineChanged, this,
            [&] { QCOMPARE(static_cast<int>(workspace.timeline()->timeline().makespan.value()), current()); });
        connect(&workspace, &Workspace::zonesChanged, this,
            [&] { QCOMPARE(workspace.zones()->at(Dimension::MicroBatch).front().value, current()); });
        int last = 0;
        const auto drag = [&](int mergeId) {
            ++last;
            workspace.editPlan(planWith(last), QStringLiteral("drag"), mergeId);
            if (last % 7 == 0)
                QCoreApplication::processEvents();
        };
        while (last < kEvents) {
            drag(last / 500);
            if (last % 1000 == 0)
                workspace.document().undo();
        }
        // How many pictures so many events get is for the machine to say: the last drag goes on until there are some.
        while (pictures <= 10)
            drag(kEvents / 500);
        workspace.editPlan(planWith(++last), QStringLiteral("drag"), 1);
        workspace.document().finishEdit();
        QTRY_VERIFY(!workspace.isUpdating());
        QCOMPARE(answered(workspace.estimate()), last);
        QVERIFY(workspace.search().worker().isSearching());
        QTRY_VERIFY(workspace.search().best()); // its thread may have waited for its turn until now
        QCOMPARE(work.searches.load(), 1); // the micro-batch is what a search varies: no reason to start anew
    }

    /// A drag that is far faster than its estimates still shows pictures all the way.
    void aFastDragNeverStarves()
    {
        SlowWork work;
        work.estimateTime = 25ms;
        work.searchEnds = true;
        Workspace workspace(shippedCatalog(), work.functions());
        workspace.document().load(documentWith(1), {});
        QTRY_VERIFY(!workspace.isUpdating());
        int pictures = 0;
        connect(&workspace, &Workspace::estimateChanged, this, [&] {
            ++pictures;
            QCOMPARE(answered(workspace.estimate()), workspace.plan().strategy.microBatch);
        });
        int value = 1;
        while (pictures < 8 && value < 2000) { // a slider at 120 Hz
            workspace.editPlan(planWith(++value), QStringLiteral("drag"), 1);
            QTest::qWait(8);
        }
        QVERIFY2(pictures >= 8, qPrintable(QString::number(pictures)));
        workspace.document().finishEdit();
        QTRY_VERIFY(!workspace.isUpdating());
        QCOMPARE(answered(workspace.estimate()), value);
        QCOMPARE(workspace.document().undoStack().count(), 1);
    }

    void aSearchStartsAnewOnlyWhenItMatters()
    {
        SlowWork work;
        Workspace workspace(shippedCatalog(), work.functions());
        workspace.document().load(documentWith(1), {});
        QTRY_COMPARE(work.searches.load(), 1);
        Plan plan = workspace.plan();
        plan.strategy.tp = 8;
        plan.strategy.pp = 4;
        plan.strategy.recompute = Recompute::Full;
        workspace.editPlan(plan, QStringLiteral("degrees"));
        QTest::qWait(20);
        QCOMPARE(work.searches.load(), 1);
        plan.training.globalBatch = 77;
        workspace.editPlan(plan, QStringLiteral("batch"));
        QTRY_COMPARE(work.searches.load(), 2);
        QTRY_COMPARE(work.searchesStopped.load(), 1);
        QVERIFY(workspace.search().worker().isSearching());
    }

    void theBestIsAdopted()
    {
        SlowWork work;
        Workspace workspace(shippedCatalog(), work.functions());
        workspace.document().load(documentWith(3), {});
        QSignalSpy found(&workspace.search(), &PlanSearch::bestFound);
        workspace.search().findBest();
        QTRY_VERIFY(workspace.search().best());
        QCOMPARE(found.count(), 0);
        work.searchEnds = true;
        QTRY_COMPARE(found.count(), 1);
        QVERIFY(!workspace.search().worker().isSearching());
        workspace.search().findBest(); // known already
        QCOMPARE(found.count(), 2);
        Plan other = workspace.plan();
        other.strategy.microBatch = 9;
        workspace.editPlan(other, QStringLiteral("edit"));
        workspace.adoptBest();
        QCOMPARE(workspace.plan().strategy.microBatch, 4);
        workspace.document().undo();
        QCOMPARE(workspace.plan().strategy.microBatch, 9);
    }

    void aStoppedSearchEnds()
    {
        SlowWork work;
        SearchWorker worker(work.searching());
        QSignalSpy searching(&worker, &SearchWorker::searchingChanged);
        SearchPicturePointer last;
        connect(
            &worker, &SearchWorker::pictureChanged, this, [&](const SearchPicturePointer& picture) { last = picture; });
        const auto request = std::make_shared<const SearchRequest>();
        worker.search(request, nullptr);
        worker.stop(); // perhaps before its thread has taken it up
        QTRY_VERIFY(!worker.isSearching());
        QCOMPARE(searching.count(), 2);
        worker.search(request, nullptr);
        QTRY_VERIFY(last && last->progress.evaluated > 0);
        worker.stop();
        QTRY_VERIFY(!worker.isSearching());
        QVERIFY(last->result && !last->result->proven && last->result->best);
        QTRY_VERIFY(worker.isIdle());
    }

    /// After the proof, in parts that go on from each other; a newer search takes its place, one that is stopped has
    /// none.
    // In one piece: one worker, whose cloud follows a proof, grows and is overtaken.
    void aCloudFollowsTheProof()
    {
        SlowWork work;
        SearchFunctions functions = work.searching();
        std::atomic<int> clouds{0};
        std::atomic<bool> cloudEnds{false};
        functions.cloud = [&](const SearchRequest& request, const std::stop_token& stop, const CloudCallback& priced) {
            ++clouds;
            const auto space =
                std::make_shared<const SpaceCloud>(request.plan, request.space, request.options, 1000, stop);
            do {
                priced(space, std::vector{CloudPoint{.step = 2, .peak = 3, .number = 5, .fits = 1}});
                std::this_thread::sleep_for(1ms);
            } while (!stop.stop_requested() && !cloudEnds);
        };
        SearchWorker worker(functions);
        std::vector<StrategyCloudPointer> told;
        connect(&worker, &SearchWorker::cloudChanged, this,
            [&](const StrategyCloudPointer& cloud) { told.push_back(cloud); });
        Project project;
        project.plan = exampleDocument().project.plan;
        const auto request = std::make_shared<const SearchRequest>(narrowed(searchRequest(project)));
        worker.search(request, nullptr);
        QTRY_VERIFY(work.searches > 0);
        worker.stop();
        QTRY_VERIFY(worker.isIdle());
        QVERIFY(!worker.isDrawing() && clouds == 0); // nothing is proven
        work.searchEnds = true;
        worker.search(request, nullptr);
        QTRY_VERIFY(told.size() >= 3);
        QVERIFY(worker.isIdle() && worker.isDrawing()); // nobody waits for it
        QVERIFY(told.back()->growing && told.back()->size > told.front()->size);
        QVERIFY(std::equal(told.front()->parts.begin(), told.front()->parts.end(), told.back()->parts.begin()));
        QVERIFY(told.back()->space > 5 && told.back()->strategyOf(5).strategy != told.back()->strategyOf(4).strategy);
        work.searchEnds = false;
        worker.search(request, nullptr); // overtakes
        QVERIFY(!worker.isDrawing());
        const std::size_t before = told.size();
        QTest::qWait(200);
        QCOMPARE(told.size(), before);
        work.searchEnds = cloudEnds = true;
        QTRY_VERIFY(clouds == 2 && !worker.isDrawing() && worker.isIdle());
        QVERIFY(!told.back()->growing && told.back()->size == 1);
    }

    /// The search of a space of millions lets go when it is told to, whatever it is at. How soon: stratoplan-live-bars.
    void theCoreLetsGo()
    {
        SearchWorker worker(coreSearchFunctions());
        Project project;
        project.plan = exampleDocument().project.plan;
        const auto request = std::make_shared<const SearchRequest>(searchRequest(project));
        for (int i = 0; i < 8; ++i) {
            worker.search(request, nullptr);
            QTest::qWait(100 + 130 * i);
            QVERIFY(worker.isSearching());
            worker.stop();
            QTRY_VERIFY(!worker.isSearching());
        }
    }

    /// A change of the plan prices the front anew before anything is searched; the last good picture stays until then.
    void theFrontIsPricedAnewAtOnce()
    {
        SlowWork work;
        work.searchEnds = true;
        Workspace workspace(shippedCatalog(), work.functions());
        workspace.document().load(documentWith(1), {});
        QTRY_VERIFY(workspace.isIdle());
        QCOMPARE(work.rescores.load(), 0); // there was nothing before
        QVERIFY(workspace.search().picture()->result && !workspace.search().picture()->provisional
            && workspace.search().picture()->sampled->size() == 1);
        const SearchPicturePointer before = workspace.search().picture();
        work.searchEnds = false;
        std::vector<SearchPicturePointer> pictures;
        connect(
            &workspace.search(), &PlanSearch::changed, this, [&] { pictures.push_back(workspace.search().picture()); });
        Plan plan = workspace.plan();
        plan.training.globalBatch = 7;
        workspace.editPlan(plan, QStringLiteral("batch"));
        QCOMPARE(workspace.search().picture(), before);
        QVERIFY(!workspace.search().isCurrent());
        QTRY_VERIFY(!pictures.empty());
        QCOMPARE(work.rescores.load(), 1);
        QVERIFY(pictures.front()->rescored && pictures.front()->provisional && !pictures.front()->hasEnded());
        QCOMPARE(pictures.front()->front.front().step, Seconds(7));
        work.searchEnds = true;
        QTRY_VERIFY(workspace.isIdle());
        QVERIFY(workspace.search().picture()->result && !workspace.search().picture()->provisional
            && !workspace.search().picture()->rescored);
        QVERIFY(workspace.search().best());
    }

    /// Stopped before it found anything of its own, a search leaves the front that was priced anew, and the next move
    /// starts from it.
    void aStoppedSearchKeepsTheFrontPricedAnew()
    {
        SlowWork work;
        work.searchEnds = true;
        PlannerFunctions functions = work.functions();
        std::atomic<bool> findsNothing{false};
        functions.searching.search = [&, finds = functions.searching.search](const SearchRequest& request,
                                         const std::stop_token& stop, const SearchProgressCallback& progress) {
            if (!findsNothing)
                return finds(request, stop, progress);
            while (!stop.stop_requested())
                std::this_thread::sleep_for(200us);
            return SearchResult();
        };
        Workspace workspace(shippedCatalog(), std::move(functions));
        workspace.document().load(documentWith(1), {});
        QTRY_VERIFY(workspace.isIdle());
        findsNothing = true;
        for (const int batch : {7, 9}) {
            Plan plan = workspace.plan();
            plan.training.globalBatch = batch;
            workspace.editPlan(plan, QStringLiteral("batch"));
            QTRY_VERIFY(workspace.search().isCurrent() && workspace.search().picture()->rescored);
            workspace.search().stop();
            QTRY_VERIFY(workspace.isIdle());
            QVERIFY(workspace.search().picture()->hasEnded() && !workspace.search().picture()->result->proven);
            QCOMPARE(workspace.search().picture()->front.size(), std::size_t(1));
            QCOMPARE(workspace.search().picture()->front.front().step, Seconds(batch));
            QVERIFY(workspace.search().picture()->provisional);
            QVERIFY(!workspace.search().best()); // of this search there is none
        }
        QCOMPARE(work.rescores.load(), 2);
    }

    void locksBelongToTheDocument()
    {
        SlowWork work;
        work.searchEnds = true;
        Workspace workspace(shippedCatalog(), work.functions());
        workspace.document().load(documentWith(3), {});
        QTRY_VERIFY(workspace.isIdle());
        QCOMPARE(work.searches.load(), 1);
        workspace.lock(Dimension::MicroBatch, true, QStringLiteral("lock"));
        QTRY_VERIFY(workspace.isIdle());
        QCOMPARE(work.searches.load(), 2);
        QCOMPARE(workspace.search().picture()->request->space.microBatch.only, std::vector{3});
        // What is locked matters now, what is free still does not.
        Plan plan = workspace.plan();
        plan.strategy.microBatch = 2;
        workspace.editPlan(plan, QStringLiteral("micro-batch"));
        QTRY_VERIFY(workspace.isIdle());
        QCOMPARE(work.searches.load(), 3);
        QCOMPARE(workspace.search().picture()->request->space.microBatch.only, std::vector{2});
        plan.strategy.tp = 8;
        workspace.editPlan(plan, QStringLiteral("tp"));
        QTRY_VERIFY(workspace.isIdle());
        QCOMPARE(work.searches.load(), 3);
        workspace.document().undo();
        workspace.document().undo();
        workspace.document().undo();
        QVERIFY(workspace.document().project().search.locks.empty());
        QVERIFY(workspace.document().isClean());
        workspace.document().redo();
        QVERIFY(workspace.document().project().search.locks.contains(Dimension::MicroBatch));
    }

    /// The pictures answer what is previewed; the document does not change.
    void aPreviewChangesNoDocument()
    {
        SlowWork work;
        work.searchEnds = true;
        Workspace workspace(shippedCatalog(), work.functions());
        workspace.document().load(documentWith(1), {});
        QTRY_VERIFY(workspace.isIdle());
        Strategy other;
        other.microBatch = 5;
        workspace.preview(other, Precision::Bf16);
        QTRY_COMPARE(answered(workspace.estimate()), 5);
        QCOMPARE(workspace.estimatedPlan()->strategy.microBatch, 5);
        QCOMPARE(answered(workspace.ownEstimate()), 1);
        QCOMPARE(workspace.plan().strategy.microBatch, 1);
        QCOMPARE(workspace.document().undoStack().count(), 0);
        QCOMPARE(work.searches.load(), 1);
        workspace.endPreview();
        QVERIFY(!workspace.previewed());
        QTRY_COMPARE(answered(workspace.estimate()), 1);
        workspace.preview(other, Precision::Bf16);
        workspace.adoptPreview();
        QVERIFY(!workspace.previewed());
        QCOMPARE(workspace.plan().strategy.microBatch, 5);
        workspace.preview(Strategy(), Precision::Bf16);
        QVERIFY(workspace.previewed());
        workspace.document().undo(); // an edit ends it
        QVERIFY(!workspace.previewed());
        QTRY_COMPARE(answered(workspace.estimate()), 1);
        QCOMPARE(workspace.plan().strategy.microBatch, 1);
    }

    /// What is known is not worked out again: of the plan when a preview ends, of a preview when it is adopted, of the
    /// plan when it is pinned or run in another order.
    // In one piece: one workspace, on which estimates and timelines are counted on.
    void aPlanIsAnsweredOnce()
    {
        SlowWork work;
        work.searchEnds = true;
        Workspace workspace(shippedCatalog(), work.functions());
        workspace.document().load(documentWith(1), {});
        QTRY_VERIFY(workspace.isIdle());
        const auto own = workspace.timeline();
        QSignalSpy estimated(&workspace, &Workspace::estimateChanged);
        QSignalSpy ownEstimated(&workspace, &Workspace::ownEstimateChanged);
        Strategy other;
        other.microBatch = 5;
        workspace.preview(other, Precision::Bf16);
        QTRY_VERIFY(workspace.isIdle());
        QCOMPARE(work.estimates.load(), 2);
        QCOMPARE(work.timelines.load(), 2);
        workspace.endPreview();
        QVERIFY(workspace.isIdle());
        QCOMPARE(answered(workspace.estimate()), 1);
        QCOMPARE(workspace.timeline(), own);
        QCOMPARE(estimated.count(), 2);
        QVERIFY(workspace.improvementsAreCurrent());
        workspace.preview(other, Precision::Bf16);
        QTRY_VERIFY(workspace.isIdle());
        QCOMPARE(work.timelines.load(), 3);
        workspace.adoptPreview();
        QCOMPARE(answered(workspace.ownEstimate()), 5);
        QTRY_VERIFY(workspace.isIdle());
        QCOMPARE(ownEstimated.count(), 1);
        QCOMPARE(work.estimates.load(), 3);
        QCOMPARE(work.timelines.load(), 3);
        workspace.pins().add(false);
        QTRY_VERIFY(workspace.isIdle());
        QCOMPARE(answered(workspace.pins().estimates().front()), 5);
        workspace.compareWith(workspace.estimatedPlan());
        QTRY_VERIFY(workspace.isIdle());
        QCOMPARE(work.estimates.load(), 3);
        // A preview that is left before it is answered is not shown.
        workspace.preview(Strategy(), Precision::Bf16);
        workspace.endPreview();
        QVERIFY(!workspace.isUpdating());
        QTest::qWait(20);
        QCOMPARE(answered(workspace.estimate()), 5);
        // What answers a document that is gone is asked anew.
        const int before = work.timelines;
        workspace.document().load(documentWith(5), {});
        QTRY_VERIFY(workspace.isIdle());
        QCOMPARE(work.timelines.load(), before + 1);
    }

    /// A slider that moves while a preview is being worked out is not forgotten when the preview is left.
    void anEditOutlivesThePreviewItWaitedFor()
    {
        SlowWork work;
        work.searchEnds = true;
        Workspace workspace(shippedCatalog(), work.functions());
        workspace.document().load(documentWith(1), {});
        QTRY_VERIFY(workspace.isIdle());
        work.estimateTime = 100ms;
        workspace.preview(planWith(5).strategy, Precision::Bf16);
        workspace.editPlan(planWith(3), QStringLiteral("drag"), 1);
        QVERIFY(workspace.document().isHolding());
        workspace.endPreview();
        QCOMPARE(workspace.plan().strategy.microBatch, 3);
        QTRY_VERIFY(workspace.isIdle() && !workspace.isUpdating());
        QCOMPARE(answered(workspace.ownEstimate()), 3);
    }

    void anAnswerIsVerified()
    {
        SlowWork work;
        work.searchEnds = true;
        Workspace workspace(shippedCatalog(), work.functions());
        workspace.document().load(documentWith(1), {});
        QTRY_VERIFY(workspace.isIdle());
        work.searchEnds = false;
        workspace.search().verify();
        QVERIFY(workspace.search().verification() && !workspace.search().verification()->verdict);
        QTRY_VERIFY(workspace.search().verification()->progress.evaluated > 0);
        work.searchEnds = true;
        QTRY_VERIFY(workspace.isIdle());
        QVERIFY(workspace.search().verification()->verdict->agrees()
            && workspace.search().verification()->verdict->complete);
        work.searchEnds = false;
        workspace.search().verify();
        QTRY_VERIFY(workspace.search().verification() && workspace.search().verification()->progress.evaluated > 0);
        workspace.search().stopVerifying();
        QTRY_VERIFY(workspace.search().verification()->verdict);
        QVERIFY(workspace.search().verification()->verdict->agrees()
            && !workspace.search().verification()->verdict->complete);
        // What a plan before was verified for says nothing of this one.
        Plan plan = workspace.plan();
        plan.training.globalBatch = 3;
        work.searchEnds = true;
        workspace.editPlan(plan, QStringLiteral("batch"));
        QVERIFY(!workspace.search().verification());
    }

    void whyIsAskedOfTheBest()
    {
        SlowWork work;
        work.searchEnds = true;
        Workspace workspace(shippedCatalog(), work.functions());
        workspace.document().load(documentWith(1), {});
        workspace.search().askWhy(Strategy(), Precision::Bf16);
        QCOMPARE(work.whys.load(), 0); // there is no best yet
        QTRY_VERIFY(workspace.isIdle());
        Strategy other;
        for (int i = 1; i <= 20; ++i) {
            other.microBatch = i;
            workspace.search().askWhy(other, Precision::Bf16);
        }
        QTRY_VERIFY(workspace.search().why());
        QTRY_VERIFY(workspace.isIdle());
        QCOMPARE(workspace.search().why()->strategy.microBatch, 20); // the newest
    }

    void pinnedPlansAreEstimated()
    {
        SlowWork work;
        work.searchEnds = true;
        Workspace workspace(shippedCatalog(), work.functions());
        workspace.document().load(documentWith(5), {});
        workspace.pins().add(false);
        workspace.editPlan(planWith(6), QStringLiteral("edit"));
        workspace.pins().add(true);
        QTRY_VERIFY(workspace.isIdle());
        QCOMPARE(workspace.pins().estimates().size(), std::size_t(2));
        QCOMPARE(workspace.pins().baseline()->step, Seconds(6));
        QCOMPARE(answered(workspace.pins().estimates()[1]), 5);
        const int estimates = work.estimates;
        workspace.pins().rename(0, QStringLiteral("other"));
        QTRY_VERIFY(workspace.planner().isIdle());
        QCOMPARE(work.estimates.load(), estimates); // a name costs no estimate
        workspace.pins().makeBaseline(1);
        QTRY_COMPARE(workspace.pins().baseline() ? workspace.pins().baseline()->step : Seconds(), Seconds(5));
        workspace.document().undo();
        QTRY_COMPARE(workspace.pins().baseline() ? workspace.pins().baseline()->step : Seconds(), Seconds(6));
        workspace.pins().clear();
        QVERIFY(!workspace.pins().baseline());
        QVERIFY(workspace.pins().estimates().empty());
    }

    /// Closing mid-work: nothing runs on, nothing is delivered to what is gone.
    void closesCleanly()
    {
        for (int round = 0; round < 60; ++round) {
            SlowWork work;
            work.estimateTime = std::chrono::microseconds(round * 37);
            auto workspace = std::make_unique<Workspace>(shippedCatalog(), work.functions());
            workspace->document().load(documentWith(1), {});
            workspace->pins().add(false);
            for (int i = 0; i < round; ++i) {
                workspace->editPlan(planWith(i), QStringLiteral("drag"), 1);
                if (i % 10 == 9)
                    QCoreApplication::processEvents();
            }
            workspace.reset();
            QCoreApplication::processEvents();
        }
    }

    void theCoreAnswers()
    {
        Workspace workspace(shippedCatalog(), quickFunctions());
        workspace.document().load(exampleDocument(), {});
        QTRY_VERIFY(workspace.isIdle());
        QVERIFY(workspace.estimate() && *workspace.estimate());
        QVERIFY((*workspace.estimate())->step > Seconds(0));
        QVERIFY(workspace.timeline());
        QVERIFY(workspace.search().picture()->result->proven);
        QVERIFY(workspace.search().best());
        QVERIFY(workspace.search().best()->step <= (*workspace.estimate())->step || !(*workspace.estimate())->fits);
        QVERIFY(workspace.search().picture()->sampled->size() > 100);
        // The zones speak of the same plan: its own values are on the sliders, with its own step time.
        for (const auto& [field, stops] : *workspace.zones()) {
            QVERIFY(!stops.empty());
            const auto own = std::find_if(stops.begin(), stops.end(), [&, field = field](const SliderStop& s) {
                return s.value == number(field, workspace.plan().strategy);
            });
            QVERIFY(own != stops.end());
            QCOMPARE(own->zone == Zone::Red, !(*workspace.estimate())->fits);
            for (const SliderStop& stop : stops)
                QVERIFY(stop.zone != Zone::Unknown && !stop.reason.isEmpty());
        }
    }
};

int main(int argc, char** argv)
{
    failOnWarnings();
    QCoreApplication app(argc, argv);
    TestPlanner test;
    return QTest::qExec(&test, argc, argv);
}

#include "test_planner.moc"
