// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/preset_key.h"

#include "widgets/presentation/translate.h"

#include <algorithm>

namespace stratoplan::widgets {

namespace {

const SwitchPreset* findSwitchPreset(const std::string& id)
{
    const auto& all = switchPresets();
    const auto it = std::find_if(all.begin(), all.end(), [&id](const SwitchPreset& p) { return p.id == id; });
    return it == all.end() ? nullptr : &*it;
}

} // namespace

QString presetKeyText(PresetKind kind, const std::string& id)
{
    switch (kind) {
    case PresetKind::Node:
        return QStringLiteral("node:") + QString::fromStdString(id);
    case PresetKind::Switch:
        return QStringLiteral("switch:") + QString::fromStdString(id);
    case PresetKind::Cluster:
        return QStringLiteral("cluster:") + QString::fromStdString(id);
    case PresetKind::Rack:
        return QStringLiteral("rack:");
    case PresetKind::None:
        break;
    }
    return {};
}

PresetKey presetKey(const catalog::Catalog& catalog, const QString& text)
{
    const QString kind = text.section(QLatin1Char(':'), 0, 0);
    const std::string id = text.section(QLatin1Char(':'), 1).toStdString();
    if (kind == QLatin1String("node") && catalog.node(id))
        return {PresetKind::Node, id};
    if (kind == QLatin1String("switch") && findSwitchPreset(id))
        return {PresetKind::Switch, id};
    if (kind == QLatin1String("cluster") && catalog.cluster(id))
        return {PresetKind::Cluster, id};
    if (text == presetKeyText(PresetKind::Rack, {}) && !catalog.nodes.empty())
        return {PresetKind::Rack, {}};
    return {};
}

QString presetName(const catalog::Catalog& catalog, const PresetKey& key)
{
    switch (key.kind) {
    case PresetKind::Node:
        return QString::fromStdString(catalog.node(key.id)->name);
    case PresetKind::Switch:
        return QString::fromStdString(findSwitchPreset(key.id)->name);
    case PresetKind::Cluster:
        return QString::fromStdString(catalog.cluster(key.id)->name);
    case PresetKind::Rack:
        return tr("Rack");
    case PresetKind::None:
        break;
    }
    return {};
}

} // namespace stratoplan::widgets
