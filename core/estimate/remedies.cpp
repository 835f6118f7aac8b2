// SPDX-License-Identifier: Apache-2.0
#include "core/estimate/remedies.h"

#include "core/plan/dimensions.h"
#include "core/plan/rules.h"
#include "core/pricing/divided_layers.h"
#include "core/pricing/limits.h"
#include "core/pricing/pricing_context.h"
#include "core/pricing/strategy_price.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace stratoplan::estimate {
namespace {

/// Each higher value of one degree that takes its ranks from the replicas; of those that are no power of two, too.
/// Where accelerators are idle, those that take these, too.
void addDegrees(std::vector<plan::Remedy>& edits, const plan::Plan& plan, int parallel::Strategy::*degree,
    plan::EditKind kind, plan::Dimension field)
{
    const parallel::Strategy& base = plan.strategy;
    const long long shared = static_cast<long long>(base.*degree) * base.dp;
    // The best division of a layer over many ranks takes seconds to find.
    const long long most = pricing::dividesLayers(base) ? 4LL * base.*degree : shared;
    if (rankCount(base) < acceleratorCount(plan.cluster)) {
        kind = plan::EditKind::ValueAndReplicas; // both ways, to be told apart
        for (const int value : offeredValues(plan, field)) {
            if (value <= base.*degree || (pricing::dividesLayers(base) && value > most))
                continue;
            edits.push_back({kind, field, withValue(plan, field, value)});
        }
    }
    for (long long value = base.*degree + 1; value <= std::min(most, shared); ++value) {
        if (shared % value != 0)
            continue;
        plan::Remedy edit{kind, field, base};
        edit.strategy.*degree = static_cast<int>(value);
        edit.strategy.dp = static_cast<int>(shared / value);
        if (std::ranges::find(edits, edit.strategy, &plan::Remedy::strategy) == edits.end())
            edits.push_back(std::move(edit));
    }
}

std::vector<plan::Remedy> singleEdits(const plan::Plan& plan)
{
    using enum plan::EditKind;
    using parallel::Recompute, parallel::Strategy, plan::Dimension;
    const Strategy& s = plan.strategy;
    std::vector<plan::Remedy> edits;
    const auto add = [&](plan::EditKind kind, Dimension field, auto change) {
        plan::Remedy edit{kind, field, s};
        change(edit.strategy);
        edits.push_back(std::move(edit));
    };
    if (s.recompute == Recompute::None)
        add(SelectiveRecomputation, Dimension::Recompute, [](Strategy& e) { recomputeAll(e, Recompute::Selective); });
    if (s.recompute != Recompute::Full || mixesRecompute(s))
        add(FullRecomputation, Dimension::Recompute, [](Strategy& e) { recomputeAll(e, Recompute::Full); });
    if (s.tp > 1 && !s.sequenceParallel)
        add(SequenceParallelOn, Dimension::SequenceParallel, [](Strategy& e) { e.sequenceParallel = true; });
    if (s.zeroStage < 1 && s.dp * s.cp > 1)
        add(Value, Dimension::ZeroStage, [](Strategy& e) { e.zeroStage = 1; });
    if (s.zeroStage > 0 && s.zeroShards > 0 && s.zeroShards < s.dp * s.cp)
        add(AllReplicas, Dimension::ZeroShards, [](Strategy& e) { e.zeroShards = 0; });
    if (s.zeroStage < 3 && s.dp * s.cp > 1 && s.pp == 1)
        add(Value, Dimension::ZeroStage, [](Strategy& e) { e.zeroStage = 3; });
    for (const auto& [offload, kind] : {std::pair{parallel::Offload::Activations, OffloadActivations},
             {parallel::Offload::Optimizer, OffloadOptimizer}})
        if (s.offload == parallel::Offload::None)
            add(kind, Dimension::Offload, [offload = offload](Strategy& e) { e.offload = offload; });
    for (int b = s.microBatch / 2; b >= 1; b /= 2)
        add(LowerMicroBatch, Dimension::MicroBatch, [b](Strategy& e) { e.microBatch = b; });
    addDegrees(edits, plan, &Strategy::pp, RaisePp, Dimension::Pp);
    addDegrees(edits, plan, &Strategy::tp, RaiseTp, Dimension::Tp);
    addDegrees(edits, plan, &Strategy::cp, ValueAndReplicas, Dimension::Cp);
    // Experts are spread over ranks that the other degrees already use.
    for (const int ep : offeredValues(plan, Dimension::Ep))
        if (ep > s.ep)
            add(RaiseEp, Dimension::Ep, [ep](Strategy& e) { e.ep = ep; });
    return edits;
}

using plan::kMostRemedies;
constexpr std::string_view kOperatorPartitions = "/strategy/operator_partitions";

/// Other degrees of a tensor-parallel group that has something to divide, nearest by ratio first.
std::vector<plan::Remedy> otherTps(const plan::Plan& plan)
{
    std::vector<int> values = offeredValues(plan, plan::Dimension::Tp);
    std::erase(values, 1);
    const auto distance = [&](int tp) { return std::abs(std::log(double(tp) / plan.strategy.tp)); };
    std::ranges::stable_sort(values, {}, distance);
    std::vector<plan::Remedy> edits;
    for (const int tp : values) {
        const parallel::Strategy changed = withValue(plan, plan::Dimension::Tp, tp);
        const bool follow = changed.dp != plan.strategy.dp;
        edits.push_back(
            {follow ? plan::EditKind::ValueAndReplicas : plan::EditKind::Value, plan::Dimension::Tp, changed});
    }
    return edits;
}

/// All layers recomputed in one way, in that of the plan first.
std::vector<plan::Remedy> oneRecompute(const plan::Plan& plan)
{
    using parallel::Recompute;
    using enum plan::EditKind;
    std::vector<plan::Remedy> edits;
    for (const auto& [recompute, kind] : {std::pair{Recompute::Full, FullRecomputation},
             {Recompute::Selective, SelectiveRecomputation}, {Recompute::None, NoRecomputation}}) {
        plan::Remedy edit{kind, plan::Dimension::Recompute, plan.strategy};
        recomputeAll(edit.strategy, recompute);
        edits.insert(recompute == plan.strategy.recompute ? edits.begin() : edits.end(), std::move(edit));
    }
    return edits;
}

/// What changes the choice that a spatial-temporal partition cannot be had with.
std::vector<plan::Remedy> editsAgainst(const plan::Problem& problem, const plan::Plan& plan)
{
    using enum plan::ProblemCause;
    using enum plan::EditKind;
    std::vector<plan::Remedy> edits;
    parallel::Strategy s = plan.strategy;
    if (problem.where.starts_with(kOperatorPartitions)) {
        s.operatorPartitions.clear();
        edits.push_back({NoPartitionsNamed, {}, s});
    } else if (problem.cause == PartitionUnlikeRecompute)
        edits = oneRecompute(plan);
    else if (problem.cause == PartitionUnlikeStages) {
        s.stageTp.clear();
        edits.push_back({SameTp, {}, s});
    } else if (problem.cause == PartitionGroup || problem.cause == PartitionNone || problem.cause == PartitionOneRank)
        edits = otherTps(plan);
    return edits;
}

/// Partitions that are named are judged as they are priced; the best one, which takes a search, can be found.
bool canBeEstimated(plan::Plan plan, const parallel::Strategy& changed, const EstimateOptions& options)
{
    plan.strategy = changed;
    if (!changed.operatorPartitions.empty())
        return estimate(
            plan, {.remedies = false, .waits = false, .range = false, .catalog = options.catalog, .stop = options.stop})
            .has_value();
    return !hasErrors(check(plan, {.remedies = false})) && pricing::notEstimable(plan).empty();
}

/// Another strategy that is legal, faster than the plan's own, and fits where that does.
std::optional<plan::Remedy> faster(pricing::PricingContext& context, plan::Plan plan, const StepNow& now,
    plan::EditKind kind, const parallel::Strategy& other)
{
    plan.strategy = other;
    if (hasErrors(check(plan, {.remedies = false})))
        return std::nullopt;
    const auto then = price(context, other, pricing::PipelineTime::Simulated);
    if (!then || then->step >= now.step * (1 - kWorthTelling) || (now.fits && !then->fits))
        return std::nullopt;
    plan::Remedy remedy{kind, {}, other};
    remedy.gain = plan::RemedyGain{.slower = then->step / now.step - 1};
    remedy.lacksMemory = !then->fits;
    return remedy;
}

/// Part of the way from one number of layers of each stage to others of as many in all.
std::vector<int> layersTowards(const std::vector<int>& from, const std::vector<int>& to, double share)
{
    std::vector<int> moved(from.size());
    for (std::size_t i = 0; i < from.size(); ++i)
        moved[i] = int((to[i] - from[i]) * share); // towards 0
    int beyond = std::accumulate(moved.begin(), moved.end(), 0);
    for (std::size_t i = moved.size(); i-- > 0;) {
        const int back = beyond > 0 ? std::clamp(moved[i], 0, beyond) : std::clamp(moved[i], beyond, 0);
        moved[i] -= back;
        beyond -= back;
    }
    for (std::size_t i = 0; i < from.size(); ++i)
        moved[i] += from[i];
    return moved;
}

/// Layers by the speed of the stages, or as near to these as helps; nothing where none do.
std::optional<plan::Remedy> layersBySpeed(
    pricing::PricingContext& context, const plan::Plan& plan, const StepNow& now, const std::stop_token& stop)
{
    const std::vector<int> even = stageLayers(plan.strategy, plan.model.layers);
    const std::vector<int> balanced = stageLayers(withBalancedLayers(context, plan.strategy), plan.model.layers);
    for (const double share : {1.0, 0.75, 0.5, 0.25}) {
        const std::vector<int> layers = layersTowards(even, balanced, share);
        if (layers == even || stop.stop_requested())
            break;
        parallel::Strategy other = plan.strategy;
        pricing::setStageLayers(other, layers, plan.model.layers);
        if (auto remedy = faster(context, plan, now, plan::EditKind::LayersBySpeed, other))
            return remedy;
    }
    return std::nullopt;
}

} // namespace

