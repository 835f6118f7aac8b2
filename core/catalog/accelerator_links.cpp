// SPDX-License-Identifier: Apache-2.0
#include "core/catalog/accelerator_links.h"

#include <algorithm>

namespace stratoplan::catalog {

std::vector<cluster::Link> scaleUpLinks(const Catalog& catalog, const cluster::Accelerator& accelerator)
{
    std::vector<cluster::Link> links;
    for (const NodePreset& preset : catalog.nodes)
        if (preset.node.accelerator.id == accelerator.id
            && std::ranges::find(links, preset.node.scaleUp.id, &cluster::Link::id) == links.end())
            links.push_back(preset.node.scaleUp);
    return links;
}

const cluster::Link* usualNic(const Catalog& catalog, const cluster::Accelerator& accelerator)
{
    const auto preset = std::ranges::find_if(
        catalog.nodes, [&](const NodePreset& known) { return known.node.accelerator.id == accelerator.id; });
    return preset == catalog.nodes.end() ? nullptr : &preset->node.nic;
}

void setAccelerator(cluster::NodeGroup& nodes, const cluster::Accelerator& accelerator, const Catalog& catalog)
{
    const std::vector<cluster::Link> before = scaleUpLinks(catalog, nodes.accelerator);
    const std::vector<cluster::Link> then = scaleUpLinks(catalog, accelerator);
    const bool isShipped = std::ranges::find(before, nodes.scaleUp) != before.end();
    if (isShipped && !then.empty() && std::ranges::find(then, nodes.scaleUp) == then.end())
        nodes.scaleUp = then.front();
    nodes.accelerator = accelerator;
}

} // namespace stratoplan::catalog
