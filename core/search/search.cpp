// SPDX-License-Identifier: Apache-2.0
#include "core/search/search.h"

#include "core/cost/machine.h"
#include "core/search/explore.h"
#include "core/search/space_tree.h"
#include "core/units/named.h"

#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>

namespace stratoplan {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostPerRound = 256;

constexpr NameTable<Objective, 6> kObjectives{{{Objective::Throughput, "throughput"}, {Objective::TokensPerCost, "tokens-per-dollar"},
    {Objective::TokensPerEnergy, "tokens-per-joule"}, {Objective::Deadline, "deadline"}, {Objective::SmallestCluster, "smallest-cluster"},
    {Objective::Robust, "robust"}}};

bool countsAccelerators(Objective objective)
{
    return objective == Objective::Deadline || objective == Objective::SmallestCluster;
}

/// The plan in one training precision.
struct Variant {
    Plan plan;
    SpaceTree tree;

    Variant(const Plan& itsPlan, Precision precision, const SearchSpace& space, SearchMode mode, const std::stop_token& stop)
        : plan(withPrecision(itsPlan, precision))
        , tree(plan, space, machine(plan).topology, mode == SearchMode::Simulated ? Schedules::All : Schedules::WithClosedForm, stop)
    {
    }
    static Plan withPrecision(Plan plan, Precision precision)
    {
        plan.training.precision = precision;
        return plan;
    }
};

/// A subtree to explore.
struct Root {
    std::size_t variant = 0;
    const Division* division = nullptr;
    double bound = 0;
    int ranks = 0;
    std::size_t sequence = 0; ///< place of its TP and CP among those of all roots
};

class Searcher {
public:
    Searcher(const Plan& plan, const SearchSpace& space, const SearchOptions& options, const std::stop_token& stop, const SearchProgressCallback& progress)
        : m_options(options)
        , m_stop(stop)
        , m_progress(progress)
        , m_threads(options.threads > 0 ? options.threads : machineThreads())
        , m_allowed(tbb::global_control::max_allowed_parallelism, std::size_t(std::max(m_threads, machineThreads())))
        , m_arena(m_threads)
        , m_explorers([this] { return makeExplorers(); })
        , m_front(options.keep)
    {
        const std::vector<Precision> precisions = space.precisions.empty() ? std::vector{plan.training.precision} : space.precisions;
        for (const Precision precision : precisions)
            m_variants.push_back(std::make_unique<Variant>(plan, precision, space, options.mode, stop));
        m_result.mode = options.mode;
        m_result.threads = m_threads;
    }

    SearchResult run()
    {
        plant();
        if (m_options.mode == SearchMode::Simulated && !m_options.exhaustive)
            simulateClosedFormFront();
        m_result.pruned = {};
        m_result.evaluated = 0;
        const std::size_t reached = exploreRoots(m_options.mode, m_front);
        finish(reached);
        return std::move(m_result);
    }

private:
    using Explorers = std::vector<std::unique_ptr<Explorer>>;

    Explorers makeExplorers() const
    {
        Explorers explorers;
        for (const auto& variant : m_variants)
            explorers.push_back(std::make_unique<Explorer>(variant->plan, variant->tree, m_options));
        return explorers;
    }

    template <class Visit>
    void eachInParallel(std::size_t begin, std::size_t end, Visit visit)
    {
        m_arena.execute([&] { tbb::parallel_for(begin, end, [&](std::size_t i) { visit(i, m_explorers.local()); }); });
    }

    /// All subtrees, the most promising first.
    void plant()
    {
        using SequenceKey = std::array<int, 3>;
        std::map<SequenceKey, std::size_t> places;
        std::vector<SequenceKey> sequences;
        for (std::size_t variant = 0; variant < m_variants.size(); ++variant) {
            m_result.space += m_variants[variant]->tree.leaves();
            for (const Division& d : m_variants[variant]->tree.divisions()) {
                const SequenceKey key{int(variant), d.tp, d.cp};
                const auto [place, isNew] = places.try_emplace(key, sequences.size());
                if (isNew)
                    sequences.push_back(key);
                m_roots.push_back({variant, &d, 0, d.tp * d.cp * d.pp * d.dp, place->second});
            }
        }
        m_ofSequences.resize(sequences.size());
        eachInParallel(0, sequences.size(), [&](std::size_t i, Explorers& explorers) {
            const auto [variant, tp, cp] = sequences[i];
            if (!m_stop.stop_requested())
                m_ofSequences[i] = explorers[std::size_t(variant)]->leastOfSequences(tp, cp);
        });
        eachInParallel(0, m_roots.size(), [&](std::size_t i, Explorers& explorers) {
            Root& root = m_roots[i];
            if (!m_stop.stop_requested())
                root.bound = explorers[root.variant]->bound(*root.division, m_ofSequences[root.sequence]);
        });
        const bool fewest = countsAccelerators(m_options.objective);
        std::stable_sort(m_roots.begin(), m_roots.end(), [&](const Root& a, const Root& b) {
            return fewest && a.ranks != b.ranks ? a.ranks < b.ranks : a.bound < b.bound;
        });
    }

    /// What is best in closed form is good when simulated: it goes first, so that little else needs to be simulated.
    void simulateClosedFormFront()
    {
        Front closedForm(m_options.keep);
        exploreRoots(SearchMode::ClosedForm, closedForm);
        std::vector<const FoundStrategy*> candidates;
        for (const Front::Point& point : closedForm.points())
            for (const FoundStrategy& found : point.strategies)
                candidates.push_back(&found);
        std::vector<std::optional<FoundStrategy>> simulated(candidates.size());
        eachInParallel(0, candidates.size(), [&](std::size_t i, Explorers& explorers) {
            for (std::size_t variant = 0; variant < m_variants.size(); ++variant)
                if (!m_stop.stop_requested() && m_variants[variant]->plan.training.precision == candidates[i]->precision)
                    simulated[i] = explorers[variant]->simulated(candidates[i]->strategy);
        });
        for (std::optional<FoundStrategy>& found : simulated)
            if (found)
                m_front.add(std::move(*found));
    }

