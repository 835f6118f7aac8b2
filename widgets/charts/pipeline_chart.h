// SPDX-License-Identifier: GPL-3.0-or-later
// The pipeline in time, as trace viewers show it: one lane of work per stage, with what it waits for where it is empty;
// communication and memory under it, folded into a strip until the stage is unfolded; and a second timeline on the same
// axis to compare with. Wheel zooms in time at the pointer, with Ctrl in stages; dragging selects an area, with Shift
// it moves the view, with Ctrl it measures; W S A D . , [ F M E and Esc as in trace viewers.
//
// The widget hands events on and paints what comes of them. What is shown is a GanttScene, where it stands a
// GanttLayout, what is marked a GanttSelection: all three work without a window.
#pragma once

#include "core/estimate/memory_timeline.h"
#include "core/pipeline/pipeline.h"
#include "widgets/charts/chart_view.h"
#include "widgets/charts/pipeline_lanes.h"
#include "widgets/charts/pipeline_marks.h"
#include "widgets/charts/pipeline_menu.h"
#include "widgets/presentation/gantt_scene_text.h"

#include <optional>

class QToolButton;

namespace stratoplan::widgets {

class ComparisonButton;
class ScheduleStrip;

class PipelineChart : public ChartView {
    Q_OBJECT
public:
    explicit PipelineChart(QWidget* parent = nullptr);

    /// One step; what its stages hold meanwhile, where it is known, and what they may hold. Ends a comparison.
    void setStep(const GanttStepPointer& step, Bytes capacity = {});
    /// The same, made ready here and now.
    void setTimeline(
        pipeline::Timeline timeline, std::optional<estimate::MemoryTimeline> memory = {}, Bytes capacity = {})
    {
        setStep(ganttStep(std::move(timeline), std::move(memory), capacity), capacity);
    }
    /// Nothing to show, and why not.
    void clear(const QString& why = {});
    /// A second step under the first, stage by stage. Names are short: "1F1B"; that of its rows is `rowName`, where it
    /// has another.
    void setComparison(
        const QString& ownName, const QString& name, const GanttStepPointer& step, const QString& rowName = {});
    void clearComparison();
    /// What may be compared with, and which of it is: -1 none. Without any there is no button.
    void setComparisonChoices(const QStringList& names, int chosen);
    /// The file that a schedule is read from, and what is to be said of it; `wrong`: it cannot be shown, and why. Stays
    /// until it is cleared, whatever is shown.
    void setScheduleFile(const QString& name, const QString& said, bool wrong);
    void clearScheduleFile();

    [[nodiscard]] const GanttScene& scene() const { return m_scene; }
    /// As it is visible now; of the scene, which it refers to.
    [[nodiscard]] GanttLayout ganttLayout() const;
    void setUnfolded(int stage, bool unfolded);
    void setAllUnfolded(bool unfolded);
    /// The slices that the length of the step hangs on, joined by a line.
    [[nodiscard]] bool isCriticalPathShown() const { return m_criticalShown; }
    void setCriticalPathShown(bool shown);

    [[nodiscard]] PipelineMarks& marks() const { return *m_marks; }
    [[nodiscard]] const GanttSelection& selection() const { return m_marks->all(); }

    /// What is visible, in seconds.
    void showTime(Interval time);
    [[nodiscard]] int topStage() const; ///< of those visible; -1: none
    /// Rectangles and numbers drawn by the last paint: what the cost of a frame is made of.
    [[nodiscard]] int drawnMarks() const { return m_lanes.painter().marks(); }
    [[nodiscard]] int drawnLabels() const { return m_lanes.painter().labels(); }

    [[nodiscard]] ChartTable table() const override { return ganttTable(m_scene); }
    [[nodiscard]] std::pair<QString, ChartTable> readableTable() const override;
    [[nodiscard]] QString description() const override { return isEmpty() ? emptyText() : describe(m_scene); }
    [[nodiscard]] QString toolTipAt(QPointF at) const override { return tipAt(ganttLayout(), at); }

public Q_SLOTS:
    /// The start of the step, as far as it is legible.
    void fit() override;
    void fitAll();

Q_SIGNALS:
    /// `timeline`: 0, or 1 for the one compared with.
    void sliceSelected(const pipeline::Slice& slice, int timeline);
    void waitSelected(const pipeline::Wait& wait, int timeline);
    void areaSelected(const widgets::AreaSums& sums);
    void selectionCleared();
    /// One of the choices, or -1: nothing.
    void comparisonWanted(int choice);
    /// A step is wanted as a trace file; `timeline` as in sliceSelected().
    void traceWanted(int timeline);
    /// A schedule is to be read from a file; the one there is, anew; and it is not wanted any more.
    void scheduleFileWanted();
    void scheduleFileReloadWanted();
    void scheduleFileCloseWanted();

protected:
    void fitView() override;
    void restyle() override;
    void pointerMoved(QPointF at) override;
    void pointerLeft() override { m_marks->hover(std::nullopt); }
    void pointerClicked(QPointF at) override;
    bool pointerDoubleClicked(QPointF at) override;
    bool takesDrag(QPointF at, Qt::KeyboardModifiers modifiers) override
    {
        return m_marks->press(ganttLayout(), at, modifiers);
    }
    void pointerDragged(QPointF to) override { m_marks->drag(ganttLayout(), to); }
    void dragEnded() override { m_marks->release(); }
    void extendMenu(QMenu& menu) override { addPipelineActions(menu, *this); }
    bool keyPressed(QKeyEvent& event) override;
    std::function<void()> explanationAt(QPointF at) override;
    std::optional<QPointF> pointedAt() const override;

private:
    struct RowView {
        double height = 0; ///< of all rows
        Interval shown;
    };

    void makeHeader();
    void makeMarks();
    void addPainters();
    void sceneChanged(bool keepsView, double heightBefore);
    void relayout();
    [[nodiscard]] Interval rowsShown(std::optional<int> stage = {}) const;
    [[nodiscard]] PipelineFrame frame(QPainter& painter) const { return {painter, ganttLayout(), look(), plotFont()}; }

    GanttScene m_scene;
    PipelineMarks* m_marks = nullptr;
    PipelineLanes m_lanes;
    RowView m_rowsBefore; ///< of the timeline before
    ScheduleStrip* m_strip = nullptr;
    ComparisonButton* m_compareButton = nullptr;
    QToolButton* m_foldButton = nullptr;
    bool m_wholeShown = false;
    bool m_criticalShown = true;
};

} // namespace stratoplan::widgets
