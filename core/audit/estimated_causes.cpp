// SPDX-License-Identifier: Apache-2.0
#include "core/audit/estimated_causes.h"

#include "core/cost/compute.h"
#include "core/pricing/priced_stages.h"
#include "core/workload/workload.h"

#include <algorithm>

namespace stratoplan::audit {
namespace {

/// Computation of passes, by the kinds of its operators.
struct Kinds {
    Seconds matmul{}, attention{}, other{};
    void add(const Kinds& kinds, double times)
    {
        matmul += kinds.matmul * times;
        attention += kinds.attention * times;
        other += kinds.other * times;
    }
    [[nodiscard]] Seconds total() const { return matmul + attention + other; }
};

/// What a stage runs for one micro-batch, by the kinds of its operators.
class StageKindSeconds {
public:
    StageKindSeconds(const plan::Plan& plan, const cost::Machine& machine, int stage)
        : m_plan(plan)
        , m_machine(machine)
        , m_work(workload::lower(plan))
        , m_layout(m_work.stages[std::size_t(stage)])
    {
    }

    [[nodiscard]] Kinds pass(bool backward) const
    {
        const auto passOf = [&](const workload::LayerWork& layer) { return backward ? layer.backward : layer.forward; };
        Kinds kinds;
        kinds.add(kindsOf(passOf(m_work.dense)), m_layout.denseLayers);
        kinds.add(kindsOf(passOf(m_work.moe)), m_layout.moeLayers);
        kinds.add(kindsOf(backward ? m_work.embeddingBackward : m_work.embeddingForward), lookUps(m_plan, m_layout));
        kinds.add(kindsOf(backward ? m_work.headBackward : m_work.headForward), predictions(m_plan, m_layout));
        kinds.add(kindsOf(backward ? m_work.mergeBackward : m_work.mergeForward), m_layout.predictionModules);
        return kinds;
    }

    [[nodiscard]] Kinds repeated() const
    {
        Kinds kinds;
        for (const bool moe : {false, true})
            for (const parallel::Recompute recompute : {parallel::Recompute::Selective, parallel::Recompute::Full}) {
                const int layers = layersWith(m_plan.strategy, m_layout, moe, recompute);
                const workload::Pass& pass = (moe ? m_work.moe : m_work.dense).forward;
                kinds.add(kindsOf(pass, recompute == parallel::Recompute::Selective), layers);
            }
        return kinds;
    }

private:
    /// `selective`: of what selective recomputation repeats alone.
    [[nodiscard]] Kinds kindsOf(const workload::Pass& pass, bool selective = false) const
    {
        using enum workload::OperatorKind;
        Kinds kinds;
        for (const workload::Operator& op : pass.operators) {
            const Seconds time = cost::seconds(op, m_machine, m_plan.training.software) * (selective ? op.repeated : 1);
            const bool isAttention = op.attentionCore || op.kind == FlashAttention || op.kind == BatchedMatmul;
            const bool isProduct = op.kind == Matmul || op.kind == GroupedMatmul;
            (isAttention ? kinds.attention : isProduct ? kinds.matmul : kinds.other) += time;
        }
        return kinds;
    }

