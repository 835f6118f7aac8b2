// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers on axes: which unit, where the ticks stand, how they read.
#pragma once

#include <QString>
#include <vector>

namespace stratoplan::widgets {

/// A unit to show values in: shown = value / factor.
struct AxisUnit {
    double factor = 1;
    QString name;
    bool operator==(const AxisUnit&) const = default;
};

/// s, ms or µs, by the largest value in seconds.
[[nodiscard]] AxisUnit secondsUnit(double largest);
/// GiB; MiB below 1 GiB and TiB from 8 TiB on. `largest` in bytes.
[[nodiscard]] AxisUnit bytesUnit(double largest);
/// tokens/s with a decimal prefix. `largest` in tokens per second.
[[nodiscard]] AxisUnit tokenRateUnit(double largest);

struct Ticks {
    std::vector<double> values; ///< rising, all within the range asked for
    double step = 0;
    int decimals = 0; ///< digits after the point that tell neighbouring ticks apart
};

/// At most `most` ticks at multiples of 1, 2 or 5 times a power of ten. Empty for a range that is empty or not finite.
[[nodiscard]] Ticks niceTicks(double low, double high, int most);

/// "0", "0.4", "12,288"; never "-0".
[[nodiscard]] QString tickText(double value, int decimals);

/// Every how many of `count` categories to label, so that labels of `labelPixels` do not touch: 1, 2, 4, 8, …
[[nodiscard]] int labelStride(int count, double pixelsPerItem, double labelPixels);

/// The range with a share of its length added at both ends; never empty.
struct Interval {
    double low = 0;
    double high = 1;
    [[nodiscard]] double length() const { return high - low; }
    bool operator==(const Interval&) const = default;
};
[[nodiscard]] Interval padded(Interval range, double share);

/// `view` shifted and shrunk, at most, to lie within `bounds`, and never shorter than `shortest`.
[[nodiscard]] Interval confined(Interval view, Interval bounds, double shortest);

} // namespace stratoplan::widgets
