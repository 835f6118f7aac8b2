// SPDX-License-Identifier: GPL-3.0-or-later
// How the palette names what it offers, while it is dragged and in signals: "node:dgx-a100", "switch:leaf",
// "cluster:selene", "rack:".
#pragma once

#include "widgets/topology/cluster_edit.h"

#include <QString>

namespace stratoplan::widgets {

inline constexpr const char* kPresetMimeType = "application/x-stratoplan-preset";

enum class PresetKind {
    None,
    Node,
    Switch,
    Cluster,
    Rack ///< of nodes such as the cluster has; without an id
};

struct PresetKey {
    PresetKind kind = PresetKind::None;
    std::string id;
};

[[nodiscard]] QString presetKeyText(PresetKind kind, const std::string& id);
/// Kind None if the text names nothing that is in the catalogue.
[[nodiscard]] PresetKey presetKey(const catalog::Catalog& catalog, const QString& text);
[[nodiscard]] QString presetName(const catalog::Catalog& catalog, const PresetKey& key);

} // namespace stratoplan::widgets
