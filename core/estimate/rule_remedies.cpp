// SPDX-License-Identifier: Apache-2.0
// Remedies of broken rules are priced before they are offered: one that runs out of memory, or takes longer, is none.
#include "core/estimate/remedies.h"

#include "core/estimate/link_rules.h"

#include "core/plan/rules.h"
#include "core/pricing/divided_layers.h"
#include "core/pricing/limits.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace stratoplan::estimate {
namespace {

/// Told of what keeps accelerators waiting, idle or sending: what mends it without a shorter step mends nothing.
bool costsTime(const plan::Problem& problem)
{
    using enum plan::ProblemCode;
    const auto isOne = [&](const auto... codes) { return ((problem.code == codes) || ...); };
    return problem.severity == plan::Severity::Warning
        && isOne(LayersNotDivisible, RanksLeaveIdle, TensorParallelLeavesNode);
}

/// Whether so little memory is left that it is told of.
bool isTight(const Estimate& estimate)
{
    return std::ranges::any_of(estimate.problems,
        [](const plan::Problem& problem) { return problem.code == plan::ProblemCode::MemoryPressure; });
}

/// Prices what is proposed against one problem after another, the same edit once.
class RemedyPrices {
public:
    RemedyPrices(const plan::Plan& plan, const std::optional<StepNow>& now, const EstimateOptions& options)
        : m_plan(plan)
        , m_now(now)
        , m_options{.remedies = false, .waits = false, .range = false, .catalog = options.catalog, .stop = options.stop}
    {
        // Seconds each: the best division of a layer, and the cables between hundreds of groups.
        constexpr std::size_t kManyGroups = 64;
        const parallel::Strategy& s = plan.strategy;
        const bool divides = pricing::dividesLayers(s) && s.operatorPartitions.empty();
        if (divides || plan.cluster.nodes.size() > kManyGroups)
            m_left = now || s.tp <= pricing::kQuicklyDivided ? 4 : 0;
    }

    void add(plan::Problem& problem, const std::vector<plan::Problem>& all)
    {
        m_fitting.clear();
        m_tight.clear();
        m_beyond.clear();
        m_unpriced.clear();
        const auto takeNext = [&](plan::Remedy remedy) { return take(problem, std::move(remedy)); };
        eachRemedy(m_plan, problem, all, m_gaps, takeNext, m_options.stop);
        std::vector<plan::Remedy> offered = best(m_fitting.empty() ? m_tight : m_fitting);
        // Out of memory is nearer than another broken rule: it has remedies of its own.
        if (offered.empty())
            offered = std::move(m_beyond.empty() ? m_unpriced : m_beyond);
        offered.resize(std::min(offered.size(), plan::kMostRemedies));
        std::ranges::move(offered, std::back_inserter(problem.remedies));
    }

private:
    struct Fitting {
        plan::Remedy remedy;
        Seconds ofSequence{};
    };

    /// Of those that fit the fastest, and others that are nearly as fast: of one degree the next values are seldom.
    static std::vector<plan::Remedy> best(std::vector<Fitting>& all)
    {
        constexpr double kNearlyAsFast = 1.5;
        std::ranges::stable_sort(all, {}, &Fitting::ofSequence);
        std::vector<plan::Remedy> found;
        for (Fitting& fitting : all)
            if (fitting.ofSequence <= all.front().ofSequence * kNearlyAsFast)
                found.push_back(std::move(fitting.remedy));
        return found;
    }

    /// Whether more are wanted.
    bool take(const plan::Problem& problem, plan::Remedy remedy)
    {
        if (!m_now && problem.severity != plan::Severity::Error && !remedy.cluster)
            return false; // what a strategy gains is not known before errors are mended
        const plan::Plan then = mended(m_plan, remedy);
        if (problem.code == plan::ProblemCode::ImpossibleLink
            && isImpossibleAt(then, *m_options.catalog, problem.where))
            return true; // for another reason
        const Known* known = priced(then);
        if (known == nullptr) {
            if (!m_now)
                m_unpriced.push_back(std::move(remedy));
            return !m_now && m_unpriced.size() < plan::kMostRemedies;
        }
        if (known->price)
            judge(problem, std::move(remedy), *known, then.training.globalBatch);
        else if (!m_now) // other rules are broken, too
            m_unpriced.push_back(std::move(remedy));
        return true;
    }

    struct Known {
        plan::Plan plan;
        std::optional<StepNow> price;
        bool isTight = false; ///< fits, and leaves little
    };

    void judge(const plan::Problem& problem, plan::Remedy remedy, const Known& known, int batch)
    {
        const StepNow& then = *known.price;
        if (m_now) {
            const double slower = then.step / m_now->step - 1;
            const double ofSequence = (1 + slower) * m_plan.training.globalBatch / batch - 1; // fewer take less time
            if ((m_now->fits && !then.fits) || (costsTime(problem) && std::max(slower, ofSequence) > -kWorthTelling))
                return;
            const std::optional<double> perToken = remedy.globalBatch ? std::optional(ofSequence) : std::nullopt;
            if (std::abs(perToken.value_or(slower)) >= kWorthTelling)
                remedy.gain = plan::RemedyGain{.slower = slower, .perToken = perToken};
        }
        // Of a plan out of memory the other rules are mended as ever.
        remedy.lacksMemory = !then.fits && (!m_now || costsTime(problem));
        if (remedy.lacksMemory)
            m_beyond.push_back(std::move(remedy));
        else
            (known.isTight ? m_tight : m_fitting).push_back({std::move(remedy), then.step / double(batch)});
    }

    /// Nothing where the plan is new, and no more are priced.
    const Known* priced(const plan::Plan& plan)
    {
        const auto found = std::ranges::find(m_known, plan, &Known::plan);
        if (found != m_known.end())
            return &*found;
        if (m_left == 0)
            return nullptr;
        --m_left;
        const auto answer = estimate(plan, m_options);
        Known& known = m_known.emplace_back(Known{plan, {}});
        if (answer) {
            known.price = StepNow{answer->step, answer->fits};
            known.isTight = isTight(*answer);
        }
        return &known;
    }

    const plan::Plan& m_plan;
    std::optional<StepNow> m_now;
    EstimateOptions m_options;
    plan::KnownGaps m_gaps;
    int m_left = 24; ///< prices, of all problems together
    std::vector<Known> m_known;
    std::vector<Fitting> m_fitting;
    std::vector<Fitting> m_tight; ///< with little memory left: where no others fit
    std::vector<plan::Remedy> m_beyond; ///< nearest first, as are the next
    std::vector<plan::Remedy> m_unpriced;
};

} // namespace

void addRuleRemedies(const plan::Plan& plan, const std::optional<StepNow>& now, const EstimateOptions& options,
    std::vector<plan::Problem>& problems)
{
    const std::vector<plan::Problem> all = problems;
    RemedyPrices prices(plan, now, options);
    eachToMend(problems, [&](plan::Problem& problem) { prices.add(problem, all); });
}

} // namespace stratoplan::estimate
