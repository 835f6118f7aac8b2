// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/least_squares.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <unsupported/Eigen/NonLinearOptimization>
#include <unsupported/Eigen/NumericalDiff>

#include <algorithm>
#include <cmath>

namespace stratoplan::calibration::detail {

namespace {

double toFree(const FreeConstant& c, double value)
{
    return c.share ? std::log(value / (1 - value)) : std::log(value);
}

double fromFree(const FreeConstant& c, double x)
{
    return c.share ? 1 / (1 + std::exp(-x)) : std::min(c.maximum, std::exp(x));
}

/// Residuals of the observations and of the priors, with the interface that Eigen's solver and NumericalDiff want.
class Residuals {
public:
    using Scalar = double;
    using InputType = Eigen::VectorXd;
    using ValueType = Eigen::VectorXd;
    using JacobianType = Eigen::MatrixXd;
    enum { InputsAtCompileTime = Eigen::Dynamic, ValuesAtCompileTime = Eigen::Dynamic };

    /// `robust`: observations far off count less and less; otherwise each as much as its noise says.
    Residuals(const LeastSquares& problem, bool robust, const std::stop_token& stop)
        : m_problem(&problem)
        , m_robust(robust)
        , m_stop(stop)
    {
    }

    [[nodiscard]] int inputs() const { return int(m_problem->constants.size()); }
    [[nodiscard]] int values() const { return int(m_problem->observations) + inputs(); }

    [[nodiscard]] std::vector<double> constants(const Eigen::VectorXd& x) const
    {
        std::vector<double> result;
        for (int i = 0; i < inputs(); ++i) {
            const FreeConstant& c = m_problem->constants[std::size_t(i)];
            result.push_back(fromFree(c, toFree(c, c.prior) + x[i]));
        }
        return result;
    }

    /// Negative return: stop.
    int operator()(const Eigen::VectorXd& x, Eigen::VectorXd& residuals) const
    {
        if (m_stop.stop_requested())
            return -1;
        std::vector<double> errors(m_problem->observations, 0.0);
        m_problem->errors(constants(x), errors);
        for (std::size_t i = 0; i < errors.size(); ++i) {
            const double z = errors[i] / m_problem->noise;
            const double weight = m_problem->weights.empty() ? 1 : m_problem->weights[i];
            residuals[Eigen::Index(i)] =
                std::sqrt(weight) * (m_robust ? std::copysign(std::sqrt(2 * (std::sqrt(1 + z * z) - 1)), z) : z);
        }
        for (int i = 0; i < inputs(); ++i)
            residuals[Eigen::Index(errors.size()) + i] = x[i] / m_problem->constants[std::size_t(i)].spread;
        return m_stop.stop_requested() ? -1 : 0;
    }

private:
    const LeastSquares* m_problem;
    bool m_robust;
    std::stop_token m_stop;
};

// Steps of a thousandth keep the differences above the rounding of the estimate and below its kinks.
using Derivative = Eigen::NumericalDiff<Residuals>;
constexpr double kStepSquared = 1e-6;

Eigen::VectorXd startAt(const std::vector<double>& from, int inputs)
{
    if (static_cast<int>(from.size()) == inputs)
        return Eigen::Map<const Eigen::VectorXd>(from.data(), inputs);
    return Eigen::VectorXd::Zero(inputs);
}

/// Without the robust loss: rows of the observations, then of the priors.
Eigen::MatrixXd jacobianAt(const LeastSquares& problem, const std::vector<double>& x, const std::stop_token& stop)
{
    Residuals residuals(problem, false, stop);
    Derivative derivative(residuals, kStepSquared);
    Eigen::MatrixXd jacobian = Eigen::MatrixXd::Zero(residuals.values(), residuals.inputs());
    derivative.df(startAt(x, residuals.inputs()), jacobian);
    return jacobian;
}

/// Priors make the product regular.
std::vector<double> spreadsOf(const Eigen::MatrixXd& jacobian)
{
    const Eigen::Index n = jacobian.cols();
    const Eigen::MatrixXd covariance = (jacobian.transpose() * jacobian).ldlt().solve(Eigen::MatrixXd::Identity(n, n));
    std::vector<double> spreads;
    for (Eigen::Index i = 0; i < n; ++i)
        spreads.push_back(std::sqrt(std::max(0.0, covariance(i, i))));
    return spreads;
}

} // namespace

LeastSquaresSolution solve(const LeastSquares& problem, const std::vector<double>& from, const std::stop_token& stop)
{
    Residuals residuals(problem, true, stop);
    if (residuals.inputs() == 0 || problem.observations == 0)
        return {residuals.constants(Eigen::VectorXd::Zero(residuals.inputs())), {}, true};
    Derivative derivative(residuals, kStepSquared);
    Eigen::LevenbergMarquardt<Derivative> solver(derivative);
    solver.parameters.maxfev = problem.maximumEvaluations;
    solver.parameters.ftol = solver.parameters.xtol = 1e-5;
    Eigen::VectorXd x = startAt(from, residuals.inputs());
    const auto status = solver.minimize(x);
    const bool converged = status == Eigen::LevenbergMarquardtSpace::RelativeReductionTooSmall
        || status == Eigen::LevenbergMarquardtSpace::RelativeErrorTooSmall
        || status == Eigen::LevenbergMarquardtSpace::RelativeErrorAndReductionTooSmall
        || status == Eigen::LevenbergMarquardtSpace::CosinusTooSmall;
    return {residuals.constants(x), std::vector<double>(x.begin(), x.end()), converged};
}

std::vector<double> spreadsAt(const LeastSquares& problem, const std::vector<double>& x, const std::stop_token& stop)
{
    return spreadsOf(jacobianAt(problem, x, stop));
}

std::vector<std::size_t> identifiedAt(
    const LeastSquares& problem, const std::vector<double>& x, const std::stop_token& stop)
{
    const Eigen::MatrixXd jacobian = jacobianAt(problem, x, stop);
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < problem.constants.size(); ++i)
        left.push_back(i);
    // Of two constants that the observations cannot tell apart one is enough: the least known goes first.
    while (!left.empty() && !stop.stop_requested()) {
        Eigen::MatrixXd kept(jacobian.rows(), Eigen::Index(left.size()));
        for (std::size_t i = 0; i < left.size(); ++i)
            kept.col(Eigen::Index(i)) = jacobian.col(Eigen::Index(left[i]));
        const std::vector<double> spreads = spreadsOf(kept);
        std::size_t worst = 0;
        double most = 0;
        for (std::size_t i = 0; i < left.size(); ++i) {
            const double share = spreads[i] / problem.constants[left[i]].spread;
            if (share > most) {
                most = share;
                worst = i;
            }
        }
        if (most < kIdentifiedBelow)
            break;
        left.erase(left.begin() + std::ptrdiff_t(worst));
    }
    return left;
}

} // namespace stratoplan::calibration::detail
