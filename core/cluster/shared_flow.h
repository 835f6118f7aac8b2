// SPDX-License-Identifier: Apache-2.0
// What sources can send through a network of capacities at the same time, all of them alike.
#pragma once

#include <cstddef>
#include <vector>

namespace stratoplan::cluster {

/// Sources send to one sink over vertices between them.
class SharedFlow {
public:
    [[nodiscard]] static constexpr std::size_t sink() { return 0; }
    [[nodiscard]] std::size_t addVertex();
    /// A vertex where `demand` units wait to be sent.
    [[nodiscard]] std::size_t addSource(double demand);
    /// What it carries from one to the other; nothing is sent back.
    void addEdge(std::size_t from, std::size_t to, double capacity);
    struct Most {
        double ofUnit = 0; ///< infinite where no source reaches the sink
        std::vector<std::size_t> heldBack; ///< sources that do not, by their order
        std::vector<std::size_t> tight; ///< of those some, the ones in the set that is least; none where what leaves
                                        ///< one source alone is
    };
    /// The most that some sources, told by their order, send of each unit at the same time, while each other one sends
    /// as much of its units, or what leaves it: the least, over all sets of vertices with sources that reach the sink,
    /// of what leaves the set by what is to be sent in it (minimum cut; Dinkelbach 1967). Edges that none of the some
    /// can send over carry whatever the others send: so less of an edge leaves no more to the some. Without an edge
    /// they may have more: where it was the last way to what some and others share.
    [[nodiscard]] Most mostOf(const std::vector<std::size_t>& some) const;

private:
    struct Edge {
        std::size_t to = 0;
        double capacity = 0;
    };
    struct Source {
        std::size_t vertex = 0;
        double demand = 0;
        double most = 0; ///< that it sends of a unit; infinite where it is one of the some
    };
    class Flow;
    [[nodiscard]] std::vector<bool> reachingSink() const;
    [[nodiscard]] std::vector<bool> reachedFrom(const std::vector<Source>& sources) const;
    struct Lowered {
        double most = 0;
        std::vector<std::size_t> tight; ///< vertices of the sources
    };
    [[nodiscard]] static double level(std::vector<Source> sources, double carried);
    [[nodiscard]] Lowered lowered(double most, const std::vector<Source>& sources) const;
    void lowerEach(std::vector<Source>& sources) const;

    std::vector<std::vector<Edge>> m_edges{1}; ///< by vertex
    std::vector<Source> m_sources;
};

} // namespace stratoplan::cluster
