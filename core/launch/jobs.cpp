// SPDX-License-Identifier: Apache-2.0
// Job skeletons around the arguments that fit the accelerators: a batch script of Slurm, a PyTorchJob of Kubernetes.
#include "core/launch/draft.h"

#include <algorithm>

namespace stratoplan::launch {
namespace {

struct Resource {
    std::string_view vendor, name;
};

/// As the device plug-ins of the vendors call them.
constexpr std::array kResources{Resource{"NVIDIA", "nvidia.com/gpu"}, Resource{"AMD", "amd.com/gpu"},
    Resource{"Huawei", "huawei.com/Ascend910"}, Resource{"Google", "google.com/tpu"},
    Resource{"AWS", "aws.amazon.com/neuron"}, Resource{"Intel", "habana.ai/gaudi"}};

std::string resourceOf(Draft& draft, const plan::Plan& plan)
{
    const std::string maker = vendor(plan.cluster);
    for (const Resource& resource : kResources)
        if (resource.vendor == maker)
            return std::string(resource.name);
    draft.remark(Gap::Resource, maker.empty() ? "unnamed" : maker, "nvidia.com/gpu");
    return "nvidia.com/gpu";
}

std::string program(const plan::Plan& plan)
{
    return plan.model.mamba2 ? "pretrain_hybrid.py" : "pretrain_gpt.py";
}

bool usesWholeNodes(const plan::Plan& plan)
{
    return rankCount(plan.strategy) % perNode(plan.cluster) == 0;
}

/// Processes of each node, as many on all.
int processes(const plan::Plan& plan)
{
    const int ranks = rankCount(plan.strategy);
    if (usesWholeNodes(plan))
        return perNode(plan.cluster);
    for (int each = perNode(plan.cluster); each > 1; --each)
        if (ranks % each == 0)
            return each;
    return 1;
}

/// Hopper and before keep the order of communication and products by it.
std::string connections(const Settings& settings)
{
    return find(settings, "--use-megatron-fsdp") ? "32" : "1";
}

/// Of a node, as Slurm is asked for them.
std::string devices(const plan::Plan& plan, int each)
{
    const std::string asked = vendor(plan.cluster) == "Huawei" ? "--gres=npu:" : "--gpus-per-node=";
    return asked + std::to_string(each);
}

Draft draftOf(const LaunchFile& file)
{
    return {file.settings, file.remarks, file.blanks};
}

} // namespace

LaunchFile slurm(const plan::Project& project)
{
    const plan::Plan& plan = project.plan;
    const LaunchFile inner = fitting(project);
    Draft draft = draftOf(inner);
    addNodeRemarks(draft, plan);
    draft.leave(Blank::Folder, "MEGATRON_PATH");
    draft.leave(Blank::Partition, "partition");
    const int each = processes(plan);
    const std::string body = filledTemplate("slurm.sh",
        {{"@NAME@", plainName(plan.name)}, {"@NODES@", std::to_string(rankCount(plan.strategy) / each)},
            {"@DEVICES@", devices(plan, each)}, {"@PROCESSES@", std::to_string(each)},
            {"@CONNECTIONS@", connections(inner.settings)}, {"@PROGRAM@", program(plan)},
            {"@ARGUMENTS@", shellLines(inner.settings, "    ")}});
    return {Format::Slurm, body, "#!/bin/bash\n", inner.settings, inner.table, {}, draft.remarks, draft.blanks};
}

LaunchFile kubernetes(const plan::Project& project)
{
    const plan::Plan& plan = project.plan;
    const LaunchFile inner = fitting(project);
    Draft draft = draftOf(inner);
    addNodeRemarks(draft, plan);
    draft.leave(Blank::Image, "image");
    draft.leave(Blank::Folder, "workingDir");
    const int each = processes(plan), nodes = rankCount(plan.strategy) / each;
    const std::string pod = filledTemplate("kubernetes_pod.yaml",
        {{"@PROGRAM@", program(plan)}, {"@CONNECTIONS@", connections(inner.settings)},
            {"@RESOURCE@", resourceOf(draft, plan)}, {"@PROCESSES@", std::to_string(each)},
            {"@ARGUMENTS@", yamlArguments(inner.settings, "                ")}});
    std::string body = filledTemplate(
        "kubernetes.yaml", {{"@NAME@", plainName(plan.name)}, {"@PROCESSES@", std::to_string(each)}, {"@POD@", pod}});
    if (nodes > 1)
        body += "    Worker:\n      replicas: " + std::to_string(nodes - 1)
            + "\n      restartPolicy: OnFailure\n      template: *pod\n";
    return {Format::Kubernetes, body, {}, inner.settings, inner.table, {}, draft.remarks, draft.blanks};
}

} // namespace stratoplan::launch
