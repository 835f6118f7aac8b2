// SPDX-License-Identifier: GPL-3.0-or-later
// The partition explorer and its parts under real events.
#include "tests/widgets/charts/pictures.h"
#include "tests/widgets/charts/qt_messages.h"
#include "tests/widgets/partition/pictures.h"
#include "widgets/partition/grid_legend.h"
#include "widgets/partition/partition_explorer.h"
#include "widgets/partition/partition_grid.h"
#include "widgets/partition/partition_panes.h"
#include "widgets/partition/partition_table.h"
#include "widgets/partition/rank_panel.h"
#include "widgets/partition/step_bar.h"
#include "widgets/presentation/partition_text.h"
#include "widgets/presentation/text.h"
#include "widgets/style/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QHelpEvent>
#include <QLabel>
#include <QMenu>
#include <QSignalSpy>
#include <QTabBar>
#include <QTableView>
#include <QTableWidget>
#include <QTest>
#include <QToolButton>
#include <QToolTip>
#include <utility>

using namespace stratoplan::partition;
using namespace stratoplan::test;
using namespace stratoplan::units;
using namespace stratoplan::widgets;

namespace {

void present(QWidget& widget, QSize size)
{
    widget.resize(size);
    widget.show();
    QVERIFY(QTest::qWaitForWindowExposed(&widget));
    QCoreApplication::processEvents();
}

/// Of a linear operator of the layer, at the first step.
PartitionFrame frameOf(int bits, std::size_t index = 2)
{
    const PartitionPicture picture = layerOf(bits);
    const PartitionOperator& op = picture.operators[index];
    const PartitionScene scene({op.sequence, op.size, 2, picture.ranksPerDomain});
    return partitionFrame(scene, {bits, columnBits({op.sequence}, bits), picture.ranksPerDomain}, {}, std::nullopt);
}

StepStrip stripOf(int moments)
{
    StepStrip strip;
    for (int i = 0; i < moments; ++i)
        strip.moments.push_back({{{BlockTone()}}, false, false, QStringLiteral("Moment %1").arg(i)});
    return strip;
}

/// As long as the text.
QString otherText(QString text)
{
    for (QChar& letter : text)
        if (letter.isDigit())
            letter = QLatin1Char(char('9' - letter.digitValue()));
        else if (letter.isLower())
            letter = u'o';
    return text;
}

void click(QWidget& widget, QPointF at)
{
    QTest::mouseClick(&widget, Qt::LeftButton, {}, at.toPoint());
}

bool isInside(const QWidget& whole, const QWidget& part)
{
    return whole.rect().contains(QRect(part.mapTo(&whole, QPoint()), part.size()));
}

QString toolTipAt(QWidget& widget, QPointF at)
{
    QToolTip::hideText();
    QHelpEvent help(QEvent::ToolTip, at.toPoint(), widget.mapToGlobal(at.toPoint()));
    QApplication::sendEvent(&widget, &help);
    return QToolTip::text();
}

} // namespace

class TestPartitionExplorer : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void cleanup();

    void aClickSelectsARank();
    void arrowsMoveTheSelection();
    void hoverShowsArrowsAlone();
    void everyCellHasItsLabel_data();
    void everyCellHasItsLabel();
    void arrowsLeadFromRankToRank();
    void travellingBlocksArePainted();
    void theTrackIsDraggedAndSteered();
    void playingAdvancesAndEnds();
    void playingLoops();
    void playingRestsWhenHidden();
    void spaceAndTheButtonPlay();
    void theSpeedIsChosen();
    void theDiagramChoosesAnOperator();
    void theTableShowsAlternatives();
    void theTableMarksTheShortestTime();
    void theTableCopiesAllOfIt();
    void theTableChoosesAnOperator();
    void theExplorerShowsTheFirstProduct();
    void theOperatorStaysThroughPictures();
    void aRankShowsWhatItHolds();
    void aRowOfTheRankIsAMoment();
    void oneTensorIsShownAlone();
    void otherOperatorsAreStatic();
    void theLegendFollowsThePhase();
    void thePictureIsExplained();
    void anEmptyPictureSaysWhy();
    void aMessageStandsOverThePicture();
    void itFitsASmallWindow();
    void whatHasNoRoomHasATab();
    void thePanesComeBackAsTheyWere();
    void themesRepaint();
};

void TestPartitionExplorer::initTestCase()
{
    collectQtMessages();
    applyTheme(*qApp, ThemeKind::Light);
}

