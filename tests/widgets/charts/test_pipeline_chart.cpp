// SPDX-License-Identifier: GPL-3.0-or-later
// The pipeline chart under real events.
#include "tests/finding.h"
#include "tests/widgets/charts/chart_driving.h"
#include "tests/widgets/charts/fixtures.h"
#include "tests/widgets/charts/pictures.h"
#include "tests/widgets/charts/qt_messages.h"
#include "widgets/charts/pipeline_chart.h"
#include "widgets/charts/qcp.h"
#include "widgets/charts/schedule_strip.h"
#include "widgets/style/theme.h"

#include <QFileInfo>
#include <QMenu>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QToolTip>
#include <array>
#include <set>
#include <utility>

using namespace stratoplan::estimate;
using namespace stratoplan::parallel;
using namespace stratoplan::pipeline;
using namespace stratoplan::units;
using namespace stratoplan::widgets;
using namespace stratoplan::test;

namespace {

/// Without those that sums in another order leave: nobody waits for them.
std::size_t realWaits(const Timeline& timeline)
{
    return static_cast<std::size_t>(std::count_if(timeline.waits.begin(), timeline.waits.end(),
        [&](const Wait& w) { return w.duration > 1e-12 * timeline.makespan; }));
}

QRectF rectOf(const PipelineChart& chart, GanttRef ref)
{
    return chart.ganttLayout().sliceRect(ref);
}

QRectF rectOf(const PipelineChart& chart, std::uint32_t slice)
{
    return rectOf(chart, GanttRef{0, slice});
}

/// Of the first timeline.
std::optional<std::uint32_t> sliceAt(const PipelineChart& chart, QPointF at)
{
    const auto ref = chart.ganttLayout().sliceAt(at);
    return ref && ref->timeline == 0 ? std::optional(ref->slice) : std::nullopt;
}

std::optional<std::uint32_t> selectedSlice(const PipelineChart& chart)
{
    const auto ref = chart.selection().selected;
    return ref && ref->timeline == 0 && !ref->isWait ? std::optional(ref->slice) : std::nullopt;
}

/// Stages that wait for one another at all times of the step.
PipelineWork waitingStages()
{
    PipelineWork work{Schedule::OneFOneB, 6, 1, {}};
    for (const double seconds : {0.010, 0.016, 0.008, 0.012}) {
        StageWork stage;
        stage.forward = Seconds(seconds);
        stage.backward = 2 * stage.forward;
        stage.sendForward = stage.sendBackward = Seconds(0.002);
        stage.optimizer = Seconds(0.004);
        work.stages.push_back(stage);
    }
    return work;
}

} // namespace

class TestPipelineChart : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void cleanup();

    void slicesRoundTrip();
    void wheelZoomsAtThePointer();
    void controlWheelZoomsStages();
    void shiftDragPans();
    void keys();
    void selection();
    void opensOnTheStart();
    void drawsABoundedNumberOfMarks();
    void hoverLeavesTheMarksAlone();
    void saysHowLongTheStepIs();
    void dragSelectsAnAreaWithItsSums();
    void controlDragMeasuresAndSnaps();
    void escapeGivesUpADrag();
    void stagesUnfold();
    void fCentresThenFits();
    void arrowsMoveToOtherRows();
    void twoTimelinesShareAnAxis();
    void aMovedViewKeepsItsPlaceThroughComparisons();
    void differencesAreShaded();
    void choosesWhatToCompareWith();
    void theTableHoldsSlicesAndWaits();
    void filesOfShapesAreBoundedByPixels();
    void itsMenuOffersTheTrace();
    void theCriticalPathIsALineThatCanBeHidden();
    void aWaitLeadsToWhatEndedIt();
    void everyWaitCanBeClicked();
    void everyWaitIsReachedByKeys();
    void aScheduleFileHasItsLine();
};

void TestPipelineChart::initTestCase()
{
    collectQtMessages();
    applyTheme(*qApp, ThemeKind::Light);
}

void TestPipelineChart::cleanup()
{
    const QStringList messages = std::exchange(qtMessages(), {});
    QVERIFY2(messages.isEmpty(), qPrintable(messages.join(u'\n')));
}

void TestPipelineChart::slicesRoundTrip()
{
    PipelineChart chart;
    chart.setTimeline(simulate(sampleEstimate().pipeline));
    present(chart, QSize(1000, 400));
    const QRectF visible(chart.plot().axisRect()->rect());
    int checked = 0;
    for (std::uint32_t i = 0; i < chart.scene().index().timeline().slices.size(); ++i) {
        const QRectF r = rectOf(chart, i);
        if (r.width() < 4 || !visible.contains(r))
            continue;
        const auto hit = sliceAt(chart, QPointF(r.center().x(), r.center().y()));
        QVERIFY(hit);
        QCOMPARE(*hit, i);
        ++checked;
    }
    QVERIFY(checked > 100);
    // Stage 0 on top, and time starts at 0.
    QVERIFY(rectOf(chart, 0).top()
        < rectOf(chart, static_cast<std::uint32_t>(chart.scene().index().timeline().slices.size() - 1)).top());
    QCOMPARE(chart.shownX().low, 0.0);
}

