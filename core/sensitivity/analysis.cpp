// SPDX-License-Identifier: Apache-2.0
#include "core/sensitivity/analysis.h"

#include "core/sensitivity/draws.h"
#include "core/sensitivity/likeness.h"
#include "core/sensitivity/parallel.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stratoplan::sensitivity {
namespace {

/// What of the estimate of a draw its outcome needs.
struct Drawn {
    Case given;
    estimate::Estimate estimate;
    bool isPriced = false;
};

/// Of the step or the peak of a plan: logarithms over the estimate.
struct Explained {
    std::vector<double> draws; ///< what inputs do
    double low = 0, high = 0; ///< the measured range
    Residual left;
};

struct Deviates {
    std::vector<double> failures;
    std::vector<std::vector<double>> steps, peaks; ///< of residuals, by plan
    std::map<std::string, std::vector<double>> inputs; ///< by identity
};

double variance(const std::vector<double>& values)
{
    double sum = 0, squares = 0;
    for (const double value : values)
        sum += value;
    const double mean = sum / double(values.size());
    for (const double value : values)
        squares += (value - mean) * (value - mean);
    return squares / double(values.size());
}

double covariance(const std::vector<double>& a, const std::vector<double>& b)
{
    std::vector<double> sum(a.size());
    for (std::size_t i = 0; i < sum.size(); ++i)
        sum[i] = a[i] + b[i];
    return (variance(sum) - variance(a) - variance(b)) / 2;
}

/// The correlation of residuals that gives the sums of draws and residuals the correlation `whole`.
double ofResiduals(double whole, const std::vector<double>& first, const std::vector<double>& firstLeft,
    const std::vector<double>& other, const std::vector<double>& otherLeft)
{
    const double a = variance(firstLeft), b = variance(otherLeft);
    if (!(a > 0) || !(b > 0))
        return 1;
    const double together = whole * std::sqrt((variance(first) + a) * (variance(other) + b));
    const double correlation = (together - covariance(first, other)) / std::sqrt(a * b);
    constexpr double kSame = 1 - 1e-9; // what rounding takes from 1
    return correlation > kSame ? 1 : std::max(0.0, correlation);
}

std::vector<double> residuals(const Residual& residual, const std::vector<double>& normals)
{
    std::vector<double> left(normals.size());
    std::ranges::transform(normals, left.begin(), [&](double normal) { return residualAt(residual, normal); });
    return left;
}

/// Finds what draws leave of the range, and makes its deviates as like those of the first plan as the plans are.
void findAlike(Explained& other, std::vector<double>& normals, const Explained& first,
    const std::vector<double>& firstNormals, double likeness)
{
    other.left = residualOf(other.draws, normals, other.low, other.high);
    const double shared = ofResiduals(
        likeness, first.draws, residuals(first.left, firstNormals), other.draws, residuals(other.left, normals));
    for (std::size_t i = 0; i < normals.size(); ++i)
        normals[i] = shared * firstNormals[i] + std::sqrt(1 - shared * shared) * normals[i];
    other.left = residualOf(other.draws, normals, other.low, other.high);
}

class Analyser {
public:
    Analyser(std::span<const Case> cases, const AnalysisOptions& options, const std::stop_token& stop)
        : m_cases(cases.begin(), cases.end())
        , m_options(options)
        , m_work(options.threads, stop, options.progress)
    {
    }

    tl::expected<Analysis, AnalysisFault> answer()
    {
        for (std::size_t k = 0; k < m_cases.size(); ++k) {
            auto estimate = priced(m_cases[k].plan, m_work.stop(), true);
            if (!estimate && !m_work.isStopped())
                return tl::unexpected(AnalysisFault{k, std::move(estimate.error())});
            if (!estimate)
                return stopped();
            addPlan(k, std::move(*estimate));
        }
        if (!findBars() || !draw())
            return stopped();
        return std::move(m_answer);
    }

private:
    Analysis stopped()
    {
        m_answer.isStopped = true;
        return std::move(m_answer);
    }

    void addPlan(std::size_t k, estimate::Estimate estimate)
    {
        m_cases[k] = withPlannedCheckpoints(std::move(m_cases[k]), estimate);
        Answer answer;
        answer.base = outcomeOf(m_cases[k], estimate);
        for (std::size_t m = 0; m < kMeasures.size(); ++m)
            answer.ranges[m] = {answer.base.values[m], answer.base.values[m], answer.base.values[m]};
        if (k > 0)
            answer.likeness =
                likeness(m_cases.front().plan, m_answer.plans.front().estimate, m_cases[k].plan, estimate);
        answer.estimate = std::move(estimate);
        m_answer.plans.push_back(std::move(answer));
        std::vector<Input> uncertain;
        for (Input& input : inputsOf(m_cases[k])) {
            state(input);
            if (input.isUncertain())
                uncertain.push_back(std::move(input));
        }
        m_inputs.push_back(std::move(uncertain));
        m_work.expect(4 * m_inputs.back().size() + (m_options.stated.empty() ? 1 : 2) * std::size_t(m_options.draws));
    }

