// SPDX-License-Identifier: GPL-3.0-or-later
// The charts of a plan: breakdown, memory and Pareto in a row, the pipeline below.
#pragma once

#include "app/session/background_planner.h"

#include <QWidget>

#include <array>

class QLabel;
class QSplitter;
class QTabBar;

namespace stratoplan {

class BreakdownChart;
class ChartView;
class MemoryChart;
class ParetoChart;
class PipelineChart;

class ExplorePage : public QWidget {
    Q_OBJECT

public:
    explicit ExplorePage(QWidget* parent = nullptr);

    [[nodiscard]] BreakdownChart& breakdown() { return *m_breakdown; }
    [[nodiscard]] MemoryChart& memory() { return *m_memory; }
    [[nodiscard]] ParetoChart& pareto() { return *m_pareto; }
    [[nodiscard]] PipelineChart& pipeline() { return *m_pipeline; }

    void setEstimate(const Estimate& estimate);
    /// The plan has no estimate: the last pictures of this document stay, paled.
    void setUnpriced();
    /// Another document: nothing of the one before is shown.
    void clear();
    void setUpdating(bool updating);
    /// A line that names the plan, for the full screen.
    void setTitle(const QString& plan, const QString& strategy);
    void setTitleVisible(bool visible);
    void resetSizes();
    /// As they are while all charts are shown.
    [[nodiscard]] QByteArray rowsState() const;
    [[nodiscard]] QByteArray rowState() const;
    void restoreSizes(const QByteArray& rows, const QByteArray& row);
    /// Too little room for four charts: one is shown, chosen by a tab.
    [[nodiscard]] bool isTabbed() const { return m_tabbed; }
    [[nodiscard]] QTabBar& tabs() { return *m_tabs; }
    /// Brings the chart to the front where they are tabbed, and gives it the focus.
    void showChart(ChartView& chart);
    [[nodiscard]] std::array<ChartView*, 4> charts() const;
    [[nodiscard]] QSize minimumSizeHint() const override { return {200, 120}; }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void setTabbed(bool tabbed);
    void applyTabs();
    /// Those that show the estimate.
    [[nodiscard]] std::array<ChartView*, 3> estimateCharts() const;

    QWidget* m_titleRow;
    QLabel* m_title;
    QLabel* m_subtitle;
    QTabBar* m_tabs;
    QSplitter* m_rows;
    QSplitter* m_row;
    BreakdownChart* m_breakdown;
    MemoryChart* m_memory;
    ParetoChart* m_pareto;
    PipelineChart* m_pipeline;
    QByteArray m_rowsBefore; ///< while tabbed: the sizes to go back to
    QByteArray m_rowBefore;
    bool m_tabbed = false;
};

} // namespace stratoplan
