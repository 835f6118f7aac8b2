// SPDX-License-Identifier: GPL-3.0-or-later
// Colours of the blocks of a tensor: a hue for the slice that a product sums over, a shade for the other one, so that
// blocks that belong together look so. The labels in the cells tell blocks apart; colours follow them.
#pragma once

#include "widgets/presentation/tokens.h"

namespace stratoplan::widgets {

/// Of `hues` and of `shades`, powers of two.
struct BlockTone {
    int hue = 0, hues = 1;
    int shade = 0, shades = 1;
    bool operator==(const BlockTone&) const = default;
};

/// At most 8 hues and 8 shades are told apart.
[[nodiscard]] BlockTone blockTone(int column, int columns, int row, int rows);
[[nodiscard]] QColor blockColour(const BlockTone& tone, ThemeKind theme);

} // namespace stratoplan::widgets
