// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/charts/chart_driving.h"
#include "tests/widgets/charts/fixtures.h"
#include "tests/widgets/charts/pictures.h"
#include "tests/widgets/charts/qt_messages.h"
#include "widgets/charts/breakdown_chart.h"
#include "widgets/charts/legend_row.h"
#include "widgets/charts/memory_chart.h"
#include "widgets/charts/pareto_chart.h"
#include "widgets/charts/pipeline_chart.h"
#include "widgets/charts/qcp.h"
#include "widgets/presentation/compared_stacks.h"
#include "widgets/presentation/text.h"
#include "widgets/style/theme.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QDialog>
#include <QFileDialog>
#include <QMenu>
#include <QMimeData>
#include <QSignalSpy>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QToolTip>
#include <array>
#include <limits>
#include <utility>

using namespace stratoplan::estimate;
using namespace stratoplan::model;
using namespace stratoplan::pipeline;
using namespace stratoplan::units;
using namespace stratoplan::widgets;
using namespace stratoplan::test;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct AllCharts {
    BreakdownChart breakdown;
    MemoryChart memory;
    ParetoChart pareto;
    PipelineChart pipeline;

    [[nodiscard]] std::array<ChartView*, 4> all() { return {&breakdown, &memory, &pareto, &pipeline}; }
    void fill(int strategies = 2000)
    {
        breakdown.setEstimate(sampleEstimate());
        memory.setEstimate(sampleEstimate());
        pareto.setStrategies(sharedStrategies(strategies));
        pipeline.setTimeline(plainTimeline(8, 12));
    }
};

} // namespace

class TestCharts : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void cleanup();

    void breakdownSegmentsRoundTrip();
    void breakdownShareToggles();
    void breakdownKeepsTheViewAcrossEstimates();
    void memoryColumnsRoundTrip();
    void memoryLabelsStayApart_data();
    void memoryLabelsStayApart();
    void memoryClickNamesTheStage();
    void arrowsWalkTheSegments();
    void explainsWhatIsUnderThePointer();
    void aStageIsMarkedWhereItIsPointedAtElsewhere();
    void exportsWithoutStoppingAnyone();
    void exportsByTheKeyboardAtTheScaleChosen();

    void doubleClickFits();
    void emptyInputShowsWhatToDo();
    void notFiniteInputShowsTheEmptyState();
    void updatingBarWaitsAndKeepsThePicture();
    void aStalePictureIsPaledInPlace();
    void ticksFitTheSizeShown();
    void textsFitTheirPlace();
    void legendStandsOutsideThePlot();
    void themeChangeRepaints();
    void exportsEveryFormat();
    void exportsAtEveryScale();
    void copiesDataAndImage();
    void plansStandOnCommonAxes();
    void tableDialogShowsTheTable();
    void namesForAssistiveTechnology();
    void survivesEverySize();
};

void TestCharts::initTestCase()
{
    collectQtMessages();
    applyTheme(*qApp, ThemeKind::Light);
}

void TestCharts::cleanup()
{
    const QStringList messages = std::exchange(qtMessages(), {});
    QVERIFY2(messages.isEmpty(), qPrintable(messages.join(u'\n')));
}

void TestCharts::breakdownSegmentsRoundTrip()
{
    BreakdownChart chart;
    chart.setEstimate(sampleEstimate());
    present(chart, QSize(900, 500));
    int checked = 0;
    for (std::size_t i = 0; i < chart.view()->stacks.size(); ++i) {
        double covered = 0;
        for (std::size_t j = 0; j < chart.view()->stacks[i].segments.size(); ++j) {
            const QRectF r = chart.segmentRect({i, j});
            const Segment& s = chart.view()->stacks[i].segments[j];
            covered += s.inside ? 0 : r.width();
            if (r.width() < 3)
                continue;
            // A strip lies at the foot of the bar, so the bar is asked above it.
            const auto hit = chart.segmentAt(s.inside ? r.center() : QPointF(r.center().x(), r.top() + 2));
            QVERIFY(hit);
            QCOMPARE(*hit, (BreakdownChart::Hit{i, j}));
            ++checked;
        }
        const double length = chart.plot().xAxis->coordToPixel(9.84) - chart.plot().xAxis->coordToPixel(0);
        QVERIFY(std::abs(covered - length) <= 2);
    }
    QVERIFY(checked > 40);
    const QRectF first = chart.segmentRect({0, 0});
    QVERIFY(chart.toolTipAt(first.center()).contains(QStringLiteral("forward")));
    QVERIFY(chart.toolTipAt(first.center()).contains(QStringLiteral("96 micro-batches")));
    QVERIFY(chart.toolTipAt(QPointF(2, 2)).isEmpty());
    // The step on top, stage 0 beneath it.
    QVERIFY(chart.segmentRect({0, 0}).bottom() <= chart.segmentRect({1, 0}).top());
    QVERIFY(chart.segmentRect({1, 0}).bottom() <= chart.segmentRect({2, 0}).top());
}