void TestPartitionExplorer::cleanup()
{
    const QStringList messages = std::exchange(qtMessages(), {});
    QVERIFY2(messages.isEmpty(), qPrintable(messages.join(u'\n')));
}

void TestPartitionExplorer::aClickSelectsARank()
{
    PartitionGrid grid;
    grid.setFrame(frameOf(4));
    present(grid, {640, 420});
    QSignalSpy chosen(&grid, &PartitionGrid::rankChosen);
    click(grid, grid.grid().cell(6).center());
    QCOMPARE(grid.selectedRank(), 6);
    click(grid, grid.grid().cell(6).center());
    QCOMPARE(chosen.size(), 1); // it was selected before
    QVERIFY(grid.accessibleDescription().contains(QStringLiteral("Rank 6")));
    click(grid, {1, 1});
    QCOMPARE(grid.selectedRank(), -1);
    QCOMPARE(chosen.last().first().toInt(), -1);
    grid.setSelectedRank(12);
    QCOMPARE(chosen.size(), 2);
    grid.setFrame(frameOf(3));
    QCOMPARE(grid.selectedRank(), -1); // there is no rank 12 any more
}

void TestPartitionExplorer::arrowsMoveTheSelection()
{
    PartitionGrid grid;
    grid.setFrame(frameOf(4));
    present(grid, {640, 420});
    const PartitionLayout& layout = grid.grid();
    QTest::keyClick(&grid, Qt::Key_Right);
    QCOMPARE(grid.selectedRank(), 0);
    for (const auto& [key, right, down] : {std::tuple{Qt::Key_Right, 1, 0}, {Qt::Key_Down, 0, 1}, {Qt::Key_Left, -1, 0},
             {Qt::Key_Left, 0, 0}, {Qt::Key_Up, 0, -1}, {Qt::Key_Up, 0, 0}}) {
        const int before = grid.selectedRank();
        QTest::keyClick(&grid, key);
        QCOMPARE(layout.column(grid.selectedRank()), layout.column(before) + right);
        QCOMPARE(layout.row(grid.selectedRank()), layout.row(before) + down);
    }
    QTest::keyClick(&grid, Qt::Key_End);
    QCOMPARE(grid.selectedRank(), 15);
    QTest::keyClick(&grid, Qt::Key_Home);
    QCOMPARE(grid.selectedRank(), 0);
    QTest::keyClick(&grid, Qt::Key_Escape);
    QCOMPARE(grid.selectedRank(), -1);
}

void TestPartitionExplorer::hoverShowsArrowsAlone()
{
    PartitionGrid grid;
    grid.setFrame(frameOf(6));
    present(grid, {640, 420});
    const QImage before = grid.grab().toImage();
    QTest::mouseMove(&grid, grid.grid().cell(9).center().toPoint());
    QCOMPARE(grid.hoveredRank(), 9);
    QVERIFY(differingPixels(before, grid.grab().toImage()) > 300);
    QVERIFY(toolTipAt(grid, grid.grid().cell(9).center()).contains(QStringLiteral("Rank 9")));
    QTest::mouseMove(&grid, QPoint(1, 1));
    QCOMPARE(grid.hoveredRank(), -1);
    QCOMPARE(differingPixels(before, grid.grab().toImage()), 0);
}

void TestPartitionExplorer::everyCellHasItsLabel_data()
{
    QTest::addColumn<int>("bits");
    QTest::addColumn<std::size_t>("index");
    for (int bits = 0; bits <= 6; ++bits)
        for (const std::size_t index : {2, 4}) // two numbers in a label; three
            QTest::addRow("%d ranks, operator %d", 1 << bits, int(index)) << bits << index;
}

// Colour is never the only cue: with other labels other pixels are painted, at the size in a window of 1280 x 800.
void TestPartitionExplorer::everyCellHasItsLabel()
{
    QFETCH(const int, bits);
    QFETCH(const std::size_t, index);
    PartitionGrid grid;
    PartitionFrame frame = frameOf(bits, index);
    grid.setFrame(frame);
    present(grid, {620, 330});
    const QImage before = grid.grab().toImage();
    for (auto& bands : frame.ranks) {
        for (BlockBand& band : bands) {
            band.label = otherText(band.label);
            band.shortLabel = otherText(band.shortLabel);
        }
    }
    grid.setFrame(frame);
    const QImage after = grid.grab().toImage();
    for (int rank = 0; rank < 1 << bits; ++rank) {
        const QRect cell = grid.grid().cell(rank).toRect();
        QVERIFY2(differingPixels(before.copy(cell), after.copy(cell)) > 10, qPrintable(QString::number(rank)));
    }
}

