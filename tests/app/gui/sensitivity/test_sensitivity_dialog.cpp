// SPDX-License-Identifier: GPL-3.0-or-later
// "How sure is this plan?" as a person uses it: it draws at once, tells ranges and chances, shows what moves a figure,
// can be stopped, and says when the plan has changed since.
#include "app/gui/sensitivity/sensitivity_binding.h"
#include "app/gui/sensitivity/sensitivity_dialog.h"
#include "tests/core/fixtures.h"
#include "tests/patience.h"
#include "widgets/charts/tornado_chart.h"

#include <QComboBox>
#include <QPushButton>
#include <QTest>

using namespace stratoplan;
using namespace stratoplan::gui;

namespace {

/// Fewer draws, the same work.
tl::expected<sensitivity::Analysis, sensitivity::AnalysisFault> quick(
    const session::SensitivityRequest& request, const std::stop_token& stop, const sensitivity::Progress& progress)
{
    sensitivity::AnalysisOptions options;
    options.draws = 64;
    options.progress = progress;
    return sensitivity::analyse(request.cases, options, stop);
}

void load(session::Workspace& workspace, plan::Project project)
{
    exchange::Document document;
    document.project = std::move(project);
    document.hasCapacity = true;
    workspace.document().load(std::move(document), {});
}

plan::Project ofSmall()
{
    plan::Project project;
    project.plan = fixtures::small();
    project.capacity.tokens = 1e9;
    project.capacity.pricePerAcceleratorHour = 2;
    return project;
}

} // namespace

class TestSensitivityDialog : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void drawsAtOnceAndTells()
    {
        session::Workspace workspace(catalog::shippedCatalog());
        load(workspace, ofSmall());
        QWidget window;
        SensitivityBinding binding(workspace, window, quick);
        SensitivityDialog& dialog = binding.open();
        QTRY_VERIFY(binding.isSettled() && !dialog.chart().isEmpty());
        QVERIFY(dialog.figuresText().contains("8 in 10") && dialog.figuresText().contains("Cost"));
        QVERIFY(dialog.chancesText().contains("running out of memory"));
        QVERIFY(dialog.chancesText().contains("Pin a baseline"));
        QVERIFY(dialog.notice().isEmpty());
        const widgets::ChartTable table = dialog.chart().table();
        QVERIFY(table.rows.size() > 3);
        for (const QStringList& row : table.rows)
            QCOMPARE(row.size(), table.columns.size());
        const QString ofStep = dialog.chart().description();
        dialog.figure().setCurrentIndex(int(sensitivity::Measure::Cost));
        QVERIFY(dialog.chart().description() != ofStep);
        // Down marks the longest bar, and tells about it.
        QTest::keyClick(&dialog.chart(), Qt::Key_Down);
        QVERIFY(dialog.chart().pointedText().contains(dialog.chart().view()->rows.front().name));
        plan::Plan other = workspace.plan();
        other.training.globalBatch *= 2;
        workspace.editPlan(other, "batch");
        QVERIFY(dialog.notice().contains("changed"));
    }

    void theBaselineIsBeaten()
    {
        session::Workspace workspace(catalog::shippedCatalog());
        plan::Project project = ofSmall();
        plan::Plan slow = project.plan;
        slow.cluster.nodes.front().accelerator.matmulSustained /= 2;
        project.pinned = {{"slow", slow, project.capacity, {}}};
        load(workspace, project);
        QWidget window;
        SensitivityBinding binding(workspace, window, quick);
        SensitivityDialog& dialog = binding.open();
        QTRY_VERIFY(binding.isSettled() && !dialog.chart().isEmpty());
        QVERIFY2(dialog.chancesText().contains("This plan has the shorter step than slow with a chance of"),
            qPrintable(dialog.chancesText()));
    }

    void canBeStopped()
    {
        session::Workspace workspace(catalog::shippedCatalog());
        load(workspace, ofSmall());
        QWidget window;
        SensitivityBinding binding(workspace, window,
            [](const session::SensitivityRequest&, const std::stop_token& stop, const sensitivity::Progress&) {
                while (!stop.stop_requested())
                    std::this_thread::yield();
                sensitivity::Analysis nothing;
                nothing.isStopped = true;
                return tl::expected<sensitivity::Analysis, sensitivity::AnalysisFault>(nothing);
            });
        SensitivityDialog& dialog = binding.open();
        QVERIFY(!binding.isSettled());
        QPushButton* const button = dialog.findChild<QPushButton*>();
        QCOMPARE(button->text(), "Stop");
        button->click();
        QTRY_VERIFY(binding.isSettled());
        QVERIFY(dialog.chart().isEmpty());
        QVERIFY(dialog.notice().contains("Stopped"));
        QCOMPARE(button->text(), "Draw again");
    }
};

QTEST_MAIN(TestSensitivityDialog)
#include "test_sensitivity_dialog.moc"
