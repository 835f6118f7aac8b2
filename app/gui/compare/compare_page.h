// SPDX-License-Identifier: GPL-3.0-or-later
// The Compare perspective: the plan being edited and the pinned ones as rows of one table, below it their charts on
// common axes and the inputs in which they differ.
#pragma once

#include "app/gui/compare/inputs_model.h"
#include "app/gui/compare/plans_model.h"

#include <QWidget>

class QBoxLayout;
class QPushButton;
class QSplitter;
class QStackedLayout;
class QTabBar;
class QTableView;
class QToolButton;

namespace stratoplan::gui {

class ComparedCharts;

class ComparePage : public QWidget {
    Q_OBJECT

public:
    explicit ComparePage(QWidget* parent = nullptr);

    /// `pinned` with their estimates, [0] is the baseline; null estimates are still to come.
    void setPlans(const ComparedPlan& current, const std::vector<ComparedPlan>& pinned);
    /// Those that the charts show.
    [[nodiscard]] std::vector<ComparedPlan> plansOfCharts() const;
    [[nodiscard]] QTableView& table() { return *m_table; }
    [[nodiscard]] PlansModel& model() { return *m_model; }
    [[nodiscard]] QTableView& inputs() { return *m_inputsTable; }
    [[nodiscard]] InputsModel& inputsModel() { return *m_inputs; }
    [[nodiscard]] ComparedCharts& charts() { return *m_charts; }
    enum class Below { Charts, Inputs };
    void showBelow(Below below);
    /// All that is compared, for spreadsheets.
    [[nodiscard]] widgets::ChartTable comparison() const;

    QSize minimumSizeHint() const override { return {200, 120}; }

public Q_SLOTS:
    void copyTable();
    /// Asks for a file; reported() tells the end.
    void exportTable();

Q_SIGNALS:
    void pinRequested();
    // Indices into the pinned plans.
    void adoptRequested(int pin);
    void baselineRequested(int pin);
    void renameRequested(int pin, const QString& name);
    void noteRequested(int pin, const QString& note);
    void removeRequested(int pin);
    /// Other plans are in the charts.
    void chartsChanged();
    /// What came of an export, or a copy.
    void reported(bool good, const QString& text);

protected:
    bool eventFilter(QObject* object, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void makeTables();
    void makeActions();
    void addPinButtons(QWidget& header, QBoxLayout& row);
    QWidget* makeHeader();
    QWidget* makeBelow();
    QWidget* makeEmptyState();
    void fitColumns();
    void updateButtons();
    void updateCharts();
    [[nodiscard]] int chosenPin() const; ///< -1: none, or the plan being edited
    void rename();
    void editNote();

    PlansModel* m_model;
    InputsModel* m_inputs;
    QTableView* m_table;
    QTableView* m_inputsTable;
    ComparedCharts* m_charts;
    QStackedLayout* m_stack;
    QTabBar* m_tabs = nullptr;
    QStackedLayout* m_below = nullptr;
    QPushButton* m_all = nullptr;
    QToolButton* m_more = nullptr; ///< in the place of the buttons of pins, where these have no room
    std::vector<QAction*> m_pinActions;
    std::vector<QWidget*> m_pinButtons;
};

} // namespace stratoplan::gui
