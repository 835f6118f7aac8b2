// SPDX-License-Identifier: Apache-2.0
#include "core/partition/programme.h"

#include "core/partition/descent.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <optional>

namespace stratoplan::partition {
namespace {

/// States of an operator that a first answer is made of.
constexpr std::size_t kFewByTime = 160, kFewByMemory = 12;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Those of which no other is better in everything that counts.
class Labels {
public:
    void add(const Division& label, bool memoryCounts)
    {
        const auto dominates = [memoryCounts](const Division& a, const Division& b) {
            return a.seconds <= b.seconds
                && (!memoryCounts || (a.parameters <= b.parameters && a.kept <= b.kept && a.working <= b.working));
        };
        for (const Division& other : m_labels)
            if (dominates(other, label))
                return;
        std::erase_if(m_labels, [&](const Division& other) { return dominates(label, other); });
        m_labels.push_back(label);
    }
    [[nodiscard]] const std::vector<Division>& all() const { return m_labels; }
    [[nodiscard]] bool empty() const { return m_labels.empty(); }

private:
    std::vector<Division> m_labels;
};

class Solver {
public:
    Solver(
        const Block& block, const std::vector<std::vector<State>>& states, LayerSteps& steps, const ProgrammeGoal& goal)
        : m_block(block)
        , m_states(states)
        , m_steps(steps)
        , m_known(goal)
        , m_count(block.size())
        , m_middle(m_count)
    {
        for (const auto& [from, to] : steps.skips())
            if (from == 0)
                m_middle = to;
    }

    [[nodiscard]] ProgrammeAnswer solve()
    {
        weigh();
        descend(m_block, m_states, m_steps, m_known);
        boundOperators();
        leaveAllButFew();
        descendAlongChain();
        leaveByOperator();
        leaveByChain();
        ProgrammeAnswer answer;
        for (int place = 0; place < m_count; ++place)
            answer.statesLeft += int(left(place).size());
        priceSteps();
        const Matrix first = segment(0, m_middle);
        if (m_middle < m_count)
            close(first, segment(m_middle, m_count));
        else
            for (std::size_t row = 0; row < first.columns; ++row)
                for (const Division& label : first.at(row, row).all())
                    m_known.add(label);
        answer.best = m_known.best();
        answer.labels = m_labels;
        return answer;
    }

private:
    struct Matrix {
        std::size_t columns = 0;
        std::vector<Labels> labels; ///< by states left of the first operator, and of the last
        [[nodiscard]] Labels& at(std::size_t row, std::size_t column) { return labels[row * columns + column]; }
        [[nodiscard]] const Labels& at(std::size_t row, std::size_t column) const
        {
            return labels[row * columns + column];
        }
    };
    using Left = std::vector<std::int16_t>;
    using Came = std::array<std::int16_t, kMostWeights>; ///< by weight, from which state left of the place before

    [[nodiscard]] const std::vector<State>& statesAt(int place) const { return m_states[std::size_t(place % m_count)]; }
    [[nodiscard]] Left& left(int place) { return m_left[std::size_t(place)]; }
    [[nodiscard]] const Left& left(int place) const { return m_left[std::size_t(place)]; }
    [[nodiscard]] const State& state(int place, std::size_t i) const
    {
        return statesAt(place)[std::size_t(left(place)[i])];
    }
    [[nodiscard]] std::size_t weights() const { return m_known.weights().size(); }