void TestCharts::breakdownShareToggles()
{
    BreakdownChart chart;
    chart.setEstimate(sampleEstimate());
    present(chart);
    QVERIFY(chart.plot().xAxis->label().startsWith(QStringLiteral("s · parts sum to 9.84 s")));
    const QRectF before = chart.segmentRect({0, 0});
    QSignalSpy changed(&chart, &BreakdownChart::shareChanged);
    chart.setShare(true);
    settle();
    QCOMPARE(changed.size(), 1);
    QVERIFY(chart.plot().xAxis->label().startsWith(QStringLiteral("% of the step")));
    QCOMPARE(chart.segmentRect({0, 0}), before); // another scale, the same picture
}

void TestCharts::breakdownKeepsTheViewAcrossEstimates()
{
    BreakdownChart chart;
    chart.setEstimate(sampleEstimate());
    present(chart);
    turnWheel(chart, chart.segmentRect({0, 1}).center(), 3);
    const auto moved = chart.plot().xAxis->range();
    chart.setEstimate(sampleEstimate(8, 9.5));
    settle();
    QCOMPARE(chart.plot().xAxis->range(), moved);
    chart.fit();
    QVERIFY(chart.plot().xAxis->range().upper > 9.5);
    QCOMPARE(chart.plot().xAxis->range().lower, 0.0);
    chart.setEstimate(sampleEstimate(8, 20));
    QVERIFY(chart.plot().xAxis->range().upper > 20);
}

void TestCharts::memoryColumnsRoundTrip()
{
    MemoryChart chart;
    chart.setEstimate(sampleEstimate());
    present(chart);
    for (std::size_t i = 0; i < 8; ++i) {
        for (std::size_t j = 0; j < chart.view()->stacks[i].segments.size(); ++j) {
            const QRectF r = chart.segmentRect({i, j});
            if (r.height() < 2)
                continue;
            const auto hit = chart.segmentAt(r.center());
            QVERIFY(hit);
            QCOMPARE(*hit, (MemoryChart::Hit{i, j}));
        }
    }
    QVERIFY(chart.segmentRect({0, 0}).left() < chart.segmentRect({1, 0}).left());
    QVERIFY(chart.segmentRect({0, 0}).top() > chart.segmentRect({0, 3}).top());
    QVERIFY(chart.toolTipAt(chart.segmentRect({2, 3}).center()).contains(QStringLiteral("activations")));
}

void TestCharts::memoryLabelsStayApart_data()
{
    QTest::addColumn<double>("activations");
    QTest::addColumn<int>("stages");
    for (const int stages : {1, 2, 8, 64}) {
        for (const double factor : {0.5, 1.0, 1.2, 1.28, 1.3, 1.4, 2.0})
            QTest::addRow("%d stages, %g", stages, factor) << factor << stages;
    }
}

void TestCharts::memoryLabelsStayApart()
{
    QFETCH(double, activations);
    QFETCH(int, stages);
    Estimate e = sampleEstimate(stages);
    for (StageMemory& m : e.memory.stages)
        m.activations *= activations;
    MemoryChart chart;
    chart.setEstimate(e);
    for (const QSize size : {QSize(640, 360), QSize(270, 300), QSize(200, 200)}) {
        present(chart, size);
        const MemoryChart::Labels on = chart.labels();
        const QRectF plot(chart.plot().axisRect()->rect());
        QString where;
        QDebug(&where) << size << plot << on.capacity.rect << on.peak.rect;
        QVERIFY2(plot.contains(on.capacity.rect), where.toUtf8());
        // A plot of three lines' height has room for one label.
        const bool low = plot.height() < 3 * on.capacity.rect.height() + 1;
        QVERIFY2(plot.contains(on.peak.rect) || (low && on.peak.text.isEmpty()), where.toUtf8());
        QVERIFY(!on.capacity.rect.intersects(on.peak.rect));
        if (plot.height() > 6 * on.capacity.rect.height()) {
            const double line = chart.plot().yAxis->coordToPixel(80 * kGiB);
            QVERIFY2(on.peak.rect.bottom() <= line || on.peak.rect.top() >= line + 1,
                where.toUtf8()); // it does not cut the line
        }
        QVERIFY(on.capacity.text.startsWith(QStringLiteral("80")));
    }
}

