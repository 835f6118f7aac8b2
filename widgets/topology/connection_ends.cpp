// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/connection_ends.h"

#include <algorithm>
#include <array>

namespace stratoplan::widgets {

namespace {

constexpr double kAnchorStep = 22;

enum Side { Top, Bottom, Left, Right };

/// The side of `card` that faces `other`.
Side facing(const QRectF& card, const QRectF& other)
{
    constexpr double kApart = 24;
    if (other.bottom() + kApart <= card.top())
        return Top;
    if (card.bottom() + kApart <= other.top())
        return Bottom;
    if (other.right() <= card.left())
        return Left;
    if (card.right() <= other.left())
        return Right;
    return other.center().y() < card.center().y() ? Top : Bottom;
}

Anchor anchorOn(const QRectF& card, Side side, double offset)
{
    switch (side) {
    case Top:
        return {{card.center().x() + offset, card.top()}, {0, -1}};
    case Bottom:
        return {{card.center().x() + offset, card.bottom()}, {0, 1}};
    case Left:
        return {{card.left(), card.center().y() + offset}, {-1, 0}};
    case Right:
        return {{card.right(), card.center().y() + offset}, {1, 0}};
    }
    return {};
}

} // namespace

std::vector<NearEnd> nearEnds(const QRectF& card, const std::vector<FarEnd>& others)
{
    struct Slot {
        double place;
        std::size_t connection;
    };
    std::array<std::vector<Slot>, 4> sides;
    for (const FarEnd& other : others) {
        const Side side = facing(card, other.card);
        const QPointF centre = other.card.center();
        sides[side].push_back({side == Top || side == Bottom ? centre.x() : centre.y(), other.connection});
    }
    std::vector<NearEnd> ends;
    for (std::size_t s = 0; s < sides.size(); ++s) {
        std::vector<Slot>& slots = sides[s];
        std::stable_sort(slots.begin(), slots.end(), [](const Slot& a, const Slot& b) { return a.place < b.place; });
        const double length = s == Top || s == Bottom ? card.width() : card.height();
        const double n = static_cast<double>(slots.size());
        const double step = n > 1 ? std::min(kAnchorStep, length * 0.65 / (n - 1)) : 0;
        for (std::size_t k = 0; k < slots.size(); ++k) {
            const double offset = (static_cast<double>(k) - (n - 1) / 2) * step;
            ends.push_back({slots[k].connection, anchorOn(card, static_cast<Side>(s), offset)});
        }
    }
    return ends;
}

} // namespace stratoplan::widgets
