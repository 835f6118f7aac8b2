// SPDX-License-Identifier: GPL-3.0-or-later
// The charts of a plan: breakdown, memory and Pareto in a row, the pipeline below.
#pragma once

#include "app/gui/background_planner.h"

#include <QWidget>

class QLabel;
class QSplitter;

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
    [[nodiscard]] QSplitter& rows() { return *m_rows; }
    [[nodiscard]] QSplitter& row() { return *m_row; }

    void setEstimate(const Estimate& estimate);
    /// The plan has no estimate: the last pictures stay, faint, with this line above them.
    void setUnpriced(const QString& reason);
    void setUpdating(bool updating);
    /// A line that names the plan, for the full screen.
    void setTitle(const QString& plan, const QString& strategy);
    void setTitleVisible(bool visible);
    void resetSizes();

private:
    void setFaint(bool faint);

    QWidget* m_titleRow;
    QLabel* m_title;
    QLabel* m_subtitle;
    QLabel* m_notice;
    QSplitter* m_rows;
    QSplitter* m_row;
    BreakdownChart* m_breakdown;
    MemoryChart* m_memory;
    ParetoChart* m_pareto;
    PipelineChart* m_pipeline;
};

} // namespace stratoplan
