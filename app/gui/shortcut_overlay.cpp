// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/shortcut_overlay.h"

#include "app/gui/command_palette.h"
#include "widgets/style/theme.h"

#include <QKeyEvent>
#include <QMenuBar>
#include <QPainter>

#include <algorithm>

namespace stratoplan {

namespace {

constexpr int kColumns = 3;
constexpr int kColumnWidth = 280;
constexpr int kKeysWidth = 116;
constexpr int kMargin = 24;
constexpr int kGap = 16;

int rowHeight(const QFontMetrics& metrics)
{
    return metrics.height() + 6;
}

} // namespace

std::vector<ShortcutGroup> shortcutGroups(const QMenuBar& menuBar)
{
    std::vector<ShortcutGroup> groups;
    for (const Command& command : commandsOf(menuBar)) {
        if (command.shortcut.isEmpty())
            continue;
        const QString title = command.context.section(QStringLiteral(" › "), 0, 0);
        auto group = std::find_if(groups.begin(), groups.end(), [&](const ShortcutGroup& g) { return g.title == title; });
        if (group == groups.end())
            group = groups.insert(groups.end(), ShortcutGroup{title, {}});
        QString what = command.title;
        group->keys.push_back({command.shortcut, what.section(u':', 0, 0)});
    }
    const auto tr = [](const char* text) { return ShortcutOverlay::tr(text); };
    groups.push_back({tr("Charts"),
                      {{tr("Wheel, drag"), tr("Zoom, move")},
                       {tr("W S A D"), tr("Zoom in and out, left, right")},
                       {tr("Double click, F"), tr("Show everything")},
                       {tr("Right click"), tr("Copy, export, table")}}});
    groups.push_back({tr("Sliders"),
                      {{tr("Arrows, wheel"), tr("Next value")}, {tr("Home, End"), tr("First, last value")}, {tr("Esc"), tr("Give up a drag")}}});
    groups.push_back({tr("Cluster"),
                      {{tr("Tab, arrows"), tr("Next element, move it")},
                       {tr("Enter"), tr("Edit")},
                       {tr("L"), tr("Link")},
                       {tr("F"), tr("Show everything")},
                       {tr("Del"), tr("Remove")}}});
    return groups;
}

ShortcutOverlay::ShortcutOverlay(QWidget* window)
    : QWidget(window)
{
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Keyboard shortcuts"));
    window->installEventFilter(this);
    hide();
}

void ShortcutOverlay::open(const QMenuBar& menuBar)
{
    m_groups = shortcutGroups(menuBar);
    QStringList lines;
    for (const ShortcutGroup& group : m_groups) {
        for (const auto& [keys, what] : group.keys)
            lines << keys + QStringLiteral(": ") + what;
    }
    setAccessibleDescription(lines.join(QStringLiteral(", ")));
    setGeometry(parentWidget()->rect());
    raise();
    show();
    setFocus(Qt::PopupFocusReason);
}

int ShortcutOverlay::columnHeight(const ShortcutGroup& group) const
{
    return (static_cast<int>(group.keys.size()) + 1) * rowHeight(fontMetrics()) + kGap;
}

QRect ShortcutOverlay::sheet() const
{
    int total = 0;
    int tallest = 0;
    for (const ShortcutGroup& group : m_groups) {
        total += columnHeight(group);
        tallest = std::max(tallest, columnHeight(group));
    }
    const int height = std::min(total / kColumns + tallest + 2 * kMargin, rect().height() - 16);
    QRect sheet(0, 0, std::min(kColumns * kColumnWidth + 2 * kMargin, width() - 16), height);
    sheet.moveCenter(rect().center());
    return sheet;
}

void ShortcutOverlay::paintEvent(QPaintEvent*)
{
    const Tokens& t = currentTokens();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QColor veil = t.window;
    veil.setAlphaF(0.72f);
    painter.fillRect(rect(), veil);
    const QRect area = sheet();
    painter.setPen(t.frame);
    painter.setBrush(t.surface);
    painter.drawRoundedRect(QRectF(area).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8);

    QFont strong = font();
    strong.setWeight(QFont::DemiBold);
    const int line = rowHeight(fontMetrics());
    const int columnWidth = (area.width() - 2 * kMargin) / kColumns;
    int x = area.left() + kMargin;
    int y = area.top() + kMargin;
    for (const ShortcutGroup& group : m_groups) {
        if (y > area.top() + kMargin && y + columnHeight(group) > area.bottom() - kMargin / 2) {
            x += columnWidth;
            y = area.top() + kMargin;
        }
        painter.setFont(strong);
        painter.setPen(t.text);
        painter.drawText(QRect(x, y, columnWidth, line), Qt::AlignVCenter, group.title);
        painter.setFont(font());
        y += line;
        for (const auto& [keys, what] : group.keys) {
            painter.setPen(t.accent);
            painter.drawText(QRect(x, y, kKeysWidth, line), Qt::AlignVCenter, painter.fontMetrics().elidedText(keys, Qt::ElideRight, kKeysWidth - 8));
            painter.setPen(t.text);
            const int room = columnWidth - kKeysWidth - 12;
            painter.drawText(QRect(x + kKeysWidth, y, room, line), Qt::AlignVCenter, painter.fontMetrics().elidedText(what, Qt::ElideRight, room));
            y += line;
        }
        y += kGap;
    }
}

void ShortcutOverlay::keyPressEvent(QKeyEvent*)
{
    hide();
}

void ShortcutOverlay::mousePressEvent(QMouseEvent*)
{
    hide();
}

void ShortcutOverlay::focusOutEvent(QFocusEvent*)
{
    hide();
}

bool ShortcutOverlay::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == parentWidget() && event->type() == QEvent::Resize)
        setGeometry(parentWidget()->rect());
    return QWidget::eventFilter(watched, event);
}

} // namespace stratoplan
