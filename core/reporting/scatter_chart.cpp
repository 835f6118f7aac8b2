// SPDX-License-Identifier: Apache-2.0
#include "core/reporting/scatter_chart.h"

#include "core/units/format.h"
#include "core/units/text.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace stratoplan::reporting {
namespace {

constexpr double kSize = 320; ///< of the axes, in pixels
constexpr double kLeft = 56;
constexpr double kTop = 28;
constexpr double kBand = 0.1;

/// A logarithmic axis over `low` to `high`, 0 to kSize.
struct LogAxis {
    double low = 1, high = 10;
    [[nodiscard]] double at(double value) const { return std::log(value / low) / std::log(high / low) * kSize; }
};

LogAxis axisOver(const std::vector<validation::ReportPoint>& points)
{
    LogAxis axis{1e300, 0};
    for (const validation::ReportPoint& point : points) {
        axis.low = std::min({axis.low, point.measured, point.estimated});
        axis.high = std::max({axis.high, point.measured, point.estimated});
    }
    const double margin = std::max(std::pow(axis.high / axis.low, 0.05), 1.15);
    return {axis.low / margin, axis.high * margin};
}

/// 1, 2 and 5 in every decade; only the ones where there would be too many.
std::vector<double> ticks(const LogAxis& axis)
{
    std::vector<double> all, ones;
    for (double decade = std::pow(10, std::floor(std::log10(axis.low))); decade <= axis.high; decade *= 10) {
        for (const double step : {1.0, 2.0, 5.0}) {
            if (const double tick = decade * step; tick >= axis.low && tick <= axis.high) {
                all.push_back(tick);
                if (step == 1.0)
                    ones.push_back(tick);
            }
        }
    }
    constexpr std::size_t kMost = 7;
    return all.size() > kMost && ones.size() > 1 ? ones : all;
}

std::string px(double value)
{
    return fixedDecimals(std::round(value * 10) / 10, 1);
}

std::string escaped(const std::string& text)
{
    std::string result;
    for (const char c : text)
        result += c == '&' ? std::string("&amp;") : c == '<' ? std::string("&lt;") : std::string(1, c);
    return result;
}

std::string line(const char* kind, double x1, double y1, double x2, double y2)
{
    return std::string("<line class=\"") + kind + "\" x1=\"" + px(x1) + "\" y1=\"" + px(y1) + "\" x2=\"" + px(x2)
        + "\" y2=\"" + px(y2) + "\"/>\n";
}

std::string label(double x, double y, const char* anchor, const std::string& text)
{
    return "<text x=\"" + px(x) + "\" y=\"" + px(y) + "\" text-anchor=\"" + anchor + "\">" + escaped(text)
        + "</text>\n";
}

constexpr const char* kStyle =
    "<style>\n"
    "text { font: 11px sans-serif; fill: #444 }\n"
    ".grid { stroke: #ddd } .axis { stroke: #888; fill: none } .same { stroke: #444 }\n"
    ".band { fill: #72b7b2; opacity: .25 } .dot { fill: #4c78a8; opacity: .7 }\n"
    "@media (prefers-color-scheme: dark) { text { fill: #ccc } .grid { stroke: #333 } .same { stroke: #ccc }\n"
    ".dot { fill: #8ab4e0 } }\n"
    "</style>\n";

} // namespace

std::string scatterSvg(
    const std::string& title, const std::vector<validation::ReportPoint>& points, const std::string& unit)
{
    const LogAxis axis = axisOver(points);
    const double bottom = kTop + kSize;
    const auto x = [&](double value) { return kLeft + axis.at(value); };
    const auto y = [&](double value) { return bottom - axis.at(value); };
    std::string svg =
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 400 396\" width=\"400\" height=\"396\" role=\"img\">\n"
        "<!-- SPDX-License-Identifier: GPL-3.0-or-later -->\n<title>"
        + escaped(title) + "</title>\n" + kStyle + "<clipPath id=\"axes\"><rect x=\"" + px(kLeft) + "\" y=\"" + px(kTop)
        + "\" width=\"" + px(kSize) + "\" height=\"" + px(kSize) + "\"/></clipPath>\n";
    svg += label(kLeft, 16, "start", title);
    for (const double tick : ticks(axis)) {
        svg += line("grid", x(tick), kTop, x(tick), bottom) + line("grid", kLeft, y(tick), kLeft + kSize, y(tick));
        svg += label(x(tick), bottom + 14, "middle", formatNumber(tick))
            + label(kLeft - 5, y(tick) + 4, "end", formatNumber(tick));
    }
    const double low = axis.low, high = axis.high;
    svg += "<polygon class=\"band\" clip-path=\"url(#axes)\" points=\"";
    for (const auto& [measured, factor] :
        {std::pair(low, 1 - kBand), std::pair(low, 1 + kBand), std::pair(high, 1 + kBand), std::pair(high, 1 - kBand)})
        svg += px(x(measured)) + ',' + px(y(measured * factor)) + ' ';
    svg += "\"/>\n" + line("same", x(low), y(low), x(high), y(high));
    std::set<std::string> drawn; // points that fall on one another are one
    for (const validation::ReportPoint& point : points)
        drawn.insert("<circle class=\"dot\" cx=\"" + px(x(point.measured)) + "\" cy=\"" + px(y(point.estimated))
            + "\" r=\"2.5\"/>\n");
    for (const std::string& dot : drawn)
        svg += dot;
    svg += "<rect class=\"axis\" x=\"" + px(kLeft) + "\" y=\"" + px(kTop) + "\" width=\"" + px(kSize) + "\" height=\""
        + px(kSize) + "\"/>\n";
    svg += label(kLeft + kSize / 2, bottom + 32, "middle", "Measured (" + unit + ")");
    svg += "<text transform=\"translate(12 " + px(kTop + kSize / 2)
        + ") rotate(-90)\" text-anchor=\"middle\">Estimated (" + unit + ")</text>\n";
    return svg + "</svg>\n";
}

} // namespace stratoplan::reporting
