// SPDX-License-Identifier: Apache-2.0
#include "core/split/fold_split.h"

#include "core/split/undominated.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>

namespace stratoplan::split {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

bool noMore(const pipeline::FoldedPrefix& a, const pipeline::FoldedPrefix& b)
{
    return a.fill <= b.fill && a.back <= b.back && a.once <= b.once && a.trips <= b.trips && a.longest <= b.longest;
}

bool noMore(const pipeline::FoldedTerms& a, const pipeline::FoldedTerms& b)
{
    return a.down <= b.down && a.up <= b.up && a.gradient <= b.gradient && a.first <= b.first && a.last <= b.last
        && a.work <= b.work && a.rest <= b.rest;
}

/// A prefix, and how it came about.
struct FoldLabel {
    pipeline::FoldedPrefix prefix;
    std::int32_t before = -1; ///< label of the place before, in `m_labels`
    std::int32_t outer = 0, inner = 0;
    std::int32_t option = 0; ///< in `m_options`
};

/// Layers that are left in the middle, and the labels that leave them.
struct State {
    int first = 0, count = 0;
    std::vector<std::int32_t> labels;
};

/// What a place with some layers may do.
struct Choice {
    std::int32_t begin = 0, end = 0; ///< in `m_options`
    double least = kNever; ///< own work, with the least that any option has, within the limit or not
};

class FoldProgramme {
public:
    FoldProgramme(const FoldSpace& space, const std::stop_token& stop)
        : m_space(space)
        , m_stop(stop)
    {
    }

    FoldAnswer answer()
    {
        // One prefix per state and few layers to a place find a split where none is known, which tells the exact search
        // what is too long.
        m_best.seconds = m_space.known;
        for (int most = m_space.layers / m_space.rules.places + 2;
             !std::isfinite(m_best.seconds) && !m_stop.stop_requested(); most *= 2) {
            run(true, most);
            if (most >= m_space.layers)
                break;
        }
        if (std::isfinite(m_best.seconds))
            run(false, m_space.layers);
        m_best.proven = !m_stop.stop_requested();
        if (!m_best.places)
            m_best.seconds = 0;
        return std::move(m_best);
    }

private:
    using States = std::map<int, State>; ///< by kind of what is left

    void run(bool rough, int most)
    {
        m_labels.assign(1, {});
        States states;
        states[m_space.kind(0, m_space.layers)] = {0, m_space.layers, {0}};
        for (int place = 0; place < m_space.rules.places; ++place) {
            States next;
            for (const auto& [kind, state] : states) {
                take(place, state, rough, most, next);
            }
            if (m_stop.stop_requested())
                return;
            states = std::move(next);
        }
    }

    /// Layers that every stage has at least; the ends of the model may have none.
    [[nodiscard]] int least(int place) const { return place == 0 ? 0 : m_space.evenly ? 1 : 2; }

    /// Gives a place its layers, every number of them.
    void take(int place, const State& state, bool rough, int most, States& next)
    {
        const bool last = place + 1 == m_space.rules.places;
        int later = 0;
        for (int other = place + 1; other < m_space.rules.places; ++other)
            later += least(other);
        const int room = std::min(state.count - later, most);
        if (m_space.evenly) {
            for (int count = last ? state.count : least(place); count <= room; ++count)
                if (!extend(place, state, count - count / 2, count / 2, rough, next))
                    break;
            return;
        }
        const int each = place == 0 ? 0 : 1;
        for (int outer = each; outer + each <= room; ++outer) {
            const int from = last ? state.count - outer : each;
            for (int inner = from; outer + inner <= room && inner >= each; ++inner) {
                if (extend(place, state, outer, inner, rough, next))
                    continue;
                if (inner == each)
                    return; // with more layers in front of it, it is too much all the more
                break;
            }
        }
    }

    /// False: beyond the memory, or more than the step that is known, as all with more layers.
    bool extend(int place, const State& state, int outer, int inner, bool rough, States& next)
    {
        const int back = state.first + state.count;
        const Choice choice = choiceOf({place, state.first, outer, back, inner});
        if (choice.begin == choice.end || choice.least > m_best.seconds || m_stop.stop_requested())
            return false;
        const bool last = place + 1 == m_space.rules.places;
        State* after = nullptr;
        for (std::int32_t option = choice.begin; option < choice.end; ++option) {
            const pipeline::FoldedTerms terms = m_options[std::size_t(option)].terms;
            for (const std::int32_t label : state.labels) {
                const FoldLabel extension{extended(m_space.rules, place, m_labels[std::size_t(label)].prefix, terms),
                    label, outer, inner, option};
                if (last) {
                    finish(extension);
                    continue;
                }
                if (extension.prefix.longest > m_best.seconds)
                    continue;
                if (after == nullptr) {
                    const int left = state.count - outer - inner;
                    after = &next[m_space.kind(state.first + outer, left)];
                    after->first = state.first + outer;
                    after->count = left;
                }
                keep(extension, after->labels, rough);
            }
        }
        return true;
    }

    void keep(const FoldLabel& label, std::vector<std::int32_t>& state, bool rough)
    {
        m_best.labels +=
            keepUndominated(label, m_labels, state, rough, [](const auto& a, const auto& b) { return noMore(a, b); });
    }

    void finish(const FoldLabel& label)
    {
        const double seconds = label.prefix.longest;
        if (seconds > m_best.seconds || (seconds == m_best.seconds && m_best.places))
            return;
        m_best.seconds = seconds;
        std::vector<FoldPlace> places;
        for (const FoldLabel* last = &label; last->before >= 0; last = &m_labels[std::size_t(last->before)])
            places.push_back({last->outer, last->inner, m_options[std::size_t(last->option)]});
        std::reverse(places.begin(), places.end());
        m_best.places = std::move(places);
    }

    [[nodiscard]] Choice choiceOf(const FoldChunks& fold)
    {
        const auto [known, isNew] = m_choices.try_emplace(
            {fold.place, m_space.kind(fold.front, fold.outer), m_space.kind(fold.back - fold.inner, fold.inner)});
        if (isNew) {
            const std::vector<FoldOption> all = m_space.options(fold, m_best.seconds);
            for (const FoldOption& option : all)
                known->second.least = std::min(known->second.least, option.terms.work);
            const std::vector<FoldOption> options = worthwhile(all, m_space.limit);
            known->second.begin = std::int32_t(m_options.size());
            m_options.insert(m_options.end(), options.begin(), options.end());
            known->second.end = std::int32_t(m_options.size());
        }
        return known->second;
    }

    const FoldSpace& m_space;
    const std::stop_token& m_stop;
    std::vector<FoldLabel> m_labels;
    std::vector<FoldOption> m_options;
    std::map<std::array<int, 3>, Choice> m_choices; ///< by place, and kinds of its layers
    FoldAnswer m_best{{}, kNever, false, 0};
};

} // namespace

std::vector<FoldOption> worthwhile(const std::vector<FoldOption>& all, double limit)
{
    return undominated(all, limit, [](const auto& a, const auto& b) { return noMore(a, b); });
}

FoldAnswer bestFold(const FoldSpace& space, const std::stop_token& stop)
{
    return FoldProgramme(space, stop).answer();
}

} // namespace stratoplan::split
