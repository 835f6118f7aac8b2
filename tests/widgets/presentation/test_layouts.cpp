// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/charts/fixtures.h"
#include "widgets/presentation/axis.h"
#include "widgets/presentation/gantt_text.h"
#include "widgets/presentation/legend_layout.h"
#include "widgets/presentation/pareto.h"
#include "widgets/presentation/stacks.h"
#include "widgets/presentation/strategy_cloud.h"
#include "widgets/presentation/table.h"
#include "widgets/presentation/text.h"

#include <QTest>

#include <functional>
#include <limits>
#include <map>
#include <set>
#include <tuple>

using namespace stratoplan::estimate;
using namespace stratoplan::parallel;
using namespace stratoplan::pipeline;
using namespace stratoplan::search;
using namespace stratoplan::units;
using namespace stratoplan::widgets;
using namespace stratoplan::test;

namespace {
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
} // namespace

class TestLayouts : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void ticksAreRoundAndInside_data();
    void ticksAreRoundAndInside();
    void ticksOfNothing();
    void tickTexts();
    void units();
    void quantitiesReadAlikeEverywhere();
    void strides();
    void viewsAreConfined();

    void partsSumToTheStep();
    void sumThatDoesNotAddUpIsSaid();
    void segmentsFollowOneAnother();
    void hiddenCommunicationAddsNothing();
    void exposedCommunicationIsHatchedByAxis();
    void alikeStagesShareARow();
    void manyDifferentStagesAreThinned();
    void notFiniteEstimateHasNoView_data();
    void notFiniteEstimateHasNoView();
    void memoryLedger();
    void memoryOverCapacity();

    void paretoViewKeepsFinitePoints();
    void paretoLeavesFarPointsOutside();
    void frontsOfAnyMeasures();
    void aCloudIsCountedByPixels();
    void aCloudIsOfItsMeasures();
    void gridFindsTheNearestDrawn();
    void strategiesAreFiltered();
    void labelsAvoidObstacles();
    void labelsStayInside();
    void legendWraps();
    void tablesAsText();
    void strategyTexts();
};

void TestLayouts::ticksAreRoundAndInside_data()
{
    QTest::addColumn<double>("low");
    QTest::addColumn<double>("high");
    QTest::addColumn<int>("most");
    QTest::addColumn<QList<double>>("expected");
    QTest::newRow("0–10") << 0.0 << 10.0 << 6 << QList<double>{0, 2, 4, 6, 8, 10};
    QTest::newRow("0–9.84") << 0.0 << 9.84 << 5 << QList<double>{0, 2, 4, 6, 8};
    QTest::newRow("across zero") << -1.0 << 1.0 << 5 << QList<double>{-1, -0.5, 0, 0.5, 1};
    QTest::newRow("small") << 0.0012 << 0.0034 << 4 << QList<double>{0.0015, 0.002, 0.0025, 0.003};
    QTest::newRow("large") << 150e3 << 330e3 << 5 << QList<double>{150e3, 200e3, 250e3, 300e3};
}

void TestLayouts::ticksAreRoundAndInside()
{
    QFETCH(double, low);
    QFETCH(double, high);
    QFETCH(int, most);
    QFETCH(QList<double>, expected);
    const Ticks ticks = niceTicks(low, high, most);
    QCOMPARE(ticks.values.size(), static_cast<std::size_t>(expected.size()));
    for (std::size_t i = 0; i < ticks.values.size(); ++i)
        QVERIFY(std::abs(ticks.values[i] - expected[static_cast<qsizetype>(i)]) < 1e-9 * (high - low));
    // Labels tell neighbours apart.
    std::set<QString> labels;
    for (const double v : ticks.values)
        labels.insert(tickText(v, ticks.decimals));
    QCOMPARE(labels.size(), ticks.values.size());
}

void TestLayouts::ticksOfNothing()
{
    QVERIFY(niceTicks(1, 1, 5).values.empty());
    QVERIFY(niceTicks(2, 1, 5).values.empty());
    QVERIFY(niceTicks(kNan, 1, 5).values.empty());
    QVERIFY(niceTicks(0, kInf, 5).values.empty());
    QVERIFY(niceTicks(0, 1, 0).values.empty());
    for (int most = 1; most < 40; ++most)
        QVERIFY(static_cast<int>(niceTicks(0.37, 97.3, most).values.size()) <= most);
}