void TestPipelineChart::wheelZoomsAtThePointer()
{
    PipelineChart chart;
    chart.setTimeline(plainTimeline(8, 12));
    present(chart);
    const QPointF at(chart.plot().axisRect()->left() + 180, chart.plot().axisRect()->center().y());
    const double under = chart.plot().xAxis->pixelToCoord(at.x());
    const double length = chart.shownX().length();
    turnWheel(chart, at, 2);
    QVERIFY(chart.shownX().length() < length * 0.75);
    QVERIFY(std::abs(chart.plot().xAxis->pixelToCoord(at.x()) - under) < 1e-9);
    QCOMPARE(chart.plot().yAxis->range().size(), 8.0); // stages stay
    // Ever closer: the value at the pointer stays even at the limit, and the view never becomes empty.
    for (int i = 0; i < 30; ++i)
        turnWheel(chart, at, 8);
    QVERIFY(chart.shownX().length() > 0);
    for (int i = 0; i < 40; ++i)
        turnWheel(chart, at, -8);
    QCOMPARE(chart.shownX().low, 0.0);
    QVERIFY(chart.shownX().high <= chart.scene().index().whole().high * 1.01);
}

void TestPipelineChart::controlWheelZoomsStages()
{
    PipelineChart chart;
    chart.setTimeline(plainTimeline(64, 4));
    present(chart);
    const auto time = chart.shownX();
    turnWheel(chart, QPointF(chart.plot().axisRect()->center()), 5, Qt::ControlModifier);
    QCOMPARE(chart.shownX(), time);
    QVERIFY(chart.plot().yAxis->range().size() < 40);
}

void TestPipelineChart::shiftDragPans()
{
    PipelineChart chart;
    chart.setTimeline(plainTimeline(8, 96));
    present(chart);
    const QPoint from(chart.plot().axisRect()->center());
    const double under = chart.plot().xAxis->pixelToCoord(from.x());
    QSignalSpy selected(&chart, &PipelineChart::sliceSelected);
    dragMouse(chart, from, from + QPoint(-100, 0), Qt::ShiftModifier);
    QVERIFY(std::abs(chart.plot().xAxis->pixelToCoord(from.x() - 100) - under) < 1e-6);
    QCOMPARE(selected.size(), 0);
    QVERIFY(!chart.selection().area);
    dragMouse(chart, from, from + QPoint(3000, 0), {}, Qt::MiddleButton);
    QVERIFY(std::abs(chart.shownX().low) < 1e-12); // not before the start
}

void TestPipelineChart::keys()
{
    PipelineChart chart;
    chart.setTimeline(plainTimeline(8, 96));
    present(chart);
    const Interval opening = chart.shownX();
    QTest::keyClick(&chart, Qt::Key_W, Qt::ControlModifier);
    QCOMPARE(chart.shownX(), opening); // no key of the chart
    QTest::keyClick(&chart, Qt::Key_W);
    QVERIFY(chart.shownX().length() < opening.length());
    const Interval closer = chart.shownX();
    QTest::keyClick(&chart, Qt::Key_D);
    QVERIFY(chart.shownX().low > closer.low);
    QTest::keyClick(&chart, Qt::Key_A);
    QVERIFY(std::abs(chart.shownX().low - closer.low) < 1e-9);
    QTest::keyClick(&chart, Qt::Key_S);
    QVERIFY(chart.shownX().length() > closer.length());
    QTest::keyClick(&chart, Qt::Key_F, Qt::ShiftModifier);
    QCOMPARE(chart.shownX(), chart.scene().index().whole());
    QTest::keyClick(&chart, Qt::Key_F);
    QCOMPARE(chart.shownX(), opening);
}

void TestPipelineChart::selection()
{
    PipelineChart chart;
    chart.setTimeline(plainTimeline(4, 12));
    present(chart);
    QSignalSpy selected(&chart, &PipelineChart::sliceSelected);
    QSignalSpy cleared(&chart, &PipelineChart::selectionCleared);
    const QRectF r = rectOf(chart, 5);
    QTest::mouseClick(&chart.plot(), Qt::LeftButton, {}, r.center().toPoint());
    QCOMPARE(selected.size(), 1);
    QCOMPARE(selected.first().first().value<Slice>(), chart.scene().index().slice(5));
    QTest::keyClick(&chart, Qt::Key_Period);
    QCOMPARE(*selectedSlice(chart), 6u);
    QTest::keyClick(&chart, Qt::Key_Comma);
    QTest::keyClick(&chart, Qt::Key_Comma);
    QCOMPARE(*selectedSlice(chart), 4u);
    QTest::keyClick(&chart, Qt::Key_Escape);
    QVERIFY(!selectedSlice(chart));
    QCOMPARE(cleared.size(), 1);
    QVERIFY(chart.toolTipAt(r.center()).contains(QStringLiteral("micro-batch 2")));
    const QRectF lastStage = rectOf(chart, 24 * 3);
    const QPointF waiting(chart.plot().axisRect()->left() + 3, lastStage.center().y());
    QVERIFY(chart.toolTipAt(waiting).contains(QStringLiteral("idle for 30.0 ms")));
}

