// SPDX-License-Identifier: Apache-2.0
#include "core/split/split_chain.h"

#include "core/split/undominated.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <utility>

namespace stratoplan::split {
namespace {

constexpr double kNoChain = std::numeric_limits<double>::infinity();

bool noMore(const pipeline::ChainPrefix& a, const pipeline::ChainPrefix& b)
{
    return a.fill <= b.fill && a.tail <= b.tail && a.longest <= b.longest && a.further <= b.further && a.once <= b.once
        && a.twice <= b.twice && a.many <= b.many;
}

bool noMore(const pipeline::StageTerms& a, const pipeline::StageTerms& b)
{
    // More weight gradient is less input gradient: only equal ones compare.
    return a.weightGradient == b.weightGradient && a.forward <= b.forward && a.backward <= b.backward
        && a.sync <= b.sync && a.after <= b.after && a.firstForward <= b.firstForward
        && a.firstBackward <= b.firstBackward && a.leastForward <= b.leastForward && a.leastBackward <= b.leastBackward;
}

/// A prefix, and how it came about.
struct ChainLabel {
    pipeline::ChainPrefix prefix;
    std::int32_t before = -1; ///< label of the stage before, in `m_labels`
    std::int32_t layers = 0; ///< of its last stage
    std::int32_t layout = 0;
    std::int32_t option = 0; ///< in `m_options`
};

class ChainProgramme {
public:
    ChainProgramme(const ChainSpace& space, const std::stop_token& stop)
        : m_space(space)
        , m_stop(stop)
    {
    }

    ChainAnswer answer()
    {
        // One prefix per state finds a chain, which tells the exact search what is too long.
        runAll(true);
        if (!m_stop.stop_requested() && m_best.stages)
            runAll(false);
        m_best.proven = !m_stop.stop_requested();
        if (!m_best.stages)
            m_best.seconds = 0;
        return std::move(m_best);
    }

private:
    /// Labels of one state: where the next stage begins, its layout, and that of the stage before.
    using States = std::vector<std::vector<std::int32_t>>;

    void runAll(bool rough)
    {
        if (m_space.lastOf.empty())
            return run(rough, std::nullopt);
        for (int first = 0; first < m_space.layouts; ++first)
            run(rough, Ends{first, m_space.lastOf[std::size_t(first)]});
    }

    [[nodiscard]] std::size_t state(int layer, int previous, int layout) const
    {
        return (std::size_t(layer) * std::size_t(m_space.layouts) + std::size_t(previous))
            * std::size_t(m_space.layouts)
            + std::size_t(layout);
    }

    /// Layouts of the first and the last stage.
    struct Ends {
        int first, last;
    };

    /// Any ends without `ends`.
    void run(bool rough, std::optional<Ends> ends)
    {
        m_labels.clear();
        const std::size_t all = state(m_space.layers, m_space.layouts - 1, m_space.layouts - 1) + 1;
        States states(all);
        for (int layout = 0; layout < m_space.layouts; ++layout) {
            if (ends && ends->first != layout)
                continue;
            m_labels.push_back({});
            states[state(0, 0, layout)].push_back(
                std::int32_t(m_labels.size() - 1)); // there is no stage before: its layout is taken as 0
        }
        for (int stage = 0; stage < m_space.stages; ++stage) {
            States next(stage + 1 < m_space.stages ? all : 0);
            for (int layer = 0; layer <= m_space.layers; ++layer)
                for (int previous = 0; previous < m_space.layouts; ++previous)
                    for (int layout = 0; layout < m_space.layouts; ++layout) {
                        if (m_stop.stop_requested())
                            return;
                        if (const auto& labels = states[state(layer, previous, layout)]; !labels.empty())
                            place({stage, layer, previous, layout}, labels, rough, ends, next);
                    }
            states = std::move(next);
        }
    }

    /// A stage that is to be placed, and the layouts before and of it.
    struct Place {
        int stage, layer, previous, layout;
    };

