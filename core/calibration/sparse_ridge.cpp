// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/sparse_ridge.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <cmath>

namespace stratoplan::calibration::detail {

std::vector<double> sparseRidge(const std::vector<int>& columns, const std::vector<double>& values, std::size_t width,
    const std::vector<double>& y, std::size_t unknowns, double noise, double ridge)
{
    constexpr int kRounds = 8; // the weights no longer move after about five
    std::vector<double> weights(y.size(), 1);
    Eigen::VectorXd z = Eigen::VectorXd::Zero(Eigen::Index(unknowns));
    for (int round = 0; round < kRounds; ++round) {
        Eigen::MatrixXd normal = Eigen::MatrixXd::Identity(z.size(), z.size()) * ridge;
        Eigen::VectorXd right = Eigen::VectorXd::Zero(z.size());
        for (std::size_t i = 0; i < y.size(); ++i)
            for (std::size_t a = i * width; a < (i + 1) * width; ++a) {
                right[columns[a]] += weights[i] * values[a] * y[i];
                for (std::size_t b = i * width; b < (i + 1) * width; ++b)
                    normal(columns[a], columns[b]) += weights[i] * values[a] * values[b];
            }
        z = normal.ldlt().solve(right);
        for (std::size_t i = 0; i < y.size(); ++i) {
            double rest = y[i];
            for (std::size_t a = i * width; a < (i + 1) * width; ++a)
                rest -= values[a] * z[columns[a]];
            weights[i] = 1 / std::sqrt(1 + rest * rest / (noise * noise));
        }
    }
    return {z.begin(), z.end()};
}

} // namespace stratoplan::calibration::detail
