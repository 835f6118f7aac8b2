// SPDX-License-Identifier: Apache-2.0
// Robust non-linear least squares with priors: soft L1 of the logarithm of estimated over measured, and for every free
// constant its distance from its prior in units of the prior's spread. Private to core/calibration.
#pragma once

#include <functional>
#include <span>
#include <stop_token>
#include <vector>

namespace stratoplan::calibration::detail {

/// A positive constant, fitted as a logarithm, or a share of one, fitted as a logit.
struct FreeConstant {
    double prior = 1;
    double spread = 0.3; ///< standard deviation of the prior, in logarithms or logits
    double maximum = 1e300;
    bool share = false;
};

/// Writes ln(estimated / measured) of every observation, 0 where there is no estimate.
using LogErrors = std::function<void(std::span<const double> constants, std::span<double> errors)>;

struct LeastSquares {
    std::vector<FreeConstant> constants;
    std::size_t observations = 0;
    LogErrors errors;
    std::vector<double> weights; ///< of the observations; empty = 1 each
    double noise = 0.04; ///< residual beyond which an observation counts less and less
    int maximumEvaluations = 4000;
};

struct LeastSquaresSolution {
    std::vector<double> constants;
    std::vector<double> x; ///< their distances from the priors, in logarithms or logits
    bool converged = false;
};
/// `from`: where the search starts, an x of the same problem; empty: at the priors.
[[nodiscard]] LeastSquaresSolution solve(
    const LeastSquares& problem, const std::vector<double>& from, const std::stop_token& stop);

/// Standard deviation that observations and prior together leave each constant at `x`, in logarithms or logits: the
/// spread of its prior where the observations say nothing about it. Observations far off count in full here.
[[nodiscard]] std::vector<double> spreadsAt(
    const LeastSquares& problem, const std::vector<double>& x, const std::stop_token& stop);

/// The constants that the observations say something about, by index: dropping one after the other, least known first,
/// until each of the others is known better than its prior.
[[nodiscard]] std::vector<std::size_t> identifiedAt(
    const LeastSquares& problem, const std::vector<double>& x, const std::stop_token& stop);

/// A spread closer than this to the prior's has learnt nothing.
inline constexpr double kIdentifiedBelow = 0.9;

} // namespace stratoplan::calibration::detail
