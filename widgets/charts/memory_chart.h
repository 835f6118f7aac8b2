// SPDX-License-Identifier: GPL-3.0-or-later
// The memory of every pipeline stage by kind, against the capacity of the accelerator; the peak is named in place. Or,
// on demand, over the time of the step: a curve per stage, with the instant of the peak.
#pragma once

#include "core/estimate/estimate.h"
#include "widgets/charts/chart_view.h"
#include "widgets/charts/memory_columns.h"
#include "widgets/charts/memory_curves.h"

#include <optional>

namespace stratoplan::widgets {

class MemoryChart : public ChartView {
    Q_OBJECT
public:
    explicit MemoryChart(QWidget* parent = nullptr);

    void setEstimate(const estimate::Estimate& estimate);
    /// Of several plans, or of one; nothing: nothing to show.
    void setView(std::optional<MemoryView> view);
    /// The same estimate over time; nothing where its timeline is too long to simulate.
    void setTimeline(std::optional<estimate::MemoryTimeline> timeline, int chunks = 1);
    /// The same, made ready elsewhere; null: not known.
    void setCurves(const std::shared_ptr<const MemoryCurveView>& curves);
    void clear();

    [[nodiscard]] bool isOverTime() const { return m_overTime; }
    void setOverTime(bool overTime);
    [[nodiscard]] const MemoryCurves& curves() const { return m_curves; }

    [[nodiscard]] const std::optional<MemoryView>& view() const { return m_view; }

    using Hit = MemoryColumns::Hit;
    [[nodiscard]] QRectF segmentRect(Hit segment) const;
    [[nodiscard]] std::optional<Hit> segmentAt(QPointF at) const;
    using Labels = MemoryColumns::Labels;
    [[nodiscard]] Labels labels() const;

    [[nodiscard]] ChartTable table() const override;
    [[nodiscard]] QString description() const override;
    [[nodiscard]] QString toolTipAt(QPointF at) const override;

Q_SIGNALS:
    void stageClicked(int stage);
    void overTimeChanged(bool overTime);

protected:
    void fitView() override;
    void restyle() override;
    void pointerMoved(QPointF at) override;
    void pointerLeft() override;
    void pointerClicked(QPointF at) override;
    bool keyPressed(QKeyEvent& event) override;
    std::function<void()> explanationAt(QPointF at) override;
    std::optional<QPointF> pointedAt() const override;
    void extendMenu(QMenu& menu) override;

private:
    void addToggle();
    void present(bool refit);
    [[nodiscard]] bool hasPicture() const { return m_overTime ? m_curves.view() != nullptr : m_view.has_value(); }
    void relayout();
    void relayoutCurves();
    void updateBounds();
    [[nodiscard]] double top() const;
    void setHover(std::optional<Hit> hit);
    void setCurveHover(std::optional<MemoryCurves::Hit> hit);
    bool curveKeyPressed(int key);
    [[nodiscard]] MemoryColumns columns() const; ///< of the view, where there is one
    void paintColumns(QPainter& painter) const;
    void paintHover(QPainter& painter) const;

    QWidget* m_toggle = nullptr;
    std::optional<MemoryView> m_view;
    std::optional<Hit> m_hover;
    bool m_overTime = false;
    MemoryCurves m_curves;
    std::optional<MemoryCurves::Hit> m_curveHover;
};

} // namespace stratoplan::widgets