void TestPipelineChart::opensOnTheStart()
{
    PipelineChart chart;
    chart.setTimeline(simulate(sampleEstimate().pipeline));
    present(chart, QSize(890, 330));
    QVERIFY(chart.shownX().high < chart.scene().index().whole().high / 3);
    QVERIFY(chart.drawnLabels() > 100); // legible: most slices carry their number
    chart.fitAll();
    settle();
    QCOMPARE(chart.shownX(), chart.scene().index().whole());
}

void TestPipelineChart::drawsABoundedNumberOfMarks()
{
    PipelineChart chart;
    chart.setTimeline(plainTimeline(64, 8000, 1e-4)); // a million slices
    present(chart, QSize(1200, 500));
    chart.fitAll();
    settle();
    QVERIFY2(chart.drawnMarks() <= 64 * 2400, qPrintable(QString::number(chart.drawnMarks())));
    QVERIFY(chart.drawnMarks() >= 64); // pixels that look alike are one rectangle
    QCOMPARE(chart.drawnLabels(), 0);
    turnWheel(chart, QPointF(chart.plot().axisRect()->center()), 40);
    QVERIFY(chart.drawnMarks() < 64 * 600);
}

void TestPipelineChart::hoverLeavesTheMarksAlone()
{
    PipelineChart chart;
    chart.setTimeline(plainTimeline(8, 12));
    present(chart);
    QSignalSpy replots(&chart.plot(), &QCustomPlot::afterReplot);
    const QImage before = chart.plot().grab().toImage();
    replots.clear();
    QTest::mouseMove(&chart.plot(), rectOf(chart, 4).center().toPoint());
    settle();
    QCOMPARE(replots.size(), 0); // only the overlay was painted
    QVERIFY(differingPixels(before, chart.plot().grab().toImage()) > 20);
}

void TestPipelineChart::saysHowLongTheStepIs()
{
    PipelineChart chart;
    const Timeline timeline = plainTimeline(4, 12);
    const QString makespan = QStringLiteral("390 ms");
    chart.setTimeline(timeline);
    QVERIFY2(chart.note().startsWith(QStringLiteral("step %1 · ").arg(makespan)), qPrintable(chart.note()));
    QVERIFY(chart.description().contains(QStringLiteral("step %1").arg(makespan)));
}

// In one piece: one area is dragged out, moved, stretched and cleared.
void TestPipelineChart::dragSelectsAnAreaWithItsSums()
{
    PipelineChart chart;
    chart.setTimeline(plainTimeline(4, 12));
    present(chart);
    QSignalSpy areas(&chart, &PipelineChart::areaSelected);
    const auto middleOf = [&](int stage) {
        return qRound(chart.ganttLayout().rowRect(*chart.scene().rows().work(stage)).center().y());
    };
    const QCPAxis& axis = *chart.plot().xAxis;
    const auto pixelOf = [&](double seconds) { return qRound(axis.coordToPixel(seconds)); };
    dragMouse(chart, {pixelOf(0.1), middleOf(1)}, {pixelOf(0.2), middleOf(2)});
    QCOMPARE(areas.size(), 1);
    const double pixel = axis.pixelToCoord(1) - axis.pixelToCoord(0);
    QVERIFY(chart.selection().area);
    QCOMPARE(chart.selection().area->firstStage, 1);
    QCOMPARE(chart.selection().area->lastStage, 2);
    QVERIFY(std::abs(chart.selection().area->time.low - 0.1) < pixel
        && std::abs(chart.selection().area->time.high - 0.2) < pixel);
    const auto sums = areas.last().first().value<AreaSums>();
    double work = 0;
    for (const auto& sum : sums.kinds)
        work += sum.total.value();
    QVERIFY(std::abs(work - sums.stageTime().value()) < 1e-6); // these stages never wait in between
    // The right edge is taken and moved; the left one stays.
    const double low = chart.selection().area->time.low;
    const QRectF rect = chart.ganttLayout().areaRect(*chart.selection().area);
    dragMouse(chart, QPoint(qRound(rect.right()), middleOf(1)), QPoint(pixelOf(0.3), middleOf(3)));
    QCOMPARE(areas.size(), 2);
    QVERIFY(std::abs(chart.selection().area->time.high - 0.3) < pixel);
    QCOMPARE(chart.selection().area->time.low, low);
    QCOMPARE(chart.selection().area->lastStage, 2);
    // So do the keys.
    QTest::keyClick(&chart, Qt::Key_Right, Qt::ShiftModifier);
    QVERIFY(chart.selection().area->time.high > 0.3 && chart.selection().area->time.low == low);
    QTest::keyClick(&chart, Qt::Key_A, Qt::ShiftModifier);
    QVERIFY(chart.selection().area->time.low < low);
    QTest::keyClick(&chart, Qt::Key_Down, Qt::ShiftModifier);
    QCOMPARE(chart.selection().area->lastStage, 3);
    QCOMPARE(areas.size(), 5);
    QSignalSpy cleared(&chart, &PipelineChart::selectionCleared);
    QTest::keyClick(&chart, Qt::Key_Escape);
    QVERIFY(!chart.selection().area);
    QCOMPARE(cleared.size(), 1);
}

