// SPDX-License-Identifier: GPL-3.0-or-later
// The bar under the menu: undo and redo, the panels, the perspectives, the way into the command palette, and the one
// button that counts.
#pragma once

#include <QWidget>

class QPushButton;

namespace stratoplan::gui {

class Actions;

class TopBar : public QWidget {
    Q_OBJECT

public:
    TopBar(Actions& actions, QWidget* parent);

    /// The button finds the best; while a search runs it stops it and says how far it is.
    void setSearching(bool searching);
    void setSearchProgress(double share);

Q_SIGNALS:
    void panelsToggled();

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Actions& m_actions;
    QPushButton* m_findBest;
    bool m_searching = false;
};

} // namespace stratoplan::gui
