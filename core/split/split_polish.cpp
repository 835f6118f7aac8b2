// SPDX-License-Identifier: Apache-2.0
#include "core/split/split_polish.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <utility>

namespace stratoplan::split {
namespace {

constexpr double kSame = 1e-9; ///< of a step: no gain
constexpr std::size_t kMovers = 4; ///< busiest stages that may give a layer to any other one

double passes(const ChainStage& stage)
{
    return stage.option.terms.forward + stage.option.terms.backward;
}

class Polisher {
public:
    Polisher(std::vector<ChainStage> chain, const PolishSpace& space, const std::stop_token& stop)
        : m_space(space)
        , m_stop(stop)
        , m_chain(std::move(chain))
    {
        m_seconds = space.seconds(m_chain, std::numeric_limits<double>::infinity());
        m_work = workOf(m_chain);
    }

    std::vector<ChainStage> run()
    {
        for (bool better = true; better && !m_stop.stop_requested();)
            better = moveLayers() || changeOptions() || changeLayouts();
        return std::move(m_chain);
    }

private:
    static double workOf(const std::vector<ChainStage>& chain)
    {
        return std::accumulate(
            chain.begin(), chain.end(), 0.0, [](double sum, const ChainStage& stage) { return sum + passes(stage); });
    }

    bool accept(const std::vector<ChainStage>& chain)
    {
        const double seconds = m_space.seconds(chain, m_seconds);
        const double work = workOf(chain);
        const bool faster = seconds < m_seconds * (1 - kSame);
        const bool lighter = seconds <= m_seconds && work < m_work * (1 - kSame);
        if (!faster && !lighter)
            return false;
        m_chain = chain;
        m_seconds = seconds;
        m_work = work;
        return true;
    }

    /// The chain after one layer has gone from a stage to another one; the layers of those between shift.
    [[nodiscard]] std::optional<std::vector<ChainStage>> moved(std::size_t from, std::size_t to) const
    {
        const std::size_t last = m_chain.size() - 1;
        if (m_chain[from].layers <= (from == 0 || from == last ? 0 : 1))
            return std::nullopt;
        std::vector<ChainStage> chain = m_chain;
        --chain[from].layers;
        ++chain[to].layers;
        if (!m_space.settle(chain, std::min(from, to), std::max(from, to)))
            return std::nullopt;
        return chain;
    }

    bool moveLayers()
    {
        std::vector<std::size_t> busiest(m_chain.size());
        std::iota(busiest.begin(), busiest.end(), std::size_t{0});
        const auto busier = [&](std::size_t a, std::size_t b) { return passes(m_chain[a]) > passes(m_chain[b]); };
        std::stable_sort(busiest.begin(), busiest.end(), busier);
        bool better = false;
        for (std::size_t rank = 0; rank < busiest.size(); ++rank) {
            const std::size_t from = busiest[rank];
            for (std::size_t to = 0; to < m_chain.size() && !m_stop.stop_requested(); ++to) {
                const bool neighbours = to + 1 == from || from + 1 == to;
                if (to == from || (rank >= kMovers && !neighbours))
                    continue;
                if (const auto chain = moved(from, to))
                    better = accept(*chain) || better;
            }
        }
        return better;
    }

    bool changeOptions()
    {
        bool better = false;
        int first = 0;
        for (std::size_t i = 0; i < m_chain.size() && !m_stop.stop_requested(); first += m_chain[i].layers, ++i) {
            for (const StageOption& option : m_space.options(int(i), first, m_chain[i].layers, m_chain[i].layout)) {
                if (option.id == m_chain[i].option.id)
                    continue;
                std::vector<ChainStage> chain = m_chain;
                chain[i].option = option;
                better = accept(chain) || better;
            }
        }
        return better;
    }

    bool changeLayouts()
    {
        bool better = false;
        const std::size_t last = m_chain.size() - 1;
        for (int layout = 0; layout < m_space.layouts; ++layout) {
            int first = 0;
            for (std::size_t i = 0; i < m_chain.size() && !m_stop.stop_requested(); first += m_chain[i].layers, ++i) {
                if (m_chain[i].layout == layout || (!m_space.lastOf.empty() && i == last))
                    continue;
                std::vector<ChainStage> chain = m_chain;
                chain[i].layout = layout;
                bool placed = takeFastest(chain[i], m_space.options(int(i), first, chain[i].layers, layout));
                if (!m_space.lastOf.empty() && i == 0 && last > 0) { // the last one goes with it
                    const int lastLayout = m_space.lastOf[std::size_t(layout)];
                    chain[last].layout = lastLayout;
                    const auto add = [](int sum, const ChainStage& stage) { return sum + stage.layers; };
                    placed = placed
                        && takeFastest(chain[last],
                            m_space.options(int(last), std::accumulate(chain.begin(), chain.end() - 1, 0, add),
                                chain[last].layers, lastLayout));
                }
                better = (placed && accept(chain)) || better;
            }
        }
        return better;
    }

    const PolishSpace& m_space;
    const std::stop_token& m_stop;
    std::vector<ChainStage> m_chain;
    double m_seconds = 0;
    double m_work = 0;
};

} // namespace

bool takeFastest(ChainStage& stage, const std::vector<StageOption>& options)
{
    if (options.empty())
        return false;
    stage.option = *std::min_element(options.begin(), options.end(), [](const StageOption& a, const StageOption& b) {
        return a.terms.forward + a.terms.backward < b.terms.forward + b.terms.backward;
    });
    return true;
}

std::vector<ChainStage> polished(std::vector<ChainStage> chain, const PolishSpace& space, const std::stop_token& stop)
{
    return Polisher(std::move(chain), space, stop).run();
}

} // namespace stratoplan::split
