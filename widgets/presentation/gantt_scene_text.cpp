// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/presentation/gantt_scene_text.h"

#include "core/narration/estimates.h"
#include "widgets/presentation/gantt_text.h"
#include "widgets/presentation/text.h"
#include "widgets/presentation/translate.h"

#include <algorithm>

namespace stratoplan::widgets {

namespace {
constexpr std::size_t kReadableRows = 20000; // of a table on the screen

QString nowrap(const QString& html)
{
    return QStringLiteral("<div style='white-space:nowrap'>%1</div>").arg(html);
}

QString extentText(const GanttScene& scene)
{
    return tr("step %1").arg(text(scene.index().timeline().step));
}

/// Behind a title: whose it is, where there are two.
QString ofTimeline(const GanttScene& scene, int timeline)
{
    return scene.isComparing() ? QStringLiteral(" · %1").arg(scene.shown(timeline).name) : QString();
}

QString sliceTip(const GanttScene& scene, GanttRef ref)
{
    const GanttIndex& shown = scene.index(ref.timeline);
    const pipeline::Slice& s = scene.sliceOf(ref);
    QString lines = QStringLiteral("<b>%1</b>").arg(titleOf(s, shown.timeline())) + ofTimeline(scene, ref.timeline);
    lines += QStringLiteral("<br>") + tr("%1 long, from %2").arg(text(Seconds(s.duration)), text(Seconds(s.start)));
    if (shown.isCritical(ref.slice))
        lines += QStringLiteral("<br>") + tr("on the critical path");
    for (const pipeline::Wait& wait : shown.waitsBefore(s))
        lines += QStringLiteral("<br>") + tr("before it %1 idle: %2").arg(text(wait.duration), causeText(wait.cause));
    return nowrap(lines);
}

QString waitTip(const GanttScene& scene, const pipeline::Wait& wait, int timeline)
{
    const GanttIndex& shown = scene.index(timeline);
    QString lines = tr("<b>stage %1 idle for %2</b>").arg(wait.stage).arg(text(wait.duration));
    lines += ofTimeline(scene, timeline) + QStringLiteral("<br>%1").arg(causeText(wait.cause));
    if (const auto ender = shown.enderOf(wait))
        lines += QStringLiteral("<br>") + tr("ended by %1").arg(titleOf(shown.slice(*ender), shown.timeline()));
    return nowrap(lines);
}

QString memoryTip(const GanttStep& step, int stage, double seconds)
{
    const estimate::MemoryTimeline* memory = step.memory();
    if (!memory || seconds < 0 || seconds > memory->makespan.value())
        return {};
    const estimate::MemoryPeak& peak = memory->stages[static_cast<std::size_t>(stage)].peak;
    return nowrap(tr("<b>stage %1 holds %2</b> at %3<br>most: %4, %5")
                      .arg(stage)
                      .arg(text(heldAt(*memory, stage, Seconds(seconds))), text(Seconds(seconds)), text(peak.bytes),
                          QString::fromStdString(narration::describeMoment(peak, step.index.timeline().chunks))));
}

QString foldTip(const GanttScene& scene, int stage)
{
    if (stage < 0 || !scene.arrangement().canUnfold())
        return {};
    return nowrap(scene.arrangement().isUnfolded(stage)
            ? tr("Click to fold stage %1 (E)").arg(stage)
            : tr("Click to unfold the communication and memory of stage %1 (E)").arg(stage));
}

/// Rows of a table, slices of each stage with the waits between them.
class TableRows {
public:
    TableRows(const GanttScene& scene, const std::optional<GanttArea>& area)
        : m_scene(scene)
        , m_area(area)
    {
    }

    QList<QStringList> take(int timeline)
    {
        m_timeline = timeline;
        const pipeline::Timeline& t = m_scene.index(timeline).timeline();
        m_wait = t.waits.begin();
        for (const pipeline::Slice& s : t.slices) {
            addWaitsBefore(s.stage, s.start);
            if (!isInside(s.stage, s.start, static_cast<double>(s.start) + s.duration))
                continue;
            const bool numbered = s.microBatch >= 0;
            add({QString::number(s.stage), nameOf(s.kind), numbered ? QString::number(s.microBatch) : QString(),
                numbered ? QString::number(s.chunk + 1) : QString(), cell(s.start), cell(s.duration)});
        }
        addWaitsBefore(t.stages, 0);
        return std::exchange(m_rows, {});
    }

private:
    void addWaitsBefore(int stage, double start)
    {
        const std::vector<pipeline::Wait>& waits = m_scene.index(m_timeline).timeline().waits;
        for (; m_wait != waits.end()
             && (m_wait->stage < stage || (m_wait->stage == stage && m_wait->start.value() <= start));
             ++m_wait) {
            if (isInside(m_wait->stage, m_wait->start.value(), (m_wait->start + m_wait->duration).value()))
                add({QString::number(m_wait->stage), nameOf(m_wait->cause), QString(), QString(),
                    cell(m_wait->start.value()), cell(m_wait->duration.value())});
        }
    }

