// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/solver.h"

#include "core/calibration/least_squares.h"

#include <algorithm>
#include <cmath>

namespace stratoplan::calibration::detail {

namespace {

/// A constant so far from its value in `profile`, in logarithms or logits.
double moved(const CalibrationParameter& p, const plan::SoftwareProfile& profile, double distance)
{
    const double value = p.get(profile);
    if (distance == 0)
        return value;
    if (p.share)
        return 1 / (1 + std::exp(-(std::log(value / (1 - value)) + distance)));
    return std::clamp(value * std::exp(distance), std::min(p.minimum, value), std::max(p.maximum, value));
}

/// The constants that a fit may move, and the rows that move them.
class ProfileFit {
public:
    ProfileFit(const Rows& rows, const Starts& starts, const CalibrationOptions& options, std::stop_token stop)
        : m_starts(starts)
        , m_target(options.target)
        , m_parameters(freeParameters(starts, options))
    {
        m_problem.observations = rows.size();
        for (const MeasuredRun* row : rows)
            m_problem.weights.push_back(row->weight);
        m_problem.noise = options.noise;
        m_problem.maximumEvaluations = options.maximumEvaluations;
        for (const CalibrationParameter* p : m_parameters) // as factors, which distances become
            m_problem.constants.push_back({.spread = p->spread * options.spread});
        m_problem.errors = [this, &rows, stop](std::span<const double> factors, std::span<double> errors) {
            std::vector<double> x;
            for (const double factor : factors)
                x.push_back(std::log(factor));
            const Starts software = profiles(x);
            for (std::size_t i = 0; i < rows.size() && !stop.stop_requested(); ++i) {
                const auto value = estimated(*rows[i], software.profileOf(*rows[i]), m_target);
                errors[i] = value ? std::log(*value / *measured(*rows[i], m_target)) : 0;
            }
        };
    }
    ProfileFit(const ProfileFit&) = delete;
    ProfileFit& operator=(const ProfileFit&) = delete;

    [[nodiscard]] Starts profiles(std::span<const double> x) const
    {
        std::vector<plan::SoftwareProfile> result = m_starts.all();
        for (plan::SoftwareProfile& profile : result)
            for (std::size_t i = 0; i < m_parameters.size(); ++i)
                if (fittable(*m_parameters[i], profile, m_target))
                    m_parameters[i]->set(profile, moved(*m_parameters[i], profile, x[i]));
        return Starts(std::move(result));
    }

    [[nodiscard]] const LeastSquares& problem() const { return m_problem; }

private:
    const Starts& m_starts;
    plan::CalibrationTarget m_target;
    std::vector<const CalibrationParameter*> m_parameters;
    LeastSquares m_problem;
};

} // namespace

bool fittable(const CalibrationParameter& p, const plan::SoftwareProfile& start, plan::CalibrationTarget target)
{
    const double value = p.get(start);
    return p.target == target && value > 0 && (!p.share || value < 1);
}

std::vector<const CalibrationParameter*> freeParameters(const Starts& starts, const CalibrationOptions& options)
{
    std::vector<const CalibrationParameter*> parameters;
    for (const CalibrationParameter& p : calibrationParameters()) {
        const bool wanted =
            !options.only || std::find(options.only->begin(), options.only->end(), p.key) != options.only->end();
        if (wanted && std::ranges::any_of(starts.all(), [&](const plan::SoftwareProfile& start) {
                return fittable(p, start, options.target);
            }))
            parameters.push_back(&p);
    }
    return parameters;
}

std::optional<double> measured(const MeasuredRun& c, plan::CalibrationTarget target)
{
    const auto& value = target == plan::CalibrationTarget::StepTime ? c.stepSeconds : c.peakGib;
    return value && *value > 0 ? value : std::nullopt;
}

std::optional<double> estimated(
    const MeasuredRun& c, const plan::SoftwareProfile& profile, plan::CalibrationTarget target)
{
    plan::Plan plan = c.plan;
    plan.training.software = profile;
    const auto answer = estimate::estimate(plan, {.remedies = false, .range = false});
    if (!answer)
        return std::nullopt;
    if (target == plan::CalibrationTarget::StepTime)
        return answer->step.value() * c.batchScale;
    const Bytes whole = c.peakOfFirstStage ? answer->memory.stages.front().total() : answer->memory.peak;
    const Bytes peak = whole - (c.allocatorPeak ? profile.reserve : Bytes{});
    return peak > Bytes{} ? std::optional(peak.value() / kGiB) : std::nullopt;
}

std::vector<std::size_t> usableRows(
    const std::vector<MeasuredRun>& runs, const Starts& starts, plan::CalibrationTarget target)
{
    std::vector<std::size_t> usable;
    for (std::size_t i = 0; i < runs.size(); ++i)
        if (measured(runs[i], target) && estimated(runs[i], starts.profileOf(runs[i]), target))
            usable.push_back(i);
    return usable;
}

Solution solve(const Rows& rows, const Starts& starts, const CalibrationOptions& options, std::stop_token stop)
{
    const ProfileFit fit(rows, starts, options, stop);
    const LeastSquaresSolution solution = solve(fit.problem(), {}, stop);
    if (solution.x.empty())
        return {starts, {}, true};
    return {fit.profiles(solution.x), solution.x, solution.converged};
}

std::vector<double> spreads(const Rows& rows, const Starts& starts, const CalibrationOptions& options,
    const std::vector<double>& x, std::stop_token stop)
{
    const ProfileFit fit(rows, starts, options, stop);
    return spreadsAt(fit.problem(), x, stop);
}

CalibrationOptions withoutUnidentified(
    const Rows& rows, const Starts& starts, CalibrationOptions options, std::stop_token stop)
{
    if (!options.holdUnidentified || rows.empty())
        return options;
    const ProfileFit fit(rows, starts, options, stop);
    const auto free = freeParameters(starts, options);
    std::vector<std::string> keys;
    for (const std::size_t i : identifiedAt(fit.problem(), {}, stop)) // at the priors: no bound is reached there
        keys.emplace_back(free[i]->key);
    options.only = std::move(keys);
    return options;
}

} // namespace stratoplan::calibration::detail
