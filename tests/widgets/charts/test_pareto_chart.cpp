// SPDX-License-Identifier: GPL-3.0-or-later
// The Pareto chart: what it picks, marks, brushes and labels.
#include "tests/widgets/charts/chart_driving.h"
#include "tests/widgets/charts/fixtures.h"
#include "tests/widgets/charts/pictures.h"
#include "tests/widgets/charts/qt_messages.h"
#include "widgets/charts/legend_row.h"
#include "widgets/charts/pareto_chart.h"
#include "widgets/charts/qcp.h"
#include "widgets/presentation/text.h"
#include "widgets/style/theme.h"

#include <QAccessible>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <QToolTip>
#include <random>
#include <set>
#include <utility>

using namespace stratoplan::estimate;
using namespace stratoplan::model;
using namespace stratoplan::parallel;
using namespace stratoplan::search;
using namespace stratoplan::units;
using namespace stratoplan::widgets;
using namespace stratoplan::test;

class TestParetoChart : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void cleanup();

    void paretoClickPicksAndDoubleClickAdopts();
    void paretoShowsAMillion();
    void paretoMeasuresAreChosen();
    void paretoDrawsEveryPairOfMeasures();
    void paretoBrushTakesARectangle();
    void paretoOfAMillionFindsPoints();
    void paretoHoverNamesTheStrategy();
    void paretoKeysWalkTheFront();
    void paretoLabelsDoNotOverlap_data();
    void paretoLabelsDoNotOverlap();
    void paretoStreamsWithoutMovingTheView();
    void paretoRingOfAnUnknownPlan();

    void noLabelHidesTheRing();
};

void TestParetoChart::initTestCase()
{
    collectQtMessages();
    applyTheme(*qApp, ThemeKind::Light);
}

void TestParetoChart::cleanup()
{
    const QStringList messages = std::exchange(qtMessages(), {});
    QVERIFY2(messages.isEmpty(), qPrintable(messages.join(u'\n')));
}

void TestParetoChart::paretoClickPicksAndDoubleClickAdopts()
{
    ParetoChart chart;
    chart.setStrategies(sharedStrategies());
    present(chart);
    QSignalSpy picked(&chart, &ParetoChart::picked);
    QSignalSpy adopted(&chart, &ParetoChart::adopted);
    for (const std::size_t i : chart.view().front) {
        picked.clear();
        const QPoint at = chart.pointAt(i).toPoint();
        QTest::mouseClick(&chart.plot(), Qt::LeftButton, {}, at);
        QCOMPARE(picked.size(), 1);
        const auto meant = chart.pointNear(at);
        QVERIFY(meant);
        QCOMPARE(picked.first().first().value<std::size_t>(), chart.view().points[*meant].strategy);
        QCOMPARE(chart.selected(), std::optional(chart.view().points[*meant].strategy));
        QCOMPARE(chart.view().points[*meant].kind, StrategyPoint::Kind::Front);
        QCOMPARE(adopted.size(), 0);
    }
    const QPoint best = chart.pointAt(chart.view().front.back()).toPoint();
    const auto range = chart.plot().xAxis->range();
    QTest::mouseDClick(&chart.plot(), Qt::LeftButton, {}, best);
    QCOMPARE(adopted.size(), 1);
    QVERIFY(adopted.first().first().value<StrategyPoint>() == chart.strategyAt(*chart.pointNear(best)));
    QCOMPARE(chart.plot().xAxis->range(), range);
    // Dragging from a point is panning, not picking; nor is a click where nothing is.
    picked.clear();
    dragMouse(chart, best, best + QPoint(-60, 20));
    QTest::mouseClick(&chart.plot(), Qt::LeftButton, {}, QPoint(1, 1));
    QCOMPARE(picked.size(), 0);
    QCOMPARE(adopted.size(), 1);
}

