// SPDX-License-Identifier: Apache-2.0
#include "core/estimate/partitions.h"

#include "core/cost/fleet.h"
#include "core/estimate/estimate.h"
#include "core/estimate/remedies.h"
#include "core/partition/usual_ways.h"
#include "core/pricing/best_partition.h"
#include "core/pricing/layer_experts.h"
#include "core/pricing/limits.h"

#include <algorithm>
#include <chrono>

namespace stratoplan::estimate {
namespace {

using Partitions = std::vector<parallel::OperatorPartition>;
using Estimated = tl::expected<PartitionEstimate, std::vector<plan::Problem>>;
using Answered = tl::expected<PartitionAnswer, std::vector<plan::Problem>>;

/// Of a plan that can be priced, with the partition that it names.
Estimated estimated(
    plan::Plan plan, const cost::Machine& machine, const catalog::Catalog& catalog, const std::stop_token& stop)
{
    const auto e =
        estimate(plan, {.remedies = false, .waits = false, .range = false, .catalog = &catalog, .stop = stop});
    if (!e)
        return tl::unexpected(e.error());
    plan.strategy = e->settled;
    PartitionEstimate found{e->step, e->memory.peak, e->fits, e->settled, pricing::dividedLayers(plan, machine)->any()};
    addExperts(pricing::layerExperts(plan, machine), found.layer);
    return found;
}

void hideTensorTraffic(partition::PassPrice& pass, double share)
{
    const Seconds hidden = (pass.exposed - pass.context.exposed) * share;
    pass.exposed -= hidden;
    pass.hidden += hidden;
}

/// The share of what tensor-parallel ranks exchange that the software hides behind products.
void hideTensorTraffic(partition::PassPrices& passes, double share)
{
    for (partition::PassPrice* const pass : {&passes.forward, &passes.backward, &passes.repeated})
        hideTensorTraffic(*pass, share);
}

class Answering {
public:
    Answering(const plan::Plan& plan, const PartitionOptions& options)
        : m_plan(plan)
        , m_options(options)
        , m_catalog(*options.catalog)
        , m_machine(cost::Fleet(plan, m_catalog).whole(plan.strategy).machine)
        , m_layer(m_plan, m_machine, options.stop, [this](double share) { report(share); })
    {
    }

    [[nodiscard]] Answered answer()
    {
        plan::Plan open = m_plan;
        open.strategy.operatorPartitions.clear();
        Answered answer = m_options.known ? *m_options.known : withoutFront(open);
        if (!answer)
            return answer;
        if (m_options.bestKnown && !m_options.known)
            m_options.bestKnown(*answer);
        begin(PartitionPhase::Front);
        front(*answer);
        if (m_options.compareUnlikeLayers) {
            if (m_options.bestKnown && !m_options.stop.stop_requested())
                m_options.bestKnown(*answer);
            begin(PartitionPhase::UnlikeLayers);
            answer->unlike =
                unlikeLayers(open, m_machine, m_layer, m_options.stop, [this](double share) { report(share); });
        }
        if (m_options.stop.stop_requested())
            return stopped();
        report(1);
        return answer;
    }

private:
    [[nodiscard]] static Answered stopped() { return tl::unexpected(std::vector<plan::Problem>()); }

    [[nodiscard]] Answered withoutFront(const plan::Plan& open)
    {
        begin(PartitionPhase::Best);
        const pricing::Terms terms = pricing::terms(open, m_machine, m_layer.fastest().seconds);
        const partition::Division& best = m_layer.best(terms);
        if (m_options.stop.stop_requested())
            return stopped();
        PartitionAnswer answer;
        answer.spent = Seconds(std::chrono::duration<double>(std::chrono::steady_clock::now() - m_start).count());
        answer.ranks = m_plan.strategy.tp;
        answer.rankOfDomain = m_layer.division().layouts().place().span.inside;
        for (const std::vector<partition::State>& states : m_layer.programme().states())
            answer.states.push_back(int(states.size()));
        begin(PartitionPhase::Comparison);
        auto ofBest = divided(m_layer.inWords(best));
        if (!ofBest)
            return tl::unexpected(ofBest.error());
        answer.best = std::move(*ofBest);
        answer.isLeanest = !answer.best.fits && peak(terms, best) > terms.capacity;
        compare(answer);
        if (m_options.stop.stop_requested())
            return stopped();
        return answer;
    }

    /// A front takes as long as all that comes before it, or longer.
    void begin(PartitionPhase phase)
    {
        m_phase = phase;
        m_begin = m_share;
        report(0);
    }
    void report(double ofPhase)
    {
        const double end = m_phase < PartitionPhase::Front                      ? 0.5
            : m_phase == PartitionPhase::Front && m_options.compareUnlikeLayers ? 0.75
                                                                                : 1;
        m_share = std::max(m_share, m_begin + ofPhase * (end - m_begin)); // parts of a phase count anew
        if (m_options.progress)
            m_options.progress({m_phase, m_share});
    }
    [[nodiscard]] Estimated divided(const Partitions& partitions) const
    {
        plan::Plan plan = m_plan;
        plan.strategy.operatorPartitions = partitions;
        return estimated(std::move(plan), m_machine, m_catalog, m_options.stop);
    }

