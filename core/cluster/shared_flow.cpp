// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/shared_flow.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace stratoplan::cluster {

namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

} // namespace

/// Of so much as each source has, by the shortest ways first (Dinic 1970).
class SharedFlow::Flow {
public:
    Flow(const SharedFlow& network, const std::vector<Source>& sources)
        : m_arcs(network.m_edges.size() + 1)
        , m_origin(network.m_edges.size())
    {
        for (std::size_t from = 0; from < network.m_edges.size(); ++from)
            for (const Edge& edge : network.m_edges[from])
                add(from, edge.to, edge.capacity);
        double all = 0;
        for (const Source& source : sources) {
            add(m_origin, source.vertex, source.demand);
            all += source.demand;
        }
        m_least = all * kRounding;
        while (findWays()) {
            m_next.assign(m_arcs.size(), 0);
            while (send(m_origin, std::numeric_limits<double>::infinity()) > 0)
                ;
        }
    }

    /// Where more waits than is sent on: the near side of the minimum cut.
    [[nodiscard]] bool isCutOff(std::size_t vertex) const { return m_depth[vertex] >= 0; }

private:
    static constexpr double kRounding = 1e-13; // of all: less than that is not sent
    struct Arc {
        std::size_t to = 0, back = 0;
        double left = 0;
    };

    void add(std::size_t from, std::size_t to, double capacity)
    {
        m_arcs[from].push_back({to, m_arcs[to].size(), capacity});
        m_arcs[to].push_back({from, m_arcs[from].size() - 1, 0});
    }

    bool findWays()
    {
        m_depth.assign(m_arcs.size(), -1);
        m_depth[m_origin] = 0;
        std::vector<std::size_t> reached{m_origin};
        for (std::size_t i = 0; i < reached.size(); ++i)
            for (const Arc& arc : m_arcs[reached[i]])
                if (arc.left > m_least && m_depth[arc.to] < 0) {
                    m_depth[arc.to] = m_depth[reached[i]] + 1;
                    reached.push_back(arc.to);
                }
        return m_depth[sink()] >= 0;
    }

    double send(std::size_t from, double most)
    {
        if (from == sink())
            return most;
        for (std::size_t& next = m_next[from]; next < m_arcs[from].size(); ++next) {
            Arc& arc = m_arcs[from][next];
            if (arc.left <= m_least || m_depth[arc.to] != m_depth[from] + 1)
                continue;
            if (const double sent = send(arc.to, std::min(most, arc.left)); sent > 0) {
                arc.left -= sent;
                m_arcs[arc.to][arc.back].left += sent;
                return sent;
            }
        }
        return 0;
    }

    std::vector<std::vector<Arc>> m_arcs;
    std::size_t m_origin;
    double m_least = 0;
    std::vector<int> m_depth;
    std::vector<std::size_t> m_next;
};

std::size_t SharedFlow::addVertex()
{
    m_edges.emplace_back();
    return m_edges.size() - 1;
}

std::size_t SharedFlow::addSource(double demand)
{
    m_sources.push_back({addVertex(), demand});
    return m_sources.back().vertex;
}

void SharedFlow::addEdge(std::size_t from, std::size_t to, double capacity)
{
    m_edges[from].push_back({to, capacity});
}

std::vector<bool> SharedFlow::reachingSink() const
{
    std::vector<bool> reaches(m_edges.size());
    reaches[sink()] = true;
    for (bool more = true; more;) {
        more = false;
        for (std::size_t from = 0; from < m_edges.size(); ++from)
            for (const Edge& edge : m_edges[from])
                if (!reaches[from] && edge.capacity > 0 && reaches[edge.to])
                    more = reaches[from] = true;
    }
    return reaches;
}

