// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/pools.h"

#include "core/calibration/solver.h"
#include "core/validation/report.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

namespace stratoplan::calibration {
namespace {

using plan::CalibrationTarget;
using Ids = std::vector<std::string_view>;

/// Stacks that run the same kernels: what one source says of them holds for the others.
const std::vector<Ids>& likeInTime()
{
    static const std::vector<Ids> pools{
        // Megatron-Core with the Transformer Engine of 2023 and 2024
        {"megatron-core-2024", "nemo"},
        // PyTorch's own products and FSDP, or ZeRO like it
        {"llm-foundry-fsdp", "llm-foundry-fsdp-h100", "torchtitan", "torchtitan-async-tp", "torchtitan-float8-rowwise",
            "torchtitan-2025", "torchtitan-eager", "internevo"},
    };
    return pools;
}

/// What a stack holds beside its tensors.
const std::vector<Ids>& likeInMemory()
{
    static const std::vector<Ids> pools{
        {"megatron-core-2024", "megatron-core-2024-moe"},
        {"torchtitan", "torchtitan-async-tp", "torchtitan-float8-rowwise", "torchtitan-2025", "torchtitan-eager"},
    };
    return pools;
}

// Constants, their spread and the weight of a source are those under which sources that are left out are estimated best
// (`stratoplan-cli validate --k-fold`): others vary from source to source more than a source says of them.
constexpr std::array kCarriedOver{
    "matmul_factor", "elementwise_backward", "grouped_matmul_factor", "host_per_expert_ms"};
constexpr double kSpread = 0.5;
constexpr double kRowsOfSource = 6;

} // namespace

std::vector<std::vector<plan::SoftwareProfile>> pools(
    const std::vector<plan::SoftwareProfile>& priors, CalibrationTarget target)
{
    const std::vector<Ids>& like = target == CalibrationTarget::StepTime ? likeInTime() : likeInMemory();
    const auto poolOf = [&](const plan::SoftwareProfile& prior) {
        return std::ranges::find_if(
            like, [&](const Ids& ids) { return std::find(ids.begin(), ids.end(), prior.id) != ids.end(); });
    };
    std::vector<std::vector<plan::SoftwareProfile>> result;
    for (const plan::SoftwareProfile& prior : priors) {
        const auto pool = poolOf(prior);
        const auto known = std::ranges::find_if(result, [&](const std::vector<plan::SoftwareProfile>& other) {
            return pool != like.end() && poolOf(other.front()) == pool;
        });
        if (known == result.end())
            result.push_back({prior});
        else
            known->push_back(prior);
    }
    return result;
}

CalibrationOptions poolOptions(CalibrationTarget target)
{
    CalibrationOptions options{.target = target, .holdUnidentified = true};
    if (target == CalibrationTarget::StepTime) {
        options.only = std::vector<std::string>(kCarriedOver.begin(), kCarriedOver.end());
        options.spread = kSpread;
    }
    return options;
}

std::vector<MeasuredRun> weighed(
    std::vector<MeasuredRun> runs, const std::vector<plan::SoftwareProfile>& priors, CalibrationTarget target)
{
    std::map<std::string, std::string> poolOf; // by software: the first of its pool
    for (const std::vector<plan::SoftwareProfile>& pool : pools(priors, target))
        for (const plan::SoftwareProfile& prior : pool)
            poolOf[prior.id] = pool.front().id;
    const auto keyOf = [&](const MeasuredRun& run) {
        const std::string& software = run.plan.training.software.id;
        const auto pool = poolOf.find(software);
        return std::pair(pool == poolOf.end() ? software : pool->second, validation::publisherOf(run.source));
    };
    std::map<std::pair<std::string, std::string>, int> rows;
    for (const MeasuredRun& run : runs)
        rows[keyOf(run)] += detail::measured(run, target).has_value();
    for (MeasuredRun& run : runs)
        if (const int n = rows[keyOf(run)]; n > 0)
            run.weight = std::min(run.weight, kRowsOfSource / n);
    return runs;
}

} // namespace stratoplan::calibration
