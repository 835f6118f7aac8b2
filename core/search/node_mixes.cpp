// SPDX-License-Identifier: Apache-2.0
#include "core/search/node_mixes.h"

#include "core/cluster/cluster_edits.h"
#include "core/cluster/node_kinds.h"
#include "core/plan/problem.h"
#include "core/pricing/limits.h"
#include "core/pricing/pricing_context.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <numeric>
#include <utility>

namespace stratoplan::search {
namespace {

double priceOf(const MixOptions& options, std::size_t group)
{
    return options.prices.empty() ? 1 : options.prices[group];
}

/// Whether one could stand in for the other.
bool areTwins(const cluster::Cluster& cluster, const MixOptions& options, std::size_t a, std::size_t b)
{
    return areAlike(cluster.nodes[a], cluster.nodes[b]) && priceOf(options, a) == priceOf(options, b);
}

std::vector<int> countsOf(const cluster::NodeGroup& group, bool every)
{
    std::vector<int> counts;
    for (int count = 1; count < group.count; count += every ? 1 : count)
        counts.push_back(count);
    counts.push_back(group.count);
    return counts;
}

class MixLister {
public:
    MixLister(const cluster::Cluster& cluster, const MixOptions& options)
        : m_cluster(cluster)
        , m_options(options)
    {
    }

    std::vector<NodeMix> all()
    {
        choose(0);
        return std::move(m_mixes);
    }

private:
    /// How many of this group and of those after it.
    void choose(std::size_t group)
    {
        if (group == m_cluster.nodes.size())
            return order();
        choose(group + 1);
        if (!takesPart(m_cluster.nodes[group]))
            return;
        for (const int count : countsOf(m_cluster.nodes[group], m_options.everyCount)) {
            m_mix.groups.push_back(group);
            m_mix.counts.push_back(count);
            choose(group + 1);
            m_mix.groups.pop_back();
            m_mix.counts.pop_back();
        }
    }

    void order()
    {
        if (m_mix.groups.empty() || skipsTwin(m_mix.groups))
            return;
        std::vector<std::size_t> places(m_mix.groups.size());
        std::iota(places.begin(), places.end(), std::size_t{0});
        do {
            NodeMix mix;
            for (const std::size_t place : places) {
                mix.groups.push_back(m_mix.groups[place]);
                mix.counts.push_back(m_mix.counts[place]);
            }
            if (isFirstOfTwins(mix.groups))
                m_mixes.push_back(std::move(mix));
        } while (std::ranges::next_permutation(places).found);
    }

    /// Nodes of a twin are used while those of an earlier one are left.
    [[nodiscard]] bool skipsTwin(const std::vector<std::size_t>& groups) const
    {
        for (std::size_t i = 0; i < groups.size(); ++i)
            for (std::size_t before = 0; before < groups[i]; ++before) {
                if (!takesPart(m_cluster.nodes[before]) || !areTwins(m_cluster, m_options, before, groups[i]))
                    continue;
                const auto used = std::ranges::find(groups, before);
                if (used == groups.end()
                    || m_mix.counts[std::size_t(used - groups.begin())] < m_cluster.nodes[before].count)
                    return true;
            }
        return false;
    }

    [[nodiscard]] bool isFirstOfTwins(const std::vector<std::size_t>& order) const
    {
        for (std::size_t i = 0; i < order.size(); ++i)
            for (std::size_t j = i + 1; j < order.size(); ++j)
                if (order[j] < order[i] && areTwins(m_cluster, m_options, order[i], order[j]))
                    return false;
        return true;
    }

    const cluster::Cluster& m_cluster;
    const MixOptions& m_options;
    NodeMix m_mix;
    std::vector<NodeMix> m_mixes;
};

/// A bound of the step of mixes: all products of the model at the peak of all accelerators together.
class MixBounds {
public:
    MixBounds(const plan::Plan& plan, const MixOptions& options, const catalog::Catalog& catalog)
        : m_plan(plan)
        , m_options(options)
    {
        std::optional<cost::Machine> first;
        for (std::size_t group = 0; group < plan.cluster.nodes.size(); ++group) {
            m_speeds.push_back(0);
            if (!takesPart(plan.cluster.nodes[group]))
                continue;
            const cost::Machine machine = cost::machine(plan, catalog, {group});
            if (!first) {
                first = machine;
                pricing::PricingContext alone(plan, {machine, plan.cluster.nodes[group].accelerator.memory});
                m_seconds = alone.productSeconds().value() * plan.training.globalBatch;
            }
            // Products in narrow formats go to those that are best at them, others elsewhere: no less than either.
            m_speeds.back() = std::max(machine.peak / first->peak, machine.widePeak / first->widePeak);
            if (first->narrowAttention.value() > 0)
                m_speeds.back() = std::max(m_speeds.back(), machine.narrowAttention / first->narrowAttention);
        }
    }

    [[nodiscard]] double step(const NodeMix& mix) const { return m_seconds / sumOver(mix, m_speeds) * (1 - 1e-9); }
    [[nodiscard]] double perHour(const NodeMix& mix) const
    {
        return m_options.prices.empty() ? sumOver(mix, std::vector<double>(m_speeds.size(), 1))
                                        : sumOver(mix, m_options.prices);
    }

private:
    /// Over the accelerators of a mix.
    [[nodiscard]] double sumOver(const NodeMix& mix, const std::vector<double>& ofGroup) const
    {
        double sum = 0;
        for (std::size_t i = 0; i < mix.groups.size(); ++i)
            sum += ofGroup[mix.groups[i]] * mix.counts[i] * m_plan.cluster.nodes[mix.groups[i]].acceleratorsPerNode;
        return sum;
    }

