// SPDX-License-Identifier: GPL-3.0-or-later
// The pipeline in time, as trace viewers show it: one lane of work per stage, with what it waits for where it is empty;
// communication and memory under it, folded into a strip until the stage is unfolded; and a second timeline on the same
// axis to compare with. Wheel zooms in time at the pointer, with Ctrl in stages; dragging selects an area, with Shift
// it moves the view, with Ctrl it measures; W S A D . , [ F M E and Esc as in trace viewers.
#pragma once

#include "core/estimate/memory_timeline.h"
#include "core/pipeline/pipeline.h"
#include "widgets/charts/chart_view.h"
#include "widgets/charts/gantt_painter.h"
#include "widgets/presentation/gantt.h"
#include "widgets/presentation/gantt_rows.h"
#include "widgets/presentation/gantt_step.h"

#include <array>
#include <optional>

class QToolButton;

namespace stratoplan {

class ScheduleStrip;

/// A slice or a wait of the timeline shown, or of the one it is compared with.
struct GanttRef {
    int timeline = 0;
    std::uint32_t slice = 0; ///< index into Timeline::slices, or into Timeline::waits
    bool isWait = false;
    bool operator==(const GanttRef&) const = default;
};

inline constexpr double kShortestView = 1e-6; ///< of the makespan: as far as one can zoom in

class PipelineChart : public ChartView {
    Q_OBJECT
public:
    explicit PipelineChart(QWidget* parent = nullptr);

    /// One step; what its stages hold meanwhile, where it is known, and what they may hold. Ends a comparison.
    void setStep(const GanttStepPointer& step, Bytes capacity = {});
    /// The same, made ready here and now.
    void setTimeline(Timeline timeline, std::optional<MemoryTimeline> memory = {}, Bytes capacity = {});
    /// Nothing to show, and why not.
    void clear(const QString& why = {});
    /// A second step under the first, stage by stage. Names are short: "1F1B"; that of its rows is `rowName`, where it
    /// has another.
    void setComparison(
        const QString& ownName, const QString& name, const GanttStepPointer& step, const QString& rowName = {});
    void clearComparison();
    [[nodiscard]] bool isComparing() const { return m_difference.has_value(); }
    [[nodiscard]] const std::optional<WaitDifference>& difference() const { return m_difference; }
    /// What may be compared with, and which of it is: -1 none. Without any there is no button.
    void setComparisonChoices(const QStringList& names, int chosen);
    /// The file that a schedule is read from, and what is to be said of it; `wrong`: it cannot be shown, and why. Stays
    /// until it is cleared, whatever is shown.
    void setScheduleFile(const QString& name, const QString& said, bool wrong);
    void clearScheduleFile();
    [[nodiscard]] const ScheduleStrip& scheduleStrip() const { return *m_strip; }

    [[nodiscard]] const GanttIndex& index(int timeline = 0) const
    {
        return m_steps[static_cast<std::size_t>(timeline)].step->index;
    }
    [[nodiscard]] const GanttRows& rows() const { return m_rows; }
    [[nodiscard]] const QString& nameOfTimeline(int timeline) const
    {
        return m_steps[static_cast<std::size_t>(timeline)].name;
    }
    [[nodiscard]] bool isUnfolded(int stage) const { return m_arrangement.isUnfolded(stage); }
    void setUnfolded(int stage, bool unfolded);
    void setAllUnfolded(bool unfolded);
    /// The slices that the length of the step hangs on, joined by a line.
    [[nodiscard]] bool isCriticalPathShown() const { return m_criticalShown; }
    void setCriticalPathShown(bool shown);

    /// Rectangles in pixels of the plot; may be outside of what is visible.
    [[nodiscard]] QRectF sliceRect(GanttRef ref) const;
    [[nodiscard]] QRectF sliceRect(std::uint32_t slice) const { return sliceRect(GanttRef{0, slice}); }
    [[nodiscard]] QRectF rowRect(const GanttRow& row) const;
    [[nodiscard]] std::optional<QRectF> areaRect() const;
    /// The slice there.
    [[nodiscard]] std::optional<GanttRef> refAt(QPointF at) const;
    /// The slice there, or the wait.
    [[nodiscard]] std::optional<GanttRef> markAt(QPointF at) const;
    [[nodiscard]] std::optional<std::uint32_t> sliceAt(QPointF at) const;