void TestPartitionExplorer::arrowsLeadFromRankToRank()
{
    for (int bits = 2; bits <= 6; ++bits) {
        PartitionGrid grid;
        grid.setFrame(frameOf(bits));
        present(grid, {620, 330});
        QVERIFY(!grid.frame().arrows.empty());
        const GridPainter painter(grid.frame(), grid.grid(), tokens(ThemeKind::Light), grid.font());
        for (const BlockArrow& arrow : grid.frame().arrows) {
            const QPainterPath curve = painter.curve(arrow);
            QVERIFY(grid.grid().cell(arrow.from).contains(curve.pointAtPercent(0)));
            QVERIFY(grid.grid().cell(arrow.to).contains(curve.pointAtPercent(1)));
        }
    }
}

void TestPartitionExplorer::travellingBlocksArePainted()
{
    PartitionGrid grid;
    grid.setFrame(frameOf(2));
    present(grid, {620, 330});
    const QImage still = grid.grab().toImage();
    grid.setTravel(0.3);
    const QImage first = grid.grab().toImage();
    grid.setTravel(0.7);
    QVERIFY(differingPixels(still, first) > 50);
    QVERIFY(differingPixels(first, grid.grab().toImage()) > 50);
    grid.setTravel(0);
    QCOMPARE(differingPixels(still, grid.grab().toImage()), 0);
}

void TestPartitionExplorer::theTrackIsDraggedAndSteered()
{
    StepTrack track;
    track.setStrip(stripOf(12));
    present(track, {500, 90});
    QSignalSpy chosen(&track, &StepTrack::momentChosen);
    click(track, track.cell(5).center());
    QCOMPARE(track.moment(), 5);
    QTest::mousePress(&track, Qt::LeftButton, {}, track.cell(2).center().toPoint());
    QTest::mouseMove(&track, track.cell(9).center().toPoint());
    QCOMPARE(track.moment(), 9);
    QTest::mouseRelease(&track, Qt::LeftButton, {}, track.cell(9).center().toPoint());
    QCOMPARE(chosen.size(), 3);
    QTest::keyClick(&track, Qt::Key_Right);
    QCOMPARE(track.moment(), 10);
    QTest::keyClick(&track, Qt::Key_Left);
    QCOMPARE(track.moment(), 9);
    QTest::keyClick(&track, Qt::Key_End);
    QTest::keyClick(&track, Qt::Key_Right);
    QCOMPARE(track.moment(), 11);
    QTest::keyClick(&track, Qt::Key_Home);
    QTest::keyClick(&track, Qt::Key_Left);
    QCOMPARE(track.moment(), 0);
    QCOMPARE(toolTipAt(track, track.cell(7).center()), QStringLiteral("Moment 7"));
    track.setMoment(8);
    track.setStrip(stripOf(3));
    QCOMPARE(track.moment(), 0);
}

void TestPartitionExplorer::playingAdvancesAndEnds()
{
    StepBar bar;
    bar.setStrip(stripOf(3));
    bar.setSpeed(30);
    present(bar, {500, 100});
    QSignalSpy moments(&bar, &StepBar::momentChanged), travel(&bar, &StepBar::travelChanged);
    bar.setPlaying(true);
    QVERIFY(QTest::qWaitFor([&] { return !bar.isPlaying(); }));
    QCOMPARE(bar.moment(), 2);
    QCOMPARE(moments.size(), 2);
    QCOMPARE(travel.last().first().toDouble(), 0.0);
    bar.setPlaying(true); // from the beginning
    QCOMPARE(bar.moment(), 0);
    QTest::keyClick(&bar.track(), Qt::Key_End); // a person's choice pauses
    QVERIFY(!bar.isPlaying());
    QCOMPARE(bar.moment(), 2);
}

void TestPartitionExplorer::playingLoops()
{
    StepBar bar;
    bar.setStrip(stripOf(3));
    bar.setSpeed(40);
    bar.setLooping(true);
    present(bar, {500, 100});
    QSignalSpy moments(&bar, &StepBar::momentChanged);
    bar.setPlaying(true);
    QVERIFY(QTest::qWaitFor([&] { return moments.size() >= 4; }));
    QVERIFY(bar.isPlaying());
    QCOMPARE(moments[2].first().toInt(), 0);
    bar.setPlaying(false);
}

