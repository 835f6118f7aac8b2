// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/partition/block_diagram.h"

#include "widgets/panels/panel_style.h"
#include "widgets/style/theme.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace stratoplan::widgets {

namespace {

constexpr double kSkipRoom = 26; ///< for the residual stream and branches, on the left
constexpr double kStreamAt = 9, kBranchAt = 18; ///< in it
constexpr double kBend = 7;
constexpr double kRight = 10, kTop = 14, kBottom = 14;
constexpr double kHighestRow = 50;
constexpr double kFlow = 9; ///< between boxes
constexpr double kTextLeft = 13.5, kTextRight = 9.5; ///< of a box, beside its texts
constexpr double kTextGap = 6;
constexpr double kLeastDivision = 0.4; ///< share of a box that a name leaves to the division
constexpr int kLeastWidth = 170, kMostLeastWidth = 250; ///< the blocks need the room more

void drawDown(QPainter& painter, QPointF from, QPointF to)
{
    painter.drawLine(from, to);
    painter.drawLine(to, to + QPointF(-2.5, -3.5));
    painter.drawLine(to, to + QPointF(2.5, -3.5));
}

/// From the left side of a box to a lane beside it.
void leaveBox(QPainter& painter, double lane, double from)
{
    QPainterPath path(QPointF(kSkipRoom, from));
    path.quadTo(QPointF(lane, from), QPointF(lane, from + kBend));
    painter.strokePath(path, painter.pen());
}

/// Along a lane beside the boxes into one of them; from above all where it comes from none.
void drawBeside(QPainter& painter, double lane, std::optional<double> from, double to)
{
    if (from)
        leaveBox(painter, lane, *from);
    QPainterPath path(QPointF(lane, from ? *from + kBend : 0));
    path.lineTo(lane, to - kBend);
    path.quadTo(QPointF(lane, to), QPointF(kSkipRoom - 1, to));
    painter.strokePath(path, painter.pen());
    painter.drawLine(QPointF(kSkipRoom - 1, to), QPointF(kSkipRoom - 4.5, to - 2.5));
    painter.drawLine(QPointF(kSkipRoom - 1, to), QPointF(kSkipRoom - 4.5, to + 2.5));
}

} // namespace

BlockDiagram::BlockDiagram(QWidget* parent)
    : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAccessibleName(tr("Operators of a layer"));
}

void BlockDiagram::setOperators(std::vector<DiagramOperator> operators)
{
    if (operators == m_operators)
        return;
    m_operators = std::move(operators);
    m_hovered = -1;
    m_current = std::min(m_current, int(m_operators.size()) - 1);
    describe();
    updateGeometry();
    update();
}

void BlockDiagram::setCurrent(int index)
{
    m_current = index < int(m_operators.size()) ? index : -1;
    describe();
    update();
}

void BlockDiagram::describe()
{
    setAccessibleDescription(m_current < 0 ? tr("No operator chosen") : tip(m_current));
}

QString BlockDiagram::tip(int index) const
{
    const DiagramOperator& op = m_operators[std::size_t(index)];
    const QString text = op.division.isEmpty() ? op.name : tr("%1, divided by %2").arg(op.name, op.division);
    return op.alsoFrom < 0 ? text
                           : tr("%1; takes what %2 makes, too").arg(text, m_operators[std::size_t(op.alsoFrom)].name);
}

double BlockDiagram::leastRow() const
{
    return fontMetrics().height() + 4 + kFlow;
}

QSize BlockDiagram::sizeHint() const
{
    return {220, int(kTop + kBottom + double(m_operators.size()) * (leastRow() + 10))};
}

QSize BlockDiagram::minimumSizeHint() const
{
    const int width = std::clamp(widthOfTexts(), kLeastWidth, kMostLeastWidth);
    return {width, int(kTop + kBottom + double(m_operators.size()) * leastRow())};
}

