// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/presentation/axis.h"

#include "core/units/quantity.h"

#include <QLocale>
#include <algorithm>
#include <cmath>

namespace stratoplan::widgets {

AxisUnit secondsUnit(double largest)
{
    if (largest >= 1.0)
        return {1.0, QStringLiteral("s")};
    if (largest >= 1e-3)
        return {1e-3, QStringLiteral("ms")};
    return {1e-6, QStringLiteral("µs")};
}

AxisUnit bytesUnit(double largest)
{
    if (largest < kGiB)
        return {kGiB / 1024, QStringLiteral("MiB")};
    if (largest >= 8 * 1024 * kGiB)
        return {kGiB * 1024, QStringLiteral("TiB")};
    return {kGiB, QStringLiteral("GiB")};
}

AxisUnit tokenRateUnit(double largest)
{
    if (largest >= 1e9)
        return {1e9, QStringLiteral("B tokens/s")};
    if (largest >= 1e6)
        return {1e6, QStringLiteral("M tokens/s")};
    if (largest >= 1e3)
        return {1e3, QStringLiteral("k tokens/s")};
    return {1.0, QStringLiteral("tokens/s")};
}

Ticks niceTicks(double low, double high, int most)
{
    Ticks ticks;
    if (!std::isfinite(low) || !std::isfinite(high) || high <= low || most < 1)
        return ticks;
    const double ideal = (high - low) / most;
    const double magnitude = std::pow(10.0, std::floor(std::log10(ideal)));
    double factor = 10;
    for (const double candidate : {1.0, 2.0, 5.0, 10.0}) {
        // Counted exactly: a range that starts on a multiple holds one tick more than its length suggests.
        const double step = candidate * magnitude;
        const double count = std::floor(high / step + 1e-9) - std::ceil(low / step - 1e-9) + 1;
        if (count <= most) {
            factor = candidate;
            break;
        }
    }
    ticks.step = factor * magnitude;
    if (!(ticks.step > 0) || !std::isfinite(ticks.step))
        return {};
    ticks.decimals = std::max(0, -static_cast<int>(std::floor(std::log10(ticks.step) + 1e-9)));
    const double first = std::ceil(low / ticks.step - 1e-9);
    const double last = std::floor(high / ticks.step + 1e-9);
    for (double k = first; k <= last; ++k)
        ticks.values.push_back(k == 0 ? 0.0 : k * ticks.step);
    return ticks;
}

QString tickText(double value, int decimals)
{
    if (!std::isfinite(value))
        return QStringLiteral("–");
    const double rounding = 0.5 * std::pow(10.0, -decimals);
    return QLocale(QLocale::English).toString(std::abs(value) < rounding ? 0.0 : value, 'f', decimals);
}

int labelStride(int count, double pixelsPerItem, double labelPixels)
{
    int stride = 1;
    while (stride < count && pixelsPerItem * stride < labelPixels)
        stride *= 2;
    return stride;
}

Interval padded(Interval range, double share)
{
    double length = range.length();
    if (!(length > 0))
        length = std::max(std::abs(range.high), 1.0) * 0.1;
    return {range.low - share * length, range.low + std::max(range.length(), 0.0) + share * length};
}

Interval confined(Interval view, Interval bounds, double shortest)
{
    const double length = std::clamp(view.length(), std::min(shortest, bounds.length()), bounds.length());
    const double middle = (view.low + view.high) / 2;
    const double low = std::clamp(middle - length / 2, bounds.low, bounds.high - length);
    return {low, low + length};
}

} // namespace stratoplan::widgets