void TestLayouts::tickTexts()
{
    QCOMPARE(tickText(0.4, 1), QStringLiteral("0.4"));
    QCOMPARE(tickText(-0.0, 1), QStringLiteral("0.0"));
    QCOMPARE(tickText(12288, 0), QStringLiteral("12,288"));
    QCOMPARE(tickText(kNan, 1), QStringLiteral("–"));
}

void TestLayouts::quantitiesReadAlikeEverywhere()
{
    QCOMPARE(countText(175e9), QStringLiteral("175 B"));
    QCOMPARE(countText(96), QStringLiteral("96"));
    QCOMPARE(tokenRateText(1.5e9), QStringLiteral("1.50 B tokens/s"));
    QCOMPARE(tokenRateUnit(2e9).name, QStringLiteral("B tokens/s"));
    QCOMPARE(energyText(142), QStringLiteral("142 kWh"));
    QCOMPARE(energyText(999.7), QStringLiteral("1.00 MWh"));
    QCOMPARE(energyText(142e3), QStringLiteral("142 MWh"));
    QCOMPARE(energyText(2.34e6), QStringLiteral("2.34 GWh"));
    QCOMPARE(moneyText(1.2e9, "USD"), QStringLiteral("$1.20 B"));
    QCOMPARE(moneyText(548e3, "CHF"), QStringLiteral("548 k CHF"));
    QCOMPARE(pointsText(0.029), QStringLiteral("2.90 pp"));
    QCOMPARE(signedText(-0.61, text(Seconds(0.61))), QStringLiteral("−610 ms"));
    QCOMPARE(text(FlopsPerSecond(2.25e15)), QStringLiteral("2.25 PFLOP/s"));
    QVERIFY(sameInThreeFigures(157e12, 157.2e12));
    QVERIFY(!sameInThreeFigures(157e12, 158e12));
    QVERIFY(sameInThreeFigures(0, 0) && !sameInThreeFigures(0, 1));
    Timeline timeline;
    timeline.chunks = 3;
    Slice slice;
    slice.chunk = 0;
    QCOMPARE(chunkText(slice, timeline), QStringLiteral("chunk 1 of 3"));
}

void TestLayouts::units()
{
    QCOMPARE(secondsUnit(9.84).name, QStringLiteral("s"));
    QCOMPARE(secondsUnit(0.5).name, QStringLiteral("ms"));
    QCOMPARE(secondsUnit(2e-5).name, QStringLiteral("µs"));
    QCOMPARE(bytesUnit(80 * kGiB).name, QStringLiteral("GiB"));
    QCOMPARE(bytesUnit(0.2 * kGiB).name, QStringLiteral("MiB"));
    QCOMPARE(tokenRateUnit(320e3).name, QStringLiteral("k tokens/s"));
    QCOMPARE(tokenRateUnit(3.2e6).factor, 1e6);
}

void TestLayouts::strides()
{
    QCOMPARE(labelStride(8, 30, 20), 1);
    QCOMPARE(labelStride(64, 4, 20), 8);
    QCOMPARE(labelStride(64, 0.001, 20), 64);
}

void TestLayouts::viewsAreConfined()
{
    QCOMPARE(confined({-2, 3}, {0, 10}, 1), (Interval{0, 5}));
    QCOMPARE(confined({8, 12}, {0, 10}, 1), (Interval{6, 10}));
    QCOMPARE(confined({-5, 50}, {0, 10}, 1), (Interval{0, 10}));
    QCOMPARE(confined({4, 4.1}, {0, 10}, 1), (Interval{3.55, 4.55}));
    QVERIFY(padded({5, 5}, 0.1).length() > 0);
}

void TestLayouts::partsSumToTheStep()
{
    const auto view = breakdownView(sampleEstimate());
    QVERIFY(view);
    QVERIFY(view->adds);
    QCOMPARE(view->check, QStringLiteral("parts sum to 9.84 s ✓"));
    QCOMPARE(view->stacks.size(), std::size_t{9});
    for (const Stack& s : view->stacks)
        QVERIFY(std::abs(s.total - 9.84) < 1e-9 * 9.84);
}

