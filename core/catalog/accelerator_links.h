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

/// Accelerators of a domain that the nodes of the catalogue with this accelerator and this link have at most; 0: there
/// are none. Of tori any number.
[[nodiscard]] int largestDomain(const Catalog& catalog, const cluster::NodeGroup& nodes);

/// Whether it is no link that nodes of the catalogue have within them alone (by its id).
[[nodiscard]] bool joinsNodes(const Catalog& catalog, const cluster::Link& link);

/// A scale-up link that nodes of the catalogue have with the accelerator, which joins what it does there: a torus, a
/// rack, or the node.
void setUsualLink(cluster::NodeGroup& nodes, const cluster::Link& link, const Catalog& catalog);

/// Another accelerator. Where nodes of the catalogue have it, a scale-up link that was usual for the one before becomes
/// that of the new one, as by setUsualLink(); a person's own link stays.
void setAccelerator(cluster::NodeGroup& nodes, const cluster::Accelerator& accelerator, const Catalog& catalog);

} // namespace stratoplan::catalog
