// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/compare/compared_charts.h"

#include "widgets/charts/breakdown_chart.h"
#include "widgets/charts/memory_chart.h"
#include "widgets/charts/scaling_chart.h"
#include "widgets/presentation/compared_stacks.h"
#include "widgets/shell/thin_splitter.h"

#include <QTabBar>
#include <QVBoxLayout>

#include <algorithm>
#include <numeric>

namespace stratoplan::gui {

namespace {
constexpr int kLeastChart = 230; ///< pixels across, of a chart beside others
} // namespace

std::vector<std::size_t> comparedRows(std::size_t rows, int chosen)
{
    std::vector<std::size_t> shown(std::min(rows, kMostCompared));
    std::iota(shown.begin(), shown.end(), std::size_t{0});
    if (chosen >= int(kMostCompared) && std::size_t(chosen) < rows)
        shown.back() = std::size_t(chosen);
    return shown;
}

ComparedCharts::ComparedCharts(QWidget* parent)
    : QWidget(parent)
    , m_tabs(new QTabBar(this))
    , m_row(new widgets::ThinSplitter(Qt::Horizontal, this))
    , m_breakdown(new widgets::BreakdownChart(m_row))
    , m_memory(new widgets::MemoryChart(m_row))
    , m_scaling(new widgets::ScalingChart(m_row))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_tabs);
    column->addWidget(m_row, 1);
    m_scaling->setOpensPlans(false);
    m_tabs->setAccessibleName(tr("Charts"));
    m_tabs->setDrawBase(false);
    m_tabs->setExpanding(false);
    for (const widgets::ChartView* chart : charts())
        m_tabs->addTab(chart->title());
    connect(m_tabs, &QTabBar::currentChanged, this, &ComparedCharts::arrange);
    m_row->setSizes({380, 300, 300});
    arrange();
}

std::array<widgets::ChartView*, 3> ComparedCharts::charts() const
{
    return {m_breakdown, m_memory, m_scaling};
}

void ComparedCharts::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    // A little later back than forth, so that a border dragged along the limit does not flicker.
    const bool isTabbed = width() < 3 * kLeastChart + (m_isTabbed ? 16 : 0);
    if (isTabbed == m_isTabbed)
        return;
    m_isTabbed = isTabbed;
    arrange();
}

void ComparedCharts::arrange()
{
    m_tabs->setVisible(m_isTabbed);
    const auto all = charts();
    for (std::size_t i = 0; i < all.size(); ++i)
        all[i]->setVisible(!m_isTabbed || int(i) == m_tabs->currentIndex());
}

void ComparedCharts::showChart(widgets::ChartView& chart)
{
    const auto all = charts();
    m_tabs->setCurrentIndex(int(std::ranges::find(all, &chart) - all.begin()));
    chart.setFocus(Qt::OtherFocusReason);
}

void ComparedCharts::setPlans(const std::vector<ComparedPlan>& plans, int baseline)
{
    std::vector<widgets::ComparedEstimate> estimates;
    for (const ComparedPlan& plan : plans)
        estimates.push_back({shortName(plan), estimateOf(plan)});
    m_breakdown->setView(widgets::comparedBreakdown(estimates, baseline));
    m_memory->setView(widgets::comparedMemory(estimates, baseline));
}

void ComparedCharts::setScaling(const session::ScalingPointer& answers)
{
    std::vector<std::size_t> all(answers->points.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    m_scaling->setPoints(answers, all, widgets::StudyMeasure::Throughput, widgets::kAcceleratorAxis, 0);
}

void ComparedCharts::setScalingUpdating(bool updating)
{
    m_scaling->setUpdating(updating);
}

} // namespace stratoplan::gui
