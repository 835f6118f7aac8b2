// SPDX-License-Identifier: Apache-2.0
// Least costs between states, and of walks of several steps between them: the algebra of sums and minima.
#pragma once

#include <cstddef>
#include <stop_token>
#include <vector>

namespace stratoplan::partition {

/// Costs from each state before a step to each state behind it, in one unit.
class MinPlusMatrix {
public:
    /// All infinite.
    MinPlusMatrix(std::size_t rows, std::size_t columns);

    [[nodiscard]] std::size_t rows() const { return m_rows; }
    [[nodiscard]] std::size_t columns() const { return m_columns; }
    [[nodiscard]] double& at(std::size_t row, std::size_t column) { return m_costs[row * m_columns + column]; }
    [[nodiscard]] double at(std::size_t row, std::size_t column) const { return m_costs[row * m_columns + column]; }

    /// Of this step and the next one, by the best state between them.
    [[nodiscard]] MinPlusMatrix times(const MinPlusMatrix& next) const;
    /// Of any two states.
    [[nodiscard]] double least() const;

    // Of steps that end in the states they begin in: square.
    /// Of so many steps, at least one, by repeated squares. Asked to stop: of no use, after one product at the most.
    [[nodiscard]] MinPlusMatrix power(int steps, const std::stop_token& stop = {}) const;
    /// Of steps that end in the state they begin in.
    [[nodiscard]] double leastClosed() const;
    /// For each step of the cheapest closed walk of any length, the least mean of any cycle (Karp, 1978).
    [[nodiscard]] double leastMean() const;

private:
    [[nodiscard]] const double* row(std::size_t row) const { return m_costs.data() + row * m_columns; }

    std::size_t m_rows, m_columns;
    std::vector<double> m_costs;
};

} // namespace stratoplan::partition
