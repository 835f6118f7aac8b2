// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/palette_model.h"

#include "core/units/format.h"
#include "widgets/topology/family_colours.h"
#include "widgets/topology/rack_edits.h"
#include "widgets/topology/topology_text.h"

#include <QMimeData>

#include <algorithm>

namespace stratoplan::widgets {

namespace {

QString acceleratorsText(const cluster::Cluster& cluster)
{
    const int n = acceleratorCount(cluster);
    return n == 1 ? PaletteModel::tr("1 accelerator") : PaletteModel::tr("%1 accelerators").arg(groupedNumber(n));
}

PaletteEntry nodeEntry(const catalog::NodePreset& preset, const FamilyColours& colours)
{
    const cluster::NodeGroup& g = preset.node;
    PaletteEntry e;
    e.kind = PresetKind::Node;
    e.key = presetKeyText(PresetKind::Node, preset.id);
    e.name = fromText(preset.name);
    e.detail = PaletteModel::tr("%1 × %2").arg(groupedNumber(g.acceleratorsPerNode), fromText(g.accelerator.name));
    e.toolTip = PaletteModel::tr("%1\n%2\n%3\n%4 × %5\nSource: %6")
                    .arg(e.name, e.detail, scaleUpText(g), groupedNumber(g.nicsPerNode), linkText(g.nic),
                        fromText(preset.source));
    e.accelerators = g.acceleratorsPerNode;
    e.colour = colours.index(g.accelerator.id);
    return e;
}

PaletteEntry rackEntry()
{
    PaletteEntry e;
    e.kind = PresetKind::Rack;
    e.key = presetKeyText(PresetKind::Rack, {});
    e.name = PaletteModel::tr("Rack");
    e.detail = PaletteModel::tr("%1 nodes below a leaf switch").arg(kNodesOfRack);
    e.toolTip = PaletteModel::tr("%1\n%2\nNodes as the last ones of the cluster, or DGX H100 where there are none")
                    .arg(e.name, e.detail);
    return e;
}

PaletteEntry clusterEntry(const catalog::ClusterPreset& preset, const FamilyColours& colours)
{
    PaletteEntry e;
    e.kind = PresetKind::Cluster;
    e.key = presetKeyText(PresetKind::Cluster, preset.id);
    e.name = fromText(preset.name);
    e.detail = acceleratorsText(preset.cluster);
    e.toolTip = PaletteModel::tr("%1\n%2\nReplaces the cluster on the canvas\nSource: %3")
                    .arg(e.name, e.detail, fromText(preset.source));
    e.colour = preset.cluster.nodes.empty() ? 0 : colours.index(preset.cluster.nodes.front().accelerator.id);
    return e;
}

} // namespace

PaletteModel::PaletteModel(const catalog::Catalog& catalog, QObject* parent)
    : QAbstractListModel(parent)
{
    const FamilyColours colours(catalog);
    const auto heading = [this](const QString& text) { m_all.push_back({PresetKind::None, {}, text, {}, {}, 0, 0}); };
    heading(tr("Switches and racks"));
    for (const SwitchPreset& preset : switchPresets()) {
        PaletteEntry e;
        e.kind = PresetKind::Switch;
        e.key = presetKeyText(PresetKind::Switch, preset.id);
        e.name = fromText(preset.name);
        e.detail = tr("%1 ports").arg(groupedNumber(preset.ports));
        e.toolTip = tr("%1\n%2 to begin with").arg(e.name, e.detail);
        m_all.push_back(e);
    }
    m_all.push_back(rackEntry());
    heading(tr("Nodes"));
    for (const catalog::NodePreset& preset : catalog.nodes)
        m_all.push_back(nodeEntry(preset, colours));
    heading(tr("Whole clusters"));
    for (const catalog::ClusterPreset& preset : catalog.clusters)
        m_all.push_back(clusterEntry(preset, colours));
    setFilter({});
}

void PaletteModel::setFilter(const QString& filter)
{
    const QStringList words = filter.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    beginResetModel();
    m_shown.clear();
    const PaletteEntry* heading = nullptr;
    for (const PaletteEntry& e : m_all) {
        if (e.kind == PresetKind::None) {
            heading = &e;
            continue;
        }
        const QString text = e.name + QLatin1Char(' ') + e.detail;
        const bool match = std::all_of(
            words.begin(), words.end(), [&](const QString& w) { return text.contains(w, Qt::CaseInsensitive); });
        if (!match)
            continue;
        if (heading)
            m_shown.push_back(*heading);
        heading = nullptr;
        m_shown.push_back(e);
    }
    endResetModel();
}

const PaletteEntry& PaletteModel::entry(const QModelIndex& index) const
{
    return m_shown.at(static_cast<std::size_t>(index.row()));
}

QModelIndex PaletteModel::firstPreset() const
{
    return m_shown.empty() ? QModelIndex() : index(1, 0); // row 0 is its heading
}

QModelIndex PaletteModel::indexOf(const QString& key) const
{
    const auto it = std::find_if(
        m_shown.begin(), m_shown.end(), [&key](const PaletteEntry& e) { return !key.isEmpty() && e.key == key; });
    return it == m_shown.end() ? QModelIndex() : index(static_cast<int>(it - m_shown.begin()), 0);
}

int PaletteModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_shown.size());
}

QVariant PaletteModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const PaletteEntry& e = entry(index);
    switch (role) {
    case Qt::DisplayRole:
        return e.name;
    case Qt::ToolTipRole:
        return e.toolTip.isEmpty() ? QVariant() : QVariant(e.toolTip);
    case Qt::AccessibleTextRole:
        return e.detail.isEmpty() ? e.name : tr("%1, %2").arg(e.name, e.detail);
    default:
        return {};
    }
}

Qt::ItemFlags PaletteModel::flags(const QModelIndex& index) const
{
    if (!index.isValid() || entry(index).kind == PresetKind::None)
        return Qt::NoItemFlags;
    return Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsDragEnabled | Qt::ItemNeverHasChildren;
}

QStringList PaletteModel::mimeTypes() const
{
    return {QString::fromLatin1(kPresetMimeType)};
}

QMimeData* PaletteModel::mimeData(const QModelIndexList& indexes) const
{
    if (indexes.isEmpty() || entry(indexes.constFirst()).kind == PresetKind::None)
        return nullptr;
    auto* data = new QMimeData;
    data->setData(QString::fromLatin1(kPresetMimeType), entry(indexes.constFirst()).key.toUtf8());
    return data;
}

} // namespace stratoplan::widgets
