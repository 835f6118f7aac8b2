// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/partition/partition_panes.h"

#include "widgets/panels/panel_style.h"
#include "widgets/shell/thin_splitter.h"

#include <QResizeEvent>
#include <QTabBar>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

namespace stratoplan::widgets {

namespace {
constexpr int kLeastBlocks = 420; ///< width in which the blocks of 16 ranks can be read, beside a rank
constexpr int kBackLater = 16; ///< so that a border dragged along the limit does not flicker
constexpr int kLinesSaved = 3; ///< that the blocks do without where they are low: as many more bring them back

/// Told what it knows, QTabBar of Qt 6.4 forgets that it has tabs to arrange anew.
void showTab(QTabBar* tabs, int tab, bool isVisible)
{
    if (tabs->isTabVisible(tab) != isVisible)
        tabs->setTabVisible(tab, isVisible);
}

} // namespace

PartitionPanes::PartitionPanes(const Parts& parts, QWidget* parent)
    : QWidget(parent)
    , m_parts(parts)
    , m_tabs(new QTabBar(this))
    , m_rows(new ThinSplitter(Qt::Vertical, this))
    , m_columns(new ThinSplitter(Qt::Horizontal, m_rows))
{
    m_columns->addWidget(parts.diagram);
    m_columns->addWidget(parts.blocks);
    m_columns->addWidget(parts.rank);
    m_columns->setStretchFactor(0, 1);
    m_columns->setStretchFactor(1, 5);
    m_columns->setStretchFactor(2, 3);
    m_columns->setSizes({212, 640, 388});
    m_rows->addWidget(m_columns);
    m_rows->addWidget(parts.costs);
    m_rows->setStretchFactor(0, 3);
    m_rows->setStretchFactor(1, 1);
    m_rows->setSizes({500, 200});
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_tabs);
    column->addWidget(m_rows, 1);
    makeTabs();
}

void PartitionPanes::makeTabs()
{
    m_tabs->setAccessibleName(tr("Parts of the picture"));
    m_tabs->setDrawBase(false);
    m_tabs->setExpanding(false);
    m_tabs->addTab(tr("Ranks and blocks"));
    m_tabs->addTab(QString());
    m_tabs->addTab(tr("Costs"));
    m_tabs->setTabToolTip(int(Pane::Blocks), tr("What each rank holds, step by step"));
    m_tabs->setTabToolTip(int(Pane::Rank), tr("What the chosen rank holds, sends and receives"));
    m_tabs->setTabToolTip(int(Pane::Costs), tr("What this partition and others cost, by operator"));
    setRank(-1);
    connect(m_tabs, &QTabBar::currentChanged, this, &PartitionPanes::arrange);
    arrange();
}

void PartitionPanes::setPane(Pane pane)
{
    if (m_tabs->isTabVisible(int(pane)))
        m_tabs->setCurrentIndex(int(pane));
}

void PartitionPanes::setHasCosts(bool hasCosts)
{
    m_hasCosts = hasCosts;
    arrange();
}

void PartitionPanes::setRank(int rank)
{
    m_tabs->setTabText(int(Pane::Rank), rank < 0 ? tr("A rank") : tr("Rank %1").arg(rank));
}

QSize PartitionPanes::minimumSizeHint() const
{
    const QSize diagram = m_parts.diagram->minimumSizeHint(), blocks = m_parts.blocks->minimumSizeHint();
    const QSize rank = m_parts.rank->minimumSizeHint();
    const int height = std::max({diagram.height(), blocks.height(), rank.height()});
    return {diagram.width() + std::max(blocks.width(), rank.width()) + 1, m_tabs->sizeHint().height() + height};
}

bool PartitionPanes::event(QEvent* event)
{
    const bool done = QWidget::event(event);
    if (event->type() == QEvent::LayoutRequest) // more ranks need more room
        findRoom();
    return done;
}

void PartitionPanes::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    findRoom();
}

void PartitionPanes::findRoom()
{
    const QSize least = minimumSizeHint() - QSize(0, m_tabs->sizeHint().height());
    const int width = m_parts.diagram->minimumSizeHint().width() + kLeastBlocks
        + m_parts.rank->minimumSizeHint().width() + (m_isNarrow ? kBackLater : 0);
    const int saved = m_isShort ? kLinesSaved * fontMetrics().lineSpacing() : 0;
    const int height = least.height() + m_parts.costs->minimumSizeHint().height() + saved;
    setRoom(this->width() < width, this->height() < height);
}

void PartitionPanes::setRoom(bool isNarrow, bool isShort)
{
    if (isNarrow == m_isNarrow && isShort == m_isShort)
        return;
    if (!m_isNarrow && !m_isShort) {
        m_rowsBefore = m_rows->saveState();
        m_columnsBefore = m_columns->saveState();
    }
    const bool wasShort = std::exchange(m_isShort, isShort);
    m_isNarrow = isNarrow;
    arrange();
    if (!m_isNarrow && !m_isShort) {
        m_rows->restoreState(m_rowsBefore);
        m_columns->restoreState(m_columnsBefore);
    }
    if (isShort != wasShort)
        Q_EMIT shortChanged(isShort);
}

void PartitionPanes::arrange()
{
    const bool hasCostsTab = m_isShort && m_hasCosts;
    showTab(m_tabs, int(Pane::Rank), m_isNarrow);
    showTab(m_tabs, int(Pane::Costs), hasCostsTab);
    m_tabs->setVisible(m_isNarrow || hasCostsTab);
    const int front = m_tabs->currentIndex();
    const bool costsAlone = hasCostsTab && front == int(Pane::Costs);
    const bool rankAlone = m_isNarrow && front == int(Pane::Rank);
    m_columns->setVisible(!costsAlone);
    m_parts.blocks->setVisible(!rankAlone);
    m_parts.rank->setVisible(!m_isNarrow || rankAlone);
    m_parts.costs->setVisible(m_hasCosts && (!hasCostsTab || costsAlone));
}

} // namespace stratoplan::widgets
