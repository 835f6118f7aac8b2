// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/style/flat_style.h"

#include "widgets/style/theme.h"

#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <QPainterPath>
#include <QPushButton>
#include <QSlider>
#include <QStyleFactory>
#include <QStyleOption>
#include <QToolButton>

namespace stratoplan::widgets {

namespace {

constexpr double kRadius = 3.0;
constexpr int kMenuArrow = 14;

struct PainterGuard {
    explicit PainterGuard(QPainter* p)
        : painter(p)
    {
        painter->save();
    }
    ~PainterGuard() { painter->restore(); }
    Q_DISABLE_COPY_MOVE(PainterGuard)
    QPainter* painter;
};

bool has(const QStyleOption* option, QStyle::StateFlag flag)
{
    return option->state.testFlag(flag);
}

void panel(QPainter* painter, const QRect& rect, const QBrush& fill, const QColor& frame, double width = 1.0,
    double radius = kRadius)
{
    const PainterGuard guard(painter);
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(frame.alpha() > 0 ? QPen(frame, width) : QPen(Qt::NoPen));
    painter->setBrush(fill);
    const double inset = frame.alpha() > 0 ? width / 2 : 0;
    painter->drawRoundedRect(QRectF(rect).adjusted(inset, inset, -inset, -inset), radius, radius);
}

// Frame of anything one types or chooses in.
void fieldPanel(const QStyleOption* option, QPainter* painter, bool focus)
{
    const Tokens& t = currentTokens();
    const bool enabled = has(option, QStyle::State_Enabled);
    const QColor frame = focus                 ? t.accent
        : !enabled                             ? t.border
        : has(option, QStyle::State_MouseOver) ? t.secondaryText
                                               : t.frame;
    panel(painter, option->rect, option->palette.brush(QPalette::Base), frame, focus ? 1.6 : 1.0);
}

void chevron(QPainter* painter, const QRectF& rect, Qt::ArrowType direction, const QColor& colour)
{
    const PainterGuard guard(painter);
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(colour, 1.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    const double w = std::min({rect.width() * 0.5, rect.height() * 0.5, 8.0});
    painter->translate(rect.center());
    painter->rotate(direction == Qt::DownArrow ? 0
            : direction == Qt::UpArrow         ? 180
            : direction == Qt::LeftArrow       ? 90
                                               : -90);
    painter->drawPolyline(QPolygonF{QPointF(-w / 2, -w / 4), QPointF(0, w / 4), QPointF(w / 2, -w / 4)});
}

bool hasMenuArrow(const QStyleOptionToolButton* button)
{
    return button && button->features.testFlag(QStyleOptionToolButton::HasMenu)
        && !button->features.testFlag(QStyleOptionToolButton::MenuButtonPopup);
}

QColor foreground(const QStyleOption* option)
{
    const Tokens& t = currentTokens();
    return has(option, QStyle::State_Enabled) ? t.text : t.disabledText;
}

void pushButtonPanel(const QStyleOption* option, QPainter* painter, const QWidget* widget)
{
    const Tokens& t = currentTokens();
    const bool enabled = has(option, QStyle::State_Enabled);
    const bool down = has(option, QStyle::State_Sunken) || has(option, QStyle::State_On);
    const bool hover = has(option, QStyle::State_MouseOver) && enabled;
    const bool focus = has(option, QStyle::State_HasFocus) && has(option, QStyle::State_KeyboardFocusChange);
    if (widget && widget->property("primary").toBool() && enabled) {
        const QColor fill = down ? blend(t.accent, t.text, 0.8) : hover ? blend(t.accent, t.text, 0.9) : t.accent;
        panel(painter, option->rect, fill, focus ? t.text : fill, focus ? 2.0 : 1.0);
        return;
    }
    const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option);
    const bool flat = button && button->features.testFlag(QStyleOptionButton::Flat);
    if (flat && !hover && !down && !focus)
        return;
    const QColor base = t.kind == ThemeKind::Light ? t.surface : t.raised;
    const QColor fill = !enabled ? t.window
        : down                   ? t.accentSoft
        : hover                  ? (t.kind == ThemeKind::Light ? t.raised : t.sunken)
                                 : base;
    panel(painter, option->rect, fill,
        focus         ? t.accent
            : flat    ? QColor(Qt::transparent)
            : enabled ? t.frame
                      : t.border,
        focus ? 1.6 : 1.0);
}

void toolButtonPanel(const QStyleOption* option, QPainter* painter)
{
    const Tokens& t = currentTokens();
    const bool enabled = has(option, QStyle::State_Enabled);
    const bool on = has(option, QStyle::State_On);
    const bool down = has(option, QStyle::State_Sunken);
    const bool hover = has(option, QStyle::State_MouseOver) && enabled;
    const bool focus = has(option, QStyle::State_HasFocus) && has(option, QStyle::State_KeyboardFocusChange);
    const bool framed = !has(option, QStyle::State_AutoRaise);
    if (!on && !down && !hover && !focus && !framed)
        return;
    const QColor fill = down || on ? t.accentSoft : hover ? t.raised : t.surface;
    panel(painter, option->rect, fill,
        focus        ? t.accent
            : framed ? t.frame
            : on     ? blend(t.accent, t.surface, 0.4)
                     : QColor(Qt::transparent));
}

void checkIndicator(const QStyleOption* option, QPainter* painter, bool round)
{
    const Tokens& t = currentTokens();
    const bool enabled = has(option, QStyle::State_Enabled);
    const bool on = has(option, QStyle::State_On);
    const bool partly = has(option, QStyle::State_NoChange);
    const bool hover = has(option, QStyle::State_MouseOver) && enabled;
    const double side = std::min(option->rect.width(), option->rect.height());
    QRect box(0, 0, static_cast<int>(side), static_cast<int>(side));
    box.moveCenter(option->rect.center());
    const QColor fill = on || partly ? (enabled ? t.accent : t.frame) : enabled ? t.surface : t.window;
    const QColor frame = on || partly ? fill : hover ? t.accent : t.secondaryText;
    panel(painter, box, fill, frame, 1.0, round ? side / 2 : kRadius);
    if (!on && !partly)
        return;
    const PainterGuard guard(painter);
    painter->setRenderHint(QPainter::Antialiasing);
    const QColor ink = enabled ? t.onAccent : t.surface;
    const QRectF r(box);
    if (round) {
        painter->setPen(Qt::NoPen);
        painter->setBrush(ink);
        painter->drawEllipse(r.center(), side * 0.2, side * 0.2);
        return;
    }
    painter->setPen(QPen(ink, 1.8, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    const auto at = [&](double x, double y) { return QPointF(r.left() + x * side, r.top() + y * side); };
    if (partly)
        painter->drawLine(at(0.28, 0.5), at(0.72, 0.5));
    else
        painter->drawPolyline(QPolygonF{at(0.24, 0.52), at(0.43, 0.71), at(0.77, 0.32)});
}

void line(QPainter* painter, const QRect& rect, const QColor& colour)
{
    painter->fillRect(rect, colour);
}

} // namespace

FlatStyle::FlatStyle()
    : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion")))
{
}

void FlatStyle::polish(QWidget* widget)
{
    QProxyStyle::polish(widget);
    if (qobject_cast<QAbstractSpinBox*>(widget) || qobject_cast<QComboBox*>(widget) || qobject_cast<QSlider*>(widget)
        || qobject_cast<QToolButton*>(widget))
        widget->setAttribute(Qt::WA_Hover);
    if (qobject_cast<QMenu*>(widget))
        widget->installEventFilter(this);
}

bool FlatStyle::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride) {
        const auto& key = static_cast<const QKeyEvent&>(*event);
        const bool isTyped = !(key.modifiers() & ~Qt::KeyboardModifiers(Qt::ShiftModifier | Qt::KeypadModifier));
        if (isTyped && !key.text().isEmpty() && key.text().front().isPrint()) {
            event->accept();
            return true;
        }
    }
    return QProxyStyle::eventFilter(watched, event);
}

namespace {

void framed(const QStyleOption* option, QPainter* painter, const QColor& frame, const QBrush& ground)
{
    const PainterGuard guard(painter);
    painter->setPen(frame);
    painter->setBrush(ground);
    painter->drawRect(option->rect.adjusted(0, 0, -1, -1));
}

void toolBarSeparator(const QStyleOption* option, QPainter* painter)
{
    const Tokens& t = currentTokens();
    const QRect& r = option->rect;
    if (has(option, QStyle::State_Horizontal))
        line(painter, QRect(r.center().x(), r.top() + 5, 1, r.height() - 10), t.border);
    else
        line(painter, QRect(r.left() + 5, r.center().y(), r.width() - 10, 1), t.border);
}

void resizeHandle(const QStyleOption* option, QPainter* painter)
{
    const Tokens& t = currentTokens();
    const QRect& r = option->rect;
    const bool vertical = r.height() >= r.width();
    line(painter,
        vertical ? QRect(r.center().x(), r.top(), 1, r.height()) : QRect(r.left(), r.center().y(), r.width(), 1),
        has(option, QStyle::State_MouseOver) ? t.accent : t.border);
}

} // namespace

// In one piece: one case for each element that is drawn otherwise than Qt does.
void FlatStyle::drawPrimitive(
    PrimitiveElement element, const QStyleOption* option, QPainter* painter, const QWidget* widget) const
{
    const Tokens& t = currentTokens();
    switch (element) {
    case PE_PanelLineEdit: {
        const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(option);
        if (frame && frame->lineWidth > 0)
            fieldPanel(option, painter, has(option, State_HasFocus));
        return;
    }
    case PE_PanelButtonCommand:
        return pushButtonPanel(option, painter, widget);
    case PE_PanelButtonTool:
        return toolButtonPanel(option, painter);
    case PE_IndicatorCheckBox:
        return checkIndicator(option, painter, false);
    case PE_IndicatorRadioButton:
        return checkIndicator(option, painter, true);
    case PE_IndicatorArrowDown:
        return chevron(painter, option->rect, Qt::DownArrow, foreground(option));
    case PE_IndicatorArrowUp:
        return chevron(painter, option->rect, Qt::UpArrow, foreground(option));
    case PE_IndicatorArrowLeft:
        return chevron(painter, option->rect, Qt::LeftArrow, foreground(option));
    case PE_IndicatorArrowRight:
        return chevron(painter, option->rect, Qt::RightArrow, foreground(option));
    case PE_IndicatorBranch:
        if (has(option, State_Children))
            chevron(painter, option->rect, has(option, State_Open) ? Qt::DownArrow : Qt::RightArrow, t.secondaryText);
        return;
    case PE_FrameFocusRect:
        if (has(option, State_KeyboardFocusChange))
            panel(painter, option->rect, Qt::NoBrush, t.accent, 1.6);
        return;
    case PE_Frame:
        return framed(option, painter, t.border, Qt::NoBrush);
    case PE_PanelMenu:
        return framed(option, painter, t.frame, t.surface);
    case PE_PanelTipLabel:
        return framed(option, painter, t.frame, t.raised);
    case PE_FrameLineEdit:
    case PE_FrameMenu:
    case PE_FrameTabWidget:
    case PE_FrameTabBarBase:
    case PE_FrameDockWidget:
    case PE_FrameStatusBarItem:
    case PE_PanelMenuBar:
    case PE_FrameGroupBox:
        return;
    case PE_IndicatorToolBarSeparator:
        return toolBarSeparator(option, painter);
    case PE_IndicatorDockWidgetResizeHandle:
        return resizeHandle(option, painter);
    default:
        QProxyStyle::drawPrimitive(element, option, painter, widget);
    }
}

namespace {

void menuBarItem(const QStyleOption* option, QPainter* painter, const QWidget* widget, const QStyle& style)
{
    const Tokens& t = currentTokens();
    const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(option);
    if (!item)
        return;
    painter->fillRect(item->rect, t.window);
    const bool active = item->state.testFlag(QStyle::State_Selected) || item->state.testFlag(QStyle::State_Sunken);
    if (active && item->state.testFlag(QStyle::State_Enabled))
        panel(painter, item->rect.adjusted(1, 1, -1, -1), t.accentSoft, Qt::transparent);
    int flags = Qt::AlignCenter | Qt::TextShowMnemonic | Qt::TextDontClip | Qt::TextSingleLine;
    if (!style.styleHint(QStyle::SH_UnderlineShortcut, item, widget))
        flags |= Qt::TextHideMnemonic;
    style.drawItemText(painter, item->rect, flags, item->palette, item->state.testFlag(QStyle::State_Enabled),
        item->text, QPalette::WindowText);
}

void tabShape(const QStyleOption* option, QPainter* painter)
{
    const Tokens& t = currentTokens();
    const auto* tab = qstyleoption_cast<const QStyleOptionTab*>(option);
    if (!tab)
        return;
    const bool selected = tab->state.testFlag(QStyle::State_Selected);
    if (!selected && tab->state.testFlag(QStyle::State_MouseOver))
        panel(painter, tab->rect.adjusted(1, 2, -1, -2), t.raised, Qt::transparent);
    if (!selected)
        return;
    const bool vertical = tab->shape == QTabBar::RoundedEast || tab->shape == QTabBar::RoundedWest
        || tab->shape == QTabBar::TriangularEast || tab->shape == QTabBar::TriangularWest;
    const bool atTop = tab->shape == QTabBar::RoundedSouth || tab->shape == QTabBar::TriangularSouth;
    const QRect& r = tab->rect;
    if (vertical)
        line(painter, QRect(r.left(), r.top() + 4, 2, r.height() - 8), t.accent);
    else
        line(painter, QRect(r.left() + 8, atTop ? r.top() : r.bottom() - 1, r.width() - 16, 2), t.accent);
}

void dockTitle(const QStyleOption* option, QPainter* painter, const QWidget* widget, const QStyle& style)
{
    const auto* dock = qstyleoption_cast<const QStyleOptionDockWidget*>(option);
    if (!dock)
        return;
    const PainterGuard guard(painter);
    QFont font = painter->font();
    font.setWeight(QFont::DemiBold);
    painter->setFont(font);
    QRect text = style.subElementRect(QStyle::SE_DockWidgetTitleBarText, option, widget);
    text.setLeft(dock->rect.left() + 12);
    const QString title = painter->fontMetrics().elidedText(dock->title, Qt::ElideRight, text.width());
    style.drawItemText(painter, text, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextHideMnemonic, dock->palette, true,
        title, QPalette::WindowText);
}

void progressContents(const QStyleOption* option, QPainter* painter)
{
    const auto* bar = qstyleoption_cast<const QStyleOptionProgressBar*>(option);
    if (!bar)
        return;
    const bool busy = bar->minimum == 0 && bar->maximum == 0;
    const double range = static_cast<double>(bar->maximum) - bar->minimum;
    const double share = busy ? 1.0 : range > 0 ? std::clamp((bar->progress - bar->minimum) / range, 0.0, 1.0) : 0.0;
    QRect filled = bar->rect;
    if (bar->state.testFlag(QStyle::State_Horizontal))
        filled.setWidth(static_cast<int>(bar->rect.width() * share));
    else
        filled.setTop(bar->rect.bottom() - static_cast<int>(bar->rect.height() * share));
    if (!filled.isEmpty())
        panel(painter, filled, currentTokens().accent, Qt::transparent, 1.0, std::min(4.0, filled.height() / 2.0));
}

} // namespace

// In one piece: one case for each element that is drawn otherwise than Qt does.
void FlatStyle::drawControl(
    ControlElement element, const QStyleOption* option, QPainter* painter, const QWidget* widget) const
{
    const Tokens& t = currentTokens();
    switch (element) {
    case CE_MenuBarEmptyArea:
    case CE_ToolBar:
        painter->fillRect(option->rect, t.window);
        return;
    case CE_MenuBarItem:
        menuBarItem(option, painter, widget, *this);
        return;
    case CE_TabBarTabShape:
        tabShape(option, painter);
        return;
    case CE_DockWidgetTitle:
        dockTitle(option, painter, widget, *this);
        return;
    case CE_Splitter: {
        const QRect& r = option->rect;
        const bool horizontal = has(option, State_Horizontal);
        line(painter,
            horizontal ? QRect(r.center().x(), r.top(), 1, r.height()) : QRect(r.left(), r.center().y(), r.width(), 1),
            has(option, State_MouseOver) ? t.accent : t.border);
        return;
    }
    case CE_HeaderSection:
    case CE_HeaderEmptyArea: {
        painter->fillRect(option->rect, t.surface);
        line(painter, QRect(option->rect.left(), option->rect.bottom(), option->rect.width(), 1), t.border);
        return;
    }
    case CE_ProgressBarGroove:
        panel(painter, option->rect, t.sunken, Qt::transparent, 1.0, std::min(4.0, option->rect.height() / 2.0));
        return;
    case CE_ProgressBarContents:
        progressContents(option, painter);
        return;
    case CE_PushButtonLabel:
        if (widget && widget->property("primary").toBool() && has(option, State_Enabled)) {
            const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option);
            if (!button)
                break;
            QStyleOptionButton copy(*button);
            copy.palette.setColor(QPalette::ButtonText, t.onAccent);
            const PainterGuard guard(painter);
            QFont font = painter->font();
            font.setWeight(QFont::DemiBold);
            painter->setFont(font);
            QProxyStyle::drawControl(element, &copy, painter, widget);
            return;
        }
        break;
    default:
        break;
    }
    QProxyStyle::drawControl(element, option, painter, widget);
}

