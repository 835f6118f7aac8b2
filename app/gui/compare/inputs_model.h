// SPDX-License-Identifier: GPL-3.0-or-later
// The inputs of plans side by side, a plan a column: those that are not the same in all of them, or all.
#pragma once

#include "app/gui/compare/compared_figures.h"
#include "app/session/plan_fields.h"

#include <QAbstractTableModel>

#include <vector>

namespace stratoplan::gui {

/// Inputs of the plan and of its run, in the order of the form; always the same labels.
[[nodiscard]] std::vector<session::PlanField> inputsOf(const ComparedPlan& plan);
/// Indices of those that are not the same in all.
[[nodiscard]] std::vector<std::size_t> differingInputs(const std::vector<std::vector<session::PlanField>>& inputs);

class InputsModel : public QAbstractTableModel {
    Q_OBJECT

public:
    static constexpr int LabelColumn = 0; ///< the plans stand behind it
    enum Role {
        PartRole = Qt::UserRole, ///< "Training"; of the label, where another part begins
        DiffersRole, ///< bool: from the baseline
    };

    using QAbstractTableModel::QAbstractTableModel;

    /// `baseline` is a place among the plans or -1.
    void setPlans(const std::vector<ComparedPlan>& plans, int baseline);
    /// List every input, or only those that differ.
    void setShowsAll(bool all);
    [[nodiscard]] bool showsAll() const { return m_showsAll; }
    [[nodiscard]] int differing() const { return int(m_differing.size()); }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    void updateShown();

    QStringList m_names;
    std::vector<std::vector<session::PlanField>> m_inputs; ///< by plan
    std::vector<std::size_t> m_differing;
    std::vector<std::size_t> m_shown; ///< indices into the inputs
    int m_baseline = -1;
    bool m_showsAll = false;
};

} // namespace stratoplan::gui
