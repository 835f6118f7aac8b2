// SPDX-License-Identifier: GPL-3.0-or-later
// Every colour of the interface, in one place, for the light, dark and high-contrast themes. Text tokens hold a
// contrast of at least 4.5:1 on every background, marks (or their edge) 3:1 on the surface; a test asserts both.
#pragma once

#include <QColor>
#include <array>

namespace stratoplan::widgets {

enum class ThemeKind { Light, Dark, HighContrast };

/// What a coloured mark of a chart stands for.
enum class Mark {
    Forward,
    Backward,
    Recompute,
    Exposed,
    Hidden,
    Bubble,
    Optimizer,
    Other, // time
    Weights,
    Gradients,
    OptimizerState,
    Activations,
    Buffers,
    Reserve, // memory
    Cloud,
    Front,
    OutOfMemory,
    Capacity, // candidates
    Fits,
    Dominated,
    Broken, // slider tracks
};
inline constexpr std::size_t kMarkCount = 21;

struct Tokens {
    ThemeKind kind = ThemeKind::Light;
    QColor window; ///< behind panels
    QColor surface; ///< panels, charts and fields
    QColor raised; ///< buttons, hovered rows, tooltips
    QColor sunken; ///< empty lanes and grooves
    QColor border; ///< lines between panels
    QColor frame; ///< frames of fields and buttons
    QColor text;
    QColor secondaryText; ///< labels, units, axis numbers
    QColor disabledText; ///< exempt from the contrast rule, as disabled controls are
    QColor accent; ///< primary button, selection, focus ring
    QColor onAccent; ///< text on accent
    QColor accentSoft; ///< background of a checked or selected item under normal text
    QColor good, warn, bad, info; ///< usable as text
    QColor selection; ///< outline of the selected mark, with a line of surface inside
    QColor grid; ///< chart grid; decoration, no contrast rule
    QColor shadow;
    std::array<QColor, kMarkCount> marks;
    std::array<QColor, kMarkCount> edges;

    [[nodiscard]] const QColor& mark(Mark m) const { return marks[static_cast<std::size_t>(m)]; }
    /// Outline of a mark whose fill is too light for the surface; the fill itself elsewhere.
    [[nodiscard]] const QColor& edge(Mark m) const { return edges[static_cast<std::size_t>(m)]; }
    /// The readable text colour on a fill: white or near-black, whichever contrasts more.
    [[nodiscard]] QColor label(const QColor& fill) const;
};

[[nodiscard]] const Tokens& tokens(ThemeKind kind);

/// WCAG 2 contrast ratio of two opaque colours, 1–21.
[[nodiscard]] double contrastRatio(const QColor& a, const QColor& b);

/// `share` of `over` painted over `under`; both opaque.
[[nodiscard]] QColor blend(const QColor& over, const QColor& under, double share);
/// `colour` as opaque as `share` says.
[[nodiscard]] QColor translucent(QColor colour, double share);

} // namespace stratoplan::widgets
