// SPDX-License-Identifier: Apache-2.0
#include "core/units/format.h"

#include "core/units/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>

namespace stratoplan::inline units {

namespace {

constexpr const char* kNotANumber = "–";
constexpr const char* kMinus = "−";

struct Scale {
    double factor;
    const char* unit;
};

/// Magnitude (>= 0) with three significant figures, without an exponent where people would not write one.
std::string threeFigures(double magnitude)
{
    if (magnitude == 0)
        return "0";
    int exponent = static_cast<int>(std::floor(std::log10(magnitude)));
    // Rounding may carry into the next power of ten: 9.996 is written 10.0.
    if (magnitude / std::pow(10.0, exponent - 2) >= 999.5)
        ++exponent;
    if (exponent < -4 || exponent > 14) {
        std::array<char, 32> text{};
        const auto end =
            std::to_chars(text.data(), text.data() + text.size(), magnitude, std::chars_format::scientific, 2).ptr;
        return {text.data(), end};
    }
    if (exponent <= 2)
        return fixedDecimals(magnitude, 2 - exponent);
    const double step = std::pow(10.0, exponent - 2);
    return fixedDecimals(std::round(magnitude / step) * step, 0);
}

/// The largest scale in which the rounded value is at least one; scales rise.
std::string scaled(double value, std::span<const Scale> scales)
{
    if (!std::isfinite(value))
        return kNotANumber;
    const double magnitude = std::abs(value);
    const Scale* best = &scales.front();
    for (const Scale& scale : scales) {
        // 999.5 of the scale below is written as 1.00 of this one.
        if (magnitude > 0 && magnitude >= scale.factor * 0.9995)
            best = &scale;
    }
    const std::string sign = value < 0 ? kMinus : "";
    const std::string unit = *best->unit != '\0' ? std::string(" ") + best->unit : std::string();
    return sign + threeFigures(magnitude / best->factor) + unit;
}

constexpr std::array kFlopScales{
    Scale{1, "FLOP"},
    Scale{1e3, "kFLOP"},
    Scale{1e6, "MFLOP"},
    Scale{1e9, "GFLOP"},
    Scale{1e12, "TFLOP"},
    Scale{1e15, "PFLOP"},
    Scale{1e18, "EFLOP"},
    Scale{1e21, "ZFLOP"},
    Scale{1e24, "YFLOP"},
};
constexpr std::array kFlopRateScales{
    Scale{1, "FLOP/s"},
    Scale{1e3, "kFLOP/s"},
    Scale{1e6, "MFLOP/s"},
    Scale{1e9, "GFLOP/s"},
    Scale{1e12, "TFLOP/s"},
    Scale{1e15, "PFLOP/s"},
    Scale{1e18, "EFLOP/s"},
    Scale{1e21, "ZFLOP/s"},
};
constexpr std::array kBandwidthScales{
    Scale{1, "B/s"},
    Scale{1e3, "kB/s"},
    Scale{1e6, "MB/s"},
    Scale{1e9, "GB/s"},
    Scale{1e12, "TB/s"},
    Scale{1e15, "PB/s"},
};
constexpr std::array kByteScales{
    Scale{1, "B"},
    Scale{1024, "KiB"},
    Scale{1024.0 * 1024, "MiB"},
    Scale{kGiB, "GiB"},
    Scale{kGiB * 1024, "TiB"},
    Scale{kGiB * 1024 * 1024, "PiB"},
    Scale{kGiB * 1024 * 1024 * 1024, "EiB"},
};
constexpr std::array kNumberScales{
    Scale{1, ""},
    Scale{1e3, "k"},
    Scale{1e6, "M"},
    Scale{1e9, "G"},
    Scale{1e12, "T"},
    Scale{1e15, "P"},
    Scale{1e18, "E"},
    Scale{1e21, "Z"},
};
constexpr std::array kShortTimes{Scale{1e-9, "ns"}, Scale{1e-6, "µs"}, Scale{1e-3, "ms"}, Scale{1, "s"}};

constexpr double kMinute = 60;
constexpr double kHour = 3600;
constexpr double kDay = 86400;
constexpr double kYear = 365.25 * kDay;

Scale longTime(double seconds)
{
    if (seconds < 2 * kHour)
        return {kMinute, "min"};
    if (seconds < 2 * kDay)
        return {kHour, "h"};
    if (seconds < 1000 * kDay)
        return {kDay, "d"};
    return {kYear, "years"};
}

} // namespace

std::string format(Seconds value)
{
    const double magnitude = std::abs(value.value());
    if (!std::isfinite(magnitude))
        return kNotANumber;
    if (magnitude == 0)
        return "0 s";
    if (magnitude <= 2 * kMinute)
        return scaled(value.value(), kShortTimes);
    const Scale scale = longTime(magnitude);
    return scaled(value.value(), std::span(&scale, 1));
}

std::string format(Bytes value)
{
    // Sizes from 1000 to 1023 of a unit take the next one: 0.986 TiB has three figures, 1010 GiB would have four.
    double magnitude = std::abs(value.value());
    if (!std::isfinite(magnitude))
        return kNotANumber;
    std::size_t index = 0;
    while (index + 1 < kByteScales.size() && magnitude >= 999.5 * kByteScales[index].factor)
        ++index;
    return scaled(value.value(), std::span(&kByteScales[index], 1));
}

std::string format(BytesPerSecond value)
{
    return scaled(value.value(), kBandwidthScales);
}

std::string format(Flops value)
{
    return scaled(value.value(), kFlopScales);
}

std::string format(FlopsPerSecond value)
{
    return scaled(value.value(), kFlopRateScales);
}

std::string formatOversubscription(double share)
{
    return formatNumber(1 / share) + ":1";
}

std::string formatNumber(double value)
{
    // Counts below a thousand are exact: "96", not "96.0".
    if (std::abs(value) < 1000 && value == std::trunc(value))
        return (value < 0 ? kMinus : "") + fixedDecimals(std::abs(value), 0);
    return scaled(value, kNumberScales);
}

std::string formatCount(double value)
{
    std::string text = formatNumber(value);
    std::replace(text.begin(), text.end(), 'G', 'B');
    return text;
}

std::string formatShare(double value)
{
    constexpr Scale kPercent{0.01, "%"};
    return scaled(value, std::span(&kPercent, 1));
}

} // namespace stratoplan::inline units