void TestPipelineChart::controlDragMeasuresAndSnaps()
{
    PipelineChart chart;
    chart.setTimeline(plainTimeline(4, 6));
    present(chart, QSize(900, 360));
    QSignalSpy areas(&chart, &PipelineChart::areaSelected);
    const QRectF from = rectOf(chart, 2); // the second forward pass of stage 0: 30–40 ms
    const QRectF to = rectOf(chart, 5); // its third backward pass: 70–90 ms
    dragMouse(chart, QPointF(from.left() + 2, from.center().y()).toPoint(),
        QPointF(to.right() - 3, to.center().y()).toPoint(), Qt::ControlModifier);
    QVERIFY(chart.selection().measure);
    QVERIFY(std::abs(chart.selection().measure->time().low - 0.03) < 1e-7
        && std::abs(chart.selection().measure->time().high - 0.09) < 1e-7);
    QCOMPARE(areas.size(), 0);
    QTest::keyClick(&chart, Qt::Key_Escape);
    QVERIFY(!chart.selection().measure);
}

void TestPipelineChart::escapeGivesUpADrag()
{
    PipelineChart chart;
    chart.setTimeline(plainTimeline(4, 12));
    present(chart);
    QSignalSpy areas(&chart, &PipelineChart::areaSelected);
    QCustomPlot* plot = &chart.plot();
    const QPoint from = plot->axisRect()->center();
    QTest::mousePress(plot, Qt::LeftButton, {}, from);
    QTest::mouseMove(plot, from + QPoint(40, 10));
    QTest::mouseMove(plot, from + QPoint(80, 20));
    QVERIFY(chart.selection().area);
    QTest::keyClick(&chart, Qt::Key_Escape);
    QTest::mouseMove(plot, from + QPoint(90, 20));
    QTest::mouseRelease(plot, Qt::LeftButton, {}, from + QPoint(90, 20));
    QVERIFY(!chart.selection().area);
    QCOMPARE(areas.size(), 0);
}

void TestPipelineChart::stagesUnfold()
{
    PipelineChart chart;
    const Estimate estimate = sampleEstimate();
    const Timeline timeline = simulate(estimate.pipeline);
    chart.setTimeline(timeline, memoryTimeline(estimate.memory, timeline), estimate.memory.capacity);
    present(chart, QSize(900, 420));
    QCOMPARE(chart.scene().rows().all().size(), std::size_t(8));
    const auto name = [&](int stage) {
        return QPoint(chart.plot().axisRect()->left() - 12,
            qRound(chart.ganttLayout().rowRect(*chart.scene().rows().work(stage)).center().y()));
    };
    QVERIFY(chart.toolTipAt(name(2)).contains(QStringLiteral("unfold")));
    QTest::mouseClick(&chart.plot(), Qt::LeftButton, {}, name(2));
    settle();
    QVERIFY(chart.scene().arrangement().isUnfolded(2) && !chart.scene().arrangement().isUnfolded(1));
    QCOMPARE(chart.scene().rows().all().size(), std::size_t(11)); // activations, gradients, memory
    // A transfer now stands on a row of its own, and is found there.
    const std::uint32_t transfer = chart.scene().index().lane(2, LaneKind::SendForward).slice.front();
    const QRectF rect = rectOf(chart, transfer);
    QVERIFY(rect.top() > chart.ganttLayout().rowRect(*chart.scene().rows().work(2)).bottom());
    QCOMPARE(sliceAt(chart, rect.center()), std::optional(transfer));
    const GanttRow& memory = chart.scene().rows().all()[5];
    QVERIFY(memory.kind == GanttRow::Kind::Memory);
    QVERIFY(
        chart.toolTipAt({chart.plot().axisRect()->center().x() * 1.0, chart.ganttLayout().rowRect(memory).center().y()})
            .contains(QStringLiteral("stage 2 holds")));
    // By keys: the stage of what is selected, and all.
    chart.marks().select(GanttRef{0, chart.scene().index().lane(2, LaneKind::Work).slice.front()});
    QTest::keyClick(&chart, Qt::Key_E);
    QVERIFY(!chart.scene().arrangement().isUnfolded(2));
    QTest::keyClick(&chart, Qt::Key_E, Qt::ShiftModifier);
    QCOMPARE(chart.scene().rows().all().size(), std::size_t(32));
    settle();
    for (const GanttRow& row : chart.scene().rows().all())
        QVERIFY(!row.isWork() || chart.ganttLayout().rowRect(row).height() >= 12); // legible, if not all at once
    QTest::keyClick(&chart, Qt::Key_E, Qt::ShiftModifier);
    QCOMPARE(chart.scene().rows().all().size(), std::size_t(8));
}