namespace {

void scrollBar(const QStyleOptionSlider& option, QPainter* painter, const QRect& thumb)
{
    const Tokens& t = currentTokens();
    painter->fillRect(option.rect, option.palette.brush(QPalette::Window));
    if (!thumb.isValid() || option.maximum <= option.minimum)
        return;
    const bool active = option.state.testFlag(QStyle::State_MouseOver) || option.state.testFlag(QStyle::State_Sunken);
    const QRect inner =
        option.orientation == Qt::Horizontal ? thumb.adjusted(1, 3, -1, -3) : thumb.adjusted(3, 1, -3, -1);
    panel(painter, inner, active ? t.secondaryText : t.frame, Qt::transparent, 1.0, 3.0);
}

void slider(const QStyleOptionSlider& option, QPainter* painter, const QRect& groove, const QRect& handle)
{
    const Tokens& t = currentTokens();
    const bool horizontal = option.orientation == Qt::Horizontal;
    const bool enabled = option.state.testFlag(QStyle::State_Enabled);
    QRect track = groove;
    if (horizontal)
        track = QRect(groove.left(), groove.center().y() - 1, groove.width(), 4);
    else
        track = QRect(groove.center().x() - 1, groove.top(), 4, groove.height());
    panel(painter, track, t.kind == ThemeKind::Light ? t.frame : t.sunken, Qt::transparent, 1.0, 2.0);
    QRect filled = track;
    if (horizontal) {
        if (option.upsideDown)
            filled.setLeft(handle.center().x());
        else
            filled.setRight(handle.center().x());
    } else if (option.upsideDown) {
        filled.setTop(handle.center().y());
    } else {
        filled.setBottom(handle.center().y());
    }
    const QColor accent = enabled ? t.accent : t.frame;
    panel(painter, filled, accent, Qt::transparent, 1.0, 2.0);
    const double side = std::min({handle.width(), handle.height(), 16});
    QRect knob(0, 0, static_cast<int>(side), static_cast<int>(side));
    knob.moveCenter(handle.center());
    const bool focus =
        option.state.testFlag(QStyle::State_HasFocus) && option.state.testFlag(QStyle::State_KeyboardFocusChange);
    panel(painter, knob,
        option.activeSubControls && option.state.testFlag(QStyle::State_Sunken) ? t.accentSoft : t.surface, accent,
        focus ? 3.0 : 2.0, side / 2);
}

void comboBox(const QStyleOptionComboBox& combo, QPainter* painter, const QRect& arrow)
{
    const Tokens& t = currentTokens();
    if (combo.frame)
        fieldPanel(&combo, painter, has(&combo, QStyle::State_HasFocus));
    chevron(painter, QRectF(arrow).adjusted(0, 0, -4, 0), Qt::DownArrow,
        has(&combo, QStyle::State_Enabled) ? t.secondaryText : t.disabledText);
}

void spinBox(const QStyleOptionSpinBox& spin, QPainter* painter, const QRect& up, const QRect& down)
{
    const Tokens& t = currentTokens();
    if (spin.frame)
        fieldPanel(&spin, painter, has(&spin, QStyle::State_HasFocus));
    if (spin.buttonSymbols == QAbstractSpinBox::NoButtons)
        return;
    const auto arrow = [&](QStyle::SubControl part, const QRect& area, Qt::ArrowType type,
                           QAbstractSpinBox::StepEnabledFlag step) {
        const bool enabled = has(&spin, QStyle::State_Enabled) && spin.stepEnabled.testFlag(step);
        const bool hot = enabled && spin.activeSubControls.testFlag(part);
        chevron(painter, QRectF(area).adjusted(0, 1, -3, -1), type,
            hot           ? t.accent
                : enabled ? t.secondaryText
                          : t.disabledText);
    };
    arrow(QStyle::SC_SpinBoxUp, up, Qt::UpArrow, QAbstractSpinBox::StepUpEnabled);
    arrow(QStyle::SC_SpinBoxDown, down, Qt::DownArrow, QAbstractSpinBox::StepDownEnabled);
}

} // namespace

