// SPDX-License-Identifier: GPL-3.0-or-later
// Gives the program its look: a flat style over Fusion, a full palette and the interface font, all from the tokens.
// Widgets take colours from QPalette, or from currentTokens() while painting; both are right after a PaletteChange.
//
// A dynamic property the style knows:
//   "primary" (bool) on a QPushButton: the one filled button of a view
#pragma once

#include "widgets/presentation/tokens.h"

#include <QString>

class QApplication;
class QFont;
class QLabel;
class QWidget;

namespace stratoplan::widgets {

/// Style, palette and font of the whole program. May be called again at any time; widgets then see a PaletteChange.
void applyTheme(QApplication& app, ThemeKind kind);

/// The theme last applied; light before that.
[[nodiscard]] ThemeKind currentTheme();
[[nodiscard]] const Tokens& currentTokens();

/// While there is one, what asks for currentTokens() paints as it prints, in the light theme; palettes stay.
class PrintLook {
public:
    PrintLook();
    ~PrintLook();
    PrintLook(const PrintLook&) = delete;
    PrintLook& operator=(const PrintLook&) = delete;

private:
    ThemeKind m_before;
};

/// The interface font, 10 pt at a scale of 1: Inter, else Noto Sans, else DejaVu Sans.
[[nodiscard]] QFont interfaceFont(double scale = 1.0);

enum class TextRole { Title, Section, Secondary, Value };
/// Size, weight and palette role of a label: title 11 pt semi-bold, section 10 pt semi-bold, secondary grey,
/// value 16 pt semi-bold.
void setTextRole(QWidget& label, TextRole role);

} // namespace stratoplan::widgets
