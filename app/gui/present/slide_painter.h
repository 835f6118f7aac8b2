// SPDX-License-Identifier: GPL-3.0-or-later
// Large type for slides: sizes are hundredths of the screen's height, and a text that has no room is set smaller, then
// shortened.
#pragma once

#include "app/gui/present/slide_texts.h"
#include "widgets/presentation/tokens.h"

#include <QFont>
#include <QPainter>

namespace stratoplan::gui {

// In hundredths of the screen's height.
inline constexpr double kTitleType = 5.6;
inline constexpr double kLeadType = 4.2;
inline constexpr double kBodyType = 2.9;
inline constexpr double kSmallType = 2.4;

/// How a text is set.
struct TextStyle {
    double size = kBodyType;
    QColor colour;
    bool strong = false;
    Qt::Alignment alignment = Qt::AlignLeft | Qt::AlignVCenter;
};

class SlidePainter {
public:
    /// `unit`: pixels of a hundredth of the screen's height. `font`: of the interface.
    SlidePainter(QPainter& painter, double unit, const QFont& font);

    [[nodiscard]] QPainter& painter() const { return m_painter; }
    [[nodiscard]] const widgets::Tokens& look() const { return m_tokens; }
    [[nodiscard]] double px(double hundredths) const { return hundredths * m_unit; }
    [[nodiscard]] QFont font(double size, bool strong = false) const;
    [[nodiscard]] QColor colour(SlideTone tone) const;
    [[nodiscard]] TextStyle style(double size, bool strong = false) const { return {size, m_tokens.text, strong}; }
    [[nodiscard]] TextStyle muted(double size) const { return {size, m_tokens.secondaryText, false}; }

    /// One line: smaller where it is too long, at worst shortened.
    void line(const QRectF& place, const QString& text, const TextStyle& style) const;
    /// Several lines from the top of the place; the height that they take.
    double paragraph(const QRectF& place, const QString& text, const TextStyle& style) const;
    [[nodiscard]] double heightOf(double width, const QString& text, const TextStyle& style) const;
    [[nodiscard]] double widthOf(const QString& text, const TextStyle& style) const;
    /// A plate to set figures on.
    void plate(const QRectF& place) const;

private:
    QPainter& m_painter;
    double m_unit;
    QFont m_font;
    const widgets::Tokens& m_tokens;
};

} // namespace stratoplan::gui