// In one piece: one case for each control that is drawn otherwise than Qt does.
void FlatStyle::drawComplexControl(
    ComplexControl control, const QStyleOptionComplex* option, QPainter* painter, const QWidget* widget) const
{
    switch (control) {
    case CC_ComboBox:
        if (const auto* combo = qstyleoption_cast<const QStyleOptionComboBox*>(option)) {
            comboBox(*combo, painter, subControlRect(CC_ComboBox, combo, SC_ComboBoxArrow, widget));
            return;
        }
        break;
    case CC_SpinBox:
        if (const auto* spin = qstyleoption_cast<const QStyleOptionSpinBox*>(option)) {
            spinBox(*spin, painter, subControlRect(CC_SpinBox, spin, SC_SpinBoxUp, widget),
                subControlRect(CC_SpinBox, spin, SC_SpinBoxDown, widget));
            return;
        }
        break;
    case CC_ToolButton:
        // Qt squeezes the arrow of a menu into the lower corner; here it stands beside the text.
        if (const auto* button = qstyleoption_cast<const QStyleOptionToolButton*>(option); hasMenuArrow(button)) {
            toolButtonPanel(button, painter);
            QStyleOptionToolButton label(*button);
            label.features.setFlag(QStyleOptionToolButton::HasMenu, false);
            label.rect.adjust(0, 0, -kMenuArrow, 0);
            drawControl(CE_ToolButtonLabel, &label, painter, widget);
            chevron(painter, QRectF(label.rect.right() - 2, button->rect.top(), kMenuArrow, button->rect.height()),
                Qt::DownArrow,
                has(button, State_Enabled) ? currentTokens().secondaryText : currentTokens().disabledText);
            return;
        }
        break;
    case CC_ScrollBar:
        if (const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(option)) {
            scrollBar(*bar, painter, subControlRect(CC_ScrollBar, bar, SC_ScrollBarSlider, widget));
            return;
        }
        break;
    case CC_Slider:
        if (const auto* s = qstyleoption_cast<const QStyleOptionSlider*>(option)) {
            slider(*s, painter, subControlRect(CC_Slider, s, SC_SliderGroove, widget),
                subControlRect(CC_Slider, s, SC_SliderHandle, widget));
            if (s->tickPosition != QSlider::NoTicks) {
                QStyleOptionSlider ticks(*s);
                ticks.subControls = SC_SliderTickmarks;
                QProxyStyle::drawComplexControl(CC_Slider, &ticks, painter, widget);
            }
            return;
        }
        break;
    default:
        break;
    }
    QProxyStyle::drawComplexControl(control, option, painter, widget);
}