/// The vertices of sources and all that these can send over.
std::vector<bool> SharedFlow::reachedFrom(const std::vector<Source>& sources) const
{
    std::vector<bool> reached(m_edges.size());
    std::vector<std::size_t> open;
    for (const Source& source : sources)
        open.push_back(source.vertex);
    while (!open.empty()) {
        const std::size_t from = open.back();
        open.pop_back();
        if (reached[from])
            continue;
        reached[from] = true;
        for (const Edge& edge : m_edges[from])
            open.push_back(edge.to);
    }
    return reached;
}

/// What each sends of a unit, or its most where that is less, when they send so much together.
double SharedFlow::level(std::vector<Source> sources, double carried)
{
    std::ranges::sort(sources, {}, &Source::most);
    double units = 0;
    for (const Source& source : sources)
        units += source.demand;
    for (const Source& source : sources) {
        if (carried <= source.most * units)
            return carried / units;
        carried -= source.most * source.demand;
        units -= source.demand;
    }
    return kNoLimit;
}

/// The most of a unit that all send, those that have less their own most.
SharedFlow::Lowered SharedFlow::lowered(double most, const std::vector<Source>& sources) const
{
    Lowered result{most, {}};
    while (true) {
        std::vector<Source> sent = sources;
        for (Source& source : sent)
            source.demand *= std::min(result.most, source.most);
        const Flow flow(*this, sent);
        double carried = 0;
        for (std::size_t from = 0; from < m_edges.size(); ++from)
            for (const Edge& edge : m_edges[from])
                carried += flow.isCutOff(from) && !flow.isCutOff(edge.to) ? edge.capacity : 0;
        std::vector<Source> cutOff;
        std::ranges::copy_if(
            sources, std::back_inserter(cutOff), [&](const Source& s) { return flow.isCutOff(s.vertex); });
        const double next = level(cutOff, carried);
        if (cutOff.empty() || next >= result.most)
            return result;
        result = {next, {}};
        for (const Source& source : cutOff)
            result.tight.push_back(source.vertex);
    }
}

/// To what each sends where all send alike as far as they can.
void SharedFlow::lowerEach(std::vector<Source>& sources) const
{
    for (std::size_t i = 0; i < sources.size(); ++i) {
        const Lowered least = lowered(std::ranges::max(sources, {}, &Source::most).most, sources);
        if (least.tight.empty())
            return;
        for (Source& source : sources)
            if (std::ranges::find(least.tight, source.vertex) != least.tight.end())
                source.most = std::min(source.most, least.most);
    }
}

SharedFlow::Most SharedFlow::mostOf(const std::vector<std::size_t>& some) const
{
    const std::vector<bool> reaches = reachingSink();
    Most result;
    std::vector<Source> asked, others;
    double most = kNoLimit; // what leaves each of the some alone
    for (std::size_t i = 0; i < m_sources.size(); ++i) {
        Source source = m_sources[i];
        if (source.demand > 0 && !reaches[source.vertex])
            result.heldBack.push_back(i);
        if (source.demand <= 0 || !reaches[source.vertex])
            continue;
        double out = 0;
        for (const Edge& edge : m_edges[source.vertex])
            out += edge.capacity;
        source.most = out / source.demand;
        if (std::ranges::find(some, i) == some.end()) {
            others.push_back(source);
            continue;
        }
        most = std::min(most, source.most);
        source.most = kNoLimit;
        asked.push_back(source);
    }
    if (asked.empty())
        return {kNoLimit, std::move(result.heldBack), {}};
    SharedFlow ofSome = *this;
    const std::vector<bool> shared = reachedFrom(asked);
    for (std::size_t from = 0; from < m_edges.size(); ++from)
        for (Edge& edge : ofSome.m_edges[from])
            edge.capacity = shared[from] || edge.capacity <= 0 ? edge.capacity : kNoLimit;
    ofSome.lowerEach(others);
    others.insert(others.end(), asked.begin(), asked.end());
    const Lowered least = ofSome.lowered(most, others);
    result.ofUnit = least.most;
    for (const std::size_t i : some)
        if (std::ranges::count(least.tight, m_sources[i].vertex) > 0)
            result.tight.push_back(i);
    return result;
}

} // namespace stratoplan::cluster