void TestPartitionExplorer::playingRestsWhenHidden()
{
    StepBar bar;
    bar.setStrip(stripOf(6));
    bar.setPlaying(true);
    QVERIFY(!bar.isPlaying()); // nobody sees it
    bar.setLooping(true);
    present(bar, {500, 100});
    bar.setPlaying(true);
    QVERIFY(bar.isPlaying());
    bar.hide();
    QVERIFY(!bar.isPlaying());
    const int moment = bar.moment();
    QTest::qWait(80);
    QCOMPARE(bar.moment(), moment);
}

void TestPartitionExplorer::spaceAndTheButtonPlay()
{
    StepBar bar;
    bar.setStrip(stripOf(6));
    present(bar, {500, 100});
    QSignalSpy playing(&bar, &StepBar::playingChanged);
    QTest::keyClick(&bar.track(), Qt::Key_Space);
    QVERIFY(bar.isPlaying());
    QCOMPARE(bar.playButton().accessibleName(), QStringLiteral("Pause (Space)"));
    QTest::mouseClick(&bar.playButton(), Qt::LeftButton);
    QVERIFY(!bar.isPlaying());
    QCOMPARE(playing.size(), 2);
}

void TestPartitionExplorer::theSpeedIsChosen()
{
    StepBar bar;
    int checked = 0;
    for (auto* button : bar.findChildren<QToolButton*>()) {
        if (!button->menu())
            continue;
        QAction* fastest = button->menu()->actions().last();
        fastest->trigger();
        QCOMPARE(bar.speed(), 4.0);
        QCOMPARE(button->text(), fastest->text());
        ++checked;
    }
    QCOMPARE(checked, 1);
}

void TestPartitionExplorer::theDiagramChoosesAnOperator()
{
    BlockDiagram diagram;
    diagram.setOperators({{QStringLiteral("norm"), DiagramOperator::Kind::Other, {}},
        {QStringLiteral("up"), DiagramOperator::Kind::Linear, QStringLiteral("K")},
        {QStringLiteral("sum"), DiagramOperator::Kind::Residual, QStringLiteral("B")}});
    present(diagram, {220, 300});
    QSignalSpy chosen(&diagram, &BlockDiagram::operatorChosen);
    click(diagram, diagram.box(1).center());
    QCOMPARE(diagram.current(), 1);
    QTest::keyClick(&diagram, Qt::Key_Down);
    QTest::keyClick(&diagram, Qt::Key_Down);
    QCOMPARE(diagram.current(), 2);
    QTest::keyClick(&diagram, Qt::Key_Home);
    QTest::keyClick(&diagram, Qt::Key_Up);
    QCOMPARE(diagram.current(), 0);
    QTest::keyClick(&diagram, Qt::Key_End);
    QCOMPARE(chosen.size(), 4);
    QVERIFY(diagram.accessibleDescription().contains(QStringLiteral("sum")));
    QCOMPARE(toolTipAt(diagram, diagram.box(1).center()), QStringLiteral("up, divided by K"));
    const QImage before = diagram.grab().toImage();
    diagram.setCurrent(0);
    QVERIFY(differingPixels(before, diagram.grab().toImage()) > 50);
}

void TestPartitionExplorer::theTableShowsAlternatives()
{
    const PartitionPicture picture = layerOf(4);
    PartitionTable table;
    table.setCosts({QStringLiteral("a"), QStringLiteral("b")}, picture.alternatives);
    QAbstractItemModel& model = *table.view().model();
    QCOMPARE(model.rowCount(), 3);
    QCOMPARE(model.columnCount(), 1 + 4 * 4);
    QCOMPARE(model.index(2, 0).data().toString(), QStringLiteral("Layer"));
    const PartitionCost& first = picture.alternatives[0].operators[0];
    QCOMPARE(model.index(0, 1).data().toString(), text(*first.forward + *first.backward));
    QCOMPARE(model.index(0, 3).data().toString(), shareText(*first.hidden));
    QVERIFY(model.index(0, 5).data(Qt::ToolTipRole).toString().contains(QStringLiteral("against This partition")));
    table.setColumns(PartitionTable::Columns::Divisions);
    QCOMPARE(model.index(1, 2).data().toString(), QStringLiteral("K,K"));
    table.setColumns(PartitionTable::Columns::All);
    QCOMPARE(model.columnCount(), 1 + 4 * 7);
    std::vector<PartitionAlternative> unknown{{QStringLiteral("SUMMA"), {}, {}}};
    table.setCosts({QStringLiteral("a")}, unknown);
    for (int column = 1; column < model.columnCount(); ++column)
        QCOMPARE(model.index(0, column).data().toString(), QStringLiteral("–"));
}

