// SPDX-License-Identifier: Apache-2.0
#include "core/catalog/accelerator_links.h"

#include <algorithm>
#include <limits>

namespace stratoplan::catalog {

namespace {

using cluster::Accelerator;
using cluster::Link;
using cluster::NodeGroup;

/// By ids; without a link, with any.
const NodeGroup* firstWith(const Catalog& catalog, const Accelerator& accelerator, const Link* link = nullptr)
{
    const auto preset = std::ranges::find_if(catalog.nodes, [&](const NodePreset& known) {
        return known.node.accelerator.id == accelerator.id && (link == nullptr || known.node.scaleUp.id == link->id);
    });
    return preset == catalog.nodes.end() ? nullptr : &preset->node;
}

} // namespace

std::vector<Link> scaleUpLinks(const Catalog& catalog, const Accelerator& accelerator)
{
    std::vector<Link> links;
    for (const NodePreset& preset : catalog.nodes)
        if (preset.node.accelerator.id == accelerator.id
            && std::ranges::find(links, preset.node.scaleUp.id, &Link::id) == links.end())
            links.push_back(preset.node.scaleUp);
    return links;
}

const Link* usualNic(const Catalog& catalog, const Accelerator& accelerator)
{
    const NodeGroup* const usual = firstWith(catalog, accelerator);
    return usual == nullptr ? nullptr : &usual->nic;
}

int largestDomain(const Catalog& catalog, const NodeGroup& nodes)
{
    int most = 0;
    for (const NodePreset& preset : catalog.nodes)
        if (preset.node.accelerator.id == nodes.accelerator.id && preset.node.scaleUp.id == nodes.scaleUp.id)
            most = std::max(most, preset.node.torus ? std::numeric_limits<int>::max() : preset.node.scaleUpDomain);
    return most;
}

bool joinsNodes(const Catalog& catalog, const Link& link)
{
    bool isWithin = false;
    for (const NodePreset& preset : catalog.nodes) {
        if (preset.node.nic.id == link.id)
            return true;
        isWithin = isWithin || preset.node.scaleUp.id == link.id;
    }
    return !isWithin;
}

void setUsualLink(NodeGroup& nodes, const Link& link, const Catalog& catalog)
{
    nodes.scaleUp = link;
    const NodeGroup* const usual = firstWith(catalog, nodes.accelerator, &link);
    if (usual == nullptr)
        return;
    if (usual->torus)
        nodes.scaleUpDomain = usual->scaleUpDomain;
    else if (nodes.torus || nodes.scaleUpDomain > largestDomain(catalog, nodes))
        nodes.scaleUpDomain =
            usual->scaleUpDomain > usual->acceleratorsPerNode ? usual->scaleUpDomain : nodes.acceleratorsPerNode;
    nodes.torus = usual->torus;
}

void setAccelerator(NodeGroup& nodes, const Accelerator& accelerator, const Catalog& catalog)
{
    const std::vector<Link> before = scaleUpLinks(catalog, nodes.accelerator);
    const std::vector<Link> then = scaleUpLinks(catalog, accelerator);
    const bool isUsual = std::ranges::find(before, nodes.scaleUp) != before.end();
    nodes.accelerator = accelerator;
    if (isUsual && !then.empty() && std::ranges::find(then, nodes.scaleUp) == then.end())
        setUsualLink(nodes, then.front(), catalog);
}

} // namespace stratoplan::catalog
