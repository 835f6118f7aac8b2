// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of a card, shared by the canvas, the palette and the pictures that are dragged: accelerators as a grid of
// squares with their scale-up domains outlined, the port strip of a switch, one-line texts.
#pragma once

#include "widgets/presentation/tokens.h"

#include <QFont>
#include <QRectF>
#include <QString>

class QPainter;

namespace stratoplan::widgets {

enum class CardText { Name, Caption, Badge };
[[nodiscard]] QFont cardFont(CardText role);

/// Squares for `count` accelerators centred in `area`; every `domain` of them share an outline (0 = none). A domain
/// that reaches beyond the node is outlined with open sides.
void paintAccelerators(
    QPainter& painter, const QRectF& area, int count, int domain, const QColor& colour, const Tokens& tokens);

/// A row of ports, filled by the share in use; above 1 in the colour of an error.
void paintPorts(QPainter& painter, const QRectF& area, double use, const Tokens& tokens);

/// One centred line, elided to the rectangle.
void drawElided(QPainter& painter, const QRectF& rect, const QString& text, const QFont& font, const QColor& colour);

} // namespace stratoplan::widgets