void TestCharts::memoryClickNamesTheStage()
{
    MemoryChart chart;
    chart.setEstimate(sampleEstimate());
    present(chart);
    QSignalSpy clicked(&chart, &MemoryChart::stageClicked);
    QTest::mouseClick(&chart.plot(), Qt::LeftButton, {}, chart.segmentRect({3, 3}).center().toPoint());
    QCOMPARE(clicked.size(), 1);
    QCOMPARE(clicked.first().first().toInt(), 3);
    QTest::mouseClick(&chart.plot(), Qt::LeftButton, {}, QPoint(3, 3));
    QCOMPARE(clicked.size(), 1);
}

// In one piece: the same keys in both charts that are made of segments.
void TestCharts::arrowsWalkTheSegments()
{
    BreakdownChart breakdown;
    breakdown.setEstimate(sampleEstimate());
    present(breakdown);
    QSignalSpy part(&breakdown, &BreakdownChart::partChosen);
    QSignalSpy stage(&breakdown, &ChartView::stageHovered);
    QTest::keyClick(&breakdown, Qt::Key_Right);
    QVERIFY2(breakdown.pointedText().startsWith(QStringLiteral("forward · step")), qPrintable(breakdown.pointedText()));
    QTest::keyClick(&breakdown, Qt::Key_Right);
    QTest::keyClick(&breakdown, Qt::Key_Down);
    QVERIFY2(
        breakdown.pointedText().startsWith(QStringLiteral("backward · stage 0")), qPrintable(breakdown.pointedText()));
    QCOMPARE(stage.last().first().toInt(), 0);
    QTest::keyClick(&breakdown, Qt::Key_Return);
    QCOMPARE(part.size(), 1);
    QCOMPARE(part.first().first().toInt(), 0);
    QCOMPARE(part.first().last().toString(), QStringLiteral("backward"));
    const auto range = breakdown.plot().xAxis->range();
    turnWheel(breakdown, QPointF(breakdown.plot().axisRect()->center()), 4);
    const auto closer = breakdown.plot().xAxis->range();
    QVERIFY(closer != range);
    QTest::keyClick(&breakdown, Qt::Key_Right, Qt::ShiftModifier); // still pans
    QVERIFY(breakdown.plot().xAxis->range() != closer);

    MemoryChart memory;
    memory.setEstimate(sampleEstimate());
    present(memory);
    QSignalSpy clicked(&memory, &MemoryChart::stageClicked);
    QTest::keyClick(&memory, Qt::Key_Right);
    QTest::keyClick(&memory, Qt::Key_Right);
    QTest::keyClick(&memory, Qt::Key_Up);
    QVERIFY2(memory.pointedText().startsWith(QStringLiteral("gradients · stage 1")), qPrintable(memory.pointedText()));
    for (int i = 0; i < 20; ++i)
        QTest::keyClick(&memory, Qt::Key_Right);
    QVERIFY(memory.pointedText().contains(QStringLiteral("stage 7")));
    QTest::keyClick(&memory, Qt::Key_Enter);
    QCOMPARE(clicked.size(), 1);
    QCOMPARE(clicked.first().first().toInt(), 7);
    QToolTip::hideText();
}

// In one piece: the same menu in every chart that explains what it shows.
void TestCharts::explainsWhatIsUnderThePointer()
{
    AllCharts charts;
    charts.fill();
    QSignalSpy part(&charts.breakdown, &BreakdownChart::partChosen);
    QSignalSpy stage(&charts.memory, &MemoryChart::stageClicked);
    QSignalSpy candidate(&charts.pareto, &ParetoChart::explained);
    QSignalSpy adopted(&charts.pareto, &ParetoChart::adopted);
    QSignalSpy slice(&charts.pipeline, &PipelineChart::sliceSelected);
    const auto explain = [](ChartView& chart, QPointF at) {
        present(chart);
        QSignalSpy wanted(&chart, &ChartView::explanationWanted);
        QContextMenuEvent event(QContextMenuEvent::Mouse, at.toPoint(), chart.plot().mapToGlobal(at.toPoint()));
        QApplication::sendEvent(&chart.plot(), &event); // where a right click arrives
        auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
        QVERIFY(menu);
        QAction* action = menu->actions().front();
        QCOMPARE(action->text(), QStringLiteral("Explain"));
        QVERIFY(action->isEnabled());
        menu->setActiveAction(action);
        QTest::keyClick(menu, Qt::Key_Return);
        QCOMPARE(wanted.size(), 1);
    };
    present(charts.breakdown);
    explain(charts.breakdown, charts.breakdown.segmentRect({2, 1}).center() - QPointF(0, 4));
    QCOMPARE(part.size(), 1);
    QCOMPARE(part.first().first().toInt(), 1);
    present(charts.memory);
    explain(charts.memory, charts.memory.segmentRect({3, 2}).center());
    QCOMPARE(stage.size(), 1);
    QCOMPARE(stage.first().first().toInt(), 3);
    present(charts.pareto);
    explain(charts.pareto, charts.pareto.pointAt(charts.pareto.view().front.back()));
    QCOMPARE(candidate.size(), 1);
    QCOMPARE(adopted.size(), 0); // a click adopts, asking does not
    present(charts.pipeline);
    explain(charts.pipeline, charts.pipeline.ganttLayout().sliceRect(GanttRef{0, 5}).center());
    explain(charts.pipeline,
        charts.pipeline.ganttLayout().sliceRect(GanttRef{0, 5}).center()); // again, though it is selected already
    QCOMPARE(slice.size(), 2);
    QMenu* nothing = charts.pipeline.makeMenu(std::nullopt);
    QVERIFY(!nothing->actions().front()->isEnabled());
    delete nothing;
}

