// SPDX-License-Identifier: GPL-3.0-or-later
// Plans side by side in pictures on common axes: where their steps go, their fullest stages, how they scale. All at
// once where there is room, else a tab each.
#pragma once

#include "app/gui/compare/compared_figures.h"
#include "app/session/plan_scaling.h"

#include <QWidget>

#include <array>
#include <vector>

class QSplitter;
class QTabBar;

namespace stratoplan::widgets {
class BreakdownChart;
class ChartView;
class MemoryChart;
class ScalingChart;
} // namespace stratoplan::widgets

namespace stratoplan::gui {

inline constexpr std::size_t kMostCompared = 4; ///< plans of a picture: the one being edited and three more

/// The rows whose plans are shown: the first ones, but the last of them gives way to `chosen`, if that is beyond them.
[[nodiscard]] std::vector<std::size_t> comparedRows(std::size_t rows, int chosen);

class ComparedCharts : public QWidget {
    Q_OBJECT

public:
    explicit ComparedCharts(QWidget* parent = nullptr);

    /// At most kMostCompared; `baseline` is a place among them or -1.
    void setPlans(const std::vector<ComparedPlan>& plans, int baseline);
    /// Of the same plans, by their short names.
    void setScaling(const session::ScalingPointer& answers);
    void setScalingUpdating(bool updating);

    [[nodiscard]] widgets::BreakdownChart& breakdown() const { return *m_breakdown; }
    [[nodiscard]] widgets::MemoryChart& memory() const { return *m_memory; }
    [[nodiscard]] widgets::ScalingChart& scaling() const { return *m_scaling; }
    [[nodiscard]] std::array<widgets::ChartView*, 3> charts() const;
    /// Brings the chart to the front where they are tabbed, and gives it the focus.
    void showChart(widgets::ChartView& chart);

    [[nodiscard]] QSize minimumSizeHint() const override { return {180, 150}; }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void arrange();

    QTabBar* m_tabs;
    QSplitter* m_row;
    widgets::BreakdownChart* m_breakdown;
    widgets::MemoryChart* m_memory;
    widgets::ScalingChart* m_scaling;
    bool m_isTabbed = false;
};

} // namespace stratoplan::gui
