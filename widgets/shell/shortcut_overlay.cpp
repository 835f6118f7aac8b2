// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/shell/shortcut_overlay.h"

#include "widgets/style/theme.h"

#include <QAction>
#include <QKeyEvent>
#include <QMenu>
#include <QMenuBar>
#include <QPainter>

#include <algorithm>
#include <utility>

namespace stratoplan::widgets {

namespace {

constexpr int kMaxColumns = 4;
constexpr int kMargin = 24;
constexpr int kGap = 16; ///< between groups, and between keys and what they do
constexpr int kColumnGap = 32;
constexpr int kAround = 16; ///< of the window beside the sheet

int rowHeight(const QFontMetrics& metrics)
{
    return metrics.height() + 6;
}

/// "Save as", without the mnemonic, the dots, and what undo would undo.
QString plain(QString text)
{
    text.remove(u'&').remove(u'…');
    return text.section(u':', 0, 0);
}

QString keysOf(const QAction& action)
{
    return QKeySequence::listToString(action.shortcuts(), QKeySequence::NativeText)
        .replace(QStringLiteral("; "), QStringLiteral(", "));
}

int groupHeight(const ShortcutGroup& group, const QFontMetrics& metrics)
{
    return (static_cast<int>(group.keys.size()) + 1) * rowHeight(metrics);
}

/// Fills columns of at most `height` in order.
std::vector<int> filled(const std::vector<ShortcutGroup>& groups, const QFontMetrics& metrics, int height)
{
    std::vector<int> starts;
    int y = 0;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const int h = groupHeight(groups[i], metrics);
        if (starts.empty() || y + h > height) {
            starts.push_back(static_cast<int>(i));
            y = 0;
        }
        y += h + kGap;
    }
    return starts;
}

/// The least height at which the groups need no more than `columns`.
int evenHeight(const std::vector<ShortcutGroup>& groups, const QFontMetrics& metrics, int columns)
{
    int height = 0;
    for (const ShortcutGroup& group : groups)
        height = std::max(height, groupHeight(group, metrics));
    while (static_cast<int>(filled(groups, metrics, height).size()) > columns)
        height += rowHeight(metrics);
    return height;
}

void addChartGroups(std::vector<ShortcutGroup>& groups)
{
    const auto tr = [](const char* text) { return ShortcutOverlay::tr(text); };
    groups.push_back({tr("Charts"),
        {{tr("Wheel, drag"), tr("Zoom, move")}, {tr("+ −, arrows"), tr("Zoom, move")},
            {tr("F, double click"), tr("Show everything")}, {tr("Right click"), tr("Copy, export, table")},
            {tr("Ctrl+C"), tr("Copy as table")}, {tr("Ctrl+Alt+C, E"), tr("Copy as image, export")}}});
    groups.push_back({tr("Pipeline chart"),
        {{tr("W S A D"), tr("Zoom, move left, right")}, {tr(". ,"), tr("Next, previous slice")},
            {tr("I, Shift+I"), tr("Next, previous wait")}, {tr("Up, Down"), tr("Same time, another row")},
            {tr("["), tr("What ended the wait")}, {tr("C"), tr("Critical path on, off")},
            {tr("F"), tr("Centre it, then fit it")}, {tr("Shift+F"), tr("Show the whole step")},
            {tr("E, Shift+E"), tr("Unfold a stage, or all")}, {tr("Drag, M"), tr("Select an area")},
            {tr("Shift+arrows, A, D"), tr("Move its edges")}, {tr("Ctrl+drag"), tr("Measure a time")},
            {tr("Shift+drag"), tr("Move the view")}, {tr("Esc"), tr("Clear what is marked")}}});
}

} // namespace

std::vector<ShortcutGroup> shortcutGroups(const QMenuBar& menuBar, const QWidget& canvas)
{
    std::vector<ShortcutGroup> groups;
    for (const QAction* menu : menuBar.actions()) {
        ShortcutGroup group{plain(menu->text()), {}};
        for (const QAction* action : menu->menu() ? menu->menu()->actions() : QList<QAction*>()) {
            if (!action->shortcuts().isEmpty())
                group.keys.push_back({keysOf(*action), plain(action->text())});
        }
        if (!group.keys.empty())
            groups.push_back(std::move(group));
    }
    const auto tr = [](const char* text) { return ShortcutOverlay::tr(text); };
    addChartGroups(groups);
    groups.push_back({tr("Partition"),
        {{tr("Arrows, Home, End"), tr("Next step or rank")}, {tr("Space"), tr("Play the steps, pause")},
            {tr("Esc"), tr("No rank")}}});
    groups.push_back({tr("Presentation"),
        {{tr("Right, Left"), tr("Next slide, slide before")}, {tr("Home, End, 1 to 9"), tr("First, last, that slide")},
            {tr("Esc"), tr("Leave it")}}});
    groups.push_back({tr("Fields and sliders"),
        {{tr("Arrows, wheel"), tr("Next value")}, {tr("Home, End"), tr("First, last value")},
            {tr("Page Up, Down"), tr("Double, halve a number")}, {tr("Esc"), tr("Give up the change")}}});
    ShortcutGroup cluster{
        tr("Cluster"), {{tr("Tab, arrows"), tr("Next element, move it")}, {tr("Enter"), tr("Edit, or end a link")}}};
    for (const QAction* action : canvas.actions()) {
        if (!action->shortcuts().isEmpty())
            cluster.keys.push_back({keysOf(*action), action->text()});
    }
    groups.push_back(std::move(cluster));
    groups.push_back({tr("Cluster table"),
        {{tr("Enter, F2, typing"), tr("Edit the cell")}, {tr("Ins, Del"), tr("Add, delete rows")},
            {tr("Shift+Space"), tr("Select the row")}, {tr("Tab, Ctrl+Tab"), tr("Next cell, leave the table")}}});
    return groups;
}