void TestCharts::aStageIsMarkedWhereItIsPointedAtElsewhere()
{
    BreakdownChart breakdown;
    MemoryChart memory;
    PipelineChart pipeline;
    breakdown.setEstimate(sampleEstimate());
    memory.setEstimate(sampleEstimate());
    pipeline.setTimeline(plainTimeline(8, 12));
    for (ChartView* chart :
        {static_cast<ChartView*>(&breakdown), static_cast<ChartView*>(&memory), static_cast<ChartView*>(&pipeline)}) {
        present(*chart);
        const QImage before = chart->grab().toImage();
        QSignalSpy replots(&chart->plot(), &QCustomPlot::afterReplot);
        chart->setLinkedStage(3);
        const QImage marked = chart->grab().toImage();
        QVERIFY(differingPixels(before, marked) > 40);
        chart->setLinkedStage(5);
        QVERIFY(differingPixels(marked, chart->grab().toImage()) > 40);
        chart->setLinkedStage(-1);
        QCOMPARE(differingPixels(before, chart->grab().toImage()), 0);
        QCOMPARE(replots.size(), 0); // only the overlay
    }
    breakdown.hide(); // the pointer meets the window on top
    memory.hide();
    QTest::mouseMove(&pipeline.plot(), QPoint(1, 1));
    QSignalSpy hovered(&pipeline, &ChartView::stageHovered);
    QTest::mouseMove(&pipeline.plot(),
        QPoint(pipeline.plot().axisRect()->center().x(),
            qRound(pipeline.ganttLayout().sliceRect(GanttRef{0, 24 * 2}).center().y())));
    QCOMPARE(hovered.size(), 1);
    QCOMPARE(hovered.last().first().toInt(), 2);
    QTest::mouseMove(&pipeline.plot(), QPoint(1, 1));
    QCOMPARE(hovered.last().first().toInt(), -1);
}

void TestCharts::exportsWithoutStoppingAnyone()
{
    QTemporaryDir folder;
    MemoryChart chart;
    chart.setEstimate(sampleEstimate());
    present(chart);
    QSignalSpy reported(&chart, &ChartView::reported);
    const auto save = [&](const QString& filter, const QString& name) {
        chart.exportWithDialog(); // returns at once
        auto* dialog = chart.findChild<QFileDialog*>();
        QVERIFY(dialog && dialog->isVisible());
        dialog->setOption(QFileDialog::DontConfirmOverwrite);
        dialog->setDirectory(folder.path());
        dialog->selectNameFilter(filter);
        Q_EMIT dialog->filterSelected(filter);
        dialog->selectFile(name);
        QMetaObject::invokeMethod(dialog, "accept");
        QCoreApplication::sendPostedEvents(dialog, QEvent::DeferredDelete);
        settle();
    };
    save(QStringLiteral("Vector image (*.svg)"), QStringLiteral("memory")); // the filter says which suffix
    QCOMPARE(reported.size(), 1);
    QVERIFY(reported.first().first().toBool());
    QVERIFY(QFile::exists(folder.filePath(QStringLiteral("memory.svg"))));
    save(QStringLiteral("Image at 2× (*.png)"), QStringLiteral("memory.bmp"));
    QCOMPARE(reported.size(), 2);
    QVERIFY(!reported.last().first().toBool());
    QVERIFY(reported.last().last().toString().contains(QStringLiteral("memory.bmp")));
    QVERIFY(!QApplication::activeModalWidget());
}

