// SPDX-License-Identifier: GPL-3.0-or-later
// Kinds of nodes to check, below a line that filters them.
#pragma once

#include "app/gui/sizing/kinds_model.h"

#include <QWidget>

class QLineEdit;
class QTableView;

namespace stratoplan::widgets {
class ToneLabel;
}

namespace stratoplan::gui {

class KindsList : public QWidget {
    Q_OBJECT

public:
    KindsList(const catalog::Catalog& catalog, QWidget* parent);

    [[nodiscard]] KindsModel& kinds() const { return *m_kinds; }
    [[nodiscard]] QTableView& table() const { return *m_table; }
    [[nodiscard]] QLineEdit& filterLine() const { return *m_filter; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    KindsModel* m_kinds;
    QLineEdit* m_filter;
    QTableView* m_table;
    widgets::ToneLabel* m_nothing;
};

} // namespace stratoplan::gui
