// SPDX-License-Identifier: Apache-2.0
// Remedies of broken rules are priced before they are offered: one that runs out of memory, or takes longer, is none.
#include "core/estimate/remedies.h"

#include "core/plan/rules.h"
#include "core/pricing/divided_layers.h"

namespace stratoplan::estimate {
namespace {

/// Told of what keeps accelerators waiting or idle: what mends it without a shorter step mends nothing.
bool costsTime(const plan::Problem& problem)
{
    using enum plan::ProblemCode;
    return problem.severity == plan::Severity::Warning
        && (problem.code == LayersNotDivisible || problem.code == RanksLeaveIdle || problem.code == UnlikeNodes);
}

/// Prices what is proposed against one problem after another.
class RemedyPrices {
public:
    RemedyPrices(const plan::Plan& plan, const std::optional<StepNow>& now, const EstimateOptions& options)
        : m_plan(plan)
        , m_now(now)
        , m_options{.remedies = false, .range = false, .catalog = options.catalog, .stop = options.stop}
    {
    }

    void add(plan::Problem& problem, const std::vector<plan::Problem>& all)
    {
        m_left = pricing::dividesLayers(m_plan.strategy) ? kMostDivided : kMostPriced;
        m_beyond.clear();
        std::vector<plan::Remedy> remedies =
            remediesFor(m_plan, problem, all, [&](plan::Remedy& remedy) { return helps(problem, remedy); });
        // Out of memory is nearer than a broken rule: it has remedies of its own.
        if (remedies.empty())
            remedies = std::move(m_beyond);
        for (plan::Remedy& remedy : remedies)
            if (problem.remedies.size() < kMostRemedies)
                problem.remedies.push_back(std::move(remedy));
    }

private:
    static constexpr std::size_t kMostRemedies = 3;
    static constexpr int kMostPriced = 12;
    static constexpr int kMostDivided = 3; ///< where the best division of a layer takes seconds to find

    bool helps(const plan::Problem& problem, plan::Remedy& remedy)
    {
        if (m_left-- <= 0 || m_options.stop.stop_requested())
            return false;
        const auto then = estimate(mended(m_plan, remedy), m_options);
        if (!m_now)
            return !then || keepsMemory(then->fits, remedy); // without a price: other rules are broken, too
        if (!then || (m_now->fits && !then->fits))
            return false;
        if (!costsTime(problem))
            return true;
        remedy.gain = plan::RemedyGain{.slower = then->step / m_now->step - 1};
        return then->step < m_now->step;
    }

    bool keepsMemory(bool fits, const plan::Remedy& remedy)
    {
        if (!fits) {
            m_beyond.push_back(remedy);
            m_beyond.back().fits = false;
        }
        return fits;
    }

    const plan::Plan& m_plan;
    std::optional<StepNow> m_now;
    EstimateOptions m_options;
    int m_left = 0;
    std::vector<plan::Remedy> m_beyond; ///< nearest first
};

} // namespace

void addRuleRemedies(const plan::Plan& plan, const std::optional<StepNow>& now, const EstimateOptions& options,
    std::vector<plan::Problem>& problems)
{
    const std::vector<plan::Problem> all = problems;
    RemedyPrices prices(plan, now, options);
    for (plan::Problem& problem : problems)
        prices.add(problem, all);
}

} // namespace stratoplan::estimate
