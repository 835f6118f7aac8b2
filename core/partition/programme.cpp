// SPDX-License-Identifier: Apache-2.0
#include "core/partition/programme.h"

#include "core/partition/closed_bounds.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <map>
#include <optional>

namespace stratoplan::partition {
namespace {

constexpr double kFirstMore = 1.0 / 128;
constexpr std::size_t kMostSums = 256;
constexpr std::size_t kMostBest = 16;

/// Those of which no other is better in everything that counts.
class Labels {
public:
    void add(const Division& label, const ProgrammeGoal& goal, bool memoryCounts)
    {
        const auto isNoMore = [&goal, memoryCounts](const Division& a, const Division& b) {
            return goal.cost(a) <= goal.cost(b) * kSameCost
                && (!memoryCounts
                    || (a.parameters <= b.parameters && a.kept <= b.kept && a.remade <= b.remade
                        && a.working <= b.working));
        };
        const auto dominates = [&isNoMore](const Division& a, const Division& b) {
            return isNoMore(a, b) && !(isNoMore(b, a) && comesBefore(b, a));
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

/// Labels of parts of a layer: from each state that it can begin in, and of segments that have a second way of their
/// own from every state to every one.
class Segments {
public:
    Segments(ChainBounds& bounds, const LayerSteps& steps, KnownDivisions& known)
        : m_bounds(bounds)
        , m_steps(steps)
        , m_known(known)
        , m_closed(bounds, steps, known)
        , m_memoryCounts(known.weights().size() > 1)
        , m_end(bounds.end())
    {
    }

    /// Of any whole that fits.
    [[nodiscard]] double leastCost() const { return m_closed.leastCost(); }

    /// All that may be asked for is known afterwards. Rows take about as long as each other.
    void solve(const ProgrammeProgress& progress)
    {
        m_inner.clear();
        for (std::size_t row = 0; row < m_closed.rows() && !m_known.isStopped(); ++row) {
            if (!m_closed.isBeaten(labelOf(0, row), row, 0, row))
                solveFrom(row);
            if (progress)
                progress(double(row + 1) / double(m_closed.rows()));
        }
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

    using Cells = std::vector<Labels>; ///< by states left of a place

    void solveFrom(std::size_t row)
    {
        Cells cells(m_closed.rows());
        cells[row].add(labelOf(0, row), m_known.goal(), false);
        for (int place = 0; place < m_end;) {
            const std::optional<int> end = skipWithin(place, place, m_end);
            cells = end ? joinedWith(inner(place, *end), cells, row, place, *end) : next(cells, row, place);
            place = end.value_or(place + 1);
            for (const auto& way : m_closed.skipsAt(place))
                cells = withSkip(cells, way, row, place);
        }
        for (const Division& label : cells[row].all())
            m_known.add(m_bounds.priced(label));
    }

    [[nodiscard]] Cells next(const Cells& cells, std::size_t row, int place)
    {
        Cells next(m_bounds.left(place + 1).size());
        for (std::size_t b = 0; b < next.size() && !m_known.isStopped(); ++b) {
            const Division added = labelOf(place + 1, b);
            for (std::size_t a = 0; a < cells.size(); ++a)
                if (const std::optional<Step>& step = m_closed.step(place, a, b))
                    for (const Division& label : cells[a].all())
                        eachWay(joined(label, added), *step, place, place + 1,
                            [&](const Division& way) { take(next[b], way, row, place + 1, b); });
        }
        return next;
    }

    /// With a segment from every state of one place to every one of another.
    [[nodiscard]] Cells joinedWith(const Matrix& segment, const Cells& cells, std::size_t row, int place, int last)
    {
        Cells next(segment.columns);
        for (std::size_t a = 0; a < cells.size() && !m_known.isStopped(); ++a)
            for (const Division& label : cells[a].all())
                for (std::size_t b = 0; b < next.size(); ++b)
                    for (const Division& other : segment.at(a, b).all())
                        take(next[b], joinedAt(place, a, label, other), row, last, b);
        return next;
    }

    /// With a second way of the whole layer that passes here: what it takes was in the bounds so far.
    [[nodiscard]] Cells withSkip(const Cells& cells, const std::pair<int, int>& way, std::size_t row, int place)
    {
        Cells with(cells.size());
        for (std::size_t i = 0; i < cells.size(); ++i) {
            if (cells[i].empty())
                continue;
            const Step step = m_closed.skip(way, row, place, i);
            for (const Division& label : cells[i].all())
                eachWay(label, step, way.first, way.second,
                    [&](const Division& next) { with[i].add(next, m_known.goal(), m_memoryCounts); });
        }
        return with;
    }

    [[nodiscard]] const Matrix& inner(int first, int last)
    {
        const auto [known, isNew] = m_inner.try_emplace(first);
        if (isNew)
            known->second = segment(first, last);
        return known->second;
    }

    [[nodiscard]] Division labelOf(int place, std::size_t i) const
    {
        Division label;
        if (place == m_end)
            return label;
        const State& s = m_bounds.state(place, i);
        label = {s.seconds, s.parameters, s.kept, s.remade, s.working};
        label.states[std::size_t(place)] = m_bounds.left(place)[i];
        return label;
    }

    static Division joined(const Division& a, const Division& b)
    {
        Division sum{a.seconds + b.seconds, a.parameters + b.parameters, a.kept + b.kept, a.remade + b.remade,
            std::max(a.working, b.working), a.states, a.again | b.again};
        for (std::size_t i = 0; i < sum.states.size(); ++i) // zero where a part has no operator
            sum.states[i] = std::int16_t(sum.states[i] | b.states[i]);
        return sum;
    }
    /// Of two that have the operator at this place in common.
    [[nodiscard]] Division joinedAt(int place, std::size_t i, const Division& a, const Division& b) const
    {
        Division both = joined(a, b);
        both.seconds -= m_bounds.state(place, i).seconds;
        both.parameters -= m_bounds.state(place, i).parameters;
        both.kept -= m_bounds.state(place, i).kept;
        both.remade -= m_bounds.state(place, i).remade;
        return both;
    }

    /// Takes a label from a row to a state of the operator at `last`, unless no whole is asked for that it is part of.
    void take(Labels& labels, const Division& label, std::size_t row, int last, std::size_t column)
    {
        if (!m_closed.isBeaten(label, row, last, column))
            labels.add(label, m_known.goal(), m_memoryCounts);
    }
    /// The same from a state of the operator at `first` to one of that at `last`.
    void take(Labels& labels, const Division& label, int first, std::size_t row, int last, std::size_t column)
    {
        if (!m_closed.isBeaten(label, first, row, last, column))
            labels.add(label, m_known.goal(), m_memoryCounts);
    }

    /// A label extended by a step in one way, or in both where they differ.
    template <class Take>
    void eachWay(const Division& label, const Step& step, int from, int to, Take take) const
    {
        Division next = label;
        next.seconds += step.seconds;
        next.kept += step.kept;
        next.remade += step.remade;
        take(next);
        if (!m_memoryCounts || step.keptAgain >= step.kept)
            return;
        next = label;
        next.seconds += step.secondsAgain;
        next.kept += step.keptAgain;
        next.remade += step.remade;
        next.again |= m_steps.againBit(from, to);
        take(next);
    }

    /// Of all ways from a state of the operator at `first` to one of that at `last`; no other sends anything beyond.
    [[nodiscard]] Matrix segment(int first, int last)
    {
        Matrix matrix;
        matrix.columns = m_bounds.left(first).size();
        matrix.labels.resize(matrix.columns * matrix.columns);
        for (std::size_t i = 0; i < matrix.columns; ++i)
            matrix.at(i, i).add(labelOf(first, i), m_known.goal(), false);
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
            if (from == place && from > 0 && to < m_end && to <= last && !(from == first && to == last))
                return to;
        return std::nullopt;
    }

    [[nodiscard]] Matrix extended(const Matrix& matrix, int first, int place)
    {
        Matrix next;
        next.columns = m_bounds.left(place + 1).size();
        const std::size_t rows = m_bounds.left(first).size();
        next.labels.resize(rows * next.columns);
        std::vector<Division> added;
        for (std::size_t b = 0; b < next.columns; ++b)
            added.push_back(labelOf(place + 1, b));
        for (std::size_t row = 0; row < rows && !m_known.isStopped(); ++row)
            for (std::size_t a = 0; a < matrix.columns; ++a)
                for (const Division& label : matrix.at(row, a).all())
                    for (std::size_t b = 0; b < next.columns; ++b)
                        if (const std::optional<Step>& step = m_closed.step(place, a, b))
                            eachWay(joined(label, added[b]), *step, place, place + 1,
                                [&](const Division& way) { take(next.at(row, b), way, first, row, place + 1, b); });
        return next;
    }

    /// Two segments with an operator between.
    [[nodiscard]] Matrix merged(const Matrix& before, const Matrix& after, int first, int place, int last)
    {
        Matrix both;
        both.columns = after.columns;
        const std::size_t rows = m_bounds.left(first).size();
        both.labels.resize(rows * both.columns);
        for (std::size_t row = 0; row < rows && !m_known.isStopped(); ++row)
            for (std::size_t a = 0; a < before.columns; ++a)
                for (const Division& label : before.at(row, a).all())
                    for (std::size_t b = 0; b < both.columns; ++b)
                        for (const Division& other : after.at(a, b).all())
                            take(both.at(row, b), joinedAt(place, a, label, other), first, row, last, b);
        return both;
    }

    void addSkip(Matrix& matrix, int first, int last)
    {
        for (std::size_t row = 0; row < m_bounds.left(first).size() && !m_known.isStopped(); ++row)
            for (std::size_t b = 0; b < matrix.columns; ++b) {
                if (matrix.at(row, b).empty())
                    continue;
                const Step step = m_bounds.step(first, row, last, b);
                Labels with;
                for (const Division& label : matrix.at(row, b).all())
                    eachWay(
                        label, step, first, last, [&](const Division& way) { take(with, way, first, row, last, b); });
                matrix.at(row, b) = std::move(with);
            }
    }

    ChainBounds& m_bounds;
    const LayerSteps& m_steps;
    KnownDivisions& m_known;
    ClosedBounds m_closed;
    bool m_memoryCounts;
    int m_end; ///< the place behind the last operator
    std::map<int, Matrix> m_inner; ///< segments with a second way of their own, by where they begin
};

} // namespace

Programme::Programme(const Block& block, const Sequences& sequences, const GroupPricing& pricing)
    : m_block(block)
    , m_steps(block, pricing.layouts)
    , m_microBatches(block.microBatches)
{
    assert(block.size() <= kMostOperators && pricing.bits <= kMostGroupBits);
    for (const BlockOperator& op : block.operators)
        m_states.push_back(partition::states(block, op, sequences, pricing));
    for (const std::vector<State>& states : m_states)
        if (!states.empty())
            m_leastWorking = std::max(m_leastWorking, std::ranges::min(states, {}, &State::working).working);
}

void Programme::keep(const std::vector<WeighedLeast>& sums)
{
    LeastSums& known = m_leastSums[m_microBatches];
    for (const WeighedLeast& sum : sums)
        if (known.all.size() < kMostSums)
            known.all.push_back(sum);
        else
            known.all[known.oldest++ % kMostSums] = sum;
}

void Programme::keep(const Division& best)
{
    std::erase_if(
        m_lastBest, [&](const Division& other) { return other.states == best.states && other.again == best.again; });
    m_lastBest.push_front(best);
    if (m_lastBest.size() > kMostBest)
        m_lastBest.pop_back();
}

void Programme::watch(std::stop_token stop, ProgrammeProgress progress)
{
    m_stop = std::move(stop);
    m_progress = std::move(progress);
}

void Programme::spread(int microBatches)
{
    if (microBatches == m_microBatches)
        return;
    m_microBatches = microBatches;
    for (std::vector<State>& states : m_states)
        for (State& state : states)
            state.spread(microBatches);
}

bool Programme::isKnownEmpty(const ProgrammeGoal& goal) const
{
    const auto known = m_leastSums.find(m_microBatches);
    if (known == m_leastSums.end())
        return false;
    return std::ranges::all_of(goal.within, [&](Corner corner) {
        corner.peak = std::min(corner.peak, goal.capacity);
        return std::ranges::any_of(goal.memory, [&](const MemoryForm& form) {
            return std::ranges::any_of(
                known->second.all, [&](const WeighedLeast& sum) { return isEmpty(corner, sum, form, m_leastWorking); });
        });
    });
}

bool Programme::isPossible() const
{
    return std::none_of(
        m_states.begin(), m_states.end(), [](const std::vector<State>& states) { return states.empty(); });
}

double Programme::leastSeconds()
{
    const KnownDivisions none{ProgrammeGoal{}};
    return CoarseChain(m_states, m_steps, none).least().least.front();
}

ProgrammeAnswer Programme::solve(const ProgrammeGoal& goal)
{
    if (m_stop.stop_requested())
        return {{}, 0, true};
    KnownDivisions known(goal, m_stop);
    for (const Division& best : m_lastBest) // is often good here, too
        known.add(price(best.states, best.again));
    ChainBounds bounds(m_block, m_states, m_steps, known);
    if (known.isStopped())
        return {{}, 0, true};
    keep(bounds.leastSums());
    if (bounds.areBeaten())
        return {known.best(), 0};
    const double least = bounds.leastCost(), most = known.mostCost();
    // With a limit of memory the best is often far better than what is known before: little more than the bound is
    // looked at first.
    double more = least * kFirstMore;
    for (double within = least + more;; within += more) {
        const double asked = std::min(within < 2 * least ? within : kInfinity, most);
        if (!goal.front && known.weights().size() > 1)
            known.askWithin(asked);
        bounds.leaveAsked();
        Segments segments(bounds, m_steps, known);
        segments.solve(goal.front ? m_progress : nullptr);
        if (known.isStopped())
            return {{}, 0, true};
        if (known.isSettled() || asked >= most)
            break;
        const double closed = segments.leastCost(); // of what was looked at, if anything was left
        more = closed < within ? std::max(within - closed, least * kFirstMore) : 2 * more;
    }
    ProgrammeAnswer answer{known.best(), 0};
    if (!answer.best.empty())
        keep(answer.best.front());
    for (int place = 0; place < bounds.end(); ++place)
        answer.statesLeft += int(bounds.left(place).size());
    return answer;
}

Division Programme::price(const ChosenStates& states, std::uint32_t again)
{
    return priced(m_block, m_steps, m_states, states, again);
}

} // namespace stratoplan::partition
