// SPDX-License-Identifier: Apache-2.0
#include "core/search/search.h"

#include "core/plan/problem.h"
#include "core/search/explore.h"
#include "core/search/fronts.h"
#include "core/search/workers.h"

#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <iterator>
#include <memory>
#include <numeric>
#include <set>
#include <tuple>

namespace stratoplan::search {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kFewestPerRound = 16;
constexpr std::size_t kMostPerRound = 512;

/// A node that is left to open.
struct Open {
    Node node;
    std::uint32_t variant = 0; ///< of the plan
    std::uint32_t root = 0; ///< place of its division in the tree
    int ranks = 0; ///< where fewer are better whatever the bound, 0 elsewhere
};

/// Those to open first come last. What divides layers in space and time waits until all else is known: its bounds are
/// further from what they bound, and each strategy takes longer to price. Nodes of equal bounds in the order of the
/// tree, so that few wait where nothing is bounded.
bool comesLater(const Open& a, const Open& b)
{
    const auto order = [](const Open& open) {
        const Node& n = open.node;
        return std::tie(open.ranks, n.dividesLayers, n.bound, open.variant, open.root, n.microBatch, n.experts, n.pass);
    };
    return order(b) < order(a);
}

class Searcher {
public:
    Searcher(const plan::Plan& plan, const plan::SearchSpace& space, const SearchOptions& options,
        const std::stop_token& stop, const SearchProgressCallback& progress)
        : m_asked(options)
        , m_options(exploring(options))
        , m_stop(stop)
        , m_progress(progress)
        , m_workers(options.threads > 0 ? options.threads : machineThreads())
        , m_tree(plan, space, topology(plan.cluster), schedulesOf(options), space::LargestFirst(), stop)
        , m_explorers(m_workers.threads())
        , m_fronts(m_options)
    {
        const std::vector<model::Precision> precisions =
            space.precisions.empty() ? std::vector{plan.training.precision} : space.precisions;
        for (const model::Precision precision : precisions)
            addVariant(plan, precision, space.framework);
        m_result.mode = options.mode;
        m_result.threads = int(m_workers.threads());
    }

    SearchResult run()
    {
        if (m_options.mode == plan::SearchMode::Simulated && !m_options.exhaustive)
            simulateClosedFormFront();
        m_result.pruned = {};
        m_result.evaluated = 0;
        explore(m_options.mode, m_fronts);
        finish();
        return std::move(m_result);
    }

private:
    using Explorers = std::vector<std::unique_ptr<Explorer>>;

    /// Of another precision than the plan's, which some accelerators or kernels of attention lack.
    void addVariant(plan::Plan plan, model::Precision precision, plan::TargetFramework framework)
    {
        const bool isPlans = precision == plan.training.precision;
        plan.training.precision = precision;
        plan.strategy = {};
        if (!isPlans && hasErrors(check(plan, {.remedies = false})))
            return;
        if (const std::size_t rule = firstObjection(plan, framework, catalog::RuleScope::Recipe);
            rule < catalog::kFrameworkRules)
            ++m_notRun[rule];
        else
            m_variants.push_back(std::move(plan));
    }

    Explorers makeExplorers() const
    {
        Explorers explorers;
        for (const plan::Plan& plan : m_variants)
            explorers.push_back(std::make_unique<Explorer>(plan, m_tree, m_options));
        return explorers;
    }

    Explorers& explorers(std::size_t thread)
    {
        if (m_explorers[thread].empty())
            m_explorers[thread] = makeExplorers();
        return m_explorers[thread];
    }

    /// TP, CP and its method, which most of what is priced depends on.
    [[nodiscard]] static std::size_t keyOf(const space::Division& division)
    {
        return (std::size_t(division.tp) * 31 + std::size_t(division.cp)) * 31 + std::size_t(division.contextMethod);
    }

    /// The divisions of the tree from the given one on.
    void plant(std::size_t from)
    {
        const std::deque<space::Division>& divisions = m_tree.divisions();
        const Explorers& ofVariants = explorers(0);
        for (std::size_t i = from; i < divisions.size(); ++i)
            for (std::size_t variant = 0; variant < m_variants.size(); ++variant)
                m_open.push_back({ofVariants[variant]->root(divisions[i]), std::uint32_t(variant), std::uint32_t(i),
                    m_fronts.fewestMatter() ? divisions[i].ranks() : 0});
        m_result.space = m_tree.leaves() * std::int64_t(m_variants.size());
        m_result.taken = m_tree.taken();
        for (std::int64_t& taken : m_result.taken)
            taken *= std::int64_t(m_variants.size());
        const std::int64_t whole = std::accumulate(m_tree.taken().begin(), m_tree.taken().end(), m_tree.leaves());
        for (std::size_t rule = 0; rule < m_notRun.size(); ++rule)
            m_result.taken[rule] += m_notRun[rule] * whole;
    }

