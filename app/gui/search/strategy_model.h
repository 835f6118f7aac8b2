// SPDX-License-Identifier: GPL-3.0-or-later
// The strategies of a search as rows: sorted by any column, filtered by words and by a brush of the chart. A million
// rows are sorted as numbers; only what is looked at becomes text.
#pragma once

#include "widgets/charts/pareto_chart.h"
#include "widgets/presentation/strategy_set.h"

#include <QAbstractTableModel>

#include <cstdint>
#include <optional>
#include <vector>

namespace stratoplan::gui {

class StrategyModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column {
        Standing,
        Objective,
        AgainstBest,
        PeakMemory,
        Tp,
        Pp,
        Dp,
        Cp,
        Ep,
        Vpp,
        MicroBatch,
        Zero,
        Sequence,
        Recomputed,
        Scheduled,
        Rare,
        Throughput,
        StepTime,
        Money,
        Columns,
    };

    explicit StrategyModel(QObject* parent = nullptr);

    void setStrategies(widgets::StrategySetPointer set);
    [[nodiscard]] const widgets::StrategySetPointer& strategies() const { return m_set; }
    void setFilter(const widgets::StrategyFilter& filter, const std::optional<widgets::ParetoBrush>& brush);
    /// Place in the set of a row, and the row of a place: -1 where it is filtered out.
    [[nodiscard]] std::size_t strategyOf(int row) const { return m_rows[static_cast<std::size_t>(row)]; }
    [[nodiscard]] int rowOf(std::size_t strategy) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void sort(int column, Qt::SortOrder order) override;

private:
    void arrange();
    [[nodiscard]] double sortKey(const widgets::StrategyPoint& point, int column) const;
    [[nodiscard]] QString textOf(const widgets::StrategyPoint& point, int column) const;
    [[nodiscard]] double against(const widgets::StrategyPoint& point) const;

    widgets::StrategySetPointer m_set;
    widgets::StrategyFilter m_filter;
    std::optional<widgets::ParetoBrush> m_brush;
    std::vector<std::uint32_t> m_rows;
    double m_best = 0; ///< of the measure that the front is about
    int m_column = Objective;
    Qt::SortOrder m_order = Qt::DescendingOrder;
};

} // namespace stratoplan::gui