    /// Gives a stage its layers, every number of them, with every option and every layout after it.
    void place(
        const Place& place, const std::vector<std::int32_t>& labels, bool rough, std::optional<Ends> ends, States& next)
    {
        const bool last = place.stage + 1 == m_space.stages;
        const int left = m_space.layers - place.layer;
        const int later = std::max(0, m_space.stages - place.stage - 2) * m_space.leastLayers; // but the last one's
        const int least = last ? left : place.stage == 0 ? 0 : m_space.leastLayers;
        for (int count = least; count <= left - later; ++count) {
            const auto [begin, end] = optionsOf(place.stage, place.layer, count, place.layout);
            for (int following = 0; following < (last ? 1 : m_space.layouts); ++following) {
                if (place.stage + 2 == m_space.stages && ends && ends->last != following)
                    continue;
                for (std::int32_t option = begin; option < end; ++option) {
                    const pipeline::StageTerms terms =
                        termsOf(place, option, last ? std::nullopt : std::optional(following));
                    for (const std::int32_t label : labels) {
                        const pipeline::ChainPrefix& prefix = m_labels[std::size_t(label)].prefix;
                        const ChainLabel extension{
                            extended(m_space.rules, place.stage, prefix, terms), label, count, place.layout, option};
                        if (last)
                            finish(extension);
                        else if (!(extension.prefix.longest > m_best.seconds))
                            keep(extension, next[state(place.layer + count, place.layout, following)], rough);
                    }
                }
            }
        }
    }

    [[nodiscard]] pipeline::StageTerms termsOf(
        const Place& place, std::int32_t option, std::optional<int> following) const
    {
        pipeline::StageTerms terms = m_options[std::size_t(option)].terms;
        if (place.stage > 0) {
            const BoundaryTerms above = m_space.boundary(place.stage - 1, place.previous, place.layout);
            for (double* const backward :
                {&terms.backward, &terms.firstBackward, &terms.leastBackward}) // not zero with one chunk alone
                *backward += above.backward;
            terms.sendBackward = above.sendBackward;
            terms.reshardBackward = above.reshardBackward;
            terms.receiveForward = above.sendForward;
        }
        if (following) {
            const BoundaryTerms below = m_space.boundary(place.stage, place.layout, *following);
            for (double* const forward : {&terms.forward, &terms.firstForward, &terms.leastForward})
                *forward += below.forward;
            terms.sendForward = below.sendForward;
            terms.reshardForward = below.reshardForward;
            terms.receiveBackward = below.sendBackward;
        }
        return terms;
    }

    void keep(const ChainLabel& label, std::vector<std::int32_t>& state, bool rough)
    {
        m_best.labels +=
            keepUndominated(label, m_labels, state, rough, [](const auto& a, const auto& b) { return noMore(a, b); });
    }

    void finish(const ChainLabel& label)
    {
        const double seconds = label.prefix.longest;
        if (seconds > m_best.seconds || (seconds == m_best.seconds && m_best.stages))
            return;
        m_best.seconds = seconds;
        std::vector<ChainStage> stages;
        for (const ChainLabel* last = &label; last->before >= 0; last = &m_labels[std::size_t(last->before)])
            stages.push_back({last->layers, last->layout, m_options[std::size_t(last->option)]});
        std::reverse(stages.begin(), stages.end());
        m_best.stages = std::move(stages);
    }

    /// From and to in `m_options`.
    [[nodiscard]] std::pair<std::int32_t, std::int32_t> optionsOf(int stage, int first, int count, int layout)
    {
        const auto [known, isNew] = m_optionsOf.try_emplace({stage, m_space.alikeLayers ? 0 : first, count, layout});
        if (isNew) {
            const std::vector<StageOption> options =
                worthwhile(m_space.options(stage, first, count, layout), m_space.limitOf(stage));
            known->second = {std::int32_t(m_options.size()), std::int32_t(m_options.size() + options.size())};
            m_options.insert(m_options.end(), options.begin(), options.end());
        }
        return known->second;
    }

    const ChainSpace& m_space;
    const std::stop_token& m_stop;
    std::vector<ChainLabel> m_labels;
    std::vector<StageOption> m_options;
    std::map<std::array<int, 4>, std::pair<std::int32_t, std::int32_t>>
        m_optionsOf; ///< by stage, first layer, layers and layout
    ChainAnswer m_best{{}, kNoChain, false, 0};
};

} // namespace

std::vector<StageOption> worthwhile(const std::vector<StageOption>& all, double limit)
{
    return undominated(all, limit, [](const auto& a, const auto& b) { return noMore(a, b); });
}

ChainAnswer bestChain(const ChainSpace& space, const std::stop_token& stop)
{
    return ChainProgramme(space, stop).answer();
}

} // namespace stratoplan::split
