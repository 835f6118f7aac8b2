// SPDX-License-Identifier: GPL-3.0-or-later
// Calibration in the window, as a person does it: paste, look, fit, apply, save, load. Real events, offscreen.
#include "app/gui/calibrate/calibration_binding.h"
#include "app/gui/calibrate/calibration_model.h"
#include "app/gui/calibrate/calibration_page.h"
#include "app/gui/window/actions.h"
#include "app/gui/window/central_view.h"
#include "app/gui/window/top_bar.h"
#include "core/exchange/profile.h"
#include "tests/app/gui/window/window_test.h"
#include "widgets/panels/picker.h"
#include "widgets/panels/row_delegate.h"
#include "widgets/shell/command_palette.h"
#include "widgets/shell/message_bar.h"
#include "widgets/style/theme.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QFile>
#include <QFileDialog>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QScrollBar>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <QUndoStack>

using namespace stratoplan::catalog;
using namespace stratoplan::estimate;
using namespace stratoplan::exchange;
using namespace stratoplan::gui;
using namespace stratoplan::plan;
using namespace stratoplan::session;
using namespace stratoplan::widgets;
using namespace stratoplan::test;

namespace {

const QString kApply = QStringLiteral("Apply to the plan");
const QString kFaultyRows = QStringLiteral("wrong;eight;8;1;1536;1;\nalso;8;8;1;1536;22,000;\n");
const QString kSave = QStringLiteral("Save profile…");

/// Rows of the first example, "measured" 30 % slower than it is estimated.
QString slowRows(const Plan& base)
{
    QString text = QStringLiteral("id;tp;pp;micro_batch;global_batch;Step time (ms);peak_gib\n");
    for (const auto& [tp, pp, microBatch] :
        {std::tuple(8, 8, 1), std::tuple(8, 4, 1), std::tuple(8, 8, 2), std::tuple(4, 16, 1), std::tuple(8, 2, 1)}) {
        Plan plan = base;
        plan.strategy.tp = tp;
        plan.strategy.pp = pp;
        plan.strategy.dp = 1024 / tp / pp;
        plan.strategy.microBatch = microBatch;
        if (const auto answer = estimate(plan))
            text += QStringLiteral("run %1;%2;%3;%4;1536;%5;\n")
                        .arg(text.count(u'\n'))
                        .arg(tp)
                        .arg(pp)
                        .arg(microBatch)
                        .arg(answer->step.value() * 1300);
    }
    return text;
}

} // namespace

class TestCalibrationPage : public WindowTest {
    Q_OBJECT

private:
    std::unique_ptr<MainWindow> openPage() const { return openWindow({.perspective = Perspective::Calibrate}); }

    /// With the rows of its plan, fitted.
    std::unique_ptr<MainWindow> openFitted() const
    {
        auto window = openPage();
        [&] {
            QVERIFY(settled(*window));
            window->calibration().addText(slowRows(window->workspace().plan()));
            QVERIFY(settled(*window));
            press(window->view().calibration(), QStringLiteral("Fit"));
            QVERIFY(settled(*window));
        }();
        return window;
    }

    static QString cell(CalibrationPage& page, int row, int column, int role = Qt::DisplayRole)
    {
        return page.rows().index(row, column).data(role).toString();
    }

    /// How many lines are no runs.
    static int unread(CalibrationPage& page)
    {
        int count = 0;
        for (int row = 0; row < page.rows().rowCount(); ++row)
            count += page.rows().isUnread(row) ? 1 : 0;
        return count;
    }

private Q_SLOTS:
    void thePageSaysWhatToDoFirst()
    {
        auto window = openPage();
        QCOMPARE(window->view().perspective(), Perspective::Calibrate);
        QVERIFY(window->actionSet().calibrate->isChecked());
        CalibrationPage& page = window->view().calibration();
        QVERIFY(page.isVisible() && button(page, QStringLiteral("Paste rows"))
            && button(page, QStringLiteral("Load a saved profile…")));
        QVERIFY(!isOffered(page, QStringLiteral("Fit")) && !isOffered(page, kApply) && !isOffered(page, kSave));
        QApplication::clipboard()->clear();
        press(page, QStringLiteral("Paste rows"));
        QVERIFY(window->view().messages().text().contains(QStringLiteral("no text on the clipboard")));
        QTest::keyClick(window.get(), Qt::Key_2, Qt::ControlModifier);
        QVERIFY(!page.isVisible());
    }