void TestPartitionExplorer::theTableMarksTheShortestTime()
{
    std::vector<PartitionAlternative> alternatives(3);
    for (int i = 0; i < 3; ++i) {
        alternatives[std::size_t(i)].operators.resize(1);
        alternatives[std::size_t(i)].operators[0].forward = Seconds(3.0 - i);
        if (i < 2) // the third does not know all of its time
            alternatives[std::size_t(i)].operators[0].backward = Seconds(1);
    }
    PartitionTable table;
    table.setCosts({QStringLiteral("a")}, alternatives);
    const auto isStrong = [&](int column) {
        return table.view().model()->index(0, column).data(Qt::UserRole).toBool();
    };
    QVERIFY(!isStrong(1));
    QVERIFY(isStrong(5));
    QVERIFY(!isStrong(9));
}

void TestPartitionExplorer::theTableCopiesAllOfIt()
{
    PartitionTable table;
    table.setCosts({QStringLiteral("a"), QStringLiteral("b")}, layerOf(4).alternatives);
    present(table, {700, 200});
    QApplication::clipboard()->clear();
    QTest::keyClick(&table.view(), Qt::Key_C, Qt::ControlModifier);
    const QString copied = QApplication::clipboard()->text();
    QCOMPARE(copied, toTsv(table.table()));
    const QStringList lines = copied.split(u'\n', Qt::SkipEmptyParts);
    QCOMPARE(lines.size(), 4);
    for (const QString& line : lines)
        QCOMPARE(line.count(u'\t'), 4 * 7);
    QVERIFY(lines[0].contains(QStringLiteral("Megatron: ring, bytes")));
    QCOMPARE(lines[1].split(u'\t')[2].toDouble(), 0.0003);
}

void TestPartitionExplorer::theTableChoosesAnOperator()
{
    PartitionTable table;
    table.setCosts({QStringLiteral("a"), QStringLiteral("b")}, layerOf(4).alternatives);
    present(table, {700, 200});
    QSignalSpy chosen(&table, &PartitionTable::operatorChosen);
    const auto clickRow = [&](int row) {
        click(*table.view().viewport(), table.view().visualRect(table.view().model()->index(row, 1)).center());
    };
    clickRow(1);
    QCOMPARE(chosen.size(), 1);
    QCOMPARE(chosen.last().first().toInt(), 1);
    clickRow(2); // the layer is no operator
    QCOMPARE(chosen.size(), 1);
    table.setCurrentRow(0);
    QCOMPARE(chosen.size(), 1);
}

void TestPartitionExplorer::theExplorerShowsTheFirstProduct()
{
    PartitionExplorer explorer;
    explorer.setPicture(layerOf(4));
    present(explorer, {1240, 700});
    QCOMPARE(explorer.currentOperator(), QStringLiteral("QKV"));
    QCOMPARE(explorer.diagram().current(), 2);
    QCOMPARE(explorer.grid().frame().ranks.size(), std::size_t(16));
    QCOMPARE(explorer.steps().track().moments(), 12);
    QVERIFY(explorer.sentence().text().startsWith(QStringLiteral("Forward, step 1 of 4")));
    QTest::keyClick(&explorer.steps().track(), Qt::Key_End);
    QVERIFY(explorer.sentence().text().startsWith(QStringLiteral("Gradient, step 4 of 4")));
    const PartitionScene scene({*parseSequence("P4x4"), {8, 2048, 12288, 36864}, 2, 4});
    const HeldBlock held = scene.held(Tensor::Weight, 7, scene.momentAt(11));
    QCOMPARE(explorer.grid().frame().ranks[7][1].label, blockLabel(scene, held));
}

void TestPartitionExplorer::theOperatorStaysThroughPictures()
{
    PartitionExplorer explorer;
    explorer.setPicture(layerOf(4));
    present(explorer, {1240, 700});
    QSignalSpy chosen(&explorer, &PartitionExplorer::operatorChosen);
    click(explorer.diagram(), explorer.diagram().box(7).center());
    QCOMPARE(chosen.size(), 1);
    QCOMPARE(chosen.last().first().toString(), QStringLiteral("FFN up"));
    click(explorer.grid(), explorer.grid().grid().cell(3).center());
    PartitionPicture next = layerOf(3);
    next.operators.erase(next.operators.begin()); // its number is another one now
    explorer.setPicture(next);
    QCOMPARE(explorer.currentOperator(), QStringLiteral("FFN up"));
    QCOMPARE(explorer.diagram().current(), 6);
    QCOMPARE(explorer.grid().selectedRank(), 3);
    QCOMPARE(explorer.grid().frame().ranks.size(), std::size_t(8));
    next.operators.erase(next.operators.begin() + 6);
    explorer.setPicture(next);
    QCOMPARE(explorer.currentOperator(), QStringLiteral("QKV"));
    QCOMPARE(chosen.size(), 1);
}

