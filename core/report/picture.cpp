// SPDX-License-Identifier: Apache-2.0
#include "core/report/picture.h"

#include <algorithm>
#include <cmath>

namespace stratoplan::report {
namespace {

constexpr double kHatch = 5; ///< pixels between lines

/// The part of a line of slope +1 or -1 that lies in the frame: x - x0 = s (y - y0), where it meets the top at `x`.
void addSlanted(Strokes& strokes, const Frame& f, double x, bool forward)
{
    // Forward lines fall to the left: a point of them is (x - d, y + d), of the others (x + d, y + d).
    const double left = f.x, right = f.right();
    const double least = std::max(0.0, forward ? x - right : left - x);
    const double most = std::min(f.height, forward ? x - left : right - x);
    const double sign = forward ? -1 : 1;
    if (least < most)
        strokes.lines.push_back({{x + sign * least, f.y + least}, {x + sign * most, f.y + most}});
}

void addHatch(Strokes& strokes, const Frame& f, Pattern pattern)
{
    const bool crossed = pattern == Pattern::Crossed;
    if (pattern == Pattern::Forward || crossed)
        for (double x = f.x + kHatch / 2; x < f.right() + f.height; x += kHatch)
            addSlanted(strokes, f, x, true);
    if (pattern == Pattern::Backward || crossed)
        for (double x = f.right() - kHatch / 2; x > f.x - f.height; x -= kHatch)
            addSlanted(strokes, f, x, false);
    if (pattern == Pattern::Upright)
        for (double x = f.x + kHatch / 2; x < f.right(); x += kHatch)
            strokes.lines.push_back({{x, f.y}, {x, f.bottom()}});
    if (pattern == Pattern::Level)
        for (double y = f.y + kHatch / 2; y < f.bottom(); y += kHatch)
            strokes.lines.push_back({{f.x, y}, {f.right(), y}});
    if (pattern == Pattern::Dots) // a column of them at least
        for (double y = f.y + kHatch / 2; y < f.bottom(); y += kHatch)
            for (double x = f.x + std::min(kHatch, f.width - 1) / 2; x < f.right() - 1; x += kHatch)
                strokes.lines.push_back({{x, y}, {x + 1, y}});
}

double shareOfSize(char32_t letter)
{
    if (letter == ' ' || letter == 0x2009)
        return 0.29;
    constexpr std::u32string_view narrow = U"il.,:;|!'jt()[]/frI·";
    if (narrow.find(letter) != std::u32string_view::npos)
        return 0.36;
    constexpr std::u32string_view wide = U"mwMWOQ@%→×≈";
    if (wide.find(letter) != std::u32string_view::npos)
        return 0.9;
    return letter >= 'A' && letter <= 'Z' ? 0.7 : 0.6;
}

/// Calls with every letter of UTF-8 and where it ends.
template <class Function>
void eachLetter(std::string_view text, Function function)
{
    for (std::size_t i = 0; i < text.size();) {
        const auto lead = static_cast<unsigned char>(text[i]);
        const std::size_t length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
        char32_t letter = length == 1 ? lead : lead & (0xffU >> (length + 1));
        for (std::size_t k = 1; k < length && i + k < text.size(); ++k)
            letter = (letter << 6) | (static_cast<unsigned char>(text[i + k]) & 0x3fU);
        i = std::min(i + length, text.size());
        function(letter, i);
    }
}

double channel(Rgb colour, int shift)
{
    return double((colour >> shift) & 0xffU);
}

double luminance(Rgb colour)
{
    const auto linear = [&](int shift) {
        const double c = channel(colour, shift) / 255;
        return c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(16) + 0.7152 * linear(8) + 0.0722 * linear(0);
}

} // namespace

void addBox(Picture& picture, const Frame& frame, Rgb fill, Pattern pattern, double radius)
{
    if (!(frame.width > 0) || !(frame.height > 0))
        return;
    picture.add(Boxes{{frame}, fill, false, 0, radius});
    if (pattern == Pattern::Solid)
        return;
    Strokes strokes{{}, inkOn(fill) == kPaper ? kPaper : blended(fill, kInk, 0.55), 0.7, false};
    addHatch(strokes, frame, pattern);
    if (!strokes.lines.empty())
        picture.add(std::move(strokes));
}

void addFrame(Picture& picture, const Frame& frame, Rgb fill, Rgb edge, double radius)
{
    picture.add(Boxes{{frame}, fill, true, edge, radius});
}

void addLine(Picture& picture, Point from, Point to, Rgb colour, double width, bool dashed)
{
    picture.add(Strokes{{{from, to}}, colour, width, dashed});
}

void addText(Picture& picture, Point at, std::string text, Anchor anchor, double size, Rgb colour, bool bold)
{
    picture.add(Label{at, std::move(text), anchor, size, colour, bold, false});
}

double textWidth(std::string_view text, double size, bool bold)
{
    double width = 0;
    eachLetter(text, [&](char32_t letter, std::size_t) { width += shareOfSize(letter); });
    return width * size * (bold ? 1.06 : 1);
}

std::string fitted(std::string text, double width, double size)
{
    if (textWidth(text, size) <= width)
        return text;
    std::size_t end = 0;
    double taken = textWidth("…", size);
    eachLetter(text, [&](char32_t letter, std::size_t stop) {
        taken += shareOfSize(letter) * size;
        if (taken <= width)
            end = stop;
    });
    return end == 0 ? std::string() : text.substr(0, end) + "…";
}

Rgb inkOn(Rgb fill)
{
    const double onWhite = 1.05 / (luminance(fill) + 0.05);
    const double onInk = (luminance(fill) + 0.05) / (luminance(kInk) + 0.05);
    return onWhite > onInk ? kPaper : kInk;
}

Rgb blended(Rgb from, Rgb to, double share)
{
    Rgb result = 0;
    for (const int shift : {16, 8, 0}) {
        const double mixed = channel(from, shift) + (channel(to, shift) - channel(from, shift)) * share;
        result |= static_cast<Rgb>(std::lround(mixed)) << shift;
    }
    return result;
}

double addLegend(Picture& picture, const std::vector<LegendItem>& items, double left, double top)
{
    constexpr double kBox = 11, kRow = 17, kGap = 16;
    double x = left, y = top;
    for (const LegendItem& item : items) {
        const double width = kBox + 5 + textWidth(item.name);
        if (x > left && x + width > kPictureWidth) {
            x = left;
            y += kRow;
        }
        addBox(picture, {x, y, kBox, kBox}, item.fill, item.pattern);
        addText(picture, {x + kBox + 5, y + kBox - 1.5}, item.name, Anchor::Start, kLetter, kQuiet);
        x += width + kGap;
    }
    return y + kRow;
}

std::vector<double> Scale::ticks(int about) const
{
    std::vector<double> result;
    if (!(most > least) || !std::isfinite(most - least))
        return result;
    const double rough = (most - least) / about;
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    const double share = rough / power;
    const double step = power * (share <= 1 ? 1 : share <= 2 ? 2 : share <= 5 ? 5 : 10);
    if (step <= 1e-12 * std::max(std::abs(least), std::abs(most)))
        return result; // a tick and the next would be the same number
    for (double tick = std::ceil(least / step - 1e-9) * step; tick <= most + step * 1e-6; tick += step)
        result.push_back(std::abs(tick) < step * 1e-9 ? 0 : tick);
    return result;
}

} // namespace stratoplan::report
