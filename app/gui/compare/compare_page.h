// SPDX-License-Identifier: GPL-3.0-or-later
// The Compare perspective: the plan being edited and the pinned ones as rows of one table.
#pragma once

#include "app/gui/compare/plans_model.h"

#include <QWidget>

class QLabel;
class QPushButton;
class QStackedLayout;
class QTableView;

namespace stratoplan::gui {

class ComparePage : public QWidget {
    Q_OBJECT

public:
    explicit ComparePage(QWidget* parent = nullptr);

    /// `pinned` with their estimates, [0] is the baseline; null estimates are still to come.
    void setPlans(const ComparedPlan& current, const std::vector<ComparedPlan>& pinned);
    [[nodiscard]] QTableView& table() { return *m_table; }
    [[nodiscard]] PlansModel& model() { return *m_model; }

Q_SIGNALS:
    void pinRequested();
    // Indices into the pinned plans.
    void adoptRequested(int pin);
    void baselineRequested(int pin);
    void renameRequested(int pin, const QString& name);
    void removeRequested(int pin);

private:
    QWidget* makeHeader();
    QWidget* makeEmptyState();
    void updateButtons();
    [[nodiscard]] int chosenPin() const; ///< -1: none, or the plan being edited
    void rename();

    PlansModel* m_model;
    QTableView* m_table;
    QStackedLayout* m_stack;
    std::vector<QPushButton*> m_pinButtons;
    QPushButton* m_all = nullptr;
};

} // namespace stratoplan::gui
