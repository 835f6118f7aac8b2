// SPDX-License-Identifier: Apache-2.0
#include "core/search/node_mixes.h"

#include "core/cluster/cluster_edits.h"
#include "core/cluster/node_kinds.h"
#include "core/plan/problem.h"
#include "core/pricing/limits.h"
#include "core/pricing/pricing_context.h"
#include "core/search/found_plan.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <utility>

namespace stratoplan::search {
namespace {

double priceOf(const MixOptions& options, std::size_t group)
{
    return options.prices.empty() ? 1 : options.prices[group];
}

/// To the same switches, as many for each node.
bool haveLikeCables(const cluster::Cluster& cluster, const cluster::NodeGroup& a, const cluster::NodeGroup& b)
{
    const auto cablesOf = [&](const cluster::NodeGroup& group) {
        std::vector<cluster::Connection> cables;
        for (cluster::Connection c : cluster.connections) {
            if (!endsAt(c, group.id))
                continue;
            if (c.from != group.id)
                std::swap(c.from, c.to);
            c.from.clear();
            cables.push_back(std::move(c));
        }
        std::ranges::stable_sort(cables, {}, &cluster::Connection::to);
        return cables;
    };
    return std::ranges::equal(cablesOf(a), cablesOf(b), [&](cluster::Connection x, cluster::Connection y) {
        const bool asMany = std::int64_t{x.cables} * b.count == std::int64_t{y.cables} * a.count;
        x.cables = y.cables;
        return asMany && x == y;
    });
}

/// Whether one could stand in for the other.
bool areTwins(const cluster::Cluster& cluster, const MixOptions& options, std::size_t a, std::size_t b)
{
    return areAlike(cluster.nodes[a], cluster.nodes[b]) && priceOf(options, a) == priceOf(options, b)
        && haveLikeCables(cluster, cluster.nodes[a], cluster.nodes[b]);
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
    MixLister(const cluster::Cluster& cluster, const MixOptions& options, std::size_t most)
        : m_cluster(cluster)
        , m_options(options)
        , m_most(most)
    {
        for (std::size_t group = 0; group < cluster.nodes.size(); ++group) {
            std::size_t first = 0; // of its twins
            while (first < group && !(takesPart(cluster.nodes[first]) && areTwins(cluster, options, first, group)))
                ++first;
            m_firstTwins.push_back(first);
        }
    }

    std::vector<NodeMix> all()
    {
        choose(0);
        return std::move(m_mixes);
    }

private:
    [[nodiscard]] bool isEnough() const { return m_mixes.size() > m_most; }

    /// How many of this group and of those after it.
    void choose(std::size_t group)
    {
        if (isEnough())
            return;
        if (group == m_cluster.nodes.size())
            return order();
        choose(group + 1);
        if (!takesPart(m_cluster.nodes[group]) || leavesTwin(group))
            return;
        for (const int count : countsOf(m_cluster.nodes[group], m_options.everyCount)) {
            m_mix.groups.push_back(group);
            m_mix.counts.push_back(count);
            choose(group + 1);
            m_mix.groups.pop_back();
            m_mix.counts.pop_back();
        }
    }

    /// Nodes of a twin are used while those of an earlier one are left.
    [[nodiscard]] bool leavesTwin(std::size_t group) const
    {
        for (std::size_t before = m_firstTwins[group]; before < group; ++before) {
            if (m_firstTwins[before] != m_firstTwins[group])
                continue;
            const auto used = std::ranges::find(m_mix.groups, before);
            if (used == m_mix.groups.end()
                || m_mix.counts[std::size_t(used - m_mix.groups.begin())] < m_cluster.nodes[before].count)
                return true;
        }
        return false;
    }

    /// In every order, twins in that of the cluster.
    void order()
    {
        if (m_mix.groups.empty())
            return;
        std::vector<std::size_t> kinds;
        for (const std::size_t group : m_mix.groups)
            kinds.push_back(m_firstTwins[group]);
        std::ranges::sort(kinds);
        do {
            NodeMix mix;
            std::vector<bool> taken(m_mix.groups.size());
            for (const std::size_t kind : kinds) {
                std::size_t place = 0;
                while (taken[place] || m_firstTwins[m_mix.groups[place]] != kind)
                    ++place;
                taken[place] = true;
                mix.groups.push_back(m_mix.groups[place]);
                mix.counts.push_back(m_mix.counts[place]);
            }
            m_mixes.push_back(std::move(mix));
        } while (!isEnough() && std::ranges::next_permutation(kinds).found);
    }

    const cluster::Cluster& m_cluster;
    const MixOptions& m_options;
    std::size_t m_most;
    std::vector<std::size_t> m_firstTwins; ///< by group: the first that it is alike
    NodeMix m_mix;
    std::vector<NodeMix> m_mixes;
};

/// A bound of the step of mixes: all products of the model at the peak of all accelerators together, in the precision
/// in which that takes least.
class MixBounds {
public:
    MixBounds(const plan::Plan& plan, const plan::SearchSpace& space, const MixOptions& options,
        const catalog::Catalog& catalog)
        : m_plan(plan)
        , m_options(options)
    {
        std::vector<model::Precision> precisions = space.precisions;
        if (precisions.empty())
            precisions.push_back(plan.training.precision);
        for (const model::Precision precision : precisions) {
            plan::Plan asked = plan;
            asked.training.precision = precision;
            m_peaks.push_back(peaksOf(asked, catalog));
        }
    }

