// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/style/theme.h"

#include "widgets/style/flat_style.h"
#include "widgets/style/system_theme.h"

#include <QApplication>
#include <QFont>
#include <QLabel>
#include <QPalette>

namespace stratoplan::widgets {

namespace {

constexpr const char* kThemeProperty = "stratoplan.theme";

void setAll(QPalette& p, QPalette::ColorRole role, const QColor& normal, const QColor& disabled)
{
    p.setColor(QPalette::Active, role, normal);
    p.setColor(QPalette::Inactive, role, normal);
    p.setColor(QPalette::Disabled, role, disabled);
}

QPalette paletteOf(const Tokens& t)
{
    QPalette p;
    setAll(p, QPalette::Window, t.window, t.window);
    setAll(p, QPalette::WindowText, t.text, t.disabledText);
    setAll(p, QPalette::Base, t.surface, t.window);
    setAll(p, QPalette::AlternateBase, blend(t.raised, t.surface, 0.5), t.window);
    setAll(p, QPalette::Text, t.text, t.disabledText);
    const QColor button = t.kind == ThemeKind::Light ? t.surface : t.raised;
    setAll(p, QPalette::Button, button, t.window);
    setAll(p, QPalette::ButtonText, t.text, t.disabledText);
    setAll(p, QPalette::BrightText, t.bad, t.disabledText);
    setAll(p, QPalette::Highlight, t.accent, t.frame);
    setAll(p, QPalette::HighlightedText, t.onAccent, t.text);
    setAll(p, QPalette::Link, t.info, t.disabledText);
    setAll(p, QPalette::LinkVisited, t.info, t.disabledText);
    setAll(p, QPalette::ToolTipBase, t.raised, t.raised);
    setAll(p, QPalette::ToolTipText, t.text, t.text);
    setAll(p, QPalette::PlaceholderText, t.secondaryText, t.disabledText);
    // Fusion derives frames and bevels from these; left to itself it makes them vanish on dark backgrounds.
    setAll(p, QPalette::Light, t.kind == ThemeKind::Light ? t.surface : t.raised, t.window);
    setAll(p, QPalette::Midlight, t.border, t.border);
    setAll(p, QPalette::Mid, t.frame, t.border);
    setAll(p, QPalette::Dark, t.frame, t.border);
    setAll(p, QPalette::Shadow, t.shadow, t.shadow);
    return p;
}

} // namespace

ThemeKind currentTheme()
{
    return qApp ? static_cast<ThemeKind>(qApp->property(kThemeProperty).toInt()) : ThemeKind::Light;
}

const Tokens& currentTokens()
{
    return tokens(currentTheme());
}

PrintLook::PrintLook()
    : m_before(currentTheme())
{
    qApp->setProperty(kThemeProperty, static_cast<int>(ThemeKind::Light));
}

PrintLook::~PrintLook()
{
    qApp->setProperty(kThemeProperty, static_cast<int>(m_before));
}

QFont interfaceFont(double scale)
{
    QFont font;
    font.setFamilies({QStringLiteral("Inter"), QStringLiteral("Noto Sans"), QStringLiteral("DejaVu Sans")});
    font.setPointSizeF(10.0 * scale);
    font.setStyleHint(QFont::SansSerif);
    return font;
}

void applyTheme(QApplication& app, ThemeKind kind)
{
    SystemTheme::instance(); // asks while the palette is still the platform's
    app.setProperty(kThemeProperty, static_cast<int>(kind));
    if (!qobject_cast<FlatStyle*>(QApplication::style())) {
        QApplication::setStyle(new FlatStyle);
        QApplication::setFont(interfaceFont());
    }
    QApplication::setPalette(paletteOf(tokens(kind)));
}

void setTextRole(QWidget& label, TextRole role)
{
    QFont font = label.font();
    switch (role) {
    case TextRole::Title:
        font.setPointSizeF(11);
        font.setWeight(QFont::DemiBold);
        break;
    case TextRole::Section:
        font.setWeight(QFont::DemiBold);
        break;
    case TextRole::Secondary:
        label.setForegroundRole(QPalette::PlaceholderText);
        break;
    case TextRole::Value:
        font.setPointSizeF(16);
        font.setWeight(QFont::DemiBold);
        break;
    }
    label.setFont(font);
}

} // namespace stratoplan::widgets
