// SPDX-License-Identifier: Apache-2.0
#include "core/wiring/meshes.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace stratoplan::wiring {
namespace {

/// Looks for rings that share no link, by depth first and for a bounded time.
class RingPacking {
public:
    RingPacking(const LinkMatrix& links, const std::vector<int>& members)
        : m_size(members.size())
        , m_free(m_size, std::vector<int>(m_size))
    {
        for (std::size_t i = 0; i < m_size; ++i)
            for (std::size_t k = 0; k < m_size; ++k)
                m_free[i][k] = links[std::size_t(members[i])][std::size_t(members[k])];
    }

    [[nodiscard]] int most()
    {
        int bound = std::numeric_limits<int>::max();
        for (const std::vector<int>& row : m_free)
            bound = std::min(bound, std::accumulate(row.begin(), row.end(), 0) / 2);
        pack(0, bound);
        return m_best;
    }

private:
    void pack(int rings, int bound)
    {
        m_best = std::max(m_best, rings);
        if (m_best == bound)
            return;
        std::vector<bool> used(m_size);
        used[0] = true;
        extend({0}, used, rings, bound);
    }

    void extend(std::vector<std::size_t> path, std::vector<bool> used, int rings, int bound)
    {
        constexpr int kMostSteps = 200'000;
        if (m_best == bound || ++m_steps > kMostSteps)
            return;
        const std::size_t last = path.back();
        if (path.size() == m_size) {
            if (m_free[last][0] == 0)
                return;
            take(path, -1);
            pack(rings + 1, bound);
            take(path, 1);
            return;
        }
        std::vector<std::size_t> next;
        for (std::size_t i = 0; i < m_size; ++i)
            if (!used[i] && m_free[last][i] > 0)
                next.push_back(i);
        std::ranges::stable_sort(next, std::greater(), [&](std::size_t i) { return m_free[last][i]; });
        for (const std::size_t i : next) {
            path.push_back(i);
            used[i] = true;
            extend(path, used, rings, bound);
            used[i] = false;
            path.pop_back();
        }
    }

    void take(const std::vector<std::size_t>& ring, int change)
    {
        for (std::size_t i = 0; i < ring.size(); ++i) {
            const std::size_t a = ring[i], b = ring[(i + 1) % ring.size()];
            m_free[a][b] += change;
            m_free[b][a] += change;
        }
    }

    std::size_t m_size;
    LinkMatrix m_free;
    int m_best = 0;
    int m_steps = 0;
};

/// The links of the thinnest pair that no way around spares: of the widest tree through all.
int widestTree(const LinkMatrix& links, const std::vector<int>& members)
{
    std::vector<int> reached{members.front()};
    int thinnest = std::numeric_limits<int>::max();
    while (reached.size() < members.size()) {
        int widest = 0, taken = -1;
        for (const int from : reached)
            for (const int to : members)
                if (std::ranges::find(reached, to) == reached.end()
                    && links[std::size_t(from)][std::size_t(to)] > widest) {
                    widest = links[std::size_t(from)][std::size_t(to)];
                    taken = to;
                }
        thinnest = std::min(thinnest, widest);
        reached.push_back(taken);
    }
    return thinnest;
}

} // namespace

std::vector<std::vector<int>> joinedSets(const LinkMatrix& links)
{
    std::vector<std::vector<int>> sets;
    std::vector<bool> seen(links.size());
    for (std::size_t first = 0; first < links.size(); ++first) {
        if (seen[first])
            continue;
        std::vector<int> members{int(first)};
        seen[first] = true;
        for (std::size_t i = 0; i < members.size(); ++i)
            for (std::size_t k = 0; k < links.size(); ++k)
                if (!seen[k] && links[std::size_t(members[i])][k] > 0) {
                    seen[k] = true;
                    members.push_back(int(k));
                }
        std::ranges::sort(members);
        sets.push_back(std::move(members));
    }
    return sets;
}

int linksOfRings(const LinkMatrix& links, const std::vector<int>& members)
{
    if (members.size() < 2)
        return 0;
    if (members.size() == 2)
        return links[std::size_t(members[0])][std::size_t(members[1])];
    return 2 * RingPacking(links, members).most();
}

Domain domainOf(const LinkMatrix& links, const std::vector<int>& members, bool switched)
{
    Domain domain{.size = int(members.size())};
    if (domain.size == 1)
        return domain;
    const int first = links[std::size_t(members[0])][std::size_t(members[1])];
    for (const int a : members) {
        int leaving = 0;
        for (const int b : members) {
            const int between = links[std::size_t(a)][std::size_t(b)];
            leaving += between;
            domain.even = domain.even && (a == b || between == first);
        }
        domain.most = std::max(domain.most, leaving);
    }
    if (domain.even) {
        domain.links = domain.most = switched ? first : domain.most;
        return domain;
    }
    domain.links = linksOfRings(links, members);
    domain.ring = domain.links > 0;
    if (!domain.ring)
        domain.links = widestTree(links, members);
    return domain;
}

} // namespace stratoplan::wiring
