// SPDX-License-Identifier: GPL-3.0-or-later
// Where the seconds of a step go: one stacked bar for the step and one per pipeline stage, by cause, absolute or as
// a share. Hidden communication is a strip within the bar. The axis label shows that the parts sum to the step.
#pragma once

#include "core/estimate/estimate.h"
#include "widgets/charts/chart_view.h"

#include <optional>

namespace stratoplan::widgets {

class BreakdownChart : public ChartView {
    Q_OBJECT
public:
    explicit BreakdownChart(QWidget* parent = nullptr);

    void setEstimate(const estimate::Estimate& estimate);
    /// Of several plans, or of one; nothing: nothing to show.
    void setView(std::optional<BreakdownView> view);
    void clear();

    void setShare(bool share);

    [[nodiscard]] const std::optional<BreakdownView>& view() const { return m_view; }

    struct Hit {
        std::size_t stack = 0;
        std::size_t segment = 0;
        bool operator==(const Hit&) const = default;
    };
    /// Rectangle of a segment in pixels of the plot; may be outside of what is visible.
    [[nodiscard]] QRectF segmentRect(Hit segment) const;
    [[nodiscard]] std::optional<Hit> segmentAt(QPointF at) const;

    [[nodiscard]] ChartTable table() const override;
    [[nodiscard]] QString description() const override;
    [[nodiscard]] QString toolTipAt(QPointF at) const override;

Q_SIGNALS:
    /// A part of a stage, or of the whole step (-1), is to be explained.
    void partChosen(int stage, const QString& part);
    void shareChanged(bool share);

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
    void relayout();
    [[nodiscard]] double position(std::size_t stack) const;
    [[nodiscard]] QRectF barRect(std::size_t stack) const;
    void setHover(std::optional<Hit> hit);
    [[nodiscard]] QString toolTipOf(Hit hit) const;
    /// Of the axis that is needed: the longest bar, and what stands behind it.
    [[nodiscard]] double end() const;
    [[nodiscard]] double shareOf(const Stack& stack, double seconds) const; ///< of the step of its plan
    [[nodiscard]] QString valueText(const Stack& stack, double seconds) const;
    void paintSegments(QPainter& painter, std::size_t stack) const;
    void paintRemark(QPainter& painter, std::size_t stack) const;
    void paintBars(QPainter& painter) const;
    void paintHover(QPainter& painter) const;

    std::optional<BreakdownView> m_view;
    std::optional<Hit> m_hover;
    bool m_share = false;
};

} // namespace stratoplan::widgets
