// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/starting_plan.h"

#include "core/estimate/estimate.h"

#include <algorithm>
#include <cmath>

namespace stratoplan {

Plan startingPlan(const Transformer& model, int longestSequence, const Catalog& catalog)
{
    constexpr int kUsualSequence = 4096;
    constexpr double kStateBytes = 18; // weights, FP32 gradients, Adam states (domain.md E2)
    Plan plan;
    plan.name = model.name;
    plan.model = model;
    const NodePreset* preset = catalog.node("dgx-h100");
    NodeGroup group = preset ? preset->node : catalog.nodes.front().node;
    group.id = "nodes";
    const double node = group.accelerator.memory.value() * group.acceleratorsPerNode;
    // Beyond this many nodes even an idle rank has nothing to shard.
    constexpr int kMostNodes = 4096;
    const double needed = 2 * kStateBytes * double(parameters(model).total) / node;
    group.count = int(std::exp2(std::ceil(std::log2(std::clamp(needed, 1.0, double(kMostNodes))))));
    Training& training = plan.training;
    const SoftwareProfile* software = catalog.softwareProfile("torchtitan");
    training.software = software ? *software : catalog.software.front();
    training.sequenceLength = longestSequence > 0 ? std::min(longestSequence, kUsualSequence) : kUsualSequence;
    training.fp32Gradients = training.software.gradientsInFp32;
    plan.strategy.zeroStage = 3;
    plan.strategy.recompute = Recompute::Full;
    if (model.moe && model.moe->experts % group.acceleratorsPerNode == 0)
        plan.strategy.ep = group.acceleratorsPerNode;
    for (;; group.count *= 2) {
        plan.cluster = {std::to_string(group.count) + " " + group.name, {group}, {}, {}};
        training.globalBatch = plan.strategy.dp = acceleratorCount(plan.cluster);
        const auto answer = estimate(plan, {.remedies = false});
        if (!answer || answer->fits || group.count >= kMostNodes)
            return plan;
    }
}

} // namespace stratoplan
