// SPDX-License-Identifier: Apache-2.0
// What the writers of all formats share: settings as they come about with their remarks, and what they read of a plan.
// Private to core/launch.
#pragma once

#include "core/launch/flag_table.h"
#include "core/launch/launch.h"

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stratoplan::launch {

struct Draft {
    Settings settings;
    std::vector<Remark> remarks;
    std::vector<BlankSetting> blanks;

    void flag(std::string_view name, bool holds = true);
    void number(std::string_view name, std::int64_t value);
    void text(std::string_view name, std::string_view value);
    void set(std::string_view name, Value value);
    void remark(Gap gap, std::string found, std::string instead = {});
    /// A setting to be filled in that the parser of the framework takes as it stands.
    void fill(Blank blank, std::string_view name);
    /// One that is to be added.
    void leave(Blank blank, std::string_view name);
};

/// What a person replaces: "FILL_IN_DATA".
[[nodiscard]] std::string placeholder(Blank blank);

/// The setting that stands for what a rule is about.
struct RuleSetting {
    catalog::FrameworkRule rule{};
    std::string_view setting;
    std::string_view otherwise = {}; ///< where the draft has none of that name
};
/// Remarks on all rules of a framework that the plan breaks, each with the setting that the draft has in their place.
void addObjections(
    Draft& draft, const plan::Plan& plan, plan::TargetFramework framework, std::span<const RuleSetting> settings);
/// Whether the plan breaks the rule.
[[nodiscard]] bool breaks(const plan::Plan& plan, plan::TargetFramework framework, catalog::FrameworkRule rule);

[[nodiscard]] bool hasExperts(const plan::Plan& plan);
/// Ranks that hold copies of a layer: DP x CP.
[[nodiscard]] int replicas(const parallel::Strategy& strategy);
/// Replicas that share out what ZeRO shards.
[[nodiscard]] int shards(const parallel::Strategy& strategy);
/// Micro-batches of each replica, as even as a format has them.
[[nodiscard]] int evenMicroBatches(const plan::Plan& plan);
/// Layers of a chunk where all have as many; 0 where not.
[[nodiscard]] int evenChunk(const plan::Plan& plan);
/// Steps of the token budget of a project; 0 where there is none.
[[nodiscard]] std::int64_t steps(const plan::Project& project);
/// 16 bits, in which gradients and parameters travel: "bf16", "fp16"; "fp32".
[[nodiscard]] std::string_view storageKey(model::Precision precision);
/// A remark on TF32, which frameworks leave to PyTorch.
void addWideRemark(Draft& draft, model::Precision precision);
/// Whose accelerators the first group of nodes has that takes part.
[[nodiscard]] std::string vendor(const cluster::Cluster& cluster);
/// Accelerators of a node; of unlike groups those of the smallest.
[[nodiscard]] int perNode(const cluster::Cluster& cluster);
/// Whether tensor ranks are the innermost, then those of CP, of EP, replicas, and stages the outermost.
[[nodiscard]] bool isUsuallyOrdered(const parallel::Strategy& strategy);
/// "tp-cp-ep-dp-pp"
[[nodiscard]] std::string orderText(const parallel::Strategy& strategy);
/// Remarks on unlike nodes and on accelerators that have no rank.
void addNodeRemarks(Draft& draft, const plan::Plan& plan);
[[nodiscard]] int nodesUsed(const plan::Plan& plan);

// The writers
[[nodiscard]] Draft megatron(const plan::Project& project);
void addModel(Draft& draft, const plan::Plan& plan); ///< arguments of the shape
void addMemory(Draft& draft, const plan::Plan& plan); ///< recomputation, offload
[[nodiscard]] LaunchFile megatronLm(const plan::Project& project);
[[nodiscard]] LaunchFile megatronBridge(const plan::Project& project);
[[nodiscard]] LaunchFile deepSpeed(const plan::Project& project);
[[nodiscard]] LaunchFile torchTitan(const plan::Project& project);
[[nodiscard]] LaunchFile fsdp2(const plan::Project& project);
[[nodiscard]] LaunchFile accelerate(const plan::Project& project);
[[nodiscard]] LaunchFile mindSpeed(const plan::Project& project);
[[nodiscard]] LaunchFile slurm(const plan::Project& project);
[[nodiscard]] LaunchFile kubernetes(const plan::Project& project);
/// The arguments that fit the accelerators: of MindSpeed on those of Huawei, else of Megatron-LM.
[[nodiscard]] LaunchFile fitting(const plan::Project& project);
/// The text of a shipped template with its "@NAME@" filled in.
[[nodiscard]] std::string filledTemplate(
    std::string_view file, const std::vector<std::pair<std::string_view, std::string>>& values);
/// A name that file systems, Slurm and Kubernetes take: "gpt-3-175b".
[[nodiscard]] std::string plainName(std::string_view name);

} // namespace stratoplan::launch
