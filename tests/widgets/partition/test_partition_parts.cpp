// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of the partition explorer under real events.
#include "tests/widgets/charts/pictures.h"
#include "tests/widgets/charts/qt_messages.h"
#include "tests/widgets/partition/driving.h"
#include "tests/widgets/partition/pictures.h"
#include "widgets/partition/partition_grid.h"
#include "widgets/partition/partition_table.h"
#include "widgets/partition/step_bar.h"
#include "widgets/presentation/text.h"
#include "widgets/style/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QMenu>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <utility>

using namespace stratoplan::partition;
using namespace stratoplan::test;
using namespace stratoplan::units;
using namespace stratoplan::widgets;

namespace {

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

/// Of frames of sums, over the first rank: the pieces of the longest line.
int mostDashes(const QImage& image, const PartitionLayout& layout)
{
    const QColor ink = tokens(ThemeKind::Light).bad;
    const auto isInk = [&](int x, int y) {
        const QColor at = image.pixelColor(x, y); // what lies around is grey, and a thin line pale
        return 2 * (at.red() - at.green()) > ink.red() - ink.green();
    };
    const QRect cell = layout.cell(0).toRect();
    int longest = 0, dashes = 0;
    for (int y = cell.top() - int(layout.gap()); y < cell.top(); ++y) {
        int inked = 0, pieces = 0;
        for (int x = cell.left() + 4; x < cell.right() - 4; ++x) {
            inked += int(isInk(x, y));
            pieces += int(isInk(x, y) && !isInk(x - 1, y));
        }
        if (inked > longest) {
            longest = inked;
            dashes = pieces;
        }
    }
    return dashes;
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

} // namespace

class TestPartitionParts : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void cleanup();

    void aClickSelectsARank();
    void arrowsMoveTheSelection();
    void hoverShowsArrowsAlone();
    void theKeysWinUntilTheMouseMoves();
    void framesOfSumsAreDashed();
    void everyCellHasItsLabel_data();
    void everyCellHasItsLabel();
    void lettersStayWhereverTheyFit();
    void arrowsCoverNoText();
    void arrowsLeadFromRankToRank();
    void travellingBlocksArePainted();
    void theTrackIsDraggedAndSteered();
    void playingAdvancesAndEnds();
    void playingLoops();
    void playingRestsWhenHidden();
    void spaceAndTheButtonPlay();
    void theSpeedIsChosen();
    void theDiagramChoosesAnOperator();
    void theDiagramShowsASecondWay();
    void theDiagramHasRoomForEachPartition();
    void theTableShowsAlternatives();
    void theTableMarksTheShortestTime();
    void theTableCopiesAllOfIt();
    void theTableChoosesAnOperator();
};

void TestPartitionParts::initTestCase()
{
    collectQtMessages();
    applyTheme(*qApp, ThemeKind::Light);
}

void TestPartitionParts::cleanup()
{
    const QStringList messages = std::exchange(qtMessages(), {});
    QVERIFY2(messages.isEmpty(), qPrintable(messages.join(u'\n')));
}

void TestPartitionParts::aClickSelectsARank()
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

void TestPartitionParts::arrowsMoveTheSelection()
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

void TestPartitionParts::hoverShowsArrowsAlone()
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

/// Where the mouse rests on another rank.
void TestPartitionParts::theKeysWinUntilTheMouseMoves()
{
    PartitionGrid grid;
    grid.setFrame(frameOf(4));
    present(grid, {640, 420});
    grid.setFocus();
    QTest::mouseMove(&grid, grid.grid().cell(0).center().toPoint());
    QCOMPARE(grid.hoveredRank(), 0);
    QTest::keyClick(&grid, Qt::Key_Home);
    QTest::keyClick(&grid, Qt::Key_Right);
    const int chosen = grid.selectedRank();
    QVERIFY(chosen > 0);
    QCOMPARE(grid.hoveredRank(), -1);
    const QImage byKeys = grid.grab().toImage();
    QTest::mouseMove(&grid, grid.grid().cell(0).center().toPoint() + QPoint(3, 2));
    QCOMPARE(grid.hoveredRank(), 0);
    QVERIFY(differingPixels(byKeys, grid.grab().toImage()) > 300); // its arrows stand out now
    QTest::mouseMove(&grid, QPoint(1, 1));
    QCOMPARE(differingPixels(byKeys, grid.grab().toImage()), 0);
}