void TestPartitionExplorer::aRankShowsWhatItHolds()
{
    PartitionExplorer explorer;
    explorer.setPicture(layerOf(2));
    present(explorer, {1240, 700});
    QSignalSpy chosen(&explorer, &PartitionExplorer::rankChosen);
    QVERIFY(explorer.rankPanel().table().isHidden());
    click(explorer.grid(), explorer.grid().grid().cell(1).center());
    QCOMPARE(chosen.last().first().toInt(), 1);
    QCOMPARE(explorer.rankPanel().title(), QStringLiteral("Rank 1 of domain 0"));
    const QTableWidget& table = explorer.rankPanel().table();
    QVERIFY(table.isVisible());
    QCOMPARE(table.rowCount(), 6);
    QCOMPARE(table.item(0, 2)->text(), QStringLiteral("N 6,144–12,287\nK 18,432–36,863"));
    QVERIFY(table.item(0, 2)->toolTip().startsWith(QStringLiteral("W N1 K1: N 6,144")));
    const ProductView& product = explorer.rankPanel().product();
    const QRectF weight = product.matrix(Tensor::Weight), block = product.block(Tensor::Weight);
    QCOMPARE(block.bottomRight(), weight.bottomRight()); // the last slice of both dimensions
    QCOMPARE(block.width() * 2, weight.width());
    QVERIFY(product.accessibleDescription().contains(QStringLiteral("weight: N 6,144–12,287")));
    QApplication::clipboard()->clear();
    QTest::keyClick(&explorer.rankPanel().table(), Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QApplication::clipboard()->text().count(u'\n'), 7);
}

void TestPartitionExplorer::aRowOfTheRankIsAMoment()
{
    PartitionExplorer explorer;
    explorer.setPicture(layerOf(2));
    present(explorer, {1240, 700});
    click(explorer.grid(), explorer.grid().grid().cell(1).center());
    QTableWidget& table = explorer.rankPanel().table();
    click(*table.viewport(), table.visualItemRect(table.item(3, 0)).center());
    QCOMPARE(explorer.steps().moment(), 3);
    QVERIFY(explorer.sentence().text().startsWith(QStringLiteral("Backward, step 2 of 2")));
    QTest::keyClick(&explorer.steps().track(), Qt::Key_Right);
    QCOMPARE(table.currentRow(), 4);
    explorer.setMoment(1);
    QCOMPARE(explorer.steps().moment(), 1);
    QCOMPARE(table.currentRow(), 1);
    QVERIFY(explorer.sentence().text().startsWith(QStringLiteral("Forward, step 2 of 2")));
}

void TestPartitionExplorer::oneTensorIsShownAlone()
{
    PartitionExplorer explorer;
    explorer.setPicture(layerOf(3));
    present(explorer, {1240, 700});
    QCOMPARE(explorer.grid().frame().ranks[0].size(), std::size_t(3));
    int clicked = 0;
    for (auto* button : explorer.findChildren<QToolButton*>()) {
        if (button->text() == QStringLiteral("Weight")) {
            QTest::mouseClick(button, Qt::LeftButton);
            ++clicked;
        }
    }
    QCOMPARE(clicked, 1);
    QCOMPARE(explorer.shownTensor(), std::optional(Tensor::Weight));
    QCOMPARE(explorer.grid().frame().ranks[0].size(), std::size_t(1));
    QCOMPARE(explorer.grid().frame().ranks[0][0].symbol, QStringLiteral("W"));
    explorer.setShownTensor(std::nullopt);
    QCOMPARE(explorer.grid().frame().ranks[0].size(), std::size_t(3));
}

