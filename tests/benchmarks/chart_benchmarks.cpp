// SPDX-License-Identifier: GPL-3.0-or-later
// Frames per second of the pipeline chart on a million slices, painted in software: from an event of the wheel to the pixels
// of the window. QT_QPA_PLATFORM=offscreen build/release/bin/stratoplan-chart-benchmarks
#include "core/pipeline/pipeline.h"
#include "widgets/charts/pipeline_chart.h"
#include "widgets/style/theme.h"

#include <benchmark/benchmark.h>

#include <QApplication>
#include <QWheelEvent>

#include <cmath>
#include <map>
#include <utility>

using namespace stratoplan;

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

QWidget& plotOf(const PipelineChart& chart)
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
        QWheelEvent event(middle, plot.mapToGlobal(middle), QPoint(), QPoint(0, static_cast<int>(120 * steps)), Qt::NoButton, modifiers, Qt::NoScrollPhase, false);
        QApplication::sendEvent(&plot, &event);
        QCoreApplication::processEvents();
    };
    while (chart.visibleTime().length() > share * chart.index().whole().high)
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

/// The same made ready by a worker: what the GUI thread pays when it arrives, the first frame and the end of the one before included.
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
    const QRectF row = chart.rowRect(*chart.rows().work(static_cast<int>(state.range(0)) / 2));
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

} // namespace

BENCHMARK_CAPTURE(pan, whole_step, 1.0, false)->Arg(8)->Arg(64)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(pan, third_of_it, 0.33, false)->Arg(8)->Arg(64)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(pan, tenth_of_it, 0.1, false)->Arg(8)->Arg(64)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(pan, hundredth_of_it, 0.01, false)->Arg(8)->Arg(64)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(pan, thousandth_of_it, 0.001, false)->Arg(8)->Arg(64)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(pan, two_timelines, 1.0, true)->Arg(64)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(show)->Arg(64)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(arrive)->Arg(64)->Unit(benchmark::kMillisecond)->UseRealTime();
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
