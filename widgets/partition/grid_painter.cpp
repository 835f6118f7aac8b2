// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/partition/grid_painter.h"

#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>
#include <cmath>

namespace stratoplan::widgets {

namespace {

constexpr double kCellRadius = 4, kPlateRadius = 7;
constexpr int kMostNamed = 16; ///< ranks whose arrows all say what they carry
constexpr double kReach = 1; ///< of an arrow into the cells that it joins

/// From a point in a rectangle to its edge in a direction of length 1.
double toEdge(const QRectF& rect, QPointF from, QPointF direction)
{
    const auto along = [](double low, double high, double at, double by) {
        return by > 1e-9 ? (high - at) / by : by < -1e-9 ? (low - at) / by : 1e9;
    };
    return std::min(along(rect.left(), rect.right(), from.x(), direction.x()),
        along(rect.top(), rect.bottom(), from.y(), direction.y()));
}

QPolygonF arrowHead(const QPainterPath& curve, double size)
{
    const QPointF tip = curve.pointAtPercent(1);
    const QPointF back = tip - curve.pointAtPercent(std::max(0.0, curve.percentAtLength(curve.length() - size)));
    const double length = std::max(1e-6, std::hypot(back.x(), back.y()));
    const QPointF along = back / length * size, side(-along.y() * 0.55, along.x() * 0.55);
    return QPolygonF{{tip, tip - along + side, tip - along * 0.75, tip - along - side}};
}

} // namespace

GridPainter::GridPainter(
    const PartitionFrame& frame, const PartitionLayout& layout, const Tokens& tokens, const QFont& font)
    : m_frame(frame)
    , m_layout(layout)
    , m_tokens(tokens)
    , m_texts(frame, layout, tokens, font)
{
}

QColor GridPainter::inkOf(const BlockArrow& arrow) const
{
    return arrow.across ? m_tokens.warn : m_tokens.accent;
}

QPainterPath GridPainter::curve(const BlockArrow& arrow) const
{
    const QPointF from = m_texts.band(arrow.from, arrow.band).center(),
                  to = m_texts.band(arrow.to, arrow.band).center();
    const QPointF between = to - from;
    const double whole = std::max(1e-6, std::hypot(between.x(), between.y()));
    const QPointF along = between / whole, side(along.y(), -along.x());
    const QPointF start = from + along * (toEdge(m_layout.cell(arrow.from), from, along) - kReach);
    const QPointF end = to - along * (toEdge(m_layout.cell(arrow.to), to, -along) - kReach);
    const double length = std::hypot(end.x() - start.x(), end.y() - start.y());
    const double bow = std::clamp(length * 0.14, m_layout.gap() * 0.4, 60.0); // there and back are two lines
    QPainterPath path(start);
    path.quadTo((start + end) / 2 + side * 2 * bow, end);
    return path;
}

void GridPainter::paint(QPainter& painter, const GridMarks& marks) const
{
    painter.setRenderHint(QPainter::Antialiasing);
    paintPlates(painter);
    for (int rank = 0; rank < m_layout.ranks(); ++rank)
        paintCell(painter, rank, marks);
    paintSums(painter, marks.pointed());
    paintArrows(painter, marks, false);
    paintMarks(painter, marks);
    paintArrows(painter, marks, true);
    std::vector<QPainterPath> crossing;
    for (const BlockArrow& arrow : m_frame.arrows)
        if (isStrong(arrow, marks) || m_layout.ranks() <= kMostNamed)
            crossing.push_back(curve(arrow));
    m_texts.paint(painter, crossing, marks.hovered); // over all lines: they have to be read
    paintSymbols(painter, marks);
    paintTravelling(painter, marks);
}

void GridPainter::paintPlates(QPainter& painter) const
{
    painter.setPen(QPen(m_tokens.border, 1));
    painter.setBrush(m_tokens.window);
    for (const QRectF& plate : m_layout.plates())
        painter.drawRoundedRect(plate.adjusted(0.5, 0.5, -0.5, -0.5), kPlateRadius, kPlateRadius);
}

void GridPainter::paintCell(QPainter& painter, int rank, const GridMarks& marks) const
{
    const QRectF& cell = m_layout.cell(rank);
    const auto& bands = m_frame.ranks[std::size_t(rank)];
    QPainterPath outline;
    outline.addRoundedRect(cell, kCellRadius, kCellRadius);
    painter.save();
    painter.setClipPath(outline, Qt::IntersectClip);
    painter.fillRect(cell, rank == marks.hovered ? m_tokens.raised : m_tokens.surface);
    for (int i = 0; i < int(bands.size()); ++i) {
        const QRectF rect = m_texts.band(rank, i);
        painter.fillRect(rect, blockColour(bands[std::size_t(i)].tone, m_tokens.kind));
        painter.setPen(QPen(m_tokens.surface, 1));
        if (i > 0 && rect.top() > m_texts.band(rank, 0).top())
            painter.drawLine(rect.topLeft(), rect.topRight());
        else if (i > 0)
            painter.drawLine(rect.topLeft(), rect.bottomLeft());
    }
    painter.restore();
    painter.setPen(QPen(m_tokens.frame, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(cell.adjusted(0.5, 0.5, -0.5, -0.5), kCellRadius, kCellRadius);
}

void GridPainter::paintMarks(QPainter& painter, const GridMarks& marks) const
{
    painter.setBrush(Qt::NoBrush);
    const auto outline = [&](int rank, double by, const QPen& pen) {
        painter.setPen(pen);
        painter.drawRoundedRect(m_layout.cell(rank).adjusted(-by, -by, by, by), kCellRadius + by, kCellRadius + by);
    };
    const int pointed = marks.pointed();
    for (int rank = 0; pointed >= 0 && rank < m_layout.ranks(); ++rank) {
        const auto& bands = m_frame.ranks[std::size_t(rank)];
        if (rank != pointed && bands.size() == 1
            && bands.front().block == m_frame.ranks[std::size_t(pointed)].front().block)
            outline(rank, -1, QPen(m_tokens.text, 1.5, Qt::DotLine)); // a copy of the same block
    }
    if (marks.selected >= 0) {
        outline(marks.selected, 0, QPen(m_tokens.surface, 4.5));
        outline(marks.selected, 0.5, QPen(marks.hasFocus ? m_tokens.accent : m_tokens.selection, 2.5));
    }
    if (marks.hovered >= 0 && marks.hovered != marks.selected)
        outline(marks.hovered, -0.5, QPen(m_tokens.text, 1.5));
}

void GridPainter::paintSums(QPainter& painter, int pointed) const
{
    const int pointedGroup = pointed >= 0 ? sumGroupOf(m_frame, pointed) : -1;
    const double reach = std::max(2.0, m_layout.gap() / 2 - 1);
    painter.setBrush(Qt::NoBrush);
    for (std::size_t group = 0; group < m_frame.sumGroups.size(); ++group) {
        QPainterPath joined;
        joined.setFillRule(Qt::WindingFill);
        for (const int rank : m_frame.sumGroups[group])
            joined.addRect(m_layout.cell(rank).adjusted(-reach, -reach, reach, reach));
        for (const int rank : m_frame.sumGroups[group]) // the gap to neighbours of the same group
            for (const int other : {m_layout.beside(rank, 1, 0), m_layout.beside(rank, 0, 1)})
                if (other != rank && sumGroupOf(m_frame, other) == int(group))
                    joined.addRect(
                        m_layout.cell(rank).united(m_layout.cell(other)).adjusted(-reach, -reach, reach, reach));
        const bool strong = int(group) == pointedGroup;
        QPen pen(m_tokens.bad, strong ? 2.6 : 1.3, Qt::SolidLine, Qt::FlatCap);
        pen.setDashPattern({4, 3});
        painter.setPen(pen);
        for (const QPolygonF& outline : joined.simplified().toSubpathPolygons())
            if (outline.boundingRect().width() > m_layout.gap()) // else what is left between four cells
                painter.drawPolygon(outline);
    }
}

bool GridPainter::isStrong(const BlockArrow& arrow, const GridMarks& marks)
{
    const int pointed = marks.pointed();
    return pointed >= 0 && (arrow.from == pointed || arrow.to == pointed);
}

/// Over other cells.
bool GridPainter::isFar(const QPainterPath& path) const
{
    return path.length() > 3 * m_layout.gap() + 2 * kReach;
}

void GridPainter::paintArrows(QPainter& painter, const GridMarks& marks, bool strong) const
{
    for (const BlockArrow& arrow : m_frame.arrows)
        if (strong == isStrong(arrow, marks))
            paintArrow(painter, arrow, strong, marks.pointed() >= 0);
}

void GridPainter::paintArrow(QPainter& painter, const BlockArrow& arrow, bool strong, bool faint) const
{
    const QPainterPath path = curve(arrow);
    const double share =
        strong ? 1 : (faint ? 0.3 : 0.85) * (isFar(path) ? std::clamp(4.0 / m_layout.ranks(), 0.15, 0.7) : 1);
    const double width = strong ? 2.2 : 1.3;
    const double size = strong ? 8 : std::clamp(m_layout.gap() * 0.6, 4.0, 7.0);
    if (strong) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(m_tokens.surface, width + 3, Qt::SolidLine, Qt::RoundCap));
        painter.drawPath(path);
    }
    const QColor ink = translucent(inkOf(arrow), share);
    QPen pen(ink, width, Qt::SolidLine, Qt::FlatCap);
    if (arrow.across)
        pen.setDashPattern({3, 2});
    painter.setPen(pen);
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(path);
    painter.setPen(Qt::NoPen);
    painter.setBrush(ink);
    painter.drawPolygon(arrowHead(path, size));
}

void GridPainter::paintSymbols(QPainter& painter, const GridMarks& marks) const
{
    const bool faint = marks.pointed() >= 0, areFew = m_layout.ranks() <= kMostNamed;
    painter.setFont(m_texts.smallFont());
    for (const BlockArrow& arrow : m_frame.arrows) {
        const bool far = isFar(curve(arrow));
        if (!(isStrong(arrow, marks) ? far || areFew : !faint && !far && areFew))
            continue;
        const auto place = symbolPlace(arrow);
        if (!place)
            continue; // a label counts more, and the tooltip has both
        painter.setPen(QPen(inkOf(arrow), 1));
        painter.setBrush(m_tokens.surface);
        painter.drawRoundedRect(*place, 3, 3);
        painter.setPen(m_tokens.text);
        painter.drawText(*place, Qt::AlignCenter, symbolOf(arrow));
    }
}

const QString& GridPainter::symbolOf(const BlockArrow& arrow) const
{
    return m_frame.ranks[std::size_t(arrow.from)][std::size_t(arrow.band)].symbol;
}

std::optional<QRectF> GridPainter::symbolPlace(const BlockArrow& arrow) const
{
    const QPainterPath path = curve(arrow);
    const QFontMetricsF metrics(m_texts.smallFont());
    QRectF box(0, 0, metrics.horizontalAdvance(symbolOf(arrow)) + 5, metrics.ascent() + 1);
    // Beside the line, rather on the side to which it is bent, where no text is.
    const QPointF along = path.pointAtPercent(1) - path.pointAtPercent(0);
    const double length = std::max(1e-6, std::hypot(along.x(), along.y()));
    const QPointF side(along.y() / length, -along.x() / length);
    const double reach = toEdge(box.translated(-box.center()), {}, side);
    for (const double share : {0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8}) {
        for (const double by : {reach, 0.0, -reach}) {
            box.moveCenter(path.pointAtPercent(share) + side * by);
            if (!m_texts.isUnder(box))
                return box;
        }
    }
    return std::nullopt;
}

void GridPainter::paintTravelling(QPainter& painter, const GridMarks& marks) const
{
    if (marks.travel <= 0)
        return;
    const double side = std::clamp(m_layout.cell(0).height() * 0.16, 5.0, 13.0);
    for (const BlockArrow& arrow : m_frame.arrows) {
        const BlockBand& block = m_frame.ranks[std::size_t(arrow.from)][std::size_t(arrow.band)];
        const QPointF at = curve(arrow).pointAtPercent(std::clamp(marks.travel, 0.0, 1.0));
        painter.setPen(QPen(m_tokens.text, 1.2));
        painter.setBrush(blockColour(block.tone, m_tokens.kind));
        painter.drawRoundedRect(QRectF(at.x() - side / 2, at.y() - side / 2, side, side), 2, 2);
    }
}

} // namespace stratoplan::widgets
