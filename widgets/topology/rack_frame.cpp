// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/rack_frame.h"

#include "widgets/style/theme.h"
#include "widgets/topology/card_paint.h"
#include "widgets/topology/element_item.h"
#include "widgets/topology/rack_frames.h"
#include "widgets/topology/rack_layout.h"

#include <QApplication>
#include <QFontMetricsF>
#include <QGraphicsSceneMouseEvent>
#include <QPainter>
#include <QTextDocument>

#include <algorithm>
#include <numeric>

namespace stratoplan::widgets {

namespace {

constexpr double kFrameLayer = -5; ///< z
constexpr double kPlateLayer = 15;
constexpr double kRackRadius = 12;
constexpr double kFrameHitWidth = 10; ///< of the line
constexpr double kGroundShare = 0.35; ///< of what a frame lays over the canvas
constexpr double kTargetShare = 0.6;
constexpr double kLeastPlateText = 28; ///< pixels of a plate that has room for some
constexpr double kShrink = 0.82; ///< as far as texts get smaller to fit

QFont plateFont(CardText role, double zoom)
{
    QFont font = cardFont(role);
    font.setPointSizeF(font.pointSizeF() / zoom);
    return font;
}

} // namespace

RackFrame::RackFrame(RackFrames& racks)
    : m_racks(racks)
    , m_title(new RackTitle(*this))
{
    setAcceptedMouseButtons(Qt::LeftButton);
    setAcceptHoverEvents(true);
    setZValue(kFrameLayer);
}

void RackFrame::setContent(const RackContent& content)
{
    if (content == m_content)
        return;
    m_content = content;
    const QString text = QStringLiteral("%1: %2").arg(content.name, content.parts.join(QStringLiteral(", ")));
    setToolTip(Qt::mightBeRichText(text) ? QStringLiteral("<qt>%1</qt>").arg(text.toHtmlEscaped()) : text);
    m_title->setToolTip(toolTip());
    layOut();
}

void RackFrame::setFrame(const QRectF& frame)
{
    if (frame == m_frame)
        return;
    m_frame = frame;
    layOut();
}

void RackFrame::setView(double zoom, bool isPlate)
{
    if (zoom == m_zoom && isPlate == m_isPlate)
        return;
    m_zoom = zoom;
    m_isPlate = isPlate;
    setZValue(isPlate ? kPlateLayer : kFrameLayer);
    m_title->setVisible(!isPlate);
    layOut();
}

void RackFrame::setChosen(Chosen chosen)
{
    if (chosen == m_chosen)
        return;
    m_chosen = chosen;
    redraw();
}

void RackFrame::setTarget(bool isTarget)
{
    if (isTarget == m_isTarget)
        return;
    m_isTarget = isTarget;
    redraw();
}

void RackFrame::layOut()
{
    prepareGeometryChange();
    m_title->layOut(m_zoom);
    update();
}

void RackFrame::redraw()
{
    update();
    m_title->update();
}

RackFrame* RackFrame::shownBy(QGraphicsItem& item)
{
    return item.type() == Type           ? static_cast<RackFrame*>(&item)
        : item.type() == RackTitle::Type ? &static_cast<RackTitle&>(item).frame()
                                         : nullptr;
}

QRectF RackFrame::boundingRect() const
{
    const double margin = std::max(kFrameHitWidth / 2, lineWidth());
    return m_frame.adjusted(-margin, -margin, margin, margin);
}

QPainterPath RackFrame::shape() const
{
    QPainterPath path;
    path.setFillRule(Qt::WindingFill);
    if (m_isPlate) {
        path.addRect(m_frame);
        return path;
    }
    constexpr double kHalf = kFrameHitWidth / 2;
    const QRectF outer = m_frame.adjusted(-kHalf, -kHalf, kHalf, kHalf);
    path.addRect(QRectF(outer.topLeft(), QSizeF(outer.width(), kFrameHitWidth)));
    path.addRect(QRectF(outer.left(), outer.bottom() - kFrameHitWidth, outer.width(), kFrameHitWidth));
    path.addRect(QRectF(outer.topLeft(), QSizeF(kFrameHitWidth, outer.height())));
    path.addRect(QRectF(outer.right() - kFrameHitWidth, outer.top(), kFrameHitWidth, outer.height()));
    return path;
}

QColor RackFrame::lineColour(const Tokens& t) const
{
    if (m_chosen != Chosen::None || m_isTarget)
        return t.accent;
    if (m_isPlate && m_content.issue == plan::Severity::Error)
        return t.bad;
    if (m_isPlate && m_content.issue == plan::Severity::Warning)
        return t.warn;
    return m_isHovered ? t.secondaryText : t.frame;
}

double RackFrame::lineWidth() const
{
    return (m_chosen == Chosen::All || m_isTarget || (m_isPlate && m_chosen == Chosen::Some) ? 2 : 1.25)
        / std::min(m_zoom, 1.0);
}

void RackFrame::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*)
{
    const Tokens& t = currentTokens();
    painter->setRenderHint(QPainter::Antialiasing);
    if (m_isPlate)
        paintPlate(*painter, t);
    else
        paintFrame(*painter, t);
}