    void add(Bound& bound, double seconds, double parameters, double kept) const
    {
        for (std::size_t w = 0; w < weights(); ++w)
            bound.least[w] += m_known.weighed(w, seconds, parameters, kept);
    }
    /// The operator at the end is the first one again, which is counted there.
    void add(Bound& bound, int place, const State& state) const
    {
        if (place < m_count)
            add(bound, state.seconds, state.parameters, state.kept);
    }
    void add(Bound& bound, const Step& step) const
    {
        for (std::size_t w = 0; w < weights(); ++w)
            bound.least[w] += std::min(m_known.weighed(w, step.seconds, 0, step.kept),
                m_known.weighed(w, step.secondsAgain, 0, step.keptAgain));
    }
    void add(Bound& bound, const Bound& other) const
    {
        for (std::size_t w = 0; w < weights(); ++w)
            bound.least[w] += other.least[w];
    }
    void lower(Bound& bound, const Bound& other) const
    {
        for (std::size_t w = 0; w < weights(); ++w)
            bound.least[w] = std::min(bound.least[w], other.least[w]);
    }
    [[nodiscard]] static Bound none()
    {
        Bound bound;
        bound.least.fill(kInfinity);
        return bound;
    }

    void weigh()
    {
        double seconds = 0, bytes = 0;
        const MemoryForm form = m_known.goal().memory.empty() ? MemoryForm{} : m_known.goal().memory.front();
        for (const std::vector<State>& states : m_states) {
            double leastSeconds = kInfinity, leastBytes = kInfinity;
            for (const State& s : states) {
                leastSeconds = std::min(leastSeconds, s.seconds);
                leastBytes = std::min(leastBytes, form.layers(s.parameters, s.kept));
            }
            seconds += leastSeconds;
            bytes += leastBytes;
        }
        m_known.weighBetween(seconds, bytes);
    }

    // What may be left out

    /// Each state with the sums that it makes, and the least of all operators from a place on.
    void boundOperators()
    {
        const std::size_t places = std::size_t(m_count) + 1;
        m_alone.assign(places, {});
        m_least.assign(places, none());
        m_onward.assign(places, {});
        m_back.assign(places, {});
        for (int place = 0; place < m_count; ++place)
            for (const State& s : statesAt(place)) {
                Bound bound;
                add(bound, place, s);
                m_onward[std::size_t(place)].push_back(m_steps.leastOnward(place, s));
                m_back[std::size_t(place)].push_back(m_steps.leastBack(place, s));
                add(bound, m_onward[std::size_t(place)].back() + m_back[std::size_t(place)].back(), 0, 0);
                m_alone[std::size_t(place)].push_back(bound);
                lower(m_least[std::size_t(place)], bound);
            }
        m_alone.back().assign(statesAt(m_count).size(), Bound{});
        m_back.back() = m_back.front();
        m_least.back() = Bound{};
        m_rest.assign(places + 1, Bound{});
        for (int place = m_count; place-- > 0;) {
            m_rest[std::size_t(place)] = m_rest[std::size_t(place) + 1];
            add(m_rest[std::size_t(place)], m_least[std::size_t(place)]);
        }
    }

    /// Of each operator those that look best alone: for a first answer, which leaves out many of the others.
    void leaveAllButFew()
    {
        m_left.assign(m_alone.size(), {});
        for (int place = 0; place < m_count; ++place) {
            const std::vector<Bound>& alone = m_alone[std::size_t(place)];
            Left all(alone.size());
            std::iota(all.begin(), all.end(), std::int16_t(0));
            Left& few = left(place);
            for (std::size_t w = 0; w < weights(); ++w) {
                const std::size_t count = std::min(all.size(), w == 0 ? kFewByTime : kFewByMemory);
                std::partial_sort(
                    all.begin(), all.begin() + std::ptrdiff_t(count), all.end(), [&](std::int16_t a, std::int16_t b) {
                        return alone[std::size_t(a)].least[w] < alone[std::size_t(b)].least[w];
                    });
                few.insert(few.end(), all.begin(), all.begin() + std::ptrdiff_t(count));
            }
            std::sort(few.begin(), few.end());
            few.erase(std::unique(few.begin(), few.end()), few.end());
        }
        m_left.back() = m_left.front();
    }