QString BlockDiagram::nameOf(const DiagramOperator& op)
{
    return op.kind == DiagramOperator::Kind::Residual ? tr("+ %1").arg(op.name) : op.name;
}

QFont BlockDiagram::nameFont(int index) const
{
    const bool linear = m_operators[std::size_t(index)].kind == DiagramOperator::Kind::Linear;
    return scaledFont(font(), 1, linear || index == m_current);
}

QFont BlockDiagram::divisionFont() const
{
    return scaledFont(font(), 0.88);
}

/// In which all texts are whole.
int BlockDiagram::widthOfTexts() const
{
    const QFontMetricsF names(scaledFont(font(), 1, true)), divisions(divisionFont());
    double widest = 0;
    for (const DiagramOperator& op : m_operators)
        widest = std::max(widest, names.horizontalAdvance(nameOf(op)) + divisions.horizontalAdvance(op.division));
    return int(std::ceil(widest + kSkipRoom + kRight + kTextLeft + kTextRight + kTextGap));
}

BlockDiagram::Texts BlockDiagram::texts(int index) const
{
    const DiagramOperator& op = m_operators[std::size_t(index)];
    const QFontMetricsF names(nameFont(index)), divisions(divisionFont());
    const QString name = nameOf(op);
    const double room = box(index).width() - kTextLeft - kTextRight;
    const double whole = divisions.horizontalAdvance(op.division);
    const double left = room - names.horizontalAdvance(name) - kTextGap;
    const double ofDivision = std::min(whole, std::max(left, kLeastDivision * room));
    const double ofName = op.division.isEmpty() ? room : room - ofDivision - kTextGap;
    // A pixel more, as widths are rounded.
    return {names.elidedText(name, Qt::ElideRight, ofName + 1),
        divisions.elidedText(op.division, Qt::ElideRight, ofDivision + 1)};
}

QRectF BlockDiagram::box(int index) const
{
    const double row =
        std::min(kHighestRow, (height() - kTop - kBottom) / std::max<double>(1, double(m_operators.size())));
    return {kSkipRoom, kTop + index * row + kFlow / 2, width() - kSkipRoom - kRight, row - kFlow};
}

int BlockDiagram::indexAt(QPointF at) const
{
    for (int index = 0; index < int(m_operators.size()); ++index)
        if (box(index).adjusted(-kSkipRoom, -kFlow / 2, kRight, kFlow / 2).contains(at))
            return index;
    return -1;
}

void BlockDiagram::choose(int index)
{
    if (index < 0 || index >= int(m_operators.size()) || index == m_current)
        return;
    setCurrent(index);
    Q_EMIT operatorChosen(index);
}

bool BlockDiagram::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto& help = static_cast<QHelpEvent&>(*event);
    const int index = indexAt(help.pos());
    const QString keys = tr("Up and Down choose an operator");
    QToolTip::showText(help.globalPos(), index >= 0 ? tr("%1\n%2").arg(tip(index), keys) : keys, this);
    return true;
}

void BlockDiagram::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), currentTokens().surface);
    painter.setRenderHint(QPainter::Antialiasing);
    if (m_operators.empty())
        return;
    paintFlow(painter);
    paintSkips(painter);
    paintBranches(painter);
    for (int index = 0; index < int(m_operators.size()); ++index)
        paintBox(painter, index);
    if (showsFocus(*this))
        paintFocusRing(painter, rect(), currentTokens());
}

void BlockDiagram::paintFlow(QPainter& painter) const
{
    painter.setPen(QPen(currentTokens().secondaryText, 1.2));
    const double x = box(0).center().x();
    drawDown(painter, {x, 2}, {x, box(0).top() - 1});
    for (int index = 1; index < int(m_operators.size()); ++index)
        drawDown(painter, {x, box(index - 1).bottom()}, {x, box(index).top() - 1});
    const double last = box(int(m_operators.size()) - 1).bottom();
    drawDown(painter, {x, last}, {x, last + kBottom - 3});
}

