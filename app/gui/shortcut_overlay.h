// SPDX-License-Identifier: GPL-3.0-or-later
// All keys on one sheet over the window; any key or click closes it.
#pragma once

#include <QString>
#include <QWidget>

#include <vector>

class QMenuBar;

namespace stratoplan {

struct ShortcutGroup {
    QString title;
    struct Key {
        QString keys;
        QString what;
    };
    std::vector<Key> keys;
};

/// The shortcuts of the menus, and the keys that charts, canvas and sliders understand.
[[nodiscard]] std::vector<ShortcutGroup> shortcutGroups(const QMenuBar& menuBar);

class ShortcutOverlay : public QWidget {
    Q_OBJECT

public:
    explicit ShortcutOverlay(QWidget* window);
    void open(const QMenuBar& menuBar);

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    [[nodiscard]] int columnHeight(const ShortcutGroup& group) const;
    [[nodiscard]] QRect sheet() const;

    std::vector<ShortcutGroup> m_groups;
};

} // namespace stratoplan
