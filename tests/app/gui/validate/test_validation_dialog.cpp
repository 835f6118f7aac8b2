// SPDX-License-Identifier: GPL-3.0-or-later
// The validation window as a person uses it: open, wait, sort, choose a source, point at cases, stop. Real events,
// offscreen.
#include "app/gui/validate/case_dialog.h"
#include "app/gui/validate/validation_dialog.h"
#include "app/gui/validate/validation_model.h"
#include "app/gui/window/actions.h"
#include "app/gui/window/main_window.h"
#include "tests/app/gui_test.h"
#include "tests/finding.h"
#include "widgets/charts/scatter_chart.h"
#include "widgets/style/theme.h"

#include <QAbstractItemModelTester>
#include <QAccessible>
#include <QApplication>
#include <QHeaderView>
#include <QPushButton>
#include <QScreen>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>

#include <algorithm>
#include <functional>
#include <memory>

using namespace stratoplan::gui;
using namespace stratoplan::model;
using namespace stratoplan::parallel;
using namespace stratoplan::plan;
using namespace stratoplan::units;
using namespace stratoplan::validation;
using namespace stratoplan::widgets;
using namespace stratoplan::test;

namespace {

constexpr std::string_view kBroken = R"({"cases": 7})";
constexpr std::string_view kNone = R"({"cases": []})";

std::unique_ptr<ValidationDialog> openDialog(std::string_view cases = shippedCases())
{
    auto dialog = std::make_unique<ValidationDialog>(nullptr, cases);
    dialog->show();
    static_cast<void>(QTest::qWaitForWindowActive(dialog.get()));
    return dialog;
}

bool settled(ValidationDialog& dialog)
{
    return QTest::qWaitFor([&] { return !dialog.isRunning(); }, kPatience);
}

QString cell(const QTableView& table, int row, int column)
{
    return table.model()->index(row, column).data().toString();
}

void clickCell(QTableView& table, int row, int column)
{
    const QModelIndex index = table.model()->index(row, column);
    table.scrollTo(index);
    QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, table.visualRect(index).center());
}

void clickHeading(QTableView& table, int column)
{
    QHeaderView& header = *table.horizontalHeader();
    table.scrollTo(table.model()->index(0, column));
    const QPoint at(header.sectionViewportPosition(column) + header.sectionSize(column) / 2, header.height() / 2);
    QTest::mouseClick(header.viewport(), Qt::LeftButton, {}, at);
}

int rowOf(const QTableView& table, const QString& source)
{
    for (int row = 0; row < table.model()->rowCount(); ++row)
        if (cell(table, row, SourcesModel::Source) == source)
            return row;
    return -1;
}

/// Of a model with all that may be said of one.
MeasuredCase richCase()
{
    MeasuredCase measured{.id = "lab/run",
        .group = "lab",
        .rankingKey = {},
        .plan = exampleDocument().project.plan,
        .stepSeconds = 1,
        .peakGib = {},
        .filled = {}};
    measured.plan.model.moe = MixtureOfExperts();
    measured.plan.model.mla = LatentAttention();
    return measured;
}

} // namespace