void TestCharts::exportsByTheKeyboardAtTheScaleChosen()
{
    QTemporaryDir folder;
    MemoryChart chart;
    chart.setEstimate(sampleEstimate());
    present(chart);
    QSignalSpy reported(&chart, &ChartView::reported);
    QSize sizes[2];
    for (const int scale : {1, 4}) {
        QTest::keyClick(&chart, Qt::Key_E, Qt::ControlModifier | Qt::AltModifier);
        auto* dialog = chart.findChild<QFileDialog*>();
        QVERIFY(dialog && dialog->isVisible());
        const QString filter = QStringLiteral("Image at %1× (*.png)").arg(scale);
        QVERIFY(dialog->nameFilters().contains(filter));
        Q_EMIT dialog->filterSelected(filter);
        const QString path = folder.filePath(QStringLiteral("%1.png").arg(scale));
        Q_EMIT dialog->fileSelected(path);
        dialog->close();
        QCoreApplication::sendPostedEvents(dialog, QEvent::DeferredDelete);
        sizes[scale == 4] = QImage(path).size();
    }
    QCOMPARE(sizes[1], sizes[0] * 4);
    QCOMPARE(reported.size(), 2);
}

void TestCharts::doubleClickFits()
{
    MemoryChart chart;
    chart.setEstimate(sampleEstimate());
    present(chart);
    const auto fitted = chart.plot().yAxis->range();
    turnWheel(chart, QPointF(chart.plot().axisRect()->center()), 4);
    QVERIFY(chart.plot().yAxis->range() != fitted);
    QTest::mouseDClick(&chart.plot(), Qt::LeftButton, {}, chart.plot().axisRect()->center());
    settle();
    QCOMPARE(chart.plot().yAxis->range(), fitted);
}

void TestCharts::emptyInputShowsWhatToDo()
{
    AllCharts charts;
    charts.breakdown.setEstimate({});
    charts.memory.setEstimate({});
    charts.pareto.setStrategies(std::make_shared<const StrategySet>());
    charts.pipeline.setTimeline({});
    for (ChartView* chart : charts.all()) {
        present(*chart);
        QVERIFY(chart->isEmpty());
        QVERIFY(chart->emptyText().size() > 20);
        QVERIFY(!chart->plot().isVisible());
        QVERIFY(!chart->legend().isVisible());
        QVERIFY(chart->table().rows.isEmpty());
        QVERIFY(!chart->exportTo(QStringLiteral("unused.png")).isEmpty());
        turnWheel(*chart, QPointF(20, 20), 1);
        QTest::keyClick(chart, Qt::Key_F);
        QTest::keyClick(chart, Qt::Key_W);
        QTest::mouseMove(chart, QPoint(50, 50));
        static_cast<void>(chart->grab());
    }
}

void TestCharts::notFiniteInputShowsTheEmptyState()
{
    Estimate e = sampleEstimate();
    BreakdownChart breakdown;
    breakdown.setEstimate(e);
    present(breakdown);
    QVERIFY(!breakdown.isEmpty());
    e.step = Seconds(kNan);
    breakdown.setEstimate(e);
    QVERIFY(breakdown.isEmpty());
    MemoryChart memory;
    e = sampleEstimate();
    e.memory.stages[0].weights = Bytes(kNan);
    memory.setEstimate(e);
    QVERIFY(memory.isEmpty());
    ParetoChart pareto;
    e.memory.peak = Bytes(kNan);
    pareto.setCurrent(e, Precision::Bf16);
    StrategySet n = sampleStrategies(3);
    for (StrategyPoint& s : n.points)
        s.step = Seconds(kNan);
    pareto.setStrategies(std::make_shared<const StrategySet>(n));
    QVERIFY(pareto.isEmpty());
    PipelineChart pipeline;
    Timeline t = plainTimeline(2, 2);
    t.slices[1].duration = std::numeric_limits<float>::infinity();
    pipeline.setTimeline(t);
    QVERIFY(pipeline.isEmpty());
    // And back again.
    breakdown.setEstimate(sampleEstimate());
    QVERIFY(!breakdown.isEmpty());
    QVERIFY(breakdown.plot().isVisible());
}

void TestCharts::updatingBarWaitsAndKeepsThePicture()
{
    MemoryChart chart;
    chart.setEstimate(sampleEstimate());
    present(chart);
    const QImage before = chart.grab().toImage();
    chart.setUpdating(true);
    settle();
    QCOMPARE(differingPixels(before, chart.grab().toImage()), 0); // a quick answer shows no bar
    QTest::qWait(220);
    const int bar = differingPixels(before, chart.grab().toImage());
    QVERIFY(bar >= chart.width() && bar <= chart.width() * 3);
    chart.setUpdating(false);
    settle();
    QCOMPARE(differingPixels(before, chart.grab().toImage()), 0);
}

