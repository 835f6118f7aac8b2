// SPDX-License-Identifier: GPL-3.0-or-later
// Plans compared in the window, by real events: figures against the baseline, notes, what differs, copies and files.
#include "app/gui/compare/compare_page.h"
#include "app/gui/compare/compared_charts.h"
#include "app/gui/window/central_view.h"
#include "core/units/format.h"
#include "tests/app/gui/window/window_test.h"
#include "widgets/charts/breakdown_chart.h"
#include "widgets/charts/memory_chart.h"
#include "widgets/charts/scaling_chart.h"
#include "widgets/panels/inputs_panel.h"
#include "widgets/presentation/text.h"
#include "widgets/shell/message_bar.h"
#include "widgets/style/theme.h"

#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QFileDialog>
#include <QHeaderView>
#include <QInputDialog>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QTableView>

#include <cmath>

using namespace stratoplan;
using namespace stratoplan::gui;
using namespace stratoplan::session;
using namespace stratoplan::test;

namespace {

QString cellText(ComparePage& page, int row, Figure figure, int role)
{
    return page.model().index(row, PlansModel::columnOf(figure)).data(role).toString();
}

/// Pinned three times: as it is, with dearer accelerators and a first day, and with larger micro-batches.
void pinThree(MainWindow& window)
{
    Workspace& workspace = window.workspace();
    plan::CapacityInputs inputs = workspace.document().project().capacity;
    inputs.tokens = 3e11;
    inputs.pricePerAcceleratorHour = 2;
    inputs.start = "2027-01-01";
    workspace.editCapacity(inputs, QStringLiteral("run"));
    QTest::keyClick(&window, Qt::Key_D, Qt::ControlModifier | Qt::ShiftModifier);
    inputs.pricePerAcceleratorHour = 5;
    workspace.editCapacity(inputs, QStringLiteral("price"));
    QTest::keyClick(&window, Qt::Key_D, Qt::ControlModifier | Qt::ShiftModifier);
    plan::Plan plan = workspace.plan();
    plan.strategy.microBatch *= 2;
    workspace.editPlan(plan, QStringLiteral("micro-batch"));
    QTest::keyClick(&window, Qt::Key_D, Qt::ControlModifier | Qt::ShiftModifier);
    QTest::keyClick(&window, Qt::Key_5, Qt::ControlModifier);
}

} // namespace

class TestComparePage : public WindowTest {
    Q_OBJECT

    [[nodiscard]] std::unique_ptr<MainWindow> openCompared() const
    {
        auto window = openWindow();
        pinThree(*window);
        return window;
    }

private Q_SLOTS:
    void initTestCase()
    {
        failOnWarnings();
        widgets::applyTheme(*qApp, widgets::ThemeKind::Light);
    }

