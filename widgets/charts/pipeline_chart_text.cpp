// SPDX-License-Identifier: GPL-3.0-or-later
// What the pipeline chart says: tooltips, tables, the menu.
#include "widgets/charts/pipeline_chart.h"
#include "widgets/charts/qcp.h"
#include "widgets/presentation/gantt_text.h"
#include "widgets/presentation/text.h"
#include "widgets/style/icons.h"

#include <QMenu>
#include <algorithm>

namespace stratoplan {

namespace {
constexpr std::size_t kReadableRows = 20000; // of a table on the screen

QString nowrap(const QString& html)
{
    return QStringLiteral("<div style='white-space:nowrap'>%1</div>").arg(html);
}
} // namespace

void PipelineChart::extendMenu(QMenu& menu)
{
    const auto add = [&](const QString& text, const QKeySequence& keys, const auto& act) {
        QAction* action = menu.addAction(text);
        action->setShortcut(keys);
        action->setEnabled(!isEmpty());
        connect(action, &QAction::triggered, this, act);
        return action;
    };
    add(tr("Show the whole step"), QKeySequence(Qt::SHIFT | Qt::Key_F), [this] {
        fitAll();
    })->setIcon(icon(QStringLiteral("fit")));
    const bool all = !isEmpty()
        && std::find(m_arrangement.unfolded.begin(), m_arrangement.unfolded.end(), false)
            == m_arrangement.unfolded.end();
    add(all ? tr("Fold all stages") : tr("Unfold all stages"), QKeySequence(Qt::SHIFT | Qt::Key_E), [this, all] {
        setAllUnfolded(!all);
    })->setEnabled(!isEmpty() && m_arrangement.canUnfold());
    QAction* critical =
        add(tr("Critical path"), QKeySequence(Qt::Key_C), [this] { setCriticalPathShown(!m_criticalShown); });
    critical->setCheckable(true);
    critical->setChecked(m_criticalShown);
    if (m_area)
        add(tr("Sums of the area as table"), {},
            [this] { showTableOf(tr("Sums of the area"), areaTable(areaSums(index(), *m_area))); });
    if (m_difference)
        add(tr("Difference of the waits as table"), {}, [this] {
            showTableOf(tr("Waits compared"), differenceTable(*m_difference, m_steps[0].name, m_steps[1].name));
        });
    const QString own = isComparing() ? tr("Export trace of %1…").arg(m_steps[0].name) : tr("Export trace…");
    add(own, {}, [this] { Q_EMIT traceWanted(0); })->setIcon(icon(QStringLiteral("export")));
    if (isComparing())
        add(tr("Export trace of %1…").arg(m_steps[1].name), {}, [this] { Q_EMIT traceWanted(1); });
}

std::function<void()> PipelineChart::explanationAt(QPointF at)
{
    const auto ref = markAt(at);
    if (!ref)
        return nullptr;
    return [this, ref] {
        if (m_selected == ref)
            m_selected.reset(); // tells of it again
        select(ref);
    };
}

std::optional<QPointF> PipelineChart::pointedAt() const
{
    const auto pointed = m_selected ? m_selected : m_hover;
    return pointed ? std::optional(sliceRect(*pointed).center()) : std::nullopt;
}

// Slices and waits by stage and start; of an area only what it touches.
ChartTable PipelineChart::rowsWithin(std::optional<GanttArea> area) const
{
    ChartTable result;
    result.columns = {tr("Stage"), tr("Kind"), tr("Micro-batch"), tr("Chunk"), tr("Start, s"), tr("Duration, s")};
    if (isComparing())
        result.columns.prepend(tr("Schedule"));
    const auto inside = [&](int stage, double from, double to) {
        return !area
            || (stage >= area->firstStage && stage <= area->lastStage && from < area->time.high && to > area->time.low);
    };
    const auto add = [&](int timeline, QStringList cells) {
        if (isComparing())
            cells.prepend(m_steps[static_cast<std::size_t>(timeline)].name);
        result.rows << cells;
    };
    for (int timeline = 0; timeline < timelines(); ++timeline) {
        const Timeline& t = index(timeline).timeline();
        auto wait = t.waits.begin();
        const auto addWaitsBefore = [&](int stage, double start) {
            for (; wait != t.waits.end()
                 && (wait->stage < stage || (wait->stage == stage && wait->start.value() <= start));
                 ++wait) {
                if (inside(wait->stage, wait->start.value(), (wait->start + wait->duration).value()))
                    add(timeline,
                        {QString::number(wait->stage), nameOf(wait->cause), QString(), QString(),
                            cell(wait->start.value()), cell(wait->duration.value())});
            }
        };
        for (const Slice& s : t.slices) {
            addWaitsBefore(s.stage, s.start);
            if (inside(s.stage, s.start, static_cast<double>(s.start) + s.duration))
                add(timeline,
                    {QString::number(s.stage), nameOf(s.kind),
                        s.microBatch >= 0 ? QString::number(s.microBatch) : QString(),
                        s.microBatch >= 0 ? QString::number(s.chunk + 1) : QString(), cell(s.start), cell(s.duration)});
        }
        addWaitsBefore(t.stages, 0);
    }
    return result;
}

ChartTable PipelineChart::table() const
{
    return rowsWithin(std::nullopt);
}

// Of a long step: the area that is selected, or what is visible of it.
std::pair<QString, ChartTable> PipelineChart::readableTable() const
{
    if (m_area)
        return {tr("Pipeline, the area selected"), rowsWithin(m_area)};
    std::size_t rows = 0;
    for (int timeline = 0; timeline < timelines(); ++timeline)
        rows += index(timeline).timeline().slices.size() + index(timeline).timeline().waits.size();
    if (rows <= kReadableRows)
        return {title(), table()};
    ChartTable visible = rowsWithin(GanttArea{shownX(), 0, m_arrangement.stages - 1});
    if (visible.rows.size() > static_cast<qsizetype>(kReadableRows))
        visible.rows.resize(static_cast<qsizetype>(kReadableRows));
    return {tr("Pipeline, what is visible of it (%1 of %2 rows)").arg(visible.rows.size()).arg(rows), visible};
}

QString PipelineChart::description() const
{
    if (isEmpty())
        return emptyText();
    if (m_difference)
        return tr("%1; compared with %2: %3.").arg(m_steps[0].step->summary, m_steps[1].name, note());
    return tr("%1; %2.").arg(m_steps[0].step->summary, extentText());
}

QString PipelineChart::extentText() const
{
    return tr("step %1").arg(text(index().timeline().step));
}

QString PipelineChart::toolTipOf(GanttRef ref) const
{
    if (ref.isWait)
        return toolTipOf(waitOf(ref), ref.timeline);
    const GanttIndex& shown = index(ref.timeline);
    const Slice& s = sliceOf(ref);
    QString lines = QStringLiteral("<b>%1</b>").arg(titleOf(s, shown.timeline()));
    if (isComparing())
        lines += QStringLiteral(" · %1").arg(m_steps[static_cast<std::size_t>(ref.timeline)].name);
    lines += QStringLiteral("<br>") + tr("%1 long, from %2").arg(text(Seconds(s.duration)), text(Seconds(s.start)));
    if (shown.isCritical(ref.slice))
        lines += QStringLiteral("<br>") + tr("on the critical path");
    for (const Wait& wait : shown.waitsBefore(s))
        lines += QStringLiteral("<br>") + tr("before it %1 idle: %2").arg(text(wait.duration), causeText(wait.cause));
    return nowrap(lines);
}

QString PipelineChart::toolTipOf(const Wait& wait, int timeline) const
{
    const GanttIndex& shown = index(timeline);
    QString lines = tr("<b>stage %1 idle for %2</b>").arg(wait.stage).arg(text(wait.duration));
    if (isComparing())
        lines += QStringLiteral(" · %1").arg(m_steps[static_cast<std::size_t>(timeline)].name);
    lines += QStringLiteral("<br>%1").arg(causeText(wait.cause));
    if (const auto ender = shown.enderOf(wait))
        lines += QStringLiteral("<br>") + tr("ended by %1").arg(titleOf(shown.slice(*ender), shown.timeline()));
    return nowrap(lines);
}

QString PipelineChart::rowToolTip(const GanttRow& row, double seconds) const
{
    const GanttStep& step = *m_steps[static_cast<std::size_t>(row.timeline)].step;
    if (row.kind == GanttRow::Kind::Memory) {
        const MemoryTimeline* memory = step.memory();
        if (!memory || seconds < 0 || seconds > memory->makespan.value())
            return {};
        const MemoryPeak& peak = memory->stages[static_cast<std::size_t>(row.stage)].peak;
        return nowrap(
            tr("<b>stage %1 holds %2</b> at %3<br>most: %4, %5")
                .arg(row.stage)
                .arg(text(heldAt(*memory, row.stage, Seconds(seconds))), text(Seconds(seconds)), text(peak.bytes),
                    QString::fromStdString(describeMoment(peak, step.index.timeline().chunks))));
    }
    const Wait* wait = row.isWork() ? step.index.waitAt(row.stage, seconds) : nullptr;
    return wait ? toolTipOf(*wait, row.timeline) : QString();
}

QString PipelineChart::toolTipAt(QPointF at) const
{
    if (isEmpty())
        return {};
    if (at.x() < plot().axisRect()->left()) {
        const int stage = stageAt(at.y());
        if (stage < 0 || !m_arrangement.canUnfold())
            return {};
        return nowrap(isUnfolded(stage)
                ? tr("Click to fold stage %1 (E)").arg(stage)
                : tr("Click to unfold the communication and memory of stage %1 (E)").arg(stage));
    }
    if (const auto ref = refAt(at))
        return toolTipOf(*ref);
    const GanttRow* row = inPlot(at) ? rowAt(at.y()) : nullptr;
    return row ? rowToolTip(*row, plot().xAxis->pixelToCoord(at.x())) : QString();
}

} // namespace stratoplan