    [[nodiscard]] std::optional<GanttRef> selectedRef() const { return m_selected; }
    /// The slice of the timeline shown, if one is selected.
    [[nodiscard]] std::optional<std::uint32_t> selected() const;
    void select(std::optional<GanttRef> ref);
    void selectSlice(std::uint32_t slice) { select(GanttRef{0, slice}); }
    [[nodiscard]] const std::optional<GanttArea>& area() const { return m_area; }
    void selectArea(const GanttArea& area);
    /// The time measured, seconds.
    [[nodiscard]] std::optional<Interval> measured() const;
    /// Slices, area and measure.
    void clearMarks();

    /// What is visible, in seconds.
    [[nodiscard]] Interval visibleTime() const { return shownX(); }
    /// Rectangles and numbers drawn by the last paint: what the cost of a frame is made of.
    [[nodiscard]] int drawnMarks() const { return m_painter.marks(); }
    [[nodiscard]] int drawnLabels() const { return m_painter.labels(); }

    [[nodiscard]] ChartTable table() const override;
    [[nodiscard]] std::pair<QString, ChartTable> readableTable() const override;
    [[nodiscard]] QString description() const override;
    [[nodiscard]] QString toolTipAt(QPointF at) const override;

public Q_SLOTS:
    /// The start of the step, as far as it is legible.
    void fit() override;
    void fitAll();

Q_SIGNALS:
    /// `timeline`: 0, or 1 for the one compared with.
    void sliceSelected(const stratoplan::Slice& slice, int timeline);
    void waitSelected(const stratoplan::Wait& wait, int timeline);
    void areaSelected(const stratoplan::AreaSums& sums);
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
    void pointerLeft() override;
    void pointerClicked(QPointF at) override;
    bool pointerDoubleClicked(QPointF at) override;
    bool takesDrag(QPointF at, Qt::KeyboardModifiers modifiers) override;
    void pointerDragged(QPointF to) override;
    void dragEnded() override;
    void extendMenu(QMenu& menu) override;
    bool keyPressed(QKeyEvent& event) override;
    std::function<void()> explanationAt(QPointF at) override;
    std::optional<QPointF> pointedAt() const override;

private:
    struct Step {
        QString name;
        QString rowName; ///< beside its rows
        GanttStepPointer step = std::make_shared<const GanttStep>();
    };
    struct Measure {
        double from = 0; ///< seconds
        double to = 0;
        double y = 0; ///< in rows
    };
    struct RowView {
        double height = 0; ///< of all rows
        Interval shown;
    };
    enum class Drag { None, Area, LowEdge, HighEdge, Measure };

    // What is shown: pipeline_chart.cpp
    void makeHeader();
    void fillCompareMenu();
    void dropMarks();
    void arrange();
    void keepRows(double heightBefore);
    void relayout();
    void describe();
    [[nodiscard]] int timelines() const { return m_difference ? 2 : 1; }
    [[nodiscard]] Interval whole() const;
    void scaleMemory();
    [[nodiscard]] double legibleRow() const;
    [[nodiscard]] Interval rowsShown(std::optional<int> stage) const;
    [[nodiscard]] double stripHeight(const QRectF& lane) const;
    [[nodiscard]] QRectF stripRect(const QRectF& work, LaneKind lane) const;
    [[nodiscard]] const GanttRow* rowAt(double y) const;
    [[nodiscard]] int stageAt(double y) const;
    [[nodiscard]] bool inPlot(QPointF at) const;
    [[nodiscard]] const Slice& sliceOf(GanttRef ref) const { return index(ref.timeline).slice(ref.slice); }
    [[nodiscard]] const Wait& waitOf(GanttRef ref) const { return index(ref.timeline).timeline().waits[ref.slice]; }
    /// Where either stands; seconds.
    struct Place {
        int stage = 0;
        Interval time;
        int microBatch = -1; ///< -1: none
        [[nodiscard]] double middle() const { return (time.low + time.high) / 2; }
    };
    [[nodiscard]] Place placeOf(GanttRef ref) const;
    /// What ended a wait, or the wait before a slice; nothing if it did not wait, or until the end of the step.
    [[nodiscard]] std::optional<std::uint32_t> enderOf(GanttRef ref) const;
    [[nodiscard]] std::vector<LegendEntry> legendEntries() const;
    [[nodiscard]] QString extentText() const;