    /// Each beside the least of all other operators.
    void leaveByOperator()
    {
        for (int place = 0; place < m_count; ++place) {
            left(place).clear();
            for (std::size_t i = 0; i < statesAt(place).size(); ++i) {
                Bound bound = m_alone[std::size_t(place)][i];
                for (int other = 0; other < m_count; ++other)
                    if (other != place)
                        add(bound, m_least[std::size_t(other)]);
                if (!m_known.isBeaten(bound, statesAt(place)[i].working))
                    left(place).push_back(std::int16_t(i));
            }
        }
        m_left.back() = m_left.front();
    }

    /// The least before each state when the chain of operators counts alone; what is best along it is good altogether.
    void descendAlongChain()
    {
        m_before.assign(m_left.size(), {});
        m_before[0].assign(left(0).size(), Bound{});
        m_from.assign(m_left.size(), {});
        for (int place = 0; place < m_count; ++place)
            boundNext(place);
        for (std::size_t w = 0; w < weights(); ++w)
            if (const std::optional<ChosenStates> chain = bestOfChain(w))
                descend(m_block, m_states, m_steps, w, *chain, m_known);
    }

    /// The least before and after each state when the chain of operators counts alone, without the residual's second
    /// way and whatever state the layer ends in.
    void leaveByChain()
    {
        descendAlongChain();
        m_after.assign(m_left.size(), {});
        m_after.back().assign(m_left.back().size(), Bound{});
        for (int place = m_count - 1; place >= 0; --place) {
            leaveBeaten(place + 1);
            boundBefore(place);
        }
        leaveBeaten(0);
        meetEnds();
    }

    void boundNext(int place)
    {
        std::vector<Bound>& next = m_before[std::size_t(place) + 1];
        next.assign(left(place + 1).size(), none());
        std::vector<Came>& from = m_from[std::size_t(place) + 1];
        from.assign(next.size(), Came{});
        struct Sender {
            std::size_t number = 0;
            Bound here; ///< with its state
        };
        std::vector<Sender> senders;
        for (std::size_t a = 0; a < left(place).size(); ++a) {
            Bound here = m_before[std::size_t(place)][a];
            add(here, place, state(place, a));
            Bound through = here;
            add(through, m_rest[std::size_t(place) + 1]);
            if (!m_known.isBeaten(through, state(place, a).working))
                senders.push_back({a, here});
        }
        // The best first: the others are soon seen to lead to nothing better.
        std::sort(senders.begin(), senders.end(),
            [](const Sender& a, const Sender& b) { return a.here.least[0] < b.here.least[0]; });
        for (std::size_t b = 0; b < next.size(); ++b) {
            Bound rest = m_alone[std::size_t(place) + 1][std::size_t(left(place + 1)[b])];
            add(rest, m_rest[std::size_t(place) + 2]);
            const double back = m_back[std::size_t(place) + 1][std::size_t(left(place + 1)[b])];
            for (const Sender& sender : senders) {
                const double sums = m_onward[std::size_t(place)][std::size_t(left(place)[sender.number])] + back;
                if (isNoLess(sender.here, sums, next[b]))
                    continue;
                Bound there = sender.here;
                add(there, rest);
                if (m_known.isBeaten(there, 0))
                    continue;
                there = sender.here;
                add(there, m_steps.between(place, state(place, sender.number), place + 1, state(place + 1, b)));
                for (std::size_t w = 0; w < weights(); ++w)
                    if (there.least[w] < next[b].least[w]) {
                        next[b].least[w] = there.least[w];
                        from[b][w] = std::int16_t(sender.number);
                    }
            }
        }
    }

    /// The chain that is the least of a weighed sum.
    [[nodiscard]] std::optional<ChosenStates> bestOfChain(std::size_t weight) const
    {
        const std::vector<Bound>& ends = m_before.back();
        std::size_t i = std::size_t(std::min_element(ends.begin(), ends.end(), [&](const Bound& a, const Bound& b) {
            return a.least[weight] < b.least[weight];
        }) - ends.begin());
        if (ends.empty() || ends[i].least[weight] == kInfinity)
            return std::nullopt;
        ChosenStates chosen{};
        for (int place = m_count; place-- > 0;) {
            i = std::size_t(m_from[std::size_t(place) + 1][i][weight]);
            chosen[std::size_t(place)] = left(place)[i];
        }
        return chosen;
    }

