// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/solver.h"

#include <Eigen/Core>
#include <unsupported/Eigen/NonLinearOptimization>
#include <unsupported/Eigen/NumericalDiff>

#include <algorithm>
#include <cmath>

namespace stratoplan::calibration_detail {

namespace {

double toFree(const CalibrationParameter& p, double value)
{
    return p.share ? std::log(value / (1 - value)) : std::log(value);
}

double fromFree(const CalibrationParameter& p, double x)
{
    return p.share ? 1 / (1 + std::exp(-x)) : std::min(p.maximum, std::exp(x));
}

/// Residuals of the rows (soft L1 of log ratio) and of the priors, as the least-squares solver wants them.
class Residuals {
public:
    Residuals(Rows rows, const SoftwareProfile& start, const CalibrationOptions& options, std::stop_token stop)
        : m_rows(std::move(rows))
        , m_start(start)
        , m_options(options)
        , m_stop(std::move(stop))
    {
        for (const CalibrationParameter& p : calibrationParameters())
            if (fittable(p, start, options.target))
                m_parameters.push_back(&p);
    }

    [[nodiscard]] int inputs() const { return int(m_parameters.size()); }
    [[nodiscard]] int values() const { return int(m_rows.size() + m_parameters.size()); }
    [[nodiscard]] const std::vector<const CalibrationParameter*>& parameters() const { return m_parameters; }

    [[nodiscard]] SoftwareProfile profile(const Eigen::VectorXd& x) const
    {
        SoftwareProfile result = m_start;
        for (int i = 0; i < inputs(); ++i)
            m_parameters[i]->set(result, fromFree(*m_parameters[i], toFree(*m_parameters[i], m_parameters[i]->get(m_start)) + x[i]));
        return result;
    }

    /// x: distance of each constant from its prior, in logarithms or logits. Negative return: stop.
    int operator()(const Eigen::VectorXd& x, Eigen::VectorXd& residuals) const
    {
        if (m_stop.stop_requested())
            return -1;
        const SoftwareProfile software = profile(x);
        for (std::size_t i = 0; i < m_rows.size(); ++i) {
            const auto value = estimated(*m_rows[i], software, m_options.target);
            const double z = value ? std::log(*value / *measured(*m_rows[i], m_options.target)) / m_options.noise : 0;
            residuals[Eigen::Index(i)] = std::copysign(std::sqrt(2 * (std::sqrt(1 + z * z) - 1)), z);
        }
        for (int i = 0; i < inputs(); ++i)
            residuals[Eigen::Index(m_rows.size()) + i] = x[i] / m_parameters[i]->spread;
        return 0;
    }

private:
    Rows m_rows;
    SoftwareProfile m_start;
    CalibrationOptions m_options;
    std::stop_token m_stop;
    std::vector<const CalibrationParameter*> m_parameters;
};

/// The interface that Eigen's NumericalDiff differentiates.
struct Functor : Residuals {
    using Scalar = double;
    using InputType = Eigen::VectorXd;
    using ValueType = Eigen::VectorXd;
    using JacobianType = Eigen::MatrixXd;
    enum { InputsAtCompileTime = Eigen::Dynamic, ValuesAtCompileTime = Eigen::Dynamic };
    using Residuals::Residuals;
};

} // namespace

bool fittable(const CalibrationParameter& p, const SoftwareProfile& start, CalibrationTarget target)
{
    const double value = p.get(start);
    return p.target == target && value > 0 && (!p.share || value < 1);
}

std::optional<double> measured(const MeasuredRun& c, CalibrationTarget target)
{
    const auto& value = target == CalibrationTarget::StepTime ? c.stepSeconds : c.peakGib;
    return value && *value > 0 ? value : std::nullopt;
}

std::optional<double> estimated(const MeasuredRun& c, const SoftwareProfile& profile, CalibrationTarget target)
{
    Plan plan = c.plan;
    plan.training.software = profile;
    const auto answer = estimate(plan, {.remedies = false});
    if (!answer)
        return std::nullopt;
    return target == CalibrationTarget::StepTime ? answer->step.value() * c.batchScale : answer->memory.peak.value() / kGiB;
}

std::vector<std::size_t> usableRows(const std::vector<MeasuredRun>& runs, const SoftwareProfile& start, CalibrationTarget target)
{
    std::vector<std::size_t> usable;
    for (std::size_t i = 0; i < runs.size(); ++i)
        if (measured(runs[i], target) && estimated(runs[i], start, target))
            usable.push_back(i);
    return usable;
}

Solution solve(const Rows& rows, const SoftwareProfile& start, const CalibrationOptions& options, const std::vector<double>& from,
    std::stop_token stop)
{
    Functor functor(rows, start, options, std::move(stop));
    if (functor.inputs() == 0 || rows.empty())
        return {start, {}, true};
    // Steps of a thousandth keep the differences above the rounding of the estimate and below its kinks.
    Eigen::NumericalDiff<Functor> derivative(functor, 1e-6);
    Eigen::LevenbergMarquardt<Eigen::NumericalDiff<Functor>> solver(derivative);
    solver.parameters.maxfev = options.maximumEvaluations;
    solver.parameters.ftol = solver.parameters.xtol = 1e-5;
    Eigen::VectorXd x = Eigen::VectorXd::Zero(functor.inputs());
    if (static_cast<Eigen::Index>(from.size()) == x.size())
        x = Eigen::Map<const Eigen::VectorXd>(from.data(), x.size());
    const auto status = solver.minimize(x);
    const bool converged = status == Eigen::LevenbergMarquardtSpace::RelativeReductionTooSmall
        || status == Eigen::LevenbergMarquardtSpace::RelativeErrorTooSmall
        || status == Eigen::LevenbergMarquardtSpace::RelativeErrorAndReductionTooSmall
        || status == Eigen::LevenbergMarquardtSpace::CosinusTooSmall;
    return {functor.profile(x), std::vector<double>(x.begin(), x.end()), converged};
}

} // namespace stratoplan::calibration_detail
