// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/panel_style.h"

#include <QEvent>
#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>
#include <QPalette>
#include <algorithm>

namespace stratoplan::widgets {

int rowHeight(const QWidget& widget)
{
    return std::max(22, widget.fontMetrics().height() + 6);
}

const Tokens& tokensOf(const QWidget& widget)
{
    const QColor window = widget.palette().color(QPalette::Window);
    for (const ThemeKind kind : {ThemeKind::Light, ThemeKind::Dark, ThemeKind::HighContrast}) {
        const Tokens& candidate = tokens(kind);
        if (candidate.window == window || candidate.surface == window)
            return candidate;
    }
    return tokens(window.lightnessF() < 0.5 ? ThemeKind::Dark : ThemeKind::Light);
}

FrameState frameState(const QWidget& field, bool focused, bool wrong)
{
    return !field.isEnabled() ? FrameState::Disabled
        : wrong               ? FrameState::Wrong
        : focused             ? FrameState::Focused
        : field.underMouse()  ? FrameState::Hovered
                              : FrameState::Normal;
}

void paintFieldFrame(QPainter& painter, const QRectF& rect, const Tokens& t, FrameState state)
{
    QPen line(t.frame, 1);
    switch (state) {
    case FrameState::Normal:
        break;
    case FrameState::Hovered:
        line.setColor(t.secondaryText);
        break;
    case FrameState::Focused:
        line = QPen(t.accent, 1.6);
        break;
    case FrameState::Wrong:
        line = QPen(t.bad, 1.6);
        break;
    case FrameState::Disabled:
        line.setColor(t.border);
        break;
    }
    const double inset = line.widthF() / 2;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(line);
    painter.setBrush(state == FrameState::Disabled ? t.window : t.surface);
    painter.drawRoundedRect(rect.adjusted(inset, inset, -inset, -inset), kFrameRadius, kFrameRadius);
    painter.restore();
}

void paintFocusRing(QPainter& painter, const QRectF& rect, const Tokens& t)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(t.accent, 1.6));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), kFrameRadius, kFrameRadius);
    painter.restore();
}

void paintRowFocus(QPainter& painter, const QRect& cell, bool isFirst, bool isLast, const Tokens& t)
{
    constexpr int kLine = 2;
    painter.fillRect(QRect(cell.left(), cell.top(), cell.width(), kLine), t.accent);
    painter.fillRect(QRect(cell.left(), cell.bottom() - kLine + 1, cell.width(), kLine), t.accent);
    if (isFirst)
        painter.fillRect(QRect(cell.left(), cell.top(), kLine, cell.height()), t.accent);
    if (isLast)
        painter.fillRect(QRect(cell.right() - kLine + 1, cell.top(), kLine, cell.height()), t.accent);
}

bool showsFocus(const QWidget& widget)
{
    return widget.hasFocus() && widget.window()->testAttribute(Qt::WA_KeyboardFocusChange);
}

void paintChevron(QPainter& painter, QPointF c, const QColor& color, bool down)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(color, 1.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.setBrush(Qt::NoBrush);
    if (down)
        painter.drawPolyline(QPolygonF({c + QPointF(-3, -1.5), c + QPointF(0, 1.5), c + QPointF(3, -1.5)}));
    else
        painter.drawPolyline(QPolygonF({c + QPointF(-1.5, -3), c + QPointF(1.5, 0), c + QPointF(-1.5, 3)}));
    painter.restore();
}

void paintSeverity(QPainter& painter, const QRectF& rect, const Tokens& t, std::optional<plan::Severity> severity)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    const QPointF c = rect.center();
    const double r = rect.width() / 2;
    const auto pen = [&](const QColor& fill, double w) { return QPen(t.label(fill), w, Qt::SolidLine, Qt::RoundCap); };
    if (!severity) {
        painter.setBrush(t.good);
        painter.drawEllipse(rect);
        painter.setPen(pen(t.good, r * 0.28));
        painter.setBrush(Qt::NoBrush);
        painter.drawPolyline(
            QPolygonF({c + QPointF(-r * 0.45, 0), c + QPointF(-r * 0.1, r * 0.38), c + QPointF(r * 0.48, -r * 0.36)}));
    } else if (*severity == plan::Severity::Error) {
        painter.setBrush(t.bad);
        painter.drawEllipse(rect);
        painter.setPen(pen(t.bad, r * 0.28));
        const double d = r * 0.38;
        painter.drawLine(c + QPointF(-d, -d), c + QPointF(d, d));
        painter.drawLine(c + QPointF(-d, d), c + QPointF(d, -d));
    } else if (*severity == plan::Severity::Warning) {
        painter.setBrush(t.warn);
        painter.setPen(QPen(t.warn, r * 0.3, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter.drawPolygon(
            QPolygonF({c + QPointF(0, -r * 0.82), c + QPointF(r * 0.88, r * 0.76), c + QPointF(-r * 0.88, r * 0.76)}));
        painter.setPen(pen(t.warn, r * 0.26));
        painter.drawLine(c + QPointF(0, -r * 0.28), c + QPointF(0, r * 0.22));
        painter.drawPoint(c + QPointF(0, r * 0.58));
    } else {
        painter.setBrush(t.info);
        painter.drawEllipse(rect);
        painter.setPen(pen(t.info, r * 0.28));
        painter.drawPoint(c + QPointF(0, -r * 0.45));
        painter.drawLine(c + QPointF(0, -r * 0.05), c + QPointF(0, r * 0.48));
    }
    painter.restore();
}

QFont scaledFont(const QFont& base, double factor, bool strong)
{
    QFont font = base;
    if (font.pointSizeF() > 0)
        font.setPointSizeF(font.pointSizeF() * factor);
    else
        font.setPixelSize(qMax(1, qRound(font.pixelSize() * factor)));
    if (strong)
        font.setWeight(QFont::DemiBold);
    return font;
}

QColor toneColor(const Tokens& t, ToneLabel::Tone tone)
{
    switch (tone) {
    case ToneLabel::Tone::Normal:
        return t.text;
    case ToneLabel::Tone::Secondary:
        return t.secondaryText;
    case ToneLabel::Tone::Good:
        return t.good;
    case ToneLabel::Tone::Warn:
        return t.warn;
    case ToneLabel::Tone::Bad:
        return t.bad;
    }
    return t.text;
}

ToneLabel::ToneLabel(Tone tone, QWidget* parent)
    : ToneLabel({}, tone, parent)
{
}

ToneLabel::ToneLabel(const QString& text, Tone tone, QWidget* parent)
    : QLabel(text, parent)
    , m_tone(tone)
{
    setTextFormat(Qt::PlainText);
    apply();
}

void ToneLabel::setTone(Tone tone)
{
    m_tone = tone;
    apply();
}

void ToneLabel::apply()
{
    m_applying = true; // setPalette comes back as a PaletteChange of our own
    const QColor color = toneColor(tokensOf(parentWidget() ? *parentWidget() : *this), m_tone);
    QPalette p;
    p.setColor(QPalette::WindowText, color);
    p.setColor(QPalette::Text, color); // what a label on a page of text is painted with
    setPalette(p);
    m_applying = false;
}

void ToneLabel::changeEvent(QEvent* event)
{
    const bool themed = event->type() == QEvent::PaletteChange || event->type() == QEvent::ParentChange;
    if (themed && !m_applying)
        apply();
    QLabel::changeEvent(event);
}

} // namespace stratoplan::widgets
