// SPDX-License-Identifier: Apache-2.0
// Sums of bounds, by each weight of what is looked for.
#pragma once

#include "core/partition/known_divisions.h"
#include "core/partition/layer_steps.h"

#include <algorithm>
#include <limits>

namespace stratoplan::partition {

/// Of nothing yet: whatever comes is less.
[[nodiscard]] inline Bound unbounded()
{
    Bound bound;
    bound.least.fill(std::numeric_limits<double>::infinity());
    return bound;
}

class Weighing {
public:
    /// Refers to it.
    explicit Weighing(const KnownDivisions& known)
        : m_known(known)
    {
    }
    [[nodiscard]] std::size_t weights() const { return m_known.weights().size(); }
    [[nodiscard]] bool isStopped() const { return m_known.isStopped(); }
    void add(Bound& bound, double seconds, double parameters, double kept, double remade) const
    {
        for (std::size_t w = 0; w < weights(); ++w)
            bound.least[w] += m_known.weighed(w, seconds, parameters, kept, remade);
    }
    void add(Bound& bound, const State& state) const
    {
        add(bound, state.seconds, state.parameters, state.kept, state.remade);
    }
    /// In the better way of each weight.
    void add(Bound& bound, const Step& step) const
    {
        for (std::size_t w = 0; w < weights(); ++w)
            bound.least[w] += weighed(step, w);
    }
    void weigh(const Step& step, double* by) const
    {
        for (std::size_t w = 0; w < weights(); ++w)
            by[w] = weighed(step, w);
    }
    void add(Bound& bound, const Bound& other) const
    {
        for (std::size_t w = 0; w < weights(); ++w)
            bound.least[w] += other.least[w];
    }
    void add(Bound& bound, const double* more) const
    {
        for (std::size_t w = 0; w < weights(); ++w)
            bound.least[w] += more[w];
    }
    void lower(Bound& bound, const Bound& other) const
    {
        for (std::size_t w = 0; w < weights(); ++w)
            bound.least[w] = std::min(bound.least[w], other.least[w]);
    }
    /// The sum, and whether it is less than what is known by any weight.
    [[nodiscard]] bool isLess(const Bound& bound, const double* more, const Bound& known, Bound& sum) const
    {
        bool isLess = false;
        for (std::size_t w = 0; w < weights(); ++w) {
            sum.least[w] = bound.least[w] + more[w];
            isLess |= sum.least[w] < known.least[w];
        }
        return isLess;
    }

private:
    [[nodiscard]] double weighed(const Step& step, std::size_t w) const
    {
        return std::min(m_known.weighed(w, step.seconds, 0, step.kept, step.remade),
            m_known.weighed(w, step.secondsAgain, 0, step.keptAgain, step.remade));
    }
    const KnownDivisions& m_known;
};

} // namespace stratoplan::partition
