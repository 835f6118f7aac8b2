// SPDX-License-Identifier: Apache-2.0
#include "core/search/node_mixes.h"

#include "core/cluster/cluster_edits.h"
#include "core/cluster/node_kinds.h"
#include "core/cluster/used_part.h"
#include "core/plan/problem.h"
#include "core/pricing/limits.h"
#include "core/pricing/pricing_context.h"
#include "core/search/found_plan.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <chrono>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace stratoplan::search {
namespace {

constexpr std::size_t kCountedKinds = 20; ///< all in every order are 2e18 mixes

double priceOf(const MixOptions& options, std::size_t group)
{
    return options.prices.empty() ? 1 : options.prices[group];
}

/// Cables of a group of nodes.
struct CableEnd {
    std::string_view to;
    const cluster::Link* link = nullptr;
    int cables = 1;
};

/// By id of the group, by where they lead.
using CableEnds = std::unordered_map<std::string_view, std::vector<CableEnd>>;

CableEnds cableEndsOf(const cluster::Cluster& cluster)
{
    CableEnds ends;
    for (const cluster::Connection& c : cluster.connections) {
        ends[c.from].push_back({c.to, &c.link, c.cables});
        if (c.to != c.from)
            ends[c.to].push_back({c.from, &c.link, c.cables});
    }
    for (auto& [id, ofGroup] : ends)
        std::ranges::stable_sort(ofGroup, {}, &CableEnd::to);
    return ends;
}

/// Groups of nodes that could stand in for one another: of like nodes at one price, with as many cables for each node
/// to the same switches.
class Twins {
public:
    Twins(const cluster::Cluster& cluster, const MixOptions& options)
        : m_cluster(cluster)
        , m_options(options)
        , m_ends(cableEndsOf(cluster))
    {
    }

    /// The groups that take part, by kind, in the order of the cluster. Those of more kinds than `most` are left out.
    [[nodiscard]] std::vector<std::vector<std::size_t>> kinds(std::size_t most) const
    {
        std::vector<std::vector<std::size_t>> kinds;
        for (std::size_t group = 0; group < m_cluster.nodes.size(); ++group) {
            if (!takesPart(m_cluster.nodes[group]))
                continue;
            const auto its = std::ranges::find_if(
                kinds, [&](const std::vector<std::size_t>& kind) { return areTwins(kind.front(), group); });
            if (its != kinds.end())
                its->push_back(group);
            else if (kinds.size() < most)
                kinds.push_back({group});
        }
        return kinds;
    }

private:
    [[nodiscard]] bool areTwins(std::size_t a, std::size_t b) const
    {
        return priceOf(m_options, a) == priceOf(m_options, b) && areAlike(m_cluster.nodes[a], m_cluster.nodes[b])
            && haveLikeCables(m_cluster.nodes[a], m_cluster.nodes[b]);
    }

    [[nodiscard]] bool haveLikeCables(const cluster::NodeGroup& a, const cluster::NodeGroup& b) const
    {
        return std::ranges::equal(endsOf(a), endsOf(b), [&](const CableEnd& x, const CableEnd& y) {
            return x.to == y.to && *x.link == *y.link
                && std::int64_t{x.cables} * b.count == std::int64_t{y.cables} * a.count;
        });
    }

    [[nodiscard]] std::span<const CableEnd> endsOf(const cluster::NodeGroup& group) const
    {
        const auto its = m_ends.find(group.id);
        return its == m_ends.end() ? std::span<const CableEnd>() : its->second;
    }

    const cluster::Cluster& m_cluster;
    const MixOptions& m_options;
    CableEnds m_ends;
};

std::vector<int> countsOf(const cluster::NodeGroup& group, bool every)
{
    std::vector<int> counts;
    for (int count = 1; count < group.count; count += every ? 1 : count)
        counts.push_back(count);
    counts.push_back(group.count);
    return counts;
}

/// As many as countsOf() lists.
int countsNumber(const cluster::NodeGroup& group, bool every)
{
    return every ? group.count : int(std::bit_width(unsigned(group.count - 1))) + 1;
}

class MixLister {
public:
    MixLister(const cluster::Cluster& cluster, const MixOptions& options, const std::stop_token& stop)
        : m_cluster(cluster)
        , m_options(options)
        , m_stop(stop)
        , m_kindOf(cluster.nodes.size(), kNoKind)
    {
        const auto kinds = Twins(cluster, options).kinds(cluster.nodes.size());
        m_leaves.resize(kinds.size());
        for (std::size_t kind = 0; kind < kinds.size(); ++kind)
            for (const std::size_t group : kinds[kind])
                m_kindOf[group] = kind;
    }

    std::vector<NodeMix> all()
    {
        choose(0);
        return std::move(m_mixes);
    }

private:
    static constexpr std::size_t kNoKind = std::numeric_limits<std::size_t>::max();

    /// How many of this group and of those after it.
    void choose(std::size_t group)
    {
        if (m_stop.stop_requested())
            return;
        if (group == m_cluster.nodes.size())
            return order();
        const std::size_t kind = m_kindOf[group];
        if (kind == kNoKind || m_leaves[kind])
            return choose(group + 1);
        m_leaves[kind] = true;
        choose(group + 1);
        for (const int count : countsOf(m_cluster.nodes[group], m_options.everyCount)) {
            m_leaves[kind] = count < m_cluster.nodes[group].count;
            m_mix.groups.push_back(group);
            m_mix.counts.push_back(count);
            choose(group + 1);
            m_mix.groups.pop_back();
            m_mix.counts.pop_back();
        }
        m_leaves[kind] = false;
    }

