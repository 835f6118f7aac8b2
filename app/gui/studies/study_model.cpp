// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/studies/study_model.h"

#include "widgets/panels/row_delegate.h"
#include "widgets/presentation/numbers.h"
#include "widgets/presentation/strategy_set.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace stratoplan::gui {

StudyModel::StudyModel(QObject* parent)
    : QAbstractTableModel(parent)
{
}

void StudyModel::setPoints(widgets::StudyPointer answers, std::vector<std::size_t> shown)
{
    beginResetModel();
    if (answers != m_answers) {
        m_figures = widgets::measuresOf(*answers);
        m_column = -1; // the columns are others now
    }
    m_answers = std::move(answers);
    m_shown = std::move(shown);
    arrange();
    endResetModel();
}

StudyModel::Column StudyModel::columnAt(int column) const
{
    const auto axes = int(m_answers->axes.size());
    if (column < axes)
        return {Column::Kind::Axis, std::size_t(column)};
    if (column == axes)
        return {Column::Kind::Accelerators};
    if (column == axes + 1)
        return {Column::Kind::Outcome};
    const auto figure = std::size_t(column - axes - 2);
    return figure < m_figures.size() ? Column{Column::Kind::Figure, 0, m_figures[figure]} : Column{Column::Kind::Found};
}

widgets::ChartTable StudyModel::table() const
{
    widgets::ChartTable table;
    std::vector<widgets::AxisUnit> units;
    for (int i = 0; i < columnCount(); ++i) {
        const Column column = columnAt(i);
        const QString name = headerData(i, Qt::Horizontal, Qt::DisplayRole).toString();
        widgets::AxisUnit unit;
        if (column.kind == Column::Kind::Figure) {
            double largest = 0;
            for (const std::size_t row : m_rows)
                largest = std::max(largest, measured(m_answers->points[row], column.figure).value_or(0));
            unit = measureUnit(column.figure, largest, m_answers->currency);
        }
        table.columns << (unit.name.isEmpty() ? name : QStringLiteral("%1, %2").arg(name, unit.name));
        units.push_back(unit);
    }
    for (const std::size_t row : m_rows) {
        const exchange::StudyPoint& point = m_answers->points[row];
        QStringList cells;
        for (int i = 0; i < columnCount(); ++i) {
            const Column column = columnAt(i);
            const auto figure = column.kind == Column::Kind::Figure ? measured(point, column.figure) : std::nullopt;
            const bool plain = column.kind == Column::Kind::Axis && !m_answers->axes[column.axis].numbers.empty();
            cells << (figure ? widgets::cell(*figure / units[std::size_t(i)].factor)
                    : plain  ? widgets::cell(m_answers->axes[column.axis].numbers[point.values[column.axis]])
                    : column.kind == Column::Kind::Figure ? QString()
                    : column.kind == Column::Kind::Accelerators
                    ? (point.isPriced() ? QString::number(point.accelerators) : QString())
                    : textOf(point, column));
        }
        table.rows << cells;
    }
    return table;
}

int StudyModel::rowOf(std::size_t point) const
{
    const auto row = std::find(m_rows.begin(), m_rows.end(), point);
    return row == m_rows.end() ? -1 : int(row - m_rows.begin());
}

int StudyModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_rows.size());
}

int StudyModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() || m_answers->points.empty() ? 0 : int(m_answers->axes.size() + m_figures.size()) + 3;
}

void StudyModel::sort(int column, Qt::SortOrder order)
{
    beginResetModel();
    m_column = column < columnCount() ? column : -1;
    m_order = order;
    arrange();
    endResetModel();
}