void TestCharts::aStalePictureIsPaledInPlace()
{
    BreakdownChart breakdown;
    MemoryChart memory;
    PipelineChart pipeline;
    const auto fill = [&] {
        breakdown.setEstimate(sampleEstimate());
        memory.setEstimate(sampleEstimate());
        pipeline.setTimeline(plainTimeline(8, 12));
    };
    fill();
    for (ChartView* chart :
        {static_cast<ChartView*>(&breakdown), static_cast<ChartView*>(&memory), static_cast<ChartView*>(&pipeline)}) {
        present(*chart);
        const QImage fresh = chart->grab().toImage();
        const QRect plot = chart->plot().geometry();
        chart->setStale(QStringLiteral("Of a plan before"));
        settle();
        const QImage stale = chart->grab().toImage();
        QCOMPARE(chart->plot().geometry(), plot);
        const Paling paling = comparePaled(fresh, stale, currentTokens().surface);
        // All but the notice is the same picture, mixed with the background: nothing is drawn twice.
        QVERIFY2(paling.other < stale.width() * stale.height() / 20, qPrintable(QString::number(paling.other)));
        QVERIFY2(paling.paled > 5000, qPrintable(QString::number(paling.paled)));
        QTest::mouseMove(&chart->plot(), QPoint(150, 60)); // what lies beneath can still be pointed at
        fill();
        settle();
        QTest::mouseMove(&chart->plot(), QPoint(1, 1));
        QCOMPARE(chart->staleNotice(), QString());
        const int different = differingPixels(fresh, chart->grab().toImage());
        QVERIFY2(different == 0, qPrintable(QStringLiteral("%1: %2").arg(chart->title()).arg(different)));
    }
    memory.clear();
    memory.setStale(QStringLiteral("Of a plan before"));
    QCOMPARE(memory.staleNotice(), QString()); // there is no picture
}

void TestCharts::ticksFitTheSizeShown()
{
    AllCharts charts;
    charts.fill();
    for (ChartView* chart : charts.all()) {
        present(*chart, QSize(700, 640));
        // Down to the places that charts have in a window of 1280 x 720, and up to a full screen.
        for (const QSize size : {QSize(218, 265), QSize(660, 250), QSize(420, 190), QSize(1500, 900)}) {
            present(*chart, size);
            QCustomPlot& plot = chart->plot();
            const auto ticks = [&] { return std::pair(plot.xAxis->tickVector(), plot.yAxis->tickVector()); };
            const auto shown = ticks();
            plot.replot();
            QVERIFY2(shown == ticks(), qPrintable(chart->title())); // as many as this size holds
            const auto names = plot.xAxis->tickVectorLabels();
            const QFontMetricsF metrics(plot.xAxis->tickLabelFont());
            for (qsizetype i = 1; i < shown.first.size(); ++i) {
                const double apart =
                    plot.xAxis->coordToPixel(shown.first[i]) - plot.xAxis->coordToPixel(shown.first[i - 1]);
                QVERIFY(apart >= (metrics.horizontalAdvance(names[i]) + metrics.horizontalAdvance(names[i - 1])) / 2);
            }
            for (qsizetype i = 1; i < shown.second.size(); ++i) {
                const double apart =
                    std::abs(plot.yAxis->coordToPixel(shown.second[i]) - plot.yAxis->coordToPixel(shown.second[i - 1]));
                QVERIFY2(apart >= QFontMetricsF(plot.yAxis->tickLabelFont()).height() - 0.5,
                    qPrintable(QStringLiteral("%1: %2").arg(chart->title()).arg(apart)));
            }
        }
    }
}

void TestCharts::textsFitTheirPlace()
{
    AllCharts charts;
    charts.fill();
    for (ChartView* chart : charts.all()) {
        for (const int width : {150, 180, 220, 300, 800}) {
            present(*chart, QSize(width, 300));
            const QCPAxis& axis = *chart->plot().xAxis;
            const double half = QFontMetricsF(axis.labelFont()).horizontalAdvance(axis.label()) / 2;
            const double middle = QRectF(chart->plot().axisRect()->rect()).center().x();
            QVERIFY2(middle - half >= -0.5 && middle + half <= chart->plot().width() + 0.5, qPrintable(axis.label()));
        }
        QVERIFY(!chart->plot().xAxis->label().contains(u'…'));
    }
    QVERIFY(charts.pareto.plot().xAxis->label().endsWith(QStringLiteral("GiB")));
    present(charts.pareto, QSize(180, 300));
    QVERIFY2(charts.pareto.plot().xAxis->label().endsWith(QStringLiteral("GiB")),
        qPrintable(charts.pareto.plot().xAxis->label())); // the unit stays
}

