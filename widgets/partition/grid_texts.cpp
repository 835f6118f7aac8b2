// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/partition/grid_texts.h"

#include "widgets/presentation/translate.h"

#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>
#include <cmath>

namespace stratoplan::widgets {

namespace {

constexpr int kLargestLabel = 16, kReadableLabel = 9, kSmallestLabel = 8; ///< pixels
constexpr double kHalo = 1.5; ///< around a text that an arrow crosses

/// "0,1,3" in two lines.
QString wrapped(QString label)
{
    if (const qsizetype comma = label.lastIndexOf(u','); comma >= 0)
        label[comma] = u'\n';
    return label;
}

/// "N1 K0" in a line for each slice.
QString stacked(QString label)
{
    return label.replace(u' ', u'\n');
}

} // namespace

GridTexts::GridTexts(
    const PartitionFrame& frame, const PartitionLayout& layout, const Tokens& tokens, const QFont& font)
    : m_frame(frame)
    , m_layout(layout)
    , m_tokens(tokens)
    , m_small(smaller(font))
    , m_label(font)
    , m_number(numberSize(font, layout.ranks()))
{
    chooseWriting();
    findPlaces();
}

/// Writes with what it stands on around the letters, where an arrow crosses them.
void GridTexts::TextPen::write(const QRectF& room, int flags, const QString& text, const TextColours& colours) const
{
    const QRectF written = QFontMetricsF(painter.font()).boundingRect(room, flags, text);
    const auto crosses = [&](const QPainterPath& path) { return path.intersects(written); };
    if (onFrames || std::any_of(crossing.begin(), crossing.end(), crosses)) {
        painter.setPen(colours.ground);
        for (const QPointF by : {QPointF(-kHalo, 0), QPointF(kHalo, 0), QPointF(0, -kHalo), QPointF(0, kHalo),
                 QPointF(-1, -1), QPointF(1, -1), QPointF(-1, 1), QPointF(1, 1)})
            painter.drawText(room.translated(by), flags, text);
    }
    painter.setPen(colours.ink);
    painter.drawText(room, flags, text);
}

QFont GridTexts::smaller(const QFont& font)
{
    QFont result = font;
    result.setPointSizeF(font.pointSizeF() * 0.85);
    return result;
}

double GridTexts::titleHeight(const QFont& font)
{
    return std::ceil(QFontMetricsF(smaller(font)).height()) + 1;
}

QSizeF GridTexts::numberSize(const QFont& font, int ranks)
{
    const QFontMetricsF metrics(smaller(font));
    return {std::ceil(metrics.horizontalAdvance(QString::number(ranks - 1))) + 4, std::ceil(metrics.ascent()) + 3};
}

QRectF GridTexts::band(int rank, int band) const
{
    const int bands = int(m_frame.ranks[std::size_t(rank)].size());
    return bandRect(m_layout.cell(rank), m_number, band, bands);
}

void GridTexts::findWidest()
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
            const QStringList slices = each.label.split(u' ');
            m_mostSlices = std::max(m_mostSlices, int(slices.size()));
            for (const QString& line : slices)
                keep(m_widest.slice, line);
        }
    }
}

bool GridTexts::fits(Writing writing, const QFont& font) const
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
    case Writing::Stacked:
        return room.height() >= m_mostSlices * metrics.height() - metrics.leading()
            && room.width() >= metrics.horizontalAdvance(m_widest.slice);
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