std::vector<plan::Remedy> partitionRemedies(
    const plan::Plan& plan, const plan::Problem& problem, const EstimateOptions& options)
{
    const bool isAlone = problem.where == "/strategy/tp" && problem.cause == plan::ProblemCause::PartitionOneRank;
    if (!isAlone && !problem.where.starts_with(kOperatorPartitions) && problem.where != "/strategy/tensor_partition")
        return {};
    std::vector<plan::Remedy> edits = editsAgainst(problem, plan);
    const auto isWrong = [&](const plan::Remedy& edit) { return !canBeEstimated(plan, edit.strategy, options); };
    std::erase_if(edits, isWrong);
    if (edits.size() >= kMostRemedies)
        edits.erase(edits.begin() + kMostRemedies - 1, edits.end());
    const plan::Remedy megatron{plan::EditKind::MegatronPartition, {}, asMegatron(plan.strategy)};
    if (pricing::dividesLayers(plan.strategy) && !isWrong(megatron))
        edits.push_back(megatron);
    return edits;
}

std::vector<plan::Remedy> memoryRemedies(
    const plan::Plan& plan, const Estimate& current, const EstimateOptions& options)
{
    struct Found {
        plan::Remedy remedy;
        Seconds step;
    };
    std::vector<Found> found;
    for (plan::Remedy& edit : singleEdits(plan)) {
        if (options.stop.stop_requested())
            break;
        plan::Plan changed = plan;
        changed.strategy = edit.strategy;
        const auto answer = estimate(changed,
            {.remedies = false, .waits = false, .range = false, .catalog = options.catalog, .stop = options.stop});
        if (!answer || !answer->fits)
            continue;
        const double time = answer->step / current.step - 1;
        edit.gain = plan::RemedyGain{current.memory.peak - answer->memory.peak, time};
        found.push_back({std::move(edit), answer->step});
    }
    std::ranges::stable_sort(found, {}, &Found::step);
    std::vector<plan::Remedy> remedies;
    for (Found& next : found) {
        const auto isAlike = [&next](const plan::Remedy& remedy) {
            using enum plan::Dimension;
            const bool isDegree = remedy.dimension == Tp || remedy.dimension == Pp || remedy.dimension == Cp;
            return remedy.dimension == next.remedy.dimension && (isDegree || remedy.edit == next.remedy.edit);
        };
        if (remedies.size() < kMostRemedies && std::none_of(remedies.begin(), remedies.end(), isAlike))
            remedies.push_back(std::move(next.remedy));
    }
    return remedies;
}

