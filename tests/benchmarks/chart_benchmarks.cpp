// SPDX-License-Identifier: GPL-3.0-or-later
// Frames per second of the pipeline chart on a million slices, and of the Pareto chart on a million strategies, painted
// in software: from an event of the wheel to the pixels of the window. QT_QPA_PLATFORM=offscreen
// build/release/bin/stratoplan-chart-benchmarks
#include "core/pipeline/pipeline.h"
#include "widgets/charts/pareto_chart.h"
#include "widgets/charts/pipeline_chart.h"
#include "widgets/style/theme.h"

#include <benchmark/benchmark.h>

#include <QApplication>
#include <QWheelEvent>

#include <cmath>
#include <map>
#include <memory>
#include <random>
#include <utility>

using namespace stratoplan::model;
using namespace stratoplan::parallel;
using namespace stratoplan::pipeline;
using namespace stratoplan::search;
using namespace stratoplan::units;
using namespace stratoplan::widgets;

namespace {

constexpr QSize kWindow{1400, 500};

/// A little over a million slices: passes with recomputation, and transfers both ways, on `stages` unlike stages.
const Timeline& millionSlices(int stages)
{
    static std::map<int, Timeline> made;
    const auto found = made.find(stages);
    if (found != made.end())
        return found->second;
    PipelineWork work{Schedule::OneFOneB, 1'000'000 / (5 * stages) + 64, 1, {}};
    for (int i = 0; i < stages; ++i) {
        StageWork stage;
        stage.forward = Seconds(0.010 + 0.0003 * (i * 7 % 5));
        stage.backward = 2.3 * stage.forward;
        stage.recompute = 0.3 * stage.forward;
        stage.sendForward = stage.sendBackward = Seconds(0.0004);
        work.stages.push_back(stage);
    }
    return made[stages] = simulate(work);
}

/// Counts what reaches the window.
class PaintCounter final : public QObject {
public:
    bool eventFilter(QObject*, QEvent* event) override
    {
        m_paints += event->type() == QEvent::Paint;
        return false;
    }
    [[nodiscard]] int paints() const { return m_paints; }

private:
    int m_paints = 0;
};

QWidget& plotOf(const ChartView& chart)
{
    return *chart.childAt(chart.rect().center());
}

/// Pans to and fro by the wheel, which repaints everything, while `share` of the step is visible.
void pan(benchmark::State& state, double share, bool compared)
{
    const Timeline& timeline = millionSlices(static_cast<int>(state.range(0)));
    PipelineChart chart;
    chart.setTimeline(timeline);
    if (compared)
        chart.setComparison(QStringLiteral("a"), QStringLiteral("b"), ganttStep(timeline));
    chart.resize(kWindow);
    chart.show();
    chart.fitAll();
    QCoreApplication::processEvents();
    QWidget& plot = plotOf(chart);
    const QPointF middle(plot.rect().center());
    const auto turn = [&](double steps, Qt::KeyboardModifiers modifiers) {
        QWheelEvent event(middle, plot.mapToGlobal(middle), QPoint(), QPoint(0, static_cast<int>(120 * steps)),
            Qt::NoButton, modifiers, Qt::NoScrollPhase, false);
        QApplication::sendEvent(&plot, &event);
        QCoreApplication::processEvents();
    };
    while (chart.shownX().length() > share * chart.scene().index().whole().high)
        turn(1, {});
    PaintCounter frames;
    plot.installEventFilter(&frames);
    double direction = 0.2;
    for (auto _ : state) {
        turn(direction, Qt::ShiftModifier);
        direction = -direction;
    }
    state.counters["slices"] = static_cast<double>(timeline.slices.size()) * (compared ? 2 : 1);
    state.counters["rectangles"] = chart.drawnMarks();
    state.counters["frames/s"] = benchmark::Counter(frames.paints(), benchmark::Counter::kIsRate);
}

/// A new timeline of a plan that changed.
void show(benchmark::State& state)
{
    const Timeline& timeline = millionSlices(static_cast<int>(state.range(0)));
    PipelineChart chart;
    chart.resize(kWindow);
    chart.show();
    for (auto _ : state) {
        chart.setTimeline(timeline);
        QCoreApplication::processEvents();
    }
}

/// The same made ready by a worker: what the GUI thread pays when it arrives, the first frame and the end of the one
/// before included.
void arrive(benchmark::State& state)
{
    const Timeline& timeline = millionSlices(static_cast<int>(state.range(0)));
    PipelineChart chart;
    chart.resize(kWindow);
    chart.show();
    chart.setStep(ganttStep(timeline));
    QCoreApplication::processEvents();
    for (auto _ : state) {
        state.PauseTiming();
        GanttStepPointer next = ganttStep(timeline);
        state.ResumeTiming();
        chart.setStep(std::move(next));
        QCoreApplication::processEvents();
    }
}

void hover(benchmark::State& state)
{
    PipelineChart chart;
    chart.setTimeline(millionSlices(static_cast<int>(state.range(0))));
    chart.resize(kWindow);
    chart.show();
    chart.fitAll();
    QCoreApplication::processEvents();
    QWidget& plot = plotOf(chart);
    const QRectF row = chart.ganttLayout().rowRect(*chart.scene().rows().work(static_cast<int>(state.range(0)) / 2));
    PaintCounter frames;
    plot.installEventFilter(&frames);
    double x = 0;
    for (auto _ : state) {
        x = std::fmod(x + 37.3, row.width());
        const QPointF at(row.left() + x, row.center().y());
        QMouseEvent event(QEvent::MouseMove, at, plot.mapToGlobal(at), Qt::NoButton, Qt::NoButton, Qt::NoModifier);
        QApplication::sendEvent(&plot, &event);
        QCoreApplication::processEvents();
    }
    state.counters["frames/s"] = benchmark::Counter(frames.paints(), benchmark::Counter::kIsRate);
}

/// A front, and a million strategies under it, in as many parts as a search streams.
StrategySetPointer frontOfCloud()
{
    auto set = std::make_shared<StrategySet>();
    set->capacity = Bytes(80 * kGiB);
    set->rates.tokensPerStep = 3.1e6;
    for (int i = 0; i < 60; ++i) {
        StrategyPoint point;
        point.peak = Bytes((10 + i * 1.1) * kGiB);
        point.step = Seconds(3.1e6 / (330e3 - 250e3 * std::exp(-i / 12.0)));
        point.kind = StrategyPoint::Kind::Front;
        set->points.push_back(point);
    }
    return set;
}

StrategyCloudPointer millionStrategies()
{
    static StrategyCloudPointer made;
    if (made)
        return made;
    constexpr int kParts = 100;
    std::mt19937 random(5);
    std::uniform_real_distribution<float> uniform(0, 1);
    auto cloud = std::make_shared<StrategyCloud>();
    cloud->space = 33'000'000;
    cloud->strategyOf = [](std::uint32_t) { return SpaceCloud::Drawn(); };
    for (int part = 0; part < kParts; ++part) {
        auto points = std::make_shared<std::vector<CloudPoint>>();
        for (int i = 0; i < 1'000'000 / kParts; ++i) {
            const float gib = 10 + 90 * uniform(random);
            const float best = 330e3f - 250e3f * std::exp(-(gib - 10) / 13);
            points->push_back({3.1e6f / (best * (1 - 0.9f * uniform(random))), gib * float(kGiB),
                static_cast<std::uint32_t>(cloud->size + points->size()), 1024,
                static_cast<std::uint32_t>(Precision::Bf16), gib <= 80});
        }
        cloud->size += points->size();
        cloud->parts.push_back(std::move(points));
    }
    return made = cloud;
}

/// Zooms in and out by the wheel at the middle of the cloud, or moves the pointer over it.
void cloud(benchmark::State& state, bool hovers)
{
    ParetoChart chart;
    chart.setStrategies(frontOfCloud());
    chart.setCloud(millionStrategies());
    chart.resize(kWindow);
    chart.show();
    QCoreApplication::processEvents();
    QWidget& plot = plotOf(chart);
    PaintCounter frames;
    plot.installEventFilter(&frames);
    int turn = 0;
    for (auto _ : state) {
        const QPointF at(100 + turn * 37 % 1200, 60 + turn * 17 % 300);
        if (hovers) {
            QMouseEvent event(QEvent::MouseMove, at, plot.mapToGlobal(at), Qt::NoButton, Qt::NoButton, Qt::NoModifier);
            QApplication::sendEvent(&plot, &event);
        } else {
            const QPointF middle(plot.rect().center());
            QWheelEvent event(middle, plot.mapToGlobal(middle), QPoint(), QPoint(0, turn % 8 < 4 ? 60 : -60),
                Qt::NoButton, {}, Qt::NoScrollPhase, false);
            QApplication::sendEvent(&plot, &event);
        }
        QCoreApplication::processEvents();
        ++turn;
    }
    state.counters["strategies"] = static_cast<double>(millionStrategies()->size);
    state.counters["frames/s"] = benchmark::Counter(frames.paints(), benchmark::Counter::kIsRate);
}

/// The last of a hundred parts comes: what the GUI thread pays for it, the frame included.
void cloudGrows(benchmark::State& state)
{
    ParetoChart chart;
    chart.setStrategies(frontOfCloud());
    chart.resize(kWindow);
    chart.show();
    QCoreApplication::processEvents();
    auto almost = std::make_shared<StrategyCloud>(*millionStrategies());
    almost->size -= almost->parts.back()->size();
    almost->parts.pop_back();
    for (auto _ : state) {
        state.PauseTiming();
        chart.setCloud(almost);
        QCoreApplication::processEvents();
        state.ResumeTiming();
        chart.setCloud(millionStrategies());
        QCoreApplication::processEvents();
        state.PauseTiming();
        chart.setCloud(nullptr);
        state.ResumeTiming();
    }
}

} // namespace

BENCHMARK_CAPTURE(pan, whole_step, 1.0, false)->Arg(8)->Arg(64)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(pan, third_of_it, 0.33, false)->Arg(8)->Arg(64)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(pan, tenth_of_it, 0.1, false)->Arg(8)->Arg(64)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(pan, hundredth_of_it, 0.01, false)->Arg(8)->Arg(64)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(pan, thousandth_of_it, 0.001, false)->Arg(8)->Arg(64)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(pan, two_timelines, 1.0, true)->Arg(64)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(show)->Arg(64)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(arrive)->Arg(64)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(cloud, zoom, false)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(cloud, hover, true)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(cloudGrows)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(hover)->Arg(64)->Unit(benchmark::kMillisecond)->UseRealTime();

int main(int argc, char** argv)
{
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication app(argc, argv);
    applyTheme(app, ThemeKind::Light);
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv))
        return 1;
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
