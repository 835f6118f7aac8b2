// SPDX-License-Identifier: GPL-3.0-or-later
// Fusion, flattened: one-pixel rounded frames, no gradients, thin scroll bars, accent focus. A style rather than a
// style sheet: it follows the palette at no cost and leaves each widget's own palette alone.
#pragma once

#include <QProxyStyle>

namespace stratoplan::widgets {

class FlatStyle final : public QProxyStyle {
    Q_OBJECT
public:
    FlatStyle();

    void polish(QWidget* widget) override;
    using QProxyStyle::polish;
    /// Of a menu that is open: its letters are its own, not keys of what has the focus behind it.
    bool eventFilter(QObject* watched, QEvent* event) override;
    void drawPrimitive(
        PrimitiveElement element, const QStyleOption* option, QPainter* painter, const QWidget* widget) const override;
    void drawControl(
        ControlElement element, const QStyleOption* option, QPainter* painter, const QWidget* widget) const override;
    void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
        const QWidget* widget) const override;
    QRect subElementRect(SubElement element, const QStyleOption* option, const QWidget* widget) const override;
    int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override;
    int styleHint(
        StyleHint hint, const QStyleOption* option, const QWidget* widget, QStyleHintReturn* data) const override;
    QSize sizeFromContents(
        ContentsType type, const QStyleOption* option, const QSize& size, const QWidget* widget) const override;
    QRect subControlRect(ComplexControl control, const QStyleOptionComplex* option, SubControl subControl,
        const QWidget* widget) const override;
};

} // namespace stratoplan::widgets