    /// Against what the core says of each plan with its own inputs.
    void everyPlanHasItsOwnPrices()
    {
        const auto window = openCompared();
        QVERIFY(settled(*window));
        ComparePage& page = window->view().compare();
        const QAbstractItemModelTester tester(&page.model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        const QAbstractItemModelTester inputs(
            &page.inputsModel(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(page.model().rowCount(), 4);
        QCOMPARE(page.model().baseline(), 1);
        const plan::Project& project = window->workspace().document().project();
        for (int pin = 0; pin < 3; ++pin) {
            const plan::PinnedPlan& pinned = project.pinned[std::size_t(pin)];
            const auto run = capacity::capacity(
                pinned.plan, **window->workspace().pins().estimates()[std::size_t(pin)], pinned.capacity);
            QCOMPARE(cellText(page, pin + 1, Figure::Cost, Qt::DisplayRole), widgets::moneyText(run.cost.mid, "USD"));
            QCOMPARE(cellText(page, pin + 1, Figure::Energy, Qt::DisplayRole), widgets::energyText(run.energyKwh.mid));
            QCOMPARE(cellText(page, pin + 1, Figure::Cost, PlansModel::RangeRole),
                widgets::rangeText(widgets::moneyText(run.cost.low, "USD"), widgets::moneyText(run.cost.high, "USD")));
        }
        // B is A at 5 in the place of 2: as long, and dearer by 150 %.
        const auto a = amountOf(Figure::Cost, page.model().plans()[1]);
        const auto b = amountOf(Figure::Cost, page.model().plans()[2]);
        QVERIFY(std::abs(b->mid / a->mid - 2.5) < 1e-9);
        QCOMPARE(cellText(page, 2, Figure::Cost, PlansModel::DeltaRole),
            QStringLiteral("▲ +") + widgets::moneyText(b->mid - a->mid, "USD"));
        QCOMPARE(cellText(page, 2, Figure::Days, PlansModel::DeltaRole), QStringLiteral("±0"));
        QCOMPARE(cellText(page, 1, Figure::Cost, PlansModel::DeltaRole), QString()); // the baseline itself
        discardAndClose(*window);
    }

    void everyDifferenceIsJudged()
    {
        const auto window = openCompared();
        QVERIFY(settled(*window));
        ComparePage& page = window->view().compare();
        for (int row : {0, 2, 3})
            for (const Figure figure : kFigures) {
                const auto now = amountOf(figure, page.model().plans()[std::size_t(row)]);
                const auto before = amountOf(figure, page.model().plans()[1]);
                QVERIFY(now && before);
                const QString delta = cellText(page, row, figure, PlansModel::DeltaRole);
                const bool more = delta.startsWith(QStringLiteral("▲ +"));
                QVERIFY2(more || delta.startsWith(QStringLiteral("▼ −")) || delta == QStringLiteral("±0"),
                    qPrintable(delta));
                const int judged =
                    page.model().index(row, PlansModel::columnOf(figure)).data(PlansModel::JudgementRole).toInt();
                const bool moreIsBetter = figure == Figure::Tokens || figure == Figure::Mfu;
                QCOMPARE(judged, delta == QStringLiteral("±0") ? 0 : more == moreIsBetter ? 1 : -1);
                if (judged != 0)
                    QCOMPARE(more, now->mid > before->mid);
            }
        // The day on which it is done is so many days after the first.
        const auto days = amountOf(Figure::Days, page.model().plans()[1]);
        const QDate done = QDate(2027, 1, 1).addDays(qint64(std::floor(days->mid)));
        QCOMPARE(cellText(page, 1, Figure::Done, Qt::DisplayRole),
            QLocale(QLocale::English).toString(done, QStringLiteral("d MMM yyyy")));
        discardAndClose(*window);
    }

    void whatIsNotKnownSaysWhy()
    {
        const auto window = openCompared();
        plan::CapacityInputs inputs = window->workspace().document().project().capacity;
        inputs.tokens = 0;
        inputs.start.clear();
        window->workspace().editCapacity(inputs, QStringLiteral("no budget"));
        QVERIFY(settled(*window));
        ComparePage& page = window->view().compare();
        for (const Figure figure : {Figure::Days, Figure::Done, Figure::Cost, Figure::Energy, Figure::Accelerators}) {
            QCOMPARE(cellText(page, 0, figure, Qt::DisplayRole), QStringLiteral("–"));
            QCOMPARE(cellText(page, 0, figure, PlansModel::DeltaRole), QString());
            QVERIFY(cellText(page, 0, figure, Qt::ToolTipRole).contains(QStringLiteral("token budget")));
        }
        QVERIFY(cellText(page, 0, Figure::Step, Qt::DisplayRole).endsWith(QStringLiteral(" s")));
        discardAndClose(*window);
    }

    void aNoteIsWrittenUndoneAndKept()
    {
        const QString path = inFolder(QStringLiteral("noted.json"));
        {
            const auto window = openCompared();
            QVERIFY(settled(*window));
            ComparePage& page = window->view().compare();
            page.table().selectRow(2);
            page.table().setFocus();
            QTest::keyClick(&page.table(), Qt::Key_N);
            auto* dialog = page.findChild<QInputDialog*>();
            QVERIFY(dialog && dialog->isVisible());
            QTest::keyClicks(dialog->findChild<QPlainTextEdit*>(), QStringLiteral("Needs the new leaves."));
            dialog->accept();
            const QModelIndex name = page.model().index(2, PlansModel::NameColumn);
            QCOMPARE(name.data(PlansModel::DeltaRole).toString(), QStringLiteral("Needs the new leaves."));
            QVERIFY(name.data(Qt::ToolTipRole).toString().endsWith(QStringLiteral("\n\nNeeds the new leaves.")));
            QCOMPARE(page.table().currentIndex().row(), 2); // as before
            window->actionSet().undo->trigger();
            QCOMPARE(window->workspace().document().project().pinned[1].note, std::string());
            window->actionSet().redo->trigger();
            QCOMPARE(window->workspace().document().project().pinned[1].note, std::string("Needs the new leaves."));
            QVERIFY(window->workspace().document().save(path));
            QVERIFY(window->close());
        }
        const auto window = openWindow({.path = path, .perspective = Perspective::Compare});
        QVERIFY(settled(*window));
        ComparePage& page = window->view().compare();
        QCOMPARE(page.model().plans()[2].note, QStringLiteral("Needs the new leaves."));
        QCOMPARE(page.model().plans()[1].note, QString());
        QVERIFY(window->close());
    }

    void onlyWhatDiffersIsListed()
    {
        const auto window = openCompared();
        QVERIFY(settled(*window));
        ComparePage& page = window->view().compare();
        InputsModel& model = page.inputsModel();
        QCOMPARE(model.differing(), 2); // the price of A, the micro-batch of C and of this plan
        page.showBelow(ComparePage::Below::Inputs);
        QVERIFY(page.inputs().isVisible() && !page.charts().isVisible());
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.columnCount(), 5);
        QCOMPARE(model.index(1, 0).data().toString(), QStringLiteral("Price"));
        QCOMPARE(model.index(1, 0).data(InputsModel::PartRole).toString(), QStringLiteral("Run"));
        QCOMPARE(model.index(1, 2).data().toString(), widgets::text(units::formatNumber(2)) + QStringLiteral(" USD/h"));
        QVERIFY(model.index(1, 3).data(InputsModel::DiffersRole).toBool()); // from A, the baseline
        QVERIFY(!model.index(1, 2).data(InputsModel::DiffersRole).toBool());
        press(page, QStringLiteral("Show all inputs"));
        QVERIFY(model.rowCount() > 60);
        press(page, QStringLiteral("Show all inputs"));
        QCOMPARE(model.rowCount(), 2);
        discardAndClose(*window);
    }

    void chartsShowPlansOnCommonAxes()
    {
        QCOMPARE(comparedRows(3, 2), (std::vector<std::size_t>{0, 1, 2}));
        QCOMPARE(comparedRows(7, 3), (std::vector<std::size_t>{0, 1, 2, 3}));
        QCOMPARE(comparedRows(7, 5), (std::vector<std::size_t>{0, 1, 2, 5}));
        const auto window = openCompared();
        QVERIFY(settled(*window));
        ComparedCharts& charts = window->view().compare().charts();
        QVERIFY(charts.breakdown().isVisible() && charts.memory().isVisible() && charts.scaling().isVisible());
        const auto& steps = *charts.breakdown().view();
        QCOMPARE(steps.stacks.size(), std::size_t(4));
        QCOMPARE(steps.stacks[1].label, QStringLiteral("A"));
        QVERIFY(!steps.stacks[1].remark.contains(u'▲') && !steps.stacks[1].remark.contains(u'▼'));
        const double a = steps.stacks[1].total, c = steps.stacks[3].total;
        QVERIFY(steps.stacks[3].remark.contains(c > a ? u'▲' : u'▼'));
        const widgets::BreakdownChart& breakdown = charts.breakdown();
        // One axis: bars are as long as their steps.
        const auto lengthOf = [&](std::size_t stack) {
            double length = 0;
            for (std::size_t j = 0; j < steps.stacks[stack].segments.size(); ++j)
                length += steps.stacks[stack].segments[j].inside ? 0 : breakdown.segmentRect({stack, j}).width();
            return length;
        };
        QVERIFY(std::abs(lengthOf(3) / lengthOf(1) - c / a) < 0.02);
        const auto& memory = *charts.memory().view();
        QCOMPARE(memory.stacks.size(), std::size_t(4));
        QCOMPARE(widgets::text(units::Bytes(memory.stacks[1].total)),
            widgets::text((**window->workspace().pins().estimates()[0]).memory.peak));
        QCOMPARE(charts.scaling().curves().size(), std::size_t(4));
        for (const auto& curve : charts.scaling().curves())
            QVERIFY(curve.points.size() >= 2);
        // B is A with another price: it scales alike.
        QCOMPARE(charts.scaling().curves()[1].points.front().y, charts.scaling().curves()[2].points.front().y);
        discardAndClose(*window);
    }

    void theTableIsCopiedAndWritten()
    {
        const auto window = openCompared();
        QVERIFY(settled(*window));
        ComparePage& page = window->view().compare();
        page.table().setFocus();
        QTest::keyClick(&page.table(), Qt::Key_C, Qt::ControlModifier);
        const QString text = QApplication::clipboard()->text();
        QCOMPARE(text, widgets::toTsv(page.comparison()));
        QCOMPARE(text.count(u'\n'), 5);
        QVERIFY(text.startsWith(QStringLiteral("Plan\tNote\tCurrency\tAccelerators used\tFits\tDuration, days\t")));
        QVERIFY(QApplication::clipboard()->mimeData()->html().contains(QStringLiteral("<th>Cost</th>")));
        for (const QStringList& row : page.comparison().rows)
            QCOMPARE(row.size(), page.comparison().columns.size());
        const auto exported = [&](const QString& path) {
            QTest::keyClick(&page.table(), Qt::Key_E, Qt::ControlModifier | Qt::AltModifier);
            auto* dialog = page.findChild<QFileDialog*>();
            QVERIFY(dialog && dialog->isVisible());
            Q_EMIT dialog->fileSelected(path);
            dialog->close();
            QCoreApplication::sendPostedEvents(dialog, QEvent::DeferredDelete);
        };
        exported(inFolder(QStringLiteral("plans.csv")));
        QFile file(inFolder(QStringLiteral("plans.csv")));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(QString::fromUtf8(file.readAll()), widgets::toCsv(page.comparison()));
        QCOMPARE(window->view().messages().kind(), widgets::MessageKind::Done);
        exported(QStringLiteral("/nowhere/at/all/plans.csv"));
        QCOMPARE(window->view().messages().kind(), widgets::MessageKind::Error);
        QVERIFY(window->view().messages().text().contains(QStringLiteral("/nowhere/at/all/plans.csv")));
        discardAndClose(*window);
    }

    /// At the sizes of small screens, with the form beside it.
    void noColumnIsCut()
    {
        const auto window = openCompared();
        QVERIFY(settled(*window));
        ComparePage& page = window->view().compare();
        window->resize(1280, 800);
        QTest::qWait(50);
        QCOMPARE(window->size(), QSize(1280, 800));
        QVERIFY(window->view().inputs().isVisible());
        QCOMPARE(page.table().horizontalScrollBar()->maximum(), 0);
        for (int column = 0; column < page.model().columnCount(); ++column)
            for (int row = 0; row < page.model().rowCount(); ++row) {
                const QSize hint = page.table().sizeHintForIndex(page.model().index(row, column));
                if (column != PlansModel::NameColumn) // whose texts are elided, and told whole in its tooltip
                    QVERIFY(page.table().columnWidth(column) >= hint.width());
            }
        window->resize(800, 560);
        QTest::qWait(50);
        QCOMPARE(window->size(), QSize(800, 560));
        int shown = 0;
        for (const widgets::ChartView* chart : page.charts().charts())
            shown += chart->isVisible() ? 1 : 0;
        QCOMPARE(shown, 1);
        discardAndClose(*window);
    }

    void actionsOfPinsAreReachedByKeys()
    {
        const auto window = openCompared();
        QVERIFY(settled(*window));
        ComparePage& page = window->view().compare();
        page.table().setFocus();
        page.table().selectRow(0); // the plan being edited is no pin
        QTest::keyClick(&page.table(), Qt::Key_Delete);
        QCOMPARE(page.model().rowCount(), 4);
        page.table().selectRow(3);
        QTest::keyClick(&page.table(), Qt::Key_B);
        QCOMPARE(window->workspace().document().project().pinned.front().name.substr(0, 1), std::string("C"));
        page.table().selectRow(3);
        QTest::keyClick(&page.table(), Qt::Key_Delete);
        QCOMPARE(page.model().rowCount(), 3);
        QVERIFY(settled(*window));
        discardAndClose(*window);
    }
};

QTEST_MAIN(TestComparePage)
#include "test_compare_page.moc"
