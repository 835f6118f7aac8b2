// SPDX-License-Identifier: Apache-2.0
#include "core/partition/descent.h"

#include <algorithm>
#include <limits>

namespace stratoplan::partition {
namespace {

constexpr int kMostRounds = 20;

class Descent {
public:
    Descent(const Block& block, const std::vector<std::vector<State>>& states, LayerSteps& steps,
        const KnownDivisions& known, std::size_t weight)
        : m_block(block)
        , m_states(states)
        , m_steps(steps)
        , m_known(known)
        , m_weight(weight)
        , m_ranked(states.size())
        , m_pairs(steps.skips())
        , m_pairsOf(states.size())
    {
        for (int op = 0; op < block.size(); ++op)
            m_pairs.emplace_back(op, op + 1);
        for (const auto& pair : m_pairs)
            for (const int op : {pair.first, pair.second % block.size()})
                m_pairsOf[std::size_t(op)].push_back(pair);
        for (std::size_t op = 0; op < states.size(); ++op) {
            for (std::size_t i = 0; i < states[op].size(); ++i) {
                const State& s = states[op][i];
                m_ranked[op].push_back(
                    {known.weighed(weight, s.seconds, s.parameters, s.kept, s.remade), std::int16_t(i)});
            }
            std::sort(m_ranked[op].begin(), m_ranked[op].end(),
                [](const Ranked& a, const Ranked& b) { return a.cost < b.cost; });
        }
    }

    /// The best beside the neighbours that it has, until no operator changes.
    [[nodiscard]] Division from(ChosenStates chosen)
    {
        bool changed = true;
        for (int round = 0; round < kMostRounds && changed; ++round) {
            changed = false;
            for (int op = 0; op < m_block.size() && !m_known.isStopped(); ++op)
                changed |= improve(op, chosen);
        }
        std::uint32_t again = 0;
        for (const auto& [from, to] : m_pairs) {
            const Step step = between(from, to, chosen);
            if (weighed(step, true) < weighed(step, false))
                again |= m_steps.againBit(from, to);
        }
        return priced(m_block, m_steps, m_states, chosen, again);
    }

private:
    struct Ranked {
        double cost = 0;
        std::int16_t state = 0;
    };

    [[nodiscard]] double weighed(const Step& step, bool again) const
    {
        return m_known.weighed(
            m_weight, again ? step.secondsAgain : step.seconds, 0, again ? step.keptAgain : step.kept, step.remade);
    }
    [[nodiscard]] Step between(int from, int to, const ChosenStates& chosen)
    {
        const std::size_t receiver = std::size_t(to % m_block.size());
        return m_steps.between(from, m_states[std::size_t(from)][std::size_t(chosen[std::size_t(from)])], to,
            m_states[receiver][std::size_t(chosen[receiver])]);
    }

    bool improve(int op, ChosenStates& chosen)
    {
        const std::int16_t before = chosen[std::size_t(op)];
        double best = std::numeric_limits<double>::infinity();
        std::int16_t choice = before;
        for (const Ranked& candidate : m_ranked[std::size_t(op)]) {
            if (candidate.cost >= best)
                break;
            chosen[std::size_t(op)] = candidate.state;
            double cost = candidate.cost;
            for (const auto& [from, to] : m_pairsOf[std::size_t(op)]) {
                if (cost >= best)
                    break;
                const Step step = between(from, to, chosen);
                cost += std::min(weighed(step, false), weighed(step, true));
            }
            if (cost < best) {
                best = cost;
                choice = candidate.state;
            }
        }
        chosen[std::size_t(op)] = choice;
        return choice != before;
    }

    const Block& m_block;
    const std::vector<std::vector<State>>& m_states;
    LayerSteps& m_steps;
    const KnownDivisions& m_known;
    std::size_t m_weight;
    std::vector<std::vector<Ranked>> m_ranked; ///< states by operator, the best first
    std::vector<std::pair<int, int>> m_pairs; ///< of operators with a tensor between them
    std::vector<std::vector<std::pair<int, int>>> m_pairsOf; ///< each operator's
};

} // namespace

void descend(const Block& block, const std::vector<std::vector<State>>& states, LayerSteps& steps, std::size_t weight,
    const ChosenStates& start, KnownDivisions& known)
{
    known.add(Descent(block, states, steps, known, weight).from(start));
}

} // namespace stratoplan::partition
