// SPDX-License-Identifier: GPL-3.0-or-later
// The costs of alternative divisions as rows and columns, with a heading of two lines: the alternative, over as many
// columns as it has measures, and the measure.
#pragma once

#include "widgets/presentation/partition_costs.h"

#include <QAbstractTableModel>
#include <QHeaderView>
#include <QStyledItemDelegate>

namespace stratoplan::widgets {

class CostModel : public QAbstractTableModel {
    Q_OBJECT
public:
    static constexpr int StrongRole = Qt::UserRole; ///< the shortest time of a row, and all of the layer's
    using QAbstractTableModel::QAbstractTableModel;

    void set(QStringList operators, std::vector<PartitionAlternative> alternatives, std::vector<CostMeasure> measures);

    void setMeasures(std::vector<CostMeasure> measures);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    /// Of a column, the alternative; -1: the operators' names.
    [[nodiscard]] int alternativeOf(int column) const;
    [[nodiscard]] QString alternativeName(int alternative) const;
    [[nodiscard]] int measures() const { return int(m_measures.size()); }

private:
    [[nodiscard]] PartitionCost cost(int row, int alternative) const;
    [[nodiscard]] CostMeasure measureOf(int column) const;
    [[nodiscard]] bool isShortest(int row, int column) const;
    [[nodiscard]] QString tip(int row, int column) const;

    QStringList m_operators;
    std::vector<PartitionAlternative> m_alternatives;
    std::vector<CostMeasure> m_measures;
};

class CostHeader : public QHeaderView {
public:
    CostHeader(const CostModel& model, QWidget* parent);

protected:
    void paintSection(QPainter* painter, const QRect& rect, int section) const override;
    [[nodiscard]] QSize sectionSizeFromContents(int section) const override;

private:
    const CostModel& m_costs;
};

/// Closer than other rows are, as there are many columns; with a line before each alternative.
class CostDelegate : public QStyledItemDelegate {
public:
    CostDelegate(const CostModel& model, QObject* parent);
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    const CostModel& m_costs;
};

} // namespace stratoplan::widgets
