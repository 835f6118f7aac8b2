// SPDX-License-Identifier: GPL-3.0-or-later
// All keys on one sheet over the window; any key or click closes it.
#pragma once

#include <QString>
#include <QWidget>

#include <vector>

class QMenuBar;

namespace stratoplan::widgets {

struct ShortcutGroup {
    QString title;
    struct Key {
        QString keys;
        QString what;
    };
    std::vector<Key> keys;
};

/// The shortcuts of the menus and of the actions of `canvas`, and the keys that charts and sliders understand.
[[nodiscard]] std::vector<ShortcutGroup> shortcutGroups(const QMenuBar& menuBar, const QWidget& canvas);

/// How the groups stand in columns.
struct ShortcutSheet {
    QSize size;
    int keysWidth = 0;
    int columnWidth = 0;
    std::vector<int> starts; ///< index of the first group of each column
    bool cut = false; ///< a text or a group does not fit
};
/// As few columns, as wide as their texts, as `room` allows; of even heights.
[[nodiscard]] ShortcutSheet layoutShortcuts(
    const std::vector<ShortcutGroup>& groups, const QFontMetrics& metrics, const QSize& room);

class ShortcutOverlay : public QWidget {
    Q_OBJECT

public:
    explicit ShortcutOverlay(QWidget* window);
    void open(std::vector<ShortcutGroup> groups);

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void paintGroup(QPainter& painter, const ShortcutGroup& group, const ShortcutSheet& sheet, QPoint at) const;

    std::vector<ShortcutGroup> m_groups;
};

} // namespace stratoplan::widgets
