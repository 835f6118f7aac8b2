// SPDX-License-Identifier: GPL-3.0-or-later
// The partition explorer under real events.
#include "tests/patience.h"
#include "tests/widgets/charts/pictures.h"
#include "tests/widgets/charts/qt_messages.h"
#include "tests/widgets/partition/driving.h"
#include "tests/widgets/partition/pictures.h"
#include "widgets/panels/choice_field.h"
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
#include <QFile>
#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QSignalSpy>
#include <QTabBar>
#include <QTableView>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QToolTip>
#include <utility>

using namespace stratoplan::partition;
using namespace stratoplan::test;
using namespace stratoplan::units;
using namespace stratoplan::widgets;

namespace {

bool isInside(const QWidget& whole, const QWidget& part)
{
    return whole.rect().contains(QRect(part.mapTo(&whole, QPoint()), part.size()));
}

} // namespace

class TestPartitionExplorer : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void cleanup();

    void theExplorerShowsTheFirstProduct();
    void theOperatorStaysThroughPictures();
    void theRanksAreCopiedAndExported();
    void aRankShowsWhatItHolds();
    void aRankIsChosenWithoutTheGrid();
    void aRowOfTheRankIsAMoment();
    void oneTensorIsShownAlone();
    void otherOperatorsAreStatic();
    void theTabKeyFollowsThePicture();
    void theFocusIsSeen();
    void spacePlaysFromTheGrid();
    void whatIsElidedHasATip();
    void itSpeaksOfPartitions();
    void headingsOfARankAreWhole();
    void theLegendFollowsThePhase();
    void thePictureIsExplained();
    void sumsAreToldWithWhomTheyCount();
    void anEmptyPictureSaysWhy();
    void aMessageStandsOverThePicture();
    void itFitsASmallWindow();
    void whatHasNoRoomHasATab();
    void thePanesComeBackAsTheyWere();
    void manyRanksHaveRoomForTheirLabels();
    void longMessagesWrap();
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

