// SPDX-License-Identifier: GPL-3.0-or-later
// Measured runs as rows: what was understood, what the plan filled in, measured against estimated before and after the
// fit and left out of it; lines that are no run stand among them with their reason. And the constants, before and
// after.
#pragma once

#include "app/session/calibration_worker.h"

#include <QAbstractTableModel>

namespace stratoplan::gui {

/// Cells are painted by RowDelegate.
class CalibrationModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { RunColumn, UnderstoodColumn, MeasuredColumn, StartColumn, FittedColumn, LeftOutColumn, ColumnCount };

    explicit CalibrationModel(QObject* parent = nullptr);

    /// Null: nothing. Forgets the fit. `used`: which of the runs a fit takes.
    void setRows(session::ReadRunsPointer rows, std::vector<bool> used);
    void setUsed(std::vector<bool> used);
    /// Null: none.
    void setFit(session::OwnFitPointer fit);
    void setTarget(plan::CalibrationTarget target);
    [[nodiscard]] plan::CalibrationTarget target() const { return m_target; }

    /// A line that is no run: it has its reason across the other columns.
    [[nodiscard]] bool isUnread(int row) const { return m_rows->entries[static_cast<std::size_t>(row)].unread; }
    [[nodiscard]] const QString& key(int row) const { return m_rows->entries[static_cast<std::size_t>(row)].key; }
    [[nodiscard]] bool isUsed(int row) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    /// The check of a run asks for it to be used or not; who owns the rows answers with setUsed().
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

Q_SIGNALS:
    void useWanted(const QString& key, bool used);

private:
    [[nodiscard]] const calibration::FittedRow* rowOf(std::size_t run, bool fitted) const;
    [[nodiscard]] std::optional<double> amount(std::size_t run, int column) const;
    [[nodiscard]] QVariant runData(std::size_t run, int column, int role) const;
    [[nodiscard]] QVariant unreadData(const session::UnreadRun& unread, int column, int role) const;
    [[nodiscard]] QString toolTip(std::size_t run, int column) const;

    session::ReadRunsPointer m_rows;
    std::vector<bool> m_used;
    session::OwnFitPointer m_fit;
    plan::CalibrationTarget m_target = plan::CalibrationTarget::StepTime;
};

class ConstantsModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { NameColumn, BeforeColumn, AfterColumn, PriorColumn, SpreadColumn, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;
    void setFit(session::OwnFitPointer fit);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<calibration::FittedParameter> m_parameters; ///< those that the rows taught something first
};

} // namespace stratoplan::gui
