// SPDX-License-Identifier: GPL-3.0-or-later
// What the panels share: the tokens of the widget's theme, sizes on the 8 px grid, frames, fonts, small marks.
#pragma once

#include "core/plan/problem.h"
#include "widgets/presentation/tokens.h"

#include <QFont>
#include <QLabel>
#include <QRectF>

class QPainter;
class QWidget;

namespace stratoplan::widgets {

inline constexpr int kGrid = 8;
inline constexpr int kRowGap = 4;
inline constexpr int kPanelMargin = 12;
inline constexpr double kFrameRadius = 3;

/// Of a field and of a line of a list: 22 px at the 10 pt of the interface, more with larger type.
[[nodiscard]] int rowHeight(const QWidget& widget);

/// Tokens of the theme that the widget's palette belongs to.
[[nodiscard]] const Tokens& tokensOf(const QWidget& widget);

/// The flat frame of a field: surface, one line, accent when focused, bad when its text is wrong.
enum class FrameState { Normal, Hovered, Focused, Wrong, Disabled };
[[nodiscard]] FrameState frameState(const QWidget& field, bool focused, bool wrong = false);
void paintFieldFrame(QPainter& painter, const QRectF& rect, const Tokens& tokens, FrameState state);
/// A ring around a control that has the keyboard focus.
void paintFocusRing(QPainter& painter, const QRectF& rect, const Tokens& tokens);
/// The widget has the focus and the person is on the keyboard: what was clicked needs no ring.
[[nodiscard]] bool showsFocus(const QWidget& widget);
/// The part of a ring around a row of a table that a cell of it paints.
void paintRowFocus(QPainter& painter, const QRect& cell, bool isFirst, bool isLast, const Tokens& tokens);
/// "▾" as lines, so that it is crisp at every scale. `down` false: "▸".
void paintChevron(QPainter& painter, QPointF centre, const QColor& color, bool down = true);

/// Severity by shape and colour: a disc with a cross, a triangle, a disc with an i; no severity = a tick.
void paintSeverity(QPainter& painter, const QRectF& rect, const Tokens& tokens, std::optional<plan::Severity> severity);

[[nodiscard]] QFont scaledFont(const QFont& base, double factor, bool strong = false);

/// A label that takes a token as its colour and follows the theme.
class ToneLabel : public QLabel {
public:
    enum class Tone { Normal, Secondary, Good, Warn, Bad };
    explicit ToneLabel(Tone tone, QWidget* parent = nullptr);
    explicit ToneLabel(const QString& text, Tone tone, QWidget* parent = nullptr);
    void setTone(Tone tone);

protected:
    void changeEvent(QEvent* event) override;

private:
    void apply();
    Tone m_tone;
    bool m_applying = false;
};

[[nodiscard]] QColor toneColor(const Tokens& tokens, ToneLabel::Tone tone);

} // namespace stratoplan::widgets