void addSoftwareRemedies(const plan::Plan& plan, const catalog::Catalog& catalog, std::vector<plan::Problem>& problems)
{
    constexpr std::size_t kAnyVendor = 1000;
    std::vector<const plan::SoftwareProfile*> profiles;
    for (const plan::SoftwareProfile& software : catalog.software)
        if (runsOnAll(software, plan.cluster))
            profiles.push_back(&software);
    std::ranges::stable_sort(profiles, {},
        [](const auto* software) { return software->vendors.empty() ? kAnyVendor : software->vendors.size(); });
    plan::KnownGaps known;
    for (plan::Problem& problem : problems) {
        if (problem.code != plan::ProblemCode::SoftwareUnsupported || problem.cause != plan::ProblemCause::None)
            continue;
        for (const plan::SoftwareProfile* software : profiles) {
            plan::Remedy remedy{.edit = plan::EditKind::Software,
                .strategy = plan.strategy,
                .software = *software,
                .value = software->name};
            if (problem.remedies.size() < kMostRemedies && mends(plan, remedy, problem, problems, known))
                problem.remedies.push_back(std::move(remedy));
        }
    }
}

void addSpeedRemedies(
    const plan::Plan& plan, const StepNow& now, const EstimateOptions& options, std::vector<plan::Problem>& problems)
{
    for (plan::Problem& problem : problems) {
        if (problem.code != plan::ProblemCode::UnlikeNodes)
            continue;
        pricing::PricingContext context(plan, *options.catalog);
        const auto offer = [&problem](std::optional<plan::Remedy> remedy) {
            if (remedy)
                problem.remedies.push_back(*std::move(remedy));
        };
        if (problem.cause == plan::ProblemCause::None) {
            parallel::Strategy usual = plan.strategy;
            usual.rankOrder = parallel::Strategy{}.rankOrder;
            offer(faster(context, plan, now, plan::EditKind::UsualRankOrder, usual));
        }
        if (plan.strategy.stageLayers.empty())
            offer(layersBySpeed(context, plan, now, options.stop));
        if (const parallel::Strategy divided = withBalancedBatch(context, plan.strategy); divided != plan.strategy)
            offer(faster(context, plan, now, plan::EditKind::BatchBySpeed, divided));
        if (!std::ranges::all_of(problem.remedies, &plan::Remedy::lacksMemory))
            std::erase_if(problem.remedies, [](const plan::Remedy& remedy) { return remedy.lacksMemory; });
        std::ranges::stable_sort(
            problem.remedies, {}, [](const plan::Remedy& r) { return r.gain ? r.gain->slower : 0; });
        problem.remedies.resize(std::min(problem.remedies.size(), kMostRemedies));
    }
}

} // namespace stratoplan::estimate
