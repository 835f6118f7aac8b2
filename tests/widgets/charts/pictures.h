// SPDX-License-Identifier: GPL-3.0-or-later
// Comparing what was painted, pixel by pixel.
#pragma once

#include <QColor>
#include <QImage>
#include <cmath>

namespace stratoplan::test {

inline int differingPixels(const QImage& a, const QImage& b)
{
    int count = 0;
    for (int y = 0; y < a.height(); ++y) {
        for (int x = 0; x < a.width(); ++x)
            count += a.pixel(x, y) != b.pixel(x, y);
    }
    return count;
}

/// How a picture became another: pixels that stay, that are mixed with 65 % of the background, and all others.
struct Paling {
    int same = 0;
    int paled = 0;
    int other = 0;
};

inline Paling comparePaled(const QImage& fresh, const QImage& stale, const QColor& background)
{
    const auto mixed = [](int now, int before, int over) { return std::abs(now - (0.35 * before + 0.65 * over)) <= 2; };
    Paling result;
    for (int y = 0; y < fresh.height(); ++y) {
        for (int x = 0; x < fresh.width(); ++x) {
            const QColor a = fresh.pixelColor(x, y);
            const QColor b = stale.pixelColor(x, y);
            if (a == b)
                ++result.same;
            else if (mixed(b.red(), a.red(), background.red()) && mixed(b.green(), a.green(), background.green())
                && mixed(b.blue(), a.blue(), background.blue()))
                ++result.paled;
            else
                ++result.other;
        }
    }
    return result;
}

} // namespace stratoplan::test