QRect FlatStyle::subElementRect(SubElement element, const QStyleOption* option, const QWidget* widget) const
{
    const QRect rect = QProxyStyle::subElementRect(element, option, widget);
    // Text in a field starts where text in a combo box does.
    const auto* frame = element == SE_LineEditContents ? qstyleoption_cast<const QStyleOptionFrame*>(option) : nullptr;
    return frame && frame->lineWidth > 0 ? rect.adjusted(2, 0, -2, 0) : rect;
}

// In one piece: a table of the sizes that differ from those of Qt.
int FlatStyle::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const
{
    switch (metric) {
    case PM_ScrollBarExtent:
        return 12;
    case PM_ScrollBarSliderMin:
        return 28;
    case PM_SliderLength:
    case PM_SliderThickness:
    case PM_SliderControlThickness:
        return 18;
    case PM_ToolBarIconSize:
        return 18;
    case PM_ToolBarFrameWidth:
    case PM_ToolBarItemMargin:
    case PM_DockWidgetFrameWidth:
        return 0;
    case PM_ToolBarItemSpacing:
        return 4;
    case PM_SplitterWidth:
    case PM_DockWidgetSeparatorExtent:
        return 5;
    case PM_DockWidgetTitleMargin:
        return 4;
    case PM_TabBarTabHSpace:
        return 24;
    case PM_TabBarTabVSpace:
        return 12;
    case PM_LayoutHorizontalSpacing:
    case PM_LayoutVerticalSpacing:
        return 8;
    case PM_MenuBarVMargin:
    case PM_MenuBarHMargin:
        return 4;
    case PM_MenuBarItemSpacing:
        return 4;
    case PM_MenuHMargin:
    case PM_MenuVMargin:
        return 4;
    case PM_ButtonShiftHorizontal:
    case PM_ButtonShiftVertical:
        return 0;
    default:
        return QProxyStyle::pixelMetric(metric, option, widget);
    }
}