void TestCharts::legendStandsOutsideThePlot()
{
    BreakdownChart chart;
    chart.setEstimate(sampleEstimate());
    for (const int width : {220, 300, 500, 900}) {
        present(chart, QSize(width, 340));
        const QRect plot(chart.plot().mapTo(&chart, QPoint()), chart.plot().size());
        const QRect legend(chart.legend().mapTo(&chart, QPoint()), chart.legend().size());
        QVERIFY(!plot.intersects(legend));
        const auto cells = chart.legend().cells(chart.legend().width());
        QCOMPARE(cells.size(), chart.legend().entries().size());
        for (const QRectF& cell : cells)
            QVERIFY(QRectF(chart.legend().rect()).adjusted(-1, -1, 1, 1).contains(cell));
        QVERIFY(!chart.plot().legend || !chart.plot().legend->visible());
    }
}

void TestCharts::themeChangeRepaints()
{
    PipelineChart chart;
    chart.setTimeline(plainTimeline(8, 12));
    present(chart);
    const QImage light = chart.grab().toImage();
    applyTheme(*qApp, ThemeKind::Dark);
    settle();
    const QImage dark = chart.grab().toImage();
    QCOMPARE(QColor(dark.pixel(4, dark.height() / 2)), tokens(ThemeKind::Dark).surface);
    QCOMPARE(chart.plot().xAxis->tickLabelColor(), tokens(ThemeKind::Dark).secondaryText);
    applyTheme(*qApp, ThemeKind::Light);
    settle();
    QCOMPARE(differingPixels(light, chart.grab().toImage()), 0);
}