    const plan::Plan& m_plan;
    const cost::Machine& m_machine;
    workload::Workload m_work;
    const workload::StageLayout& m_layout;
};

/// Divides the seconds of all micro-batches' passes: products and attention as they are priced, the rest beside them.
/// Layers that are divided otherwise than they were lowered take less: then in proportion.
void divide(Seconds all, const Kinds& kinds, CauseSeconds& causes)
{
    const Seconds priced = kinds.matmul + kinds.attention;
    const double scale = priced > all && priced.value() > 0 ? all / priced : 1;
    causes[Cause::Matmul] += kinds.matmul * scale;
    causes[Cause::Attention] += kinds.attention * scale;
    causes[Cause::OtherComputation] += std::max(Seconds{}, all - priced * scale);
}

Kinds times(const Kinds& kinds, double count)
{
    Kinds all;
    all.add(kinds, count);
    return all;
}

Cause laneCause(pipeline::SliceKind kind)
{
    using enum pipeline::SliceKind;
    switch (kind) {
    case GradientSync:
    case ParameterGather:
        return Cause::DataParallel;
    case Optimizer:
        return Cause::Optimizer;
    default:
        return Cause::Matmul;
    }
}

bool isBesidePasses(pipeline::SliceKind kind)
{
    using enum pipeline::SliceKind;
    return kind == SendForward || kind == SendBackward || kind == ReshardForward || kind == ReshardBackward;
}

void append(std::vector<LaneSlice>& lane, double start, double end, Cause cause)
{
    if (end <= start)
        return;
    if (!lane.empty() && lane.back().cause == cause)
        lane.back().seconds = end - lane.back().start;
    else
        lane.push_back({start, end - start, cause});
}

} // namespace

int pacingStage(const estimate::Estimate& estimate)
{
    const auto pacing = std::ranges::find(estimate.stages, estimate.breakdown);
    return pacing == estimate.stages.end() ? 0 : int(pacing - estimate.stages.begin());
}

std::optional<int> stageOfRank(const parallel::Strategy& s, int rank)
{
    if (rank < 0 || rank >= rankCount(s))
        return std::nullopt;
    int stride = 1;
    bool expertsBefore = false;
    for (const parallel::Axis axis : s.rankOrder) {
        if (axis == parallel::Axis::Pp)
            break;
        expertsBefore |= axis == parallel::Axis::Ep && s.ep > 1;
        stride *= axis == parallel::Axis::Tp ? s.tp
            : axis == parallel::Axis::Cp     ? s.cp
            : axis == parallel::Axis::Dp     ? s.dp
                                             : 1;
    }
    const bool innermostOfReplicas = stride % (s.dp * s.cp) != 0;
    if (expertsBefore && innermostOfReplicas) // experts take a part of the replicas of its own place
        return std::nullopt;
    return rank / stride % s.pp;
}

CauseSeconds estimatedCauses(
    const plan::Plan& plan, const estimate::Estimate& estimate, int stage, const catalog::Catalog& catalog)
{
    plan::Plan settled = plan;
    settled.strategy = estimate.settled;
    settled = pricing::stagePlan(settled, stage);
    const cost::Machine machine = cost::machine(settled, catalog);
    const StageKindSeconds kinds(settled, machine, stage);
    const double microBatches = estimate.pipeline.microBatches;
    const pricing::Breakdown& b = estimate.stages[std::size_t(stage)];
    CauseSeconds causes;
    divide(b.forward, times(kinds.pass(false), microBatches), causes);
    divide(b.backward, times(kinds.pass(true), microBatches), causes);
    divide(b.recompute, times(kinds.repeated(), microBatches), causes);
    causes[Cause::Optimizer] = b.optimizer;
    causes[Cause::TensorParallel] = b.exposed.tp;
    causes[Cause::ContextParallel] = b.exposed.cp;
    causes[Cause::ExpertParallel] = b.exposed.ep;
    causes[Cause::DataParallel] = b.exposed.dp;
    causes[Cause::Pipeline] = b.exposed.pp + b.bubble;
    causes[Cause::Idle] = b.other;
    causes.hiddenPart(Cause::TensorParallel) = b.hidden.tp;
    causes.hiddenPart(Cause::ContextParallel) = b.hidden.cp;
    causes.hiddenPart(Cause::ExpertParallel) = b.hidden.ep;
    causes.hiddenPart(Cause::DataParallel) = b.hidden.dp;
    causes.hiddenPart(Cause::Pipeline) = b.hidden.pp;
    return causes;
}

std::vector<LaneSlice> estimatedLane(const estimate::Estimate& estimate, int stage)
{
    constexpr double kMostDrawn = 200'000;
    if (isTooLong(estimate.pipeline) || timelineSlices(estimate.pipeline) > kMostDrawn)
        return {};
    const pipeline::Timeline timeline = simulate(estimate.pipeline);
    std::vector<LaneSlice> lane;
    double now = 0;
    for (const pipeline::Slice& slice : timeline.slices) {
        if (slice.stage != stage || isBesidePasses(slice.kind))
            continue;
        const double start = std::max<double>(slice.start, now), end = double(slice.start) + slice.duration;
        append(lane, now, start, Cause::Pipeline);
        append(lane, start, end, laneCause(slice.kind));
        now = std::max(now, end);
    }
    append(lane, now, std::max(timeline.makespan.value(), estimate.step.value()), Cause::Pipeline);
    return lane;
}

} // namespace stratoplan::audit