    /// A first answer need not wait for the divisions of fewer ranks.
    void grow()
    {
        const std::size_t known = m_tree.divisions().size();
        m_treeIsWhole = m_treeIsWhole || m_tree.grow(m_stop);
        plant(known);
    }

    /// What is best in closed form is good when simulated: it goes first, so that little else needs to be simulated.
    void simulateClosedFormFront()
    {
        Fronts closedForm(m_options);
        m_preliminary = true;
        explore(plan::SearchMode::ClosedForm, closedForm);
        m_preliminary = false;
        simulate(m_fronts.byAccelerators() ? closedForm.strategiesByAccelerators() : closedForm.strategies(), m_stop);
        if (m_fronts.empty() && m_stop.stop_requested()
            && !closedForm.empty()) // better one more simulation than no answer
            simulate({closedForm.best()}, {});
    }

    void simulate(const std::vector<FoundStrategy>& candidates, const std::stop_token& stop)
    {
        std::vector<std::optional<FoundStrategy>> simulated(candidates.size());
        const auto anyOf = [](std::size_t i) { return i; };
        m_workers.each(candidates.size(), anyOf, [&](std::size_t i, std::size_t thread) {
            for (std::size_t variant = 0; variant < m_variants.size(); ++variant)
                if (!stop.stop_requested() && m_variants[variant].training.precision == candidates[i].precision)
                    simulated[i] = explorers(thread)[variant]->simulated(candidates[i].strategy);
        });
        for (std::optional<FoundStrategy>& found : simulated)
            if (found)
                m_fronts.add(std::move(*found));
    }

    /// Opens nodes in rounds, each measured against what was found before it, until none is left or it is stopped.
    void explore(plan::SearchMode mode, Fronts& fronts)
    {
        m_open.clear();
        m_isHeap = false;
        plant(0);
        if (!m_options.exhaustive && !m_fronts.fewestMatter()) {
            dive(mode, fronts);
            if (m_preliminary && !fronts.empty())
                simulate({fronts.best()}, m_stop);
        }
        grow();
        std::make_heap(m_open.begin(), m_open.end(), comesLater);
        m_isHeap = true;
        std::size_t size = kFewestPerRound;
        while (!m_open.empty() && !m_stop.stop_requested()) {
            const std::vector<Open> round = nextRound(size, fronts);
            openRound(round, mode, fronts);
            report(fronts);
            size = std::min(size + size / 8, kMostPerRound);
        }
    }

    /// Takes the first nodes that are not beaten. Of different numbers of accelerators only where fewer are not better.
    [[nodiscard]] std::vector<Open> nextRound(std::size_t size, Fronts& fronts)
    {
        std::vector<Open> round;
        while (!m_open.empty() && round.size() < size) {
            const Open& first = m_open.front();
            if (!round.empty() && first.ranks != round.front().ranks)
                break;
            const bool enough = uses(PruneRule::Objective) && fronts.areEnough(first.ranks);
            const bool beaten = m_options.keep == FrontKind::Best && uses(PruneRule::DivisionBound)
                && fronts.known(first.node.division->ranks()).beats(first.node.bound, 0);
            if (enough) { // and so are all others
                dropAlike(PruneRule::Objective, [](const Open&) { return true; });
                break;
            }
            if (beaten && first.ranks == 0) { // and so are all that come later for their bound
                dropAlike(PruneRule::DivisionBound, [divides = first.node.dividesLayers](const Open& open) {
                    return open.node.dividesLayers == divides;
                });
                continue;
            }
            std::pop_heap(m_open.begin(), m_open.end(), comesLater);
            const Open& last = m_open.back();
            if (uses(PruneRule::DivisionBound)
                && fronts.known(last.node.division->ranks()).beats(last.node.bound, last.node.peak))
                drop(PruneRule::DivisionBound, last.node);
            else
                round.push_back(last);
            m_open.pop_back();
        }
        return round;
    }

    template <class IsAlike>
    void dropAlike(PruneRule rule, IsAlike isAlike)
    {
        for (const Open& open : takeFrom(m_open, isAlike))
            drop(rule, open.node);
        std::make_heap(m_open.begin(), m_open.end(), comesLater);
    }