void TestPartitionExplorer::otherOperatorsAreStatic()
{
    PartitionExplorer explorer;
    explorer.setPicture(layerOf(3));
    present(explorer, {1240, 700});
    click(explorer.diagram(), explorer.diagram().box(3).center());
    QCOMPARE(explorer.currentOperator(), QStringLiteral("attention"));
    QVERIFY(explorer.steps().isHidden());
    QCOMPARE(explorer.grid().frame().ranks[5][0].label, QStringLiteral("B1 M0 H1"));
    click(explorer.grid(), explorer.grid().grid().cell(5).center());
    QVERIFY(explorer.rankPanel().text().contains(QStringLiteral("tokens: part 1 of 2")));
    QVERIFY(explorer.rankPanel().table().isHidden());
    QVERIFY(explorer.sentence().text().contains(QStringLiteral("B batch in 2")));
    click(explorer.diagram(), explorer.diagram().box(4).center());
    QVERIFY(explorer.steps().isVisible());
    QVERIFY(explorer.rankPanel().table().isVisible());
}

void TestPartitionExplorer::theLegendFollowsThePhase()
{
    PartitionExplorer explorer;
    explorer.setPicture(layerOf(4));
    present(explorer, {1240, 760});
    const auto symbols = [&] {
        QStringList found;
        for (const BlockBand& band : explorer.grid().frame().ranks[0])
            found << band.symbol;
        return QStringLiteral("in a cell: ") + found.join(QStringLiteral(", "));
    };
    StepTrack& track = explorer.steps().track();
    for (const char* cell : {"in a cell: I, W, O", "in a cell: dI, W, dO", "in a cell: I, dW, dO"}) {
        QCOMPARE(explorer.legend().shownTexts().value(0), QString::fromUtf8(cell));
        QCOMPARE(symbols(), QString::fromUtf8(cell)); // as the cells themselves say
        for (int step = 0; step < 4; ++step)
            QTest::keyClick(&track, Qt::Key_Right);
    }
    explorer.setShownTensor(Tensor::Weight);
    QCOMPARE(explorer.legend().shownTexts().value(0), QStringLiteral("in a cell: dW"));
    QCOMPARE(explorer.legend().shownTexts().value(1), QStringLiteral("inside a domain")); // the shifts of P4x4
    QVERIFY(explorer.legend().shownTexts().contains(QStringLiteral("hue: slice of N")));
    explorer.setOperator(QStringLiteral("attention"));
    QCOMPARE(
        explorer.legend().shownTexts().value(0), QStringLiteral("in a cell: slices of B batch, M tokens, H heads"));
}

void TestPartitionExplorer::thePictureIsExplained()
{
    PartitionExplorer explorer;
    explorer.setPicture(layerOf(4));
    present(explorer, {1240, 760});
    const QString tip = toolTipAt(explorer.grid(), {1, 1});
    for (const char* part : {"ranks 0–3 are domain 0", "Side by side are ranks that differ in bits 0 and 2",
             "One below the other are ranks that differ in bits 1 and 3", "hue tells the slice of N (I, W) or K (O)",
             "Space plays the steps"})
        QVERIFY2(tip.contains(QString::fromUtf8(part)), qPrintable(tip));
    QCOMPARE(toolTipAt(explorer.legend(), {20, 5}), tip);
    QToolTip::hideText();
    for (auto* button : explorer.findChildren<QToolButton*>())
        if (button->accessibleName() == QStringLiteral("How to read the ranks"))
            QTest::mouseClick(button, Qt::LeftButton);
    QCOMPARE(QToolTip::text(), tip);
    QToolTip::hideText();
}

void TestPartitionExplorer::anEmptyPictureSaysWhy()
{
    PartitionExplorer explorer;
    PartitionPicture empty;
    empty.message = QStringLiteral("This plan divides tensors as Megatron does");
    explorer.setPicture(empty);
    present(explorer, {1240, 700});
    QVERIFY(explorer.message().isVisible());
    QCOMPARE(explorer.message().text(), empty.message);
    QVERIFY(!explorer.grid().isVisible());
    QCOMPARE(explorer.currentOperator(), QString());
    explorer.setPicture(layerOf(2));
    QVERIFY(explorer.grid().isVisible());
    QVERIFY(!explorer.message().isVisible());
    explorer.setPicture(empty);
    QVERIFY(explorer.message().isVisible());
}

void TestPartitionExplorer::aMessageStandsOverThePicture()
{
    PartitionExplorer explorer;
    PartitionPicture picture = layerOf(2);
    picture.message = QStringLiteral("finding the best partition…");
    explorer.setPicture(picture);
    present(explorer, {1240, 700});
    QVERIFY(explorer.grid().isVisible());
    QVERIFY(explorer.note().isVisible());
    QCOMPARE(explorer.note().text(), picture.message);
    picture.message.clear();
    picture.alternatives.clear();
    explorer.setPicture(picture);
    QVERIFY(!explorer.note().isVisible());
    QVERIFY(!explorer.table().isVisible());
}

