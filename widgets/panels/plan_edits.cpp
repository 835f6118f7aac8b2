// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/plan_edits.h"

#include "core/catalog/accelerator_links.h"
#include "core/cluster/cluster_edits.h"

#include <algorithm>
#include <cmath>

namespace stratoplan::widgets {

namespace {

bool headsFillHidden(const model::Transformer& model)
{
    return model.heads * model.headDim == model.hidden;
}

void followHeadDim(model::Transformer& model, bool filled)
{
    if (filled && model.heads > 0 && model.hidden % model.heads == 0)
        model.headDim = model.hidden / model.heads;
}

} // namespace

plan::Plan withModel(plan::Plan plan, const catalog::ModelPreset& preset)
{
    plan.model = preset.model;
    plan.training.sequenceLength = preset.sequenceLength;
    return plan;
}

model::Transformer withLayers(model::Transformer model, int layers)
{
    const int before = std::max(1, model.layers);
    const auto share = [&](int kind) { return static_cast<int>(std::lround(double(kind) * layers / before)); };
    model.layers = layers;
    if (model.standIn)
        model.standIn->layers = std::min(layers, share(model.standIn->layers));
    if (!model.mamba2)
        return model;
    model::Mamba2& mamba = *model.mamba2;
    mamba.layers = std::clamp(share(mamba.layers), 1, std::max(1, layers));
    if (mamba.ffnLayers) // attention has the rest
        mamba.ffnLayers = std::clamp(share(*mamba.ffnLayers), 0, std::max(0, layers - mamba.layers));
    return model;
}

model::Transformer withHidden(model::Transformer model, int hidden)
{
    const bool filled = headsFillHidden(model);
    model.hidden = hidden;
    followHeadDim(model, filled);
    return model;
}

model::Transformer withHeads(model::Transformer model, int heads)
{
    const bool filled = headsFillHidden(model);
    const bool multiHead = model.kvHeads == model.heads;
    model.heads = heads;
    model.kvHeads = multiHead ? heads : std::min(model.kvHeads, heads);
    followHeadDim(model, filled);
    return model;
}

model::Transformer withKvHeads(model::Transformer model, int kvHeads)
{
    model.kvHeads = std::min(kvHeads, model.heads);
    return model;
}

cluster::Cluster withNodeCount(cluster::Cluster cluster, std::size_t group, int count)
{
    setNodeCount(cluster, group, count);
    return cluster;
}

cluster::Cluster withNicsPerNode(cluster::Cluster cluster, std::size_t group, int nics)
{
    setNicsPerNode(cluster, group, nics);
    return cluster;
}

cluster::Cluster withAcceleratorsPerNode(cluster::Cluster cluster, std::size_t group, int accelerators)
{
    cluster::NodeGroup& node = cluster.nodes.at(group);
    if (node.scaleUpDomain == node.acceleratorsPerNode)
        setScaleUpDomain(node, accelerators);
    node.acceleratorsPerNode = accelerators;
    return cluster;
}

cluster::Cluster withAccelerator(cluster::Cluster cluster, std::size_t group, const cluster::Accelerator& accelerator,
    const catalog::Catalog& catalog)
{
    setAccelerator(cluster.nodes.at(group), accelerator, catalog);
    return cluster;
}

cluster::Cluster withScaleUp(cluster::Cluster cluster, std::size_t group, const cluster::Link& link)
{
    cluster.nodes.at(group).scaleUp = link;
    return cluster;
}

cluster::Cluster withScaleUpDomain(cluster::Cluster cluster, std::size_t group, int accelerators)
{
    setScaleUpDomain(cluster.nodes.at(group), accelerators);
    return cluster;
}

cluster::Cluster withNic(cluster::Cluster cluster, std::size_t group, const cluster::Link& link)
{
    setNic(cluster, group, link);
    return cluster;
}

cluster::Cluster withNode(cluster::Cluster cluster, std::size_t group, const catalog::NodePreset& preset)
{
    if (cluster.nodes.empty()) {
        cluster.nodes.push_back(preset.node);
        if (cluster.nodes.front().id.empty())
            cluster.nodes.front().id = "nodes";
        return cluster;
    }
    const cluster::NodeGroup before = cluster.nodes.at(group);
    cluster = withNic(std::move(cluster), group, preset.node.nic);
    cluster = withNicsPerNode(std::move(cluster), group, preset.node.nicsPerNode);
    cluster::NodeGroup& node = cluster.nodes.at(group);
    node = preset.node;
    node.id = before.id;
    node.count = before.count;
    return cluster;
}

plan::Training withSoftware(plan::Training training, const plan::SoftwareProfile& profile)
{
    training.software = profile;
    training.attention = profile.flashAttention ? plan::AttentionKernel::Flash : plan::AttentionKernel::Unfused;
    training.fp32Gradients = profile.gradientsInFp32;
    training.narrowReduction = profile.narrowReduction;
    training.narrowGather = profile.narrowParameterGather;
    return training;
}

} // namespace stratoplan::widgets
