// SPDX-License-Identifier: Apache-2.0
// Bounds of what is still to come, by the state in which a layer begins and ends: what the residual's second ways take
// is then known on the way.
#pragma once

#include "core/partition/chain_bounds.h"

#include <optional>
#include <vector>

namespace stratoplan::partition {

/// Of the states that a chain's bounds leave. Rows are those of the first operator, which are those of the end.
class ClosedBounds {
public:
    /// Refers to all of them.
    ClosedBounds(ChainBounds& chain, const LayerSteps& steps, const KnownDivisions& known);

    [[nodiscard]] std::size_t rows() const { return m_rows; }
    /// Nothing where no answer has it.
    [[nodiscard]] const std::optional<Step>& step(int place, std::size_t a, std::size_t b) const
    {
        return m_steps[std::size_t(place)][a * m_chain.left(place + 1).size() + b];
    }
    /// Second ways that begin or end where the layer does, and pass a state of this place: of one row.
    [[nodiscard]] const std::vector<std::pair<int, int>>& skipsAt(int place) const
    {
        return m_skips[std::size_t(place)];
    }
    [[nodiscard]] Step skip(const std::pair<int, int>& skip, std::size_t row, int place, std::size_t i)
    {
        return m_chain.step(skip.first, skip.first == place ? i : row, skip.second, skip.second == place ? i : row);
    }

    /// Whether no answer that is asked for begins with this part of a layer, from a row to a state.
    [[nodiscard]] bool isBeaten(const Division& part, std::size_t row, int last, std::size_t column) const;
    /// Whether none holds it, from a state of one place to one of another, both included, whatever the row.
    [[nodiscard]] bool isBeaten(const Division& part, int first, std::size_t state, int last, std::size_t column) const;
    /// Of any whole that fits.
    [[nodiscard]] double leastCost() const;

private:
    [[nodiscard]] std::size_t at(std::size_t weight, int place, std::size_t i) const
    {
        return (weight * m_chain.left(place).size() + i) * m_rows;
    }
    void priceSteps(int place);
    void boundBefore(int place);
    /// By weight, state of `to`, and state of `from`: the least between them, with `to`, all their second ways
    /// included.
    [[nodiscard]] std::vector<double> leastBetween(int from, int to);
    void boundBeforeSkip(int from, int to);
    void addSkips(int place);
    void leaveBeaten(int place);

    ChainBounds& m_chain;
    const KnownDivisions& m_known;
    Weighing m_weighing;
    std::size_t m_rows;
    std::vector<std::vector<std::pair<int, int>>> m_skips; ///< by place
    std::vector<int> m_skipTo; ///< by place, where a second way inside the layer leads; else nothing
    std::vector<std::vector<std::optional<Step>>> m_steps; ///< by place; states of it and of the next one
    /// By place; weight, state, and row: that state and what comes before it apart.
    std::vector<std::vector<double>> m_after;
    std::vector<std::vector<Bound>> m_afterAll; ///< by place and state: the least of any row
};

} // namespace stratoplan::partition
