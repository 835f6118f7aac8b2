// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/presentation/tokens.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace stratoplan::widgets {

namespace {

/// Of the light, dark and high-contrast theme, as ThemeKind counts them.
using Colours = std::array<const char*, 3>;

struct TokenColours {
    QColor Tokens::*token;
    Colours colours;
};
constexpr TokenColours kTokens[]{
    {&Tokens::window, {"#F6F7F9", "#1A1D23", "#000000"}},
    {&Tokens::surface, {"#FFFFFF", "#20252C", "#000000"}},
    {&Tokens::raised, {"#F0F2F5", "#2A3039", "#1C1C1C"}},
    {&Tokens::sunken, {"#ECEEF2", "#2C323B", "#242424"}},
    {&Tokens::border, {"#DDE1E7", "#363D48", "#FFFFFF"}},
    {&Tokens::frame, {"#C9CFD8", "#4A5361", "#FFFFFF"}},
    {&Tokens::text, {"#1B2430", "#E6E9EE", "#FFFFFF"}},
    {&Tokens::secondaryText, {"#566070", "#A7B0BD", "#E0E0E0"}},
    {&Tokens::disabledText, {"#A2AAB6", "#6A7380", "#9A9A9A"}},
    {&Tokens::accent, {"#2A67D9", "#6B9BFF", "#FFD83D"}},
    {&Tokens::onAccent, {"#FFFFFF", "#0E1420", "#000000"}},
    {&Tokens::accentSoft, {"#E3ECFB", "#2B3A55", "#3D3300"}},
    {&Tokens::good, {"#17763C", "#4CC38A", "#5CF29A"}},
    {&Tokens::warn, {"#8A5A00", "#F0B429", "#FFD83D"}},
    {&Tokens::bad, {"#BC2733", "#FF8089", "#FF9AA2"}},
    {&Tokens::info, {"#2560CC", "#7FA9FF", "#8FC7FF"}},
    {&Tokens::selection, {"#C07F00", "#F0B429", "#FFD83D"}},
    {&Tokens::grid, {"#E8EBEF", "#2E353F", "#3C3C3C"}},
    {&Tokens::shadow, {"#8C95A3", "#0B0D10", "#000000"}},
};

struct MarkColours {
    Mark mark;
    Colours fills;
    Colours edges{}; ///< null: that of the fill
};
constexpr MarkColours kMarks[]{
    {Mark::Forward, {"#4C78A8", "#8FB6E3", "#9CCBFF"}},
    {Mark::Backward, {"#2F5587", "#4C78A8", "#4F93E8"}},
    {Mark::Recompute, {"#6163C6", "#B59CF0", "#CFA6FF"}},
    {Mark::Exposed, {"#E45756", "#E45756", "#FF6E6C"}},
    {Mark::Hidden, {"#72B7B2", "#72B7B2", "#7CE0D8"}, {"#2E8079"}},
    {Mark::Bubble, {"#8A93A0", "#737C89", "#A6A6A6"}},
    {Mark::Optimizer, {"#B279A2", "#B279A2", "#E79BD6"}},
    {Mark::Other, {"#9D755D", "#B98C70", "#D9A98A"}},
    {Mark::Weights, {"#4C78A8", "#5486BD", "#4F93E8"}},
    {Mark::Gradients, {"#4A97D0", "#8CC4EE", "#A9DBFF"}},
    {Mark::OptimizerState, {"#B279A2", "#B279A2", "#E79BD6"}},
    {Mark::Activations, {"#D07A22", "#F0A04B", "#FFB057"}},
    {Mark::Buffers, {"#3F9890", "#5DBBB3", "#7CE0D8"}},
    {Mark::Reserve, {"#8A93A0", "#737C89", "#A6A6A6"}},
    {Mark::Cloud, {"#8D95A1", "#737C89", "#A6A6A6"}},
    {Mark::Front, {"#2A67D9", "#6B9BFF", "#FFD83D"}},
    {Mark::OutOfMemory, {"#D8606B", "#D8606B", "#FF6E6C"}},
    {Mark::Capacity, {"#A8324A", "#FF8089", "#FF9AA2"}},
    {Mark::Fits, {"#2E9A5B", "#3FA873", "#5CF29A"}},
    {Mark::Dominated, {"#B9800F", "#C48F1E", "#FFD83D"}},
    {Mark::Broken, {"#D24C57", "#D9535E", "#FF6E6C"}},
};
static_assert(std::size(kMarks) == kMarkCount);

Tokens makeTokens(ThemeKind kind)
{
    const auto theme = static_cast<std::size_t>(kind);
    Tokens t;
    t.kind = kind;
    for (const auto& [token, colours] : kTokens)
        t.*token = QColor(colours[theme]);
    for (const auto& [mark, fills, edges] : kMarks) {
        const auto i = static_cast<std::size_t>(mark);
        t.marks[i] = QColor(fills[theme]);
        t.edges[i] = QColor(edges[theme] ? edges[theme] : fills[theme]);
    }
    return t;
}

double linear(double channel)
{
    return channel <= 0.03928 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

double luminance(const QColor& c)
{
    return 0.2126 * linear(c.redF()) + 0.7152 * linear(c.greenF()) + 0.0722 * linear(c.blueF());
}

} // namespace

const Tokens& tokens(ThemeKind kind)
{
    static const std::array<Tokens, 3> all{
        makeTokens(ThemeKind::Light), makeTokens(ThemeKind::Dark), makeTokens(ThemeKind::HighContrast)};
    return all[static_cast<std::size_t>(kind)];
}

double contrastRatio(const QColor& a, const QColor& b)
{
    const double la = luminance(a);
    const double lb = luminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

QColor blend(const QColor& over, const QColor& under, double share)
{
    const double s = std::clamp(share, 0.0, 1.0);
    const auto mix = [s](int a, int b) { return static_cast<int>(std::lround(a * s + b * (1 - s))); };
    return QColor(mix(over.red(), under.red()), mix(over.green(), under.green()), mix(over.blue(), under.blue()));
}

QColor Tokens::label(const QColor& fill) const
{
    const QColor light("#FFFFFF");
    const QColor dark("#10151C");
    return contrastRatio(light, fill) >= contrastRatio(dark, fill) ? light : dark;
}

QColor translucent(QColor colour, double share)
{
    colour.setAlphaF(static_cast<float>(share));
    return colour;
}

} // namespace stratoplan::widgets
