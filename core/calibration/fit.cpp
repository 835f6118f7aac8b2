// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/calibration.h"

#include <Eigen/Core>
#include <unsupported/Eigen/NonLinearOptimization>
#include <unsupported/Eigen/NumericalDiff>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

namespace stratoplan {
namespace {

double toFree(const CalibrationParameter& p, double value)
{
    return p.share ? std::log(value / (1 - value)) : std::log(value);
}

double fromFree(const CalibrationParameter& p, double x)
{
    return p.share ? 1 / (1 + std::exp(-x)) : std::min(p.maximum, std::exp(x));
}

bool fittable(const CalibrationParameter& p, const SoftwareProfile& start, CalibrationTarget target)
{
    const double value = p.get(start);
    return p.target == target && value > 0 && (!p.share || value < 1);
}

/// The measured value of a case, or nothing.
std::optional<double> measured(const MeasuredRun& c, CalibrationTarget target)
{
    const auto& value = target == CalibrationTarget::StepTime ? c.stepSeconds : c.peakGib;
    return value && *value > 0 ? value : std::nullopt;
}

std::optional<double> estimated(Plan& plan, const MeasuredRun& c, CalibrationTarget target)
{
    const auto answer = estimate(plan, {.remedies = false});
    if (!answer)
        return std::nullopt;
    return target == CalibrationTarget::StepTime ? answer->step.value() * c.batchScale : answer->memory.peak.value() / kGiB;
}

/// Residuals of the rows (soft L1 of log ratio) and of the priors, as the least-squares solver wants them.
class Residuals {
public:
    Residuals(std::vector<const MeasuredRun*> rows, const SoftwareProfile& start, const CalibrationOptions& options, std::stop_token stop)
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
            Plan plan = m_rows[i]->plan;
            plan.training.software = software;
            const auto value = estimated(plan, *m_rows[i], m_options.target);
            const double z = value ? std::log(*value / *measured(*m_rows[i], m_options.target)) / m_options.noise : 0;
            residuals[Eigen::Index(i)] = std::copysign(std::sqrt(2 * (std::sqrt(1 + z * z) - 1)), z);
        }
        for (int i = 0; i < inputs(); ++i)
            residuals[Eigen::Index(m_rows.size()) + i] = x[i] / m_parameters[i]->spread;
        return 0;
    }

private:
    std::vector<const MeasuredRun*> m_rows;
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

struct ErrorRow {
    std::string id;
    double error = 0; ///< estimated / measured - 1
};

struct Solution {
    SoftwareProfile profile;
    bool converged = false;
};

Solution solve(const std::vector<const MeasuredRun*>& rows, const SoftwareProfile& start, const CalibrationOptions& options, std::stop_token stop)
{
    Functor functor(rows, start, options, std::move(stop));
    if (functor.inputs() == 0 || rows.empty())
        return {start, true};
    // Steps of a thousandth keep the differences above the rounding of the estimate and below its kinks.
    Eigen::NumericalDiff<Functor> derivative(functor, 1e-6);
    Eigen::LevenbergMarquardt<Eigen::NumericalDiff<Functor>> solver(derivative);
    solver.parameters.maxfev = options.maximumEvaluations;
    solver.parameters.ftol = solver.parameters.xtol = 1e-5;
    Eigen::VectorXd x = Eigen::VectorXd::Zero(functor.inputs());
    const auto status = solver.minimize(x);
    const bool converged = status == Eigen::LevenbergMarquardtSpace::RelativeReductionTooSmall
        || status == Eigen::LevenbergMarquardtSpace::RelativeErrorTooSmall
        || status == Eigen::LevenbergMarquardtSpace::RelativeErrorAndReductionTooSmall || status == Eigen::LevenbergMarquardtSpace::CosinusTooSmall;
    return {functor.profile(x), converged};
}

void addErrors(const std::vector<const MeasuredRun*>& rows, const SoftwareProfile& profile, CalibrationTarget target, std::vector<ErrorRow>& errors)
{
    for (const MeasuredRun* row : rows) {
        Plan plan = row->plan;
        plan.training.software = profile;
        if (const auto value = estimated(plan, *row, target))
            errors.push_back({row->id, *value / *measured(*row, target) - 1});
    }
}

FitErrors summary(const std::vector<ErrorRow>& rows)
{
    FitErrors errors;
    errors.n = int(rows.size());
    for (const ErrorRow& row : rows) {
        errors.meanAbs += std::abs(row.error) / errors.n;
        errors.bias += row.error / errors.n;
        if (std::abs(row.error) > std::abs(errors.worst) || errors.worstId.empty()) {
            errors.worst = row.error;
            errors.worstId = row.id;
        }
    }
    return errors;
}

FitErrors errorsOf(const std::vector<const MeasuredRun*>& rows, const SoftwareProfile& profile, CalibrationTarget target)
{
    std::vector<ErrorRow> errors;
    addErrors(rows, profile, target, errors);
    return summary(errors);
}

/// The widest 80 % of measured over estimated, as a range around an estimate.
void setRange(const std::vector<ErrorRow>& errors, SoftwareProfile& profile)
{
    if (errors.size() < 5)
        return;
    std::vector<double> ratios;
    for (const ErrorRow& row : errors)
        ratios.push_back(1 / (1 + row.error));
    std::sort(ratios.begin(), ratios.end());
    const double last = double(ratios.size() - 1);
    profile.rangeLow = std::min(1.0, ratios[std::size_t(std::floor(0.1 * last))]);
    profile.rangeHigh = std::max(1.0, ratios[std::size_t(std::ceil(0.9 * last))]);
}

} // namespace

Calibration calibrate(const std::vector<MeasuredRun>& runs, const SoftwareProfile& start, const CalibrationOptions& options,
                      const std::vector<std::string>& groups, std::stop_token stop)
{
    std::vector<const MeasuredRun*> rows;
    std::vector<std::string> labels;
    for (std::size_t i = 0; i < runs.size(); ++i)
        if (measured(runs[i], options.target)) {
            Plan plan = runs[i].plan;
            plan.training.software = start;
            if (!estimated(plan, runs[i], options.target))
                continue;
            rows.push_back(&runs[i]);
            labels.push_back(i < groups.size() ? groups[i] : std::string());
        }
    Calibration result;
    const Solution solution = solve(rows, start, options, stop);
    result.profile = solution.profile;
    result.converged = solution.converged && !stop.stop_requested();
    for (const CalibrationParameter& p : calibrationParameters())
        if (fittable(p, start, options.target))
            result.parameters.push_back({std::string(p.key), p.get(start), p.get(result.profile)});

    std::vector<ErrorRow> leftOut;
    if (const std::set<std::string> distinct(labels.begin(), labels.end()); distinct.size() > 1)
        for (const std::string& label : distinct) {
            std::vector<const MeasuredRun*> kept, held;
            for (std::size_t i = 0; i < rows.size(); ++i)
                (labels[i] == label ? held : kept).push_back(rows[i]);
            addErrors(held, solve(kept, start, options, stop).profile, options.target, leftOut);
        }
    if (options.target == CalibrationTarget::StepTime) {
        std::vector<ErrorRow> fitted;
        addErrors(rows, result.profile, options.target, fitted);
        setRange(leftOut.empty() ? fitted : leftOut, result.profile);
    }
    result.leftOut = summary(leftOut);
    result.before = errorsOf(rows, start, options.target);
    result.after = errorsOf(rows, result.profile, options.target);
    return result;
}

} // namespace stratoplan
