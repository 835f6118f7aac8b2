// SPDX-License-Identifier: GPL-3.0-or-later
// Writes a picture of every chart in many situations to the folder given: to look at, not to compare.
// usage: QT_QPA_PLATFORM=offscreen [QT_SCALE_FACTOR=2] gallery FOLDER
#include "tests/widgets/charts/fixtures.h"
#include "widgets/charts/breakdown_chart.h"
#include "widgets/charts/memory_chart.h"
#include "widgets/charts/pareto_chart.h"
#include "widgets/charts/pipeline_chart.h"
#include "widgets/style/theme.h"

#include <QApplication>
#include <QDir>
#include <QSplitter>
#include <cstdio>
#include <limits>

using namespace stratoplan::estimate;
using namespace stratoplan::model;
using namespace stratoplan::parallel;
using namespace stratoplan::pipeline;
using namespace stratoplan::units;
using namespace stratoplan::widgets;
using namespace stratoplan::test;

namespace {

class Gallery {
public:
    Gallery(QApplication& app, QString folder)
        : m_app(app)
        , m_folder(std::move(folder))
    {
        QDir().mkpath(m_folder);
    }

    void shoot(QWidget& widget, QSize size, const QString& name)
    {
        for (const ThemeKind kind : {ThemeKind::Light, ThemeKind::Dark, ThemeKind::HighContrast}) {
            applyTheme(m_app, kind);
            widget.resize(size);
            widget.show();
            for (int i = 0; i < 3; ++i)
                QCoreApplication::processEvents();
            const char* theme = kind == ThemeKind::Light ? "light" : kind == ThemeKind::Dark ? "dark" : "contrast";
            const QString path = QStringLiteral("%1/%2-%3.png").arg(m_folder, name, QString::fromLatin1(theme));
            if (!widget.grab().save(path))
                std::fprintf(stderr, "could not write %s\n", qPrintable(path));
        }
        widget.hide();
    }

private:
    QApplication& m_app;
    QString m_folder;
};

void screen(Gallery& gallery)
{
    const Estimate e = sampleEstimate();
    QSplitter columns(Qt::Vertical);
    auto* row = new QSplitter(Qt::Horizontal);
    auto* breakdown = new BreakdownChart;
    auto* memory = new MemoryChart;
    auto* pareto = new ParetoChart;
    auto* pipeline = new PipelineChart;
    for (QWidget* w : {static_cast<QWidget*>(breakdown), static_cast<QWidget*>(memory), static_cast<QWidget*>(pareto)})
        row->addWidget(w);
    columns.addWidget(row);
    columns.addWidget(pipeline);
    breakdown->setEstimate(e);
    memory->setEstimate(e);
    pareto->setStrategies(sharedStrategies());
    pareto->setCurrent(e, Precision::Bf16);
    pipeline->setTimeline(simulate(e.pipeline));
    columns.setSizes({340, 320});
    gallery.shoot(columns, QSize(890, 690), QStringLiteral("screen"));
}

void breakdowns(Gallery& gallery)
{
    BreakdownChart chart;
    chart.setEstimate(sampleEstimate(1));
    gallery.shoot(chart, QSize(300, 240), QStringLiteral("breakdown-1-small"));
    chart.setEstimate(sampleEstimate(64));
    gallery.shoot(chart, QSize(460, 380), QStringLiteral("breakdown-64"));
    Estimate uneven = sampleEstimate(64);
    for (std::size_t i = 0; i < uneven.stages.size(); ++i) {
        const Seconds shift = uneven.stages[i].bubble * (static_cast<double>(i) / 64);
        uneven.stages[i].bubble -= shift;
        uneven.stages[i].forward += shift;
        uneven.stages[i].exposed.tp += Seconds(0.06 * static_cast<double>(i));
        uneven.stages[i].forward -= Seconds(0.06 * static_cast<double>(i)) * 0.5;
        uneven.stages[i].backward -= Seconds(0.06 * static_cast<double>(i)) * 0.5;
    }
    chart.setEstimate(uneven);
    chart.setShare(true);
    gallery.shoot(chart, QSize(620, 420), QStringLiteral("breakdown-64-uneven-share"));
    Estimate broken = sampleEstimate();
    broken.breakdown.bubble = Seconds(std::numeric_limits<double>::quiet_NaN());
    chart.setEstimate(broken);
    gallery.shoot(chart, QSize(300, 240), QStringLiteral("breakdown-empty"));
}

void memories(Gallery& gallery)
{
    MemoryChart chart;
    chart.setEstimate(sampleEstimate(64));
    gallery.shoot(chart, QSize(300, 300), QStringLiteral("memory-64"));
    chart.setEstimate(sampleEstimate(1));
    gallery.shoot(chart, QSize(240, 240), QStringLiteral("memory-1"));
    Estimate over = sampleEstimate();
    for (StageMemory& m : over.memory.stages)
        m.activations *= 1.6;
    chart.setEstimate(over);
    gallery.shoot(chart, QSize(300, 300), QStringLiteral("memory-over"));
    Estimate close = sampleEstimate();
    for (StageMemory& m : close.memory.stages)
        m.activations *= 1.28;
    chart.setEstimate(close);
    gallery.shoot(chart, QSize(300, 300), QStringLiteral("memory-close"));
    const auto overTime = [&](const Estimate& e, QSize size, const QString& name) {
        chart.setEstimate(e);
        chart.setTimeline(memoryTimeline(e.memory, simulate(e.pipeline)), e.pipeline.chunks);
        chart.setOverTime(true);
        gallery.shoot(chart, size, name);
    };
    overTime(sampleEstimate(), QSize(640, 340), QStringLiteral("memory-time"));
    overTime(sampleEstimate(), QSize(300, 300), QStringLiteral("memory-time-small"));
    Estimate many = sampleEstimate(64);
    many.pipeline.microBatches = 128;
    overTime(many, QSize(640, 340), QStringLiteral("memory-time-64"));
    Estimate few = sampleEstimate(4);
    few.pipeline.schedule = Schedule::OneFOneB;
    few.pipeline.chunks = 1;
    few.pipeline.microBatches = 8;
    overTime(few, QSize(640, 340), QStringLiteral("memory-time-few"));
}

void paretos(Gallery& gallery)
{
    ParetoChart chart;
    gallery.shoot(chart, QSize(300, 300), QStringLiteral("pareto-empty"));
    chart.setStrategies(sharedStrategies(60));
    chart.setCurrent(sampleEstimate(), Precision::Bf16);
    gallery.shoot(chart, QSize(300, 300), QStringLiteral("pareto-few"));
    chart.setStrategies(sharedStrategies(100000));
    gallery.shoot(chart, QSize(620, 460), QStringLiteral("pareto-100k"));
}

void pipelines(Gallery& gallery)
{
    PipelineChart chart;
    Estimate e = sampleEstimate();
    chart.setTimeline(simulate(e.pipeline));
    chart.resize(890, 330);
    chart.show();
    chart.fitAll();
    gallery.shoot(chart, QSize(890, 330), QStringLiteral("pipeline-all"));
    e.pipeline.schedule = Schedule::OneFOneB;
    e.pipeline.chunks = 1;
    e.pipeline.microBatches = 12;
    chart.setTimeline(simulate(e.pipeline));
    chart.marks().select(GanttRef{0, 50});
    gallery.shoot(chart, QSize(890, 330), QStringLiteral("pipeline-1f1b-12"));
    e.pipeline.schedule = Schedule::GPipe;
    chart.setTimeline(simulate(e.pipeline));
    gallery.shoot(chart, QSize(560, 260), QStringLiteral("pipeline-gpipe"));
    Estimate deep = sampleEstimate(64);
    deep.pipeline.schedule = Schedule::OneFOneB;
    deep.pipeline.chunks = 1;
    deep.pipeline.microBatches = 256;
    chart.setTimeline(simulate(deep.pipeline));
    gallery.shoot(chart, QSize(890, 330), QStringLiteral("pipeline-64"));
    Estimate one = sampleEstimate(1);
    one.pipeline.schedule = Schedule::OneFOneB;
    one.pipeline.chunks = 1;
    chart.setTimeline(simulate(one.pipeline));
    gallery.shoot(chart, QSize(560, 160), QStringLiteral("pipeline-1"));
}

// Two timelines, lanes unfolded, an area: what a person can make of the chart.
void pipelineWork(Gallery& gallery)
{
    PipelineChart chart;
    Estimate e = sampleEstimate();
    e.pipeline.schedule = Schedule::OneFOneB;
    e.pipeline.chunks = 1;
    e.pipeline.microBatches = 16;
    for (StageWork& stage : e.pipeline.stages)
        stage.weightGradient = 0.4 * stage.backward;
    const Timeline plain = simulate(e.pipeline);
    const MemoryTimeline memory = memoryTimeline(e.memory, plain);
    chart.setTimeline(plain, memory, e.memory.capacity);
    chart.resize(890, 430);
    chart.show();
    chart.setUnfolded(1, true);
    chart.setUnfolded(2, true);
    chart.marks().select(GanttRef{0, chart.scene().index().lane(2, LaneKind::Work).slice[9]});
    gallery.shoot(chart, QSize(890, 430), QStringLiteral("pipeline-unfolded"));
    chart.setAllUnfolded(false);
    chart.marks().selectArea({{0.4, 0.9}, 2, 5});
    gallery.shoot(chart, QSize(890, 330), QStringLiteral("pipeline-area"));
    e.pipeline.schedule = Schedule::ZbH1;
    chart.setComparison(QStringLiteral("1F1B"), QStringLiteral("ZB-H1"), ganttStep(simulate(e.pipeline)));
    gallery.shoot(chart, QSize(890, 460), QStringLiteral("pipeline-compared"));
    for (const auto& [schedule, name] : {std::pair(Schedule::ZbV, "zbv"), {Schedule::DualPipe, "dualpipe"}}) {
        e.pipeline.schedule = schedule;
        e.pipeline.chunks = 2;
        chart.setTimeline(simulate(e.pipeline));
        chart.fitAll();
        gallery.shoot(chart, QSize(1000, 330), QStringLiteral("pipeline-") + QString::fromLatin1(name));
    }
}

} // namespace

int main(int argc, char** argv)
{
    QApplication app(argc, argv);
    applyTheme(app, ThemeKind::Light);
    Gallery gallery(app, argc > 1 ? QString::fromLocal8Bit(argv[1]) : QStringLiteral("gallery"));
    screen(gallery);
    breakdowns(gallery);
    memories(gallery);
    paretos(gallery);
    pipelines(gallery);
    pipelineWork(gallery);
    return 0;
}