    void boundBefore(int place)
    {
        std::vector<Bound>& after = m_after[std::size_t(place)];
        after.assign(left(place).size(), none());
        std::vector<std::pair<Bound, std::size_t>> receivers;
        for (std::size_t b = 0; b < left(place + 1).size(); ++b) {
            receivers.emplace_back(m_after[std::size_t(place) + 1][b], b);
            add(receivers.back().first, place + 1, state(place + 1, b));
        }
        std::sort(receivers.begin(), receivers.end(),
            [](const auto& a, const auto& b) { return a.first.least[0] < b.first.least[0]; });
        for (std::size_t a = 0; a < after.size(); ++a)
            for (const auto& [there, b] : receivers) {
                const double sums = m_onward[std::size_t(place)][std::size_t(left(place)[a])]
                    + m_back[std::size_t(place) + 1][std::size_t(left(place + 1)[b])];
                if (isNoLess(there, sums, after[a]))
                    continue;
                Bound here = there;
                add(here, m_steps.between(place, state(place, a), place + 1, state(place + 1, b)));
                lower(after[a], here);
            }
    }

    /// With so many seconds more.
    [[nodiscard]] bool isNoLess(const Bound& bound, double seconds, const Bound& known) const
    {
        for (std::size_t w = 0; w < weights(); ++w)
            if (bound.least[w] + m_known.weights()[w].ofSeconds * seconds < known.least[w])
                return false;
        return true;
    }

    void keepOnly(int place, const std::vector<std::size_t>& kept)
    {
        Left states;
        std::vector<Bound> before, after;
        for (const std::size_t i : kept) {
            states.push_back(left(place)[i]);
            before.push_back(m_before[std::size_t(place)][i]);
            after.push_back(m_after[std::size_t(place)][i]);
        }
        left(place) = std::move(states);
        m_before[std::size_t(place)] = std::move(before);
        m_after[std::size_t(place)] = std::move(after);
    }

    void leaveBeaten(int place)
    {
        std::vector<std::size_t> kept;
        for (std::size_t i = 0; i < left(place).size(); ++i) {
            Bound bound = m_before[std::size_t(place)][i];
            add(bound, place, state(place, i));
            add(bound, m_after[std::size_t(place)][i]);
            if (!m_known.isBeaten(bound, place < m_count ? state(place, i).working : 0))
                kept.push_back(i);
        }
        keepOnly(place, kept);
    }

    /// The layer ends in a state that it can begin in.
    void meetEnds()
    {
        for (const auto& [place, other] : {std::pair{0, m_count}, std::pair{m_count, 0}}) {
            std::vector<std::size_t> kept;
            for (std::size_t i = 0; i < left(place).size(); ++i)
                if (std::find(left(other).begin(), left(other).end(), left(place)[i]) != left(other).end())
                    kept.push_back(i);
            keepOnly(place, kept);
        }
    }

    // The programme

    void priceSteps()
    {
        m_between.assign(std::size_t(m_count), {});
        for (int place = 0; place < m_count; ++place)
            for (std::size_t a = 0; a < left(place).size(); ++a)
                for (std::size_t b = 0; b < left(place + 1).size(); ++b)
                    m_between[std::size_t(place)].push_back(
                        m_steps.between(place, state(place, a), place + 1, state(place + 1, b)));
    }

    [[nodiscard]] Division labelOf(int place, std::size_t i) const
    {
        Division label;
        if (place == m_count)
            return label;
        const State& s = state(place, i);
        label = {s.seconds, s.parameters, s.kept, s.working};
        label.states[std::size_t(place)] = left(place)[i];
        return label;
    }

