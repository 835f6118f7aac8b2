// SPDX-License-Identifier: Apache-2.0
// Settings of a run that differ from what its framework recommends, as far as the plan, the log's arguments and the
// profile tell: resources/audit/settings.json, each with its source. When one applies is code, named by its entry.
#pragma once

#include "core/audit/measured_step.h"
#include "core/estimate/estimate.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace stratoplan::audit {

enum class Setting {
    SequenceParallel, ///< with TP
    DistributedOptimizer, ///< with replicas
    OverlapGradientReduction,
    OverlapParameterGather,
    OverlapTensorParallel,
    FusedAttention,
    LessRecomputation, ///< memory has room for it
    TensorParallelInDomain, ///< TP leaves the scale-up domain
    MaxConnections, ///< CUDA_DEVICE_MAX_CONNECTIONS
    GradientFusion, ///< weight gradients added up where they are made
    CheckForNan, ///< of every loss, which waits for the device
    Timers, ///< of levels that synchronise
};
[[nodiscard]] std::string_view key(Setting setting); // "sequence_parallel", …

/// What a run states of itself: arguments as its log or launch script has them, without dashes and with underscores,
/// and variables of its environment.
using StatedSettings = std::map<std::string, std::string, std::less<>>;

struct SettingFinding {
    Setting setting{};
    std::string name; ///< argument or field
    std::string found; ///< as it is stated: "False"
    std::string recommended; ///< "True"
    std::string source;
    double amount = 0; ///< of LessRecomputation: seconds saved by estimate; of TensorParallelInDomain: the domain
    bool operator==(const SettingFinding&) const = default;
};

/// In the order of the table. `estimate` is of the plan.
[[nodiscard]] std::vector<SettingFinding> differingSettings(const plan::Plan& plan, const estimate::Estimate& estimate,
    const StatedSettings& stated, const catalog::Catalog& catalog = catalog::shippedCatalog());

} // namespace stratoplan::audit