void RackFrame::paintFrame(QPainter& painter, const Tokens& t) const
{
    const bool isChosen = m_chosen == Chosen::All;
    const bool isMarked = isChosen || m_isTarget || m_isHovered;
    painter.setPen(QPen(isMarked ? lineColour(t) : t.frame, lineWidth(), m_isTarget ? Qt::SolidLine : Qt::DashLine));
    painter.setBrush(m_isTarget ? translucent(t.accentSoft, kTargetShare) : translucent(t.window, kGroundShare));
    painter.drawRoundedRect(m_frame, kRackRadius, kRackRadius);
}

QColor RackFrame::ground(const Tokens& t) const
{
    return m_isTarget ? blend(t.accentSoft, t.surface, kTargetShare) : blend(t.window, t.surface, kGroundShare);
}

QStringList RackFrame::plateLines() const
{
    const double width = m_frame.width() * 0.9 * m_zoom, height = m_frame.height() * 0.85 * m_zoom; // pixels
    const QFontMetricsF name(cardFont(CardText::Name)), caption(cardFont(CardText::Caption));
    const auto fits = [&](const QStringList& lines) {
        if (name.height() + static_cast<double>(lines.size() - 1) * caption.height() > height)
            return false;
        return std::all_of(lines.begin(), lines.end(), [&](const QString& line) {
            const QFontMetricsF& metrics = &line == &lines.constFirst() ? name : caption;
            return metrics.horizontalAdvance(line) * kShrink <= width;
        });
    };
    const QStringList brief{m_content.name, m_content.parts.join(QStringLiteral(", "))};
    const QStringList full = QStringList(m_content.name) + m_content.parts;
    for (const QStringList& lines : {brief, full, QStringList(m_content.name)}) {
        if (fits(lines))
            return lines;
    }
    return width < kLeastPlateText || height < name.height() ? QStringList() : QStringList(m_content.name);
}

void RackFrame::paintPlate(QPainter& painter, const Tokens& t) const
{
    const double radius = std::min(6 / m_zoom, m_frame.height() / 6);
    painter.setPen(QPen(lineColour(t), lineWidth()));
    painter.setBrush(m_chosen == Chosen::All || m_isTarget ? t.accentSoft : t.window);
    painter.drawRoundedRect(m_frame, radius, radius);
    const double inset = std::min(8 / m_zoom, m_frame.width() / 12);
    const double thick = std::min(5 / m_zoom, m_frame.height() / 10);
    paintShares(
        painter, {m_frame.left() + inset, m_frame.bottom() - inset - thick, m_frame.width() - 2 * inset, thick}, t);
    const QStringList lines = plateLines();
    if (lines.isEmpty())
        return;
    const QFont name = plateFont(CardText::Name, m_zoom), caption = plateFont(CardText::Caption, m_zoom);
    const double nameHeight = QFontMetricsF(name).height(), captionHeight = QFontMetricsF(caption).height();
    const double height = nameHeight + static_cast<double>(lines.size() - 1) * captionHeight;
    QRectF row(m_frame.left() + m_frame.width() * 0.05, m_frame.center().y() - (height + thick) / 2,
        m_frame.width() * 0.9, nameHeight);
    drawElided(painter, row, lines.constFirst(), name, t.text);
    row.translate(0, nameHeight);
    row.setHeight(captionHeight);
    for (const QString& line : lines.mid(1)) {
        drawElided(painter, row, line, caption, t.secondaryText);
        row.translate(0, captionHeight);
    }
}

/// Which accelerators there are, in their colours.
void RackFrame::paintShares(QPainter& painter, const QRectF& bar, const Tokens& t) const
{
    const double all = std::accumulate(m_content.shares.begin(), m_content.shares.end(), 0.0,
        [](double sum, const RackContent::Share& share) { return sum + share.accelerators; });
    double left = bar.left();
    for (const RackContent::Share& share : m_content.shares) {
        const double width = bar.width() * share.accelerators / all;
        painter.fillRect(QRectF(left, bar.top(), width, bar.height()), acceleratorColour(t, share.colour));
        left += width;
    }
}

void RackFrame::mousePressEvent(QGraphicsSceneMouseEvent* event)
{
    const bool adds = event->modifiers().testFlag(Qt::ControlModifier);
    m_wasChosen = m_chosen == Chosen::All;
    if (!m_wasChosen) // else all that is selected may be dragged by it
        m_racks.select(*this, adds ? RackFrames::Selecting::Add : RackFrames::Selecting::Only);
    event->accept();
}

void RackFrame::mouseReleaseEvent(QGraphicsSceneMouseEvent* event)
{
    const QPoint way = event->screenPos() - event->buttonDownScreenPos(Qt::LeftButton);
    if (!m_wasChosen || way.manhattanLength() >= QApplication::startDragDistance())
        return;
    const bool toggles = event->modifiers().testFlag(Qt::ControlModifier);
    m_racks.select(*this, toggles ? RackFrames::Selecting::Remove : RackFrames::Selecting::Only);
}

void RackFrame::mouseDoubleClickEvent(QGraphicsSceneMouseEvent* event)
{
    m_wasChosen = false;
    if (m_chosen != Chosen::All)
        m_racks.select(*this, RackFrames::Selecting::Only);
    event->accept();
    Q_EMIT m_racks.renameWanted(m_content.name);
}

void RackFrame::hoverEnterEvent(QGraphicsSceneHoverEvent*)
{
    m_isHovered = true;
    redraw();
}

void RackFrame::hoverLeaveEvent(QGraphicsSceneHoverEvent*)
{
    m_isHovered = false;
    redraw();
}

} // namespace stratoplan::widgets
