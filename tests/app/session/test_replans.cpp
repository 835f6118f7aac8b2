// SPDX-License-Identifier: GPL-3.0-or-later
// The best plan for what a failure leaves.
#include "app/session/replans.h"
#include "app/session/search_worker.h"
#include "tests/app/gui_test.h"
#include "tests/core/fixtures.h"

#include <QSignalSpy>

using namespace stratoplan;
using namespace stratoplan::session;
using cluster::ElementChange;

namespace {

plan::Project projectOf(const plan::Plan& plan)
{
    plan::Project project;
    project.plan = plan;
    project.search.mode = plan::SearchMode::ClosedForm;
    return project;
}

WhatIf withoutANode(const plan::Plan& plan)
{
    const auto answers = whatIfs(plan, changesOfElement(plan.cluster, "nodes"));
    const auto fails = std::ranges::find(answers, ElementChange::NodeFails, &WhatIf::change);
    return fails == answers.end() ? WhatIf{} : *fails;
}

} // namespace

class TestReplans : public test::GuiTest {
    Q_OBJECT

private Q_SLOTS:
    /// What the search of the cluster finds by itself, at the batch that is best.
    void theBestIsThatOfASearch()
    {
        const plan::Project project = projectOf(fixtures::small());
        const WhatIf near = withoutANode(project.plan);
        QVERIFY(near.step > Seconds{});
        double share = 0;
        const WhatIf best = replanned(project, near, {}, [&](double now) {
            QVERIFY(now >= 0 && now <= 1);
            share = now;
        });
        QCOMPARE(share, 1.0);
        QVERIFY(!isBetter(near, best));
        QCOMPARE(best.plan.cluster, near.plan.cluster);
        QVERIFY(!hasErrors(check(best.plan)));
        for (const int batch : {project.plan.training.globalBatch, near.plan.training.globalBatch}) {
            plan::Project there = project;
            there.plan.cluster = near.plan.cluster;
            there.plan.training.globalBatch = batch;
            SearchRequest request = searchRequest(there);
            request.space.leaveIdle = true;
            const auto found = search::search(request.plan, request.space, request.options);
            if (!found.best)
                continue;
            plan::Plan plan = there.plan;
            plan.strategy = found.best->strategy;
            plan.training.precision = found.best->precision;
            const auto priced = session::priced(near.change, plan, Seconds(1), {});
            QVERIFY(priced && !isBetter(*priced, best));
        }
        const auto alone = estimate::estimate(best.plan);
        QVERIFY(alone);
        QCOMPARE(alone->step, best.step);
        QCOMPARE(best.idle, acceleratorCount(best.plan.cluster) - rankCount(best.plan.strategy));
    }

    /// 127 nodes of 8 are 2 * 2 * 2 * 127 ranks, which divide next to nothing: fewer are in use.
    void nodesMayStayIdle()
    {
        plan::Project project = projectOf(fixtures::gpt3());
        project.search.locks = {plan::Dimension::Tp, plan::Dimension::Pp, plan::Dimension::Schedule};
        const WhatIf near = withoutANode(project.plan);
        const WhatIf best = replanned(project, near);
        QVERIFY(best.idle > 0 && best.fits);
        QVERIFY(isBetter(best, near));
    }

    void lockedDimensionsStay()
    {
        plan::Project project = projectOf(fixtures::small());
        project.search.locks = {plan::Dimension::Tp};
        const WhatIf best = replanned(project, withoutANode(project.plan));
        QCOMPARE(best.plan.strategy.tp, project.plan.strategy.tp);
    }

    /// Answers are judged by the time of a token, whatever the plan's own search is for.
    void theObjectiveIsTheTime()
    {
        plan::Project project = projectOf(fixtures::small());
        const WhatIf near = withoutANode(project.plan);
        const WhatIf best = replanned(project, near);
        project.search.objective = plan::Objective::SmallestCluster;
        QCOMPARE(replanned(project, near), best);
    }

    void stoppedItIsWhatWasKnown()
    {
        const plan::Project project = projectOf(fixtures::small());
        const WhatIf near = withoutANode(project.plan);
        std::stop_source stopped;
        stopped.request_stop();
        QCOMPARE(replanned(project, near, stopped.get_token()), near);
    }

    void theNewestQuestionIsAnswered()
    {
        const plan::Project gpt3 = projectOf(fixtures::gpt3()), small = projectOf(fixtures::small());
        const WhatIf ofGpt3 = withoutANode(gpt3.plan), ofSmall = withoutANode(small.plan);
        ReplanWorker worker;
        QSignalSpy answered(&worker, &ReplanWorker::answered);
        worker.ask(gpt3, ofGpt3);
        worker.ask(small, ofSmall);
        QVERIFY(answered.wait(test::kPatience));
        QCOMPARE(*answered.takeFirst().at(0).value<WhatIfPointer>(), replanned(small, ofSmall));
        worker.ask(gpt3, ofGpt3);
        worker.forget();
        QVERIFY(!answered.wait(200));
    }
};

QTEST_GUILESS_MAIN(TestReplans)
#include "test_replans.moc"