    [[nodiscard]] bool isInside(int stage, double from, double to) const
    {
        return !m_area
            || (stage >= m_area->firstStage && stage <= m_area->lastStage && from < m_area->time.high
                && to > m_area->time.low);
    }

    void add(QStringList cells)
    {
        if (m_scene.isComparing())
            cells.prepend(m_scene.shown(m_timeline).name);
        m_rows << cells;
    }

    const GanttScene& m_scene;
    const std::optional<GanttArea>& m_area;
    int m_timeline = 0;
    std::vector<pipeline::Wait>::const_iterator m_wait;
    QList<QStringList> m_rows;
};

} // namespace

QString rowName(const GanttScene& scene, const GanttRow& row)
{
    if (row.kind == GanttRow::Kind::Memory)
        return tr("memory");
    if (!row.isWork())
        return nameOf(row.lane);
    if (row.timeline != 0)
        return scene.shown(row.timeline).rowName;
    QString name = tr("stage %1").arg(row.stage);
    if (scene.arrangement().canUnfold()) // behind the name, where all of them are one below the other
        name += scene.arrangement().isUnfolded(row.stage) ? QStringLiteral(" ▾") : QStringLiteral(" ▸");
    return name;
}

std::vector<LegendEntry> legendOf(const GanttScene& scene)
{
    std::vector<LegendEntry> entries = scene.step(0).legend;
    for (const LegendEntry& entry : scene.step(1).legend) {
        if (std::find(entries.begin(), entries.end(), entry) == entries.end())
            entries.push_back(entry);
    }
    if (!scene.index().criticalPath().empty())
        entries.push_back({tr("critical path"), Mark::Activations, Pattern::Solid, LegendEntry::Shape::Line});
    return entries;
}

QString noteOf(const GanttScene& scene)
{
    if (!scene.isComparing())
        return QStringLiteral("%1 · %2").arg(extentText(scene), scene.step().summary);
    const WaitDifference& d = *scene.difference();
    return tr("%1 %2 · %3 %4 (%5) · waits of all stages %6")
        .arg(scene.shown(0).name, text(d.firstStep), scene.shown(1).name, text(d.secondStep),
            shareChangeText(d.firstStep, d.secondStep), changeText(d.first, d.second));
}

QString describe(const GanttScene& scene)
{
    if (scene.isComparing())
        return tr("%1; compared with %2: %3.").arg(scene.step().summary, scene.shown(1).name, noteOf(scene));
    return tr("%1; %2.").arg(scene.step().summary, extentText(scene));
}

QString tipOf(const GanttScene& scene, GanttRef ref)
{
    return ref.isWait ? waitTip(scene, scene.waitOf(ref), ref.timeline) : sliceTip(scene, ref);
}

QString tipAt(const GanttLayout& layout, QPointF at)
{
    const GanttScene& scene = layout.scene();
    if (layout.isBesidePlot(at))
        return foldTip(scene, layout.stageAt(at.y()));
    if (const auto ref = layout.markAt(at))
        return tipOf(scene, *ref);
    const GanttRow* row = layout.isInPlot(at) ? layout.rowAt(at.y()) : nullptr;
    return row && row->kind == GanttRow::Kind::Memory
        ? memoryTip(scene.step(row->timeline), row->stage, layout.view().secondsAt(at.x()))
        : QString();
}

ChartTable ganttTable(const GanttScene& scene, const std::optional<GanttArea>& area)
{
    ChartTable result;
    result.columns = {tr("Stage"), tr("Kind"), tr("Micro-batch"), tr("Chunk"), tr("Start, s"), tr("Duration, s")};
    if (scene.isComparing())
        result.columns.prepend(tr("Schedule"));
    TableRows rows(scene, area);
    for (int timeline = 0; timeline < scene.timelines(); ++timeline)
        result.rows << rows.take(timeline);
    return result;
}

std::optional<std::pair<QString, ChartTable>> readablePart(
    const GanttScene& scene, const std::optional<GanttArea>& selected, Interval visible)
{
    if (selected)
        return std::pair(tr("Pipeline, the area selected"), ganttTable(scene, selected));
    std::size_t rows = 0;
    for (int timeline = 0; timeline < scene.timelines(); ++timeline)
        rows += scene.index(timeline).timeline().slices.size() + scene.index(timeline).timeline().waits.size();
    if (rows <= kReadableRows)
        return std::nullopt;
    ChartTable part = ganttTable(scene, GanttArea{visible, 0, scene.arrangement().stages - 1});
    part.rows.resize(std::min(part.rows.size(), static_cast<qsizetype>(kReadableRows)));
    return std::pair(tr("Pipeline, what is visible of it (%1 of %2 rows)").arg(part.rows.size()).arg(rows), part);
}

} // namespace stratoplan::widgets