void TestLayouts::sumThatDoesNotAddUpIsSaid()
{
    Estimate e = sampleEstimate();
    e.breakdown.forward += Seconds(0.5);
    const auto view = breakdownView(e);
    QVERIFY(view);
    QVERIFY(!view->adds);
    QCOMPARE(view->check, QStringLiteral("parts sum to 10.3 s, the step is 9.84 s ✗"));
}

void TestLayouts::segmentsFollowOneAnother()
{
    const auto view = breakdownView(sampleEstimate());
    for (const Stack& stack : view->stacks) {
        double at = 0;
        for (const Segment& s : stack.segments) {
            QVERIFY(s.value > 0);
            QVERIFY(!s.name.isEmpty() && !s.explanation.isEmpty());
            if (s.inside)
                continue;
            QCOMPARE(s.start, at);
            at += s.value;
        }
        QCOMPARE(at, stack.total);
    }
}

void TestLayouts::hiddenCommunicationAddsNothing()
{
    Estimate e = sampleEstimate();
    const double before = breakdownView(e)->stacks.front().total;
    e.breakdown.hidden.dp += Seconds(100); // more than there is to hide behind
    const auto view = breakdownView(e);
    QCOMPARE(view->stacks.front().total, before);
    for (const Segment& s : view->stacks.front().segments) {
        if (s.inside)
            QVERIFY(s.start >= 0 && s.start + s.value <= before);
    }
}

void TestLayouts::exposedCommunicationIsHatchedByAxis()
{
    Estimate e = sampleEstimate();
    e.breakdown.exposed.cp = e.breakdown.exposed.ep = Seconds(0.1);
    std::set<Pattern> patterns;
    const auto view = breakdownView(e);
    for (const Segment& s : view->stacks.front().segments) {
        if (s.mark == Mark::Exposed)
            patterns.insert(s.pattern);
        if (s.mark == Mark::Bubble)
            QCOMPARE(s.pattern, Pattern::Dots);
    }
    QCOMPARE(patterns.size(), std::size_t{5});
    QVERIFY(!patterns.contains(Pattern::Solid));
}

void TestLayouts::alikeStagesShareARow()
{
    const auto view = breakdownView(sampleEstimate(64));
    QCOMPARE(view->stacks.size(), std::size_t{4}); // the step, the first, those between, the last
    QCOMPARE(view->stacks[2].label, QStringLiteral("stages 1–62"));
    QCOMPARE(view->stacks[2].lastStage, 62);
    QVERIFY(!view->note.isEmpty());
}

void TestLayouts::manyDifferentStagesAreThinned()
{
    Estimate e = sampleEstimate(64);
    for (std::size_t i = 0; i < e.stages.size(); ++i) {
        const double shift = 0.1 * static_cast<double>((i * 37) % 64);
        e.stages[i].forward = e.stages[i].forward * 0.1 + Seconds(shift * 0.1);
        e.stages[i].bubble = e.step - (e.stages[i].total() - e.stages[i].bubble);
    }
    const auto view = breakdownView(e, 12);
    QCOMPARE(view->stacks.size(), std::size_t{13});
    QCOMPARE(view->stacks[1].firstStage, 0);
    QCOMPARE(view->stacks.back().lastStage, 63);
    int busiest = 0;
    for (int i = 1; i < 63; ++i) {
        if (e.stages[static_cast<std::size_t>(i)].bubble < e.stages[static_cast<std::size_t>(busiest)].bubble)
            busiest = i;
    }
    QVERIFY(
        std::any_of(view->stacks.begin(), view->stacks.end(), [&](const Stack& s) { return s.firstStage == busiest; }));
}

void TestLayouts::notFiniteEstimateHasNoView_data()
{
    QTest::addColumn<double>("value");
    QTest::newRow("nan") << kNan;
    QTest::newRow("inf") << kInf;
    QTest::newRow("negative") << -1.0;
}

void TestLayouts::notFiniteEstimateHasNoView()
{
    QFETCH(double, value);
    Estimate a = sampleEstimate();
    a.breakdown.exposed.dp = Seconds(value);
    QVERIFY(!breakdownView(a));
    Estimate b = sampleEstimate();
    b.stages[3].forward = Seconds(value);
    QVERIFY(!breakdownView(b));
    Estimate c = sampleEstimate();
    c.memory.stages[3].activations = Bytes(value);
    QVERIFY(!memoryView(c));
    QVERIFY(!breakdownView(Estimate{}));
    QVERIFY(!memoryView(Estimate{}));
}