/// What has no such figure comes last, whichever way.
void StudyModel::arrange()
{
    m_rows = m_shown;
    if (m_column < 0)
        return;
    const Column column = columnAt(m_column);
    std::vector<std::pair<double, std::size_t>> keys;
    keys.reserve(m_rows.size());
    for (const std::size_t point : m_rows) {
        const double key = sortKey(m_answers->points[point], column);
        keys.emplace_back(
            m_order == Qt::AscendingOrder || key == std::numeric_limits<double>::max() ? key : -key, point);
    }
    std::stable_sort(keys.begin(), keys.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < keys.size(); ++i)
        m_rows[i] = keys[i].second;
}

double StudyModel::sortKey(const exchange::StudyPoint& point, const Column& column) const
{
    constexpr double kNone = std::numeric_limits<double>::max();
    switch (column.kind) {
    case Column::Kind::Axis:
        return double(point.values[column.axis]); // its values are in order
    case Column::Kind::Accelerators:
        return point.isPriced() ? point.accelerators : kNone;
    case Column::Kind::Outcome:
        return double(point.outcome);
    case Column::Kind::Figure:
        return measured(point, column.figure).value_or(kNone);
    case Column::Kind::Found:
        break;
    }
    return point.isPriced() ? point.found.tp * 1e6 + point.found.pp * 1e3 + point.found.microBatch : kNone;
}

QString StudyModel::textOf(const exchange::StudyPoint& point, const Column& column) const
{
    const QString none = QStringLiteral("–");
    switch (column.kind) {
    case Column::Kind::Axis:
        return widgets::valueText(m_answers->axes[column.axis], point.values[column.axis]);
    case Column::Kind::Accelerators:
        return point.isPriced() ? widgets::groupedNumber(point.accelerators) : none;
    case Column::Kind::Outcome:
        return widgets::outcomeText(point.outcome);
    case Column::Kind::Figure: {
        const auto value = measured(point, column.figure);
        return value ? measureText(column.figure, *value, m_answers->currency) : none;
    }
    case Column::Kind::Found:
        break;
    }
    return point.isPriced() ? widgets::strategyText(point.found) : QString::fromStdString(point.reason);
}

QVariant StudyModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const exchange::StudyPoint& point = m_answers->points[pointOf(index.row())];
    const Column column = columnAt(index.column());
    switch (role) {
    case Qt::DisplayRole:
        return textOf(point, column);
    case Qt::ToolTipRole:
        return column.kind == Column::Kind::Found ? textOf(point, column) : QVariant();
    case Qt::TextAlignmentRole: {
        const bool left = column.kind == Column::Kind::Outcome || column.kind == Column::Kind::Found
            || (column.kind == Column::Kind::Axis && m_answers->axes[column.axis].numbers.empty());
        return QVariant::fromValue(Qt::Alignment(Qt::AlignVCenter | (left ? Qt::AlignLeft : Qt::AlignRight)));
    }
    case widgets::RowDelegate::MutedRole:
        return point.outcome != exchange::StudyPoint::Outcome::Fits;
    default:
        return {};
    }
}

QVariant StudyModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section >= columnCount())
        return {};
    const Column column = columnAt(section);
    if (role == Qt::ToolTipRole && column.kind == Column::Kind::Axis)
        return QString::fromStdString(m_answers->axes[column.axis].pointer);
    if (role == Qt::TextAlignmentRole) {
        const bool left = column.kind == Column::Kind::Outcome || column.kind == Column::Kind::Found;
        return QVariant::fromValue(Qt::Alignment(Qt::AlignVCenter | (left ? Qt::AlignLeft : Qt::AlignRight)));
    }
    if (role != Qt::DisplayRole)
        return {};
    switch (column.kind) {
    case Column::Kind::Axis:
        return widgets::axisName(m_answers->axes[column.axis]);
    case Column::Kind::Accelerators:
        return tr("Accelerators");
    case Column::Kind::Outcome:
        return tr("Outcome");
    case Column::Kind::Figure:
        return measureName(column.figure);
    case Column::Kind::Found:
        break;
    }
    return tr("Strategy");
}

} // namespace stratoplan::gui