    static Division joined(const Division& a, const Division& b)
    {
        Division sum{a.seconds + b.seconds, a.parameters + b.parameters, a.kept + b.kept,
            std::max(a.working, b.working), a.states, a.again | b.again};
        for (std::size_t i = 0; i < sum.states.size(); ++i) // zero where a part has no operator
            sum.states[i] = std::int16_t(sum.states[i] | b.states[i]);
        return sum;
    }
    /// Of two that have the operator at this place in common.
    [[nodiscard]] Division joinedAt(int place, std::size_t i, const Division& a, const Division& b) const
    {
        Division both = joined(a, b);
        both.seconds -= state(place, i).seconds;
        both.parameters -= state(place, i).parameters;
        both.kept -= state(place, i).kept;
        return both;
    }

    /// Takes a label from a state of the operator at `first` to one of that at `last`, unless no whole is asked for
    /// that it is part of.
    void take(Labels& labels, const Division& label, int first, std::size_t row, int last, std::size_t column)
    {
        ++m_labels;
        Bound bound = m_before[std::size_t(first)][row];
        add(bound, label.seconds, label.parameters, label.kept);
        add(bound, m_after[std::size_t(last)][column]);
        if (!m_known.isBeaten(bound, label.working))
            labels.add(label, weights() > 1);
    }

    /// A label extended by a step in one way, or in both where they differ.
    template <class Take>
    void eachWay(const Division& label, const Step& step, int from, int to, Take take) const
    {
        Division next = label;
        next.seconds += step.seconds;
        next.kept += step.kept;
        take(next);
        if (weights() == 1 || step.keptAgain >= step.kept)
            return;
        next = label;
        next.seconds += step.secondsAgain;
        next.kept += step.keptAgain;
        next.again |= m_steps.againBit(from, to);
        take(next);
    }

    /// Of all ways from a state of the operator at `first` to one of that at `last`; no other sends anything beyond.
    [[nodiscard]] Matrix segment(int first, int last)
    {
        Matrix matrix;
        matrix.columns = left(first).size();
        matrix.labels.resize(matrix.columns * matrix.columns);
        for (std::size_t i = 0; i < matrix.columns; ++i)
            matrix.at(i, i).add(labelOf(first, i), false);
        for (int place = first; place < last;) {
            const std::optional<int> end = skipWithin(place, first, last);
            matrix = end ? merged(matrix, segment(place, *end), first, place, *end) : extended(matrix, first, place);
            place = end.value_or(place + 1);
        }
        if (isSkip(first, last))
            addSkip(matrix, first, last);
        return matrix;
    }

    [[nodiscard]] bool isSkip(int from, int to) const
    {
        return std::find(m_steps.skips().begin(), m_steps.skips().end(), std::pair{from, to}) != m_steps.skips().end();
    }
    /// Where the second way from a place leads, within a segment and other than that of the segment itself.
    [[nodiscard]] std::optional<int> skipWithin(int place, int first, int last) const
    {
        for (const auto& [from, to] : m_steps.skips())
            if (from == place && to <= last && !(from == first && to == last))
                return to;
        return std::nullopt;
    }

    [[nodiscard]] Matrix extended(const Matrix& matrix, int first, int place)
    {
        Matrix next;
        next.columns = left(place + 1).size();
        const std::size_t rows = left(first).size();
        next.labels.resize(rows * next.columns);
        std::vector<Division> added;
        for (std::size_t b = 0; b < next.columns; ++b)
            added.push_back(labelOf(place + 1, b));
        for (std::size_t row = 0; row < rows; ++row)
            for (std::size_t a = 0; a < matrix.columns; ++a)
                for (const Division& label : matrix.at(row, a).all())
                    for (std::size_t b = 0; b < next.columns; ++b)
                        eachWay(joined(label, added[b]), m_between[std::size_t(place)][a * next.columns + b], place,
                            place + 1,
                            [&](const Division& way) { take(next.at(row, b), way, first, row, place + 1, b); });
        return next;
    }

