// SPDX-License-Identifier: Apache-2.0
// Inside of the search: a node while it is opened. What its strategies are measured against is asked of it, and what
// becomes of them is told to it.
#pragma once

#include "core/search/node.h"
#include "core/search/search.h"

#include <array>
#include <optional>
#include <stop_token>

namespace stratoplan::search {

/// Those of a search.
class RulesInUse {
public:
    /// `unlikeNodes`: the stages of strategies run on several kinds of them, with layers by their speed, so that bounds
    /// by one kind alone and by even layers hold for none.
    RulesInUse(const SearchOptions& options, bool unlikeNodes);
    [[nodiscard]] bool holds(PruneRule rule) const { return m_holds[static_cast<std::size_t>(rule)]; }

private:
    std::array<bool, kPruneRules> m_holds{};
};

/// A node with the bounds of its strategies, and the rule that drops them, if any does.
struct JudgedNode {
    Node node;
    std::optional<PruneRule> droppedBy{};
    std::int64_t withoutRoom = 0; ///< strategies that are no longer among them, as there is no room for so few layers
                                  ///< recomputed
};

/// A bound of the values of strategies, and the rule that drops them, if any does.
struct JudgedBound {
    double bound = 0;
    std::optional<PruneRule> droppedBy{};
};

class Opening {
public:
    /// `known`: what was found before. All of these must stay.
    Opening(const Node& node, const Front& known, plan::SearchMode mode, const std::stop_token& stop,
        const SearchOptions& options, const RulesInUse& rules);

    [[nodiscard]] const Node& node() const { return m_node; }
    [[nodiscard]] plan::SearchMode mode() const { return m_mode; }
    [[nodiscard]] const std::stop_token& stop() const { return m_stop; }
    [[nodiscard]] bool isStopped() const { return m_stop.stop_requested(); }
    [[nodiscard]] bool uses(PruneRule rule) const { return m_rules.holds(rule); }

    /// Whether something found has less value and needs no more memory.
    [[nodiscard]] bool beats(double value, double peak) const;
    /// Peaks of what was found before, the highest first: at most so many, evenly among them.
    [[nodiscard]] std::vector<double> knownPeaks(int most) const;
    /// The rule that drops what has at least this value and peak: the given one or that of the objective.
    [[nodiscard]] std::optional<PruneRule> against(PruneRule rule, double value, double peak) const;

    void drop(PruneRule rule, std::int64_t strategies)
    {
        m_explored.pruned[static_cast<std::size_t>(rule)] += strategies;
    }
    /// It is left to open, or dropped.
    void settle(const JudgedNode& below);
    void countEvaluated() { ++m_explored.evaluated; }
    void add(FoundStrategy found) { m_explored.found.add(std::move(found)); }

    /// What it came to. Stopped, what is found until then counts, and the node stays open.
    [[nodiscard]] Explored explored() &&;

private:
    const Node& m_node;
    const Front& m_known;
    plan::SearchMode m_mode;
    const std::stop_token& m_stop;
    const SearchOptions& m_options;
    const RulesInUse& m_rules;
    double m_limit; ///< of a step
    Explored m_explored;
};

} // namespace stratoplan::search
