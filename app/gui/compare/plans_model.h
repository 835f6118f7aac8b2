// SPDX-License-Identifier: GPL-3.0-or-later
// Plans side by side: one row each, a figure a column, with its range and its difference from the baseline.
#pragma once

#include "app/gui/compare/compared_figures.h"
#include "widgets/presentation/table.h"

#include <QAbstractTableModel>

#include <vector>

namespace stratoplan::gui {

class PlansModel : public QAbstractTableModel {
    Q_OBJECT

public:
    static constexpr int NameColumn = 0; ///< kFigures stand behind it
    [[nodiscard]] static int columnOf(Figure figure) { return 1 + int(figure); }
    enum Role {
        RangeRole = Qt::UserRole, ///< "22.0–27.3 d"; of the name what stands below it
        DeltaRole, ///< "▼ −0.61 s", empty where there is none; of the name its note
        JudgementRole, ///< int: 1 better than the baseline, -1 worse, 0 neither
        AlarmRole, ///< bool: it cannot be so
    };

    explicit PlansModel(QObject* parent = nullptr);

    /// Row 0 is the plan being edited; `baseline` is a row or -1.
    void setPlans(std::vector<ComparedPlan> plans, int baseline);
    [[nodiscard]] const std::vector<ComparedPlan>& plans() const { return m_plans; }
    [[nodiscard]] int baseline() const { return m_baseline; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] QVariant nameData(int row, int role) const;
    [[nodiscard]] QVariant figureData(int row, Figure figure, int role) const;
    [[nodiscard]] const ComparedPlan& at(int row) const { return m_plans[static_cast<std::size_t>(row)]; }
    /// Against which the row is told; nullptr for the baseline itself.
    [[nodiscard]] const ComparedPlan* baselineOf(int row) const;

    std::vector<ComparedPlan> m_plans;
    int m_baseline = -1;
};

/// All figures in base units, with their ranges and differences, and the inputs in which the plans differ.
[[nodiscard]] widgets::ChartTable comparedTable(const std::vector<ComparedPlan>& plans, int baseline);

} // namespace stratoplan::gui
