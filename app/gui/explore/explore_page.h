// SPDX-License-Identifier: GPL-3.0-or-later
// The charts of a plan: breakdown, memory and Pareto in a row, the pipeline below.
#pragma once

#include "app/session/background_planner.h"

#include <QWidget>

#include <array>

class QSplitter;
class QTabBar;

namespace stratoplan::widgets {
class BreakdownChart;
class ChartView;
class MemoryChart;
class ParetoChart;
class PipelineChart;
} // namespace stratoplan::widgets

namespace stratoplan::gui {

class ExplorePage : public QWidget {
    Q_OBJECT

public:
    explicit ExplorePage(QWidget* parent = nullptr);

    [[nodiscard]] widgets::BreakdownChart& breakdown() { return *m_breakdown; }
    [[nodiscard]] widgets::MemoryChart& memory() { return *m_memory; }
    [[nodiscard]] widgets::ParetoChart& pareto() { return *m_pareto; }
    [[nodiscard]] widgets::PipelineChart& pipeline() { return *m_pipeline; }

    void setEstimate(const estimate::Estimate& estimate);
    /// The plan has no estimate: the last pictures of this document stay, paled.
    void setUnpriced();
    /// Another document: nothing of the one before is shown.
    void clear();
    void setUpdating(bool updating);
    /// Pales what is of an older plan, and says `notice` over it until that is ""; whatever comes meanwhile is of an
    /// older plan, too.
    void setOutdated(const QString& notice);
    void resetSizes();
    /// As they are while all charts are shown.
    [[nodiscard]] QByteArray rowsState() const;
    [[nodiscard]] QByteArray rowState() const;
    void restoreSizes(const QByteArray& rows, const QByteArray& row);
    /// Brings the chart to the front where they are tabbed, and gives it the focus.
    void showChart(widgets::ChartView& chart);
    [[nodiscard]] std::array<widgets::ChartView*, 4> charts() const;
    [[nodiscard]] QSize minimumSizeHint() const override { return {200, 120}; }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void makeTabs();
    void setTabbed(bool tabbed);
    void applyTabs();
    void applyNotice();
    /// Those that show the estimate.
    [[nodiscard]] std::array<widgets::ChartView*, 3> estimateCharts() const;

    QTabBar* m_tabs;
    QSplitter* m_rows;
    QSplitter* m_row;
    widgets::BreakdownChart* m_breakdown;
    widgets::MemoryChart* m_memory;
    widgets::ParetoChart* m_pareto;
    widgets::PipelineChart* m_pipeline;
    QByteArray m_rowsBefore; ///< while tabbed: the sizes to go back to
    QByteArray m_rowBefore;
    QString m_outdated;
    bool m_isPriced = true; ///< the newest plan that was answered
    bool m_tabbed = false;
};

} // namespace stratoplan::gui
