// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of the validation window: the errors of every source, and the worst cases of one.
#pragma once

#include "app/session/validation_worker.h"

#include <QAbstractTableModel>

namespace stratoplan::gui {

/// Seconds, or GiB, in the unit that `reference` has: what is compared stands in one unit.
[[nodiscard]] QString amountText(double value, double reference, bool memory);

/// One row per source that has cases of the measure, the first of them all sources together. SortRole gives numbers.
class SourcesModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column {
        Source,
        Cases,
        WithoutSource,
        WithoutSourceBias,
        LeftOut,
        Mean,
        Bias,
        InRange,
        P90,
        Worst,
        Rank,
        Regret,
        ColumnCount
    };
    static constexpr int SortRole = Qt::UserRole + 16;

    using QAbstractTableModel::QAbstractTableModel;
    void show(const session::ValidationReportPointer& report, bool memory);
    [[nodiscard]] const validation::SourceReport* source(int row) const;
    [[nodiscard]] const validation::ReportPart& part(int row) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    session::ValidationReportPointer m_report;
    std::vector<const validation::SourceReport*> m_rows;
    bool m_memory = false;
};

class WorstModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Case, Measured, Estimated, Error, LeftOut, Reason, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;
    void show(std::vector<validation::WorstCase> cases);
    [[nodiscard]] const std::vector<validation::WorstCase>& cases() const { return m_cases; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<validation::WorstCase> m_cases;
};

} // namespace stratoplan::gui
