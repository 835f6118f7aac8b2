// SPDX-License-Identifier: GPL-3.0-or-later
// Studies in the window, as a person meets them: the example, answers of one's own, broken files, the three views of
// one filter.
#include "app/gui/studies/study_model.h"
#include "app/gui/studies/study_page.h"
#include "app/gui/window/actions.h"
#include "app/gui/window/central_view.h"
#include "tests/app/gui/window/window_test.h"
#include "widgets/charts/heat_map.h"
#include "widgets/charts/scaling_chart.h"
#include "widgets/panels/choice_field.h"
#include "widgets/panels/inputs_panel.h"
#include "widgets/shell/message_bar.h"
#include "widgets/style/theme.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTableView>
#include <QTest>
#include <QUndoStack>

using namespace stratoplan::gui;
using namespace stratoplan::plan;
using namespace stratoplan::session;
using namespace stratoplan::widgets;
using namespace stratoplan::test;

namespace {

/// A line of a sweep over batch and nodes; no figures: nothing fits.
QByteArray line(int number, int batch, int nodes, double step = 0, bool fits = true)
{
    QByteArray text = QByteArrayLiteral(
        R"({"number":%1,"plan":"gpt3-175b-1024-a100","values":{"/training/global_batch":%2,"/nodes":%3},"best":%4})");
    QByteArray best = "null";
    if (step > 0)
        best = QByteArrayLiteral(R"({"strategy":{"tp":8,"pp":8,"dp":1,"vpp":1,"micro_batch":1},"step_s":)")
            + QByteArray::number(step) + ",\"tokens_per_s\":" + QByteArray::number(2048.0 * batch / step)
            + ",\"mfu\":0.5,\"fits\":" + (fits ? "true" : "false")
            + ",\"peak_bytes\":6e10,\"accelerators\":" + QByteArray::number(8 * nodes) + '}';
    return text.replace("%1", QByteArray::number(number))
               .replace("%2", QByteArray::number(batch))
               .replace("%3", QByteArray::number(nodes))
               .replace("%4", best)
        + '\n';
}

/// Two batches on 8, 16 and 32 nodes: one does not fit at all, one is over the memory.
QByteArray answers()
{
    return line(0, 512, 8) + line(1, 512, 16, 20) + line(2, 512, 32, 12) + line(3, 1024, 8, 80, false)
        + line(4, 1024, 16, 38) + line(5, 1024, 32, 20);
}

} // namespace

class TestStudyPage : public WindowTest {
    Q_OBJECT

private:
    std::unique_ptr<MainWindow> openPage() const { return openWindow({.perspective = Perspective::Studies}); }

    /// With the answers of this text open.
    std::unique_ptr<MainWindow> openWith(const QByteArray& text)
    {
        auto window = openPage();
        drop(*window, {saved(QStringLiteral("answers.jsonl"), text)});
        [](bool done) { QVERIFY(done); }(settled(*window));
        return window;
    }

    static int columnOf(const StudyPage& page, const QString& heading)
    {
        for (int column = 0; column < page.model().columnCount(); ++column)
            if (page.model().headerData(column, Qt::Horizontal, Qt::DisplayRole).toString() == heading)
                return column;
        return -1;
    }

    static QString cell(const StudyPage& page, int row, const QString& heading)
    {
        return page.model().index(row, columnOf(page, heading)).data().toString();
    }

    static void clickHeading(const QTableView& table, int column)
    {
        QHeaderView& header = *table.horizontalHeader();
        QTest::mouseClick(header.viewport(), Qt::LeftButton, {},
            QPoint(header.sectionViewportPosition(column) + 12, header.height() / 2));
    }

