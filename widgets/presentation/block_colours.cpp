// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/presentation/block_colours.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>

namespace stratoplan::widgets {

namespace {

constexpr int kMostBits = 3; ///< of hues, and of shades

/// Around the circle of Oklch, degrees: where people name colours, not evenly.
constexpr std::array kHues{255.0, 205.0, 155.0, 110.0, 70.0, 35.0, 350.0, 300.0};

/// Of the lightest and the darkest shade.
struct Look {
    double light, dark, chroma;
};
constexpr std::array<Look, 3> kLooks{
    {{0.91, 0.66, 0.105}, {0.55, 0.34, 0.095}, {0.88, 0.64, 0.13}}}; // by theme; none where neither text is readable

double encoded(double linear)
{
    const double c = std::clamp(linear, 0.0, 1.0);
    return c <= 0.0031308 ? 12.92 * c : 1.055 * std::pow(c, 1 / 2.4) - 0.055;
}

/// Oklab: Ottosson, A perceptual color space for image processing (2020).
QColor oklch(double lightness, double chroma, double degrees)
{
    const double angle = degrees * std::numbers::pi / 180;
    const double a = chroma * std::cos(angle), b = chroma * std::sin(angle);
    const double l = std::pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
    const double m = std::pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
    const double s = std::pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
    return QColor::fromRgbF(float(encoded(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s)),
        float(encoded(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s)),
        float(encoded(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)));
}

int bitsOf(int count)
{
    return std::countr_zero(unsigned(std::max(count, 1)));
}

} // namespace

BlockTone blockTone(int column, int columns, int row, int rows)
{
    const int total = bitsOf(columns) + bitsOf(rows);
    const int number = column * rows + row;
    // Columns have the hues; few of them leave some to the rows, and many share hues.
    const int hueBits =
        std::clamp(bitsOf(columns), std::min({total, std::max(1, total - kMostBits), kMostBits}), kMostBits);
    const int shadeBits = std::min(total - hueBits, kMostBits);
    return {number >> (total - hueBits), 1 << hueBits, number & ((1 << shadeBits) - 1), 1 << shadeBits};
}

QColor blockColour(const BlockTone& tone, ThemeKind theme)
{
    const Look& look = kLooks[std::size_t(theme)];
    const double share = tone.shades > 1 ? double(tone.shade) / (tone.shades - 1) : 0.35;
    const std::size_t hue = std::size_t(tone.hue) * kHues.size() / std::size_t(tone.hues);
    return oklch(look.light + (look.dark - look.light) * share, look.chroma, kHues[hue]);
}

} // namespace stratoplan::widgets