    const plan::Plan& m_plan;
    const MixOptions& m_options;
    double m_seconds = 0; ///< of a step on one accelerator of the first group
    std::vector<double> m_speeds; ///< against it
};

struct BoundedMix {
    NodeMix mix;
    double step = 0, perHour = 0;
};

class MixSearcher {
public:
    MixSearcher(const plan::Plan& plan, const plan::SearchSpace& space, const SearchOptions& options)
        : m_plan(plan)
        , m_space(space)
        , m_options(options)
    {
        m_options.objective = plan::Objective::Throughput;
        m_options.keep = FrontKind::Best;
        m_options.byAccelerators = false;
    }

    /// False: stopped before it was through.
    bool look(const BoundedMix& mix, MixResult& result, const std::stop_token& stop)
    {
        if (!m_options.exhaustive && isBeaten(mix.step, mix.step * mix.perHour)) {
            ++result.leftOut;
            return true;
        }
        plan::Plan plan = m_plan;
        plan.cluster = clusterOf(m_plan.cluster, mix.mix);
        ++result.searched;
        if (!isLegal(plan))
            return true;
        SearchOptions options = m_options;
        if (!m_options.exhaustive)
            options.longestOfUse = Seconds(longestOfUse(mix.perHour));
        const SearchResult found = search(plan, m_space, options, stop);
        result.strategies += found.space;
        if (found.best)
            keep({mix.mix, *found.best, mix.perHour, mix.perHour * found.best->step.value() / 3600});
        return found.proven;
    }

    [[nodiscard]] const std::vector<FoundMix>& front() const { return m_front; }

private:
    /// Whether the cluster can be drawn so, whatever the strategy.
    [[nodiscard]] static bool isLegal(plan::Plan plan)
    {
        plan.strategy = {};
        return !hasErrors(check(plan, {.remedies = false})) && pricing::notEstimable(plan).empty();
    }

    /// By what is as fast and as cheap, and better in one of both.
    [[nodiscard]] bool isBeaten(double step, double price) const
    {
        return std::ranges::any_of(m_front, [&](const FoundMix& known) {
            const double its = known.best.step.value(), ofIt = its * known.perHour;
            return its <= step && ofIt <= price && (its < step || ofIt < price);
        });
    }

    /// From which on something known is as fast and as cheap; 0 = none is known.
    [[nodiscard]] double longestOfUse(double perHour) const
    {
        double longest = std::numeric_limits<double>::infinity();
        for (const FoundMix& known : m_front)
            longest =
                std::min(longest, std::max(known.best.step.value(), known.best.step.value() * known.perHour / perHour));
        return m_front.empty() ? 0 : longest;
    }

    void keep(FoundMix found)
    {
        const auto isAsGood = [](const FoundMix& a, const FoundMix& b) {
            return a.best.step <= b.best.step && a.perStep <= b.perStep;
        };
        if (std::ranges::any_of(m_front, [&](const FoundMix& known) { return isAsGood(known, found); }))
            return;
        std::erase_if(m_front, [&](const FoundMix& known) { return isAsGood(found, known); });
        const auto place = std::ranges::upper_bound(
            m_front, found.best.step, {}, [](const FoundMix& known) { return known.best.step; });
        m_front.insert(place, std::move(found));
    }

    const plan::Plan& m_plan;
    const plan::SearchSpace& m_space;
    SearchOptions m_options;
    std::vector<FoundMix> m_front;
};

} // namespace

std::vector<NodeMix> mixesOf(const cluster::Cluster& cluster, const MixOptions& options)
{
    return MixLister(cluster, options).all();
}

cluster::Cluster clusterOf(const cluster::Cluster& cluster, const NodeMix& mix)
{
    cluster::Cluster mixed = cluster;
    for (std::size_t group = 0; group < cluster.nodes.size(); ++group) {
        const auto used = std::ranges::find(mix.groups, group);
        const int count = used == mix.groups.end() ? 0 : mix.counts[std::size_t(used - mix.groups.begin())];
        if (count != cluster.nodes[group].count)
            setNodeCount(mixed, group, count);
    }
    const std::vector<cluster::NodeGroup> all = std::move(mixed.nodes);
    mixed.nodes.clear();
    for (const std::size_t group : mix.groups)
        mixed.nodes.push_back(all[group]);
    std::erase_if(mixed.connections, [&](const cluster::Connection& cables) {
        return std::ranges::any_of(
            all, [&](const cluster::NodeGroup& group) { return group.count == 0 && endsAt(cables, group.id); });
    });
    return mixed;
}

MixResult searchMixes(const plan::Plan& plan, const plan::SearchSpace& space, const MixOptions& mixes,
    SearchOptions options, const std::stop_token& stop, const std::function<void(const MixProgress&)>& progress)
{
    const auto start = std::chrono::steady_clock::now();
    const MixBounds bounds(plan, mixes, *options.catalog);
    std::vector<BoundedMix> open;
    for (NodeMix& mix : mixesOf(plan.cluster, mixes)) {
        const double step = bounds.step(mix), perHour = bounds.perHour(mix);
        open.push_back({std::move(mix), step, perHour});
    }
    // The fastest first: most of what is slower and no cheaper is then left out.
    if (!options.exhaustive)
        std::ranges::stable_sort(open, {}, &BoundedMix::step);
    MixResult result;
    result.mixes = std::int64_t(open.size());
    result.proven = true;
    MixSearcher searcher(plan, space, options);
    for (const BoundedMix& mix : open) {
        result.proven = searcher.look(mix, result, stop) && !stop.stop_requested();
        if (!result.proven)
            break;
        if (progress)
            progress({result.mixes, result.leftOut + result.searched, searcher.front()});
    }
    result.front = searcher.front();
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
}

} // namespace stratoplan::search