// In one piece: one cloud is drawn, pointed at, picked from, moved and taken away.
void TestParetoChart::paretoShowsAMillion()
{
    ParetoChart chart;
    chart.setStrategies(sharedStrategies());
    present(chart, QSize(700, 420));
    const int crossesBefore = static_cast<int>(chart.legend().entries().size());
    const QString note = chart.note();
    chart.setCloud(sampleCloud(1'000'000, 10, 3));
    QVERIFY2(chart.note().contains(QStringLiteral("300,000 drawn")), qPrintable(chart.note()));
    const std::size_t front = chart.view().front.size();
    const StrategyCloudPointer whole = sampleCloud(1'000'000, 10);
    chart.setCloud(whole);
    settle();
    QVERIFY2(chart.note().startsWith(note) && chart.note().contains(QStringLiteral("1,000,000 drawn")),
        qPrintable(chart.note()));
    QCOMPARE(chart.view().front.size(), front); // the front is the search's
    QCOMPARE(static_cast<int>(chart.legend().entries().size()), crossesBefore);
    // Dark where many share a pixel, faint where few do.
    const QImage image = chart.plot().grab().toImage();
    std::set<QRgb> shades;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            shades.insert(image.pixel(x, y));
    QVERIFY2(shades.size() > 20, qPrintable(QString::number(shades.size())));
    // Pointing at one names it, a click picks it; a click on the front still means the front.
    QSignalSpy picked(&chart, &ParetoChart::picked);
    QSignalSpy pickedOfCloud(&chart, &ParetoChart::pickedOfCloud);
    const CloudPoint& some = whole->parts[4]->at(1234);
    const QPointF value(some.peak, measured(some, StrategyMeasure::Throughput, chart.strategies()->rates));
    const QPoint at(
        qRound(chart.plot().xAxis->coordToPixel(value.x())), qRound(chart.plot().yAxis->coordToPixel(value.y())));
    const auto meant = chart.pointNear(at);
    QVERIFY(meant && chart.isOfCloud(*meant));
    const StrategyPoint named = chart.strategyAt(*meant);
    QVERIFY2(chart.toolTipAt(at).contains(QStringLiteral("micro-batch %1").arg(named.strategy.microBatch)),
        qPrintable(chart.toolTipAt(at)));
    QTest::mouseClick(&chart.plot(), Qt::LeftButton, {}, at);
    QCOMPARE(pickedOfCloud.size(), 1);
    QVERIFY(pickedOfCloud.first().first().value<StrategyPoint>() == named);
    QCOMPARE(picked.size(), 0);
    QSignalSpy adopted(&chart, &ParetoChart::adopted);
    QTest::mouseDClick(&chart.plot(), Qt::LeftButton, {}, at);
    QVERIFY(adopted.size() == 1 && adopted.first().first().value<StrategyPoint>() == named);
    QTest::mouseClick(&chart.plot(), Qt::LeftButton, {}, chart.pointAt(chart.view().front.back()).toPoint());
    QCOMPARE(picked.size(), 1);
    // Wheel and pan keep it in place; without it the sample is back.
    turnWheel(chart, at, 2);
    QVERIFY((chart.pointAt(*meant) - QPointF(at)).manhattanLength() < 8); // what is under the pointer stays there
    chart.setCloud(nullptr);
    QCOMPARE(chart.note(), note);
    const auto after = chart.pointNear(at);
    QVERIFY(!after || !chart.isOfCloud(*after));
    QToolTip::hideText();
}

