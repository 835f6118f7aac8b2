// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/cluster_table_model.h"

#include "widgets/panels/row_delegate.h"
#include "widgets/topology/topology_text.h"

#include <algorithm>
#include <unordered_map>

namespace stratoplan::widgets {

namespace {

bool isOfPorts(IssueCode code)
{
    return code == IssueCode::PortsExceeded || code == IssueCode::NodesPartly || code == IssueCode::NodesUnlinked;
}

bool isNumber(const ClusterField& field)
{
    return field.kind == FieldKind::Count || field.kind == FieldKind::Amount || field.kind == FieldKind::Total;
}

} // namespace

ClusterTableModel::ClusterTableModel(RowKind kind, const catalog::Catalog& catalog, QObject* parent)
    : QAbstractTableModel(parent)
    , m_kind(kind)
    , m_catalog(&catalog)
    , m_value(std::make_shared<const CanvasValue>())
{
}

void ClusterTableModel::setValue(
    const std::shared_ptr<const CanvasValue>& value, const std::vector<ClusterIssue>& issues)
{
    std::vector<std::string> keys = rowKeys(value->cluster, m_kind);
    const bool isAnew = keys != m_keys;
    if (isAnew)
        beginResetModel();
    m_value = value;
    m_keys = std::move(keys);
    m_faults.clear();
    for (const ClusterIssue& issue : issues) { // errors first
        const QString text = describe(value->cluster, issue);
        const auto [fault, isFirst] =
            m_faults.try_emplace(issue.element, Fault{issue.severity, text, isOfPorts(issue.code)});
        if (!isFirst) {
            fault->second.text += u'\n' + text;
            fault->second.isOfPorts = fault->second.isOfPorts || isOfPorts(issue.code);
        }
    }
    if (isAnew)
        endResetModel();
    else if (!m_keys.empty())
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

const ClusterField& ClusterTableModel::field(int column) const
{
    return clusterFields(m_kind).at(static_cast<std::size_t>(column));
}

std::vector<int> ClusterTableModel::rowsOf(const QStringList& keys) const
{
    std::vector<std::string> wanted;
    for (const QString& key : keys)
        wanted.push_back(key.toStdString());
    std::vector<int> rows;
    for (const std::size_t row : widgets::rowsOf(m_value->cluster, m_kind, wanted))
        rows.push_back(static_cast<int>(row));
    std::sort(rows.begin(), rows.end());
    return rows;
}

int ClusterTableModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_keys.size());
}

int ClusterTableModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(clusterFields(m_kind).size());
}

const ClusterTableModel::Fault* ClusterTableModel::faultAt(const QModelIndex& index) const
{
    const auto fault = m_faults.find(key(index.row()));
    if (fault == m_faults.end())
        return nullptr;
    const bool isConcerned = index.column() == 0 || (fault->second.isOfPorts && field(index.column()).isPorts);
    return isConcerned ? &fault->second : nullptr;
}

QString ClusterTableModel::toolTip(const QModelIndex& index) const
{
    const ClusterField& shown = field(index.column());
    const Fault* fault = faultAt(index);
    return fault ? fault->text + u'\n' + shown.explanation : shown.explanation;
}

QVariant ClusterTableModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const ClusterField& shown = field(index.column());
    const auto row = static_cast<std::size_t>(index.row());
    const Fault* const fault = faultAt(index);
    switch (role) {
    case Qt::DisplayRole:
        return fieldText(shown, *m_catalog, m_value->cluster, row);
    case Qt::EditRole:
        return shown.value(m_value->cluster, row);
    case Qt::ToolTipRole:
        return toolTip(index);
    case Qt::AccessibleTextRole: {
        const QString text = tr("%1: %2").arg(shown.label, fieldText(shown, *m_catalog, m_value->cluster, row));
        return fault ? text + QStringLiteral(". ") + fault->text : text;
    }
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(Qt::Alignment(isNumber(shown) ? Qt::AlignRight : Qt::AlignLeft));
    case SeverityRole:
        return fault ? QVariant(static_cast<int>(fault->severity)) : QVariant();
    case RowDelegate::MutedRole:
        return shown.kind == FieldKind::Total || (shown.kind == FieldKind::Link && !shown.link(m_value->cluster, row));
    default:
        return {};
    }
}

QVariant ClusterTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation == Qt::Vertical)
        return role == Qt::DisplayRole ? QVariant(section + 1) : QVariant();
    switch (role) {
    case Qt::DisplayRole:
        return field(section).label;
    case Qt::ToolTipRole:
        return field(section).explanation;
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(
            Qt::Alignment((isNumber(field(section)) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter));
    default:
        return {};
    }
}

Qt::ItemFlags ClusterTableModel::flags(const QModelIndex& index) const
{
    const Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    if (!index.isValid())
        return flags;
    const ClusterField& shown = field(index.column());
    const bool isEditable =
        shown.write && shown.value(m_value->cluster, static_cast<std::size_t>(index.row())).isValid();
    return isEditable ? flags | Qt::ItemIsEditable : flags;
}

bool ClusterTableModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    return index.isValid() && role == Qt::EditRole
        && take(editedCell(*m_catalog, *m_value, m_kind, static_cast<std::size_t>(index.row()),
            static_cast<std::size_t>(index.column()), value));
}

void ClusterTableModel::paste(const QModelIndex& at, const QList<QStringList>& texts)
{
    if (at.isValid())
        take(pastedCells(*m_catalog, *m_value, m_kind, static_cast<std::size_t>(at.row()),
            static_cast<std::size_t>(at.column()), texts));
}

bool ClusterTableModel::take(const CellEdit& edit)
{
    if (!edit)
        Q_EMIT refused(edit.error());
    else if (*edit)
        Q_EMIT edited(**edit);
    return edit && *edit;
}

} // namespace stratoplan::widgets