void TestLayouts::memoryLedger()
{
    const Estimate e = sampleEstimate();
    const auto view = memoryView(e);
    QVERIFY(view);
    QCOMPARE(view->stacks.size(), std::size_t{8});
    QCOMPARE(view->legend.size(), std::size_t{6});
    QCOMPARE(view->peakStage, 0);
    QVERIFY(view->fits);
    for (std::size_t i = 0; i < 8; ++i)
        QVERIFY(std::abs(view->stacks[i].total - e.memory.stages[i].total().value()) < 1);
    QCOMPARE(view->largest, e.memory.capacity.value());
}

void TestLayouts::memoryOverCapacity()
{
    Estimate e = sampleEstimate();
    e.memory.stages[5].activations = Bytes(90 * kGiB);
    const auto view = memoryView(e);
    QVERIFY(!view->fits);
    QCOMPARE(view->peakStage, 5);
    QVERIFY(view->largest > e.memory.capacity.value());
    QVERIFY(view->areCapacitiesAlike());
    // Of unlike nodes the stage counts that fills most of its own, not the one that holds most.
    for (StageMemory& stage : e.memory.stages)
        stage.capacity = Bytes(400 * kGiB);
    e.memory.stages[2].capacity = e.memory.stages[2].total() * 0.9;
    const auto unlike = memoryView(e);
    QVERIFY(!unlike->areCapacitiesAlike() && !unlike->fits);
    QCOMPARE(unlike->peakStage, 2);
    QCOMPARE(unlike->peak.value(), unlike->stacks[2].total);
    QCOMPARE(unlike->capacity.value(), e.memory.stages[2].capacity.value());
    QCOMPARE(unlike->largest, 400 * kGiB);
}

void TestLayouts::paretoViewKeepsFinitePoints()
{
    StrategySet set = sampleStrategies(200);
    const auto front = std::size_t(std::count_if(set.points.begin(), set.points.end(),
        [](const StrategyPoint& s) { return s.kind == StrategyPoint::Kind::Front; }));
    set.points[1].step = Seconds(kNan); // on the front
    set.points.back().peak = Bytes(kInf);
    const ParetoView view = paretoView(set, StrategyMeasure::PeakMemory, StrategyMeasure::Throughput);
    QCOMPARE(view.points.size(), std::size_t(198));
    QCOMPARE(view.front.size(), front - 1);
    QVERIFY(view.exactFront);
    for (std::size_t k = 1; k < view.front.size(); ++k)
        QVERIFY(view.points[view.front[k]].x >= view.points[view.front[k - 1]].x);
    QVERIFY(paretoView({}, StrategyMeasure::PeakMemory, StrategyMeasure::Throughput).empty());
}

void TestLayouts::paretoLeavesFarPointsOutside()
{
    StrategySet set = sampleStrategies(200);
    set.points.back().peak = Bytes(5000 * kGiB);
    set.points.back().kind = StrategyPoint::Kind::OutOfMemory;
    const ParetoView view = paretoView(set, StrategyMeasure::PeakMemory, StrategyMeasure::Throughput);
    QVERIFY(view.x.high < 200 * kGiB);
    QVERIFY(view.x.high > 80 * kGiB);
}

void TestLayouts::frontsOfAnyMeasures()
{
    std::mt19937 random(5);
    std::uniform_int_distribution<int> few(1, 6);
    for (int round = 0; round < 50; ++round) {
        StrategySet set = sampleStrategies(80);
        for (StrategyPoint& s : set.points) { // many ties
            s.step = Seconds(few(random));
            s.strategy.dp = 1 << few(random);
        }
        for (const StrategyMeasure x : kMeasures) {
            for (const StrategyMeasure y : kMeasures) {
                if (x == y)
                    continue;
                const ParetoView view = paretoView(set, x, y);
                if (view.exactFront)
                    continue; // what the search says
                const auto better = [](StrategyMeasure m, double a, double b) {
                    return largerIsBetter(m) ? a > b : a < b;
                };
                for (const ParetoPoint& p : view.points) {
                    if (p.kind == StrategyPoint::Kind::OutOfMemory)
                        continue;
                    const bool beaten = std::any_of(view.points.begin(), view.points.end(), [&](const ParetoPoint& q) {
                        return q.kind != StrategyPoint::Kind::OutOfMemory && !better(x, p.x, q.x)
                            && !better(y, p.y, q.y) && (better(x, q.x, p.x) || better(y, q.y, p.y));
                    });
                    QCOMPARE(p.kind == StrategyPoint::Kind::Front, !beaten);
                }
            }
        }
    }
}