    static void choose(ChoiceField& field, const QString& text)
    {
        field.setFocus();
        field.setCurrentIndex(0);
        for (int i = 0; field.currentText() != text && i < field.count(); ++i)
            QTest::keyClick(&field, Qt::Key_Down);
        QCOMPARE(field.currentText(), text);
    }

private Q_SLOTS:
    void anEmptyPageSaysWhatToDo()
    {
        const auto window = openPage();
        QCOMPARE(window->view().perspective(), Perspective::Studies);
        StudyPage& page = window->view().studies();
        QVERIFY2(page.isVisible() && page.emptyText().contains(QStringLiteral("No study is open")),
            qPrintable(page.emptyText()));
        QVERIFY(!window->view().inputs().isVisible()); // of another plan
        for (const QLabel* label : page.findChildren<QLabel*>())
            if (label->isVisible() && label->wordWrap())
                QVERIFY2(label->height() >= label->heightForWidth(label->width()), qPrintable(label->text()));
        press(page, QStringLiteral("Show the example"));
        QVERIFY(settled(*window));
        QVERIFY(page.emptyText().isEmpty() && page.faultText().isEmpty());
        QVERIFY(page.model().rowCount() >= 8);
        QVERIFY(!page.scaling().isEmpty() && !page.heatMap().isEmpty());
        QVERIFY2(page.titleText().contains(QStringLiteral("shipped example")), qPrintable(page.titleText()));
        QTest::keyClick(window.get(), Qt::Key_2, Qt::ControlModifier);
        QVERIFY(!page.isVisible() && window->view().inputs().isVisible());
    }

    /// The table takes the whole width, also when the answers come while the window is being opened.
    void theTableFillsItsWidth()
    {
        const auto window = newWindow();
        window->setPerspective(Perspective::Studies);
        window->start({});
        window->openStudy({saved(QStringLiteral("answers.jsonl"), answers())});
        show(*window);
        QVERIFY(settled(*window));
        const QTableView& table = *window->view().studies().findChild<QTableView*>();
        const QHeaderView& header = *table.horizontalHeader();
        const int last = header.count() - 1;
        QTRY_COMPARE(std::max(header.length(), table.viewport()->width()), header.length());
        QCOMPARE(header.sectionPosition(last) + header.sectionSize(last), header.length());
    }

