// SPDX-License-Identifier: Apache-2.0
#include "core/search/recheck.h"

#include "core/pricing/limits.h"
#include "core/search/nearest.h"
#include "core/search/rescore.h"
#include "core/space/membership.h"
#include "core/space/space_tree.h"

#include <algorithm>
#include <tuple>

namespace stratoplan::search {
namespace {

constexpr std::size_t kMostEquals = 16; // of one point
constexpr std::int64_t kSmallSpace = 20'000'000; // strategies whose front takes no second
constexpr int kMostRounds = 4;

class Rechecker {
public:
    Rechecker(const plan::Plan& plan, const plan::SearchSpace& space, const SearchOptions& options,
        const std::stop_token& stop)
        : m_plan(plan)
        , m_space(space)
        , m_closedForm(options)
        , m_simulated(options)
        , m_stop(stop)
    {
        m_simulated.mode = plan::SearchMode::Simulated;
        m_closedForm.byAccelerators = m_simulated.byAccelerators = false;
    }

    Recheck run(const SearchResult& result)
    {
        m_recheck.front = simulate(result.front);
        if (result.best)
            for (std::size_t i = 0; i < result.front.size(); ++i)
                if (m_recheck.front[i] && result.front[i] == *result.best)
                    m_recheck.apart = *m_recheck.front[i] / result.best->step - 1;
        if (m_recheck.isDoubtful() && m_closedForm.keep == FrontKind::Best && result.space <= kSmallSpace) {
            SearchOptions whole = m_closedForm;
            whole.keep = FrontKind::Whole;
            (void)simulate(search(m_plan, m_space, whole, m_stop).front);
        }
        tryPlans();
        if (m_recheck.isDoubtful())
            improve();
        return std::move(m_recheck);
    }

private:
    std::vector<std::optional<Seconds>> simulate(const std::vector<FoundStrategy>& found)
    {
        std::vector<FoundStrategy> wanted;
        std::vector<std::size_t> places;
        std::size_t equals = 0;
        for (std::size_t i = 0; i < found.size(); ++i) {
            equals =
                i > 0 && found[i].value == found[i - 1].value && found[i].peak == found[i - 1].peak ? equals + 1 : 0;
            if (equals >= kMostEquals)
                continue;
            wanted.push_back(found[i]);
            places.push_back(i);
        }
        std::vector<std::optional<Seconds>> steps(found.size());
        const std::vector<Rescored> rescored = rescore(m_plan, wanted, m_simulated, m_stop).strategies;
        for (std::size_t i = 0; i < rescored.size(); ++i) {
            if (!(rescored[i].found.step > Seconds{}))
                continue;
            steps[places[i]] = rescored[i].found.step;
            ++m_recheck.simulated;
            if (rescored[i].standing == Standing::Fits)
                offer({rescored[i].found, wanted[i].step, false});
        }
        return steps;
    }

    void tryPlans()
    {
        const FoundStrategy ofPlan{m_plan.strategy, m_plan.training.precision, 0, {}, {}};
        if (m_stop.stop_requested() || hasErrors(check(m_plan, {.remedies = false}))
            || !pricing::notEstimable(m_plan).empty()
            || outside(m_plan, m_space, schedulesOf(m_simulated), ofPlan.strategy, ofPlan.precision))
            return;
        const Rescored simulated = rescore(m_plan, {ofPlan}, m_simulated, m_stop).strategies.front();
        if (simulated.standing != Standing::Fits)
            return;
        ++m_recheck.simulated;
        const Rescored closed = rescore(m_plan, {ofPlan}, m_closedForm, m_stop).strategies.front();
        offer({simulated.found, closed.standing == Standing::Fits ? std::optional(closed.found.step) : std::nullopt,
            true});
    }

    /// One change after the other.
    void improve()
    {
        for (int changes = 0; changes < kMostRounds && m_recheck.best && !m_stop.stop_requested(); ++changes) {
            const FoundStrategy from = m_recheck.best->found;
            const auto near =
                nearestThatFits(m_plan, m_space, m_simulated, from.strategy, from.precision, false, m_stop);
            if (!near || !(near->found.value < from.value))
                return;
            ++m_recheck.simulated;
            const Rescored closed = rescore(m_plan, {near->found}, m_closedForm, m_stop).strategies.front();
            offer({near->found, closed.standing == Standing::Fits ? std::optional(closed.found.step) : std::nullopt,
                false});
            if (m_recheck.best->found == from)
                return;
        }
    }

    void offer(SimulatedStrategy strategy)
    {
        const bool fewest = m_closedForm.objective == plan::Objective::Deadline
            || m_closedForm.objective == plan::Objective::SmallestCluster;
        const auto order = [&](const SimulatedStrategy& s) {
            return std::tuple(fewest ? rankCount(s.found.strategy) : 0, s.found.value, s.found.peak.value());
        };
        if (!m_recheck.best || order(strategy) < order(*m_recheck.best))
            m_recheck.best = std::move(strategy);
    }

    const plan::Plan& m_plan;
    const plan::SearchSpace& m_space;
    SearchOptions m_closedForm, m_simulated;
    const std::stop_token& m_stop;
    Recheck m_recheck;
};

} // namespace

Recheck recheck(const plan::Plan& plan, const plan::SearchSpace& space, const SearchOptions& options,
    const SearchResult& result, const std::stop_token& stop)
{
    return Rechecker(plan, space, options, stop).run(result);
}

} // namespace stratoplan::search