void TestParetoChart::paretoMeasuresAreChosen()
{
    ParetoChart chart;
    StrategySet set = sampleStrategies(300);
    for (std::size_t i = 0; i < set.points.size(); i += 3) // of fewer GPUs: less throughput, more for the money
        set.points[i].strategy.dp = std::max(1, set.points[i].strategy.dp / 2);
    const auto shared = std::make_shared<const StrategySet>(set);
    chart.setStrategies(shared);
    chart.offerMeasures();
    present(chart, QSize(640, 400));
    QVERIFY(chart.view().exactFront);
    QList<QToolButton*> buttons = chart.findChildren<QToolButton*>();
    buttons.removeIf([](const QToolButton* button) { return !button->menu(); });
    QCOMPARE(buttons.size(), 2);
    const auto choose = [](QToolButton* button, const QString& name) {
        Q_EMIT button->menu()->aboutToShow();
        for (QAction* action : button->menu()->actions())
            if (action->text() == name)
                action->trigger();
    };
    choose(buttons[0], QStringLiteral("Tokens per accelerator-hour"));
    QCOMPARE(chart.yMeasure(), StrategyMeasure::TokensPerMoney);
    QVERIFY(!chart.view().exactFront); // found among those shown, and says so
    QVERIFY(chart.legend().entries().front().name.contains(QStringLiteral("shown")));
    set.allFronts = true; // those shown hold the fronts of all measures, but MFU of several precisions
    chart.setStrategies(std::make_shared<const StrategySet>(set));
    QVERIFY(chart.view().exactFront);
    QVERIFY(!paretoView(set, StrategyMeasure::PeakMemory, StrategyMeasure::Mfu).exactFront);
    QVERIFY(chart.plot().yAxis->label().contains(QStringLiteral("tokens/GPU-h")));
    for (const std::size_t i : chart.view().front) {
        const ParetoPoint& p = chart.view().points[i];
        for (const ParetoPoint& q : chart.view().points)
            QVERIFY(
                q.kind == StrategyPoint::Kind::OutOfMemory || !(q.x <= p.x && q.y >= p.y && (q.x < p.x || q.y > p.y)));
    }
    choose(buttons[1], QStringLiteral("Tokens per accelerator-hour")); // the same on both axes: they change places
    QCOMPARE(chart.xMeasure(), StrategyMeasure::TokensPerMoney);
    QCOMPARE(chart.yMeasure(), StrategyMeasure::PeakMemory);
}

void TestParetoChart::paretoDrawsEveryPairOfMeasures()
{
    ParetoChart chart;
    chart.setStrategies(sharedStrategies(300));
    present(chart, QSize(640, 400));
    for (const StrategyMeasure x : kMeasures) {
        for (const StrategyMeasure y : kMeasures) {
            chart.setMeasures(x, y);
            settle();
            QVERIFY(!chart.isEmpty());
            QVERIFY(!chart.plot().xAxis->label().contains(QStringLiteral("nan"), Qt::CaseInsensitive));
        }
    }
}

void TestParetoChart::paretoBrushTakesARectangle()
{
    ParetoChart chart;
    chart.setStrategies(sharedStrategies());
    present(chart, QSize(500, 400));
    QSignalSpy changed(&chart, &ParetoChart::brushChanged);
    const QPoint from = chart.plot().axisRect()->rect().center();
    const QPoint to = from + QPoint(80, -60);
    const auto brush = [&] {
        QTest::mousePress(&chart.plot(), Qt::LeftButton, Qt::ShiftModifier, from);
        QTest::mouseMove(&chart.plot(), from + QPoint(40, -30));
        QTest::mouseMove(&chart.plot(), to);
        QTest::mouseRelease(&chart.plot(), Qt::LeftButton, Qt::ShiftModifier, to);
    };
    const auto range = chart.plot().xAxis->range();
    chart.offerBrush();
    brush();
    QCOMPARE(changed.size(), 1);
    QCOMPARE(chart.plot().xAxis->range(), range); // not panned
    QVERIFY(chart.brush());
    const QRectF area = QRectF(QPointF(from), QPointF(to)).normalized();
    std::size_t inside = 0;
    for (std::size_t i = 0; i < chart.view().points.size(); ++i) {
        const bool taken = chart.brush()->contains(chart.strategyAt(i), chart.strategies()->rates);
        const QPointF at = chart.pointAt(i);
        if (area.adjusted(1, 1, -1, -1).contains(at))
            QVERIFY(taken);
        if (!area.adjusted(-1, -1, 1, 1).contains(at))
            QVERIFY(!taken);
        inside += taken;
    }
    QVERIFY(inside > 10 && inside < chart.view().points.size());
    QTest::keyClick(&chart, Qt::Key_Escape);
    QVERIFY(!chart.brush());
    QCOMPARE(changed.size(), 2);
}