    void answersAreDrawnAndListed()
    {
        const auto window = openWith(answers());
        StudyPage& page = window->view().studies();
        QAbstractItemModelTester tester(&page.model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(page.model().rowCount(), 6);
        QCOMPARE(cell(page, 0, QStringLiteral("Outcome")), QStringLiteral("nothing fits"));
        QCOMPARE(cell(page, 0, QStringLiteral("Step time")), QStringLiteral("–"));
        QCOMPARE(cell(page, 1, QStringLiteral("Step time")), QStringLiteral("20.0 s"));
        QCOMPARE(cell(page, 1, QStringLiteral("Accelerators")), QStringLiteral("128"));
        QCOMPARE(cell(page, 3, QStringLiteral("Outcome")), QStringLiteral("too large"));
        // Over the GPUs, a curve for each batch; the ideal throughput doubles.
        choose(named<ChoiceField>(page, QStringLiteral("Figure to show")), QStringLiteral("Throughput"));
        const auto& curves = page.scaling().curves();
        QCOMPARE(curves.size(), 2u);
        QCOMPARE(curves[0].name, QStringLiteral("512"));
        QCOMPARE(curves[0].points.size(), 2u);
        QCOMPARE(curves[1].points.size(), 3u);
        QCOMPARE(curves[0].points.back().x, 256.0);
        QCOMPARE(*page.scaling().idealAt(curves[0], 256), 2 * curves[0].points.front().y);
        // Nodes by batch.
        const StudyGrid& grid = page.heatMap().grid();
        QCOMPARE(grid.columns.size(), 3u);
        QCOMPARE(grid.rows.size(), 2u);
        QVERIFY(grid.at(0, 0).point && !grid.at(0, 0).value); // nothing fits
        QCOMPARE(*grid.at(2, 1).point, 5u);
        QCOMPARE(page.heatMap().worth(grid.high), 1.0);
        QCOMPARE(page.heatMap().table().rows[0][1], QStringLiteral("nothing fits"));
    }

    void anotherFigureIsChosenWithTheKeys()
    {
        const auto window = openWith(answers());
        StudyPage& page = window->view().studies();
        choose(named<ChoiceField>(page, QStringLiteral("Figure to show")), QStringLiteral("Step time"));
        QCOMPARE(page.scaling().curves()[0].points.front().y, 20.0);
        QCOMPARE(*page.scaling().idealAt(page.scaling().curves()[0], 256), 10.0);
        QCOMPARE(page.heatMap().grid().low, 12.0);
        QCOMPARE(page.heatMap().worth(12), 1.0); // short is good
        choose(named<ChoiceField>(page, QStringLiteral("Figure to show")), QStringLiteral("Peak memory"));
        QVERIFY(!page.scaling().idealAt(page.scaling().curves()[0], 256));
        choose(named<ChoiceField>(page, QStringLiteral("Series of the curve")), QStringLiteral("nothing"));
        QCOMPARE(page.scaling().curves().size(), 1u);
        choose(named<ChoiceField>(page, QStringLiteral("Rows of the heat map")), QStringLiteral("nothing"));
        QCOMPARE(page.heatMap().grid().rows.size(), 1u);
    }

    void whatIsFilteredLeavesAllViews()
    {
        const auto window = openWith(answers());
        StudyPage& page = window->view().studies();
        page.filterLine().setFocus();
        QTest::keyClicks(&page.filterLine(), QStringLiteral("global_batch=1024 fits"));
        QCOMPARE(page.model().rowCount(), 2);
        QCOMPARE(page.scaling().curves().size(), 1u);
        QCOMPARE(page.heatMap().grid().columns.size(), 2u);
        page.filterLine().selectAll();
        QTest::keyClicks(&page.filterLine(), QStringLiteral("gpus>=256"));
        QCOMPARE(page.model().rowCount(), 2);
        page.filterLine().selectAll();
        QTest::keyClicks(&page.filterLine(), QStringLiteral("speed>3"));
        bool told = false;
        for (const QLabel* label : page.findChildren<QLabel*>())
            told = told
                || (label->isVisible()
                    && label->text().contains(QStringLiteral("“speed” is none of gpus, global_batch, nodes")));
        QVERIFY(told);
    }

    void rowsSortAsNumbers()
    {
        const auto window = openWith(answers());
        StudyPage& page = window->view().studies();
        const int column = columnOf(page, QStringLiteral("Step time"));
        clickHeading(page.table(), column);
        QStringList first;
        for (int row = 0; row < 6; ++row)
            first << page.model().index(row, column).data().toString();
        clickHeading(page.table(), column);
        QStringList second;
        for (int row = 0; row < 6; ++row)
            second << page.model().index(row, column).data().toString();
        QCOMPARE(first.last(), QStringLiteral("–"));
        QCOMPARE(second.last(), QStringLiteral("–")); // what has none comes last either way
        QCOMPARE(QSet<QString>({first.first(), second.first()}),
            QSet<QString>({QStringLiteral("12.0 s"), QStringLiteral("80.0 s")}));
    }

    void aCellOpensAsAPlan()
    {
        const auto window = openWith(answers());
        StudyPage& page = window->view().studies();
        HeatMap& map = page.heatMap();
        QVERIFY(!isOffered(page, QStringLiteral("Open as a plan")));
        const QPoint cell = map.pointAt(4).toPoint(); // 1,024 on 16 nodes
        QTest::mouseClick(plotOf(map), Qt::LeftButton, {}, cell);
        QCOMPARE(page.chosen(), std::optional<std::size_t>(4));
        QCOMPARE(page.scaling().chosenAnswer(), std::optional<std::size_t>(4));
        QCOMPARE(page.model().pointOf(page.table().currentIndex().row()), 4u);
        // Let go, and chosen again by a click on its row, which is the table's current one still.
        QTest::keyClick(&page.table(), Qt::Key_Escape);
        QVERIFY(!page.chosen() && !isOffered(page, QStringLiteral("Open as a plan")));
        QTest::mouseClick(
            page.table().viewport(), Qt::LeftButton, {}, page.table().visualRect(page.table().currentIndex()).center());
        QCOMPARE(page.chosen(), std::optional<std::size_t>(4));
        QVERIFY(map.toolTipAt(cell).contains(QStringLiteral("38.0 s per step")));
        QVERIFY(map.toolTipAt(map.pointAt(0)).contains(QStringLiteral("No strategy fits")));
        QTest::mouseDClick(plotOf(map), Qt::LeftButton, {}, cell);
        QVERIFY(settled(*window));
        QCOMPARE(window->view().perspective(), Perspective::Explore);
        const Plan& plan = window->workspace().plan();
        QCOMPARE(plan.training.globalBatch, 1024);
        QCOMPARE(plan.cluster.nodes.front().count, 16);
        QCOMPARE(plan.strategy.pp, 8);
        QVERIFY(window->workspace().document().path().isEmpty());
    }

    void unsavedWorkIsNotLostToAPoint()
    {
        const auto window = openWith(answers());
        Plan edited = window->workspace().plan();
        edited.strategy.tp = 4;
        window->workspace().editPlan(edited, QStringLiteral("work"));
        StudyPage& page = window->view().studies();
        page.table().selectRow(4);
        page.table().setFocus();
        QTest::keyClick(&page.table(), Qt::Key_Return);
        answer(*window, QMessageBox::Cancel);
        QCOMPARE(window->view().perspective(), Perspective::Studies);
        QVERIFY(window->workspace().plan() == edited);
        press(page, QStringLiteral("Open as a plan"));
        answer(*window, QMessageBox::Discard);
        QTRY_COMPARE(window->workspace().plan().training.globalBatch, 1024);
    }

    void theKeysWalkOverTheMap()
    {
        const auto window = openWith(answers());
        HeatMap& map = window->view().studies().heatMap();
        map.setFocus();
        QTest::keyClick(&map, Qt::Key_Right);
        QTest::keyClick(&map, Qt::Key_Right);
        QTest::keyClick(&map, Qt::Key_Down);
        QVERIFY2(
            map.pointedText().contains(QStringLiteral("Global batch 1,024 · Nodes 16")), qPrintable(map.pointedText()));
        QTest::keyClick(&map, Qt::Key_Return);
        QVERIFY(settled(*window));
        QCOMPARE(window->workspace().plan().training.globalBatch, 1024);
    }

    void partsAndStudyAreDroppedTogether()
    {
        const auto window = openPage();
        const QByteArray all = answers();
        const qsizetype half = all.indexOf("{\"number\":3");
        const QString study = saved(QStringLiteral("study.json"),
            R"({"format":"stratoplan-study","version":1,"name":"batches","plan":"gpt3-175b-1024-a100",
            "grid":{"/training/global_batch":[512,1024],"/nodes":[8,16,32,64]}})");
        drop(*window,
            {saved(QStringLiteral("b.jsonl"), all.mid(half)), study, saved(QStringLiteral("a.jsonl"), all.left(half))});
        QVERIFY(settled(*window));
        StudyPage& page = window->view().studies();
        QCOMPARE(page.model().rowCount(), 6);
        QVERIFY2(page.titleText().startsWith(QStringLiteral("batches · 6 of 8 plans answered")),
            qPrintable(page.titleText()));
        drop(*window, {study});
        QVERIFY(settled(*window));
        QVERIFY2(page.emptyText().contains(QStringLiteral("8 plans, not answered yet"))
                && page.emptyText().contains(QStringLiteral("sweep study.json")),
            qPrintable(page.emptyText()));
    }