void TestPipelineChart::fCentresThenFits()
{
    PipelineChart chart;
    chart.setTimeline(plainTimeline(8, 96));
    present(chart);
    chart.fitAll();
    settle();
    QTest::keyClick(&chart, Qt::Key_W);
    QTest::keyClick(&chart, Qt::Key_W);
    const double length = chart.shownX().length();
    const std::uint32_t slice = chart.scene().index().lane(5, LaneKind::Work).slice[90];
    chart.marks().select(GanttRef{0, slice});
    const Slice& s = chart.scene().index().slice(slice);
    const double middle = s.start + s.duration / 2.0;
    QTest::keyClick(&chart, Qt::Key_F);
    QVERIFY(std::abs((chart.shownX().low + chart.shownX().high) / 2 - middle) < 1e-6);
    QVERIFY(std::abs(chart.shownX().length() - length) < 1e-9);
    QTest::keyClick(&chart, Qt::Key_F);
    QVERIFY(chart.shownX().length() < 2 * s.duration && chart.shownX().length() >= s.duration);
    QVERIFY(std::abs((chart.shownX().low + chart.shownX().high) / 2 - middle) < 1e-6);
    // M makes an area of it.
    QTest::keyClick(&chart, Qt::Key_M);
    QVERIFY(chart.selection().area && std::abs(chart.selection().area->time.length() - s.duration) < 1e-6);
    QCOMPARE(chart.selection().area->firstStage, 5);
}

void TestPipelineChart::arrowsMoveToOtherRows()
{
    PipelineChart chart;
    chart.setTimeline(plainTimeline(8, 12));
    present(chart);
    chart.marks().select(GanttRef{0, chart.scene().index().lane(3, LaneKind::Work).slice[10]});
    const Slice before = chart.scene().index().slice(*selectedSlice(chart));
    QTest::keyClick(&chart, Qt::Key_Down);
    const Slice& after = chart.scene().index().slice(*selectedSlice(chart));
    QCOMPARE(after.stage, 4);
    const double middle = before.start + before.duration / 2.0;
    QVERIFY(after.start <= middle && after.start + after.duration > middle);
    QVERIFY(!chart.pointedText().isEmpty()); // told to assistive technology
    QTest::keyClick(&chart, Qt::Key_Up);
    QTest::keyClick(&chart, Qt::Key_Up);
    QCOMPARE(chart.scene().index().slice(*selectedSlice(chart)).stage, 2);
    QToolTip::hideText();
}

void TestPipelineChart::twoTimelinesShareAnAxis()
{
    PipelineWork work = sampleEstimate().pipeline;
    const Timeline interleaved = simulate(work);
    work.schedule = Schedule::OneFOneB;
    work.chunks = 1;
    const Timeline plain = simulate(work);
    PipelineChart chart;
    chart.setTimeline(plain);
    present(chart, QSize(1000, 460));
    const int before = chart.drawnMarks();
    chart.setComparison(QStringLiteral("1F1B"), QStringLiteral("interleaved"), ganttStep(interleaved));
    settle();
    QVERIFY(chart.scene().isComparing());
    QVERIFY(chart.drawnMarks() > 1.5 * before);
    QCOMPARE(chart.scene().rows().all().size(), std::size_t(16));
    QVERIFY2(chart.note().contains(QStringLiteral("1F1B")) && chart.note().contains(QStringLiteral("interleaved"))
            && chart.note().contains(QStringLiteral("waits of all stages −")),
        qPrintable(chart.note()));
    // Pointing at one marks the micro-batch in both; selecting says of which.
    QSignalSpy selected(&chart, &PipelineChart::sliceSelected);
    const GanttRef second{1, chart.scene().index(1).lane(2, LaneKind::Work).slice[3]};
    QTest::mouseClick(&chart.plot(), Qt::LeftButton, {}, rectOf(chart, second).center().toPoint());
    QCOMPARE(selected.size(), 1);
    QCOMPARE(selected.first().at(1).toInt(), 1);
    QCOMPARE(selected.first().first().value<Slice>(), interleaved.slices[second.slice]);
    QVERIFY(chart.toolTipAt(rectOf(chart, second).center()).contains(QStringLiteral("interleaved")));
    QCOMPARE(chart.table().columns.size(), qsizetype(7));
    QCOMPARE(static_cast<std::size_t>(chart.table().rows.size()),
        plain.slices.size() + realWaits(plain) + interleaved.slices.size() + realWaits(interleaved));
    chart.clearComparison();
    settle();
    QVERIFY(!chart.scene().isComparing() && !chart.selection().selected);
    QCOMPARE(chart.scene().rows().all().size(), std::size_t(8));
}

