// SPDX-License-Identifier: Apache-2.0
// Bounds along the chain of a layer's operators with states of the same shapes taken as one, at the least that any of
// them takes.
#pragma once

#include "core/partition/weighing.h"

#include <vector>

namespace stratoplan::partition {

/// Places are the operators in order, and the end of the layer behind them, where its first operator stands again.
class CoarseChain {
public:
    CoarseChain(const std::vector<std::vector<State>>& states, LayerSteps& steps, const KnownDivisions& known);

    /// Of any whole.
    [[nodiscard]] Bound least() const;
    /// Of all that comes before a state, or after it, that state apart.
    [[nodiscard]] const Bound& before(int place, std::int16_t state) const
    {
        return m_before[at(place)][kind(place, state)];
    }
    [[nodiscard]] const Bound& after(int place, std::int16_t state) const
    {
        return m_after[at(place)][kind(place, state)];
    }
    /// The least of what comes to an operator by second ways inside the layer, in this state of it.
    [[nodiscard]] const Bound& beside(int place, std::int16_t state) const
    {
        return kindsAt(place)[kind(place, state)].beside;
    }
    /// The least of a step from a place to the next one, by weight.
    [[nodiscard]] const double* step(int place, std::int16_t sender, std::int16_t receiver) const
    {
        return stepOf(place, kind(place, sender), kind(place + 1, receiver));
    }

private:
    /// States of the same shapes.
    struct Kind {
        const State* first = nullptr; ///< of them
        Bound least; ///< of what they take alone
        Bound beside;
    };
    [[nodiscard]] static std::size_t at(int place) { return std::size_t(place); }
    [[nodiscard]] std::size_t kind(int place, std::int16_t state) const
    {
        return std::size_t(m_kindOf[std::size_t(place % m_count)][std::size_t(state)]);
    }
    void sort(const std::vector<State>& states, const Layouts& layouts);
    [[nodiscard]] const std::vector<Kind>& kindsAt(int place) const { return m_kinds[at(place % m_count)]; }
    [[nodiscard]] const double* stepOf(int place, std::size_t sender, std::size_t receiver) const
    {
        return m_steps[at(place)].data() + (sender * kindsAt(place + 1).size() + receiver) * m_weighing.weights();
    }
    void boundSkip(int from, int to, LayerSteps& steps);
    void priceSteps(int place, LayerSteps& steps);
    void boundNext(int place);
    void boundBefore(int place);

    Weighing m_weighing;
    int m_count;
    std::vector<std::vector<std::int16_t>> m_kindOf; ///< by operator and state
    std::vector<std::vector<Kind>> m_kinds; ///< by operator
    std::vector<std::vector<double>> m_steps; ///< by place; kinds of it and of the next one, and weight
    std::vector<std::vector<Bound>> m_before, m_after; ///< by place and kind
};

} // namespace stratoplan::partition
