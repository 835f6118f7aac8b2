// SPDX-License-Identifier: GPL-3.0-or-later
// Where connections leave their cards: at the side that faces the other end, side by side in the order of these ends.
#pragma once

#include "widgets/topology/connection_item.h"

#include <QRectF>

#include <cstddef>
#include <vector>

namespace stratoplan::widgets {

/// A connection of a card, and the card at its other end.
struct FarEnd {
    std::size_t connection = 0;
    QRectF card;
};

/// Where a connection leaves the card.
struct NearEnd {
    std::size_t connection = 0;
    Anchor anchor;
};

[[nodiscard]] std::vector<NearEnd> nearEnds(const QRectF& card, const std::vector<FarEnd>& others);

} // namespace stratoplan::widgets
