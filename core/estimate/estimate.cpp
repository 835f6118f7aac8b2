// SPDX-License-Identifier: Apache-2.0
#include "core/estimate/estimate.h"

#include "core/estimate/link_rules.h"
#include "core/estimate/range.h"
#include "core/estimate/remedies.h"
#include "core/estimate/unlike_waits.h"
#include "core/parallel/route.h"
#include "core/plan/stage_nodes.h"
#include "core/pricing/limits.h"
#include "core/pricing/priced_replicas.h"

#include <algorithm>
#include <cmath>

namespace stratoplan::estimate {
namespace {

constexpr double kPressure = 0.9; // share of the capacity above which allocators start to retry

pricing::CommunicationSeconds scaled(const pricing::CommunicationSeconds& a, const pricing::CommunicationSeconds& b,
    const pricing::CommunicationSeconds& c, double m)
{
    return {(a.tp + b.tp + c.tp) * m, (a.cp + b.cp + c.cp) * m, (a.ep + b.ep + c.ep) * m, (a.pp + b.pp + c.pp) * m,
        (a.dp + b.dp + c.dp) * m};
}

/// Boundary transfers of one micro-batch that hold a stage up at either end: on a stream that also runs the passes, all
/// of them.
Seconds blockingTransfers(const pipeline::PipelineWork& work, int stage)
{
    if (work.timing.path != parallel::TransferPath::Stream)
        return {};
    const int chunks = effectiveChunks(work.schedule, work.chunks);
    const parallel::Route route(shape(work.schedule), int(work.stages.size()), chunks);
    const auto with = [&](std::optional<int> other, bool after) -> Seconds {
        if (!other || *other == stage)
            return {};
        const pipeline::StageWork& near = work.stages[std::size_t(stage)];
        const pipeline::StageWork& far = work.stages[std::size_t(*other)];
        // What is sent holds up both stages, what is resharded the receiver.
        return after ? near.sendForward + far.sendBackward + far.reshardBackward
                     : near.sendBackward + far.sendForward + far.reshardForward;
    };
    Seconds sum{};
    for (int chunk = 0; chunk < chunks; ++chunk)
        sum += with(route.next(stage, chunk), route.runsDown(chunk))
            + with(route.previous(stage, chunk), !route.runsDown(chunk));
    return route.isTwoWay() ? sum * 0.5 : sum; // a micro-batch passes one of the chunks
}

/// Seconds of its reductions that each stage's passes do not hide, where they run beside those of several chunks: as
/// simulated, or where a pipeline is too long for that what the step has room for.
std::vector<Seconds> exposedReductions(const pipeline::PipelineWork& work, Seconds step)
{
    std::vector<Seconds> exposed;
    for (const pipeline::StageWork& stage : work.stages)
        exposed.push_back(std::clamp(
            step - (stage.forward + stage.backward) * work.microBatches - stage.optimizer - stage.parameterGather,
            Seconds{}, stage.gradientSync));
    constexpr double kMostDrawn = 100'000;
    if (work.timing.sync != parallel::SyncTime::Asynchronous || effectiveChunks(work.schedule, work.chunks) == 1
        || timelineSlices(work) > kMostDrawn)
        return exposed;
    const pipeline::Timeline timeline = simulate(work);
    for (std::size_t i = 0; i < exposed.size(); ++i) {
        const pipeline::StageWork& stage = work.stages[i];
        const Seconds rest = timeline.busy[i] - (stage.forward + stage.backward) * work.microBatches - stage.optimizer
            - stage.parameterGather;
        exposed[i] = std::clamp(rest, Seconds{}, exposed[i]);
    }
    return exposed;
}

/// What the parts of a step leave of it; what their sum is rounded by is nothing.
Seconds rest(Seconds step, Seconds parts)
{
    return step - parts > step * 1e-12 ? step - parts : Seconds{};
}

/// What `m` micro-batches and the end of the step cost on one stage; the rest of the step is its bubble. `noise` is the
/// part of the step that stragglers cost.
pricing::Breakdown breakdown(const pricing::StageCost& cost, double m, Seconds noise, Seconds step)
{
    const pricing::PassCost& forward = cost.passes.forward;
    const pricing::PassCost& backward = cost.passes.backward;
    const pricing::PassCost& recompute = cost.passes.recompute;
    pricing::Breakdown b;
    b.forward = forward.compute * m;
    b.backward = backward.compute * m;
    b.recompute = recompute.compute * m;
    b.optimizer = cost.end.optimizer;
    b.exposed = scaled(forward.exposed, backward.exposed, recompute.exposed, m);
    b.hidden = scaled(forward.hidden, backward.hidden, recompute.hidden, m);
    b.exposed.dp += cost.end.gradientSync.exposed + cost.end.parameterGather.exposed;
    b.hidden.dp += cost.end.gradientSync.hidden + cost.end.parameterGather.hidden;
    const Seconds host = (forward.host + backward.host + recompute.host) * m;
    b.other = host + noise;
    b.bubble = rest(step, b.total());
    return b;
}

/// Passes that run together hide expert traffic of each other: `saved` in all.
void hideInPairs(pricing::Breakdown& b, Seconds saved, Seconds step)
{
    if (saved <= Seconds{})
        return;
    saved = std::min(saved, b.exposed.ep);
    b.exposed.ep -= saved;
    b.hidden.ep += saved;
    b.bubble = Seconds{};
    b.bubble = rest(step, b.total());
}

/// FLOPs of one layer kind that recomputation repeats beside the attention core, on all ranks that share a replica.
Flops repeatedProducts(const plan::Plan& plan, const workload::LayerWork& layer, parallel::Recompute recompute)
{
    if (recompute == parallel::Recompute::None)
        return {};
    Flops sum{};
    Flops last{}, ends{};
    for (const workload::Operator& op : layer.forward.operators) {
        if (op.kind == workload::OperatorKind::Matmul || op.kind == workload::OperatorKind::GroupedMatmul)
            last = op.flops * op.share;
        if (op.endsLayer)
            ends += op.flops * op.share;
        if (!op.attentionCore)
            sum += op.flops * (op.repeated * op.share);
    }
    if (ends.value() > 0)
        last = ends;
    const bool full = recompute == parallel::Recompute::Full;
    return (full && plan.training.software.recomputeEarlyStop ? -1.0 * last
                   : full                                     ? Flops{}
                                                              : sum)
        * double(plan.strategy.tp * plan.strategy.cp);
}

/// Forward FLOPs that recomputation repeats in one step, attention over its whole window as in the model's FLOPs.
Flops recomputedFlops(const plan::Plan& plan, const workload::Workload& workload)
{
    const int length = attentionLength(plan.training);
    const plan::SelectiveRecompute selective = plan.training.software.selectiveRecompute;
    const bool core = selective == plan::SelectiveRecompute::AttentionCore
        || (selective == plan::SelectiveRecompute::Modules && !isFlash(plan.training.attention));
    const std::vector<parallel::Recompute> kinds = workload::layerRecompute(plan);
    Flops perDocument{};
    workload::RecomputedLayers counts;
    const bool alike = layersAreAlike(plan.model);
    model::LayerKind kind;
    Flops ofLayer{}, ofCore{}; // of that kind
    for (int layer = 0; layer < int(kinds.size()); ++layer) {
        const parallel::Recompute recompute = kinds[std::size_t(layer)];
        const model::LayerKind last = kind;
        if (layer == 0 || !alike)
            kind = layerKind(plan.model, layer, length);
        if (layer == 0 || kind != last) {
            ofLayer = layerForwardFlops(plan.model, kind, length);
            ofCore = attentionCoreForwardFlops(plan.model, kind, length);
        }
        ++(kind.moe ? counts.moe : counts.dense)[std::size_t(recompute)];
        if (recompute == parallel::Recompute::Full)
            perDocument += ofLayer;
        else if (core && recompute == parallel::Recompute::Selective)
            perDocument += ofCore;
    }
    Flops products{};
    for (const parallel::Recompute recompute : parallel::kAllRecompute)
        products += repeatedProducts(plan, workload.dense, recompute) * counts.dense[std::size_t(recompute)]
            + repeatedProducts(plan, workload.moe, recompute) * counts.moe[std::size_t(recompute)];
    const double documents = tokensPerStep(plan) / length;
    return perDocument * documents + products * (double(plan.training.globalBatch) / plan.strategy.microBatch);
}

/// `peak`: of each rank, in the mean.
void rate(const plan::Plan& plan, FlopsPerSecond peak, const workload::Workload& workload, Estimate& e)
{
    const double step = e.step.value();
    const int ranks = rankCount(plan.strategy);
    e.tokensPerSecond = tokensPerStep(plan) / step;
    const Flops model = modelFlops(plan);
    e.perAccelerator = model / (e.step * ranks);
    e.mfu = e.perAccelerator / peak;
    e.causalShare = 1 - maskedFlops(plan).value() / model.value();
    e.hfu = (model + recomputedFlops(plan, workload)) / (e.step * ranks) / peak;
}

/// From comparable measured cases, or as the profile states it.
void findRange(const plan::Plan& plan, const EstimateOptions& options, Estimate& e)
{
    e.stepLow = e.stepHigh = e.step;
    e.memory.peakLow = e.memory.peakHigh = e.memory.peak;
    if (!options.range)
        return;
    const RangeFactors factors = options.evidence->times.range(plan, options.filled);
    e.stepLow = e.step * factors.low;
    e.stepHigh = e.step * factors.high;
    const RangeFactors ofPeak = options.evidence->peaks.asMeasured(plan, options.filled);
    e.memory.peakLow = e.memory.peak * ofPeak.low;
    e.memory.peakHigh = e.memory.peak * ofPeak.high;
    e.extrapolates = options.evidence->times.extrapolations(plan, *options.catalog);
}

/// The breakdown of every stage. `stretched`: by stragglers.
void breakDown(const pricing::PricedStages& priced, double stretched, Estimate& e)
{
    const int microBatches = priced.workload.microBatches;
    const std::vector<Seconds> reductions = exposedReductions(e.pipeline, e.step);
    const std::vector<Seconds> saved = savedInPairs(e.pipeline);
    e.stages.reserve(priced.costs.size());
    for (std::size_t i = 0; i < priced.costs.size(); ++i) {
        pricing::StageCost cost = priced.costs[i];
        e.gradients.push_back(cost.end.gradients);
        e.gathered.push_back(cost.end.gathered);
        const Seconds hidden = std::min(
            (e.pipeline.stages[i].gradientSync - reductions[i]) * (1 / stretched), cost.end.gradientSync.exposed);
        cost.end.gradientSync.exposed -= hidden;
        cost.end.gradientSync.hidden += hidden;
        pricing::Breakdown& stage =
            e.stages.emplace_back(breakdown(cost, microBatches, e.step * (1 - 1 / stretched), e.step));
        hideInPairs(stage, saved[i] * (1 / stretched), e.step);
        // Transfers on the stream of the passes are a part of the stage's time that no pass accounts for.
        const Seconds blocked = std::min(stage.bubble, blockingTransfers(e.pipeline, int(i)) * microBatches);
        stage.bubble -= blocked;
        stage.exposed.pp += blocked;
        stage.hidden.pp = std::max(Seconds{}, stage.hidden.pp - blocked);
    }
}

/// Where they run, and what they send each other.
void placeStages(const plan::Plan& plan, const pricing::PricedStages& priced, Estimate& e)
{
    e.boundaries = priced.boundaries;
    for (const plan::StageNodes& nodes : stageNodes(plan))
        for (int stage = nodes.first; stage <= nodes.last; ++stage) {
            e.stageNodes.emplace_back();
            for (const std::size_t place : nodes.groups)
                e.stageNodes.back().push_back(plan.cluster.nodes[place].id);
        }
}

plan::Problem beyondNumbers()
{
    plan::Problem problem;
    problem.code = plan::ProblemCode::NotEstimable;
    problem.where = "/cluster";
    problem.cause = plan::ProblemCause::NotFinite;
    return problem;
}

/// What mends broken rules, and the pace of a plan that keeps them.
void addRemedies(const plan::Plan& plan, const std::optional<StepNow>& now, const EstimateOptions& options,
    std::vector<plan::Problem>& problems)
{
    if (!options.remedies)
        return;
    addRuleRemedies(plan, now, options, problems);
    addSoftwareRemedies(plan, *options.catalog, problems);
    addLinkRemedies(plan, *options.catalog, problems);
    if (now)
        addSpeedRemedies(plan, *now, options, problems);
}

/// Those that take a catalogue to know, too.
std::vector<plan::Problem> brokenRules(const plan::Plan& plan, const catalog::Catalog& catalog)
{
    std::vector<plan::Problem> problems = check(plan, {.remedies = false});
    judgeLinks(plan, catalog, problems);
    return problems;
}

tl::unexpected<std::vector<plan::Problem>> stopped()
{
    return tl::unexpected(std::vector<plan::Problem>());
}

/// Why the plan has no estimate, with edits against it if they are asked for.
tl::unexpected<std::vector<plan::Problem>> refused(
    std::vector<plan::Problem> reasons, const plan::Plan& plan, const EstimateOptions& options)
{
    addRemedies(plan, std::nullopt, options, reasons);
    if (options.remedies)
        for (plan::Problem& reason : reasons)
            if (reason.code == plan::ProblemCode::NotEstimable)
                reason.remedies = partitionRemedies(plan, reason, options);
    if (options.stop.stop_requested())
        return stopped();
    return tl::unexpected(std::move(reasons));
}

void judgeWaits(const plan::Plan& plan, const EstimateOptions& options,
    const std::vector<pricing::PricedReplicas>& priced, cost::Fleet& fleet, Estimate& e)
{
    if (!options.waits)
        return;
    if (auto wait = waitOnUnlikeNodes(plan, priced, e.step, fleet, options.stop))
        addBySeverity(e.problems, *std::move(wait));
}

plan::Problem tooLong(const pipeline::PipelineWork& work)
{
    plan::Problem problem;
    problem.code = plan::ProblemCode::PipelineTooLong;
    problem.severity = plan::Severity::Warning;
    problem.where = "/strategy/schedule";
    problem.found = work.microBatches;
    problem.limit = double(work.stages.size());
    return problem;
}

void judgeMemory(const plan::Plan& plan, const EstimateOptions& options, Estimate& e)
{
    const bool hostFits = e.memory.fitsHost();
    e.fits = e.memory.fitsAccelerator() && hostFits;
    plan::Problem problem;
    if (!hostFits) {
        problem.code = plan::ProblemCode::OutOfHostMemory;
        problem.severity = plan::Severity::Error;
        problem.where = "/strategy/offload";
        problem.found = e.memory.hostPeak.value();
        problem.limit = e.memory.hostCapacity.value();
        e.problems.insert(e.problems.begin(), problem);
    }
    if (e.memory.peak <= e.memory.capacity * kPressure)
        return;
    const bool fits = e.memory.fitsAccelerator();
    problem.code = fits ? plan::ProblemCode::MemoryPressure : plan::ProblemCode::OutOfMemory;
    problem.severity = fits ? plan::Severity::Warning : plan::Severity::Error;
    problem.where = "/strategy";
    problem.found = e.memory.peak.value();
    problem.limit = e.memory.capacity.value();
    problem.stage = e.memory.peakStage;
    if (!fits && options.remedies)
        problem.remedies = memoryRemedies(plan, e, options);
    e.problems.insert(e.problems.begin(), std::move(problem));
}

/// What the slowest replicas say of it.
Estimate pacedBy(const plan::Plan& asked, const pricing::PricedReplicas& replicas, const pipeline::Makespan& span)
{
    Estimate e;
    e.strategy = asked.strategy;
    e.settled = replicas.plan.strategy;
    e.settled.replicaMicroBatches = asked.strategy.replicaMicroBatches;
    e.pipeline = replicas.work;
    e.step = span.seconds;
    return e;
}

} // namespace

tl::expected<Estimate, std::vector<plan::Problem>> estimate(const plan::Plan& asked, const EstimateOptions& options)
{
    std::vector<plan::Problem> problems = brokenRules(asked, *options.catalog);
    if (hasErrors(problems))
        return refused(std::move(problems), asked, options);
    if (std::vector<plan::Problem> reasons = pricing::notEstimable(asked); !reasons.empty())
        return refused(std::move(reasons), asked, options);

    cost::Fleet fleet(asked, *options.catalog);
    const auto replicas = pricing::priceReplicas(asked, fleet, options.stop);
    if (options.stop.stop_requested())
        return stopped();
    if (!replicas)
        return refused({replicas.error()}, asked, options);
    std::vector<pipeline::Makespan> spans;
    for (const pricing::PricedReplicas& kind : *replicas)
        spans.push_back(makespan(kind.work));
    const auto slowest = std::ranges::max_element(spans, {}, &pipeline::Makespan::seconds);
    const pricing::PricedReplicas& pacing = (*replicas)[std::size_t(slowest - spans.begin())];

    Estimate e = pacedBy(asked, pacing, *slowest);
    e.problems = std::move(problems);
    judgeWaits(asked, options, *replicas, fleet, e);
    if (!std::isfinite(e.step.value()) || e.step.value() <= 0)
        return tl::unexpected(std::vector{beyondNumbers()});
    breakDown(pacing.stages, pricing::stretch(pacing.plan, fleet.whole(asked.strategy).machine), e);
    e.breakdown = e.stages[std::size_t(slowest->criticalStage)];
    e.memory = memoryOf(*replicas);
    e.replicas = replicaSteps(asked, *replicas, spans);
    placeStages(pacing.plan, pacing.stages, e);
    rate(pacing.plan, fleet.meanPeak(asked.strategy), pacing.stages.workload, e);
    findRange(pacing.plan, options, e);
    if (slowest->bound)
        e.problems.insert(e.problems.begin(), tooLong(e.pipeline));
    judgeMemory(asked, options, e);
    addRemedies(asked, StepNow{e.step, e.fits}, options, e.problems);
    if (options.stop.stop_requested()) // some remedies may be missing
        return stopped();
    return e;
}

} // namespace stratoplan::estimate
