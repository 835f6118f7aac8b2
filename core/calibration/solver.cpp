// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/solver.h"

#include "core/calibration/least_squares.h"

#include <algorithm>
#include <cmath>

namespace stratoplan::calibration::detail {

namespace {

/// The constants of a profile that a fit may move, and the rows that move them.
class ProfileFit {
public:
    ProfileFit(
        const Rows& rows, const plan::SoftwareProfile& start, const CalibrationOptions& options, std::stop_token stop)
        : m_parameters(freeParameters(start, options))
    {
        m_problem.observations = rows.size();
        for (const MeasuredRun* row : rows)
            m_problem.weights.push_back(row->weight);
        m_problem.noise = options.noise;
        m_problem.maximumEvaluations = options.maximumEvaluations;
        for (const CalibrationParameter* p : m_parameters)
            m_problem.constants.push_back({p->get(start), p->spread, p->maximum, p->share});
        m_problem.errors = [this, &rows, start, target = options.target, stop](
                               std::span<const double> constants, std::span<double> errors) {
            const plan::SoftwareProfile software = profile(start, constants);
            for (std::size_t i = 0; i < rows.size() && !stop.stop_requested(); ++i) {
                const auto value = estimated(*rows[i], software, target);
                errors[i] = value ? std::log(*value / *measured(*rows[i], target)) : 0;
            }
        };
    }
    ProfileFit(const ProfileFit&) = delete;
    ProfileFit& operator=(const ProfileFit&) = delete;

    [[nodiscard]] plan::SoftwareProfile profile(
        const plan::SoftwareProfile& start, std::span<const double> constants) const
    {
        plan::SoftwareProfile result = start;
        for (std::size_t i = 0; i < m_parameters.size(); ++i)
            m_parameters[i]->set(result, constants[i]);
        return result;
    }

    [[nodiscard]] const LeastSquares& problem() const { return m_problem; }

private:
    std::vector<const CalibrationParameter*> m_parameters;
    LeastSquares m_problem;
};

} // namespace

bool fittable(const CalibrationParameter& p, const plan::SoftwareProfile& start, plan::CalibrationTarget target)
{
    const double value = p.get(start);
    return p.target == target && value > 0 && (!p.share || value < 1);
}

std::vector<const CalibrationParameter*> freeParameters(
    const plan::SoftwareProfile& start, const CalibrationOptions& options)
{
    std::vector<const CalibrationParameter*> parameters;
    for (const CalibrationParameter& p : calibrationParameters()) {
        const bool wanted =
            !options.only || std::find(options.only->begin(), options.only->end(), p.key) != options.only->end();
        if (wanted && fittable(p, start, options.target))
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
    const Bytes peak = answer->memory.peak - (c.allocatorPeak ? profile.reserve : Bytes{});
    return peak > Bytes{} ? std::optional(peak.value() / kGiB) : std::nullopt;
}

std::vector<std::size_t> usableRows(
    const std::vector<MeasuredRun>& runs, const plan::SoftwareProfile& start, plan::CalibrationTarget target)
{
    std::vector<std::size_t> usable;
    for (std::size_t i = 0; i < runs.size(); ++i)
        if (measured(runs[i], target) && estimated(runs[i], start, target))
            usable.push_back(i);
    return usable;
}

Solution solve(const Rows& rows, const plan::SoftwareProfile& start, const CalibrationOptions& options,
    const std::vector<double>& from, std::stop_token stop)
{
    const ProfileFit fit(rows, start, options, stop);
    const LeastSquaresSolution solution = solve(fit.problem(), from, stop);
    if (solution.x.empty())
        return {start, {}, true};
    return {fit.profile(start, solution.constants), solution.x, solution.converged};
}

std::vector<double> spreads(const Rows& rows, const plan::SoftwareProfile& start, const CalibrationOptions& options,
    const std::vector<double>& x, std::stop_token stop)
{
    const ProfileFit fit(rows, start, options, stop);
    return spreadsAt(fit.problem(), x, stop);
}

std::vector<std::string> identified(const Rows& rows, const plan::SoftwareProfile& start,
    const CalibrationOptions& options, const std::vector<double>& x, std::stop_token stop)
{
    const ProfileFit fit(rows, start, options, stop);
    const auto free = freeParameters(start, options);
    std::vector<std::string> keys;
    for (const std::size_t i : identifiedAt(fit.problem(), x, stop))
        keys.emplace_back(free[i]->key);
    return keys;
}

} // namespace stratoplan::calibration::detail
