// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/explore_page.h"

#include "app/gui/thin_splitter.h"
#include "widgets/charts/breakdown_chart.h"
#include "widgets/charts/memory_chart.h"
#include "widgets/charts/pareto_chart.h"
#include "widgets/charts/pipeline_chart.h"
#include "widgets/style/theme.h"

#include <QGraphicsOpacityEffect>
#include <QLabel>
#include <QVBoxLayout>

namespace stratoplan {

ExplorePage::ExplorePage(QWidget* parent)
    : QWidget(parent)
    , m_titleRow(new QWidget(this))
    , m_title(new QLabel(m_titleRow))
    , m_subtitle(new QLabel(m_titleRow))
    , m_notice(new QLabel(this))
    , m_rows(new ThinSplitter(Qt::Vertical, this))
    , m_row(new ThinSplitter(Qt::Horizontal, m_rows))
    , m_breakdown(new BreakdownChart(m_row))
    , m_memory(new MemoryChart(m_row))
    , m_pareto(new ParetoChart(m_row))
    , m_pipeline(new PipelineChart(m_rows))
{
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    auto* titles = new QHBoxLayout(m_titleRow);
    titles->setContentsMargins(16, 12, 16, 12);
    titles->setSpacing(16);
    setTextRole(*m_title, TextRole::Value);
    setTextRole(*m_subtitle, TextRole::Secondary);
    titles->addWidget(m_title);
    titles->addWidget(m_subtitle, 1);
    m_notice->setContentsMargins(12, 8, 12, 8);
    m_notice->setWordWrap(true);
    m_notice->setTextFormat(Qt::PlainText);
    m_notice->hide();

    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_titleRow);
    column->addWidget(m_notice);
    column->addWidget(m_rows, 1);
    m_titleRow->hide();
    resetSizes();
}

void ExplorePage::resetSizes()
{
    m_row->setSizes({310, 300, 330});
    m_rows->setSizes({340, 320});
    m_rows->setStretchFactor(0, 10);
    m_rows->setStretchFactor(1, 9);
}

void ExplorePage::setEstimate(const Estimate& estimate)
{
    setFaint(false);
    m_notice->hide();
    m_breakdown->setEstimate(estimate);
    m_memory->setEstimate(estimate);
    m_pareto->setCapacity(estimate.memory.capacity);
    m_pareto->setCurrent(estimate);
}

void ExplorePage::setUnpriced(const QString& reason)
{
    m_notice->setText(tr("The charts show the last plan that could be priced. %1").arg(reason));
    m_notice->show();
    setFaint(true);
}

void ExplorePage::setFaint(bool faint)
{
    for (QWidget* chart : std::initializer_list<QWidget*>{m_breakdown, m_memory, m_pipeline}) {
        if (faint == (chart->graphicsEffect() != nullptr))
            continue;
        auto* effect = faint ? new QGraphicsOpacityEffect(chart) : nullptr;
        if (effect)
            effect->setOpacity(0.35);
        chart->setGraphicsEffect(effect);
    }
}

void ExplorePage::setUpdating(bool updating)
{
    for (ChartView* chart : std::initializer_list<ChartView*>{m_breakdown, m_memory, m_pipeline})
        chart->setUpdating(updating);
}

void ExplorePage::setTitle(const QString& plan, const QString& strategy)
{
    m_title->setText(plan);
    m_subtitle->setText(strategy);
}

void ExplorePage::setTitleVisible(bool visible)
{
    m_titleRow->setVisible(visible);
}

} // namespace stratoplan