    void aBrokenLineIsNamed()
    {
        const auto window = openWith(line(0, 512, 16, 20) + "{ oops\n" + line(2, 512, 32, 12));
        StudyPage& page = window->view().studies();
        QCOMPARE(page.model().rowCount(), 2);
        QVERIFY2(
            page.faultText().contains(QStringLiteral("answers.jsonl, line 2: no JSON")), qPrintable(page.faultText()));
        window->openStudy({inFolder(QStringLiteral("missing.jsonl"))});
        QVERIFY(settled(*window));
        QVERIFY2(page.emptyText().contains(QStringLiteral("missing.jsonl")), qPrintable(page.emptyText()));
    }

    /// As `stratoplan answers.jsonl` does.
    void answersNamedAtStartAreShown()
    {
        const QString file = saved(QStringLiteral("answers.jsonl"), answers());
        const auto window = openWindow({.path = file});
        QVERIFY(settled(*window));
        QCOMPARE(window->view().perspective(), Perspective::Studies);
        QCOMPARE(window->view().studies().model().rowCount(), 6);
        QVERIFY(window->workspace().plan().strategy.tp > 1); // the first example, as ever
        QVERIFY(window->view().messages().text().isEmpty());
    }

    void partsAreAddedToWhatIsOpen()
    {
        const QByteArray all = answers();
        const qsizetype half = all.indexOf("{\"number\":3");
        const auto window = openWith(all.left(half));
        StudyPage& page = window->view().studies();
        QCOMPARE(page.model().rowCount(), 3);
        press(page, QStringLiteral("Add parts…"));
        QTRY_VERIFY(window->findChild<QFileDialog*>());
        auto* chooser = window->findChild<QFileDialog*>();
        Q_EMIT chooser->filesSelected({saved(QStringLiteral("more.jsonl"), all.mid(half))});
        chooser->close();
        QVERIFY(settled(*window));
        QCOMPARE(page.model().rowCount(), 6);
    }

