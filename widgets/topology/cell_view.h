// SPDX-License-Identifier: GPL-3.0-or-later
// A table of cells for the keyboard: arrows and Tab walk, typing, Enter and F2 edit, Shift+Space takes the row. Tab
// leaves it behind the last cell, Ctrl+Tab from anywhere.
#pragma once

#include <QTableView>

namespace stratoplan::widgets {

class CellView final : public QTableView {
    Q_OBJECT
public:
    CellView(QAbstractItemModel* model, const QString& name, QWidget* parent);

    /// The control that is open holds a text that cannot be taken: what is wrong with it, and the focus is there.
    [[nodiscard]] QString commitPending();

protected:
    void keyPressEvent(QKeyEvent* event) override;
    bool focusNextPrevChild(bool next) override;

private:
    bool leave(bool next);
};

} // namespace stratoplan::widgets
