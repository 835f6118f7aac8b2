// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/partition/grid_painter.h"

#include "widgets/presentation/translate.h"

#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>
#include <cmath>

namespace stratoplan::widgets {

namespace {

constexpr double kCellRadius = 4, kPlateRadius = 7;
constexpr int kLargestLabel = 16, kGoodLabel = 11, kSmallestLabel = 8; ///< pixels
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

/// "0,1,3" in two lines.
QString wrapped(QString label)
{
    if (const qsizetype comma = label.lastIndexOf(u','); comma >= 0)
        label[comma] = u'\n';
    return label;
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
    , m_small(smallFont(font))
    , m_label(font)
    , m_number(numberSize(font, layout.ranks()))
{
    chooseWriting();
}

QFont GridPainter::smallFont(const QFont& font)
{
    QFont result = font;
    result.setPointSizeF(font.pointSizeF() * 0.85);
    return result;
}

double GridPainter::titleHeight(const QFont& font)
{
    return std::ceil(QFontMetricsF(smallFont(font)).height()) + 1;
}

QSizeF GridPainter::numberSize(const QFont& font, int ranks)
{
    const QFontMetricsF metrics(smallFont(font));
    return {std::ceil(metrics.horizontalAdvance(QString::number(ranks - 1))) + 4, std::ceil(metrics.ascent()) + 3};
}

QRectF GridPainter::band(int rank, int band) const
{
    const int bands = int(m_frame.ranks[std::size_t(rank)].size());
    return bandRect(m_layout.cell(rank), m_number, band, bands);
}

void GridPainter::findWidest()
{
    QFont large = m_label;
    large.setPixelSize(kLargestLabel);
    const QFontMetricsF metrics(large);
    const auto keep = [&metrics](QString& widest, const QString& text) {
        if (metrics.horizontalAdvance(text) > metrics.horizontalAdvance(widest))
            widest = text;
    };
    for (const auto& bands : m_frame.ranks) {
        for (const BlockBand& each : bands) {
            keep(m_widest.symbol, each.symbol);
            keep(m_widest.label, each.label);
            keep(m_widest.brief, each.shortLabel);
            for (const QString& line : wrapped(each.shortLabel).split(u'\n'))
                keep(m_widest.half, line);
        }
    }
}

bool GridPainter::fits(Writing writing, const QFont& font) const
{
    const QFontMetricsF metrics(font);
    const QRectF room = band(0, 0).adjusted(1.5, 0, -1.5, 0);
    const double symbol = metrics.horizontalAdvance(m_widest.symbol);
    const double label = metrics.horizontalAdvance(m_widest.label);
    const double brief = metrics.horizontalAdvance(m_widest.brief);
    // In a line with its symbol the label stays in the middle.
    const double line = label + (symbol > 0 ? 2 * symbol + metrics.averageCharWidth() : 0);
    const bool two = room.height() >= 2 * metrics.height() - metrics.leading();
    switch (writing) {
    case Writing::Line:
        return room.width() >= line && room.height() >= metrics.height() - 2;
    case Writing::TwoLines:
        return two && room.width() >= std::max(symbol, label);
    case Writing::Label:
        return room.width() >= label && room.height() >= metrics.ascent();
    case Writing::TwoShortLines:
        return two && room.width() >= std::max(symbol, brief);
    case Writing::Short:
        return room.width() >= brief && room.height() >= metrics.ascent();
    case Writing::Wrapped:
        return two && room.width() >= metrics.horizontalAdvance(m_widest.half);
    case Writing::None:
        break;
    }
    return true;
}

QString GridPainter::writingOf(const BlockBand& band) const
{
    const QString above = band.symbol.isEmpty() ? QString() : band.symbol + u'\n';
    switch (m_writing) {
    case Writing::Line:
    case Writing::Label:
        return band.label;
    case Writing::TwoLines:
        return above + band.label;
    case Writing::TwoShortLines:
        return above + band.shortLabel;
    case Writing::Short:
        return band.shortLabel;
    case Writing::Wrapped:
        return wrapped(band.shortLabel);
    case Writing::None:
        break;
    }
    return {};
}

void GridPainter::chooseWriting()
{
    if (m_frame.ranks.empty() || m_frame.ranks.front().empty())
        return;
    findWidest();
    if (!chooseWriting(kLargestLabel, kGoodLabel) && !chooseWriting(kGoodLabel - 1, kSmallestLabel))
        m_writing = Writing::None;
}

bool GridPainter::chooseWriting(int largest, int smallest)
{
    const bool single = m_frame.ranks.front().size() == 1; // which tensor it is is known
    for (const Writing writing :
        {Writing::Line, Writing::TwoLines, Writing::Label, Writing::TwoShortLines, Writing::Short, Writing::Wrapped}) {
        for (int size = largest; size >= smallest && (single || writing != Writing::Label); --size) {
            m_label.setPixelSize(size);
            m_writing = writing;
            if (fits(writing, m_label))
                return true;
        }
    }
    return false;
}

QColor GridPainter::inkOf(const BlockArrow& arrow) const
{
    return arrow.across ? m_tokens.warn : m_tokens.accent;
}

QPainterPath GridPainter::curve(const BlockArrow& arrow) const
{
    const QPointF from = band(arrow.from, arrow.band).center(), to = band(arrow.to, arrow.band).center();
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

int GridPainter::sumGroupOf(int rank) const
{
    for (std::size_t group = 0; group < m_frame.sumGroups.size(); ++group) {
        const std::vector<int>& ranks = m_frame.sumGroups[group];
        if (std::find(ranks.begin(), ranks.end(), rank) != ranks.end())
            return int(group);
    }
    return -1;
}

void GridPainter::paint(QPainter& painter, const GridMarks& marks) const
{
    painter.setRenderHint(QPainter::Antialiasing);
    paintPlates(painter);
    for (int rank = 0; rank < m_layout.ranks(); ++rank)
        paintCell(painter, rank, marks);
    paintSums(painter, marks.pointed());
    paintArrows(painter, marks, false);
    for (int rank = 0; rank < m_layout.ranks(); ++rank)
        paintText(painter, rank);
    paintMarks(painter, marks);
    paintArrows(painter, marks, true);
    paintTravelling(painter, marks);
}

void GridPainter::paintPlates(QPainter& painter) const
{
    painter.setFont(m_small);
    for (std::size_t domain = 0; domain < m_layout.plates().size(); ++domain) {
        const QRectF& plate = m_layout.plates()[domain];
        painter.setPen(QPen(m_tokens.border, 1));
        painter.setBrush(m_tokens.window);
        painter.drawRoundedRect(plate.adjusted(0.5, 0.5, -0.5, -0.5), kPlateRadius, kPlateRadius);
        const QRectF title = plate.adjusted(8, 1, -8, 0);
        const int first = int(domain) * m_frame.ranksPerDomain;
        const int last = std::min(first + m_frame.ranksPerDomain, m_layout.ranks()) - 1;
        const QString full = tr("Domain %1 · ranks %2–%3").arg(domain).arg(first).arg(last);
        const bool hasRoom = QFontMetricsF(m_small).horizontalAdvance(full) <= title.width();
        painter.setPen(m_tokens.secondaryText);
        painter.drawText(title, Qt::AlignTop | Qt::AlignLeft, hasRoom ? full : QString::number(domain));
    }
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
        const QRectF rect = band(rank, i);
        painter.fillRect(rect, blockColour(bands[std::size_t(i)].tone, m_tokens.kind));
        painter.setPen(QPen(m_tokens.surface, 1));
        if (i > 0 && rect.top() > band(rank, 0).top())
            painter.drawLine(rect.topLeft(), rect.topRight());
        else if (i > 0)
            painter.drawLine(rect.topLeft(), rect.bottomLeft());
    }
    painter.restore();
    painter.setPen(QPen(m_tokens.frame, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(cell.adjusted(0.5, 0.5, -0.5, -0.5), kCellRadius, kCellRadius);
    paintNumber(painter, rank);
}

void GridPainter::paintNumber(QPainter& painter, int rank) const
{
    const QRectF& cell = m_layout.cell(rank);
    const QRectF numbered = numberRect(cell, m_number);
    const bool above = numbered.width() == cell.width();
    const QRectF line = above ? numbered.adjusted(5, 0, -5, 0) : numbered;
    painter.setFont(m_small);
    painter.setPen(m_tokens.text);
    painter.drawText(line, above ? Qt::AlignLeft | Qt::AlignVCenter : Qt::AlignCenter, QString::number(rank));
    const int group = sumGroupOf(rank);
    if (group < 0)
        return;
    const QFontMetricsF metrics(m_small);
    const QString named = tr("Σ%1").arg(group);
    const double left = line.width() - metrics.horizontalAdvance(QString::number(rank)) - 4;
    painter.setPen(m_tokens.bad);
    if (left >= metrics.horizontalAdvance(named))
        painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter, m_frame.sumGroups.size() > 1 ? named : tr("Σ"));
}

void GridPainter::paintText(QPainter& painter, int rank) const
{
    painter.setFont(m_label);
    const auto& bands = m_frame.ranks[std::size_t(rank)];
    for (int i = 0; i < int(bands.size()); ++i) {
        const BlockBand& text = bands[std::size_t(i)];
        const QRectF room = band(rank, i).adjusted(1, 0, -1, 0);
        painter.setPen(m_tokens.label(blockColour(text.tone, m_tokens.kind)));
        if (m_writing == Writing::Line)
            painter.drawText(room.adjusted(4, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, text.symbol);
        painter.drawText(room, Qt::AlignCenter, writingOf(text));
    }
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
    const int pointedGroup = pointed >= 0 ? sumGroupOf(pointed) : -1;
    const double reach = std::max(2.0, m_layout.gap() / 2 - 1);
    painter.setBrush(Qt::NoBrush);
    for (std::size_t group = 0; group < m_frame.sumGroups.size(); ++group) {
        QPainterPath joined;
        joined.setFillRule(Qt::WindingFill);
        for (const int rank : m_frame.sumGroups[group])
            joined.addRect(m_layout.cell(rank).adjusted(-reach, -reach, reach, reach));
        for (const int rank : m_frame.sumGroups[group]) // the gap to neighbours of the same group
            for (const int other : {m_layout.beside(rank, 1, 0), m_layout.beside(rank, 0, 1)})
                if (other != rank && sumGroupOf(other) == int(group))
                    joined.addRect(
                        m_layout.cell(rank).united(m_layout.cell(other)).adjusted(-reach, -reach, reach, reach));
        const bool strong = int(group) == pointedGroup;
        painter.setPen(QPen(m_tokens.bad, strong ? 2.6 : 1.3, strong ? Qt::SolidLine : Qt::DashLine, Qt::RoundCap));
        for (const QPolygonF& outline : joined.simplified().toSubpathPolygons())
            if (outline.boundingRect().width() > m_layout.gap()) // else what is left between four cells
                painter.drawPolygon(outline);
    }
}

void GridPainter::paintArrows(QPainter& painter, const GridMarks& marks, bool strong) const
{
    const int pointed = marks.pointed();
    for (const BlockArrow& arrow : m_frame.arrows)
        if (strong == (pointed >= 0 && (arrow.from == pointed || arrow.to == pointed)))
            paintArrow(painter, arrow, strong, pointed >= 0);
}

void GridPainter::paintArrow(QPainter& painter, const BlockArrow& arrow, bool strong, bool faint) const
{
    const QPainterPath path = curve(arrow);
    const double length = path.length();
    const bool far = length > 3 * m_layout.gap() + 2 * kReach; // over other cells
    const double share = strong ? 1 : (faint ? 0.3 : 0.85) * (far ? std::clamp(4.0 / m_layout.ranks(), 0.15, 0.7) : 1);
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
    if (strong ? far || m_layout.ranks() <= kMostNamed : !faint && !far && m_layout.ranks() <= kMostNamed)
        paintSymbol(painter, arrow, path);
}

void GridPainter::paintSymbol(QPainter& painter, const BlockArrow& arrow, const QPainterPath& path) const
{
    const QString& symbol = m_frame.ranks[std::size_t(arrow.from)][std::size_t(arrow.band)].symbol;
    const QFontMetricsF metrics(m_small);
    QRectF box(0, 0, metrics.horizontalAdvance(symbol) + 5, metrics.ascent() + 1);
    // Beside the line, on the side to which it is bent.
    const QPointF along = path.pointAtPercent(1) - path.pointAtPercent(0);
    const double length = std::max(1e-6, std::hypot(along.x(), along.y()));
    const QPointF side(along.y() / length, -along.x() / length);
    box.moveCenter(path.pointAtPercent(0.5) + side * toEdge(box.translated(-box.center()), {}, side));
    painter.setPen(QPen(inkOf(arrow), 1));
    painter.setBrush(m_tokens.surface);
    painter.drawRoundedRect(box, 3, 3);
    painter.setFont(m_small);
    painter.setPen(m_tokens.text);
    painter.drawText(box, Qt::AlignCenter, symbol);
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