void TestPartitionExplorer::itFitsASmallWindow()
{
    PartitionExplorer explorer;
    for (int bits = 0; bits <= 6; ++bits) {
        explorer.setPicture(layerOf(bits));
        QVERIFY(explorer.minimumSizeHint().width() <= 1000);
        QVERIFY(explorer.minimumSizeHint().height() <= 640);
    }
}

void TestPartitionExplorer::whatHasNoRoomHasATab()
{
    PartitionExplorer explorer;
    explorer.setPicture(layerOf(4));
    present(explorer, {690, 430}); // of a window of 1024 x 700
    QCOMPARE(explorer.size(), QSize(690, 430));
    QTabBar& tabs = explorer.panes().tabs();
    const auto clickTab = [&](PartitionPanes::Pane pane) { click(tabs, tabs.tabRect(int(pane)).center()); };
    QVERIFY(tabs.isVisible());
    QVERIFY(explorer.diagram().isVisible() && explorer.grid().isVisible() && explorer.steps().isVisible());
    QVERIFY(!explorer.rankPanel().isVisible() && !explorer.table().isVisible());
    QVERIFY(explorer.grid().height() >= explorer.grid().minimumSizeHint().height());
    QVERIFY(isInside(explorer, explorer.steps()) && isInside(explorer, explorer.diagram()));
    click(explorer.grid(), explorer.grid().grid().cell(5).center());
    QCOMPARE(tabs.tabText(int(PartitionPanes::Pane::Rank)), QStringLiteral("Rank 5"));
    clickTab(PartitionPanes::Pane::Rank);
    QVERIFY(explorer.rankPanel().isVisible() && explorer.diagram().isVisible() && !explorer.grid().isVisible());
    clickTab(PartitionPanes::Pane::Costs);
    QVERIFY(explorer.table().isVisible() && !explorer.rankPanel().isVisible() && !explorer.diagram().isVisible());
    QVERIFY(explorer.table().view().rowAt(explorer.table().view().viewport()->height() - 1) < 0); // all rows are shown
    QTest::keyClick(&tabs, Qt::Key_Left);
    QTest::keyClick(&tabs, Qt::Key_Left);
    QVERIFY(explorer.grid().isVisible() && !explorer.table().isVisible());
}

void TestPartitionExplorer::thePanesComeBackAsTheyWere()
{
    PartitionExplorer explorer;
    explorer.setPicture(layerOf(4));
    present(explorer, {1240, 760});
    const auto parts = [&] {
        return QList<QWidget*>{&explorer.diagram(), &explorer.grid(), &explorer.rankPanel(), &explorer.table()};
    };
    const auto places = [&] {
        QList<QRect> found;
        for (QWidget* part : parts())
            found << QRect(part->mapTo(&explorer, QPoint()), part->size());
        return found;
    };
    QVERIFY(!explorer.panes().tabs().isVisible());
    for (QWidget* part : parts())
        QVERIFY(part->isVisible() && isInside(explorer, *part));
    const QList<QRect> before = places();
    for (int i = 0; i < before.size(); ++i)
        for (int j = 0; j < i; ++j)
            QVERIFY(!before[i].intersects(before[j]));
    const QTableView& view = explorer.table().view();
    QVERIFY(view.viewport()->height() >= 5 * view.rowHeight(0));
    explorer.resize(960, 535); // of a window of 1280 x 800
    QVERIFY(explorer.panes().tabs().isVisible());
    QVERIFY(explorer.grid().isVisible() && explorer.rankPanel().isVisible() && !explorer.table().isVisible());
    explorer.resize(1240, 760);
    QCoreApplication::processEvents();
    QCOMPARE(places(), before);
}

void TestPartitionExplorer::themesRepaint()
{
    PartitionExplorer explorer;
    explorer.setPicture(layerOf(4));
    present(explorer, {1240, 700});
    const QImage light = explorer.grab().toImage();
    applyTheme(*qApp, ThemeKind::Dark);
    QCoreApplication::processEvents();
    const QImage dark = explorer.grab().toImage();
    applyTheme(*qApp, ThemeKind::Light);
    QVERIFY(differingPixels(light, dark) > light.width() * light.height() * 9 / 10);
}

QTEST_MAIN(TestPartitionExplorer)
#include "test_partition_explorer.moc"