    /// In every order, twins in that of the cluster.
    void order()
    {
        if (m_mix.groups.empty())
            return;
        std::vector<std::vector<std::size_t>> places(m_leaves.size()); // in the mix, by kind
        std::vector<std::size_t> kinds;
        for (std::size_t place = 0; place < m_mix.groups.size(); ++place) {
            kinds.push_back(m_kindOf[m_mix.groups[place]]);
            places[kinds.back()].push_back(place);
        }
        std::ranges::sort(kinds);
        do {
            NodeMix mix;
            std::vector<std::size_t> used(places.size()); // of each kind
            for (const std::size_t kind : kinds) {
                const std::size_t place = places[kind][used[kind]++];
                mix.groups.push_back(m_mix.groups[place]);
                mix.counts.push_back(m_mix.counts[place]);
            }
            m_mixes.push_back(std::move(mix));
        } while (!m_stop.stop_requested() && std::ranges::next_permutation(kinds).found);
    }

    const cluster::Cluster& m_cluster;
    const MixOptions& m_options;
    const std::stop_token& m_stop;
    std::vector<std::size_t> m_kindOf; ///< by group
    std::vector<bool> m_leaves; ///< by kind: nodes of a group before are left, so that none of its twins is used
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
        std::vector<int> accelerators(ofGroup.size());
        for (std::size_t i = 0; i < mix.groups.size(); ++i)
            accelerators[mix.groups[i]] = mix.counts[i] * m_plan.cluster.nodes[mix.groups[i]].acceleratorsPerNode;
        double sum = 0;
        for (std::size_t group = 0; group < ofGroup.size(); ++group)
            if (accelerators[group] > 0)
                sum += ofGroup[group] * accelerators[group];
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
        const auto keepBest = [&](const std::optional<FoundStrategy>& best) {
            if (best)
                keep({mix.mix, *best, mix.perHour, mix.perHour * best->step.value() / 3600});
        };
        const SearchResult found = search(plan, m_space, options, stop, [&](const SearchProgress& progress) {
            if (progress.preliminary)
                return;
            keepBest(progress.best); // one mix may take long: what is known of it is told
            if (progress.space > 0)
                tell(double(progress.decided) / double(progress.space));
        });
        result.strategies += found.space;
        keepBest(found.best);
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

    /// In place of what was known of the mix, which is no better.
    void keep(FoundMix found)
    {
        std::erase_if(m_front, [&](const FoundMix& known) { return known.mix == found.mix; });
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

double mixCount(const cluster::Cluster& cluster, const MixOptions& options)
{
    std::vector<double> orders{1}; // by how many groups of the kinds so far are used
    for (const std::vector<std::size_t>& kind : Twins(cluster, options).kinds(kCountedKinds)) {
        std::vector<double> next = orders;
        next.resize(orders.size() + kind.size());
        for (std::size_t others = 0; others < orders.size(); ++others) {
            double places = 1; // for those of this kind among all: others + its over its
            for (std::size_t its = 1; its <= kind.size(); ++its) {
                places = places * double(others + its) / double(its);
                next[others + its] +=
                    orders[others] * places * countsNumber(cluster.nodes[kind[its - 1]], options.everyCount);
            }
        }
        orders = std::move(next);
    }
    return std::accumulate(orders.begin() + 1, orders.end(), 0.0);
}

bool triesEveryCount(const cluster::Cluster& cluster, const MixOptions& options)
{
    return std::ranges::all_of(cluster.nodes, [&](const cluster::NodeGroup& group) {
        return !takesPart(group) || countsNumber(group, options.everyCount) == countsNumber(group, true);
    });
}

std::vector<NodeMix> mixesOf(const cluster::Cluster& cluster, const MixOptions& options, const std::stop_token& stop)
{
    return MixLister(cluster, options, stop).all();
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

double pricePerHour(const cluster::Cluster& cluster, int ranks, const MixOptions& options)
{
    const std::vector<int> used = usedAccelerators(cluster, ranks);
    double price = 0;
    for (std::size_t group = 0; group < used.size(); ++group)
        price += priceOf(options, group) * used[group];
    return price;
}

plan::Plan planWith(plan::Plan plan, const FoundMix& found)
{
    plan.cluster = clusterOf(plan.cluster, found.mix);
    return planWith(std::move(plan), found.best);
}

MixResult searchMixes(const plan::Plan& plan, const plan::SearchSpace& space, const MixOptions& mixes,
    SearchOptions options, const std::stop_token& stop, const std::function<void(const MixProgress&)>& progress)
{
    assert(mixCount(plan.cluster, mixes) <= kMostMixes);
    const auto start = std::chrono::steady_clock::now();
    const MixBounds bounds(plan, space, mixes, *options.catalog);
    std::vector<BoundedMix> open;
    for (NodeMix& mix : mixesOf(plan.cluster, mixes, stop)) {
        if (stop.stop_requested())
            break;
        const double step = bounds.step(mix), perHour = bounds.perHour(mix);
        open.push_back({std::move(mix), step, perHour});
    }
    if (stop.stop_requested())
        return {}; // before all were listed
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