/// As the legend says, of a whole domain too, and where they stand out.
void TestPartitionParts::framesOfSumsAreDashed()
{
    for (const int bits : {1, 3}) {
        PartitionGrid grid;
        grid.setFrame(frameOf(bits, 4));
        present(grid, {640, 420});
        QVERIFY(!grid.frame().sumGroups.empty());
        for (const int selected : {-1, 0}) {
            grid.setSelectedRank(selected);
            const int dashes = mostDashes(grid.grab().toImage(), grid.grid());
            QVERIFY2(dashes > 5, qPrintable(QString::number(dashes)));
        }
    }
}

void TestPartitionParts::everyCellHasItsLabel_data()
{
    QTest::addColumn<int>("bits");
    QTest::addColumn<std::size_t>("index");
    for (int bits = 0; bits <= 6; ++bits)
        for (const std::size_t index : {2, 4}) // two numbers in a label; three
            QTest::addRow("%d ranks, operator %d", 1 << bits, int(index)) << bits << index;
}

// Colour is never the only cue: with other labels other pixels are painted, at the size in a window of 1280 x 800.
void TestPartitionParts::everyCellHasItsLabel()
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

/// In a window of 1280 x 800, where costs have a tab, and in one of 1024 x 700.
void TestPartitionParts::lettersStayWhereverTheyFit()
{
    for (const QSize size : {QSize(490, 320), QSize(520, 225)}) {
        for (int bits = 1; bits <= 4; ++bits) {
            PartitionGrid grid;
            grid.setFrame(frameOf(bits));
            present(grid, size);
            const GridPainter painter(grid.frame(), grid.grid(), tokens(ThemeKind::Light), grid.font());
            const QString label = grid.frame().ranks[1][1].label;
            QString text = painter.texts().written(1, 1);
            QVERIFY2(text.replace(u'\n', u' ').endsWith(label), qPrintable(text));
        }
    }
}

void TestPartitionParts::arrowsCoverNoText()
{
    int placed = 0;
    for (int bits = 2; bits <= 6; ++bits) {
        PartitionGrid grid;
        grid.setFrame(frameOf(bits));
        present(grid, {620, 330});
        const GridPainter painter(grid.frame(), grid.grid(), tokens(ThemeKind::Light), grid.font());
        for (const BlockArrow& arrow : grid.frame().arrows) {
            const auto place = painter.symbolPlace(arrow);
            placed += place ? 1 : 0;
            for (const QRectF& text : painter.texts().places())
                QVERIFY(!place || !place->intersects(text));
        }
        if (grid.frame().arrows.empty())
            continue;
        // What an arrow crosses is read over it: where a letter has its ink it has it still.
        const QImage before = grid.grab().toImage();
        grid.setSelectedRank(grid.frame().arrows.front().from);
        const QImage after = grid.grab().toImage();
        const int rank = (grid.selectedRank() + 1) % int(grid.frame().ranks.size());
        const BlockBand& band = grid.frame().ranks[std::size_t(rank)][0];
        const QRgb ink = tokens(ThemeKind::Light).label(blockColour(band.tone, ThemeKind::Light)).rgb();
        const QRect cell = grid.grid().cell(rank).adjusted(3, 3, -3, -3).toRect();
        for (int y = cell.top(); y <= cell.bottom(); ++y)
            for (int x = cell.left(); x <= cell.right(); ++x)
                QVERIFY(before.pixel(x, y) != ink || after.pixel(x, y) == ink);
    }
    QVERIFY(placed > 20);
}

void TestPartitionParts::arrowsLeadFromRankToRank()
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

void TestPartitionParts::travellingBlocksArePainted()
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

void TestPartitionParts::theTrackIsDraggedAndSteered()
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
    QCOMPARE(toolTipAt(track, track.cell(7).center()),
        QStringLiteral("Moment 7\nLeft and Right change the step, Space plays"));
    track.setMoment(8);
    track.setStrip(stripOf(3));
    QCOMPARE(track.moment(), 0);
}

