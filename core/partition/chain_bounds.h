// SPDX-License-Identifier: Apache-2.0
// Which states of a layer's operators may be part of an answer: bounds from the chain of operators alone, without the
// residual's second way and whatever state the layer ends in, against what is known to be possible.
#pragma once

#include "core/partition/coarse_chain.h"

#include <optional>
#include <vector>

namespace stratoplan::partition {

/// Places are the operators in order, and the end of the layer behind them, where its first operator stands again.
class ChainBounds {
public:
    /// Refers to all of them. Adds to what is known.
    ChainBounds(
        const Block& block, const std::vector<std::vector<State>>& states, LayerSteps& steps, KnownDivisions& known);

    /// Of any whole that fits.
    [[nodiscard]] double leastCost() const;
    /// Whether no whole is asked for at all; then nothing is known of parts of it.
    [[nodiscard]] bool areBeaten() const { return m_areBeaten; }
    /// What each weighed sum of any whole is at the least, whatever is asked for.
    [[nodiscard]] const std::vector<WeighedLeast>& leastSums() const { return m_leastSums; }
    /// Leaves what may be part of an answer as it is asked for now.
    void leaveAsked();

    [[nodiscard]] int end() const { return m_count; }
    /// States of a place that are left, by number, in order.
    [[nodiscard]] const std::vector<std::int16_t>& left(int place) const { return m_left[std::size_t(place)]; }
    [[nodiscard]] const State& state(int place, std::size_t i) const
    {
        return statesAt(place)[std::size_t(left(place)[i])];
    }
    [[nodiscard]] Step step(int from, std::size_t a, int to, std::size_t b)
    {
        return m_steps.between(from, state(from, a), to, state(to, b));
    }

    /// What a state left takes alone, and by second ways inside the layer.
    void addAlone(Bound& bound, int place, std::size_t i) const { addAlone(bound, place, left(place)[i]); }
    /// From a place to the next one, where it may be part of an answer.
    [[nodiscard]] std::optional<Step> stepAsked(int place, std::size_t a, std::size_t b);

    /// Of what comes before a state left, that state apart; with it; and its bytes alive while it works. The operator
    /// at the end is the first one again, which is counted there.
    [[nodiscard]] const Bound& before(int place, std::size_t i) const { return m_before[std::size_t(place)][i]; }
    [[nodiscard]] Bound through(int place, std::size_t i) const;
    [[nodiscard]] double working(int place, std::size_t i) const
    {
        return place < m_count ? state(place, i).working : 0;
    }

    /// The same division, its parts summed up in the order of all others.
    [[nodiscard]] Division priced(const Division& division)
    {
        return partition::priced(m_block, m_steps, m_states, division.states, division.again);
    }

private:
    using Left = std::vector<std::int16_t>;
    using Came = std::array<std::int16_t, kMostWeights>; ///< by weight, from which state left of the place before
    struct Sender {
        std::size_t number = 0; ///< of a state left
        Bound here; ///< with its state
    };

    [[nodiscard]] const std::vector<State>& statesAt(int place) const { return m_states[std::size_t(place % m_count)]; }
    [[nodiscard]] std::size_t weights() const { return m_weighing.weights(); }
    void add(Bound& bound, const Bound& other) const { m_weighing.add(bound, other); }
    void addAlone(Bound& bound, int place, std::int16_t state) const;
    [[nodiscard]] const Bound& coarseAfter(int place, std::size_t i) const
    {
        return m_coarse->after(place, left(place)[i]);
    }

    void weigh();
    void boundByShape();
    void leaveAllButFew();
    [[nodiscard]] Bound ofShape(int place, std::int16_t state) const;
    void leaveByShape();
    void boundAlongChain();
    void descendFromChain();
    [[nodiscard]] std::vector<Sender> senders(int place) const;
    void boundNext(int place);
    void boundBefore(int place);
    [[nodiscard]] std::optional<ChosenStates> bestOfChain(std::size_t weight) const;
    void keepOnly(int place, const std::vector<std::size_t>& kept);
    void leaveBeaten(int place);
    void meetEnds();

    const Block& m_block;
    const std::vector<std::vector<State>>& m_states;
    LayerSteps& m_steps;
    KnownDivisions& m_known;
    bool m_areBeaten = false;
    std::vector<WeighedLeast> m_leastSums;
    Weighing m_weighing;
    std::optional<CoarseChain> m_coarse;
    int m_count;
    std::vector<Left> m_left; ///< by place
    std::vector<std::vector<Bound>> m_before, m_after; ///< by place and state left, that state apart
    std::vector<Left> m_allLeft; ///< whatever is asked for
    std::vector<std::vector<Bound>> m_allBefore; ///< of those
    std::vector<std::vector<Came>> m_from;
};

} // namespace stratoplan::partition