void TestPipelineChart::aMovedViewKeepsItsPlaceThroughComparisons()
{
    const auto shownRows = [](const PipelineChart& chart) { return chart.plot().yAxis->range(); };
    const Timeline timeline = simulate(sampleEstimate().pipeline);
    PipelineChart chart;
    chart.setTimeline(timeline);
    present(chart, QSize(900, 460));
    turnWheel(chart, QPointF(chart.plot().axisRect()->center()), 3);
    const Interval time = chart.shownX();
    const auto compare = [&] { chart.setComparison(QStringLiteral("a"), QStringLiteral("b"), ganttStep(timeline)); };
    compare();
    QCOMPARE(chart.shownX(), time);
    QVERIFY(shownRows(chart).upper > 10);
    turnWheel(chart, QPointF(chart.plot().axisRect()->center()), 4, Qt::ControlModifier);
    const QCPRange rows = shownRows(chart);
    // The plan changes: both come anew.
    chart.setTimeline(timeline);
    compare();
    QCOMPARE(chart.shownX(), time);
    QCOMPARE(shownRows(chart), rows);
    // Without the second one there are fewer rows, all of them to be seen.
    chart.clearComparison();
    QCOMPARE(chart.shownX(), time);
    QCOMPARE(shownRows(chart), QCPRange(0, 8));
    compare();
    chart.setTimeline(timeline);
    QCOMPARE(shownRows(chart), QCPRange(0, 8));
}

void TestPipelineChart::differencesAreShaded()
{
    Timeline longer = plainTimeline(2, 4);
    for (Slice& s : longer.slices) {
        if (s.stage == 1)
            s.start += 0.05f;
    }
    longer.waits = {{1, Seconds(0), Seconds(0.06), Wait::Cause::WarmUp}};
    longer.makespan = longer.step = longer.makespan + Seconds(0.05);
    PipelineChart chart;
    chart.setTimeline(longer);
    present(chart);
    chart.setComparison(QStringLiteral("a"), QStringLiteral("b"), ganttStep(plainTimeline(2, 4)));
    settle();
    const QImage picture = chart.plot().grab().toImage();
    const QRectF row = chart.ganttLayout().rowRect(*chart.scene().rows().work(1));
    const auto colourAt = [&](double seconds) {
        return QColor(picture.pixel(qRound(chart.plot().xAxis->coordToPixel(seconds)), qRound(row.bottom()) - 1));
    };
    QCOMPARE(colourAt(0.03), tokens(ThemeKind::Light).good); // b works there
    QVERIFY(colourAt(0.005) != tokens(ThemeKind::Light).good); // both wait
}

void TestPipelineChart::choosesWhatToCompareWith()
{
    PipelineChart chart;
    chart.setTimeline(plainTimeline(4, 12));
    QToolButton* button = menuButton(chart);
    QVERIFY(button);
    present(chart);
    QVERIFY(!button->isVisible());
    chart.setComparisonChoices({QStringLiteral("GPipe"), QStringLiteral("ZB-H1")}, -1);
    QVERIFY(button->isVisible());
    QSignalSpy wanted(&chart, &PipelineChart::comparisonWanted);
    const auto actions = button->menu()->actions();
    QVERIFY(actions.front()->isChecked()); // nothing
    const auto zbH1 = std::find_if(actions.begin(), actions.end(),
        [](const QAction* action) { return action->text() == QStringLiteral("ZB-H1"); });
    QVERIFY(zbH1 != actions.end());
    (*zbH1)->trigger();
    QCOMPARE(wanted.last().first().toInt(), 1);
    chart.setComparisonChoices({QStringLiteral("GPipe"), QStringLiteral("ZB-H1")}, 1);
    QVERIFY(button->accessibleName().contains(QStringLiteral("ZB-H1")));
    button->menu()->actions().front()->trigger();
    QCOMPARE(wanted.last().first().toInt(), -1);
}

void TestPipelineChart::theTableHoldsSlicesAndWaits()
{
    PipelineChart chart;
    const Timeline timeline = plainTimeline(4, 12);
    chart.setTimeline(timeline);
    const ChartTable table = chart.table();
    QCOMPARE(static_cast<std::size_t>(table.rows.size()), timeline.slices.size() + timeline.waits.size());
    QCOMPARE(table.rows[24],
        (QStringList{QStringLiteral("1"), QStringLiteral("filling"), QString(), QString(), QStringLiteral("0"),
            QStringLiteral("0.01")}));
    QVERIFY(chart.readableTable().second == table);
    chart.setTimeline(plainTimeline(4, 6000, 1e-4));
    const auto [title, part] = chart.readableTable();
    QVERIFY(part.rows.size() < 20001 && !part.rows.isEmpty());
    QVERIFY(title.contains(QStringLiteral("visible")));
    present(chart);
    chart.marks().selectArea({{0.1, 0.101}, 1, 1});
    QVERIFY(chart.readableTable().second.rows.size() <= 12);
}