void TestParetoChart::paretoOfAMillionFindsPoints()
{
    ParetoChart chart;
    StrategySet set = sampleStrategies(20000);
    const std::size_t once = set.points.size();
    std::mt19937 random(3);
    std::uniform_real_distribution<double> near(0.97, 1.03);
    set.points.reserve(1'000'000);
    while (set.points.size() < 1'000'000) {
        StrategyPoint s = set.points[set.points.size() % once];
        s.step *= 1.05 * near(random);
        s.peak *= near(random);
        s.kind = s.kind == StrategyPoint::Kind::Front ? StrategyPoint::Kind::Dominated : s.kind;
        set.points.push_back(s);
    }
    chart.setStrategies(std::make_shared<const StrategySet>(std::move(set)));
    present(chart, QSize(900, 500));
    const QPointF centre(chart.plot().axisRect()->rect().center());
    const auto point = chart.pointNear(centre);
    QVERIFY(point);
    QVERIFY(QLineF(chart.pointAt(*point), centre).length() <= 9);
}

void TestParetoChart::paretoHoverNamesTheStrategy()
{
    ParetoChart chart;
    chart.setStrategies(sharedStrategies());
    present(chart);
    const std::size_t best = chart.view().front.back();
    QTest::mouseMove(&chart.plot(), chart.pointAt(best).toPoint());
    QCOMPARE(chart.plot().cursor().shape(), Qt::PointingHandCursor);
    const QString tip = chart.toolTipAt(chart.pointAt(best));
    const Strategy& s = chart.strategyAt(best).strategy;
    QVERIFY2(tip.contains(degreesText(s)), qPrintable(tip));
    QVERIFY(tip.contains(QStringLiteral("k tokens/s")) && tip.contains(QStringLiteral("GiB")));
    QTest::mouseMove(&chart.plot(), QPoint(1, 1));
    QVERIFY(chart.plot().cursor().shape() != Qt::PointingHandCursor);
}

void TestParetoChart::paretoKeysWalkTheFront()
{
    ParetoChart chart;
    chart.setStrategies(sharedStrategies());
    present(chart);
    QSignalSpy adopted(&chart, &ParetoChart::adopted);
    QTest::keyClick(&chart, Qt::Key_Return);
    QCOMPARE(adopted.size(), 0);
    QTest::keyClick(&chart, Qt::Key_Right);
    const QString first = chart.pointedText();
    QTest::keyClick(&chart, Qt::Key_Right);
    QVERIFY(chart.pointedText() != first);
    QTest::keyClick(&chart, Qt::Key_Left);
    QCOMPARE(chart.pointedText(), first);
    // What is pointed at is shown and said.
    const Strategy& s = chart.strategyAt(chart.view().front.front()).strategy;
    QVERIFY2(first.contains(degreesText(s)), qPrintable(first));
    QVERIFY(QToolTip::isVisible());
    QCOMPARE(QAccessible::queryAccessibleInterface(&chart)->text(QAccessible::Value), first);
    QTest::keyClick(&chart, Qt::Key_Return);
    QCOMPARE(adopted.size(), 1);
    QCOMPARE(adopted.first().first().value<StrategyPoint>().strategy, s);
    QToolTip::hideText();
}

void TestParetoChart::paretoLabelsDoNotOverlap_data()
{
    QTest::addColumn<QSize>("size");
    QTest::newRow("wide") << QSize(640, 360);
    QTest::newRow("narrow") << QSize(290, 300);
    QTest::newRow("small") << QSize(240, 200);
}