class TestValidationDialog : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        failOnWarnings();
        applyTheme(*qApp, ThemeKind::Light);
    }
    void cleanup() { QCOMPARE(Warnings::instance().take(), QStringList()); }

    void theMenuOpensOneWindow()
    {
        QTemporaryDir directory;
        isolateSettings(directory);
        MainWindow window({.remembers = false,
            .theme = {},
            .recoveryDirectory = directory.filePath(QStringLiteral("recovery")),
            .functions = quickFunctions()});
        window.start({});
        window.show();
        QAction* action = nullptr;
        for (QAction* one : window.findChildren<QAction*>())
            if (one->text().remove(u'&').startsWith(QStringLiteral("Validation")))
                action = one;
        QVERIFY(action);
        action->trigger();
        action->trigger();
        const auto dialogs = window.findChildren<ValidationDialog*>();
        QCOMPARE(dialogs.size(), 1);
        QVERIFY(dialogs.front()->isVisible() && !dialogs.front()->isModal());
        QTest::keyClick(dialogs.front(), Qt::Key_Escape);
        QTRY_COMPARE(window.findChildren<ValidationDialog*>().size(), 0);
    }

    void itShowsEverySourceOfTheShippedCases()
    {
        const auto dialog = openDialog();
        QVERIFY(dialog->isRunning());
        QVERIFY(dialog->message().contains(QStringLiteral("Estimating")));
        QVERIFY(button(*dialog, QStringLiteral("Stop")));
        QVERIFY(settled(*dialog));
        QVERIFY(dialog->message().isEmpty());
        QVERIFY2(dialog->summary().contains(QStringLiteral("rank correlation")), qPrintable(dialog->summary()));
        QTableView& table = dialog->sourcesTable();
        QAbstractItemModelTester tester(table.model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        QVERIFY(table.model()->rowCount() > 15);
        QCOMPARE(cell(table, 0, SourcesModel::Source), QStringLiteral("All sources"));
        QVERIFY(cell(table, 0, SourcesModel::LeftOut).endsWith(QStringLiteral(" %")));
        QVERIFY(dialog->chart().points().size() > 1900);
        QVERIFY(dialog->worstTable().model()->rowCount() > 10);
    }

    void headingsSortAndAllStaysOnTop()
    {
        const auto dialog = openDialog();
        QVERIFY(settled(*dialog));
        QTableView& table = dialog->sourcesTable();
        const auto means = [&] {
            QList<double> values;
            for (int row = 1; row < table.model()->rowCount(); ++row)
                values << table.model()->index(row, SourcesModel::Mean).data(SourcesModel::SortRole).toDouble();
            return values;
        };
        for (int click = 0; click < 2; ++click) {
            clickHeading(table, SourcesModel::Mean);
            QCOMPARE(cell(table, 0, SourcesModel::Source), QStringLiteral("All sources"));
            const QList<double> values = means();
            const bool rising = table.horizontalHeader()->sortIndicatorOrder() == Qt::AscendingOrder;
            QVERIFY(
                rising ? std::is_sorted(values.begin(), values.end()) : std::is_sorted(values.rbegin(), values.rend()));
        }
    }

    void aSourceHasItsOwnCases()
    {
        const auto dialog = openDialog();
        QVERIFY(settled(*dialog));
        QTableView& table = dialog->sourcesTable();
        const int row = rowOf(table, QStringLiteral("internevo"));
        QVERIFY(row > 0);
        clickCell(table, row, SourcesModel::Source);
        QCOMPARE(QString::number(dialog->chart().points().size()), cell(table, row, SourcesModel::Cases));
        for (const ScatterPoint& point : dialog->chart().points())
            QVERIFY(point.name.startsWith(QStringLiteral("internevo/")));
        QTest::keyClick(&table, Qt::Key_Down);
        QVERIFY(!dialog->chart().points().front().name.startsWith(QStringLiteral("internevo/")));
    }

    void worstCasesAreRingedAndExplained()
    {
        const auto dialog = openDialog();
        QVERIFY(settled(*dialog));
        clickCell(dialog->sourcesTable(), rowOf(dialog->sourcesTable(), QStringLiteral("megatron-bridge")),
            SourcesModel::Source);
        QTableView& worst = dialog->worstTable();
        QVERIFY(worst.model()->rowCount() > 3);
        // Which case is the worst changes with the constants; that some are told apart by release does not.
        int known = 0;
        while (known < worst.model()->rowCount()
            && !cell(worst, known, WorstModel::Reason).contains(QStringLiteral("elease")))
            ++known;
        QVERIFY(known < worst.model()->rowCount());
        const QImage before = dialog->chart().grab().toImage();
        clickCell(worst, known, WorstModel::Case);
        QCOMPARE(dialog->reason(), cell(worst, known, WorstModel::Reason));
        QTRY_VERIFY(dialog->chart().grab().toImage() != before);
    }

    void pointingNamesACase()
    {
        const auto dialog = openDialog();
        QVERIFY(settled(*dialog));
        clickCell(
            dialog->sourcesTable(), rowOf(dialog->sourcesTable(), QStringLiteral("korthikanti")), SourcesModel::Source);
        ScatterChart& chart = dialog->chart();
        QCOMPARE(chart.points().size(), std::size_t(4));
        for (std::size_t i = 0; i < chart.points().size(); ++i) {
            QCOMPARE(chart.pointNear(chart.pointAt(i)), std::optional(i));
            QVERIFY(chart.toolTipAt(chart.pointAt(i)).contains(chart.points()[i].name));
        }
        QSignalSpy chosen(&chart, &ScatterChart::chosen);
        chart.setFocus();
        QTest::keyClick(&chart, Qt::Key_Right);
        QVERIFY(chart.pointedText().contains(chart.points().front().name));
        QTest::keyClick(&chart, Qt::Key_Return);
        QCOMPARE(chosen.size(), 1);
        QCOMPARE(chosen.front().front().toString(), chart.points().front().name);
        QCOMPARE(chart.table().rows.size(), 4);
        QVERIFY(chart.description().contains(QStringLiteral("4 measured")));
    }

    void memoryHasItsOwnTables()
    {
        const auto dialog = openDialog();
        QVERIFY(settled(*dialog));
        press(*dialog, QStringLiteral("Peak memory"));
        QTableView& table = dialog->sourcesTable();
        QVERIFY(rowOf(table, QStringLiteral("vtrain-single")) < 0 && rowOf(table, QStringLiteral("zero-bubble")) > 0);
        QCOMPARE(cell(table, 0, SourcesModel::InRange), QStringLiteral("–"));
        QVERIFY(cell(dialog->worstTable(), 0, WorstModel::Measured).endsWith(QStringLiteral("GiB")));
        QVERIFY(!dialog->summary().contains(QStringLiteral("rank")));
    }

    void aRunCanBeStoppedAndDoneAgain()
    {
        const auto dialog = openDialog();
        press(*dialog, QStringLiteral("Stop"));
        QVERIFY(!dialog->isRunning());
        QVERIFY2(dialog->message().contains(QStringLiteral("Stopped")), qPrintable(dialog->message()));
        QTest::qWait(300);
        QVERIFY(dialog->message().contains(QStringLiteral("Stopped"))); // what was under way is dropped
        press(*dialog, QStringLiteral("Run again"));
        QVERIFY(dialog->isRunning());
        QVERIFY(settled(*dialog) && dialog->message().isEmpty());
    }

    void casesThatCannotBeReadAreTold()
    {
        const auto broken = openDialog(kBroken);
        QVERIFY(settled(*broken));
        QVERIFY2(broken->message().contains(QStringLiteral("cannot be read")), qPrintable(broken->message()));
        const auto none = openDialog(kNone);
        QVERIFY(settled(*none));
        QVERIFY2(none->message().contains(QStringLiteral("No measured case")), qPrintable(none->message()));
    }

    void closingWhileItRunsEndsIt()
    {
        for (int i = 0; i < 5; ++i) {
            auto dialog = openDialog();
            QTest::qWait(i * 10);
            QVERIFY(dialog->isVisible());
            dialog.reset(); // joins the worker, or hangs here
        }
    }

    void itFitsSmallWindows()
    {
        const auto dialog = openDialog();
        QVERIFY(settled(*dialog));
        dialog->resize(760, 620);
        QTRY_VERIFY(dialog->chart().mapTo(dialog.get(), QPoint()).y()
            > dialog->sourcesTable().mapTo(dialog.get(), QPoint()).y());
        QVERIFY(dialog->chart().height() >= 140 && dialog->worstTable().height() > 40
            && dialog->sourcesTable().height() > 60);
    }

    void itIsNoLargerThanTheScreenAndCutsNothing()
    {
        const auto dialog = openDialog();
        QVERIFY(settled(*dialog));
        const QSize room = dialog->screen()->availableGeometry().size();
        QVERIFY(dialog->width() <= room.width() && dialog->height() <= room.height());
        dialog->resize(1256, 752); // on a screen of 1,280 x 800
        QTest::qWait(20);
        QTableView& table = dialog->sourcesTable();
        QVERIFY2(table.horizontalHeader()->length() <= table.viewport()->width(),
            qPrintable(QString::number(table.horizontalHeader()->length())));
        dialog->resize(936, 492); // on one of 960 x 540
        QTest::qWait(20);
        QVERIFY(dialog->height() <= 492 && dialog->width() <= 936);
        QVERIFY2(table.horizontalHeader()->length() <= table.viewport()->width(),
            qPrintable(QString::number(table.horizontalHeader()->length())));
        for (QWidget* one : {static_cast<QWidget*>(&dialog->chart()), static_cast<QWidget*>(&dialog->worstTable())})
            QVERIFY(one->visibleRegion().boundingRect().height() > 60);
    }

    /// Nor when the rows come, and a scroll bar with them.
    void columnsLeaveRoomForTheScrollBar()
    {
        const auto dialog = openDialog();
        dialog->resize(1200, 752);
        QVERIFY(settled(*dialog));
        for (const QTableView* one : {&dialog->sourcesTable(), &dialog->worstTable()}) {
            QTRY_VERIFY(one->verticalScrollBar()->isVisible());
            QVERIFY2(one->horizontalHeader()->length() <= one->viewport()->width(), qPrintable(one->accessibleName()));
        }
    }

    void aCaseOpensWithItsSettingsAndItsSource()
    {
        const auto dialog = openDialog();
        QVERIFY(settled(*dialog));
        clickCell(dialog->sourcesTable(), rowOf(dialog->sourcesTable(), QStringLiteral("megatron-bridge")),
            SourcesModel::Source);
        QTableView& worst = dialog->worstTable();
        clickCell(worst, 0, WorstModel::Case);
        const QString id = cell(worst, 0, WorstModel::Case);
        QTest::keyClick(&worst, Qt::Key_Return);
        QTRY_VERIFY(dialog->findChild<CaseDialog*>());
        auto* details = dialog->findChild<CaseDialog*>();
        QVERIFY(details->isVisible());
        for (const char* what : {"Model", "Cluster", "Training", "Strategy", "Recomputation", "Software",
                 "Published in", "github NVIDIA-NeMo/Megatron-Bridge"})
            QVERIFY2(details->content().contains(QString::fromUtf8(what)), what);
        QSignalSpy wanted(dialog.get(), &ValidationDialog::planWanted);
        press(*details, QStringLiteral("Open as plan"));
        QCOMPARE(wanted.size(), 1);
        const Plan plan = wanted.front().front().value<Plan>();
        QCOMPARE(QString::fromStdString(plan.name), id);
        QVERIFY(!hasErrors(check(plan)));

        QVERIFY(dialog->reason() != QString() && !dialog->reason().startsWith(QStringLiteral("Choose a case")));
        QTest::keyClick(&dialog->sourcesTable(), Qt::Key_Down); // the reason was of a case of another source
        QVERIFY2(dialog->reason().startsWith(QStringLiteral("Choose a case")), qPrintable(dialog->reason()));
    }

    /// A case may say of a run whatever a plan can.
    // In one piece: a list of the traits of a run, each changed by itself.
    void aCaseShowsEveryTrait()
    {
        MeasuredCase measured = richCase();
        const auto content = [](const MeasuredCase& one) { return CaseDialog(one, WorstCase(), nullptr).content(); };
        const QString before = content(measured);
        const auto shows = [&](const char* what, const std::function<void(Plan&)>& change) {
            MeasuredCase other = measured;
            change(other.plan);
            QVERIFY2(content(other) != before, what);
        };
        const auto showsOfModel = [&](const char* what, const std::function<void(Transformer&)>& change) {
            shows(what, [&](Plan& p) { change(p.model); });
        };
        const auto showsOfStrategy = [&](const char* what, const std::function<void(Strategy&)>& change) {
            shows(what, [&](Plan& p) { change(p.strategy); });
        };
        shows("document length", [](Plan& p) { p.training.documentLength = 500; });
        shows("sequence", [](Plan& p) { p.training.sequenceLength += 1; });
        shows("batch", [](Plan& p) { p.training.globalBatch += 1; });
        shows("gradients", [](Plan& p) { p.training.fp32Gradients = !p.training.fp32Gradients; });
        shows("gradient reduction", [](Plan& p) { p.training.narrowReduction = !p.training.narrowReduction; });
        shows("parameter gather", [](Plan& p) { p.training.narrowGather = !p.training.narrowGather; });
        shows("optimizer", [](Plan& p) { p.training.optimizer = stratoplan::plan::Optimizer::Muon; });
        shows("precision", [](Plan& p) { p.training.precision = Precision::Mxfp8; });
        for (const AttentionKernel kernel : kAttentionKernels)
            if (kernel != measured.plan.training.attention)
                shows("attention", [&](Plan& p) { p.training.attention = kernel; });
        shows("host", [](Plan& p) { p.cluster.nodes.front().hostLink = BytesPerSecond(1e9); });
        shows("network", [](Plan& p) { p.cluster.nodes.front().nicsPerNode += 1; });
        shows("domain", [](Plan& p) { p.cluster.nodes.front().scaleUpDomain = 2; });
        showsOfModel("dropout", [](Transformer& m) { m.dropout = !m.dropout; });
        showsOfModel("KV heads", [](Transformer& m) { m.kvHeads = 1; });
        showsOfModel("sliding window", [](Transformer& m) { m.slidingWindow = 128; });
        showsOfModel("latent attention", [](Transformer& m) { m.mla->queryRank = 1536; });
        showsOfModel("sparse attention", [](Transformer& m) { m.dsa = SparseAttention{}; });
        showsOfModel("Mamba-2", [](Transformer& m) { m.mamba2 = Mamba2{.layers = 2, .ffnLayers = {}, .heads = 8}; });
        showsOfModel("stand-in", [](Transformer& m) { m.standIn = StandIn{.kind = "Mamba", .layers = 2}; });
        showsOfModel("parallel block", [](Transformer& m) { m.parallelBlock = true; });
        showsOfModel("QK norm", [](Transformer& m) { m.qkNorm = true; });
        showsOfModel("prediction modules", [](Transformer& m) { m.multiTokenPredictionDepth = 1; });
        showsOfModel("capacity factor", [](Transformer& m) { m.moe->capacityFactor = 1.25; });
        showsOfModel("shared experts", [](Transformer& m) { m.moe->sharedExperts = 1; });
        showsOfModel("dense layers", [](Transformer& m) { m.moe->leadingDenseLayers = 3; });
        showsOfModel("expert layers", [](Transformer& m) { m.moe->layerInterval = 2; });
        showsOfStrategy("offload", [](Strategy& s) { s.offload = Offload::Optimizer; });
        showsOfStrategy("ZeRO", [](Strategy& s) { s.zeroStage = 3; });
        showsOfStrategy("context method", [](Strategy& s) { s.cp = 2, s.contextMethod = ContextMethod::AllGather; });
        showsOfStrategy("experts' TP", [](Strategy& s) { s.etp = 2; });
        showsOfStrategy("schedule", [](Strategy& s) { s.schedule = Schedule::ZbAuto; });
        showsOfStrategy("limit", [](Strategy& s) { s.schedule = Schedule::ZbAuto, s.inFlightLimit = 9; });
        showsOfStrategy("split", [](Strategy& s) { s.stageLayers = {1, 2}; });
        showsOfStrategy("recomputed layers", [](Strategy& s) { s.recomputedLayers = {1, 2}; });
        showsOfStrategy("recomputation of stages", [](Strategy& s) { s.stageRecompute = {Recompute::Full}; });
        showsOfStrategy("TP of stages", [](Strategy& s) { s.stageTp = {1, 2}; });
        showsOfStrategy("vocabulary", [](Strategy& s) { s.vocabularyPlacement = VocabularyPlacement::Vocab1; });
        showsOfStrategy("timing pass", [](Strategy& s) { s.timingPass = true; });
        showsOfStrategy("rank order", [](Strategy& s) { std::swap(s.rankOrder[0], s.rankOrder[1]); });
        measured.batchScale = 1.5;
        QVERIFY(content(measured).contains(QStringLiteral("1.50 times this batch")));
    }

    void measuredAndEstimatedHaveOneUnit()
    {
        QCOMPARE(amountText(0.9, 1.02, false), QStringLiteral("0.900 s"));
        QCOMPARE(amountText(1.02, 0.9, false), QStringLiteral("1020 ms"));
        QCOMPARE(amountText(61.26, 60, true), QStringLiteral("61.3 GiB"));
        const auto dialog = openDialog();
        QVERIFY(settled(*dialog));
        const QTableView& worst = dialog->worstTable();
        for (int row = 0; row < worst.model()->rowCount(); ++row)
            QCOMPARE(cell(worst, row, WorstModel::Measured).section(u' ', 1),
                cell(worst, row, WorstModel::Estimated).section(u' ', 1));
    }

    void everyControlHasAName()
    {
        const auto dialog = openDialog();
        QVERIFY(settled(*dialog));
        for (QWidget* widget : dialog->findChildren<QWidget*>()) {
            if (widget->focusPolicy() == Qt::NoFocus || !widget->isVisible()
                || widget->objectName().startsWith(QStringLiteral("qt_")))
                continue;
            QAccessibleInterface* interface = QAccessible::queryAccessibleInterface(widget);
            QVERIFY2(interface && !interface->text(QAccessible::Name).isEmpty(), widget->metaObject()->className());
        }
    }
};

QTEST_MAIN(TestValidationDialog)
#include "test_validation_dialog.moc"