void TestPipelineChart::filesOfShapesAreBoundedByPixels()
{
    QTemporaryDir folder;
    std::array<std::array<qint64, 2>, 2> sizes{}; // by number of slices, then format
    for (const std::size_t i : {0u, 1u}) {
        PipelineChart chart;
        chart.setTimeline(
            plainTimeline(64, i == 0 ? 2000 : 8000, i == 0 ? 4e-4 : 1e-4)); // a million slices the second time
        present(chart, QSize(1200, 500));
        chart.fitAll();
        settle();
        for (const std::size_t format : {0u, 1u}) {
            const QString path =
                folder.filePath(QStringLiteral("%1.%2").arg(i).arg(QLatin1String(format == 0 ? "svg" : "pdf")));
            QCOMPARE(chart.exportTo(path), QString());
            sizes[i][format] = QFileInfo(path).size();
        }
    }
    for (const std::size_t format : {0u, 1u}) {
        const auto [few, many] = std::pair(sizes[0][format], sizes[1][format]);
        QVERIFY2(many < 64 * 1200 * 40, qPrintable(QString::number(many)));
        QVERIFY2(many < 1.2 * few, qPrintable(QStringLiteral("%1 against %2").arg(many).arg(few)));
    }
}

void TestPipelineChart::itsMenuOffersTheTrace()
{
    PipelineChart chart;
    chart.setTimeline(plainTimeline(4, 12));
    present(chart);
    QSignalSpy wanted(&chart, &PipelineChart::traceWanted);
    QMenu* menu = chart.makeMenu(std::nullopt);
    for (QAction* action : menu->actions()) {
        if (action->text().contains(QStringLiteral("trace")))
            action->trigger();
    }
    delete menu;
    QCOMPARE(wanted.size(), 1);
}

void TestPipelineChart::theCriticalPathIsALineThatCanBeHidden()
{
    PipelineChart chart;
    chart.setTimeline(simulate(sampleEstimate().pipeline));
    present(chart, QSize(900, 360));
    QVERIFY(!chart.scene().index().criticalPath().empty());
    const QImage shown = chart.plot().grab().toImage();
    const auto line = tokens(ThemeKind::Light).mark(Mark::Activations).rgb();
    const auto pixelsOf = [&](const QImage& image) {
        int count = 0;
        for (int y = 0; y < image.height(); ++y) {
            for (int x = 0; x < image.width(); ++x)
                count += image.pixel(x, y) == line;
        }
        return count;
    };
    QVERIFY(pixelsOf(shown) > 800); // two pixels high, from one end of the view to the other
    QTest::keyClick(&chart, Qt::Key_C);
    settle();
    QCOMPARE(pixelsOf(chart.plot().grab().toImage()), 0);
    const std::uint32_t critical = static_cast<std::uint32_t>(chart.scene().index().criticalPath()[3]);
    QVERIFY(chart.toolTipAt(rectOf(chart, critical).center()).contains(QStringLiteral("critical path")));
}

void TestPipelineChart::aWaitLeadsToWhatEndedIt()
{
    PipelineChart chart;
    chart.setTimeline(simulate(sampleEstimate().pipeline));
    present(chart, QSize(900, 360));
    // Stage 5 fills until the first activation has come through.
    const GanttIndex& index = chart.scene().index();
    const std::uint32_t first = index.lane(5, LaneKind::Work).slice.front();
    const QRectF row = chart.ganttLayout().rowRect(*chart.scene().rows().work(5));
    const QPointF waiting(row.left() + 3, row.center().y());
    QVERIFY(chart.toolTipAt(waiting).contains(QStringLiteral("ended by stage 4 · send activation · micro-batch 0")));
    QSignalSpy told(&chart, &PipelineChart::waitSelected);
    QTest::mouseClick(&chart.plot(), Qt::LeftButton, {}, waiting.toPoint());
    QCOMPARE(told.size(), 1);
    QCOMPARE(told.first().first().value<Wait>().stage, 5);
    QVERIFY(chart.selection().selected && chart.selection().selected->isWait && !selectedSlice(chart));
    QTest::keyClick(&chart, Qt::Key_Period); // what it waited to do
    QCOMPARE(selectedSlice(chart), std::optional(first));
    QTest::keyClick(&chart, Qt::Key_Comma);
    QVERIFY(chart.selection().selected->isWait);
    QTest::keyClick(&chart, Qt::Key_BracketLeft);
    const Slice& cause = index.slice(*selectedSlice(chart));
    QCOMPARE(cause.stage, 4);
    QCOMPARE(cause.kind, SliceKind::SendForward);
    QVERIFY(std::abs(cause.start + cause.duration - index.slice(first).start) < 1e-5);
    QToolTip::hideText();
}

