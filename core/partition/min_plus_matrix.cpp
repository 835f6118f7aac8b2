// SPDX-License-Identifier: Apache-2.0
#include "core/partition/min_plus_matrix.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <optional>

namespace stratoplan::partition {
namespace {

constexpr double kUnreached = std::numeric_limits<double>::infinity();
constexpr std::size_t kCached = 32768; ///< costs that stay in a core's cache

void lowerBy(double* costs, const double* step, double before, std::size_t count)
{
    for (std::size_t i = 0; i < count; ++i)
        costs[i] = std::min(costs[i], before + step[i]);
}

} // namespace

MinPlusMatrix::MinPlusMatrix(std::size_t rows, std::size_t columns)
    : m_rows(rows)
    , m_columns(columns)
    , m_costs(rows * columns, kUnreached)
{
}

MinPlusMatrix MinPlusMatrix::times(const MinPlusMatrix& next) const
{
    assert(m_columns == next.m_rows);
    MinPlusMatrix product(m_rows, next.m_columns);
    const std::size_t most = std::max<std::size_t>(kCached / std::max<std::size_t>(next.m_columns, 1), 1);
    for (std::size_t first = 0; first < m_columns; first += most) {
        const std::size_t last = std::min(first + most, m_columns);
        for (std::size_t row = 0; row < m_rows; ++row)
            for (std::size_t between = first; between < last; ++between)
                lowerBy(&product.at(row, 0), next.row(between), at(row, between), next.m_columns);
    }
    return product;
}

double MinPlusMatrix::least() const
{
    return *std::ranges::min_element(m_costs);
}

MinPlusMatrix MinPlusMatrix::power(int steps, const std::stop_token& stop) const
{
    assert(m_rows == m_columns && steps > 0);
    MinPlusMatrix square = *this;
    std::optional<MinPlusMatrix> product;
    for (int left = steps;; square = square.times(square)) {
        if (stop.stop_requested())
            return square;
        if (left % 2 == 1)
            product = product ? product->times(square) : square;
        left /= 2;
        if (left == 0)
            return *product;
    }
}

double MinPlusMatrix::leastClosed() const
{
    double least = kUnreached;
    for (std::size_t i = 0; i < m_rows; ++i)
        least = std::min(least, at(i, i));
    return least;
}

double MinPlusMatrix::leastMean() const
{
    assert(m_rows == m_columns);
    std::vector<std::vector<double>> walks{std::vector<double>(m_rows, 0)}; // by steps, and by where they end
    for (std::size_t steps = 0; steps < m_rows; ++steps) {
        std::vector<double> longer(m_rows, kUnreached);
        for (std::size_t i = 0; i < m_rows; ++i)
            lowerBy(longer.data(), row(i), walks.back()[i], m_rows);
        walks.push_back(std::move(longer));
    }
    double least = kUnreached;
    for (std::size_t i = 0; i < m_rows; ++i) {
        if (walks.back()[i] == kUnreached)
            continue;
        double mean = -kUnreached;
        for (std::size_t steps = 0; steps < m_rows; ++steps)
            mean = std::max(mean, (walks.back()[i] - walks[steps][i]) / double(m_rows - steps));
        least = std::min(least, mean);
    }
    return least;
}

} // namespace stratoplan::partition
