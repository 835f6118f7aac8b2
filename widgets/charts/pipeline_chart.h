// SPDX-License-Identifier: GPL-3.0-or-later
// The pipeline in time: one lane per stage with the work of every micro-batch, transfers as a strip beneath, waits as
// the empty lane. Wheel zooms in time at the pointer, with Ctrl in stages; W S A D and F as in trace viewers; pointing
// at a slice marks its micro-batch everywhere.
#pragma once

#include "core/pipeline/pipeline.h"
#include "widgets/charts/chart_view.h"
#include "widgets/presentation/gantt.h"

#include <QStaticText>
#include <optional>

class QToolButton;

namespace stratoplan {

class PipelineChart : public ChartView {
    Q_OBJECT
public:
    explicit PipelineChart(QWidget* parent = nullptr);

    void setTimeline(Timeline timeline);
    void clear();

    [[nodiscard]] const GanttIndex& index() const { return m_index; }
    /// Rectangle of a slice, in pixels of the plot; may be outside of what is visible.
    [[nodiscard]] QRectF sliceRect(std::uint32_t slice) const;
    [[nodiscard]] std::optional<std::uint32_t> sliceAt(QPointF at) const;
    [[nodiscard]] std::optional<std::uint32_t> selected() const { return m_selected; }
    void select(std::optional<std::uint32_t> slice);
    /// What is visible, in seconds.
    [[nodiscard]] Interval visibleTime() const { return shownX(); }
    /// Rectangles and numbers drawn by the last paint: what the cost of a frame is made of.
    [[nodiscard]] int drawnMarks() const { return m_drawnMarks; }
    [[nodiscard]] int drawnLabels() const { return m_drawnLabels; }

    [[nodiscard]] ChartTable table() const override;
    [[nodiscard]] QString description() const override;
    [[nodiscard]] QString toolTipAt(QPointF at) const override;

public Q_SLOTS:
    /// The start of the step, as far as it is legible.
    void fit() override;
    void fitAll();

Q_SIGNALS:
    void sliceSelected(const stratoplan::Slice& slice);
    void selectionCleared();

protected:
    void fitView() override;
    void restyle() override;
    void pointerMoved(QPointF at) override;
    void pointerLeft() override;
    void pointerClicked(QPointF at) override;
    bool pointerDoubleClicked(QPointF at) override;
    void extendMenu(QMenu& menu) override;
    bool keyPressed(QKeyEvent& event) override;
    std::function<void()> explanationAt(QPointF at) override;
    std::optional<QPointF> pointedAt() const override;

private:
    struct Lane {
        double top = 0;
        double height = 0;
    };
    void relayout();
    [[nodiscard]] Lane lane(int stage) const;
    [[nodiscard]] double stripHeight(const Lane& lane) const;
    [[nodiscard]] int stageAt(double y) const;
    void showTime(Interval time);
    void step(int direction);
    void setHover(std::optional<std::uint32_t> slice);
    void paintLanes(QPainter& painter);
    void paintStage(QPainter& painter, int stage, const QRectF& plotRect);
    void paintOverlay(QPainter& painter) const;
    void paintKin(QPainter& painter, const Slice& of) const;
    [[nodiscard]] QFont numberFont() const;
    [[nodiscard]] const QStaticText& number(int microBatch);

    [[nodiscard]] QString extentText() const;

    GanttIndex m_index;
    std::optional<std::uint32_t> m_hover;
    std::optional<std::uint32_t> m_selected;
    std::vector<QStaticText> m_numbers; ///< micro-batch numbers, laid out once
    QToolButton* m_fitButton = nullptr;
    int m_drawnMarks = 0;
    int m_drawnLabels = 0;
    bool m_wholeShown = false;
};

} // namespace stratoplan