void TestPipelineChart::everyWaitCanBeClicked()
{
    PipelineChart chart;
    chart.setTimeline(simulate(waitingStages()));
    present(chart, QSize(1400, 400));
    chart.fitAll();
    const std::vector<Wait>& waits = chart.scene().index().timeline().waits;
    QVERIFY(!waits.empty());
    QVERIFY(std::any_of(waits.begin(), waits.end(), [](const Wait& w) { return w.cause == Wait::Cause::CoolDown; }));
    for (std::uint32_t i = 0; i < waits.size(); ++i) {
        const GanttRef wait{0, i, true};
        const QRectF rect = rectOf(chart, wait);
        chart.marks().clear();
        QTest::mouseClick(&chart.plot(), Qt::LeftButton, {}, rect.center().toPoint());
        QVERIFY2(chart.selection().selected == wait,
            qPrintable(QStringLiteral("wait %1 of %2 at %3, %4 pixels")
                           .arg(i)
                           .arg(waits.size())
                           .arg(rect.left())
                           .arg(rect.width())));
    }
    QToolTip::hideText();
}

void TestPipelineChart::everyWaitIsReachedByKeys()
{
    PipelineChart chart;
    chart.setTimeline(simulate(waitingStages()));
    present(chart, QSize(1400, 400));
    chart.fitAll();
    // By keys: along each stage from its first mark to its last, every wait and every slice of work once.
    for (int stage = 0; stage < 4; ++stage) {
        std::set<std::uint32_t> met;
        std::size_t slices = 0;
        chart.marks().clear();
        const std::uint32_t first = chart.scene().index().lane(stage, LaneKind::Work).slice.front();
        chart.marks().select(GanttRef{0, first});
        QTest::keyClick(&chart, Qt::Key_Comma); // a wait before it
        std::optional<GanttRef> before;
        while (chart.selection().selected != before) {
            before = chart.selection().selected;
            if (before->isWait)
                QVERIFY(met.insert(before->slice).second);
            else
                ++slices;
            QTest::keyClick(&chart, Qt::Key_Period);
        }
        QCOMPARE(met.size(), chart.scene().index().waits(stage).size());
        QCOMPARE(slices, chart.scene().index().lane(stage, LaneKind::Work).size());
        std::size_t back = 1; // the one selected
        if (!chart.selection().selected->isWait) {
            QTest::keyClick(&chart, Qt::Key_I, Qt::ShiftModifier);
            back = chart.selection().selected->isWait;
        }
        for (before.reset(); chart.selection().selected != before; back += chart.selection().selected != before) {
            before = chart.selection().selected;
            QTest::keyClick(&chart, Qt::Key_I, Qt::ShiftModifier);
        }
        QCOMPARE(back, met.size());
    }
    QToolTip::hideText();
}

void TestPipelineChart::aScheduleFileHasItsLine()
{
    PipelineChart chart;
    chart.setTimeline(plainTimeline(4, 12));
    present(chart, QSize(1000, 400));
    const ScheduleStrip& strip = *chart.findChild<ScheduleStrip*>();
    QVERIFY(!strip.isVisible());
    QSignalSpy wanted(&chart, &PipelineChart::scheduleFileWanted);
    QSignalSpy reload(&chart, &PipelineChart::scheduleFileReloadWanted);
    QSignalSpy closed(&chart, &PipelineChart::scheduleFileCloseWanted);
    chart.setComparisonChoices({QStringLiteral("GPipe")}, 0);
    QToolButton* compare = menuButton(chart);
    QVERIFY(compare);
    QCOMPARE(compare->text(), QStringLiteral("Compared: GPipe"));
    compare->menu()->actions().back()->trigger();
    QCOMPARE(wanted.size(), 1);
    chart.setScheduleFile(QStringLiteral("a.txt"), QStringLiteral("line 3: found F0, expected B0"), true);
    settle();
    QVERIFY(strip.isVisible() && strip.isWrong());
    QCOMPARE(compare->text(), QStringLiteral("Compared: file"));
    for (QToolButton* each : strip.findChildren<QToolButton*>()) {
        QVERIFY(!each->accessibleName().isEmpty());
        QTest::mouseClick(each, Qt::LeftButton);
    }
    QCOMPARE(reload.size(), 1);
    QCOMPARE(closed.size(), 1);
    chart.clearScheduleFile();
    QVERIFY(!strip.isVisible());
    QCOMPARE(compare->text(), QStringLiteral("Compared: GPipe"));
}

QTEST_MAIN(TestPipelineChart)
#include "test_pipeline_chart.moc"
