// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/sizing/kinds_model.h"

#include "core/cluster/node_kinds.h"
#include "widgets/panels/row_delegate.h"
#include "widgets/presentation/text.h"

#include <algorithm>

namespace stratoplan::gui {

namespace {

KindsModel::Kind kindOf(const std::string& id, const std::string& name, const cluster::NodeGroup& nodes)
{
    return {id, widgets::text(name),
        KindsModel::tr("%1 × %2").arg(nodes.acceleratorsPerNode).arg(widgets::text(nodes.accelerator.name)), {}};
}

} // namespace

KindsModel::KindsModel(const catalog::Catalog& catalog, QObject* parent)
    : QAbstractListModel(parent)
    , m_catalog(catalog)
{
}

void KindsModel::setPlan(const plan::Plan& plan)
{
    std::vector<Kind> kinds;
    const auto ownNodes = std::ranges::find_if(plan.cluster.nodes, cluster::takesPart);
    const bool hasOwn = ownNodes != plan.cluster.nodes.end();
    if (hasOwn) {
        kinds.push_back(kindOf({}, ownNodes->name.empty() ? ownNodes->id : ownNodes->name, *ownNodes));
        kinds.back().source = tr("The nodes of the plan.");
    }
    for (const catalog::NodePreset& preset : m_catalog.nodes) {
        if (hasOwn && ownNodes->name == preset.node.name && areAlike(*ownNodes, preset.node))
            continue;
        kinds.push_back(kindOf(preset.id, preset.name, preset.node));
        kinds.back().source = widgets::text(preset.source);
    }
    if (kinds == m_kinds)
        return;
    beginResetModel();
    m_kinds = std::move(kinds);
    endResetModel();
    Q_EMIT checkedChanged();
}

void KindsModel::forgetChecked()
{
    beginResetModel();
    m_checked = {std::string()};
    endResetModel();
    Q_EMIT checkedChanged();
}

std::vector<KindsModel::Kind> KindsModel::checked() const
{
    std::vector<Kind> kinds;
    std::ranges::copy_if(m_kinds, std::back_inserter(kinds), [&](const Kind& k) { return m_checked.contains(k.id); });
    return kinds;
}

int KindsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_kinds.size());
}

QVariant KindsModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const Kind& kind = m_kinds[std::size_t(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return kind.name;
    case widgets::RowDelegate::SecondLineRole:
        return kind.id.empty() ? tr("%1 · as the plan").arg(kind.detail) : kind.detail;
    case Qt::AccessibleTextRole:
        return tr("%1, %2").arg(kind.name, data(index, widgets::RowDelegate::SecondLineRole).toString());
    case Qt::ToolTipRole:
        return kind.name + u'\n' + kind.detail + u'\n' + kind.source;
    case Qt::CheckStateRole:
        return m_checked.contains(kind.id) ? Qt::Checked : Qt::Unchecked;
    case WordsRole:
        return QString(kind.name + u' ' + kind.detail + u' ' + widgets::text(kind.id));
    default:
        return {};
    }
}

bool KindsModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (!index.isValid() || role != Qt::CheckStateRole)
        return false;
    const std::string& id = m_kinds[std::size_t(index.row())].id;
    if (value.toInt() == Qt::Checked)
        m_checked.insert(id);
    else
        m_checked.erase(id);
    Q_EMIT dataChanged(index, index, {Qt::CheckStateRole});
    Q_EMIT checkedChanged();
    return true;
}

Qt::ItemFlags KindsModel::flags(const QModelIndex& index) const
{
    const Qt::ItemFlags flags = QAbstractListModel::flags(index);
    return index.isValid() ? flags | Qt::ItemIsUserCheckable : flags;
}

} // namespace stratoplan::gui