    /// Its nodes are opened, or stay open if it is stopped.
    void openRound(
        const std::vector<Open>& round, plan::SearchMode mode, Fronts& fronts, std::vector<Open>* below = nullptr)
    {
        if (round.empty())
            return;
        std::vector<Explored> explored(round.size());
        std::vector<const Front*> before;
        for (const Open& open : round)
            before.push_back(&fronts.known(open.node.division->ranks()));
        const auto keyAt = [&](std::size_t i) { return keyOf(*round[i].node.division); };
        m_workers.each(round.size(), keyAt, [&](std::size_t i, std::size_t thread) {
            explored[i] = explorers(thread)[round[i].variant]->open(round[i].node, *before[i], mode, m_stop);
        });
        for (std::size_t i = 0; i < round.size(); ++i) {
            Explored& opened = explored[i];
            fronts.merge(opened.found, round[i].node.division->ranks());
            if (!opened.whole) { // what it found counts, but not what it left
                m_open.push_back(round[i]);
                if (m_isHeap)
                    std::push_heap(m_open.begin(), m_open.end(), comesLater);
                continue;
            }
            m_result.evaluated += opened.evaluated;
            for (std::size_t rule = 0; rule < kPruneRules; ++rule)
                m_result.pruned[rule] += opened.pruned[rule];
            for (const Node& node : opened.below) {
                const Open open{node, round[i].variant, round[i].root, round[i].ranks};
                if (below != nullptr) {
                    below->push_back(open);
                    continue;
                }
                m_open.push_back(open);
                std::push_heap(m_open.begin(), m_open.end(), comesLater);
            }
        }
    }

    /// A first answer: all ranks, TP and CP about as many as a domain has, small micro-batches; of these what promises
    /// most, and of each of them what promises most. Bounds of divisions are too far from what they bound to lead
    /// there.
    void dive(plan::SearchMode mode, Fronts& fronts)
    {
        constexpr std::size_t kMost = 256;
        std::vector<Open> open =
            takeFrom(m_open, [&](const Open& candidate) { return isUsual(*candidate.node.division); });
        std::vector<Open> below;
        openRound(open, mode, fronts, &below);
        const std::set<int> sizes = fewest(below);
        open = takeFrom(below, [&](const Open& candidate) { return sizes.contains(candidate.node.microBatch); });
        m_open.insert(m_open.end(), below.begin(), below.end());
        std::sort(open.begin(), open.end(), [](const Open& a, const Open& b) { return comesLater(b, a); });
        const std::size_t tried = std::min(kMost, open.size());
        std::size_t begin = 0;
        for (std::size_t end = 0; begin < tried && !m_stop.stop_requested(); begin = end) {
            end = std::min(begin + kFewestPerRound, tried);
            below.clear();
            openRound({open.begin() + std::ptrdiff_t(begin), open.begin() + std::ptrdiff_t(end)}, mode, fronts, &below);
            // Of even splits, of which there are fewer.
            std::sort(below.begin(), below.end(), [](const Open& a, const Open& b) {
                return a.node.uneven != b.node.uneven ? b.node.uneven : comesLater(b, a);
            });
            std::set<std::tuple<std::uint32_t, std::uint32_t, int>> seen;
            const std::vector<Open> first = takeFrom(below, [&](const Open& candidate) {
                return seen.emplace(candidate.variant, candidate.root, candidate.node.microBatch).second;
            });
            m_open.insert(m_open.end(), below.begin(), below.end());
            openRound(first, mode, fronts);
            report(fronts);
        }
        m_open.insert(m_open.end(), open.begin() + std::ptrdiff_t(begin), open.end());
    }

    template <class Wanted>
    [[nodiscard]] static std::vector<Open> takeFrom(std::vector<Open>& from, Wanted wanted)
    {
        std::vector<Open> taken, left;
        for (const Open& candidate : from)
            (wanted(candidate) ? taken : left).push_back(candidate);
        from = std::move(left);
        return taken;
    }

    /// Of the space's micro-batches the smallest that have room.
    [[nodiscard]] static std::set<int> fewest(const std::vector<Open>& open)
    {
        constexpr std::size_t kSizes = 2;
        std::set<int> sizes;
        for (const Open& candidate : open)
            sizes.insert(candidate.node.microBatch);
        while (sizes.size() > kSizes)
            sizes.erase(std::prev(sizes.end()));
        return sizes;
    }

    [[nodiscard]] bool isUsual(const space::Division& d) const
    {
        const space::Division& first = m_tree.divisions().front(); // of all ranks, and of the least TP and CP
        const int domain = m_tree.topology().levels.empty() ? 1 : m_tree.topology().levels.front().size;
        const int most = std::max(2 * domain, first.tp * first.cp);
        return d.ranks() == first.ranks() && d.tp * d.cp <= most && d.tp <= std::max(domain, first.tp)
            && d.contextMethod == first.contextMethod;
    }