    /// Two segments with an operator between.
    [[nodiscard]] Matrix merged(const Matrix& before, const Matrix& after, int first, int place, int last)
    {
        Matrix both;
        both.columns = after.columns;
        const std::size_t rows = left(first).size();
        both.labels.resize(rows * both.columns);
        for (std::size_t row = 0; row < rows; ++row)
            for (std::size_t a = 0; a < before.columns; ++a)
                for (const Division& label : before.at(row, a).all())
                    for (std::size_t b = 0; b < both.columns; ++b)
                        for (const Division& other : after.at(a, b).all())
                            take(both.at(row, b), joinedAt(place, a, label, other), first, row, last, b);
        return both;
    }

    void addSkip(Matrix& matrix, int first, int last)
    {
        for (std::size_t row = 0; row < left(first).size(); ++row)
            for (std::size_t b = 0; b < matrix.columns; ++b) {
                if (matrix.at(row, b).empty())
                    continue;
                const Step step = m_steps.between(first, state(first, row), last, state(last, b));
                Labels with;
                for (const Division& label : matrix.at(row, b).all())
                    eachWay(
                        label, step, first, last, [&](const Division& way) { take(with, way, first, row, last, b); });
                matrix.at(row, b) = std::move(with);
            }
    }

    /// Both halves of the layer, where it ends as it begins.
    void close(const Matrix& first, const Matrix& second)
    {
        for (std::size_t row = 0; row < left(0).size(); ++row)
            for (std::size_t a = 0; a < first.columns; ++a)
                for (const Division& label : first.at(row, a).all())
                    for (const Division& other : second.at(a, endOf(row)).all())
                        m_known.add(joinedAt(m_middle, a, label, other));
    }
    [[nodiscard]] std::size_t endOf(std::size_t row) const
    {
        return std::size_t(std::find(left(m_count).begin(), left(m_count).end(), left(0)[row]) - left(m_count).begin());
    }

    const Block& m_block;
    const std::vector<std::vector<State>>& m_states;
    LayerSteps& m_steps;
    KnownDivisions m_known;
    int m_count; ///< places of operators; at the next one the layer ends
    int m_middle; ///< place of the operator that both halves of the layer have
    std::vector<Left> m_left; ///< by place, states that may be part of an answer
    std::vector<std::vector<Bound>> m_before, m_after; ///< by place and state left, that state apart
    std::vector<std::vector<Came>> m_from;
    std::vector<std::vector<Bound>> m_alone; ///< by place and state, with the sums that it makes
    std::vector<Bound> m_least; ///< of them
    std::vector<std::vector<double>> m_onward, m_back; ///< by place and state, seconds of sums sent on, and back
    std::vector<Bound> m_rest; ///< of the operators from a place on, without steps
    std::vector<std::vector<Step>> m_between; ///< by place, to the next one
    std::int64_t m_labels = 0;
};

} // namespace

Programme::Programme(const Block& block, const Sequences& sequences, const GroupPricing& pricing)
    : m_block(block)
    , m_steps(block, pricing.layouts)
{
    assert(block.size() <= kMostOperators);
    for (const BlockOperator& op : block.operators)
        m_states.push_back(partition::states(block, op, sequences, pricing));
}

bool Programme::isPossible() const
{
    return std::none_of(
        m_states.begin(), m_states.end(), [](const std::vector<State>& states) { return states.empty(); });
}

ProgrammeAnswer Programme::solve(const ProgrammeGoal& goal)
{
    return Solver(m_block, m_states, m_steps, goal).solve();
}

Division Programme::price(const ChosenStates& states, std::uint32_t again)
{
    return priced(m_block, m_steps, m_states, states, again);
}

} // namespace stratoplan::partition
