// SPDX-License-Identifier: GPL-3.0-or-later
// Letters of a report: the same faces on every machine that has them, measured and drawn in points.
#pragma once

#include <QColor>
#include <QFont>
#include <QPainter>
#include <QString>

namespace stratoplan::widgets {

/// A size in points of a page, or pixels of a picture.
struct TextStyle {
    double size = 9;
    bool bold = false;
    QColor colour{0x1f, 0x29, 0x33};
    bool mono = false;
};

/// Fonts have whole pixels: texts are laid out so much larger, and drawn so much smaller.
inline constexpr double kFontScale = 20;
[[nodiscard]] QFont reportFont(const TextStyle& style);

[[nodiscard]] double reportTextWidth(const QString& text, const TextStyle& style);
/// Of its lines, broken where the width ends.
[[nodiscard]] double reportTextHeight(const QString& text, const TextStyle& style, double width);
[[nodiscard]] double lineHeight(const TextStyle& style);

/// Broken as above, from the left top corner on.
void drawReportText(QPainter& painter, const QRectF& area, const QString& text, const TextStyle& style,
    Qt::Alignment alignment = Qt::AlignLeft);
/// One line, its base line at the point; `alignment`: left, centre or right of it.
void drawReportLine(QPainter& painter, QPointF at, const QString& text, const TextStyle& style,
    Qt::Alignment alignment = Qt::AlignLeft);

} // namespace stratoplan::widgets
