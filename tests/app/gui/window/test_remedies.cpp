// SPDX-License-Identifier: GPL-3.0-or-later
// What mends a plan in one click, from the strip of problems of the whole window: software and nodes, not the strategy
// alone.
#include "app/gui/window/central_view.h"
#include "core/cluster/cluster_edits.h"
#include "tests/app/gui/window/window_test.h"
#include "widgets/panels/problems_panel.h"
#include "widgets/topology/topology_view.h"

#include <QToolButton>

using namespace stratoplan;
using namespace stratoplan::gui;
using namespace stratoplan::widgets;
using namespace stratoplan::test;

namespace {

/// The plan of the window on 256 nodes of four TPUs.
plan::Plan onTpus(plan::Plan plan)
{
    const auto& clusters = catalog::shippedCatalog().clusters;
    plan.cluster = std::ranges::find(clusters, "tpu-v5p-1024", &catalog::ClusterPreset::id)->cluster;
    return plan;
}

/// The button that a person sees in the strip, where need be after unfolding it, whatever it brings; nullptr: there is
/// none.
RemedyButton* remedy(MainWindow& window, const QString& text)
{
    ProblemsPanel& strip = window.view().problems();
    if (auto* fold = strip.findChild<QToolButton*>(); fold && fold->isVisible() && fold->text().endsWith("more"))
        QTest::mouseClick(fold, Qt::LeftButton);
    QCoreApplication::processEvents();
    for (RemedyButton* button : strip.findChildren<RemedyButton*>())
        if (button->text().startsWith(text) && !button->visibleRegion().isEmpty())
            return button;
    return nullptr;
}

bool has(MainWindow& window, plan::ProblemCode code)
{
    const std::vector<plan::Problem>& problems = window.view().problems().problems();
    return std::ranges::find(problems, code, &plan::Problem::code) != problems.end();
}

} // namespace

class TestRemedies : public WindowTest {
    Q_OBJECT

    /// A click mends the problem in one step, whose undoing brings it back.
    static void mendByClick(MainWindow& window, plan::ProblemCode code, const QString& text, const plan::Plan& expected)
    {
        QVERIFY(settled(window));
        QVERIFY(has(window, code));
        const plan::Plan before = window.workspace().plan();
        const QUndoStack& steps = window.workspace().document().undoStack();
        const int count = steps.count();
        RemedyButton* button = remedy(window, text);
        QVERIFY(button);
        QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(window.workspace().plan(), expected);
        QCOMPARE(steps.count(), count + 1);
        QVERIFY(steps.undoText().startsWith(text));
        QVERIFY(settled(window));
        QVERIFY(!has(window, code) && !remedy(window, text));
        window.actionSet().undo->trigger();
        QCOMPARE(window.workspace().plan(), before);
        QVERIFY(settled(window));
        QVERIFY(has(window, code) && remedy(window, text));
    }

private Q_SLOTS:
    /// On the canvas a problem of the cluster leads to what it is about, and elsewhere to its field.
    void problemsAreShownWhereOneWorks()
    {
        const auto window = openWindow();
        plan::Plan plan = window->workspace().plan();
        plan.cluster.nodes.push_back(plan.cluster.nodes.front());
        plan.cluster.nodes.back().id = "unlinked";
        plan.cluster.nodes.back().count = 1;
        plan.cluster.switches = {{"leaf", "leaf", cluster::SwitchTier::Leaf, 4096, 1}};
        plan.cluster.connections = {{plan.cluster.nodes.front().id, "leaf", plan.cluster.nodes.front().nic, 512}};
        window->workspace().editPlan(plan, QStringLiteral("unlinked"));
        window->setPerspective(session::Perspective::Build);
        QVERIFY(settled(*window));
        const std::vector<plan::Problem>& problems = window->view().problems().problems();
        const auto told = std::ranges::find_if(
            problems, [](const plan::Problem& p) { return p.where.starts_with("/cluster/nodes/1"); });
        QVERIFY(told != problems.end());
        Q_EMIT window->view().problems().problemActivated(*told);
        QCOMPARE(window->view().perspective(), session::Perspective::Build);
        QCOMPARE(window->view().canvas().selection(), QStringList{"unlinked"});
        window->setPerspective(session::Perspective::Search);
        Q_EMIT window->view().problems().problemActivated(*told);
        QCOMPARE(window->view().perspective(), session::Perspective::Explore);
        discardAndClose(*window);
    }

    void softwareThatRunsThereIsTaken()
    {
        const auto window = openWindow();
        window->workspace().editPlan(onTpus(window->workspace().plan()), QStringLiteral("TPUs"));
        plan::Plan mended = window->workspace().plan();
        mended.training.software = *catalog::shippedCatalog().softwareProfile("jax-xla");
        mendByClick(*window, plan::ProblemCode::SoftwareUnsupported, QStringLiteral("Use JAX (XLA)"), mended);
        discardAndClose(*window);
    }

    void aTorusIsShapedByItsNodes()
    {
        const auto window = openWindow();
        plan::Plan plan = onTpus(window->workspace().plan());
        plan.training.software = *catalog::shippedCatalog().softwareProfile("jax-xla");
        cluster::setTorusAxes(plan.cluster.nodes.front(), {5, 5, 5}); // a thousand and 24 are no cubes of that
        window->workspace().editPlan(plan, QStringLiteral("TPUs"));
        cluster::setTorusAxes(plan.cluster.nodes.front(), {8, 8, 16});
        mendByClick(*window, plan::ProblemCode::TorusMismatch, QStringLiteral("Use a torus of 8×8×16"), plan);
        discardAndClose(*window);
    }
};

QTEST_MAIN(TestRemedies)
#include "test_remedies.moc"
