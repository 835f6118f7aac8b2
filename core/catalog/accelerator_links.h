// SPDX-License-Identifier: Apache-2.0
// Which links accelerators can be bought with.
#pragma once

#include "core/catalog/catalog.h"

#include <vector>

namespace stratoplan::catalog {

/// Scale-up links that nodes of the catalogue have with the accelerator (by its id), each once, in their order.
[[nodiscard]] std::vector<cluster::Link> scaleUpLinks(const Catalog& catalog, const cluster::Accelerator& accelerator);

/// Network ports of the first node of the catalogue that has the accelerator; null if there is none.
[[nodiscard]] const cluster::Link* usualNic(const Catalog& catalog, const cluster::Accelerator& accelerator);

/// Another accelerator, with a scale-up link of its own where the one before had one; of a person's own link it stays.
void setAccelerator(cluster::NodeGroup& nodes, const cluster::Accelerator& accelerator, const Catalog& catalog);

} // namespace stratoplan::catalog
