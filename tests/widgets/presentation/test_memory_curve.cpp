// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/charts/fixtures.h"
#include "widgets/presentation/memory_curve.h"

#include <QTest>

#include <limits>

using namespace stratoplan::cost;
using namespace stratoplan::estimate;
using namespace stratoplan::parallel;
using namespace stratoplan::pipeline;
using namespace stratoplan::units;
using namespace stratoplan::widgets;

namespace {

MemoryTimeline sample(int stages = 8)
{
    Estimate e = stratoplan::test::sampleEstimate(stages);
    e.pipeline.microBatches = 2 * std::max(stages, 48); // interleaving runs them in groups of one a stage
    if (stages == 1)
        e.pipeline.schedule = Schedule::OneFOneB;
    return memoryTimeline(e.memory, simulate(e.pipeline));
}

} // namespace

class TestMemoryCurve : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void nothingUnfiniteIsDrawn()
    {
        const Bytes capacity(80 * kGiB);
        QVERIFY(memoryCurveView(sample(), capacity, 3).has_value());
        QVERIFY(!memoryCurveView({}, capacity, 3).has_value());
        MemoryTimeline broken = sample();
        broken.stages[3].points[7].bytes = Bytes(std::numeric_limits<double>::quiet_NaN());
        QVERIFY(!memoryCurveView(broken, capacity, 3).has_value());
        broken = sample();
        broken.makespan = Seconds(std::numeric_limits<double>::infinity());
        QVERIFY(!memoryCurveView(broken, capacity, 3).has_value());
    }

    void manyStagesAreThinned()
    {
        const auto view = memoryCurveView(sample(64), Bytes(80 * kGiB), 3);
        QVERIFY(view.has_value());
        QVERIFY(view->drawn.size() <= 12);
        QVERIFY(std::is_sorted(view->drawn.begin(), view->drawn.end()));
        QCOMPARE(view->drawn.front(), 0);
        QCOMPARE(view->drawn.back(), 63);
        QVERIFY(std::find(view->drawn.begin(), view->drawn.end(), view->timeline.peakStage) != view->drawn.end());
        QCOMPARE(memoryCurveView(sample(), Bytes(80 * kGiB), 3)->drawn.size(), std::size_t(8));
        QCOMPARE(memoryCurveView(sample(1), Bytes(80 * kGiB), 3)->drawn, std::vector<int>{0});
        QCOMPARE(memoryCurveView(sample(1), Bytes(80 * kGiB), 3)->legend.size(), std::size_t(1));
    }

    /// However many steps there are: few corners, all within the view, and the highest and lowest of it among them.
    void cornersKeepExtremes()
    {
        const MemoryTimeline timeline = sample();
        const double end = timeline.makespan.value();
        for (const StageMemoryCurve& curve : timeline.stages) {
            for (const Interval view :
                {Interval{0, end}, Interval{0.3 * end, 0.6 * end}, Interval{0.5 * end, 0.5001 * end}}) {
                for (const double width : {40.0, 400.0}) {
                    const std::vector<QPointF> corners = curveCorners(curve.points, timeline.makespan, view, width);
                    QVERIFY(!corners.empty());
                    QVERIFY(corners.size() <= std::size_t(4 * (width + 1)) + 1);
                    double low = 1e300;
                    double high = 0;
                    for (std::size_t i = 0; i < corners.size(); ++i) {
                        QVERIFY(corners[i].x() >= view.low && corners[i].x() <= view.high);
                        QVERIFY(i == 0 || corners[i].x() >= corners[i - 1].x());
                        low = std::min(low, corners[i].y());
                        high = std::max(high, corners[i].y());
                    }
                    double lowest = heldAt(timeline, curve.peak.stage, Seconds(view.low)).value();
                    double highest = lowest;
                    for (const MemoryPoint& point : curve.points) {
                        if (point.at.value() <= view.low || point.at.value() > view.high)
                            continue;
                        lowest = std::min(lowest, point.bytes.value());
                        highest = std::max(highest, point.bytes.value());
                    }
                    QCOMPARE(low, lowest);
                    QCOMPARE(high, highest);
                    QCOMPARE(corners.back().x(), view.high);
                }
            }
        }
        QVERIFY(curveCorners({}, Seconds(1), {0, 1}, 100).empty());
        QVERIFY(curveCorners(timeline.stages[0].points, timeline.makespan, {1, 1}, 100).empty());
    }

    void stepsAreSquare()
    {
        const std::vector<MemoryPoint> points{{Seconds(0), Bytes(1)}, {Seconds(2), Bytes(5)}, {Seconds(3), Bytes(2)}};
        const std::vector<QPointF> expected{{0, 1}, {2, 1}, {2, 5}, {3, 5}, {3, 2}, {4, 2}};
        QCOMPARE(curveCorners(points, Seconds(4), {0, 4}, 400), expected);
    }

    void instantsAreNamed()
    {
        MemoryPeak peak;
        peak.stage = 2;
        peak.microBatch = 1;
        peak.at = Seconds(57.2);
        QCOMPARE(peakInstant(peak, 1), QStringLiteral("stage 2, in the backward pass of micro-batch 1, 57.2 s"));
        peak.moment = PeakMoment::Loss;
        peak.chunk = 2;
        QCOMPARE(
            peakInstant(peak, 3), QStringLiteral("stage 2, in the forward pass of micro-batch 1, chunk 2, 57.2 s"));
        peak.moment = PeakMoment::Optimizer;
        peak.microBatch = -1;
        QVERIFY(peakInstant(peak, 3).contains(QStringLiteral("while the optimizer runs")));
    }
};

QTEST_GUILESS_MAIN(TestMemoryCurve)
#include "test_memory_curve.moc"
