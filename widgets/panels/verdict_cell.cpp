// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/panel_style.h"
#include "widgets/panels/verdict_bar.h"

#include <QPainter>
#include <algorithm>

namespace stratoplan::widgets {

namespace {

constexpr int kCellPadding = 12;
constexpr int kCellGap = 5; ///< between the parts of a line
constexpr double kValueScale = 1.6;
constexpr double kTitleScale = 0.9;
constexpr double kPressure = 0.9; ///< of the capacity: MemoryPressure (core/plan/problem.h)
constexpr int kBarWidth = 160;
constexpr QStringView kSeparator = u" · ";

int advance(const QFont& font, const QString& text)
{
    return text.isEmpty() ? 0 : QFontMetrics(font).horizontalAdvance(text);
}

} // namespace

VerdictCell::VerdictCell(VerdictFigure figure, QWidget* parent)
    : QAbstractButton(parent)
    , m_figure(figure)
{
    setFocusPolicy(Qt::TabFocus);
    setAttribute(Qt::WA_Hover);
}

void VerdictCell::setContent(const VerdictText& content)
{
    if (m_content == content)
        return;
    m_content = content;
    setAccessibleName(content.title);
    describe();
    update();
}

void VerdictCell::setStale(const QString& notice)
{
    m_stale = notice;
    describe();
}

void VerdictCell::describe()
{
    const QString sentence = m_content.sentence();
    const QString description =
        m_stale.isEmpty() ? sentence : tr("%1: until then of the plan as it was before: %2").arg(m_stale, sentence);
    setAccessibleDescription(description);
    setToolTip(description);
}

void VerdictCell::setShort(bool isShort)
{
    m_short = isShort;
    update();
}

QFont VerdictCell::titleFont() const
{
    return scaledFont(font(), kTitleScale);
}

QFont VerdictCell::valueFont() const
{
    return scaledFont(font(), kValueScale, true);
}

int VerdictCell::naturalWidth() const
{
    const QFont body = font();
    int value = advance(valueFont(), m_content.value);
    for (const QString& part : {m_content.unit, m_content.note, deltaBesideValue() ? m_content.delta : QString()})
        value += part.isEmpty() ? 0 : advance(body, part) + kCellGap;
    int below = advance(body, deltaBesideValue() ? QString() : m_content.delta);
    below += m_content.details.isEmpty()
        ? 0
        : advance(body, m_content.details.join(kSeparator)) + (below > 0 ? kCellGap : 0);
    const int bar = m_content.filled ? kBarWidth : 0;
    return std::max({advance(titleFont(), m_content.title), value, below, bar}) + 2 * kCellPadding;
}

int VerdictCell::compactWidth() const
{
    const QFont body = font();
    const int unit = m_content.unit.isEmpty() ? 0 : advance(body, m_content.unit) + kCellGap;
    // Without a delta the first detail belongs to the figure: HFU, the range of days.
    const QString below =
        m_content.delta.isEmpty() && !m_content.details.isEmpty() ? m_content.details.first() : m_content.delta;
    return std::max({advance(titleFont(), m_content.title), advance(valueFont(), m_content.value) + unit,
               advance(body, below)})
        + 2 * kCellPadding;
}

int VerdictCell::naturalHeight() const
{
    return kGrid + QFontMetrics(titleFont()).height() + QFontMetrics(valueFont()).height() + fontMetrics().height()
        + kGrid;
}

QSize VerdictCell::sizeHint() const
{
    return {naturalWidth(), naturalHeight()};
}

QSize VerdictCell::minimumSizeHint() const
{
    return {compactWidth(), naturalHeight()};
}

void VerdictCell::paintEvent(QPaintEvent*)
{
    const Tokens& t = tokensOf(*this);
    QPainter painter(this);
    if (underMouse() && !m_short)
        painter.fillRect(rect().adjusted(0, 0, -1, -1), blend(t.raised, t.surface, 0.5));
    const QRect inner = rect().adjusted(kCellPadding, kGrid, -kCellPadding, -kGrid);
    const int titleHeight = QFontMetrics(titleFont()).height();
    const int valueHeight = QFontMetrics(valueFont()).height();
    painter.setFont(titleFont());
    painter.setPen(t.secondaryText);
    painter.drawText(QRect(inner.left(), inner.top(), inner.width(), titleHeight), Qt::AlignLeft | Qt::AlignVCenter,
        painter.fontMetrics().elidedText(m_content.title, Qt::ElideRight, inner.width()));
    paintValue(painter, QRect(inner.left(), inner.top() + titleHeight, inner.width(), valueHeight));
    const QRect below(inner.left(), inner.top() + titleHeight + valueHeight, inner.width(), fontMetrics().height());
    if (m_content.filled)
        paintBar(painter, below);
    else if (!m_short)
        paintBelow(painter, below);
    if (showsFocus(*this))
        paintFocusRing(painter, QRectF(rect()).adjusted(1, 1, -2, -2), t);
}

namespace {

QColor deltaColor(const Tokens& t, VerdictText::Tone tone)
{
    switch (tone) {
    case VerdictText::Tone::Good:
        return t.good;
    case VerdictText::Tone::Bad:
        return t.bad;
    case VerdictText::Tone::Neutral:
        break;
    }
    return t.secondaryText;
}

} // namespace

void VerdictCell::paintValue(QPainter& painter, const QRect& line) const
{
    const Tokens& t = tokensOf(*this);
    const int baseline = line.top() + QFontMetrics(valueFont()).ascent();
    painter.setFont(valueFont());
    painter.setPen(m_content.alarm ? t.bad : t.text);
    painter.drawText(line.left(), baseline, m_content.value);
    int x = line.left() + advance(valueFont(), m_content.value);
    painter.setFont(font());
    painter.setPen(t.secondaryText);
    if (!m_content.unit.isEmpty()) {
        painter.drawText(x + kCellGap, baseline, m_content.unit);
        x += kCellGap + advance(font(), m_content.unit);
    }
    int right = line.right() + 1;
    if (deltaBesideValue() && !m_content.delta.isEmpty() && x + kCellGap + advance(font(), m_content.delta) <= right) {
        right -= advance(font(), m_content.delta);
        painter.setPen(deltaColor(t, m_content.tone));
        painter.drawText(right, baseline, m_content.delta);
        right -= kCellGap;
    }
    // A note that does not fit whole says nothing.
    if (!m_content.note.isEmpty() && x + kCellGap + advance(font(), m_content.note) <= right) {
        painter.setPen(m_content.alarm ? t.bad : t.secondaryText);
        painter.drawText(x + kCellGap, baseline, m_content.note);
    }
}

void VerdictCell::paintBelow(QPainter& painter, const QRect& line) const
{
    const Tokens& t = tokensOf(*this);
    painter.setFont(font());
    int x = line.left();
    if (!m_content.delta.isEmpty()) {
        painter.setPen(deltaColor(t, m_content.tone));
        painter.drawText(QRect(x, line.top(), line.right() + 1 - x, line.height()), Qt::AlignLeft | Qt::AlignVCenter,
            m_content.delta);
        x += advance(font(), m_content.delta) + kCellGap;
    }
    const int room = line.right() + 1 - x;
    QStringList fitting = m_content.details;
    while (!fitting.isEmpty() && advance(font(), fitting.join(kSeparator)) > room)
        fitting.removeLast();
    painter.setPen(t.secondaryText);
    painter.drawText(
        QRect(x, line.top(), room, line.height()), Qt::AlignLeft | Qt::AlignVCenter, fitting.join(kSeparator));
}

void VerdictCell::paintBar(QPainter& painter, const QRect& line) const
{
    const Tokens& t = tokensOf(*this);
    painter.setRenderHint(QPainter::Antialiasing);
    const double share = *m_content.filled;
    // Beyond the capacity the bar shows the whole need, and the capacity as a line inside it.
    const double scale = line.width() / std::max(1.0, share);
    const QRectF groove(line.left(), line.center().y() - 2, line.width(), 8);
    painter.setPen(Qt::NoPen);
    painter.setBrush(t.sunken);
    painter.drawRoundedRect(groove, 4, 4);
    QRectF fill = groove;
    fill.setWidth(std::max(8.0, std::min(share, 1.0) * scale));
    painter.setBrush(share > kPressure && share <= 1 ? t.mark(Mark::Dominated) : t.mark(Mark::Weights));
    painter.drawRoundedRect(fill, 4, 4);
    if (share > 1) {
        const QRectF over(groove.left() + scale, groove.top(), (share - 1) * scale, groove.height());
        painter.setBrush(t.mark(Mark::Broken));
        painter.drawRoundedRect(over, 4, 4);
        painter.setBrush(QBrush(t.surface, Qt::BDiagPattern));
        painter.drawRoundedRect(over, 4, 4);
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
    const double limit = share > 1 ? 1.0 : kPressure;
    const QColor limitColor = share > 1 ? t.text : t.warn;
    painter.fillRect(
        QRectF(std::round(groove.left() + limit * scale) - 1, groove.top() - 3, 2, groove.height() + 6), limitColor);
}

} // namespace stratoplan::widgets