    [[nodiscard]] bool uses(PruneRule rule) const { return !m_options.exhaustive && !m_options.off.contains(rule); }
    void drop(PruneRule rule, const Node& node) { m_result.pruned[std::size_t(rule)] += node.leaves; }

    [[nodiscard]] double seconds() const { return std::chrono::duration<double>(Clock::now() - m_started).count(); }

    [[nodiscard]] std::int64_t decided() const
    {
        return std::accumulate(m_result.pruned.begin(), m_result.pruned.end(), m_result.evaluated);
    }

    /// `fronts`: of the pass that is under way.
    void report(const Fronts& fronts) const
    {
        if (!m_progress)
            return;
        SearchProgress progress{m_treeIsWhole ? m_result.space : 0, decided(), m_result.evaluated, seconds(),
            std::nullopt, m_preliminary, 1, fronts.strategies()};
        if (!fronts.empty()) {
            progress.best = fronts.best();
            progress.gap = m_preliminary ? 1 : gap();
        }
        m_progress(progress);
    }

    /// Of what is found against the bounds of the nodes that are open. Precondition: something is found.
    [[nodiscard]] double gap() const
    {
        if (!m_treeIsWhole)
            return 1;
        const double best = m_fronts.best().value;
        double least = best;
        if (m_isHeap && !m_fronts.fewestMatter())
            least = m_open.empty() ? best : std::min(best, m_open.front().node.bound);
        else
            for (const Open& open : m_open)
                least = std::min(least, open.node.bound);
        return 1 - least / best;
    }

    void finish()
    {
        m_result.unvisited = m_result.space - decided();
        m_result.counted = m_treeIsWhole;
        if (m_treeIsWhole)
            m_result.unusedShards = m_tree.unusedShards();
        m_result.proven = m_treeIsWhole && m_open.empty();
        m_result.front = m_fronts.strategies();
        if (!m_fronts.empty())
            m_result.best = m_fronts.best();
        m_result.gap = m_fronts.empty() ? (m_result.proven ? 0 : 1) : gap();
        if (m_fronts.byAccelerators())
            m_result.byAccelerators = m_fronts.strategiesByAccelerators();
        if (!m_result.byAccelerators.empty() && m_asked.objective != plan::Objective::Throughput)
            valueAnew();
        m_result.seconds = seconds();
    }

    /// Explored by the step, of which with the accelerators in use the value of the objective is made: the best of it,
    /// and its front, are among what nothing beats in step, peak and accelerators.
    void valueAnew()
    {
        Valuation valuation(m_variants.front(), m_asked);
        Front front;
        for (FoundStrategy& found : m_result.byAccelerators) {
            found.value = valuation.bound(found.step, found.strategy);
            front.add(found);
        }
        m_result.front = front.strategies();
        m_result.best = front.empty() ? std::nullopt : std::optional(front.best().strategies.front());
        m_result.gap = m_result.proven ? 0 : 1;
    }

    /// Fronts by accelerators are explored by the step.
    static SearchOptions exploring(SearchOptions options)
    {
        if (options.byAccelerators)
            options.objective = plan::Objective::Throughput;
        return options;
    }

    Clock::time_point m_started = Clock::now();
    const SearchOptions& m_asked;
    const SearchOptions m_options; ///< to explore by
    const std::stop_token& m_stop;
    const SearchProgressCallback& m_progress;
    Workers m_workers;
    space::SpaceTree m_tree; ///< the same in every precision
    bool m_treeIsWhole = m_tree.isGrown();
    std::vector<plan::Plan> m_variants; ///< by precision
    space::FrameworkCounts m_notRun{}; ///< precisions in which the target framework has a rule against every strategy
    std::vector<Explorers> m_explorers; ///< by thread; none until it has something to do
    std::vector<Open> m_open; ///< a heap while nodes are opened
    Fronts m_fronts;
    SearchResult m_result;
    bool m_isHeap = false;
    bool m_preliminary = false;
};

} // namespace

space::Schedules schedulesOf(const SearchOptions& options)
{
    return options.mode == plan::SearchMode::ClosedForm ? space::Schedules::WithClosedForm
        : options.headroom > 0                          ? space::Schedules::WithOwnLimits
                                                        : space::Schedules::All;
}

int machineThreads()
{
    return tbb::this_task_arena::max_concurrency();
}

SearchResult search(const plan::Plan& plan, const plan::SearchSpace& space, const SearchOptions& options,
    const std::stop_token& stop, const SearchProgressCallback& progress)
{
    return Searcher(plan, space, options, stop, progress).run();
}

} // namespace stratoplan::search