int FlatStyle::styleHint(
    StyleHint hint, const QStyleOption* option, const QWidget* widget, QStyleHintReturn* data) const
{
    switch (hint) {
    case SH_Slider_AbsoluteSetButtons:
        return Qt::LeftButton; // a click anywhere on the groove goes there
    case SH_ScrollView_FrameOnlyAroundContents:
        return 0;
    case SH_ToolTip_WakeUpDelay:
        return 350;
    case SH_DialogButtonBox_ButtonsHaveIcons:
    case SH_EtchDisabledText:
        return 0;
    default:
        return QProxyStyle::styleHint(hint, option, widget, data);
    }
}

QSize FlatStyle::sizeFromContents(
    ContentsType type, const QStyleOption* option, const QSize& size, const QWidget* widget) const
{
    QSize result = QProxyStyle::sizeFromContents(type, option, size, widget);
    switch (type) {
    case CT_LineEdit:
    case CT_ComboBox:
    case CT_SpinBox: {
        const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(option);
        if (!frame || frame->lineWidth > 0)
            result.setHeight(std::max(result.height(), 26));
        break;
    }
    case CT_PushButton:
        result.setHeight(std::max(result.height(), 28));
        result.rwidth() += 8;
        break;
    case CT_ToolButton:
        if (hasMenuArrow(qstyleoption_cast<const QStyleOptionToolButton*>(option)))
            result.rwidth() += kMenuArrow;
        break;
    case CT_MenuItem:
        if (const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(option);
            item && item->menuItemType != QStyleOptionMenuItem::Separator)
            result.setHeight(std::max(result.height(), 26));
        break;
    case CT_MenuBarItem:
        result.rwidth() += 8;
        break;
    default:
        break;
    }
    return result;
}

