// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/rank_legend.h"

#include "widgets/presentation/numbers.h"
#include "widgets/presentation/rank_map.h"
#include "widgets/style/theme.h"
#include "widgets/topology/card_paint.h"

#include <QFontMetrics>
#include <QPainter>

#include <vector>

namespace stratoplan::widgets {

namespace {

constexpr int kRankLegendHeight = 34;
constexpr int kSquare = 12;
constexpr int kMostSquares = 8; ///< places with a square each; a scale shows more of them

/// What stands beside one another: squares or a scale, with text behind.
struct LegendPart {
    std::vector<QColor> colours{}; ///< invalid: hollow; many: a scale
    QString text{};
    int gap = 12; ///< behind it

    [[nodiscard]] int width(const QFontMetrics& metrics) const
    {
        const int swatch = colours.empty() ? 0 : colours.size() == 1 ? kSquare + 5 : int(colours.size()) + 6;
        return swatch + metrics.horizontalAdvance(text) + gap;
    }
};

std::vector<LegendPart> partsOf(const RankLegendValue& value, const Tokens& t)
{
    if (!value.axis)
        return {};
    const QString name = rankAxisName(*value.axis);
    if (value.places == 0)
        return {{.text = RankLegend::tr("%1: no plan runs on this cluster").arg(name)}};
    std::vector<LegendPart> parts{{.text = name}};
    if (value.places <= kMostSquares) {
        for (int place = 0; place < value.places; ++place)
            parts.push_back({{placeColour(t, place, value.places)}, groupedNumber(place)});
    } else {
        constexpr int kScaleWidth = 96;
        LegendPart scale{{}, groupedNumber(value.places - 1)};
        for (int i = 0; i < kScaleWidth; ++i)
            scale.colours.push_back(placeColour(t, i * value.places / kScaleWidth, value.places));
        parts.push_back({.text = QStringLiteral("0"), .gap = 6});
        parts.push_back(std::move(scale));
    }
    if (value.hasIdle)
        parts.push_back({{QColor()}, RankLegend::tr("idle")});
    return parts;
}

} // namespace

RankLegend::RankLegend(QWidget* parent)
    : CanvasPlate(parent)
{
    setAttribute(Qt::WA_TransparentForMouseEvents);
    hide();
}

void RankLegend::setValue(const RankLegendValue& value)
{
    m_value = value;
    QStringList texts;
    for (const LegendPart& part : partsOf(value, currentTokens()))
        texts << part.text;
    setAccessibleName(tr("Legend: %1").arg(texts.join(QStringLiteral(", "))));
    updateGeometry();
    update();
}

QSize RankLegend::sizeHint() const
{
    const QFontMetrics metrics(cardFont(CardText::Caption));
    int width = 12;
    for (const LegendPart& part : partsOf(m_value, currentTokens()))
        width += part.width(metrics);
    return {width, kRankLegendHeight};
}

void RankLegend::paintEvent(QPaintEvent* event)
{
    CanvasPlate::paintEvent(event);
    const Tokens& t = currentTokens();
    QPainter painter(this);
    painter.setFont(cardFont(CardText::Caption));
    const QFontMetrics metrics(painter.font());
    const int top = (height() - kSquare) / 2;
    int x = 12;
    for (const LegendPart& part : partsOf(m_value, t)) {
        int text = x;
        if (part.colours.size() == 1) {
            painter.setPen(part.colours.front().isValid() ? QPen(Qt::NoPen) : QPen(t.secondaryText, 1));
            painter.setBrush(part.colours.front().isValid() ? QBrush(part.colours.front()) : QBrush(Qt::NoBrush));
            painter.drawRect(x, top, kSquare, kSquare);
            text += kSquare + 5;
        } else {
            for (const QColor& colour : part.colours)
                painter.fillRect(text++, top, 1, kSquare, colour);
            text += part.colours.empty() ? 0 : 6;
        }
        painter.setPen(t.secondaryText);
        painter.drawText(QRect(text, 0, width(), height()), Qt::AlignVCenter | Qt::AlignLeft, part.text);
        x += part.width(metrics);
    }
}

} // namespace stratoplan::widgets
