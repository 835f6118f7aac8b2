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
constexpr int kMostRounds = 8;

cluster::NodeGroup firstNodes(const plan::Plan& plan)
{
    const auto first = std::ranges::find_if(plan.cluster.nodes, cluster::takesPart);
    return first != plan.cluster.nodes.end() ? *first : cluster::NodeGroup{};
}

plan::Plan withNodes(plan::Plan plan, int count)
{
    cluster::Cluster alone;
    alone.name = plan.cluster.name;
    alone.nodes = {firstNodes(plan)};
    alone.nodes.front().count = count;
    plan.cluster = std::move(alone);
    return plan;
}

class Sizing {
public:
    Sizing(const plan::Plan& plan, const plan::SearchSpace& space, const plan::CapacityInputs& inputs,
        const SizingOptions& options, const std::stop_token& stop, const SizingProgressCallback& progress)
        : m_plan(plan)
        , m_space(space)
        , m_inputs(inputs)
        , m_options(options)
        , m_stop(stop)
        , m_progress(progress)
    {
    }

    std::optional<SizingAnswer> answer()
    {
        if (!(m_options.days > 0) || !(capacity::budgetTokens(m_plan, m_inputs) > 0))
            return std::nullopt;
        const int most = m_options.mostNodes;
        const double doublings = std::ceil(std::log2(std::max(1, most))) + 1;
        int nodes = 1;
        for (int done = 0; most > 0 && !m_stop.stop_requested(); ++done) {
            begin(nodes, done / doublings / 2, (done + 1) / doublings / 2);
            auto found = best(nodes, plan::Objective::Throughput, {});
            if (found && (isWithin(*found) || !m_best || found->capacity.days.mid < m_best->capacity.days.mid))
                m_best = std::move(found);
            if ((m_best && isWithin(*m_best)) || nodes >= most)
                break;
            nodes = nodes > most / 2 ? most : 2 * nodes;
        }
        if (m_best && isWithin(*m_best))
            fewest(nodes);
        if (m_best && m_stop.stop_requested())
            m_best->isProven = false;
        return std::move(m_best);
    }

private:
    [[nodiscard]] bool isWithin(const SizingAnswer& answer) const { return answer.capacity.days.mid <= m_options.days; }

    /// What is searched now, and between which shares of all that may be.
    void begin(int nodes, double from, double to)
    {
        m_nodes = nodes;
        m_from = from;
        m_to = to;
        tell(0);
    }

    /// One of those for the fewest, the last of which is to prove them.
    void beginLook(int nodes, int look)
    {
        constexpr double kLooks = kMostRounds + 1;
        begin(nodes, (1 + look / kLooks) / 2, (1 + (look + 1) / kLooks) / 2);
    }

    void tell(double done)
    {
        m_share = std::max(m_share, m_from + done * (m_to - m_from)); // a search may begin again, simulated
        if (m_progress)
            m_progress({m_nodes, m_share, m_best ? &*m_best : nullptr});
    }

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
        const search::SearchResult result =
            search::search(plan, space, options, m_stop, [this](const search::SearchProgress& progress) {
                tell(progress.space > 0 ? std::min(1.0, double(progress.decided) / double(progress.space)) : 0);
            });
        if (!result.best)
            return std::nullopt;
        m_step = result.best->step;
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
    void fewest(int nodes)
    {
        m_best->isProven = false; // to be the fastest is to be none of the fewest yet
        Seconds mostOfMissed(std::numeric_limits<double>::infinity());
        for (int round = 0; round < kMostRounds && !m_stop.stop_requested(); ++round) {
            beginLook(nodes, round);
            const capacity::Capacity& run = m_best->capacity;
            const Seconds longest = m_best->estimate.step * (m_options.days * run.goodput.share / run.trainingDays);
            auto found = best(nodes, plan::Objective::Deadline, std::min(longest, mostOfMissed));
            if (!found || !std::isfinite(found->capacity.days.mid))
                break;
            if (!found->isMet) { // simulated its step is longer, or its goodput is less than that of the best
                mostOfMissed = m_step * (m_options.days / found->capacity.days.mid * (1 - 1e-6));
                continue;
            }
            const bool isFewer = found->capacity.used < run.used;
            found->isProven = false;
            if (isFewer || round == 0)
                m_best = std::move(*found);
            if (!isFewer)
                break;
        }
        if (!m_stop.stop_requested())
            prove(nodes);
    }

    /// The fewest are proven where no fewer have a step that all of the days have room for. No share of these is more
    /// than what is stated, or than what stalls leave; a step of a ramp takes at least its part of the batch.
    void prove(int nodes)
    {
        beginLook(nodes, kMostRounds);
        const capacity::Goodput& goodput = m_best->capacity.goodput;
        const double share = goodput.isStated ? goodput.share : 1 - goodput.stalls;
        const double steps = std::max(1.0, m_best->capacity.tokens / tokensPerStep(m_best->plan));
        auto found = best(
            nodes, plan::Objective::Deadline, Seconds(m_options.days * kSecondsOfDay * share / steps * (1 + 1e-9)));
        if (!found)
            return;
        const bool isFewer = found->capacity.used < m_best->capacity.used;
        if (!isFewer)
            m_best->isProven = found->isProven;
        else if (found->isMet)
            m_best = std::move(*found);
    }

    const plan::Plan& m_plan;
    const plan::SearchSpace& m_space;
    const plan::CapacityInputs& m_inputs;
    const SizingOptions& m_options;
    const std::stop_token& m_stop;
    const SizingProgressCallback& m_progress;
    std::optional<SizingAnswer> m_best; ///< so far
    Seconds m_step{}; ///< of what was found last, as its search has it
    int m_nodes = 0;
    double m_from = 0, m_to = 0, m_share = 0;
};

} // namespace

std::optional<SizingAnswer> fewestFor(const plan::Plan& plan, const plan::SearchSpace& space,
    const plan::CapacityInputs& inputs, const SizingOptions& options, const std::stop_token& stop,
    const SizingProgressCallback& progress)
{
    return Sizing(plan, space, inputs, options, stop, progress).answer();
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

plan::CapacityInputs inputsOn(plan::CapacityInputs inputs, const plan::Plan& plan, const plan::Plan& before)
{
    const cluster::NodeGroup former = firstNodes(before), next = firstNodes(plan);
    std::map<std::string, double> prices;
    if (former.accelerator.id != next.accelerator.id)
        inputs.pricePerAcceleratorHour = 0;
    else if (const auto stated = inputs.prices.find(former.id); stated != inputs.prices.end())
        prices[next.id] = stated->second;
    inputs.prices = std::move(prices);
    return inputs;
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
    if (high >= kMostSteps)
        return std::numeric_limits<double>::infinity();
    while (high - low > 1) {
        const double middle = std::floor((low + high) / 2);
        (costOf(middle * step) <= money ? low : high) = middle;
    }
    return low * step;
}

} // namespace stratoplan::sizing