    // Painting: pipeline_chart_paint.cpp
    void paintLanes(QPainter& painter, bool vector);
    void paintRow(const GanttPainter::Frame& frame, const GanttRow& row);
    void paintMemory(const GanttPainter::Frame& frame, const GanttRow& row, const QRectF& rect) const;
    void paintDifference(const GanttPainter::Frame& frame, const GanttRow& row, const QRectF& rect) const;
    void paintPhaseBorders(const GanttPainter::Frame& frame) const;
    void paintCriticalPath(const GanttPainter::Frame& frame, int timeline) const;
    void paintStrip(QPainter& painter) const;
    void paintOverlay(QPainter& painter) const;
    void paintKin(QPainter& painter, int microBatch) const;
    void paintCause(QPainter& painter) const;
    void paintArea(QPainter& painter) const;
    void paintMeasure(QPainter& painter) const;
    void paintScrollBar(QPainter& painter) const;
    void paintPlate(QPainter& painter, QPointF middle, const QString& text) const;

    // Input: pipeline_chart_input.cpp
    void setHover(std::optional<GanttRef> ref);
    void showTime(Interval time);
    void bringIntoView(GanttRef ref);
    void centreOrFit();
    void step(int direction);
    void stepWait(int direction);
    void stepRow(int direction);
    void stepToCause();
    void go(GanttRef ref);
    void stretchArea(Qt::Key key);
    void selectAreaOfMarked();
    void toggleFold();
    [[nodiscard]] Drag edgeAt(QPointF at) const;
    [[nodiscard]] double snapped(QPointF at) const;
    [[nodiscard]] GanttArea areaBetween(QPointF a, QPointF b) const;
    bool letterPressed(QKeyEvent& event);
    bool arrowPressed(QKeyEvent& event);
    [[nodiscard]] ChartTable rowsWithin(std::optional<GanttArea> area) const;
    [[nodiscard]] QString toolTipOf(GanttRef ref) const;
    [[nodiscard]] QString toolTipOf(const Wait& wait, int timeline) const;
    [[nodiscard]] QString rowToolTip(const GanttRow& row, double seconds) const;

    std::array<Step, 2> m_steps;
    std::optional<WaitDifference> m_difference; ///< there is a second step
    GanttArrangement m_arrangement;
    GanttRows m_rows;
    [[nodiscard]] const GanttPhases& phasesShown() const { return m_steps[0].step->phases; }
    RowView m_rowsBefore; ///< of the timeline before
    GanttPainter m_painter;
    Interval m_memoryScale{0, 0}; ///< bytes at the foot and at the top of memory rows
    Bytes m_capacity{};
    std::optional<GanttRef> m_hover;
    std::optional<GanttRef> m_selected;
    std::optional<GanttArea> m_area;
    std::optional<Measure> m_measure;
    Drag m_drag = Drag::None;
    QPointF m_dragFrom;
    QStringList m_choices;
    int m_choice = -1;
    QString m_scheduleFile; ///< its name; "": none
    ScheduleStrip* m_strip = nullptr;
    QToolButton* m_compareButton = nullptr;
    QToolButton* m_foldButton = nullptr;
    QToolButton* m_fitButton = nullptr;
    bool m_wholeShown = false;
    bool m_criticalShown = true;
};

} // namespace stratoplan
