// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/charts/fixtures.h"
#include "widgets/charts/legend_row.h"
#include "widgets/charts/memory_chart.h"
#include "widgets/charts/qcp.h"

#include <QApplication>
#include <QMenu>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <QToolTip>
#include <QWheelEvent>

using namespace stratoplan::estimate;
using namespace stratoplan::pipeline;
using namespace stratoplan::widgets;
using namespace stratoplan::test;

namespace {

void feed(MemoryChart& chart, const Estimate& e)
{
    chart.setEstimate(e);
    chart.setTimeline(memoryTimeline(e.memory, simulate(e.pipeline)), 3);
}

void show(MemoryChart& chart, QSize size = QSize(640, 360))
{
    chart.resize(size);
    chart.show();
    QVERIFY(QTest::qWaitForWindowExposed(&chart));
    for (int i = 0; i < 3; ++i)
        QCoreApplication::processEvents();
}

QToolButton* toggle(MemoryChart& chart)
{
    return chart.findChild<QToolButton*>(QStringLiteral("overTime"));
}

} // namespace

class TestMemoryOverTime : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Of unlike nodes each stage has its own, the axis room for all, and what is told is that of the peak.
    void capacitiesAreThoseOfTheStages()
    {
        Estimate e = sampleEstimate();
        for (StageMemory& stage : e.memory.stages)
            stage.capacity = stratoplan::Bytes(400 * stratoplan::kGiB);
        e.memory.stages[2].capacity = e.memory.stages[2].total() * 0.9;
        const auto view = memoryCurveView(memoryTimeline(e.memory, simulate(e.pipeline)), e.memory.capacity, 3);
        QVERIFY(view && !view->fits());
        QCOMPARE(view->timeline.peakStage, 2);
        QCOMPARE(view->capacity.value(), e.memory.stages[2].capacity.value());
        QCOMPARE(view->capacityOf(1).value(), 400 * stratoplan::kGiB);
        QCOMPARE(view->largest, 400 * stratoplan::kGiB);
        QCOMPARE(view->capacities, (std::vector{view->capacity, stratoplan::Bytes(400 * stratoplan::kGiB)}));
        MemoryChart chart;
        feed(chart, e);
        chart.setOverTime(true);
        show(chart, {640, 360});
        const auto labels = chart.curves().capacityLabels(chart.plot().font());
        QCOMPARE(labels.size(), std::size_t{2});
        QCOMPARE(labels.back().text, QStringLiteral("400 GiB capacity"));
        QVERIFY(labels.front().rect.top() > labels.back().rect.bottom());
    }

    void aButtonChangesTheMode()
    {
        MemoryChart chart;
        feed(chart, sampleEstimate());
        show(chart);
        QVERIFY(!chart.isOverTime());
        QVERIFY(!chart.segmentRect({0, 0}).isEmpty());
        const auto columns = chart.legend().entries();
        QSignalSpy changed(&chart, &MemoryChart::overTimeChanged);
        QTest::mouseClick(toggle(chart), Qt::LeftButton);
        QVERIFY(chart.isOverTime());
        QVERIFY(toggle(chart)->isChecked());
        QCOMPARE(changed.size(), 1);
        QVERIFY(chart.legend().entries() != columns);
        const double end = chart.curves().view()->timeline.makespan.value();
        QCOMPARE(chart.plot().xAxis->range().lower, 0.0);
        QVERIFY(std::abs(chart.plot().xAxis->range().upper / end - 1) < 1e-6);
        QVERIFY(chart.description().contains(QStringLiteral("backward pass of micro-batch")));
        QVERIFY(chart.description().contains(QStringLiteral("stage 0")));
        QTest::mouseClick(toggle(chart), Qt::LeftButton);
        QVERIFY(!chart.isOverTime());
        QCOMPARE(chart.legend().entries(), columns);
        QVERIFY(chart.plot().xAxis->range().upper < 8);
    }

    void theMenuChangesTheModeToo()
    {
        MemoryChart chart;
        feed(chart, sampleEstimate());
        show(chart);
        QMenu* menu = chart.makeMenu(std::nullopt);
        const QList<QAction*> actions = menu->actions();
        const auto it = std::find_if(
            actions.begin(), actions.end(), [](QAction* a) { return a->text().contains(QStringLiteral("over time")); });
        QVERIFY(it != actions.end());
        (*it)->trigger();
        QVERIFY(chart.isOverTime());
        QVERIFY(toggle(chart)->isChecked());
        menu->close();
    }

    /// The mark stands where the reported peak is, and its label neither leaves the plot nor cuts a line or a label.
    void thePeakIsMarked()
    {
        for (const double factor : {0.5, 1.0, 1.28, 1.6}) {
            Estimate e = sampleEstimate();
            for (StageMemory& m : e.memory.stages) {
                m.activations *= factor;
                m.byLifetime.microBatch *= factor;
            }
            e.memory.peak = e.memory.stages.front().total();
            MemoryChart chart;
            feed(chart, e);
            chart.setOverTime(true);
            for (const QSize size : {QSize(640, 360), QSize(300, 260), QSize(200, 200)}) {
                show(chart, size);
                const QPointF at = chart.curves().pixelOf(chart.curves().peak());
                QVERIFY(std::abs(at.y() - chart.plot().yAxis->coordToPixel(e.memory.peak.value())) < 0.01);
                const auto label = chart.curves().peakLabel(chart.plot().font());
                const auto capacity = chart.curves().capacityLabels(chart.plot().font()).front();
                const QRectF plot(chart.plot().axisRect()->rect());
                QVERIFY(plot.contains(capacity.rect));
                QVERIFY(!label.rect.intersects(capacity.rect));
                QVERIFY(label.rect.isEmpty() || plot.contains(label.rect));
                if (size.width() > 250)
                    QVERIFY2(label.text.contains(QStringLiteral("stage 0")),
                        qPrintable(QStringLiteral("%1 %2").arg(factor).arg(size.width())));
            }
        }
    }

    void pointingNamesStageAndInstant()
    {
        MemoryChart chart;
        feed(chart, sampleEstimate());
        chart.setOverTime(true);
        show(chart);
        QSignalSpy hovered(&chart, &MemoryChart::stageHovered);
        QSignalSpy clicked(&chart, &MemoryChart::stageClicked);
        const QPointF peak = chart.curves().pixelOf(chart.curves().peak());
        QTest::mouseMove(&chart.plot(), peak.toPoint());
        QCoreApplication::processEvents();
        QVERIFY(!hovered.isEmpty());
        QCOMPARE(hovered.last().first().toInt(), 0);
        QVERIFY(chart.toolTipAt(peak).contains(QStringLiteral("stage 0")));
        QVERIFY(chart.toolTipAt(peak).contains(QStringLiteral("backward pass of micro-batch")));
        QTest::mouseClick(&chart.plot(), Qt::LeftButton, {}, peak.toPoint());
        QCOMPARE(clicked.size(), 1);
        QCOMPARE(clicked.first().first().toInt(), 0);
        // The last stage holds least: its curve in the middle of the step.
        const double middle = chart.curves().view()->timeline.makespan.value() / 2;
        const QPointF low = chart.curves().pixelOf({7, middle});
        QVERIFY(chart.curves().hitAt(low).has_value());
        QVERIFY(chart.curves().hitAt(low)->stage >= 6);
        QVERIFY(!chart.curves()
                     .hitAt(QPointF(chart.plot().axisRect()->center().x(), chart.plot().axisRect()->bottom() - 2))
                     .has_value());
        QToolTip::hideText();
    }

    void keysWalkAlongTheCurve()
    {
        MemoryChart chart;
        feed(chart, sampleEstimate());
        chart.setOverTime(true);
        show(chart);
        QTest::keyClick(&chart, Qt::Key_Right); // to the peak
        QVERIFY2(chart.pointedText().contains(QStringLiteral("stage 0")), qPrintable(chart.pointedText()));
        const QString first = chart.pointedText();
        QTest::keyClick(&chart, Qt::Key_Right);
        QVERIFY(chart.pointedText() != first);
        QTest::keyClick(&chart, Qt::Key_Left);
        QCOMPARE(chart.pointedText(), first);
        QTest::keyClick(&chart, Qt::Key_Down);
        QVERIFY(chart.pointedText().contains(QStringLiteral("stage 1")));
        QSignalSpy clicked(&chart, &MemoryChart::stageClicked);
        QTest::keyClick(&chart, Qt::Key_Return);
        QCOMPARE(clicked.size(), 1);
        QCOMPARE(clicked.first().first().toInt(), 1);
        QToolTip::hideText();
    }

    void withoutATimelineItSaysSo()
    {
        MemoryChart chart;
        chart.setEstimate(sampleEstimate());
        chart.setTimeline(std::nullopt);
        show(chart);
        QVERIFY(!chart.isEmpty());
        chart.setOverTime(true);
        QVERIFY(chart.isEmpty());
        QVERIFY(chart.emptyText().contains(QStringLiteral("too many passes")));
        feed(chart, sampleEstimate());
        QVERIFY(!chart.isEmpty());
        chart.clear();
        QVERIFY(chart.isEmpty());
        QVERIFY(chart.emptyText().startsWith(QStringLiteral("No memory")));
        chart.setEstimate({});
        QVERIFY(chart.isEmpty());
        chart.setOverTime(false);
        QVERIFY(chart.isEmpty());
    }

    /// A new estimate keeps the curves until its own come, and a place that a person has zoomed to.
    void newNumbersKeepThePlace()
    {
        MemoryChart chart;
        feed(chart, sampleEstimate());
        chart.setOverTime(true);
        show(chart);
        const double end = chart.plot().xAxis->range().upper;
        const QPointF at = chart.plot().axisRect()->center();
        QWheelEvent event(
            at, chart.plot().mapToGlobal(at), QPoint(), QPoint(0, 480), Qt::NoButton, {}, Qt::NoScrollPhase, false);
        QApplication::sendEvent(&chart.plot(), &event);
        const auto zoomed = chart.plot().xAxis->range();
        QVERIFY(zoomed.size() < end);
        chart.setEstimate(sampleEstimate(8, 10.5));
        QVERIFY(chart.curves().view());
        const Estimate next = sampleEstimate(8, 10.5);
        chart.setTimeline(memoryTimeline(next.memory, simulate(next.pipeline)), 3);
        QCOMPARE(chart.plot().xAxis->range().lower, zoomed.lower);
        QCOMPARE(chart.plot().xAxis->range().upper, zoomed.upper);
    }

    void theTableListsThePeaks()
    {
        MemoryChart chart;
        feed(chart, sampleEstimate());
        chart.setOverTime(true);
        const ChartTable table = chart.table();
        QCOMPARE(table.rows.size(), 8);
        QCOMPARE(table.columns.size(), table.rows.first().size());
        QVERIFY(table.rows[7][3].contains(QStringLiteral("micro-batch")));
    }
};

QTEST_MAIN(TestMemoryOverTime)
#include "test_memory_over_time.moc"
