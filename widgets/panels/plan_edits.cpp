// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/plan_edits.h"

#include <algorithm>

namespace stratoplan {

namespace {

bool headsFillHidden(const Transformer& model)
{
    return model.heads * model.headDim == model.hidden;
}

void followHeadDim(Transformer& model, bool filled)
{
    if (filled && model.heads > 0 && model.hidden % model.heads == 0)
        model.headDim = model.hidden / model.heads;
}

} // namespace

Plan withModel(Plan plan, const ModelPreset& preset)
{
    plan.model = preset.model;
    plan.training.sequenceLength = preset.sequenceLength;
    return plan;
}

Transformer withHidden(Transformer model, int hidden)
{
    const bool filled = headsFillHidden(model);
    model.hidden = hidden;
    followHeadDim(model, filled);
    return model;
}

Transformer withHeads(Transformer model, int heads)
{
    const bool filled = headsFillHidden(model);
    const bool multiHead = model.kvHeads == model.heads;
    model.heads = heads;
    model.kvHeads = multiHead ? heads : std::min(model.kvHeads, heads);
    followHeadDim(model, filled);
    return model;
}

Transformer withKvHeads(Transformer model, int kvHeads)
{
    model.kvHeads = std::min(kvHeads, model.heads);
    return model;
}

Cluster withNodeCount(Cluster cluster, std::size_t group, int count)
{
    NodeGroup& node = cluster.nodes.at(group);
    scaleUplinks(cluster, node.id, node.count, count);
    node.count = count;
    return cluster;
}

Cluster withNicsPerNode(Cluster cluster, std::size_t group, int nics)
{
    NodeGroup& node = cluster.nodes.at(group);
    scaleUplinks(cluster, node.id, node.nicsPerNode, nics);
    node.nicsPerNode = nics;
    return cluster;
}

Cluster withAcceleratorsPerNode(Cluster cluster, std::size_t group, int accelerators)
{
    NodeGroup& node = cluster.nodes.at(group);
    if (node.scaleUpDomain == node.acceleratorsPerNode)
        node.scaleUpDomain = accelerators;
    node.acceleratorsPerNode = accelerators;
    return cluster;
}

Cluster withAccelerator(Cluster cluster, std::size_t group, const Accelerator& accelerator)
{
    cluster.nodes.at(group).accelerator = accelerator;
    return cluster;
}

Cluster withScaleUp(Cluster cluster, std::size_t group, const Link& link)
{
    cluster.nodes.at(group).scaleUp = link;
    return cluster;
}

Cluster withScaleUpDomain(Cluster cluster, std::size_t group, int accelerators)
{
    cluster.nodes.at(group).scaleUpDomain = accelerators;
    return cluster;
}

Cluster withNic(Cluster cluster, std::size_t group, const Link& link)
{
    NodeGroup& node = cluster.nodes.at(group);
    for (Connection& connection : cluster.connections) {
        if ((connection.from == node.id || connection.to == node.id) && connection.link == node.nic)
            connection.link = link;
    }
    node.nic = link;
    return cluster;
}

Cluster withNode(Cluster cluster, std::size_t group, const NodePreset& preset)
{
    if (cluster.nodes.empty()) {
        cluster.nodes.push_back(preset.node);
        if (cluster.nodes.front().id.empty())
            cluster.nodes.front().id = "nodes";
        return cluster;
    }
    const NodeGroup before = cluster.nodes.at(group);
    cluster = withNic(std::move(cluster), group, preset.node.nic);
    cluster = withNicsPerNode(std::move(cluster), group, preset.node.nicsPerNode);
    NodeGroup& node = cluster.nodes.at(group);
    node = preset.node;
    node.id = before.id;
    node.count = before.count;
    return cluster;
}

Training withSoftware(Training training, const SoftwareProfile& profile)
{
    training.software = profile;
    training.attention = profile.flashAttention ? AttentionKernel::Flash : AttentionKernel::Unfused;
    training.fp32Gradients = profile.gradientsInFp32;
    return training;
}

} // namespace stratoplan
