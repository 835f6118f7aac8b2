// SPDX-License-Identifier: Apache-2.0
#include "core/sizing/sizing.h"

#include "core/plan/problem.h"
#include "core/search/found_plan.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace stratoplan::sizing {
namespace {

constexpr double kSecondsOfDay = 86'400;

plan::Plan withNodes(plan::Plan plan, int count)
{
    cluster::Cluster alone;
    alone.name = plan.cluster.name;
    const auto first = std::ranges::find_if(plan.cluster.nodes, cluster::takesPart);
    alone.nodes = {first != plan.cluster.nodes.end() ? *first : cluster::NodeGroup{}};
    alone.nodes.front().count = count;
    plan.cluster = std::move(alone);
    return plan;
}

class Sizing {
public:
    Sizing(const plan::Plan& plan, const plan::SearchSpace& space, const plan::CapacityInputs& inputs,
        const SizingOptions& options, const std::stop_token& stop)
        : m_plan(plan)
        , m_space(space)
        , m_inputs(inputs)
        , m_options(options)
        , m_stop(stop)
    {
    }

    std::optional<SizingAnswer> answer()
    {
        if (!(m_options.days > 0) || !(capacity::budgetTokens(m_plan, m_inputs) > 0))
            return std::nullopt;
        std::optional<SizingAnswer> fastest;
        int nodes = 1;
        for (; nodes <= m_options.mostNodes && !m_stop.stop_requested(); nodes *= 2) {
            if (auto found = best(nodes, plan::Objective::Throughput, {}); found && isWithin(*found)) {
                fastest = std::move(found);
                break;
            } else if (found && (!fastest || found->capacity.days.mid < fastest->capacity.days.mid)) {
                fastest = std::move(found);
            }
        }
        if (!fastest || !isWithin(*fastest))
            return fastest;
        return fewest(std::move(*fastest), nodes);
    }

private:
    [[nodiscard]] bool isWithin(const SizingAnswer& answer) const { return answer.capacity.days.mid <= m_options.days; }

    /// What it takes of those nodes, as long as a step may be.
    std::optional<SizingAnswer> best(int nodes, plan::Objective objective, Seconds longest)
    {
        const plan::Plan plan = withNodes(m_plan, nodes);
        plan::SearchSpace space = m_space;
        space.leaveIdle = true;
        search::SearchOptions options = m_options.search;
        options.objective = objective;
        options.longestStep = longest;
        options.keep = search::FrontKind::Best;
        const search::SearchResult result = search::search(plan, space, options, m_stop);
        if (!result.best)
            return std::nullopt;
        SizingAnswer found{planWith(plan, *result.best), {}, {}, false, result.proven};
        const int perNode = std::max(1, found.plan.cluster.nodes.front().acceleratorsPerNode);
        const int ranks = rankCount(found.plan.strategy);
        found.plan.cluster.nodes.front().count = (ranks + perNode - 1) / perNode;
        auto priced = estimate::estimate(found.plan, {.remedies = false, .waits = false});
        if (!priced)
            return std::nullopt;
        found.estimate = std::move(*priced);
        found.capacity = capacity::capacity(found.plan, found.estimate, m_inputs);
        found.isMet = isWithin(found);
        return found;
    }

    /// Fewer accelerators fail less often, so that their steps may take longer: until no fewer are found.
    SizingAnswer fewest(SizingAnswer known, int nodes)
    {
        constexpr int kMostRounds = 8;
        for (int round = 0; round < kMostRounds && !m_stop.stop_requested(); ++round) {
            const double steps = std::max(1.0, known.capacity.steps);
            const Seconds longest(m_options.days * kSecondsOfDay * known.capacity.goodput.share / steps);
            auto found = best(nodes, plan::Objective::Deadline, longest);
            if (!found || !found->isMet)
                break;
            const bool isFewer = found->capacity.used < known.capacity.used;
            if (isFewer || round == 0)
                known = std::move(*found);
            if (!isFewer)
                break;
        }
        return known;
    }

    const plan::Plan& m_plan;
    const plan::SearchSpace& m_space;
    const plan::CapacityInputs& m_inputs;
    const SizingOptions& m_options;
    const std::stop_token& m_stop;
};

} // namespace

std::optional<SizingAnswer> fewestFor(const plan::Plan& plan, const plan::SearchSpace& space,
    const plan::CapacityInputs& inputs, const SizingOptions& options, const std::stop_token& stop)
{
    return Sizing(plan, space, inputs, options, stop).answer();
}

plan::Plan planOn(plan::Plan plan, const catalog::NodePreset& nodes)
{
    cluster::NodeGroup group = nodes.node;
    group.id = "nodes";
    group.count = std::max(1, acceleratorCount(plan.cluster) / std::max(1, group.acceleratorsPerNode));
    plan.cluster = {};
    plan.cluster.name = nodes.name;
    plan.cluster.nodes = {std::move(group)};
    return plan;
}

std::optional<plan::Plan> withReplicas(plan::Plan plan, int replicas)
{
    cluster::Cluster alone;
    alone.name = plan.cluster.name;
    for (const cluster::NodeGroup& group : plan.cluster.nodes) {
        if (!cluster::takesPart(group))
            continue;
        const std::int64_t scaled = std::int64_t(group.count) * replicas;
        if (scaled % plan.strategy.dp != 0 || scaled / plan.strategy.dp > std::numeric_limits<int>::max())
            return std::nullopt;
        alone.nodes.push_back(group);
        alone.nodes.back().count = int(scaled / plan.strategy.dp);
    }
    plan.cluster = std::move(alone);
    plan.strategy.dp = replicas;
    return plan::hasErrors(plan::check(plan, {.remedies = false})) ? std::nullopt : std::optional(std::move(plan));
}

double tokensFor(double money, const plan::Plan& plan, const estimate::Estimate& estimate, plan::CapacityInputs inputs)
{
    // Cost rises with tokens, straight on but for whole steps and the least that is paid: between these by halves.
    inputs.steps = inputs.computeFlops = 0;
    const auto costOf = [&](double tokens) {
        inputs.tokens = tokens;
        const capacity::Capacity run = capacity::capacity(plan, estimate, inputs);
        return run.isPriced ? run.cost.mid : std::numeric_limits<double>::infinity();
    };
    const double step = tokensPerStep(plan);
    if (!(money > 0) || !(step > 0) || costOf(step) > money)
        return 0;
    double low = 1, high = 2; // steps
    constexpr double kMostSteps = 1e12;
    while (high < kMostSteps && costOf(high * step) <= money)
        low = std::exchange(high, 2 * high);
    while (high - low > 1) {
        const double middle = std::floor((low + high) / 2);
        (costOf(middle * step) <= money ? low : high) = middle;
    }
    return low * step;
}

} // namespace stratoplan::sizing