    /// The range that a person stated of the first plan; of another value, as wide in ratio, of shares in odds.
    void state(Input& input) const
    {
        const auto range = m_options.stated.find(input.key);
        if (range == m_options.stated.end())
            return;
        const auto first = inputOf(m_cases.front(), input.key);
        const auto [low, high] = range->second;
        const bool isInside = low <= input.value && input.value <= high;
        const auto moved = [&](double end) {
            if (isInside || !first)
                return end;
            if (!input.isShare)
                return std::clamp(end / first->value * input.value, input.least, input.most);
            const auto odds = [](double share) { return share / (1 - share); };
            const double scaled = odds(end) / odds(first->value) * odds(input.value);
            return std::clamp(scaled / (1 + scaled), input.least, input.most);
        };
        input.low = moved(low);
        input.high = moved(high);
        input.isStated = true;
    }

    /// At first with what is known before any run is measured, then with what the measured range leaves of it.
    bool findBars()
    {
        for (std::size_t k = 0; k < m_cases.size(); ++k) {
            Answer& plan = m_answer.plans[k];
            const std::vector<Bar> bars = tornado(m_cases[k], m_inputs[k], m_work);
            const estimate::Estimate& e = plan.estimate;
            m_answer.ofStep = std::min(m_answer.ofStep,
                narrowing(bars, Acts::Step, Measure::Step, e.step.value(), e.stepLow.value(), e.stepHigh.value()));
            m_answer.ofPeak = std::min(m_answer.ofPeak,
                narrowing(bars, Acts::Peak, Measure::Peak, e.memory.peak.value(), e.memory.peakLow.value(),
                    e.memory.peakHigh.value()));
        }
        for (std::size_t k = 0; k < m_cases.size() && !m_work.isStopped(); ++k) {
            for (Input& input : m_inputs[k])
                if (!input.isStated && input.acts != Acts::Run)
                    input = narrowed(std::move(input), input.acts == Acts::Step ? m_answer.ofStep : m_answer.ofPeak);
            m_answer.plans[k].bars = tornado(m_cases[k], m_inputs[k], m_work);
        }
        return !m_work.isStopped();
    }

    /// Of inputs that do anything, those that do most first: they have the most even points.
    [[nodiscard]] std::vector<std::string> drawnInputs() const
    {
        std::map<std::string, double> effects;
        for (const Answer& plan : m_answer.plans)
            for (const Bar& bar : plan.bars)
                if (hasEffect(bar, plan.base)) {
                    double& most = effects[bar.input.identity()];
                    for (const Measure measure : kMeasures)
                        if (plan.base.knows(measure) && plan.base.at(measure) > 0)
                            most = std::max(
                                most, reachOf(bar, measure, plan.base.at(measure)).width() / plan.base.at(measure));
                }
        std::vector<std::string> order;
        for (const auto& [identity, effect] : effects)
            order.push_back(identity);
        std::ranges::stable_sort(order, std::greater(), [&](const std::string& id) { return effects.at(id); });
        return order;
    }

    [[nodiscard]] Deviates deviates() const
    {
        const auto draws = std::size_t(m_options.draws);
        std::size_t dimension = 0;
        const auto next = [&] { return normalDraws(draws, dimension++); };
        Deviates deviates{next(), {next()}, {next()}, {}};
        for (const std::string& identity : drawnInputs())
            deviates.inputs[identity] = next();
        for (auto* const ofPlans : {&deviates.steps, &deviates.peaks}) // last: others do not change the first one's
            while (ofPlans->size() < m_cases.size())
                ofPlans->push_back(next());
        return deviates;
    }

    [[nodiscard]] Values valuesOf(std::size_t k, std::size_t i, bool withStated) const
    {
        Values values;
        for (const Input& input : m_inputs[k])
            if (const auto normals = m_deviates.inputs.find(input.identity());
                normals != m_deviates.inputs.end() && (withStated || !input.isStated))
                values.emplace_back(input.key, valueAt(input, normals->second[i]));
        return values;
    }

