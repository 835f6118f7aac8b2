// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/explore/explore_page.h"

#include "widgets/charts/breakdown_chart.h"
#include "widgets/charts/memory_chart.h"
#include "widgets/charts/pareto_chart.h"
#include "widgets/charts/pipeline_chart.h"
#include "widgets/shell/thin_splitter.h"

#include <QTabBar>
#include <QVBoxLayout>

#include <algorithm>

namespace stratoplan::gui {

namespace {

// Of a chart beside others, with its title and its legend.
constexpr int kLeastWidth = 180;
constexpr int kLeastHeight = 185;

} // namespace

ExplorePage::ExplorePage(QWidget* parent)
    : QWidget(parent)
    , m_tabs(new QTabBar(this))
    , m_rows(new widgets::ThinSplitter(Qt::Vertical, this))
    , m_row(new widgets::ThinSplitter(Qt::Horizontal, m_rows))
    , m_breakdown(new widgets::BreakdownChart(m_row))
    , m_memory(new widgets::MemoryChart(m_row))
    , m_pareto(new widgets::ParetoChart(m_row))
    , m_pipeline(new widgets::PipelineChart(m_rows))
{
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_tabs);
    column->addWidget(m_rows, 1);
    makeTabs();
    for (widgets::ChartView* from : estimateCharts()) {
        for (widgets::ChartView* to : estimateCharts()) {
            if (from != to)
                connect(from, &widgets::ChartView::stageHovered, to, &widgets::ChartView::setLinkedStage);
        }
    }
    resetSizes();
}

void ExplorePage::makeTabs()
{
    m_tabs->setAccessibleName(tr("Charts"));
    m_tabs->setDrawBase(false);
    m_tabs->setExpanding(false);
    m_tabs->setUsesScrollButtons(true);
    for (const widgets::ChartView* chart : charts())
        m_tabs->addTab(chart->title());
    connect(m_tabs, &QTabBar::currentChanged, this, &ExplorePage::applyTabs);
    m_tabs->hide();
}

std::array<widgets::ChartView*, 4> ExplorePage::charts() const
{
    return {m_breakdown, m_memory, m_pareto, m_pipeline};
}

void ExplorePage::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    // A little later back than forth, so that a border dragged along the limit does not flicker.
    const int margin = m_tabbed ? 16 : 0;
    setTabbed(height() < 2 * kLeastHeight + margin || width() < 3 * kLeastWidth + margin);
}

void ExplorePage::setTabbed(bool tabbed)
{
    if (tabbed == m_tabbed)
        return;
    if (tabbed) {
        m_rowsBefore = m_rows->saveState();
        m_rowBefore = m_row->saveState();
    }
    m_tabbed = tabbed;
    applyTabs();
    if (!tabbed) {
        m_rows->restoreState(m_rowsBefore);
        m_row->restoreState(m_rowBefore);
    }
}

void ExplorePage::applyTabs()
{
    m_tabs->setVisible(m_tabbed);
    const widgets::ChartView* front = charts()[static_cast<std::size_t>(std::max(0, m_tabs->currentIndex()))];
    for (widgets::ChartView* chart : charts())
        chart->setVisible(!m_tabbed || chart == front);
    m_row->setVisible(!m_tabbed || front != m_pipeline);
}

void ExplorePage::showChart(widgets::ChartView& chart)
{
    const auto all = charts();
    m_tabs->setCurrentIndex(static_cast<int>(std::find(all.begin(), all.end(), &chart) - all.begin()));
    chart.setFocus(Qt::OtherFocusReason);
}

QByteArray ExplorePage::rowsState() const
{
    return m_tabbed ? m_rowsBefore : m_rows->saveState();
}

QByteArray ExplorePage::rowState() const
{
    return m_tabbed ? m_rowBefore : m_row->saveState();
}

void ExplorePage::restoreSizes(const QByteArray& rows, const QByteArray& row)
{
    if (m_tabbed) {
        m_rowsBefore = rows;
        m_rowBefore = row;
    } else {
        m_rows->restoreState(rows);
        m_row->restoreState(row);
    }
}

void ExplorePage::resetSizes()
{
    if (m_tabbed)
        return;
    m_row->setSizes({310, 300, 330});
    m_rows->setSizes({340, 320});
    m_rows->setStretchFactor(0, 10);
    m_rows->setStretchFactor(1, 9);
}

void ExplorePage::setEstimate(const estimate::Estimate& estimate)
{
    m_breakdown->setEstimate(estimate);
    m_memory->setEstimate(estimate);
    m_isPriced = true;
    applyNotice(); // of the pipeline, too: its timeline follows
}

void ExplorePage::setUnpriced()
{
    m_isPriced = false;
    applyNotice();
}

void ExplorePage::setOutdated(const QString& notice)
{
    m_outdated = notice;
    applyNotice();
}

void ExplorePage::applyNotice()
{
    const QString unpriced = m_isPriced ? QString() : tr("Of the last plan that could be priced");
    for (widgets::ChartView* chart : estimateCharts()) {
        chart->setStale(m_outdated.isEmpty() ? unpriced : m_outdated);
        chart->setAwaited(m_outdated);
    }
}

void ExplorePage::clear()
{
    m_isPriced = true;
    m_breakdown->clear();
    m_memory->clear();
    m_pareto->clear();
    m_pipeline->clear();
}

std::array<widgets::ChartView*, 3> ExplorePage::estimateCharts() const
{
    return {m_breakdown, m_memory, m_pipeline};
}

void ExplorePage::setUpdating(bool updating)
{
    for (widgets::ChartView* chart : estimateCharts())
        chart->setUpdating(updating);
}

} // namespace stratoplan::gui
