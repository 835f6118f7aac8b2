// SPDX-License-Identifier: GPL-3.0-or-later
// What of the catalogue a picker offers.
#pragma once

#include "core/catalog/catalog.h"
#include "widgets/panels/picker.h"

#include <vector>

namespace stratoplan {

[[nodiscard]] std::vector<PickerItem> acceleratorItems(const Catalog& catalog);

/// Links of the network first, or those inside a node; both lists hold all, since people build both ways.
[[nodiscard]] std::vector<PickerItem> linkItems(const Catalog& catalog, bool network);

/// "NVLink": a heading, and what colours of cables stand for.
[[nodiscard]] QString linkKindName(LinkKind kind);

} // namespace stratoplan
