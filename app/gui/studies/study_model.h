// SPDX-License-Identifier: GPL-3.0-or-later
// The points of a study as rows: the values of its axes, what came of it, every figure, the strategy. Sorted as
// numbers, by any column.
#pragma once

#include "widgets/presentation/study.h"
#include "widgets/presentation/table.h"

#include <QAbstractTableModel>

namespace stratoplan::gui {

class StudyModel : public QAbstractTableModel {
    Q_OBJECT

public:
    explicit StudyModel(QObject* parent = nullptr);

    /// `shown`: places of the points to list.
    void setPoints(widgets::StudyPointer answers, std::vector<std::size_t> shown);
    [[nodiscard]] const std::vector<std::size_t>& shown() const { return m_shown; } ///< in the order of the study
    [[nodiscard]] std::size_t pointOf(int row) const { return m_rows[std::size_t(row)]; }
    [[nodiscard]] int rowOf(std::size_t point) const; ///< -1: not listed
    /// The rows in their order, every figure as a number of one unit.
    [[nodiscard]] widgets::ChartTable table() const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void sort(int column, Qt::SortOrder order) override;

private:
    /// The columns from left to right: the axes, the GPUs, the outcome, the figures, the strategy.
    struct Column {
        enum class Kind { Axis, Accelerators, Outcome, Figure, Found } kind;
        std::size_t axis = 0;
        widgets::StudyMeasure figure = widgets::StudyMeasure::StepTime;
    };
    [[nodiscard]] Column columnAt(int column) const;
    [[nodiscard]] QString textOf(const exchange::StudyPoint& point, const Column& column) const;
    [[nodiscard]] double sortKey(const exchange::StudyPoint& point, const Column& column) const;
    void arrange();

    widgets::StudyPointer m_answers = std::make_shared<const exchange::StudyAnswers>();
    std::vector<widgets::StudyMeasure> m_figures;
    std::vector<std::size_t> m_shown;
    std::vector<std::size_t> m_rows;
    int m_column = -1; ///< as the study numbers its plans
    Qt::SortOrder m_order = Qt::AscendingOrder;
};

} // namespace stratoplan::gui