void TestParetoChart::paretoLabelsDoNotOverlap()
{
    QFETCH(QSize, size);
    ParetoChart chart;
    chart.setStrategies(sharedStrategies());
    Estimate e = sampleEstimate();
    for (double share = 0; share <= 1.0; share += 0.05) {
        e.memory.peak = Bytes((20 + 70 * share) * kGiB);
        e.step = Seconds(3.1e6 / (160e3 + 170e3 * share));
        chart.setCurrent(e, Precision::Bf16);
        present(chart, size);
        const auto labels = chart.labels();
        const QRectF plot(chart.plot().axisRect()->rect());
        QVERIFY(
            labels.size() >= (plot.height() > 100 ? 2U : 1U)); // where there is room for no more, this plan is named
        QVERIFY(labels.front().strong);
        for (std::size_t i = 0; i < labels.size(); ++i) {
            QVERIFY(plot.contains(labels[i].rect)); // so it cannot touch the ticks, which stand outside
            for (std::size_t j = i + 1; j < labels.size(); ++j)
                QVERIFY2(
                    !labels[i].rect.intersects(labels[j].rect), qPrintable(labels[i].text + u'|' + labels[j].text));
        }
    }
}

void TestParetoChart::paretoStreamsWithoutMovingTheView()
{
    ParetoChart chart;
    StrategySet all = sampleStrategies(1000);
    present(chart);
    QVERIFY(chart.isEmpty());
    chart.setStrategies(sharedStrategies(100));
    settle();
    QVERIFY(!chart.isEmpty());
    turnWheel(chart, QPointF(chart.plot().axisRect()->center()), 4);
    const auto x = chart.plot().xAxis->range();
    const auto y = chart.plot().yAxis->range();
    all.status = QStringLiteral("searching: 20.0 %");
    chart.setStrategies(std::make_shared<const StrategySet>(all));
    settle();
    QCOMPARE(chart.plot().xAxis->range(), x);
    QCOMPARE(chart.plot().yAxis->range(), y);
    QVERIFY(chart.note().startsWith(QStringLiteral("searching")));
    QVERIFY(!chart.note().contains(QStringLiteral("nan"), Qt::CaseInsensitive));
}

void TestParetoChart::paretoRingOfAnUnknownPlan()
{
    ParetoChart chart;
    const StrategySet e = sampleStrategies(50);
    chart.setStrategies(std::make_shared<const StrategySet>(e));
    present(chart);
    for (const auto& label : chart.labels())
        QVERIFY(!label.strong);
    Estimate current;
    current.strategy = e.points[7].strategy;
    current.step = e.points[7].step;
    current.memory.peak = e.points[7].peak;
    chart.setCurrent(current, Precision::Bf16);
    settle();
    QVERIFY(std::any_of(chart.legend().entries().begin(), chart.legend().entries().end(),
        [](const LegendEntry& entry) { return entry.shape == LegendEntry::Shape::Ring; }));
}

void TestParetoChart::noLabelHidesTheRing()
{
    ParetoChart chart;
    chart.setStrategies(sharedStrategies());
    Estimate e = sampleEstimate();
    for (const double memory : {74.0, 77.0, 79.0, 80.0, 81.0, 83.0, 86.0}) {
        e.memory.peak = Bytes(memory * kGiB);
        e.step = Seconds(3.1e6 / 380e3);
        chart.setCurrent(e, Precision::Bf16);
        present(chart, QSize(300, 190));
        const QPointF at(
            chart.plot().xAxis->coordToPixel(e.memory.peak.value()), chart.plot().yAxis->coordToPixel(380e3));
        const QRectF ring(at - QPointF(6, 6), QSizeF(12, 12));
        for (const ParetoLabel& label : chart.labels())
            QVERIFY2(
                !label.rect.intersects(ring), qPrintable(QStringLiteral("%1 at %2 GiB").arg(label.text).arg(memory)));
    }
}

QTEST_MAIN(TestParetoChart)
#include "test_pareto_chart.moc"