QRect FlatStyle::subControlRect(
    ComplexControl control, const QStyleOptionComplex* option, SubControl subControl, const QWidget* widget) const
{
    if (control == CC_ScrollBar) {
        // No arrow buttons: the groove is the whole bar.
        const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(option);
        if (!bar)
            return {};
        const bool horizontal = bar->orientation == Qt::Horizontal;
        const int length = horizontal ? bar->rect.width() : bar->rect.height();
        const int range = bar->maximum - bar->minimum;
        const int wanted = range > 0 ? static_cast<int>((static_cast<qint64>(bar->pageStep) * length)
                               / (static_cast<qint64>(range) + bar->pageStep))
                                     : length;
        const int thumb = std::clamp(wanted, std::min(length, pixelMetric(PM_ScrollBarSliderMin, bar, widget)), length);
        const int at =
            sliderPositionFromValue(bar->minimum, bar->maximum, bar->sliderPosition, length - thumb, bar->upsideDown);
        const auto along = [&](int from, int size) {
            const QRect r =
                horizontal ? QRect(from, 0, size, bar->rect.height()) : QRect(0, from, bar->rect.width(), size);
            return visualRect(bar->direction, bar->rect, r);
        };
        switch (subControl) {
        case SC_ScrollBarSlider:
            return along(at, thumb);
        case SC_ScrollBarGroove:
            return bar->rect;
        case SC_ScrollBarSubPage:
            return along(0, at);
        case SC_ScrollBarAddPage:
            return along(at + thumb, length - at - thumb);
        default:
            return {};
        }
    }
    return QProxyStyle::subControlRect(control, option, subControl, widget);
}

} // namespace stratoplan::widgets