    void chosenInTheDialog()
    {
        const auto window = openPage();
        const QString file = saved(QStringLiteral("answers.jsonl"), answers());
        QTest::keyClick(window.get(), Qt::Key_O, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_VERIFY(window->findChild<QFileDialog*>());
        auto* chooser = window->findChild<QFileDialog*>();
        QCOMPARE(chooser->fileMode(), QFileDialog::ExistingFiles);
        Q_EMIT chooser->filesSelected({file});
        chooser->close();
        QVERIFY(settled(*window));
        QCOMPARE(window->view().studies().model().rowCount(), 6);
    }

    void theTableIsExportedAsNumbers()
    {
        const auto window = openWith(answers());
        const ChartTable table = window->view().studies().model().table();
        QVERIFY(table.columns.contains(QStringLiteral("Step time, s")));
        const qsizetype step = table.columns.indexOf(QStringLiteral("Step time, s"));
        QCOMPARE(table.rows[1][step], QStringLiteral("20"));
        QCOMPARE(table.rows[0][step], QString());
        for (StudyChart* chart : {static_cast<StudyChart*>(&window->view().studies().scaling()),
                 static_cast<StudyChart*>(&window->view().studies().heatMap())}) {
            for (const char* suffix : {"svg", "png", "csv"}) {
                const QString file = inFolder(QStringLiteral("picture.") + QLatin1String(suffix));
                QCOMPARE(chart->exportTo(file), QString());
                QVERIFY(QFileInfo(file).size() > 40);
            }
        }
    }

    void manyPointsAreShown()
    {
        QByteArray text;
        int number = 0;
        for (int batch = 1; batch <= 100; ++batch)
            for (int nodes = 1; nodes <= 100; ++nodes)
                text += line(number++, 64 * batch, nodes, 10.0 * batch / nodes);
        const auto window = openWith(text);
        StudyPage& page = window->view().studies();
        QCOMPARE(page.model().rowCount(), 10000);
        choose(named<ChoiceField>(page, QStringLiteral("Figure to show")), QStringLiteral("Step time"));
        QCOMPARE(page.heatMap().grid().cells.size(), 10000u);
    }
};

int main(int argc, char** argv)
{
    failOnWarnings();
    QApplication app(argc, argv);
    applyTheme(app, ThemeKind::Light);
    TestStudyPage test;
    return QTest::qExec(&test, argc, argv);
}

#include "test_study_page.moc"