    Drawn drawnOf(std::size_t k, std::size_t i, bool withStated) const
    {
        Drawn drawn{with(m_cases[k], valuesOf(k, i, withStated)), {}, false};
        if (auto estimate = priced(drawn.given.plan, m_work.stop())) {
            drawn.estimate.step = estimate->step;
            drawn.estimate.memory = std::move(estimate->memory);
            drawn.isPriced = true;
        }
        return drawn;
    }

    /// Whole blocks of draws of all plans, until it is stopped; how many.
    std::size_t drawAll(std::vector<std::vector<Drawn>>& drawn, bool withStated)
    {
        constexpr std::size_t kBlock = 64;
        const auto draws = std::size_t(m_options.draws);
        const std::size_t plans = m_cases.size();
        drawn.assign(plans, std::vector<Drawn>(draws));
        std::size_t done = 0;
        while (done < draws) {
            const std::size_t block = std::min(kBlock, draws - done);
            const bool isWhole = m_work.each(block * plans, [&](std::size_t i) {
                drawn[i % plans][done + i / plans] = drawnOf(i % plans, done + i / plans, withStated);
            });
            if (!isWhole)
                break;
            done += block;
        }
        return done;
    }

    [[nodiscard]] Explained stepOf(std::size_t k, const std::vector<Drawn>& drawn) const
    {
        const estimate::Estimate& base = m_answer.plans[k].estimate;
        Explained step{{}, std::log(base.stepLow / base.step), std::log(base.stepHigh / base.step), {}};
        for (std::size_t i = 0; i < m_answer.draws; ++i)
            step.draws.push_back(drawn[i].isPriced ? std::log(drawn[i].estimate.step / base.step) : 0);
        return step;
    }

    [[nodiscard]] Explained peakOf(std::size_t k, const std::vector<Drawn>& drawn) const
    {
        const estimate::Memory& base = m_answer.plans[k].estimate.memory;
        Explained peak{{}, std::log(base.peakLow / base.peak), std::log(base.peakHigh / base.peak), {}};
        for (std::size_t i = 0; i < m_answer.draws; ++i)
            peak.draws.push_back(drawn[i].isPriced ? std::log(drawn[i].estimate.memory.peak / base.peak) : 0);
        return peak;
    }

    bool draw()
    {
        m_deviates = deviates();
        std::vector<std::vector<Drawn>> drawn, measured;
        const bool hasStated = std::ranges::any_of(
            m_inputs, [](const std::vector<Input>& inputs) { return std::ranges::any_of(inputs, &Input::isStated); });
        m_answer.draws = drawAll(drawn, true);
        if (hasStated)
            m_answer.draws = std::min(m_answer.draws, drawAll(measured, false));
        if (m_answer.draws == 0)
            return false;
        truncate();
        findResiduals(hasStated ? measured : drawn);
        findOutcomes(drawn);
        compare();
        return !m_work.isStopped();
    }

    /// To as many draws as were made.
    void truncate()
    {
        const auto cut = [&](std::vector<double>& normals) { normals.resize(m_answer.draws); };
        cut(m_deviates.failures);
        std::ranges::for_each(m_deviates.steps, cut);
        std::ranges::for_each(m_deviates.peaks, cut);
    }

    void findResiduals(const std::vector<std::vector<Drawn>>& drawn)
    {
        auto &steps = m_deviates.steps, &peaks = m_deviates.peaks;
        Explained firstStep = stepOf(0, drawn[0]), firstPeak = peakOf(0, drawn[0]);
        firstStep.left = residualOf(firstStep.draws, steps[0], firstStep.low, firstStep.high);
        firstPeak.left = residualOf(firstPeak.draws, peaks[0], firstPeak.low, firstPeak.high);
        m_answer.plans.front().step = firstStep.left;
        m_answer.plans.front().peak = firstPeak.left;
        for (std::size_t k = 1; k < m_cases.size(); ++k) {
            Answer& plan = m_answer.plans[k];
            Explained step = stepOf(k, drawn[k]), peak = peakOf(k, drawn[k]);
            findAlike(step, steps[k], firstStep, steps[0], plan.likeness);
            findAlike(peak, peaks[k], firstPeak, peaks[0], plan.likeness);
            plan.step = step.left;
            plan.peak = peak.left;
        }
    }