    /// Megatron's step is that of its own strategy; its operators are those of the same cuts here, with as much of
    /// their traffic hidden as its step has.
    [[nodiscard]] Estimated megatron(bool sequenceParallel, const pricing::LayerExperts& experts) const
    {
        plan::Plan plan = m_plan;
        plan.strategy = asMegatron(std::move(plan.strategy));
        plan.strategy.sequenceParallel = sequenceParallel;
        const auto e = estimate(plan, {.remedies = false, .waits = false, .range = false, .catalog = &m_catalog});
        if (!e)
            return tl::unexpected(e.error());
        const pricing::LayerDivision& division = m_layer.division();
        auto layer = pricedLayer(division.block(),
            megatronWays(division.block(), division.pricing().bits, sequenceParallel), division.pricing());
        if (!layer)
            return tl::unexpected(std::vector<plan::Problem>());
        for (partition::PricedOperator& op : layer->operators)
            hideTensorTraffic(op.passes, plan.training.software.tpOverlap);
        hideTensorTraffic(layer->passes, plan.training.software.tpOverlap);
        addExperts(experts, *layer);
        return PartitionEstimate{e->step, e->memory.peak, e->fits, plan.strategy, *layer};
    }

    void compare(PartitionAnswer& answer) const
    {
        plan::Plan best = m_plan;
        best.strategy = answer.best.strategy;
        const pricing::LayerExperts experts = pricing::layerExperts(best, m_machine); // in every partition the same
        const auto isBetter = [&](const PartitionEstimate& a, const PartitionEstimate& b) {
            constexpr double kAlike = 0.01; // of the step: then the one that needs less memory
            if (a.fits != b.fits)
                return a.fits;
            const bool areAlike =
                std::abs(a.step / b.step - 1) <= kAlike && (a.step <= answer.best.step) == (b.step <= answer.best.step);
            return areAlike ? a.peak < b.peak : a.step < b.step;
        };
        for (const bool sequenceParallel : {false, true}) {
            Estimated found = megatron(sequenceParallel, experts);
            if (!found) {
                if (!sequenceParallel)
                    answer.megatronProblems = std::move(found.error());
                continue;
            }
            std::optional<PartitionEstimate> other = std::move(*found);
            if (!answer.megatron || isBetter(*other, *answer.megatron)) {
                std::swap(answer.megatron, other);
                answer.sequenceParallel = sequenceParallel;
            }
            answer.otherMegatron = std::move(other);
        }
        const pricing::LayerDivision& division = m_layer.division();
        if (auto sequences = divided(sequenceWays(division.block(), division.pricing().bits)))
            answer.dataParallel = std::move(*sequences);
    }

    void front(PartitionAnswer& answer)
    {
        answer.isWholeFront = answer.ranks <= pricing::kQuicklyDivided;
        if (!answer.isWholeFront)
            (void)m_layer.fastest(); // some of it begins there
        std::vector<PartitionEstimate> all{answer.best};
        for (const pricing::MemoryForms& memory : pricing::memoryForms(m_plan))
            for (const partition::Division& division :
                answer.isWholeFront ? m_layer.front(memory) : m_layer.someOfFront(memory))
                if (auto point = divided(m_layer.inWords(division)))
                    all.push_back(std::move(*point));
        std::ranges::sort(all, [](const PartitionEstimate& a, const PartitionEstimate& b) {
            return a.step != b.step ? a.step < b.step : a.peak < b.peak;
        });
        for (PartitionEstimate& point : all)
            if (answer.front.empty() || point.peak < answer.front.back().peak)
                answer.front.push_back(std::move(point));
    }

