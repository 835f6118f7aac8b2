// SPDX-License-Identifier: Apache-2.0
#include "core/wiring/meshes.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

namespace stratoplan::wiring {
namespace {

/// Looks for rings that share no link: one after the other, again and again with other choices, for a bounded time.
class RingPacking {
public:
    RingPacking(const LinkMatrix& links, const std::vector<int>& members)
        : m_size(members.size())
        , m_links(m_size, std::vector<int>(m_size))
        , m_order(m_size)
    {
        for (std::size_t i = 0; i < m_size; ++i)
            for (std::size_t k = 0; k < m_size; ++k)
                m_links[i][k] = links[std::size_t(members[i])][std::size_t(members[k])];
        std::iota(m_order.begin(), m_order.end(), std::size_t(0));
    }

    [[nodiscard]] int most()
    {
        constexpr int kMostAttempts = 400;
        int bound = std::numeric_limits<int>::max();
        for (const std::vector<int>& row : m_links)
            bound = std::min(bound, std::accumulate(row.begin(), row.end(), 0) / 2);
        int best = 0;
        std::mt19937 random; // with its usual seed: the same text makes the same cluster
        for (int attempt = 0; attempt < kMostAttempts && best < bound && m_work < kMostWork; ++attempt) {
            best = std::max(best, packed(bound));
            for (std::size_t i = m_size - 1; i > 0; --i)
                std::swap(m_order[i], m_order[random() % (i + 1)]);
        }
        return best;
    }

private:
    static constexpr long long kMostWork = 20'000'000; ///< looks at a pair, of all attempts
    static constexpr long long kMostWorkOfRing = 2'000'000;

    [[nodiscard]] int packed(int bound)
    {
        m_free = m_links;
        int rings = 0;
        while (rings < bound && m_work < kMostWork) {
            m_path.assign(1, 0);
            m_used.assign(m_size, false);
            m_used[0] = true;
            m_stop = std::min(kMostWork, m_work + kMostWorkOfRing);
            if (!closes())
                break;
            takePath();
            ++rings;
        }
        return rings;
    }

    /// Goes on with the path until it is a ring, over the pairs with the most free links first; as deep as there are
    /// members.
    bool closes()
    {
        const std::size_t last = m_path.back();
        if (m_path.size() == m_size)
            return m_free[last][0] > 0;
        if ((m_work += (long long)m_size) > m_stop)
            return false;
        std::vector<std::size_t> next;
        for (const std::size_t i : m_order)
            if (!m_used[i] && m_free[last][i] > 0)
                next.push_back(i);
        std::ranges::stable_sort(next, std::greater(), [&](std::size_t i) { return m_free[last][i]; });
        for (const std::size_t i : next) {
            m_path.push_back(i);
            m_used[i] = true;
            if (closes())
                return true;
            m_used[i] = false;
            m_path.pop_back();
        }
        return false;
    }

    void takePath()
    {
        for (std::size_t i = 0; i < m_path.size(); ++i) {
            const std::size_t a = m_path[i], b = m_path[(i + 1) % m_path.size()];
            --m_free[a][b];
            --m_free[b][a];
        }
    }

    std::size_t m_size;
    LinkMatrix m_links, m_free;
    std::vector<std::size_t> m_order; ///< among pairs with as many free links
    std::vector<std::size_t> m_path;
    std::vector<bool> m_used;
    long long m_work = 0;
    long long m_stop = 0; ///< of the work, for the ring that is looked for
};

/// The links of the thinnest pair that no way around spares: of the widest tree through all.
int widestTree(const LinkMatrix& links, const std::vector<int>& members)
{
    std::vector<int> left(members.begin() + 1, members.end());
    std::vector<int> widest(links.size()); // from what is reached to what is left
    int last = members.front(), thinnest = std::numeric_limits<int>::max();
    while (!left.empty()) {
        for (const int to : left)
            widest[std::size_t(to)] = std::max(widest[std::size_t(to)], links[std::size_t(last)][std::size_t(to)]);
        const auto next = std::ranges::max_element(left, {}, [&](int to) { return widest[std::size_t(to)]; });
        last = *next;
        thinnest = std::min(thinnest, widest[std::size_t(last)]);
        left.erase(next);
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
    Domain domain{.size = int(members.size()), .switched = switched};
    if (domain.size == 1)
        return domain;
    const int first = links[std::size_t(members[0])][std::size_t(members[1])];
    int fewest = std::numeric_limits<int>::max(), widest = 0;
    for (const int a : members) {
        int leaving = 0;
        for (const int b : members) {
            const int between = links[std::size_t(a)][std::size_t(b)];
            leaving += between;
            domain.even = domain.even && (a == b || between == first);
            widest = std::max(widest, between);
        }
        domain.most = std::max(domain.most, leaving);
        fewest = std::min(fewest, leaving);
    }
    // Each pair behind a switch shows the same links, those that its lesser one has: those of an accelerator are the
    // mean over its pairs, which a link less in one of them makes less, to none.
    if (switched) {
        domain.links = std::max(1, fewest / (domain.size - 1));
        domain.most = widest;
        return domain;
    }
    domain.links = domain.even ? domain.most : linksOfRings(links, members);
    domain.ring = domain.links > 0;
    if (!domain.ring)
        domain.links = widestTree(links, members);
    return domain;
}

} // namespace stratoplan::wiring