    void findOutcomes(const std::vector<std::vector<Drawn>>& all)
    {
        const std::size_t plans = m_cases.size();
        for (Answer& plan : m_answer.plans)
            plan.drawn.resize(m_answer.draws);
        detail::Parallel work(m_options.threads, {}, kNoProgress);
        work.each(m_answer.draws * plans, [&](std::size_t place) {
            const std::size_t k = place % plans, i = place / plans;
            const Drawn& drawn = all[k][i];
            Answer& plan = m_answer.plans[k];
            const Luck luck{std::exp(residualAt(plan.step, m_deviates.steps[k][i])),
                std::exp(residualAt(plan.peak, m_deviates.peaks[k][i])), m_deviates.failures[i]};
            if (drawn.isPriced) {
                plan.drawn[i] = outcomeOf(drawn.given, drawn.estimate, luck);
            } else {
                plan.drawn[i].values.fill(std::numeric_limits<double>::infinity());
                plan.drawn[i].fill = std::numeric_limits<double>::infinity();
            }
        });
    }

    void compare()
    {
        for (std::size_t k = 0; k < m_cases.size(); ++k) {
            Answer& plan = m_answer.plans[k];
            const Answer& first = m_answer.plans.front();
            for (const Measure measure : kMeasures) {
                const auto m = std::size_t(measure);
                if (plan.base.knows(measure))
                    plan.ranges[m] = rangeOf(plan, measure);
                plan.isCompared[m] = first.base.knows(measure) && plan.base.knows(measure)
                    && isComparable(m_cases.front(), m_cases[k], measure);
                plan.against[m] = plan.isCompared[m] ? chanceOf(first, plan, measure) : Chance{};
                plan.best[m] = 0;
            }
            const auto fit = double(std::ranges::count_if(plan.drawn, &Outcome::fits));
            const auto known = double(std::ranges::count_if(plan.drawn, &Outcome::isPriced));
            plan.outOfMemory = known > 0 ? 1 - fit / known : 0;
            plan.cannotRun = 1 - known / double(m_answer.draws);
        }
        for (const Measure measure : kMeasures)
            findBest(measure);
    }

    static capacity::Spread rangeOf(const Answer& plan, Measure measure)
    {
        std::vector<double> values;
        for (const Outcome& outcome : plan.drawn)
            if (outcome.isPriced())
                values.push_back(outcome.at(measure));
        std::ranges::sort(values);
        const double middle = plan.base.at(measure), unknown = std::numeric_limits<double>::quiet_NaN();
        if (values.empty())
            return {unknown, middle, unknown};
        return {std::min(middle, quantile(values, 0.1)), middle, std::max(middle, quantile(values, 0.9))};
    }

    /// What a plan has in a draw; forever, where it does not fit.
    static double scoreOf(const Outcome& outcome, Measure measure)
    {
        return outcome.fits() || measure == Measure::Peak ? outcome.at(measure)
                                                          : std::numeric_limits<double>::infinity();
    }

    /// -1 where the first is better.
    static int order(double first, double other)
    {
        constexpr double kSame = 1e-9;
        if (first == other || std::abs(first - other) <= kSame * std::abs(first))
            return 0;
        return first < other ? -1 : 1;
    }

    static Chance chanceOf(const Answer& first, const Answer& other, Measure measure)
    {
        Chance chance;
        const double each = 1.0 / double(first.drawn.size());
        for (std::size_t i = 0; i < first.drawn.size(); ++i) {
            const int who = order(scoreOf(first.drawn[i], measure), scoreOf(other.drawn[i], measure));
            (who < 0 ? chance.wins : who > 0 ? chance.losses : chance.ties) += each;
        }
        return chance;
    }

    void findBest(Measure measure)
    {
        const auto m = std::size_t(measure);
        if (!std::ranges::all_of(m_answer.plans, [m](const Answer& plan) { return plan.isCompared[m]; }))
            return;
        for (std::size_t i = 0; i < m_answer.draws; ++i) {
            const auto score = [&](const Answer& plan) { return scoreOf(plan.drawn[i], measure); };
            double least = std::numeric_limits<double>::infinity();
            for (const Answer& plan : m_answer.plans)
                least = std::min(least, score(plan));
            const auto isBest = [&](const Answer& plan) { return order(score(plan), least) == 0; };
            const auto many = double(std::ranges::count_if(m_answer.plans, isBest));
            for (Answer& plan : m_answer.plans)
                if (isBest(plan))
                    plan.best[m] += 1 / many / double(m_answer.draws);
        }
    }

    inline static const Progress kNoProgress;

    std::vector<Case> m_cases;
    const AnalysisOptions& m_options;
    detail::Parallel m_work;
    Analysis m_answer;
    std::vector<std::vector<Input>> m_inputs; ///< uncertain ones, by plan
    Deviates m_deviates;
};

} // namespace

tl::expected<Analysis, AnalysisFault> analyse(
    std::span<const Case> cases, const AnalysisOptions& options, const std::stop_token& stop)
{
    return Analyser(cases, options, stop).answer();
}

} // namespace stratoplan::sensitivity