// Against a straightforward count, grown in parts or given whole.
// In one piece: one picture, held against one count.
void TestLayouts::aCloudIsCountedByPixels()
{
    const StrategySet set = sampleStrategies(10);
    const QRect area(40, 10, 300, 200);
    const PixelScale x{40, 300 / (110 * kGiB)};
    const PixelScale y{210, -200 / 400e3};
    for (const int count : {500, 60'000}) { // two pixels wide, and one
        const StrategyCloudPointer whole = sampleCloud(count, 1);
        CloudGrid grid;
        grid.setCloud(whole, StrategyMeasure::PeakMemory, StrategyMeasure::Throughput, set.rates);
        grid.place(area, x, y);
        QCOMPARE(grid.size(), static_cast<std::size_t>(count));
        const int cell = count < 50'000 ? 2 : 1;
        std::map<std::pair<int, int>, int> expected;
        int drawn = 0;
        for (const CloudPoint& point : *whole->parts.front()) {
            const double px = x(point.peak);
            const double py = y(measured(point, StrategyMeasure::Throughput, set.rates));
            const double rounding = 1e-3; // of coordinates in float
            const auto edge = [&](double p) { return std::abs(std::remainder(p, cell)) < rounding; };
            if (edge(px - 40) || edge(py - 10))
                continue;
            drawn += point.fits;
            if (point.fits)
                ++expected[{int(px - 40) / cell, int(py - 10) / cell}];
        }
        QVERIFY(drawn > count / 2);
        int wrong = 0;
        for (const auto& [at, number] : expected)
            wrong += std::abs(grid.countAt({40 + at.first * cell, 10 + at.second * cell}) - number) > 1;
        QCOMPARE(wrong, 0);
        // The more share a pixel, the darker, and nothing where nothing is.
        const QImage image = grid.image(Qt::black, Qt::red);
        QCOMPARE(image.size(), area.size());
        int most = 0, least = 255;
        for (const auto& [at, number] : expected) {
            const int alpha = qAlpha(image.pixel(at.first * cell, at.second * cell));
            QVERIFY(alpha > 0);
            (number == 1 ? least : most) = number == 1 ? std::min(least, alpha) : std::max(most, alpha);
        }
        QVERIFY(most > least);
        QCOMPARE(qAlpha(image.pixel(0, 0)), 0);
        // What comes in parts is the same picture in the end.
        CloudGrid grown;
        for (const int parts : {1, 3, 7}) {
            grown.setCloud(
                sampleCloud(count, 7, parts), StrategyMeasure::PeakMemory, StrategyMeasure::Throughput, set.rates);
            grown.place(area, x, y);
        }
        QVERIFY(grown.image(Qt::black, Qt::red) == image);
        // The pointer finds what is drawn.
        const CloudPoint& some = whole->parts.front()->at(17);
        const auto found = grid.nearest({x(some.peak), y(measured(some, StrategyMeasure::Throughput, set.rates))}, 3);
        QVERIFY(found);
        const QPointF value = grid.valueAt(*found);
        QVERIFY(std::abs(x(value.x()) - x(some.peak)) <= 3
            && std::abs(y(value.y()) - y(measured(some, StrategyMeasure::Throughput, set.rates))) <= 3);
        QVERIFY(!grid.nearest({41, 11}, 3));
    }
}

void TestLayouts::aCloudIsOfItsMeasures()
{
    const StrategySet set = sampleStrategies(10);
    const StrategyCloudPointer whole = sampleCloud(500, 1);
    CloudGrid grid;
    grid.setCloud(whole, StrategyMeasure::PeakMemory, StrategyMeasure::Throughput, set.rates);
    grid.place({40, 10, 300, 200}, {40, 300 / (110 * kGiB)}, {210, -200 / 400e3});
    grid.setCloud(whole, StrategyMeasure::StepTime, StrategyMeasure::Throughput, set.rates);
    QVERIFY(grid.valueAt(17).x() == whole->parts.front()->at(17).step);
    grid.setCloud(nullptr, StrategyMeasure::StepTime, StrategyMeasure::Throughput, set.rates);
    QCOMPARE(grid.size(), std::size_t(0));
}

void TestLayouts::gridFindsTheNearestDrawn()
{
    const StrategySet set = sampleStrategies(3000);
    const ParetoView view = paretoView(set, StrategyMeasure::PeakMemory, StrategyMeasure::Throughput);
    const QRect area(40, 10, 400, 300);
    const PixelScale x{40 - view.x.low / view.x.length() * 400, 400 / view.x.length()};
    const PixelScale y{310 + view.y.low / view.y.length() * 300, -300 / view.y.length()};
    PointGrid grid;
    grid.build(view, area, x, y);
    QVERIFY(grid.cloud().size() > 500 && grid.cloud().size() < 3000); // some share a cell
    QVERIFY(!grid.crosses().empty());
    for (int i = 0; i < 200; ++i) {
        const QPointF at(45 + i * 1.9, 20 + (i * 37) % 280);
        double least = 1e9;
        for (const ParetoPoint& p : view.points)
            if (p.kind == StrategyPoint::Kind::Dominated)
                least = std::min(least, QLineF(QPointF(x(p.x), y(p.y)), at).length());
        const auto found = grid.nearest(view, at, 9);
        if (least < 5)
            QVERIFY(found);
        if (found) {
            const ParetoPoint& p = view.points[*found];
            QVERIFY(QLineF(QPointF(x(p.x), y(p.y)), at).length() <= 9);
        }
    }
    QVERIFY(!grid.nearest(view, QPointF(-200, -200), 9));
}

void TestLayouts::strategiesAreFiltered()
{
    const StrategySet set = sampleStrategies(400);
    const auto count = [&](const char* text) {
        const StrategyFilter filter(QString::fromUtf8(text));
        return filter.error().isEmpty() ? std::count_if(
                   set.points.begin(), set.points.end(), [&](const StrategyPoint& s) { return filter.allows(s); })
                                        : -1;
    };
    const auto expect = [&](auto&& holds) {
        return std::count_if(
            set.points.begin(), set.points.end(), [&](const StrategyPoint& s) { return holds(s.strategy); });
    };
    QCOMPARE(count(""), 400);
    QCOMPARE(count("tp=4"), expect([](const Strategy& s) { return s.tp == 4; }));
    QCOMPARE(count("tp>=4 pp<8"), expect([](const Strategy& s) { return s.tp >= 4 && s.pp < 8; }));
    QCOMPARE(count("TP <= 2, mb!=1"), expect([](const Strategy& s) { return s.tp <= 2 && s.microBatch != 1; }));
    QCOMPARE(count("pp > 2 selective"),
        expect([](const Strategy& s) { return s.pp > 2 && s.recompute == Recompute::Selective; }));
    QVERIFY(count("front") > 3 && count("front") < 100);
    QVERIFY(count("fits") < 400);
    QCOMPARE(count("nonsense"), 0);
    QCOMPARE(count("speed>3"), -1); // no such field
    QCOMPARE(count("tp>many"), -1);
    QCOMPARE(count("tp>"), -1);
}

void TestLayouts::labelsAvoidObstacles()
{
    const QRectF bounds(0, 0, 300, 200);
    const QPointF anchor(150, 100);
    std::vector<QRectF> obstacles;
    for (int i = 0; i < 4; ++i) {
        const QRectF r = placeLabel(anchor, QSizeF(60, 14), bounds, obstacles);
        QVERIFY(bounds.contains(r));
        QVERIFY(!r.contains(anchor));
        for (const QRectF& o : obstacles)
            QVERIFY(!o.intersects(r));
        obstacles.push_back(r);
    }
}

void TestLayouts::labelsStayInside()
{
    const QRectF bounds(10, 10, 200, 100);
    for (const QPointF anchor : {QPointF(10, 10), QPointF(210, 110), QPointF(10, 110), QPointF(210, 10)}) {
        const QRectF r = placeLabel(anchor, QSizeF(80, 14), bounds, {});
        QVERIFY(bounds.contains(r));
        QVERIFY(!r.contains(anchor));
    }
}

void TestLayouts::legendWraps()
{
    const LegendLayout one = layoutLegend({50, 60, 70}, 300, 16, 10);
    QCOMPARE(one.height, 16.0);
    const LegendLayout two = layoutLegend({50, 60, 70}, 130, 16, 10);
    QCOMPARE(two.height, 32.0);
    QCOMPARE(two.cells[2].topLeft(), QPointF(0, 16));
    QCOMPARE(layoutLegend({500}, 100, 16, 10).height, 16.0);
    QCOMPARE(layoutLegend({}, 100, 16, 10).height, 0.0);
}

void TestLayouts::tablesAsText()
{
    const ChartTable table{
        {QStringLiteral("a"), QStringLiteral("b,c")}, {{QStringLiteral("1\t2"), QStringLiteral("say \"x\"")}}};
    QCOMPARE(toTsv(table), QStringLiteral("a\tb,c\n1 2\tsay \"x\"\n"));
    QCOMPARE(toCsv(table), QStringLiteral("a,\"b,c\"\r\n1\t2,\"say \"\"x\"\"\"\r\n"));
    QCOMPARE(cell(kNan), QString());
    QCOMPARE(cell(0.25), QStringLiteral("0.25"));
}

void TestLayouts::strategyTexts()
{
    QCOMPARE(degreesText({}), QStringLiteral("one accelerator"));
    Strategy s;
    std::tie(s.tp, s.pp) = std::pair(8, 4);
    QCOMPARE(degreesText(s), QStringLiteral("TP 8 · PP 4"));
    QCOMPARE(strategyText(s), QStringLiteral("TP 8 · PP 4 · micro-batch 1 · no recomputation · 1F1B"));
    s.zeroStage = 1;
    s.zeroShards = 4;
    s.sequenceParallel = true;
    QCOMPARE(strategyText(s),
        QStringLiteral("TP 8 · PP 4 · micro-batch 1 · ZeRO-1 over 4 · sequence parallel · no recomputation · 1F1B"));
    Strategy divided = s;
    divided.tensorPartition = TensorPartition::SpatialTemporal; // which cuts sequences itself
    QCOMPARE(strategyText(divided),
        QStringLiteral("TP 8 · PP 4 · micro-batch 1 · ZeRO-1 over 4 · no recomputation · 1F1B · spatial-temporal"));
    // A search of the whole space tells strategies apart that differ in one trait alone.
    s.cp = 2;
    s.schedule = Schedule::ZbAuto;
    QStringList texts{strategyText(s)};
    const auto vary = [&](const std::function<void(Strategy&)>& change) {
        Strategy other = s;
        change(other);
        texts << strategyText(other);
    };
    vary([](Strategy& o) { o.contextMethod = ContextMethod::AllGather; });
    vary([](Strategy& o) { o.offload = Offload::Optimizer; });
    vary([](Strategy& o) { o.vocabularyPlacement = VocabularyPlacement::Vocab2; });
    vary([](Strategy& o) { o.timingPass = true; });
    vary([](Strategy& o) { o.inFlightLimit = 5; });
    vary([](Strategy& o) { o.stageLayers = {11, 12, 12, 13}; });
    vary([](Strategy& o) { o.recomputedLayers = {2, 2, 2, 2}; });
    vary([](Strategy& o) { o.stageRecompute = {Recompute::Full, Recompute::None}; });
    vary([](Strategy& o) { o.stageTp = {8, 4}; });
    vary([](Strategy& o) { o.tensorPartition = TensorPartition::SpatialTemporal; });
    vary([](Strategy& o) { std::swap(o.rankOrder[3], o.rankOrder[4]); });
    QVERIFY(texts.contains(texts.first() + QStringLiteral(" · layers 11 12 12 13"))
        && texts.contains(texts.first() + QStringLiteral(" · tp-cp-ep-pp-dp")));
    QCOMPARE(texts.removeDuplicates(), 0);
}

QTEST_GUILESS_MAIN(TestLayouts)
#include "test_layouts.moc"