    [[nodiscard]] double step(const NodeMix& mix) const
    {
        double least = std::numeric_limits<double>::infinity();
        for (const Peaks& peaks : m_peaks)
            least = std::min(least, peaks.seconds / sumOver(mix, peaks.speeds));
        return least * (1 - 1e-9);
    }
    [[nodiscard]] double perHour(const NodeMix& mix) const
    {
        return m_options.prices.empty() ? sumOver(mix, std::vector<double>(m_plan.cluster.nodes.size(), 1))
                                        : sumOver(mix, m_options.prices);
    }

private:
    struct Peaks {
        double seconds = 0; ///< of a step on one accelerator of the first group
        std::vector<double> speeds; ///< of the groups, against it
    };

    [[nodiscard]] static Peaks peaksOf(const plan::Plan& plan, const catalog::Catalog& catalog)
    {
        Peaks peaks;
        std::optional<cost::Machine> first;
        for (std::size_t group = 0; group < plan.cluster.nodes.size(); ++group) {
            peaks.speeds.push_back(0);
            if (!takesPart(plan.cluster.nodes[group]))
                continue;
            const cost::Machine machine = cost::machine(plan, catalog, {group});
            if (!first) {
                first = machine;
                pricing::PricingContext alone(plan, {machine, plan.cluster.nodes[group].accelerator.memory});
                peaks.seconds = alone.productSeconds().value() * plan.training.globalBatch;
            }
            // Products in narrow formats go to those that are best at them, others elsewhere: no less than either.
            double& speed = peaks.speeds.back();
            speed = std::max(machine.peak / first->peak, machine.widePeak / first->widePeak);
            if (first->narrowAttention.value() > 0)
                speed = std::max(speed, machine.narrowAttention / first->narrowAttention);
        }
        return peaks;
    }

    /// Over the accelerators of a mix, in the order of the cluster: that of the mix changes nothing.
    [[nodiscard]] double sumOver(const NodeMix& mix, const std::vector<double>& ofGroup) const
    {
        double sum = 0;
        for (std::size_t group = 0; group < ofGroup.size(); ++group)
            if (const auto used = std::ranges::find(mix.groups, group); used != mix.groups.end())
                sum += ofGroup[group] * mix.counts[std::size_t(used - mix.groups.begin())]
                    * m_plan.cluster.nodes[group].acceleratorsPerNode;
        return sum;
    }

    const plan::Plan& m_plan;
    const MixOptions& m_options;
    std::vector<Peaks> m_peaks; ///< of each precision
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
        m_space.leaveIdle = false; // of fewer accelerators there is a mix
        m_options.objective = plan::Objective::Throughput;
        m_options.keep = FrontKind::Best;
        m_options.byAccelerators = false;
    }

    /// False: stopped before it was through. `tell`: the share of it that is decided, now and then.
    bool look(
        const BoundedMix& mix, MixResult& result, const std::stop_token& stop, const std::function<void(double)>& tell)
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
        const SearchResult found = search(plan, m_space, options, stop, [&](const SearchProgress& progress) {
            if (progress.space > 0 && !progress.preliminary)
                tell(double(progress.decided) / double(progress.space));
        });
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
    plan::SearchSpace m_space;
    SearchOptions m_options;
    std::vector<FoundMix> m_front;
};

} // namespace

std::vector<std::size_t> unpricedGroups(const cluster::Cluster& cluster, const std::vector<double>& prices)
{
    std::vector<std::size_t> unpriced;
    for (std::size_t group = 0; group < prices.size(); ++group)
        if (takesPart(cluster.nodes[group]) && !isPrice(prices[group]))
            unpriced.push_back(group);
    return std::ranges::any_of(prices, isPrice) ? unpriced : std::vector<std::size_t>();
}

std::vector<NodeMix> mixesOf(const cluster::Cluster& cluster, const MixOptions& options, std::size_t most)
{
    return MixLister(cluster, options, most).all();
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

plan::Plan planWith(plan::Plan plan, const FoundMix& found)
{
    plan.cluster = clusterOf(plan.cluster, found.mix);
    return planWith(std::move(plan), found.best);
}

MixResult searchMixes(const plan::Plan& plan, const plan::SearchSpace& space, const MixOptions& mixes,
    SearchOptions options, const std::stop_token& stop, const std::function<void(const MixProgress&)>& progress)
{
    const auto start = std::chrono::steady_clock::now();
    const MixBounds bounds(plan, space, mixes, *options.catalog);
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
    std::int64_t decided = 0;
    const auto tell = [&](double next) {
        if (progress)
            progress({result.mixes, decided, next, searcher.front()});
    };
    tell(0);
    for (const BoundedMix& mix : open) {
        result.proven = searcher.look(mix, result, stop, tell) && !stop.stop_requested();
        if (!result.proven)
            break;
        ++decided;
        tell(0);
    }
    result.front = searcher.front();
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
}

} // namespace stratoplan::search
