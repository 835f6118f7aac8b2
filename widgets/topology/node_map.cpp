// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/node_map.h"

#include "widgets/presentation/numbers.h"
#include "widgets/presentation/rank_map.h"
#include "widgets/topology/card_paint.h"

#include <QPaintDevice>
#include <QPainter>

#include <algorithm>
#include <bit>
#include <cmath>

namespace stratoplan::widgets {

namespace {

// Pixels from one accelerator to the next, from which on …
constexpr double kSquares = 6; ///< each is drawn
constexpr double kReadable = 5; ///< accelerators that are alike are worth it
constexpr double kFrames = 9; ///< nodes have frames
constexpr double kNodeNumbers = 14; ///< and numbers
constexpr double kNumbers = 24; ///< accelerators have numbers
constexpr double kSpot = 3; ///< pixels at least of what is traced: it is found at any zoom
constexpr double kSquareShare = 0.84; ///< of the pitch
constexpr double kBackShare = 0.16; ///< of the colour, of what steps back

/// Text of a size in pixels, whatever the zoom.
void drawUnscaled(QPainter& painter, const QRectF& rect, const QString& text, const QColor& colour)
{
    const QTransform transform = painter.worldTransform();
    const QRectF place = transform.mapRect(rect);
    QFont font = cardFont(CardText::Caption);
    font.setPixelSize(std::clamp(static_cast<int>(place.height() * 0.8), 7, 13));
    painter.setWorldTransform({});
    painter.setFont(font);
    painter.setPen(colour);
    painter.drawText(place, Qt::AlignCenter | Qt::TextDontClip, text);
    painter.setWorldTransform(transform);
}

/// The cell, or as much around it as can be seen.
QRectF spot(const QRectF& cell, double least)
{
    const double half = std::max(cell.width(), least) / 2;
    return {cell.center() - QPointF(half, half), cell.center() + QPointF(half, half)};
}

QRectF square(const QRectF& cell, double fill)
{
    const double margin = cell.width() * (1 - fill) / 2;
    return cell.adjusted(margin, margin, -margin, -margin);
}

} // namespace

NodeMap::NodeMap(NodeMapContent content, QSizeF room)
    : m_content(std::move(content))
    , m_grid(m_content.nodes, m_content.perNode, room)
{
}

bool NodeMap::isReadable(double zoom) const
{
    return m_grid.pitch() * zoom >= kReadable;
}

QColor NodeMap::colour(int accelerator, const QColor& plain, const Tokens& t) const
{
    QColor colour = plain;
    if (isColoured()) {
        const int place = m_content.places[static_cast<std::size_t>(accelerator)];
        if (place < 0)
            return {};
        colour = placeColour(t, place, m_content.size);
    }
    if (m_content.isTracing && !std::ranges::binary_search(m_content.traced, accelerator))
        colour = blend(colour, t.window, kBackShare);
    return colour;
}

void NodeMap::paint(QPainter& painter, const QRectF& exposed, const QColor& plain, const Tokens& t) const
{
    if (m_grid.pitch() <= 0)
        return;
    const double zoom = painter.worldTransform().m11();
    const double pixels = m_grid.pitch() * zoom;
    if (pixels < kSquares) {
        paintImage(painter, pixels * painter.device()->devicePixelRatioF(), plain, t);
        for (const int accelerator : m_content.traced)
            painter.fillRect(spot(m_grid.cellRect(accelerator), kSpot / zoom), colour(accelerator, plain, t));
    } else {
        const auto [first, end] = m_grid.nodesIn(exposed);
        for (int node = first; node < end; ++node)
            if (m_grid.nodeRect(node).united(m_grid.titleRect(node)).intersects(exposed))
                paintNode(painter, node, pixels, plain, t);
    }
    if (m_content.at < 0)
        return;
    painter.setPen(QPen(t.text, 2 / zoom));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(spot(m_grid.cellRect(m_content.at), (kSpot + 4) / zoom));
}

void NodeMap::paintImage(QPainter& painter, double pixels, const QColor& plain, const Tokens& t) const
{
    // At most half as large as it is kept: smaller steps would let squares drop out.
    const int resolution = static_cast<int>(std::bit_ceil(static_cast<unsigned>(std::max(1.0, std::ceil(pixels)))));
    if (m_image.isNull() || resolution != m_resolution || plain.rgb() != m_plain || t.kind != m_theme) {
        m_resolution = resolution;
        m_plain = plain.rgb();
        m_theme = t.kind;
        const double scale = resolution / m_grid.pitch();
        m_image =
            QImage((m_grid.bounds().size() * scale).toSize().expandedTo({1, 1}), QImage::Format_ARGB32_Premultiplied);
        m_image.fill(Qt::transparent);
        QPainter image(&m_image);
        image.setRenderHint(QPainter::Antialiasing);
        image.scale(scale, scale);
        image.translate(-m_grid.bounds().topLeft());
        for (int i = 0; i < m_grid.accelerators(); ++i)
            paintCell(image, i, resolution < 4 ? 1 : kSquareShare, plain, t);
    }
    painter.setRenderHint(QPainter::SmoothPixmapTransform);
    painter.drawImage(m_grid.bounds(), m_image);
}

void NodeMap::paintCell(QPainter& painter, int accelerator, double fill, const QColor& plain, const Tokens& t) const
{
    const QRectF place = square(m_grid.cellRect(accelerator), fill);
    const QColor filled = colour(accelerator, plain, t);
    if (filled.isValid()) {
        painter.fillRect(place, filled);
        return;
    }
    QPen pen(t.frame, 0);
    painter.setPen(pen);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(place);
}

void NodeMap::paintNode(QPainter& painter, int node, double pixels, const QColor& plain, const Tokens& t) const
{
    if (pixels >= kFrames) {
        QPen pen(t.frame, 1);
        pen.setCosmetic(true);
        painter.setPen(pen);
        painter.setBrush(Qt::NoBrush);
        const double radius = m_grid.pitch() * 0.15;
        painter.drawRoundedRect(m_grid.nodeRect(node), radius, radius);
    }
    for (int inside = 0; inside < m_grid.perNode(); ++inside)
        paintCell(painter, node * m_grid.perNode() + inside, kSquareShare, plain, t);
    if (pixels >= kNodeNumbers)
        paintNumbers(painter, node, pixels, plain, t);
}

void NodeMap::paintNumbers(QPainter& painter, int node, double pixels, const QColor& plain, const Tokens& t) const
{
    drawUnscaled(painter, m_grid.titleRect(node), groupedNumber(node), t.secondaryText);
    if (pixels < kNumbers)
        return;
    for (int inside = 0; inside < m_grid.perNode(); ++inside) {
        const int accelerator = node * m_grid.perNode() + inside;
        const QColor filled = colour(accelerator, plain, t);
        drawUnscaled(painter, square(m_grid.cellRect(accelerator), 0.6), QString::number(inside),
            filled.isValid() ? t.label(filled) : t.secondaryText);
    }
}

} // namespace stratoplan::widgets
