// SPDX-License-Identifier: Apache-2.0
#include "core/plan/plan.h"

#include "core/parallel/route.h"

#include <algorithm>

namespace stratoplan::plan {

std::string_view key(AttentionKernel kernel)
{
    switch (kernel) {
    case AttentionKernel::Unfused:
        return "unfused";
    case AttentionKernel::Flash:
        return "flash";
    case AttentionKernel::Flash1:
        return "flash_1";
    case AttentionKernel::Flash2:
        return "flash_2";
    case AttentionKernel::Flash3:
        return "flash_3";
    case AttentionKernel::FlashFp8:
        return "flash_fp8";
    }
    return {};
}

std::optional<AttentionKernel> attentionKernelFromKey(std::string_view text)
{
    const auto found = std::ranges::find(kAttentionKernels, text, [](AttentionKernel kernel) { return key(kernel); });
    return found == kAttentionKernels.end() ? std::nullopt : std::optional(*found);
}

int flashVersion(AttentionKernel kernel)
{
    switch (kernel) {
    case AttentionKernel::Flash1:
        return 1;
    case AttentionKernel::Flash2:
        return 2;
    case AttentionKernel::Flash3:
        return 3;
    default:
        return 0;
    }
}

int microBatches(const Plan& plan)
{
    const std::vector<int>& ofReplicas = plan.strategy.replicaMicroBatches;
    if (!ofReplicas.empty())
        return std::max(0, *std::ranges::max_element(ofReplicas));
    const long long perStep = static_cast<long long>(plan.strategy.dp) * plan.strategy.microBatch;
    if (perStep <= 0 || plan.training.globalBatch % perStep != 0)
        return 0;
    return static_cast<int>(plan.training.globalBatch / perStep);
}

bool hasNarrowAttention(const Training& training)
{
    const model::Precision p = training.precision;
    return training.attention == AttentionKernel::FlashFp8
        && (p == model::Precision::Fp8 || p == model::Precision::Mxfp8 || p == model::Precision::Nvfp4);
}

int attentionLength(const Training& training)
{
    return std::min(training.documentLength.value_or(training.sequenceLength), training.sequenceLength);
}

bool replicasWaitEachMicroBatch(const parallel::Strategy& s, const SoftwareProfile& software)
{
    return s.dp > 1 && (effectiveZeroStage(s, software) >= 2 || s.ep > 1);
}

bool updatesAlone(const parallel::Strategy& s, const SoftwareProfile& software)
{
    const bool isOnlyReplica = s.dp * s.cp == 1 && shape(s.schedule) != parallel::PipelineShape::TwoWay;
    return isOnlyReplica || effectiveZeroStage(s, software) >= 2;
}

Flops modelFlops(const Plan& plan)
{
    const int length = attentionLength(plan.training);
    return modelFlops(plan.model, length, tokensPerStep(plan) / length);
}

Flops maskedFlops(const Plan& plan)
{
    const int length = attentionLength(plan.training);
    return maskedFlops(plan.model, length, tokensPerStep(plan) / length);
}

} // namespace stratoplan::plan