void BlockDiagram::paintSkips(QPainter& painter) const
{
    // From each sum to the next; before the first and after the last the stream is the neighbouring layer's.
    painter.setPen(QPen(currentTokens().secondaryText, 1.2));
    std::optional<double> from;
    for (int index = 0; index < int(m_operators.size()); ++index) {
        if (m_operators[std::size_t(index)].kind != DiagramOperator::Kind::Residual)
            continue;
        const QRectF sum = box(index);
        drawBeside(painter, kStreamAt, from, sum.top() + sum.height() * 0.3);
        from = sum.top() + sum.height() * 0.7;
    }
    if (from) {
        leaveBox(painter, kStreamAt, *from);
        painter.drawLine(QPointF(kStreamAt, *from + kBend),
            QPointF(kStreamAt, box(int(m_operators.size()) - 1).bottom() + kBottom - 3));
    }
}

void BlockDiagram::paintBranches(QPainter& painter) const
{
    painter.setPen(QPen(currentTokens().secondaryText, 1.2));
    for (int index = 0; index < int(m_operators.size()); ++index)
        if (const int from = m_operators[std::size_t(index)].alsoFrom; from >= 0)
            drawBeside(painter, kBranchAt, box(from).center().y(), box(index).center().y());
}

void BlockDiagram::paintBox(QPainter& painter, int index) const
{
    const Tokens& t = currentTokens();
    const DiagramOperator& op = m_operators[std::size_t(index)];
    const QRectF rect = box(index).adjusted(0.5, 0.5, -0.5, -0.5);
    const bool current = index == m_current;
    const bool linear = op.kind == DiagramOperator::Kind::Linear;
    const double radius = op.kind == DiagramOperator::Kind::Residual ? rect.height() / 2 : 4;
    painter.setPen(QPen(current ? (showsFocus(*this) ? t.accent : t.selection) : t.frame, current ? 2 : 1));
    painter.setBrush(current ? t.accentSoft : index == m_hovered || linear ? t.raised : t.surface);
    painter.drawRoundedRect(rect, radius, radius);
    if (linear) { // a product: marked by a bar, as colour and frame mark what is chosen
        painter.setPen(Qt::NoPen);
        painter.setBrush(t.accent);
        painter.drawRoundedRect(QRectF(rect.left() + 4, rect.top() + 5, 3, rect.height() - 10), 1.5, 1.5);
    }
    const QRectF room = box(index).adjusted(kTextLeft, 0, -kTextRight, 0);
    const auto [name, division] = texts(index);
    painter.setFont(nameFont(index));
    painter.setPen(t.text);
    painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter, name);
    painter.setFont(divisionFont());
    painter.setPen(t.secondaryText);
    painter.drawText(room, Qt::AlignRight | Qt::AlignVCenter, division);
}

void BlockDiagram::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton)
        choose(indexAt(event->position()));
}

void BlockDiagram::mouseMoveEvent(QMouseEvent* event)
{
    const int index = indexAt(event->position());
    if (index == m_hovered)
        return;
    m_hovered = index;
    setCursor(index >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
    update();
}

void BlockDiagram::leaveEvent(QEvent*)
{
    m_hovered = -1;
    update();
}

void BlockDiagram::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Up:
        return choose(std::max(0, m_current - 1));
    case Qt::Key_Down:
        return choose(std::min(m_current + 1, int(m_operators.size()) - 1));
    case Qt::Key_Home:
        return choose(0);
    case Qt::Key_End:
        return choose(int(m_operators.size()) - 1);
    default:
        QWidget::keyPressEvent(event);
    }
}

void BlockDiagram::focusInEvent(QFocusEvent* event)
{
    QWidget::focusInEvent(event);
    update();
}

void BlockDiagram::focusOutEvent(QFocusEvent* event)
{
    QWidget::focusOutEvent(event);
    update();
}

} // namespace stratoplan::widgets
