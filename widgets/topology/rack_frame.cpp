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
constexpr double kTitleInset = 16;
constexpr double kTitleDrop = 3; ///< of a title within the frame, from the middle of its room
constexpr double kMostTitle = 40; ///< points; larger ones would reach into the row above
constexpr double kLeastPlateText = 28; ///< pixels of a plate that has room for some
constexpr double kShrink = 0.82; ///< as far as texts get smaller to fit

/// Of the same size on the screen, or a little less, until there is no room in the scene for it.
QFont titleFont(double zoom)
{
    QFont font = cardFont(CardText::Name);
    const double base = font.pointSizeF();
    font.setPointSizeF(std::clamp(base * 0.9 / zoom, base, std::max(base, kMostTitle)));
    return font;
}

QFont plateFont(CardText role, double zoom)
{
    QFont font = cardFont(role);
    font.setPointSizeF(font.pointSizeF() / zoom);
    return font;
}

} // namespace

RackFrame::RackFrame(RackFrames& racks)
    : m_racks(racks)
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
    layOut();
}

void RackFrame::setChosen(Chosen chosen)
{
    if (chosen == m_chosen)
        return;
    m_chosen = chosen;
    update();
}

void RackFrame::setTarget(bool isTarget)
{
    if (isTarget == m_isTarget)
        return;
    m_isTarget = isTarget;
    update();
}

/// Above the frame where the title is too large to stand in it.
void RackFrame::layOut()
{
    prepareGeometryChange();
    const QFontMetricsF metrics(titleFont(m_zoom));
    const double room = std::max(0.0, m_frame.width() - 2 * kTitleInset), height = metrics.height();
    const double width = std::min(room, metrics.horizontalAdvance(m_content.name) + 2);
    const double top =
        height <= kRackTitle ? m_frame.top() + (kRackTitle - height) / 2 + kTitleDrop : m_frame.top() - height;
    m_title = QRectF(m_frame.left() + kTitleInset, top, width, height);
    update();
}

QRectF RackFrame::boundingRect() const
{
    const double margin = std::max(kFrameHitWidth / 2, lineWidth());
    QRectF line = m_title;
    line.setRight(m_frame.right());
    return m_frame.adjusted(-margin, -margin, margin, margin) | line;
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
    path.addRect(m_title);
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
    if (m_isPlate) {
        paintPlate(*painter, t);
    } else {
        paintFrame(*painter, t);
        paintTitle(*painter, t);
    }
}

void RackFrame::paintFrame(QPainter& painter, const Tokens& t) const
{
    const bool isChosen = m_chosen == Chosen::All;
    const bool isMarked = isChosen || m_isTarget || m_isHovered;
    painter.setPen(QPen(isMarked ? lineColour(t) : t.frame, lineWidth(), m_isTarget ? Qt::SolidLine : Qt::DashLine));
    painter.setBrush(m_isTarget ? translucent(t.accentSoft, 0.6) : translucent(t.window, 0.35));
    painter.drawRoundedRect(m_frame, kRackRadius, kRackRadius);
}

void RackFrame::paintTitle(QPainter& painter, const Tokens& t) const
{
    const QFont font = titleFont(m_zoom);
    painter.setFont(font);
    painter.setPen(m_chosen == Chosen::All ? t.accent : t.text);
    painter.drawText(m_title, Qt::AlignLeft | Qt::AlignVCenter,
        QFontMetricsF(font).elidedText(m_content.name, Qt::ElideRight, m_title.width()));
    // What is in it, where there is room beside the name.
    QFont small = font;
    small.setWeight(QFont::Normal);
    small.setPointSizeF(font.pointSizeF() * 0.85);
    const QString parts = m_content.parts.join(QStringLiteral(", "));
    QRectF rest = m_title;
    rest.setLeft(m_title.right() + QFontMetricsF(font).height() / 2);
    rest.setRight(m_frame.right() - kTitleInset);
    if (QFontMetricsF(small).horizontalAdvance(parts) > rest.width())
        return;
    painter.setFont(small);
    painter.setPen(t.secondaryText);
    painter.drawText(rest, Qt::AlignLeft | Qt::AlignVCenter, parts);
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
    update();
}

void RackFrame::hoverLeaveEvent(QGraphicsSceneHoverEvent*)
{
    m_isHovered = false;
    update();
}

} // namespace stratoplan::widgets