void TestPartitionParts::playingAdvancesAndEnds()
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

void TestPartitionParts::playingLoops()
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

void TestPartitionParts::playingRestsWhenHidden()
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

void TestPartitionParts::spaceAndTheButtonPlay()
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
    bar.playButton().setFocus(Qt::TabFocusReason);
    QTest::keyClick(&bar.playButton(), Qt::Key_Space);
    QVERIFY(bar.isPlaying() && bar.playButton().hasFocus());
    QTest::mouseClick(&bar.playButton(), Qt::LeftButton);
    bar.playButton().clearFocus();
    QTest::mouseClick(&bar.playButton(), Qt::LeftButton); // the keys go on where they do something
    QVERIFY(bar.isPlaying() && bar.track().hasFocus());
}

void TestPartitionParts::theSpeedIsChosen()
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

void TestPartitionParts::theDiagramChoosesAnOperator()
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
    QCOMPARE(toolTipAt(diagram, diagram.box(1).center()),
        QStringLiteral("up, divided by K\nUp and Down choose an operator"));
    const QImage before = diagram.grab().toImage();
    diagram.setCurrent(0);
    QVERIFY(differingPixels(before, diagram.grab().toImage()) > 50);
}

/// Beside the boxes, from the one to the other, and nowhere else.
void TestPartitionParts::theDiagramShowsASecondWay()
{
    std::vector<DiagramOperator> operators{{QStringLiteral("norm"), DiagramOperator::Kind::Other, {}},
        {QStringLiteral("shared"), DiagramOperator::Kind::Linear, QStringLiteral("K")},
        {QStringLiteral("experts"), DiagramOperator::Kind::Other, QStringLiteral("B")}};
    BlockDiagram diagram;
    diagram.setOperators(operators);
    present(diagram, {220, 300});
    const QImage without = diagram.grab().toImage();
    operators[2].alsoFrom = 0;
    diagram.setOperators(operators);
    const QImage with = diagram.grab().toImage();
    const auto left = int(diagram.box(0).left());
    QVERIFY(differingPixels(without.copy(0, 0, left, 300), with.copy(0, 0, left, 300)) > 100);
    QCOMPARE(differingPixels(without.copy(left + 1, 0, 220, 300), with.copy(left + 1, 0, 220, 300)), 0);
    QCOMPARE(toolTipAt(diagram, diagram.box(2).center()),
        QStringLiteral("experts, divided by B; takes what norm makes, too\nUp and Down choose an operator"));
}

void TestPartitionParts::theDiagramHasRoomForEachPartition()
{
    BlockDiagram diagram;
    std::vector<DiagramOperator> operators;
    for (const PartitionOperator& op : layerOf(6).operators)
        operators.push_back({op.name, op.kind, QStringLiteral("B,N,P4x4")});
    diagram.setOperators(operators);
    present(diagram, {diagram.minimumSizeHint().width(), 420});
    for (int i = 0; i < int(operators.size()); ++i) {
        const auto [name, division] = diagram.texts(i);
        QVERIFY2(division.startsWith(QStringLiteral("B,N")), qPrintable(name));
        QVERIFY(name.size() > 2);
        QVERIFY(toolTipAt(diagram, diagram.box(i).center()).contains(operators[std::size_t(i)].division));
    }
    present(diagram, {130, 420}); // less than there ever is
    for (int i = 0; i < int(operators.size()); ++i)
        QVERIFY(diagram.texts(i).division.startsWith(u'B') && diagram.texts(i).name.size() > 2);
    present(diagram, {300, 420});
    for (int i = 0; i < int(operators.size()); ++i)
        QCOMPARE(diagram.texts(i).division, operators[std::size_t(i)].division);
    operators.resize(1); // short ones need no more room than they had
    diagram.setOperators(operators);
    QVERIFY(diagram.minimumSizeHint().width() < 200);
}

void TestPartitionParts::theTableShowsAlternatives()
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

void TestPartitionParts::theTableMarksTheShortestTime()
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

void TestPartitionParts::theTableCopiesAllOfIt()
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

void TestPartitionParts::theTableChoosesAnOperator()
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

QTEST_MAIN(TestPartitionParts)
#include "test_partition_parts.moc"