    void pastedRowsSayWhatIsUnderstoodOfThem()
    {
        auto window = openPage();
        QVERIFY(settled(*window));
        CalibrationPage& page = window->view().calibration();
        QAbstractItemModelTester tester(&page.rows(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        QApplication::clipboard()->setText(slowRows(window->workspace().plan()) + kFaultyRows);
        page.setFocus();
        QTest::keyClick(&page, Qt::Key_V, Qt::ControlModifier);
        QVERIFY(settled(*window));
        QCOMPARE(unread(page), 2);
        QVERIFY(page.rows().rowCount() >= 6);
        const int rows = page.rows().rowCount(); // in the order of the text
        QVERIFY(cell(page, rows - 2, CalibrationModel::UnderstoodColumn, RowDelegate::SecondLineRole)
                    .contains(QStringLiteral("column tp: found \"eight\", expected a whole number")));
        QVERIFY(cell(page, rows - 1, CalibrationModel::UnderstoodColumn, RowDelegate::SecondLineRole)
                    .contains(QStringLiteral("write 22000 or 22.000")));
        QVERIFY2(page.status().contains(QStringLiteral("2 cannot be used (line ")), qPrintable(page.status()));
        QCOMPARE(cell(page, 0, CalibrationModel::RunColumn), QStringLiteral("run 1"));
        QVERIFY(cell(page, 0, CalibrationModel::UnderstoodColumn).startsWith(QStringLiteral("tp 8 · pp 8")));
        QVERIFY(cell(page, 0, CalibrationModel::UnderstoodColumn, RowDelegate::SecondLineRole)
                    .contains(QStringLiteral("plan: dp 16")));
        QCOMPARE(cell(page, 0, CalibrationModel::StartColumn, RowDelegate::SecondLineRole), QStringLiteral("−23.1 %"));
        QCOMPARE(cell(page, 0, CalibrationModel::FittedColumn), QStringLiteral("–"));
    }

    void rowsAreFitted()
    {
        auto window = openPage();
        QVERIFY(settled(*window));
        CalibrationPage& page = window->view().calibration();
        QAbstractItemModelTester rows(&page.rows(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        QAbstractItemModelTester constants(&page.constants(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        window->calibration().addText(slowRows(window->workspace().plan()) + kFaultyRows);
        QVERIFY(settled(*window));
        QAbstractButton* const fit = button(page, QStringLiteral("Fit"));
        QTest::mouseClick(fit, Qt::LeftButton);
        QVERIFY(fit->text().startsWith(QStringLiteral("Stop")));
        QVERIFY(settled(*window));
        QCOMPARE(fit->text(), QStringLiteral("Fit"));
        QVERIFY(cell(page, 0, CalibrationModel::FittedColumn).endsWith(QStringLiteral(" s")));
        QVERIFY(cell(page, 0, CalibrationModel::LeftOutColumn).endsWith(QStringLiteral(" s")));
        QVERIFY2(page.errorSummary().contains(QStringLiteral("Left out"))
                && page.errorSummary().contains(QStringLiteral("23.1 %")),
            qPrintable(page.errorSummary()));
        QVERIFY2(page.status().contains(QStringLiteral("stay at their priors")), qPrintable(page.status()));
        QCOMPARE(
            page.constants().index(0, ConstantsModel::NameColumn).data().toString(), QStringLiteral("Matmul factor"));
        QVERIFY(page.constants().index(0, ConstantsModel::AfterColumn).data()
            != page.constants().index(0, ConstantsModel::BeforeColumn).data());
        const int last = page.constants().rowCount() - 1;
        QCOMPARE(
            page.constants().index(last, ConstantsModel::AfterColumn).data().toString(), QStringLiteral("as before"));
    }

    void whatIsFittedIsAppliedAndUndone()
    {
        auto window = openFitted();
        CalibrationPage& page = window->view().calibration();
        const Plan before = window->workspace().plan();
        QUndoStack& stack = window->workspace().document().undoStack();
        const int commands = stack.count();
        press(page, kApply);
        QCOMPARE(stack.count(), commands + 1);
        QVERIFY(window->workspace().plan().training.software.id.ends_with("-calibrated"));
        QVERIFY(settled(*window));
        QVERIFY(isOffered(page, kApply)); // what was fitted still stands
        QVERIFY(cell(page, 0, CalibrationModel::FittedColumn).endsWith(QStringLiteral(" s")));
        QTest::keyClick(window.get(), Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(window->workspace().plan() == before);
        QVERIFY(settled(*window));
    }

    void anEditOfThePlanReadsTheRowsAnew()
    {
        auto window = openFitted();
        CalibrationPage& page = window->view().calibration();
        QVERIFY(isOffered(page, kApply));
        Plan plan = window->workspace().plan();
        plan.training.sequenceLength = 1024;
        window->workspace().editPlan(plan, QStringLiteral("shorter"));
        QVERIFY(settled(*window));
        QVERIFY(!isOffered(page, kApply)); // it was fitted to other rows
        QVERIFY(cell(page, 0, CalibrationModel::UnderstoodColumn, Qt::ToolTipRole)
                    .contains(QStringLiteral("sequence length 1024")));
        press(page, QStringLiteral("Clear"));
        QVERIFY(settled(*window));
        QCOMPARE(page.rows().rowCount(), 0);
        QVERIFY(button(page, QStringLiteral("Paste rows")));
    }

    void logsOfAnotherModelAreRefusedInTheList()
    {
        auto window = openPage();
        QVERIFY(settled(*window));
        CalibrationPage& page = window->view().calibration();
        const QString log = saved(QStringLiteral("other.log"),
            "------ arguments ------\n  hidden_size .... 8192\n------ end of arguments ------\n"
            " iteration 10/ 20 | elapsed time per iteration (ms): 100.0 | global batch size: 1536 |\n");
        window->calibration().addFiles({log, inFolder(QStringLiteral("missing.csv"))});
        QVERIFY(settled(*window));
        QCOMPARE(unread(page), 2);
        QVERIFY(cell(page, 0, CalibrationModel::UnderstoodColumn, RowDelegate::SecondLineRole)
                    .contains(QStringLiteral("other.log: line 2: found hidden_size 8192, expected 12288")));
        QVERIFY(cell(page, 1, CalibrationModel::UnderstoodColumn, RowDelegate::SecondLineRole)
                    .contains(QStringLiteral("missing.csv")));
        QVERIFY(page.status().startsWith(QStringLiteral("No row can be used")));
        QVERIFY(!isOffered(page, QStringLiteral("Fit")));
    }

    void aFitStopsAtOnce()
    {
        auto window = openPage();
        QVERIFY(settled(*window));
        CalibrationPage& page = window->view().calibration();
        QString rows = QStringLiteral("tp,pp,micro_batch,global_batch,step_s\n");
        for (int i = 0; i < 400; ++i)
            rows += QStringLiteral("8,%1,1,%2,%3\n").arg(1 << (i % 4)).arg(1536 * (1 + i % 7)).arg(10 + i % 13);
        window->calibration().addText(rows);
        QVERIFY(settled(*window));
        QAbstractButton* const fit = button(page, QStringLiteral("Fit"));
        QTest::mouseClick(fit, Qt::LeftButton);
        QTest::qWait(30);
        QVERIFY(fit->text().startsWith(QStringLiteral("Stop")));
        QTest::keyClick(&page, Qt::Key_Escape);
        QCOMPARE(fit->text(), QStringLiteral("Fit"));
        QVERIFY(settled(*window));
        QTest::qWait(100);
        QVERIFY(!isOffered(page, kApply)); // what the stopped fit found is not shown
    }

    /// Rows of another plan are no rows of the open one.
    void aTableIsOfThePlanItNames()
    {
        auto window = openPage();
        QVERIFY(settled(*window));
        CalibrationPage& page = window->view().calibration();
        window->calibration().addText(QStringLiteral("# plan: gpt2-xl-alpa\nstep_s\n25\n"));
        QVERIFY(settled(*window));
        QCOMPARE(page.rows().rowCount(), 1);
        QVERIFY2(
            page.status().contains(QStringLiteral("“gpt2-xl-alpa”, which the table names")), qPrintable(page.status()));
        QCOMPARE(unread(page), 0);
        window->calibration().addText(QStringLiteral("# plan: nowhere.json\nstep_s\n25\n"));
        QVERIFY(settled(*window));
        QCOMPARE(unread(page), 1);
    }

    void profilesAreSavedAndLoaded()
    {
        auto window = openFitted();
        CalibrationPage& page = window->view().calibration();
        const Plan before = window->workspace().plan();
        press(page, kSave);
        const QString file = inFolder(QStringLiteral("mine.json"));
        QTRY_VERIFY(window->findChild<QFileDialog*>());
        auto* dialog = window->findChild<QFileDialog*>();
        dialog->selectFile(file);
        Q_EMIT dialog->fileSelected(file);
        dialog->close();
        QVERIFY(QFile::exists(file));
        const auto content = readFile(file.toStdString());
        const auto profile = parseProfile(*content, shippedCatalog());
        QVERIFY(profile && profile->id.ends_with("-calibrated")
            && profile->matmulFactor < before.training.software.matmulFactor);

        window->calibration().loadProfile(file);
        QVERIFY(window->workspace().plan().training.software == *profile);
        QCOMPARE(window->workspace().document().undoStack().undoText(),
            QStringLiteral("Use ") + QString::fromStdString(profile->name));
        window->calibration().loadProfile(
            saved(QStringLiteral("no.json"), "{\"format\": \"stratoplan-profile\", \"version\": 1}"));
        QCOMPARE(window->view().messages().kind(), MessageKind::Error);
        QVERIFY(window->view().messages().text().contains(QStringLiteral("no.json")));
        QVERIFY(window->workspace().plan().training.software == *profile);
        QVERIFY(settled(*window));
    }

    void anotherStartEstimatesTheRowsAnew()
    {
        auto window = openPage();
        QVERIFY(settled(*window));
        CalibrationPage& page = window->view().calibration();
        window->calibration().addText(slowRows(window->workspace().plan()));
        QVERIFY(settled(*window));
        const QString before = cell(page, 0, CalibrationModel::StartColumn);
        Picker* const start = &named<Picker>(page, QStringLiteral("Starting profile"));
        QVERIFY(start->items().size() > 10);
        Q_EMIT start->picked(QStringLiteral("megatron-core-2025-plain"));
        QVERIFY(settled(*window));
        QVERIFY(cell(page, 0, CalibrationModel::StartColumn) != before);
    }

    void rowsGoWhereTheKeyboardIs()
    {
        auto window = openPage();
        QVERIFY(settled(*window));
        CalibrationPage& page = window->view().calibration();
        QTest::keyClick(window.get(), Qt::Key_2, Qt::ControlModifier);
        QTest::keyClick(window.get(), Qt::Key_6, Qt::ControlModifier);
        QApplication::clipboard()->setText(slowRows(window->workspace().plan()));
        QVERIFY(QApplication::focusWidget());
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_V, Qt::ControlModifier);
        QVERIFY(settled(*window));
        QVERIFY(page.rows().rowCount() >= 4);
        // The perspective has its place among the others.
        QToolButton* tab = nullptr;
        for (QToolButton* one : window->view().topBar().findChildren<QToolButton*>())
            if (one->defaultAction() == window->actionSet().calibrate)
                tab = one;
        QVERIFY(tab && tab->isVisible() && tab->isChecked());
        QTest::keyClick(window.get(), Qt::Key_2, Qt::ControlModifier);
        QVERIFY(!tab->isChecked());
        QTest::mouseClick(tab, Qt::LeftButton);
        QVERIFY(page.isVisible());
    }

    void rowsAreSwitchedOff()
    {
        auto window = openPage();
        QVERIFY(settled(*window));
        CalibrationPage& page = window->view().calibration();
        window->calibration().addText(QStringLiteral("tp,pp,step_s\n8,8,27\n8,x,27\n8,16,28\n8,4,26\n"));
        QVERIFY(settled(*window));
        QCOMPARE(page.rows().rowCount(), 4);
        QCOMPARE(cell(page, 0, CalibrationModel::RunColumn), QStringLiteral("Pasted 1, line 2"));
        QVERIFY(page.rows().isUnread(1) && !page.rows().isUnread(2));
        QVERIFY(!page.table().horizontalScrollBar()->isVisible());
        press(page, QStringLiteral("Fit"));
        QVERIFY(settled(*window));
        QVERIFY(isOffered(page, kApply));

        // The box, and the space bar, leave a row out of the fit; the fit was of others.
        const QModelIndex first = page.rows().index(0, CalibrationModel::RunColumn);
        const QRect place = page.table().visualRect(first);
        QTest::mouseClick(page.table().viewport(), Qt::LeftButton, {}, QPoint(place.left() + 20, place.center().y()));
        QVERIFY(!page.rows().isUsed(0) && !isOffered(page, kApply));
        QVERIFY2(page.status().contains(QStringLiteral("1 switched off")), qPrintable(page.status()));
        page.table().setFocus();
        page.table().setCurrentIndex(page.rows().index(2, CalibrationModel::MeasuredColumn));
        QTest::keyClick(&page.table(), Qt::Key_Space);
        QVERIFY(!page.rows().isUsed(2));
        press(page, QStringLiteral("Fit"));
        QVERIFY(settled(*window));
        QCOMPARE(cell(page, 0, CalibrationModel::FittedColumn), QStringLiteral("–"));
        QVERIFY(cell(page, 3, CalibrationModel::FittedColumn).endsWith(QStringLiteral(" s")));
        QVERIFY(page.status().contains(QStringLiteral("1 row measures step time")));

        page.table().selectAll();
        Q_EMIT page.table().customContextMenuRequested(QPoint(10, 10));
        auto* menu = page.findChild<QMenu*>();
        QVERIFY(menu && menu->actions().size() == 4);
        QCOMPARE(menu->actions().constFirst()->text(), QStringLiteral("Use in the fit"));
        menu->actions().constFirst()->trigger();
        menu->close();
        QVERIFY(page.rows().isUsed(0) && page.rows().isUsed(2) && page.rows().isUsed(3));
    }

    void rowsAreDeletedAndCalledBack()
    {
        auto window = openPage();
        QVERIFY(settled(*window));
        CalibrationPage& page = window->view().calibration();
        window->calibration().addText(QStringLiteral("tp,pp,step_s\n8,8,27\n8,x,27\n8,16,28\n8,4,26\n"));
        QVERIFY(settled(*window));
        page.table().selectRow(1);
        QTest::keyClick(&page.table(), Qt::Key_Delete);
        QVERIFY(settled(*window));
        QCOMPARE(page.rows().rowCount(), 3);
        QCOMPARE(unread(page), 0);
        QCOMPARE(window->view().messages().text(), QStringLiteral("Deleted 1 row."));
        press(window->view().messages(), QStringLiteral("Undo"));
        QVERIFY(settled(*window));
        QCOMPARE(page.rows().rowCount(), 4);
        window->calibration().addText(QStringLiteral("tp,pp,step_s\n8,8,27\n"));
        QVERIFY(settled(*window));
        QCOMPARE(cell(page, 4, CalibrationModel::RunColumn), QStringLiteral("Pasted 2, line 2"));
    }

    void whatIsNotPlausibleIsNotFittedSilently()
    {
        auto window = openPage();
        QVERIFY(settled(*window));
        CalibrationPage& page = window->view().calibration();
        window->calibration().addText(
            QStringLiteral("tp,step_s,peak_gib,bananas\n8,27000,,1\n8,27,900,2\n8,10,,3\n4,70,,4\n2,30,,5\n"));
        QVERIFY(settled(*window));
        QVERIFY(cell(page, 0, CalibrationModel::UnderstoodColumn, RowDelegate::SecondLineRole)
                    .contains(QStringLiteral("(milliseconds?)")));
        QVERIFY(cell(page, 1, CalibrationModel::UnderstoodColumn, RowDelegate::SecondLineRole)
                    .contains(QStringLiteral("expected at most the 80.0 GiB")));
        QVERIFY2(
            page.status().contains(QStringLiteral("the column \"bananas\" is not known")), qPrintable(page.status()));
        press(page, QStringLiteral("Fit"));
        QVERIFY(settled(*window));
        QVERIFY2(page.status().startsWith(QStringLiteral("The fit does not explain the rows: estimates are off by")),
            qPrintable(page.status()));
        for (QLabel* label : page.findChildren<QLabel*>())
            if (label->text() == page.status())
                QCOMPARE(label->palette().color(label->foregroundRole()), currentTokens().bad);

        const QString log = saved(QStringLiteral("other.log"),
            " iteration 10/ 20 | elapsed time per iteration (ms): 27000.0 | throughput per GPU (TFLOP/s/GPU): 12.5 | "
            "global batch size: 1536 |\n"
            " iteration 20/ 20 | elapsed time per iteration (ms): 27000.0 | throughput per GPU (TFLOP/s/GPU): 12.5 | "
            "global batch size: 1536 |\n");
        press(page, QStringLiteral("Clear"));
        window->calibration().addFiles({log});
        QVERIFY(settled(*window));
        QCOMPARE(page.rows().rowCount(), 1);
        QVERIFY(cell(page, 0, CalibrationModel::UnderstoodColumn, RowDelegate::SecondLineRole)
                    .contains(QStringLiteral("In doubt: the log counts 12.5 TFLOP/s")));
        QVERIFY(!page.rows().isUsed(0) && !isOffered(page, QStringLiteral("Fit")));
        QVERIFY2(page.status().contains(QStringLiteral("1 in doubt")), qPrintable(page.status()));
        QVERIFY(page.rows().setData(page.rows().index(0, 0), Qt::Checked, Qt::CheckStateRole));
        QVERIFY(page.rows().isUsed(0) && isOffered(page, QStringLiteral("Fit")));
    }

    void bannersGoWithTheStateTheySpeakOf()
    {
        auto window = openFitted();
        CalibrationPage& page = window->view().calibration();
        press(page, kApply);
        QVERIFY(window->view().messages().text().startsWith(QStringLiteral("The plan uses ")));
        QVERIFY(settled(*window));
        // The range is that of the base, and what the plan leaves of the runs is named.
        const EstimatePointer answer = window->workspace().estimate();
        QVERIFY(answer && *answer && (*answer)->stepHigh > (*answer)->step * 1.01);
        QTest::keyClick(window.get(), Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(window->view().messages().text().isEmpty());
        QVERIFY(settled(*window));
    }

    void bothThemesAndSmallWindowsHoldEverything()
    {
        for (const ThemeKind theme : {ThemeKind::Light, ThemeKind::Dark, ThemeKind::HighContrast}) {
            applyTheme(*qApp, theme);
            auto window = openFitted();
            CalibrationPage& page = window->view().calibration();
            window->resize(800, 560);
            QTest::qWait(20);
            QVERIFY2(window->width() <= 830, qPrintable(QString::number(window->width())));
            for (QPushButton* one : page.findChildren<QPushButton*>())
                if (one->isVisible())
                    QVERIFY2(
                        page.rect().contains(QRect(one->mapTo(&page, QPoint()), one->size())), qPrintable(one->text()));
            QVERIFY(page.table().columnWidth(CalibrationModel::UnderstoodColumn) >= 200);
        }
        applyTheme(*qApp, ThemeKind::Light);
    }
};

int main(int argc, char** argv)
{
    failOnWarnings();
    QApplication application(argc, argv);
    TestCalibrationPage test;
    return QTest::qExec(&test, argc, argv);
}
#include "test_calibration_page.moc"
