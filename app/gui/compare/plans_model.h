// SPDX-License-Identifier: GPL-3.0-or-later
// Plans side by side: one row each, results first, then the inputs that are not the same in all of them.
#pragma once

#include "app/session/background_planner.h"

#include <QAbstractTableModel>

#include <vector>

namespace stratoplan::gui {

struct ComparedPlan {
    QString name;
    session::PlanPointer plan;
    session::EstimatePointer estimate; ///< null: not known yet
    bool operator==(const ComparedPlan&) const = default;
};

class PlansModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { NameColumn, StepColumn, TokensColumn, MfuColumn, MemoryColumn, BreakdownColumn, FixedColumns };
    enum Role {
        DeltaRole = Qt::UserRole, ///< "−0.61 s", empty where there is none
        JudgementRole, ///< int: 1 better than the baseline, -1 worse, 0 neither
        BreakdownRole, ///< stratoplan::Breakdown, for BreakdownColumn
        LongestRole, ///< longest step of all rows in seconds, for BreakdownColumn
    };

    explicit PlansModel(QObject* parent = nullptr);

    /// Row 0 is the plan being edited; `baseline` is a row or -1.
    void setPlans(std::vector<ComparedPlan> plans, int baseline);
    /// List every input, or only those that differ.
    void setShowsAll(bool all);
    [[nodiscard]] int baseline() const { return m_baseline; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] const estimate::Estimate* estimateOf(int row) const;
    [[nodiscard]] QVariant resultText(int row, int column) const;
    [[nodiscard]] double amount(const estimate::Estimate& estimate, int column) const;
    [[nodiscard]] QVariant delta(int row, int column, int role) const;
    [[nodiscard]] QVariant breakdown(int row, int role) const;
    void updateFields();

    std::vector<ComparedPlan> m_plans;
    std::vector<std::vector<QString>> m_fields; ///< texts of planFields() per row
    std::vector<QString> m_labels;
    std::vector<std::size_t> m_shown; ///< indices into them
    int m_baseline = -1;
    bool m_showsAll = false;
};

} // namespace stratoplan::gui

Q_DECLARE_METATYPE(stratoplan::pricing::Breakdown)
