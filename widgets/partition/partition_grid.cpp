// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/partition/partition_grid.h"

#include "widgets/panels/panel_style.h"
#include "widgets/style/theme.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QTextDocumentFragment>
#include <QToolTip>
#include <algorithm>
#include <utility>

namespace stratoplan::widgets {

namespace {
constexpr double kGridMargin = 10;
constexpr QSize kLeastGrid(300, 200);

QString keysTip()
{
    return QStringLiteral("<div style='white-space:nowrap'>%1</div>")
        .arg(PartitionGrid::tr("Arrow keys choose a rank, Esc none; Space plays the steps"));
}
} // namespace

PartitionGrid::PartitionGrid(QWidget* parent)
    : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAccessibleName(tr("Ranks and the blocks they hold"));
}

void PartitionGrid::setFrame(PartitionFrame frame)
{
    if (frame == m_frame)
        return;
    m_frame = std::move(frame);
    const int ranks = int(m_frame.ranks.size());
    if (m_marks.selected >= ranks)
        m_marks.selected = -1;
    if (m_marks.hovered >= ranks)
        m_marks.hovered = -1;
    relayout();
    describe();
    updateGeometry();
}

QSize PartitionGrid::minimumSizeHint() const
{
    const int height = PartitionLayout::leastHeight(
        m_frame.bits, m_frame.columnBits, m_frame.ranksPerDomain, GridTexts::titleHeight(font()));
    return {kLeastGrid.width(), std::max(kLeastGrid.height(), height + int(2 * kGridMargin))};
}

void PartitionGrid::setTravel(double share)
{
    if (share == m_marks.travel)
        return;
    m_marks.travel = share;
    update();
}

void PartitionGrid::setSelectedRank(int rank)
{
    m_marks.selected = rank < int(m_frame.ranks.size()) ? rank : -1;
    describe();
    update();
}

void PartitionGrid::relayout()
{
    const QRectF area = QRectF(rect()).adjusted(kGridMargin, kGridMargin, -kGridMargin, -kGridMargin);
    m_painter.reset();
    m_layout = {};
    if (!m_frame.ranks.empty()) {
        m_layout = {m_frame.bits, m_frame.columnBits, m_frame.ranksPerDomain, GridTexts::titleHeight(font()), area};
        m_painter.emplace(m_frame, m_layout, currentTokens(), font());
    }
    update();
}

void PartitionGrid::describe()
{
    const int rank = m_marks.selected;
    setAccessibleDescription(rank < 0 ? tr("%1 ranks, none selected").arg(m_frame.ranks.size())
                                      : QTextDocumentFragment::fromHtml(m_frame.tips[std::size_t(rank)]).toPlainText());
}

void PartitionGrid::choose(int rank)
{
    if (rank == m_marks.selected)
        return;
    setSelectedRank(rank);
    Q_EMIT rankChosen(rank);
}

void PartitionGrid::setHovered(int rank)
{
    if (rank == m_marks.hovered)
        return;
    m_marks.hovered = rank;
    setCursor(rank >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
    update();
}

bool PartitionGrid::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto& help = static_cast<QHelpEvent&>(*event);
    if (const auto rank = m_layout.rankAt(help.pos()))
        QToolTip::showText(
            help.globalPos(), m_frame.tips[std::size_t(*rank)] + keysTip(), this, m_layout.cell(*rank).toRect());
    else
        QToolTip::showText(help.globalPos(), keysTip(), this);
    return true;
}

void PartitionGrid::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), currentTokens().surface);
    if (!m_painter)
        return;
    GridMarks marks = m_marks;
    marks.hasFocus = showsFocus(*this);
    m_painter->paint(painter, marks);
    if (marks.hasFocus)
        paintFocusRing(painter, rect(), currentTokens());
}

void PartitionGrid::paintRanks(QPainter& painter) const
{
    if (!m_frame.ranks.empty())
        GridPainter(m_frame, m_layout, currentTokens(), font()).paint(painter, {.travel = m_marks.travel});
}

void PartitionGrid::resizeEvent(QResizeEvent*)
{
    relayout();
}

void PartitionGrid::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::FontChange || event->type() == QEvent::PaletteChange)
        relayout();
    QWidget::changeEvent(event);
}

void PartitionGrid::mouseMoveEvent(QMouseEvent* event)
{
    setHovered(m_layout.rankAt(event->position()).value_or(-1));
}

void PartitionGrid::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton)
        choose(m_layout.rankAt(event->position()).value_or(-1));
}

void PartitionGrid::leaveEvent(QEvent*)
{
    setHovered(-1);
}

void PartitionGrid::keyPressEvent(QKeyEvent* event)
{
    const int key = event->key();
    if (key == Qt::Key_Space)
        return Q_EMIT playWanted();
    const int right = key == Qt::Key_Right ? 1 : key == Qt::Key_Left ? -1 : 0;
    const int down = key == Qt::Key_Down ? 1 : key == Qt::Key_Up ? -1 : 0;
    const bool ends = key == Qt::Key_Home || key == Qt::Key_End;
    if (m_frame.ranks.empty() || (right == 0 && down == 0 && !ends && key != Qt::Key_Escape))
        return QWidget::keyPressEvent(event);
    if (key == Qt::Key_Escape && m_marks.selected < 0)
        return QWidget::keyPressEvent(event); // closes what the grid stands in
    setHovered(-1); // what the keys choose stands out until the mouse moves again
    if (key == Qt::Key_Escape)
        choose(-1);
    else if (ends)
        choose(key == Qt::Key_Home ? 0 : m_layout.ranks() - 1);
    else
        choose(m_marks.selected < 0 ? 0 : m_layout.beside(m_marks.selected, right, down));
}

void PartitionGrid::focusInEvent(QFocusEvent* event)
{
    QWidget::focusInEvent(event);
    update();
}

void PartitionGrid::focusOutEvent(QFocusEvent* event)
{
    QWidget::focusOutEvent(event);
    update();
}

} // namespace stratoplan::widgets