void TestPartitionExplorer::theRanksAreCopiedAndExported()
{
    PartitionExplorer explorer;
    explorer.setPicture(layerOf(2));
    present(explorer, {1240, 700});
    applyTheme(*qApp, ThemeKind::Dark);
    explorer.grid().setFocus();
    QTest::keyClick(&explorer.grid(), Qt::Key_C, Qt::ControlModifier | Qt::AltModifier);
    const QImage image = QApplication::clipboard()->image();
    QCOMPARE(image.size(), explorer.pictureOfRanks().size * 2);
    QCOMPARE(QColor(image.pixel(2, 2)), tokens(ThemeKind::Light).surface);
    QSignalSpy reported(&explorer, &PartitionExplorer::reported);
    const QTemporaryDir folder;
    for (const QString& path : {folder.filePath(QStringLiteral("p.svg")), QStringLiteral("/nowhere/at/all/p.pdf")}) {
        QTest::keyClick(&explorer.grid(), Qt::Key_E, Qt::ControlModifier | Qt::AltModifier);
        auto* dialog = explorer.findChild<QFileDialog*>();
        QVERIFY(dialog && dialog->isVisible());
        Q_EMIT dialog->fileSelected(path);
        dialog->close();
        QCoreApplication::sendPostedEvents(dialog, QEvent::DeferredDelete);
    }
    QCOMPARE(reported.size(), 2);
    QVERIFY(reported.first().first().toBool() && !reported.last().first().toBool());
    QFile file(folder.filePath(QStringLiteral("p.svg")));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY(file.readAll().contains("<text"));
    applyTheme(*qApp, ThemeKind::Light);
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
    QCOMPARE(explorer.rankPanel().chooser().currentText(), QStringLiteral("Rank 1 of domain 0"));
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

/// Where only one of both has room: what is chosen in one is chosen in the other.
void TestPartitionExplorer::aRankIsChosenWithoutTheGrid()
{
    PartitionExplorer explorer;
    explorer.setPicture(layerOf(4));
    present(explorer, {690, 430}); // of a window of 1024 x 700
    QTabBar& tabs = explorer.panes().tabs();
    const auto clickTab = [&](PartitionPanes::Pane pane) { click(tabs, tabs.tabRect(int(pane)).center()); };
    clickTab(PartitionPanes::Pane::Rank);
    ChoiceField& chooser = explorer.rankPanel().chooser();
    QTRY_VERIFY(chooser.isVisible() && isInside(explorer, chooser) && !explorer.grid().isVisible());
    QCOMPARE(chooser.accessibleName(), QStringLiteral("Rank"));
    QCOMPARE(chooser.key(), -1);
    QSignalSpy chosen(&explorer, &PartitionExplorer::rankChosen);
    chooser.setFocus();
    QTest::keyClick(&chooser, Qt::Key_Down);
    QTest::keyClick(&chooser, Qt::Key_Down);
    QCOMPARE(chosen.size(), 2);
    QCOMPARE(chosen.last().first().toInt(), 1);
    QCOMPARE(explorer.grid().selectedRank(), 1);
    QVERIFY(explorer.rankPanel().table().isVisible());
    QCOMPARE(tabs.tabText(int(PartitionPanes::Pane::Rank)), QStringLiteral("Rank 1"));
    QTest::keyClick(&chooser, Qt::Key_End);
    QCOMPARE(explorer.grid().selectedRank(), 15);
    QCOMPARE(chooser.currentText(), QStringLiteral("Rank 15 of domain 3"));
    explorer.setOperator(QStringLiteral("attention")); // which has no steps
    QCOMPARE(chooser.key(), 15);
    QVERIFY(explorer.rankPanel().text().contains(QStringLiteral("part")));
    clickTab(PartitionPanes::Pane::Blocks);
    click(explorer.grid(), explorer.grid().grid().cell(5).center());
    QCOMPARE(chooser.key(), 5);
    QTest::keyClick(&explorer.grid(), Qt::Key_Escape);
    QCOMPARE(chooser.currentText(), QStringLiteral("No rank"));
    explorer.setPicture(layerOf(2));
    QCOMPARE(chooser.count(), 5);
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

void TestPartitionExplorer::theTabKeyFollowsThePicture()
{
    PartitionExplorer explorer;
    explorer.setPicture(layerOf(4));
    present(explorer, {1240, 760});
    QVERIFY(QTest::qWaitForWindowActive(&explorer));
    explorer.diagram().setFocus();
    click(explorer.grid(), explorer.grid().grid().cell(5).center()); // a rank has a table
    explorer.diagram().setFocus();
    const std::vector<QWidget*> wanted{&explorer.grid(), &explorer.steps().playButton(), &explorer.steps().track(),
        &explorer.rankPanel().chooser(), &explorer.rankPanel().table(), &explorer.table().view()};
    std::size_t found = 0;
    for (int i = 0; i < 20 && found < wanted.size(); ++i) {
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
        QVERIFY(QApplication::focusWidget());
        for (std::size_t later = found + 1; later < wanted.size(); ++later)
            QVERIFY(QApplication::focusWidget() != wanted[later]);
        found += QApplication::focusWidget() == wanted[found] ? 1 : 0;
    }
    QCOMPARE(found, wanted.size());
}

void TestPartitionExplorer::theFocusIsSeen()
{
    PartitionExplorer explorer;
    explorer.setPicture(layerOf(4));
    present(explorer, {1240, 760});
    QVERIFY(QTest::qWaitForWindowActive(&explorer));
    click(explorer.grid(), explorer.grid().grid().cell(5).center());
    explorer.setAttribute(Qt::WA_KeyboardFocusChange); // as the Tab key sets it
    for (QWidget* part : std::initializer_list<QWidget*>{&explorer.diagram(), &explorer.grid(),
             &explorer.steps().track(), &explorer.rankPanel().table(), &explorer.table().view()}) {
        explorer.legend().setFocus();
        explorer.steps().playButton().setFocus();
        const QImage before = part->grab().toImage();
        part->setFocus();
        QVERIFY2(differingPixels(before, part->grab().toImage()) > 200, qPrintable(part->accessibleName()));
    }
}

void TestPartitionExplorer::spacePlaysFromTheGrid()
{
    PartitionExplorer explorer;
    explorer.setPicture(layerOf(4));
    present(explorer, {1240, 760});
    QTest::keyClick(&explorer.grid(), Qt::Key_Space);
    QVERIFY(explorer.steps().isPlaying());
    QTest::keyClick(&explorer.grid(), Qt::Key_Space);
    QVERIFY(!explorer.steps().isPlaying());
    explorer.setOperator(QStringLiteral("attention")); // has no steps
    QTest::keyClick(&explorer.grid(), Qt::Key_Space);
    QVERIFY(!explorer.steps().isPlaying());
}

void TestPartitionExplorer::whatIsElidedHasATip()
{
    PartitionExplorer explorer;
    explorer.setPicture(layerOf(4));
    present(explorer, {960, 535});
    click(explorer.grid(), explorer.grid().grid().cell(5).center());
    for (int i = 0; i < int(explorer.diagram().operators().size()); ++i) {
        const DiagramOperator& op = explorer.diagram().operators()[std::size_t(i)];
        const QString tip = toolTipAt(explorer.diagram(), explorer.diagram().box(i).center());
        QVERIFY(tip.contains(op.name) && tip.contains(op.division));
    }
    for (const QAbstractItemModel* model :
        {explorer.table().view().model(), std::as_const(explorer.rankPanel().table()).model()}) {
        for (int column = 0; column < model->columnCount(); ++column) {
            const QString heading = model->headerData(column, Qt::Horizontal).toString();
            const QString tip = model->headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString();
            QVERIFY2(column == 0 ? !tip.isEmpty() : tip.contains(heading), qPrintable(heading));
            for (int row = 0; row < model->rowCount(); ++row)
                QVERIFY(model->index(row, column).data().toString().isEmpty()
                    || !model->index(row, column).data(Qt::ToolTipRole).toString().isEmpty());
        }
    }
    QCOMPARE(
        explorer.table().view().model()->headerData(5, Qt::Horizontal, Qt::ToolTipRole).toString().section('\n', 0, 0),
        QStringLiteral("Megatron"));
}

/// As the command line does.
void TestPartitionExplorer::itSpeaksOfPartitions()
{
    PartitionExplorer explorer;
    explorer.setPicture(layerOf(4));
    explorer.table().setColumns(PartitionTable::Columns::All);
    QStringList words{toTsv(explorer.table().table()), explorer.table().view().accessibleName()};
    for (const auto* label : explorer.findChildren<QLabel*>())
        words << label->text();
    for (const auto* button : explorer.findChildren<QToolButton*>())
        words << button->text() << button->toolTip();
    const QAbstractItemModel& model = *explorer.table().view().model();
    for (int column = 0; column < model.columnCount(); ++column)
        words << model.headerData(column, Qt::Horizontal).toString();
    QVERIFY(words.contains(QStringLiteral("Partition")) && words.contains(QStringLiteral("Partitions")));
    for (const QString& text : words)
        QVERIFY2(!text.contains(QStringLiteral("division"), Qt::CaseInsensitive), qPrintable(text));
}

void TestPartitionExplorer::headingsOfARankAreWhole()
{
    for (const int bits : {1, 4}) { // without anything that is sent, and with it
        PartitionExplorer explorer;
        explorer.setPicture(layerOf(bits));
        present(explorer, {960, 535});
        click(explorer.grid(), explorer.grid().grid().cell(1).center());
        QTableWidget& table = explorer.rankPanel().table();
        for (int column = 0; column < table.columnCount(); ++column) {
            const QString heading = table.horizontalHeaderItem(column)->text();
            const int width = QFontMetrics(table.horizontalHeader()->font()).horizontalAdvance(heading);
            QVERIFY2(table.columnWidth(column) >= width + 8, qPrintable(heading));
        }
    }
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
    QVERIFY(explorer.legend().shownTexts().contains(QStringLiteral("hue: N first")));
    explorer.setOperator(QStringLiteral("attention"));
    QCOMPARE(
        explorer.legend().shownTexts().value(0), QStringLiteral("in a cell: slices of B batch, M tokens, H heads"));
}

void TestPartitionExplorer::thePictureIsExplained()
{
    PartitionExplorer explorer;
    explorer.setPicture(layerOf(4));
    present(explorer, {1240, 760});
    const QString tip = toolTipAt(explorer.legend(), {20, 5});
    for (const char* part : {"ranks 0–3 are domain 0", "Side by side are ranks that differ in bits 0 and 2",
             "One below the other are ranks that differ in bits 1 and 3",
             "colour tells its slices, that of N (I, W) or K (O) first", "Space plays the steps"})
        QVERIFY2(tip.contains(QString::fromUtf8(part)), qPrintable(tip));
    QVERIFY(toolTipAt(explorer.grid(), {1, 1}).contains(QStringLiteral("Arrow keys choose a rank")));
    QToolTip::hideText();
    for (auto* button : explorer.findChildren<QToolButton*>())
        if (button->accessibleName() == QStringLiteral("How to read the ranks"))
            QTest::mouseClick(button, Qt::LeftButton);
    QCOMPARE(QToolTip::text(), tip);
    QToolTip::hideText();
}

void TestPartitionExplorer::sumsAreToldWithWhomTheyCount()
{
    PartitionExplorer explorer;
    explorer.setPicture(layerOf(1));
    present(explorer, {1240, 760});
    const QString tip = toolTipAt(explorer.legend(), {20, 5});
    QVERIFY2(tip.contains(QStringLiteral("in a dashed frame")), qPrintable(tip));
    QVERIFY2(tip.contains(QStringLiteral("what an operator hands on, and gets back for it in the backward pass, counts "
                                         "with this operator")),
        qPrintable(tip));
    QToolTip::hideText();
    const QAbstractItemModel& model = *explorer.table().view().model();
    int told = 0;
    for (int column = 0; column < model.columnCount(); ++column)
        told += int(model.headerData(column, Qt::Horizontal) == QStringLiteral("Traffic")
            && model.headerData(column, Qt::Horizontal, Qt::ToolTipRole)
                   .toString()
                   .contains(QStringLiteral("a hand-over counts with its sender")));
    QCOMPARE(told, int(explorer.picture().alternatives.size()));
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
    explorer.resize(1240, 430); // the rank beside its blocks: its tab leaves no gap
    QTRY_VERIFY(!tabs.isTabVisible(int(PartitionPanes::Pane::Rank)) && explorer.rankPanel().isVisible());
    QCOMPARE(tabs.tabRect(int(PartitionPanes::Pane::Costs)).left(),
        tabs.tabRect(int(PartitionPanes::Pane::Blocks)).right() + 1);
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

void TestPartitionExplorer::longMessagesWrap()
{
    PartitionExplorer explorer;
    explorer.setPicture(layerOf(2));
    const int width = explorer.minimumSizeHint().width();
    PartitionPicture picture = layerOf(2);
    picture.message = QStringLiteral("a reason of many words ").repeated(20);
    explorer.setPicture(picture);
    QVERIFY2(explorer.minimumSizeHint().width() <= width, qPrintable(QString::number(width)));
    picture.operators.clear();
    explorer.setPicture(picture);
    QVERIFY(explorer.minimumSizeHint().width() <= width);
}

void TestPartitionExplorer::manyRanksHaveRoomForTheirLabels()
{
    PartitionExplorer explorer;
    explorer.setPicture(layerOf(4));
    present(explorer, {1060, 640}); // of a window of 1440 x 900
    QVERIFY(!explorer.panes().tabs().isVisible());
    explorer.setPicture(layerOf(6));
    QTRY_VERIFY(explorer.panes().tabs().isVisible() && !explorer.table().isVisible()); // 64 need the room
    PartitionGrid& grid = explorer.grid();
    const auto isLabelled = [&grid] {
        const GridPainter painter(grid.frame(), grid.grid(), tokens(ThemeKind::Light), grid.font());
        return !painter.texts().written(63, 1).isEmpty();
    };
    QTRY_VERIFY(isLabelled()); // once it has its place
    explorer.setPicture(layerOf(4));
    explorer.resize(1060, 700);
    QTRY_VERIFY(!explorer.panes().tabs().isVisible() && explorer.table().isVisible());
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
