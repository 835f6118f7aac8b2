// SPDX-License-Identifier: Apache-2.0
#include "core/estimate/range.h"

#include "core/units/text.h"

#include <algorithm>

namespace stratoplan {
namespace {

struct Limit {
    Extent extent;
    const char* before; ///< the number: "Measured up to TP "
    const char* after;
    const char* none; ///< where the largest is 1
};

constexpr Limit kLimits[] = {
    {Extent::Layers, "", " layers", nullptr},
    {Extent::Hidden, "a hidden size of ", "", nullptr},
    {Extent::Experts, "", " experts", nullptr}, // none at all: said of the accelerator
    {Extent::Sequence, "sequences of ", " tokens", nullptr},
    {Extent::Accelerators, "", " accelerators", nullptr},
    {Extent::MicroBatch, "a micro-batch of ", "", nullptr},
    {Extent::Tp, "TP ", "", "tensor parallelism"},
    {Extent::Pp, "PP ", "", "pipeline parallelism"},
    {Extent::Cp, "CP ", "", "context parallelism"},
    {Extent::Ep, "EP ", "", "expert parallelism"},
    {Extent::Vpp, "VPP ", "", "virtual pipeline stages"},
};

std::string formatName(Precision precision)
{
    switch (precision) {
    case Precision::Fp32:
        return "FP32";
    case Precision::Tf32:
        return "TF32";
    case Precision::Fp16:
        return "FP16";
    case Precision::Bf16:
        return "BF16";
    case Precision::Fp8:
        return "FP8";
    case Precision::Mxfp8:
        return "MXFP8";
    case Precision::Nvfp4:
        return "NVFP4";
    }
    return {};
}

std::string recomputeName(Recompute recompute)
{
    return recompute == Recompute::None ? "no recomputation" : std::string(key(recompute)) + " recomputation";
}

const std::string& nameOf(const SoftwareProfile& software)
{
    return software.name.empty() ? software.id : software.name;
}

std::string acceleratorName(const Plan& plan)
{
    const auto group = std::find_if(plan.cluster.nodes.begin(), plan.cluster.nodes.end(), takesPart);
    return group == plan.cluster.nodes.end() ? std::string("no accelerator") : group->accelerator.name;
}

} // namespace

std::vector<std::string> Evidence::extrapolations(const Plan& plan, const Catalog& catalog) const
{
    const SoftwareProfile& software = plan.training.software;
    std::vector<std::string> sentences;
    const CalibratedOn* const runs = software.calibratedOn ? &*software.calibratedOn : nullptr;
    if (runs)
        addOutside(*runs, plan, sentences);
    const auto found = m_tables->stacks.find(stackOf(software));
    if (found == m_tables->stacks.end()) {
        sentences.push_back(
            "No shipped measured case with " + nameOf(software) + "; the range is the one its profile states.");
        return sentences;
    }
    const SoftwareProfile* const base = found->first == software.id ? nullptr : catalog.softwareProfile(found->first);
    const std::string name = nameOf(base ? *base : software);
    const RunExtents most = runs ? runs->most : RunExtents();
    const bool ownAccelerator = runs
        && std::find(runs->accelerators.begin(), runs->accelerators.end(), acceleratorOf(plan))
            != runs->accelerators.end();
    const Stack& stack = found->second;
    const RunTraits traits = traitsOf(plan);
    const Kind kind = m_tables->kindOf(acceleratorOf(plan), traits);
    const auto with = [&](const std::string& what) {
        sentences.push_back("No measured case with " + what + " in " + name + ".");
    };
    const auto seen = [&](auto same) { return std::any_of(stack.kinds.begin(), stack.kinds.end(), same); };

    const bool known = kind.accelerator < static_cast<int>(m_tables->accelerators.size());
    if (!known && !ownAccelerator)
        sentences.push_back("No measured case on " + acceleratorName(plan) + ".");
    else if (!ownAccelerator && !seen([&](const Kind& one) { return one.accelerator == kind.accelerator; }))
        sentences.push_back("No measured case on " + acceleratorName(plan) + " with " + name + ".");
    const Measured measured = known ? m_tables->accelerators[static_cast<std::size_t>(kind.accelerator)] : Measured{};
    const auto onAccelerator = [&](bool wanted, bool there, const char* what) {
        if (wanted && !there)
            sentences.push_back(std::string("No measured case with ") + what + " on " + acceleratorName(plan) + ".");
    };
    onAccelerator(plan.model.moe.has_value(), measured.experts, "a mixture of experts");
    onAccelerator(traits.latentAttention, measured.latentAttention, "multi-head latent attention (MLA)");
    onAccelerator(traits.slidingWindow, measured.slidingWindow, "sliding-window attention");
    if (plan.strategy.offload != Offload::None)
        sentences.emplace_back("No measured case that offloads to host memory.");
    if (!plan.strategy.stageTp.empty())
        sentences.emplace_back("No measured case with stages of different TP.");
    if (mixesRecompute(plan.strategy))
        sentences.emplace_back("No measured case that recomputes its stages or layers unlike.");
    if (plan.model.multiTokenPredictionDepth > 0)
        sentences.emplace_back("No measured case with multi-token prediction.");

    const auto sixteen = [](Precision precision) {
        return precision == Precision::Fp16 || precision == Precision::Bf16;
    };
    if (!seen([&](const Kind& one) {
            return one.traits.precision == traits.precision
                || (sixteen(one.traits.precision) && sixteen(traits.precision));
        }))
        with(formatName(traits.precision));
    if (!seen([&](const Kind& one) { return one.traits.recompute == traits.recompute; }))
        with(recomputeName(traits.recompute));
    if (!seen([&](const Kind& one) { return one.traits.schedule == traits.schedule; }))
        with("schedule " + std::string(key(traits.schedule)));
    if (!seen([&](const Kind& one) { return (one.traits.zeroStage == 3) == (traits.zeroStage == 3); }))
        with(traits.zeroStage == 3 ? "parameters sharded (ZeRO-3)" : "parameters not sharded");
    if (!seen([&](const Kind& one) { return one.traits.flash == traits.flash; }))
        with(traits.flash ? "flash attention" : "unfused attention");
    for (const Limit& limit : kLimits) {
        const int largest =
            std::max(stack.largest[static_cast<std::size_t>(limit.extent)], range_detail::extentOf(most, limit.extent));
        const int own = traits.extent(limit.extent);
        if (own <= largest || (limit.extent == Extent::Experts && largest <= 1))
            continue;
        if (limit.none && largest <= 1)
            with(limit.none);
        else
            sentences.push_back(std::string("Measured up to ") + limit.before + groupedDigits(largest) + limit.after
                + " with this software, this plan has " + groupedDigits(own) + ".");
    }
    return sentences;
}

} // namespace stratoplan