ShortcutSheet layoutShortcuts(const std::vector<ShortcutGroup>& groups, const QFontMetrics& metrics, const QSize& room)
{
    ShortcutSheet sheet;
    int textWidth = 0;
    for (const ShortcutGroup& group : groups) {
        for (const auto& [keys, what] : group.keys) {
            sheet.keysWidth = std::max(sheet.keysWidth, metrics.horizontalAdvance(keys) + kGap);
            textWidth = std::max(textWidth, metrics.horizontalAdvance(what) + 1);
        }
    }
    const QSize inside = room - QSize(2 * (kMargin + kAround), 2 * (kMargin + kAround));
    const int wanted = sheet.keysWidth + textWidth;
    const auto width = [](int columns, int each) { return columns * each + (columns - 1) * kColumnGap; };
    int columns = 1;
    while (columns < kMaxColumns && evenHeight(groups, metrics, columns) > inside.height())
        ++columns;
    const int height = evenHeight(groups, metrics, columns);
    sheet.columnWidth = std::min(wanted, (inside.width() + kColumnGap) / columns - kColumnGap);
    sheet.starts = filled(groups, metrics, height);
    sheet.cut = sheet.columnWidth < wanted || height > inside.height();
    sheet.size =
        QSize(width(static_cast<int>(sheet.starts.size()), sheet.columnWidth), std::min(height, inside.height()))
        + QSize(2 * kMargin, 2 * kMargin);
    return sheet;
}

ShortcutOverlay::ShortcutOverlay(QWidget* window)
    : QWidget(window)
{
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Keyboard shortcuts"));
    window->installEventFilter(this);
    hide();
}

void ShortcutOverlay::open(std::vector<ShortcutGroup> groups)
{
    m_groups = std::move(groups);
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

void ShortcutOverlay::paintEvent(QPaintEvent*)
{
    const Tokens& t = currentTokens();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QColor veil = t.window;
    veil.setAlphaF(0.72f);
    painter.fillRect(rect(), veil);
    const ShortcutSheet sheet = layoutShortcuts(m_groups, fontMetrics(), size());
    QRect area(QPoint(), sheet.size);
    area.moveCenter(rect().center());
    painter.setPen(t.frame);
    painter.setBrush(t.surface);
    painter.drawRoundedRect(QRectF(area).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8);
    QPoint at = area.topLeft() + QPoint(kMargin, kMargin);
    for (std::size_t i = 0; i < m_groups.size(); ++i) {
        if (i > 0 && std::ranges::find(sheet.starts, static_cast<int>(i)) != sheet.starts.end())
            at = QPoint(at.x() + sheet.columnWidth + kColumnGap, area.top() + kMargin);
        paintGroup(painter, m_groups[i], sheet, at);
        at.ry() += groupHeight(m_groups[i], fontMetrics()) + kGap;
    }
}

void ShortcutOverlay::paintGroup(
    QPainter& painter, const ShortcutGroup& group, const ShortcutSheet& sheet, QPoint at) const
{
    const Tokens& t = currentTokens();
    const int line = rowHeight(fontMetrics());
    QFont strong = font();
    strong.setWeight(QFont::DemiBold);
    painter.setFont(strong);
    painter.setPen(t.text);
    painter.drawText(QRect(at, QSize(sheet.columnWidth, line)), Qt::AlignVCenter, group.title);
    painter.setFont(font());
    const int room = sheet.columnWidth - sheet.keysWidth;
    for (const auto& [keys, what] : group.keys) {
        at.ry() += line;
        painter.setPen(t.accent);
        painter.drawText(QRect(at, QSize(sheet.keysWidth, line)), Qt::AlignVCenter, keys);
        painter.setPen(t.text);
        painter.drawText(QRect(at + QPoint(sheet.keysWidth, 0), QSize(room, line)), Qt::AlignVCenter,
            fontMetrics().elidedText(what, Qt::ElideRight, room));
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

} // namespace stratoplan::widgets
