// SPDX-License-Identifier: GPL-3.0-or-later
// What of the catalogue a picker offers.
#pragma once

#include "core/catalog/catalog.h"
#include "widgets/panels/picker.h"

#include <vector>

namespace stratoplan::widgets {

[[nodiscard]] std::vector<PickerItem> acceleratorItems(const catalog::Catalog& catalog);

/// Links of the network first, or those inside a node; both lists hold all, since people build both ways.
[[nodiscard]] std::vector<PickerItem> linkItems(const catalog::Catalog& catalog, bool network);

/// "NVLink": a heading, and what colours of cables stand for.
[[nodiscard]] QString linkKindName(cluster::LinkKind kind);

} // namespace stratoplan::widgets
