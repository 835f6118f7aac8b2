// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of an audit: causes, measured beside estimated, with bars; and MFU by convention.
#pragma once

#include "app/session/audit_worker.h"
#include "widgets/panels/row_delegate.h"

#include <QAbstractTableModel>

namespace stratoplan::gui {

class CausesModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column {
        CauseColumn,
        BarsColumn,
        MeasuredColumn,
        EstimatedColumn,
        DifferenceColumn,
        HiddenColumn,
        ColumnCount
    };
    /// Shares of the longest value of the table: measured, below 0 where nothing is, and estimated.
    static constexpr int MeasuredShareRole = Qt::UserRole + 16;
    static constexpr int EstimatedShareRole = Qt::UserRole + 17;

    using QAbstractTableModel::QAbstractTableModel;
    void show(session::AuditPointer audit);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] QString cell(const audit::CauseRow& row, int column) const;

    session::AuditPointer m_audit;
    double m_longest = 0; ///< seconds
};

/// Two bars: measured above estimated.
class CauseBars : public widgets::RowDelegate {
public:
    using widgets::RowDelegate::RowDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

/// A row for each convention of FLOPs, a column for each peak; what a quoted MFU is has a tick.
class MfuModel : public QAbstractTableModel {
    Q_OBJECT

public:
    using QAbstractTableModel::QAbstractTableModel;
    void show(session::AuditPointer audit);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    session::AuditPointer m_audit;
};

} // namespace stratoplan::gui