QString GridTexts::writingOf(const BlockBand& band) const
{
    const QString above = band.symbol.isEmpty() ? QString() : band.symbol + u'\n';
    switch (m_writing) {
    case Writing::Line:
    case Writing::Label:
        return band.label;
    case Writing::TwoLines:
        return above + band.label;
    case Writing::Stacked:
        return stacked(band.label);
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

QString GridTexts::written(int rank, int band) const
{
    return writingOf(m_frame.ranks[std::size_t(rank)][std::size_t(band)]);
}

void GridTexts::chooseWriting()
{
    if (m_frame.ranks.empty() || m_frame.ranks.front().empty())
        return;
    findWidest();
    using enum Writing;
    // Letters are worth a smaller font: numbers alone do not say which dimension they are of.
    if (!chooseWriting({Line, TwoLines}, kReadableLabel) && !chooseWriting({Label, Stacked}, kReadableLabel)
        && !chooseWriting({TwoShortLines, Short}, kReadableLabel) && !chooseWriting({Short, Wrapped}, kSmallestLabel))
        m_writing = None;
}

bool GridTexts::chooseWriting(std::initializer_list<Writing> writings, int smallest)
{
    for (int size = kLargestLabel; size >= smallest; --size) {
        m_label.setPixelSize(size);
        for (const Writing writing : writings) {
            m_writing = writing;
            if (fits(writing, m_label))
                return true;
        }
    }
    return false;
}

void GridTexts::findPlaces()
{
    const QFontMetricsF small(m_small), label(m_label);
    for (int rank = 0; rank < m_layout.ranks(); ++rank) {
        m_places.push_back(small.boundingRect(numberLine(rank), numberFlags(rank), QString::number(rank)));
        for (int i = 0; i < int(m_frame.ranks[std::size_t(rank)].size()); ++i)
            m_places.push_back(label.boundingRect(
                band(rank, i), Qt::AlignCenter, writingOf(m_frame.ranks[std::size_t(rank)][std::size_t(i)])));
    }
    for (std::size_t domain = 0; domain < m_layout.plates().size(); ++domain)
        m_places.push_back(small.boundingRect(titleLine(domain), Qt::AlignTop | Qt::AlignLeft, titleOf(domain)));
}

QRectF GridTexts::titleLine(std::size_t domain) const
{
    return m_layout.plates()[domain].adjusted(8, 1, -8, 0);
}

QString GridTexts::titleOf(std::size_t domain) const
{
    const int first = int(domain) * m_frame.ranksPerDomain;
    const int last = std::min(first + m_frame.ranksPerDomain, m_layout.ranks()) - 1;
    const QString full = tr("Domain %1 · ranks %2–%3").arg(domain).arg(first).arg(last);
    const bool hasRoom = QFontMetricsF(m_small).horizontalAdvance(full) <= titleLine(domain).width();
    return hasRoom ? full : QString::number(domain);
}

/// Above the bands on the left, or before them.
QRectF GridTexts::numberLine(int rank) const
{
    const QRectF numbered = numberRect(m_layout.cell(rank), m_number);
    return isNumberAbove(rank) ? numbered.adjusted(5, 0, -5, 0) : numbered;
}

bool GridTexts::isNumberAbove(int rank) const
{
    return numberRect(m_layout.cell(rank), m_number).width() == m_layout.cell(rank).width();
}

int GridTexts::numberFlags(int rank) const
{
    return isNumberAbove(rank) ? int(Qt::AlignLeft | Qt::AlignVCenter) : int(Qt::AlignCenter);
}

bool GridTexts::isUnder(const QRectF& box) const
{
    return std::ranges::any_of(m_places, [&](const QRectF& place) { return place.intersects(box); });
}

void GridTexts::paint(QPainter& painter, const std::vector<QPainterPath>& crossing, int hovered) const
{
    const TextPen titles{painter, crossing, !m_frame.sumGroups.empty()}, pen{painter, crossing};
    painter.setFont(m_small);
    for (std::size_t domain = 0; domain < m_layout.plates().size(); ++domain)
        titles.write(titleLine(domain), Qt::AlignTop | Qt::AlignLeft, titleOf(domain),
            {m_tokens.secondaryText, m_tokens.window});
    for (int rank = 0; rank < m_layout.ranks(); ++rank)
        paintNumber(pen, rank, rank == hovered ? m_tokens.raised : m_tokens.surface);
    painter.setFont(m_label);
    for (int rank = 0; rank < m_layout.ranks(); ++rank)
        paintLabels(pen, rank);
}

void GridTexts::paintNumber(const TextPen& pen, int rank, const QColor& ground) const
{
    const QRectF line = numberLine(rank);
    pen.write(line, numberFlags(rank), QString::number(rank), {m_tokens.text, ground});
    const int group = sumGroupOf(m_frame, rank);
    if (group < 0)
        return;
    const QFontMetricsF metrics(m_small);
    const QString named = tr("Σ%1").arg(group);
    const double left = line.width() - metrics.horizontalAdvance(QString::number(rank)) - 4;
    if (left >= metrics.horizontalAdvance(named))
        pen.write(line, Qt::AlignRight | Qt::AlignVCenter, m_frame.sumGroups.size() > 1 ? named : tr("Σ"),
            {m_tokens.bad, ground});
}

void GridTexts::paintLabels(const TextPen& pen, int rank) const
{
    const auto& bands = m_frame.ranks[std::size_t(rank)];
    for (int i = 0; i < int(bands.size()); ++i) {
        const BlockBand& text = bands[std::size_t(i)];
        const QRectF room = band(rank, i).adjusted(1, 0, -1, 0);
        const QColor ground = blockColour(text.tone, m_tokens.kind);
        const TextColours colours{m_tokens.label(ground), ground};
        if (m_writing == Writing::Line)
            pen.write(room.adjusted(4, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, text.symbol, colours);
        pen.write(room, Qt::AlignCenter, writingOf(text), colours);
    }
}

} // namespace stratoplan::widgets