    /// Explores in rounds that grow, each measured against what was found before it. Returns how many roots were done.
    std::size_t exploreRoots(SearchMode mode, Front& front)
    {
        std::size_t begin = 0;
        while (begin < m_roots.size() && !m_stop.stop_requested()) {
            const std::size_t end = endOfRound(begin, std::min(1 + begin / 16, kMostPerRound));
            if (!exploreRound(begin, end, mode, front))
                break;
            begin = end;
            report();
        }
        return begin;
    }

    [[nodiscard]] std::size_t endOfRound(std::size_t begin, std::size_t size) const
    {
        std::size_t end = std::min(begin + size, m_roots.size());
        if (countsAccelerators(m_options.objective)) // strategies of more accelerators only where fewer have none
            while (m_roots[end - 1].ranks != m_roots[begin].ranks)
                --end;
        return end;
    }

    /// False if stopped: then what was found is kept, and the counts of the round are not.
    bool exploreRound(std::size_t begin, std::size_t end, SearchMode mode, Front& front)
    {
        if (countsAccelerators(m_options.objective) && !front.empty()
            && m_roots[begin].ranks > rankCount(front.best().strategies.front().strategy)) {
            for (std::size_t i = begin; i < end; ++i)
                m_result.pruned[std::size_t(PruneRule::Objective)] += m_roots[i].division->leaves;
            return true;
        }
        std::vector<Explored> explored(end - begin);
        eachInParallel(begin, end, [&](std::size_t i, Explorers& explorers) {
            const Root& root = m_roots[i];
            explored[i - begin] = explorers[root.variant]->explore(*root.division, m_ofSequences[root.sequence], front, mode, m_stop);
        });
        bool whole = true;
        for (const Explored& one : explored) {
            front.merge(one.found);
            m_result.evaluated += one.evaluated;
            for (std::size_t rule = 0; rule < kPruneRules; ++rule)
                m_result.pruned[rule] += one.pruned[rule];
            whole = whole && one.whole;
        }
        return whole;
    }

    [[nodiscard]] double seconds() const { return std::chrono::duration<double>(Clock::now() - m_started).count(); }

    [[nodiscard]] std::int64_t decided() const
    {
        return std::accumulate(m_result.pruned.begin(), m_result.pruned.end(), m_result.evaluated);
    }

    void report() const
    {
        if (!m_progress)
            return;
        SearchProgress progress{m_result.space, decided(), m_result.evaluated, seconds(), std::nullopt};
        if (!m_front.empty())
            progress.best = m_front.best().strategies.front();
        m_progress(progress);
    }

    void finish(std::size_t reached)
    {
        const bool whole = reached == m_roots.size() && !m_stop.stop_requested();
        m_result.proven = whole;
        m_result.unvisited = m_result.space - decided();
        for (const Front::Point& point : m_front.points())
            m_result.front.insert(m_result.front.end(), point.strategies.begin(), point.strategies.end());
        if (!m_front.empty()) {
            const Front::Point& best = m_front.best();
            m_result.best = best.strategies.front();
            double least = best.value;
            for (std::size_t i = reached; i < m_roots.size(); ++i)
                least = std::min(least, m_roots[i].bound);
            m_result.gap = whole ? 0 : 1 - least / best.value;
        } else {
            m_result.gap = whole ? 0 : 1;
        }
        m_result.seconds = seconds();
    }

    const SearchOptions& m_options;
    const std::stop_token& m_stop;
    const SearchProgressCallback& m_progress;
    int m_threads;
    tbb::global_control m_allowed; ///< as many as asked for, even above the number of cores
    tbb::task_arena m_arena;
    std::vector<std::unique_ptr<Variant>> m_variants;
    tbb::enumerable_thread_specific<Explorers> m_explorers;
    std::vector<Root> m_roots;
    std::vector<std::vector<Seconds>> m_ofSequences; ///< by Root::sequence, then micro-batch
    Front m_front;
    SearchResult m_result;
    Clock::time_point m_started = Clock::now();
};

} // namespace

std::string_view key(SearchMode mode)
{
    return mode == SearchMode::ClosedForm ? "closed-form" : "simulated";
}

std::string_view key(Objective objective)
{
    return nameIn(kObjectives, objective);
}

std::optional<Objective> objectiveFromKey(std::string_view key)
{
    return valueIn(kObjectives, key);
}

std::string_view describe(Objective objective)
{
    switch (objective) {
    case Objective::Throughput: return "the shortest step";
    case Objective::TokensPerCost: return "the most tokens for the money";
    case Objective::TokensPerEnergy: return "the most tokens for the energy";
    case Objective::Deadline: return "the fewest accelerators that meet the deadline";
    case Objective::SmallestCluster: return "the fewest accelerators that hold the model";
    case Objective::Robust: return "the shortest step at the pessimistic end of its range";
    }
    return {};
}

int machineThreads()
{
    return tbb::this_task_arena::max_concurrency();
}

SearchResult search(
    const Plan& plan, const SearchSpace& space, const SearchOptions& options, const std::stop_token& stop, const SearchProgressCallback& progress)
{
    return Searcher(plan, space, options, stop, progress).run();
}

} // namespace stratoplan
