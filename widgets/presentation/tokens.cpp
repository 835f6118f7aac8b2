// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/presentation/tokens.h"

#include <algorithm>
#include <cmath>

namespace stratoplan::widgets {

namespace {

void setMark(Tokens& t, Mark mark, const char* fill, const char* edge = nullptr)
{
    const auto i = static_cast<std::size_t>(mark);
    t.marks[i] = QColor(fill);
    t.edges[i] = QColor(edge ? edge : fill);
}

// In one piece: a colour for every token and every mark, in the order of the other themes.
Tokens lightTokens()
{
    Tokens t;
    t.kind = ThemeKind::Light;
    t.window = QColor("#F6F7F9");
    t.surface = QColor("#FFFFFF");
    t.raised = QColor("#F0F2F5");
    t.sunken = QColor("#ECEEF2");
    t.border = QColor("#DDE1E7");
    t.frame = QColor("#C9CFD8");
    t.text = QColor("#1B2430");
    t.secondaryText = QColor("#566070");
    t.disabledText = QColor("#A2AAB6");
    t.accent = QColor("#2A67D9");
    t.onAccent = QColor("#FFFFFF");
    t.accentSoft = QColor("#E3ECFB");
    t.good = QColor("#17763C");
    t.warn = QColor("#8A5A00");
    t.bad = QColor("#BC2733");
    t.info = QColor("#2560CC");
    t.selection = QColor("#C07F00");
    t.grid = QColor("#E8EBEF");
    t.shadow = QColor("#8C95A3");
    setMark(t, Mark::Forward, "#4C78A8");
    setMark(t, Mark::Backward, "#2F5587");
    setMark(t, Mark::Recompute, "#6163C6");
    setMark(t, Mark::Exposed, "#E45756");
    setMark(t, Mark::Hidden, "#72B7B2", "#2E8079");
    setMark(t, Mark::Bubble, "#8A93A0");
    setMark(t, Mark::Optimizer, "#B279A2");
    setMark(t, Mark::Other, "#9D755D");
    setMark(t, Mark::Weights, "#4C78A8");
    setMark(t, Mark::Gradients, "#4A97D0");
    setMark(t, Mark::OptimizerState, "#B279A2");
    setMark(t, Mark::Activations, "#D07A22");
    setMark(t, Mark::Buffers, "#3F9890");
    setMark(t, Mark::Reserve, "#8A93A0");
    setMark(t, Mark::Cloud, "#8D95A1");
    setMark(t, Mark::Front, "#2A67D9");
    setMark(t, Mark::OutOfMemory, "#D8606B");
    setMark(t, Mark::Capacity, "#A8324A");
    setMark(t, Mark::Fits, "#2E9A5B");
    setMark(t, Mark::Dominated, "#B9800F");
    setMark(t, Mark::Broken, "#D24C57");
    return t;
}

// In one piece: a colour for every token and every mark, in the order of the other themes.
Tokens darkTokens()
{
    Tokens t;
    t.kind = ThemeKind::Dark;
    t.window = QColor("#1A1D23");
    t.surface = QColor("#20252C");
    t.raised = QColor("#2A3039");
    t.sunken = QColor("#2C323B");
    t.border = QColor("#363D48");
    t.frame = QColor("#4A5361");
    t.text = QColor("#E6E9EE");
    t.secondaryText = QColor("#A7B0BD");
    t.disabledText = QColor("#6A7380");
    t.accent = QColor("#6B9BFF");
    t.onAccent = QColor("#0E1420");
    t.accentSoft = QColor("#2B3A55");
    t.good = QColor("#4CC38A");
    t.warn = QColor("#F0B429");
    t.bad = QColor("#FF8089");
    t.info = QColor("#7FA9FF");
    t.selection = QColor("#F0B429");
    t.grid = QColor("#2E353F");
    t.shadow = QColor("#0B0D10");
    setMark(t, Mark::Forward, "#8FB6E3");
    setMark(t, Mark::Backward, "#4C78A8");
    setMark(t, Mark::Recompute, "#B59CF0");
    setMark(t, Mark::Exposed, "#E45756");
    setMark(t, Mark::Hidden, "#72B7B2");
    setMark(t, Mark::Bubble, "#737C89");
    setMark(t, Mark::Optimizer, "#B279A2");
    setMark(t, Mark::Other, "#B98C70");
    setMark(t, Mark::Weights, "#5486BD");
    setMark(t, Mark::Gradients, "#8CC4EE");
    setMark(t, Mark::OptimizerState, "#B279A2");
    setMark(t, Mark::Activations, "#F0A04B");
    setMark(t, Mark::Buffers, "#5DBBB3");
    setMark(t, Mark::Reserve, "#737C89");
    setMark(t, Mark::Cloud, "#737C89");
    setMark(t, Mark::Front, "#6B9BFF");
    setMark(t, Mark::OutOfMemory, "#D8606B");
    setMark(t, Mark::Capacity, "#FF8089");
    setMark(t, Mark::Fits, "#3FA873");
    setMark(t, Mark::Dominated, "#C48F1E");
    setMark(t, Mark::Broken, "#D9535E");
    return t;
}

// In one piece: a colour for every token and every mark, in the order of the other themes.
Tokens highContrastTokens()
{
    Tokens t;
    t.kind = ThemeKind::HighContrast;
    t.window = QColor("#000000");
    t.surface = QColor("#000000");
    t.raised = QColor("#1C1C1C");
    t.sunken = QColor("#242424");
    t.border = QColor("#FFFFFF");
    t.frame = QColor("#FFFFFF");
    t.text = QColor("#FFFFFF");
    t.secondaryText = QColor("#E0E0E0");
    t.disabledText = QColor("#9A9A9A");
    t.accent = QColor("#FFD83D");
    t.onAccent = QColor("#000000");
    t.accentSoft = QColor("#3D3300");
    t.good = QColor("#5CF29A");
    t.warn = QColor("#FFD83D");
    t.bad = QColor("#FF9AA2");
    t.info = QColor("#8FC7FF");
    t.selection = QColor("#FFD83D");
    t.grid = QColor("#3C3C3C");
    t.shadow = QColor("#000000");
    setMark(t, Mark::Forward, "#9CCBFF");
    setMark(t, Mark::Backward, "#4F93E8");
    setMark(t, Mark::Recompute, "#CFA6FF");
    setMark(t, Mark::Exposed, "#FF6E6C");
    setMark(t, Mark::Hidden, "#7CE0D8");
    setMark(t, Mark::Bubble, "#A6A6A6");
    setMark(t, Mark::Optimizer, "#E79BD6");
    setMark(t, Mark::Other, "#D9A98A");
    setMark(t, Mark::Weights, "#4F93E8");
    setMark(t, Mark::Gradients, "#A9DBFF");
    setMark(t, Mark::OptimizerState, "#E79BD6");
    setMark(t, Mark::Activations, "#FFB057");
    setMark(t, Mark::Buffers, "#7CE0D8");
    setMark(t, Mark::Reserve, "#A6A6A6");
    setMark(t, Mark::Cloud, "#A6A6A6");
    setMark(t, Mark::Front, "#FFD83D");
    setMark(t, Mark::OutOfMemory, "#FF6E6C");
    setMark(t, Mark::Capacity, "#FF9AA2");
    setMark(t, Mark::Fits, "#5CF29A");
    setMark(t, Mark::Dominated, "#FFD83D");
    setMark(t, Mark::Broken, "#FF6E6C");
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
    static const std::array<Tokens, 3> all{lightTokens(), darkTokens(), highContrastTokens()};
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