    std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
    const plan::Plan& m_plan;
    const PartitionOptions& m_options;
    const catalog::Catalog& m_catalog;
    PartitionPhase m_phase = PartitionPhase::States;
    double m_begin = 0, m_share = 0; ///< of all work: where the phase began, and now
    cost::Machine m_machine;
    mutable pricing::PlanProgramme m_layer;
};

plan::Problem nothingToDivide()
{
    plan::Problem problem;
    problem.code = plan::ProblemCode::NotEstimable;
    problem.where = "/strategy/tp";
    problem.cause = plan::ProblemCause::PartitionOneRank;
    return problem;
}

/// Why the plan, asked to be divided, has no answer, with edits against it after which it has one. That of a plan with
/// Megatron's partition keeps it.
tl::unexpected<std::vector<plan::Problem>> refused(
    std::vector<plan::Problem> reasons, const plan::Plan& asked, const catalog::Catalog& catalog)
{
    const parallel::TensorPartition partition = asked.strategy.tensorPartition;
    plan::Plan divided = asked;
    divided.strategy.tensorPartition = parallel::TensorPartition::SpatialTemporal;
    for (plan::Problem& reason : reasons) {
        reason.remedies = partitionRemedies(divided, reason, {.catalog = &catalog});
        std::erase_if(reason.remedies, [&](plan::Remedy& remedy) {
            if (remedy.edit == plan::EditKind::MegatronPartition)
                return partition == parallel::TensorPartition::Megatron;
            divided.strategy = remedy.strategy;
            remedy.strategy.tensorPartition = partition;
            return !notDivisible(divided).empty();
        });
    }
    return tl::unexpected(std::move(reasons));
}

/// The plan divided in space and time, or the problems that keep it from being priced: partitions of operators that its
/// own estimate would refuse among them.
tl::expected<plan::Plan, std::vector<plan::Problem>> spatialTemporal(
    const plan::Plan& asked, const catalog::Catalog& catalog)
{
    plan::Plan plan = asked;
    const std::optional<plan::Problem> unused = pricing::unusedPartitions(plan.strategy);
    plan.strategy.tensorPartition = parallel::TensorPartition::SpatialTemporal;
    if (std::vector<plan::Problem> problems = check(plan, {.remedies = false}); hasErrors(problems))
        return tl::unexpected(std::move(problems));
    if (unused)
        return refused({*unused}, asked, catalog);
    if (std::vector<plan::Problem> reasons = notDivisible(plan); !reasons.empty())
        return refused(std::move(reasons), asked, catalog);
    if (std::vector<plan::Problem> reasons = pricing::notEstimable(plan); !reasons.empty())
        return refused(std::move(reasons), asked, catalog);
    return plan;
}

} // namespace

const PartitionEstimate* PartitionAnswer::faster() const
{
    const auto found = std::ranges::find_if(front, &PartitionEstimate::fits);
    return found != front.end() && (!best.fits || found->step < best.step) ? &*found : nullptr;
}

const PartitionEstimate& PartitionAnswer::fastest() const
{
    const PartitionEstimate* const ofFront = faster();
    return ofFront != nullptr ? *ofFront : best;
}

const PartitionEstimate* PartitionAnswer::otherMegatronOf(const parallel::Strategy& strategy) const
{
    const bool isOther = strategy.tensorPartition == parallel::TensorPartition::Megatron
        && strategy.sequenceParallel != sequenceParallel;
    return isOther && otherMegatron ? &*otherMegatron : nullptr;
}

bool PartitionAnswer::prefersMegatron() const
{
    return megatron && megatron->fits && fastest().fits && megatron->step <= fastest().step;
}

bool PartitionAnswer::dividesAsMegatron() const
{
    return megatron && !best.layer.operators.empty()
        && std::ranges::equal(best.layer.operators, megatron->layer.operators, {}, &partition::PricedOperator::chosen,
            &partition::PricedOperator::chosen);
}

std::vector<plan::Problem> notDivisible(plan::Plan plan)
{
    using enum plan::ProblemCause;
    const bool isAlone = plan.strategy.tp == 1;
    if (isAlone)
        plan.strategy.tp = 2; // what no TP changes is told first
    plan.strategy.tensorPartition = parallel::TensorPartition::SpatialTemporal;
    std::vector<plan::Problem> reasons = pricing::notEstimable(plan);
    std::erase_if(reasons, [&](const plan::Problem& p) {
        const bool isOfModel = p.cause == PartitionLatentAttention || p.cause == PartitionUnlikeLayers;
        return p.where != "/strategy/tensor_partition" || (isAlone && !isOfModel);
    });
    if (isAlone && reasons.empty())
        return {nothingToDivide()};
    return reasons;
}

tl::expected<PartitionAnswer, std::vector<plan::Problem>> partitions(
    const plan::Plan& asked, const PartitionOptions& options)
{
    const auto plan = spatialTemporal(asked, *options.catalog);
    if (!plan)
        return tl::unexpected(plan.error());
    if (options.progress)
        options.progress({});
    Answered answer = Answering(*plan, options).answer();
    if (!answer)
        return refused(std::move(answer.error()), asked, *options.catalog);
    return answer;
}

tl::expected<PartitionEstimate, std::vector<plan::Problem>> plannedPartition(
    const plan::Plan& asked, const catalog::Catalog& catalog, const std::stop_token& stop)
{
    const auto plan = spatialTemporal(asked, catalog);
    if (!plan)
        return tl::unexpected(plan.error());
    Estimated planned = estimated(*plan, cost::Fleet(*plan, catalog).whole(plan->strategy).machine, catalog, stop);
    if (!planned)
        return refused(std::move(planned.error()), asked, catalog);
    return planned;
}

} // namespace stratoplan::estimate
