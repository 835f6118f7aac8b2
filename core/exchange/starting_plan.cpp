// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/starting_plan.h"

#include "core/cost/memory.h"
#include "core/estimate/estimate.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace stratoplan::exchange {

tl::expected<plan::Plan, std::vector<plan::Problem>> startingPlan(
    const model::Transformer& model, int longestSequence, const catalog::Catalog& catalog)
{
    constexpr int kUsualSequence = 4096;
    plan::Plan plan;
    plan.name = model.name;
    plan.model = model;
    const catalog::NodePreset* preset = catalog.node("dgx-h100");
    cluster::NodeGroup group = preset ? preset->node : catalog.nodes.front().node;
    group.id = "nodes";
    plan::Training& training = plan.training;
    const plan::SoftwareProfile* software = catalog.softwareProfile("torchtitan");
    training.software = software ? *software : catalog.software.front();
    training.sequenceLength = longestSequence > 0 ? std::min(longestSequence, kUsualSequence) : kUsualSequence;
    training.fp32Gradients = training.software.gradientsInFp32;
    const auto spread = [&](int nodes) {
        group.count = nodes;
        plan.cluster = {std::to_string(nodes) + " " + group.name, {group}, {}, {}};
        training.globalBatch = plan.strategy.dp = acceleratorCount(plan.cluster);
    };
    plan.strategy.zeroStage = 3;
    plan.strategy.recompute = parallel::Recompute::Full;
    if (model.moe && model.moe->experts % group.acceleratorsPerNode == 0)
        plan.strategy.ep = group.acceleratorsPerNode;
    spread(1);
    // Before anything is counted: a model beyond all measure has no exact count.
    if (std::vector<plan::Problem> problems = check(plan, {.remedies = false}); hasErrors(problems))
        return tl::unexpected(std::move(problems));
    constexpr int kMostNodes = 4096; // beyond them even an idle rank has nothing to shard
    const double states = cost::stateBytes(0, 1, training.fp32Gradients).total() * double(parameters(model).total);
    const double needed = 2 * states / (group.accelerator.memory.value() * group.acceleratorsPerNode);
    for (int nodes = int(std::bit_ceil(unsigned(std::ceil(std::clamp(needed, 1.0, double(kMostNodes))))));;
         nodes *= 2) {
        spread(nodes);
        const auto answer = estimate::estimate(plan, {.remedies = false, .catalog = &catalog});
        if (!answer || answer->fits || nodes >= kMostNodes)
            return plan;
    }
}

} // namespace stratoplan::exchange