void TestCharts::exportsEveryFormat()
{
    QTemporaryDir folder;
    applyTheme(*qApp, ThemeKind::Dark);
    BreakdownChart chart;
    chart.setEstimate(sampleEstimate());
    present(chart);
    const auto path = [&](const char* name) { return folder.filePath(QString::fromLatin1(name)); };
    for (const char* name : {"c.png", "c.svg", "c.pdf", "c.csv"})
        QCOMPARE(chart.exportTo(path(name)), QString());
    const QImage png(path("c.png"));
    QVERIFY(png.width() > chart.plot().width() * 2);
    QCOMPARE(QColor(png.pixel(2, 2)), tokens(ThemeKind::Light).surface);
    const auto content = [&](const char* name) {
        QFile file(path(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };
    const QByteArray svg = content("c.svg");
    QVERIFY(svg.contains("<text") && svg.contains("stage 7") && !svg.contains("<image"));
    QVERIFY(content("c.pdf").startsWith("%PDF"));
    QVERIFY(content("c.csv").startsWith("Row,Part,Seconds"));
    QCOMPARE(content("c.csv").count("\r\n"), chart.table().rows.size() + 1);
    QVERIFY(chart.exportTo(path("c.bmp")).contains(QStringLiteral("c.bmp")));
    QVERIFY(!chart.exportTo(QStringLiteral("/nowhere/at/all/c.png")).isEmpty());
    // The window keeps its theme.
    settle();
    QCOMPARE(chart.plot().xAxis->tickLabelColor(), tokens(ThemeKind::Dark).secondaryText);
    applyTheme(*qApp, ThemeKind::Light);
}

void TestCharts::copiesDataAndImage()
{
    MemoryChart chart;
    chart.setEstimate(sampleEstimate());
    present(chart);
    QTest::keyClick(&chart, Qt::Key_C, Qt::ControlModifier);
    const QString text = QApplication::clipboard()->text();
    QCOMPARE(text, toTsv(chart.table()));
    QCOMPARE(text.count(u'\n'), 9);
    QVERIFY(!text.contains(QStringLiteral("nan")));
    QVERIFY(QApplication::clipboard()->mimeData()->html().contains(QStringLiteral("<th>Stage</th>")));
    // As a file of it looks, whatever the theme.
    applyTheme(*qApp, ThemeKind::Dark);
    QTest::keyClick(&chart, Qt::Key_C, Qt::ControlModifier | Qt::AltModifier);
    const QImage image = QApplication::clipboard()->image();
    QVERIFY(image.width() > 2 * chart.plot().width());
    QCOMPARE(QColor(image.pixel(2, 2)), tokens(ThemeKind::Light).surface);
    settle();
    QCOMPARE(chart.plot().xAxis->tickLabelColor(), tokens(ThemeKind::Dark).secondaryText);
    applyTheme(*qApp, ThemeKind::Light);
}

void TestCharts::exportsAtEveryScale()
{
    QTemporaryDir folder;
    MemoryChart chart;
    chart.setEstimate(sampleEstimate());
    present(chart);
    QCOMPARE(chart.exportTo(folder.filePath(QStringLiteral("one.png")), 1), QString());
    const QSize one = QImage(folder.filePath(QStringLiteral("one.png"))).size();
    for (const int scale : {2, 4}) {
        const QString path = folder.filePath(QStringLiteral("%1.png").arg(scale));
        QCOMPARE(chart.exportTo(path, scale), QString());
        QCOMPARE(QImage(path).size(), one * scale);
    }
}

void TestCharts::plansStandOnCommonAxes()
{
    const Estimate a = sampleEstimate(8, 9.84), b = sampleEstimate(8, 19.68);
    const std::vector<ComparedEstimate> plans{
        {QStringLiteral("A"), &a}, {QStringLiteral("<B>"), &b}, {QStringLiteral("C"), nullptr}};
    BreakdownChart steps;
    steps.setView(comparedBreakdown(plans, 0));
    present(steps, QSize(640, 300));
    QCOMPARE(steps.view()->stacks.size(), std::size_t(2)); // what has no estimate has no bar
    QCOMPARE(steps.view()->stacks[0].remark, QStringLiteral("9.84 s"));
    QCOMPARE(steps.view()->stacks[1].remark, QStringLiteral("19.7 s  ▲ +9.84 s"));
    const auto end = [&](std::size_t stack) {
        double right = 0;
        for (std::size_t j = 0; j < steps.view()->stacks[stack].segments.size(); ++j)
            right = std::max(right, steps.segmentRect({stack, j}).right());
        return right - steps.plot().xAxis->coordToPixel(0);
    };
    QVERIFY(std::abs(end(1) / end(0) - b.breakdown.total() / a.breakdown.total()) < 0.02);
    // What stands behind the longest bar is in sight.
    const double room = steps.plot().axisRect()->right() - steps.plot().xAxis->coordToPixel(b.step.value());
    QVERIFY(room
        >= QFontMetricsF(steps.plot().xAxis->tickLabelFont()).horizontalAdvance(QStringLiteral("19.7 s  ▲ +9.84 s")));
    QVERIFY(steps.toolTipAt(steps.segmentRect({1, 0}).center()).contains(QStringLiteral("&lt;B&gt;")));
    QVERIFY(steps.description().contains(QStringLiteral("A 9.84 s")));
    MemoryChart memory;
    memory.setView(comparedMemory(plans, 0));
    present(memory, QSize(480, 300));
    QCOMPARE(memory.view()->stacks.size(), std::size_t(2));
    QCOMPARE(memory.table().columns.first(), QStringLiteral("Plan, its fullest stage"));
    QCOMPARE(memory.table().rows.size(), 2);
    QVERIFY(!memory.findChild<QToolButton*>(QStringLiteral("overTime"))->isVisible());
    QVERIFY(!comparedBreakdown({{QStringLiteral("C"), nullptr}}, -1));
}

void TestCharts::tableDialogShowsTheTable()
{
    MemoryChart chart;
    chart.setEstimate(sampleEstimate());
    present(chart);
    chart.showTable();
    auto* dialog = chart.findChild<QDialog*>();
    QVERIFY(dialog && dialog->isVisible() && !dialog->isModal());
    auto* view = dialog->findChild<QTableWidget*>();
    QCOMPARE(view->rowCount(), 8);
    QCOMPARE(view->columnCount(), chart.table().columns.size());
    QCOMPARE(view->item(0, 0)->text(), QStringLiteral("0"));
    dialog->close();
}

void TestCharts::namesForAssistiveTechnology()
{
    AllCharts charts;
    charts.fill(100);
    for (ChartView* chart : charts.all()) {
        QVERIFY(!chart->accessibleName().isEmpty());
        QCOMPARE(chart->accessibleDescription(), chart->description());
        QVERIFY(chart->accessibleDescription().contains(QRegularExpression(QStringLiteral("\\d"))));
        QVERIFY(chart->focusPolicy() & Qt::TabFocus);
    }
}

void TestCharts::survivesEverySize()
{
    AllCharts charts;
    charts.breakdown.setEstimate(sampleEstimate(64));
    charts.memory.setEstimate(sampleEstimate(64));
    charts.pareto.setStrategies(sharedStrategies(100));
    charts.pareto.setCurrent(sampleEstimate(), Precision::Bf16);
    charts.pipeline.setTimeline(plainTimeline(64, 50));
    for (ChartView* chart : charts.all()) {
        for (const QSize size : {QSize(60, 40), QSize(180, 140), QSize(2000, 120), QSize(120, 1200)}) {
            present(*chart, size);
            QVERIFY(!chart->grab().isNull());
        }
    }
}

QTEST_MAIN(TestCharts)
#include "test_charts.moc"
