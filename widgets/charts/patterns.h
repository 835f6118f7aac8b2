// SPDX-License-Identifier: GPL-3.0-or-later
// Filling rectangles with the marks of the tokens and the patterns that tell them apart without colour.
#pragma once

#include "widgets/presentation/stacks.h"

class QBrush;
class QPainter;
class QPainterPath;
class QRectF;

namespace stratoplan::widgets {

/// Fills `rect` with the mark's colour and pattern, and outlines it where the fill alone is too pale for the surface.
void paintMark(QPainter& painter, const QRectF& rect, Mark mark, Pattern pattern, const Tokens& tokens);

/// The same pattern as a brush, for many rectangles: `ink` on `ground`, sharp on a device of `pixelRatio`. Patterns of
/// neighbours go on over their border.
[[nodiscard]] QBrush patternBrush(const QColor& ground, const QColor& ink, Pattern pattern, double pixelRatio);
/// Adds the lines of the pattern inside `rect` to `path`, for vector files. Dots become short lines.
void addPatternLines(QPainterPath& path, const QRectF& rect, Pattern pattern);

/// The swatch of a legend entry, centred in `rect`.
void paintSwatch(QPainter& painter, const QRectF& rect, const LegendEntry& entry, const Tokens& tokens);

} // namespace stratoplan::widgets
